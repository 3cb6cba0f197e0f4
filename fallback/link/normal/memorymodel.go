package normal

import (
	"math/bits"

	"github.com/everray/everray/fallback/spirv"
)

// lowerMemoryModel takes a module of the Vulkan memory model to that of GLSL, which the runtime and most other shaders
// have, and which asks nothing of the device: accesses that name their availability become volatile, images accessed so
// coherent, and scopes and semantics lose what only the Vulkan model or ray tracing knows.
func (s *stage) lowerMemoryModel() error {
	n := newNormaliser(s)
	m := n.m
	m.MemoryModel.MemoryModel().SetMemoryModel(spirv.MemoryModelGLSL450)
	m.Capabilities = spirv.Filter(m.Capabilities, func(in *spirv.Inst) bool {
		c := in.Capability().Capability()
		return c != spirv.CapabilityVulkanMemoryModel && c != spirv.CapabilityVulkanMemoryModelDeviceScope
	})
	m.Extensions = spirv.Filter(m.Extensions, func(in *spirv.Inst) bool {
		name, _ := spirv.DecodeString(in.Operands)
		return name != "SPV_KHR_vulkan_memory_model"
	})
	coherent := map[spirv.ID]bool{}
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				n.lowerAccess(&b.Insts[i], coherent)
			}
		}
	}
	for i := range m.Globals { // in their order, so that the result is the same each time
		if id := m.Globals[i].Result; coherent[id] {
			m.Decorate(id, spirv.DecorationCoherent)
		}
	}
	return nil
}

// lowerAccess rewrites one instruction, and notes the images that it wants coherent.
func (n *normaliser) lowerAccess(in *spirv.Inst, coherent map[spirv.ID]bool) {
	switch op := in.Op; {
	case op == spirv.OpLoad:
		in.Operands = lowerMemoryOperands(in.Operands, 1)
	case op == spirv.OpStore:
		in.Operands = lowerMemoryOperands(in.Operands, 2)
	case op == spirv.OpCopyMemory:
		in.Operands = lowerMemoryOperands(in.Operands, 2)
	case op == spirv.OpImageRead, op == spirv.OpImageSparseRead:
		n.lowerImageOperands(in, 2, coherent)
	case op == spirv.OpImageWrite:
		n.lowerImageOperands(in, 3, coherent)
	case op == spirv.OpMemoryBarrier:
		n.lowerSynchronisation(in, 0, 1)
	case op == spirv.OpControlBarrier:
		n.lowerSynchronisation(in, 1, 2)
	case op == spirv.OpAtomicCompareExchange, op == spirv.OpAtomicCompareExchangeWeak:
		n.lowerSynchronisation(in, 1, 2, 3)
	case op >= spirv.OpAtomicLoad && op <= spirv.OpAtomicXor, op == spirv.OpAtomicFlagTestAndSet, op == spirv.OpAtomicFlagClear,
		op == spirv.OpAtomicFAddEXT, op == spirv.OpAtomicFMinEXT, op == spirv.OpAtomicFMaxEXT:
		n.lowerSynchronisation(in, 1, 2)
	}
}

// lowerMemoryOperands rewrites the masks from operand at on, of which OpCopyMemory may have two.
func lowerMemoryOperands(w []uint32, at int) []uint32 {
	const (
		scoped  = uint32(spirv.MemoryAccessMakePointerAvailable | spirv.MemoryAccessMakePointerVisible)
		private = scoped | uint32(spirv.MemoryAccessNonPrivatePointer)
	)
	out := append([]uint32(nil), w[:min(at, len(w))]...)
	for rest := w[len(out):]; len(rest) > 0; {
		mask := rest[0]
		rest = rest[1:]
		lowered := mask &^ private
		if mask&private != 0 {
			lowered |= uint32(spirv.MemoryAccessVolatile)
		}
		out = append(out, lowered)
		const parameters = uint32(spirv.MemoryAccessAligned) | scoped | 0x30000 // aliasing has ids
		for left := mask & parameters; left != 0 && len(rest) > 0; left &= left - 1 {
			if bit := uint32(1) << bits.TrailingZeros32(left); bit&scoped == 0 {
				out = append(out, rest[0])
			}
			rest = rest[1:]
		}
	}
	return out
}

// lowerImageOperands rewrites the image operands that begin at operand at.
func (n *normaliser) lowerImageOperands(in *spirv.Inst, at int, coherent map[spirv.ID]bool) {
	const (
		available, visible = 0x100, 0x200 // each with a scope
		nonPrivate         = 0x400
		volatile           = 0x800
		all                = available | visible | nonPrivate | volatile
	)
	if len(in.Operands) <= at || in.Operands[at]&all == 0 {
		return
	}
	mask := in.Operands[at]
	before := bits.OnesCount32(mask & 0xff) // operands of the bits below
	if mask&uint32(spirv.ImageOperandsGrad) != 0 {
		before++
	}
	from := at + 1 + before
	out := append([]uint32(nil), in.Operands[:from]...)
	out[at] = mask &^ all
	out = append(out, in.Operands[from+bits.OnesCount32(mask&(available|visible)):]...)
	if out[at] == 0 {
		out = out[:at]
	}
	in.Operands = out
	for id := in.ImageAccess().Image(); ; { // the image is loaded from a variable, or from an element of one
		d := n.index().Def(id)
		if d == nil || len(d.Operands) == 0 {
			return
		}
		switch d.Op {
		case spirv.OpVariable:
			coherent[id] = true
			return
		case spirv.OpLoad:
			id = d.Load().Pointer()
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
			id = d.AccessChain().Base()
		case spirv.OpCopyObject:
			id = d.CopyObject().Operand()
		default:
			return
		}
	}
}

// lowerSynchronisation replaces a scope and semantics, all constants, by what the memory model of GLSL knows of them.
func (n *normaliser) lowerSynchronisation(in *spirv.Inst, scope int, semantics ...int) {
	const onlyVulkan = 0x1000 | 0x2000 | 0x4000 | 0x8000 // OutputMemory, MakeAvailable, MakeVisible, Volatile
	if v, ok := n.constant(in.ID(scope)); ok && (v == uint32(spirv.ScopeQueueFamily) || v == uint32(spirv.ScopeShaderCallKHR)) {
		in.Operands[scope] = uint32(n.m.ConstantU32(uint32(spirv.ScopeDevice)))
	}
	for _, at := range semantics {
		if v, ok := n.constant(in.ID(at)); ok && v&onlyVulkan != 0 {
			in.Operands[at] = uint32(n.m.ConstantU32(v &^ onlyVulkan))
		}
	}
}

// constant returns the value of a 32-bit constant.
func (n *normaliser) constant(id spirv.ID) (uint32, bool) {
	switch c := n.index().Def(id); {
	case c != nil && c.Op == spirv.OpConstant && len(c.Operands) == 1:
		return c.Constant().Value()[0], true
	case c != nil && c.Op == spirv.OpConstantNull:
		return 0, true
	}
	return 0, false
}
