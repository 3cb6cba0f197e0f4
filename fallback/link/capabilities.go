package link

import (
	"github.com/everray/everray/fallback/link/normal"
	"github.com/everray/everray/fallback/spirv"
)

// contents is what of a module tells whether a capability is still needed.
type contents struct {
	ints, floats map[uint32]bool // widths of scalar types
	ops          map[spirv.Op]bool
	subgroup     bool // built-ins of subgroups
}

func contentsOf(m *spirv.Module) *contents {
	c := &contents{ints: map[uint32]bool{}, floats: map[uint32]bool{}, ops: map[spirv.Op]bool{}}
	for i := range m.Globals {
		switch in := &m.Globals[i]; in.Op {
		case spirv.OpTypeInt:
			c.ints[in.TypeNumber().Width()] = true
		case spirv.OpTypeFloat:
			c.floats[in.TypeNumber().Width()] = true
		}
	}
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				c.ops[b.Insts[i].Op] = true
			}
		}
	}
	for i := range m.Annotations {
		in := &m.Annotations[i]
		if b, ok := in.BuiltIn(); ok {
			switch {
			case b >= spirv.BuiltInSubgroupSize && b <= spirv.BuiltInSubgroupLocalInvocationId,
				b >= spirv.BuiltInSubgroupEqMask && b <= spirv.BuiltInSubgroupLtMask:
				c.subgroup = true
			}
		}
	}
	return c
}

// among tells whether the module has any instruction of a range.
func (c *contents) among(first, last spirv.Op) bool {
	for op := range c.ops {
		if op >= first && op <= last {
			return true
		}
	}
	return false
}

func (c *contents) int64s() bool { return c.ints[64] }
func (c *contents) int16s() bool { return c.ints[16] }
func (c *contents) int8s() bool  { return c.ints[8] }
func (c *contents) wide16() bool { return c.ints[16] || c.floats[16] }
func (c *contents) groups() bool {
	return c.subgroup || c.among(spirv.OpGroupNonUniformElect, spirv.OpGroupNonUniformQuadSwap) ||
		c.among(spirv.OpSubgroupBallotKHR, spirv.OpSubgroupReadInvocationKHR) ||
		c.ops[spirv.OpGroupNonUniformQuadAllKHR] || c.ops[spirv.OpGroupNonUniformQuadAnyKHR] || c.ops[spirv.OpGroupNonUniformPartitionNV]
}
func (c *contents) clock() bool { return c.ops[spirv.OpReadClockKHR] }

// needs tells of capabilities that stand for features of devices whether a module needs them. A shader declares what it uses,
// but passes take some of that away: a device without the feature can run what is left.
var needs = map[spirv.Capability]func(c *contents) bool{
	spirv.CapabilityInt64:   (*contents).int64s,
	spirv.CapabilityInt16:   (*contents).int16s,
	spirv.CapabilityInt8:    (*contents).int8s,
	spirv.CapabilityFloat64: func(c *contents) bool { return c.floats[64] },
	spirv.CapabilityFloat16: func(c *contents) bool { return c.floats[16] },
	spirv.CapabilityInt64Atomics: func(c *contents) bool {
		return c.ints[64] && (c.among(spirv.OpAtomicLoad, spirv.OpAtomicXor) ||
			c.among(spirv.OpAtomicFlagTestAndSet, spirv.OpAtomicFlagClear))
	},
	spirv.CapabilityStorageBuffer16BitAccess:           (*contents).wide16,
	spirv.CapabilityUniformAndStorageBuffer16BitAccess: (*contents).wide16,
	spirv.CapabilityStoragePushConstant16:              (*contents).wide16,
	spirv.CapabilityStorageInputOutput16:               (*contents).wide16,
	spirv.CapabilityStorageBuffer8BitAccess:            (*contents).int8s,
	spirv.CapabilityUniformAndStorageBuffer8BitAccess:  (*contents).int8s,
	spirv.CapabilityStoragePushConstant8:               (*contents).int8s,
	spirv.CapabilityShaderClockKHR:                     (*contents).clock,
	spirv.CapabilityStorageImageReadWithoutFormat: func(c *contents) bool {
		return c.ops[spirv.OpImageRead] ||
			c.ops[spirv.OpImageSparseRead]
	},
	spirv.CapabilityStorageImageWriteWithoutFormat: func(c *contents) bool { return c.ops[spirv.OpImageWrite] },
	spirv.CapabilityGroupNonUniform:                (*contents).groups,
	spirv.CapabilityGroupNonUniformVote:            (*contents).groups,
	spirv.CapabilityGroupNonUniformArithmetic:      (*contents).groups,
	spirv.CapabilityGroupNonUniformBallot:          (*contents).groups,
	spirv.CapabilityGroupNonUniformShuffle:         (*contents).groups,
	spirv.CapabilityGroupNonUniformShuffleRelative: (*contents).groups,
	spirv.CapabilityGroupNonUniformClustered:       (*contents).groups,
	spirv.CapabilityGroupNonUniformQuad:            (*contents).groups,
	spirv.CapabilityGroupNonUniformPartitionedNV:   (*contents).groups,
	spirv.CapabilityGroupNonUniformRotateKHR:       (*contents).groups,
	spirv.CapabilitySubgroupBallotKHR:              (*contents).groups,
	spirv.CapabilitySubgroupVoteKHR:                (*contents).groups,
}

// extensionsOf are extensions that a device has to enable, and go with their instructions.
var extensionsOf = map[string]func(c *contents) bool{
	"SPV_KHR_shader_clock":               (*contents).clock,
	"SPV_KHR_shader_ballot":              (*contents).groups,
	"SPV_KHR_subgroup_vote":              (*contents).groups,
	"SPV_KHR_subgroup_rotate":            (*contents).groups,
	"SPV_NV_shader_subgroup_partitioned": (*contents).groups,
}

// dropCapabilities leaves those that the module needs: none of ray tracing, and none whose use is gone.
func dropCapabilities(m *spirv.Module) {
	c := contentsOf(m)
	m.Capabilities = spirv.Filter(m.Capabilities, func(in *spirv.Inst) bool {
		capability := in.Capability().Capability()
		need := needs[capability]
		return !normal.DroppedCapabilities[capability] && (need == nil || need(c))
	})
	m.Extensions = spirv.Filter(m.Extensions, func(in *spirv.Inst) bool {
		name, _ := spirv.DecodeString(in.Operands)
		need := extensionsOf[name]
		return !normal.DroppedExtensions[name] && (need == nil || need(c))
	})
}
