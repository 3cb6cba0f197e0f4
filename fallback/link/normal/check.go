package normal

import (
	"slices"
	"strings"

	"github.com/everray/everray/fallback/spirv"
)

// refusedCapabilities are those of features that the compute way does not have, by the name users know them by.
var refusedCapabilities = map[spirv.Capability]string{
	spirv.CapabilityRayTracingMotionBlurNV: "motion blur (OpCapability RayTracingMotionBlurNV)",
	spirv.CapabilityDisplacementMicromapNV: "displacement micromaps (OpCapability RayTracingDisplacementMicromapNV)",
	capabilitySpheresGeometryNV:            "spheres (OpCapability RayTracingSpheresGeometryNV)",
	capabilityLinearSweptSpheresGeometryNV: "linear swept spheres (OpCapability RayTracingLinearSweptSpheresGeometryNV)",
}

// Capabilities that came after package spirv's tables.
const (
	capabilitySpheresGeometryNV            spirv.Capability = 5433
	capabilityLinearSweptSpheresGeometryNV spirv.Capability = 5434
)

// DroppedCapabilities are those of ray tracing itself: a linked module does not need them.
var DroppedCapabilities = map[spirv.Capability]bool{
	spirv.CapabilityRayTracingKHR:                   true,
	spirv.CapabilityRayTracingProvisionalKHR:        true,
	spirv.CapabilityRayTracingNV:                    true,
	spirv.CapabilityRayTraversalPrimitiveCullingKHR: true,
	spirv.CapabilityRayCullMaskKHR:                  true,
	spirv.CapabilityRayQueryKHR:                     true,
	spirv.CapabilityRayQueryProvisionalKHR:          true,
	spirv.CapabilityRayTracingPositionFetchKHR:      true,
	spirv.CapabilityRayQueryPositionFetchKHR:        true,
	// No acceleration structure of the compute way has micromaps: the ray flag for them changes nothing.
	spirv.CapabilityRayTracingOpacityMicromapEXT:             true,
	spirv.CapabilityShaderInvocationReorderNV:                true,
	spirv.CapabilityShaderInvocationReorderEXT:               true,
	spirv.CapabilityRayTracingClusterAccelerationStructureNV: true,
}

// DroppedExtensions are the extensions of those capabilities.
var DroppedExtensions = map[string]bool{
	"SPV_KHR_ray_tracing":                   true,
	"SPV_NV_ray_tracing":                    true,
	"SPV_KHR_ray_cull_mask":                 true,
	"SPV_KHR_ray_query":                     true,
	"SPV_KHR_ray_tracing_position_fetch":    true,
	"SPV_EXT_opacity_micromap":              true,
	"SPV_NV_shader_invocation_reorder":      true,
	"SPV_EXT_shader_invocation_reorder":     true,
	"SPV_NV_cluster_acceleration_structure": true,
	"SPV_KHR_non_semantic_info":             true,
	"SPV_GOOGLE_hlsl_functionality1":        true,
	"SPV_GOOGLE_user_type":                  true,
	"SPV_GOOGLE_decorate_string":            true,
}

// checkModule refuses what a capability or the memory model tells.
func (s *stage) checkModule() error {
	for _, c := range s.module.Capabilities {
		if name, refused := refusedCapabilities[c.Capability().Capability()]; refused {
			return s.unsupported("%s", name)
		}
	}
	if m := s.module.MemoryModel.MemoryModel().AddressingModel(); m != spirv.AddressingModelLogical &&
		m != spirv.AddressingModelPhysicalStorageBuffer64 {
		return s.unsupported("addressing model %v", m)
	}
	return nil
}

// refusedInstructions are ray tracing instructions that are known but not implemented.
var refusedInstructions = map[spirv.Op]string{
	spirv.OpTraceNV:           "OpTraceNV (use OpTraceRayKHR)",
	spirv.OpTraceMotionNV:     "OpTraceMotionNV",
	spirv.OpExecuteCallableNV: "OpExecuteCallableNV (use OpExecuteCallableKHR)",
	// Motion blur has a capability of its own, which is refused first.
	spirv.OpHitObjectTraceRayMotionNV:             "motion blur (OpHitObjectTraceRayMotionNV)",
	spirv.OpHitObjectRecordHitMotionNV:            "motion blur (OpHitObjectRecordHitMotionNV)",
	spirv.OpHitObjectRecordHitWithIndexMotionNV:   "motion blur (OpHitObjectRecordHitWithIndexMotionNV)",
	spirv.OpHitObjectRecordMissMotionNV:           "motion blur (OpHitObjectRecordMissMotionNV)",
	spirv.OpHitObjectTraceRayMotionEXT:            "motion blur (OpHitObjectTraceRayMotionEXT)",
	spirv.OpHitObjectRecordMissMotionEXT:          "motion blur (OpHitObjectRecordMissMotionEXT)",
	spirv.OpHitObjectTraceMotionReorderExecuteEXT: "motion blur (OpHitObjectTraceMotionReorderExecuteEXT)",
}

// tracing are the shaders that may trace rays, and have hit objects.
var tracing = []Model{Raygen, ClosestHit, Miss}

// models tells in which shaders the instructions of ray tracing are valid.
var models = map[spirv.Op][]Model{
	spirv.OpTraceRayKHR:           tracing,
	spirv.OpExecuteCallableKHR:    {Raygen, ClosestHit, Miss, Callable},
	spirv.OpReportIntersectionKHR: {Intersection},
	spirv.OpIgnoreIntersectionKHR: {AnyHit},
	spirv.OpTerminateRayKHR:       {AnyHit},

	spirv.OpReorderThreadWithHintEXT:      {Raygen},
	spirv.OpReorderThreadWithHitObjectEXT: {Raygen},
}

// isHitObject tells whether an instruction is one on hit objects, but for those that reorder.
func isHitObject(op spirv.Op) bool {
	return op >= spirv.OpHitObjectRecordHitMotionNV && strings.HasPrefix(op.String(), "OpHitObject")
}

// checkInstructions refuses instructions that are not supported, or not in this kind of shader.
func (s *stage) checkInstructions() error {
	var err error
	x, classes := constants(s.module), s.classes()
	s.module.EachFunctionInst(func(in *spirv.Inst) {
		if err != nil {
			return
		}
		if name, refused := refusedInstructions[in.Op]; refused {
			err = s.unsupported("%s", name)
			return
		}
		if in.Op.CallsShaders() && !mayPass(in.Op, classes[in.Handed()]) {
			err = s.invalid("%v whose payload %v is no payload variable", in.Op, s.name(in.Handed()))
			return
		}
		allowed, bound := models[in.Op]
		if isHitObject(in.Op) {
			allowed, bound = tracing, true
		}
		if bound && !slices.Contains(allowed, s.Kind) {
			err = s.invalid("%v in a %v shader", in.Op, s.Kind)
			return
		}
		if in.Op == spirv.OpControlBarrier {
			if scope, ok := x[in.ControlBarrier().Execution()]; !ok || spirv.Scope(scope) != spirv.ScopeSubgroup {
				err = s.invalid("%v of a scope that is not Subgroup in a ray tracing shader", in.Op)
			}
		}
	})
	return err
}

// classes returns the storage classes of the module's variables.
func (s *stage) classes() map[spirv.ID]spirv.StorageClass {
	classes := map[spirv.ID]spirv.StorageClass{}
	for i := range s.module.Globals {
		if in := &s.module.Globals[i]; in.Op == spirv.OpVariable {
			classes[in.Result] = in.Variable().StorageClass()
		}
	}
	return classes
}

// mayPass tells whether a call may pass a variable of a storage class.
func mayPass(op spirv.Op, class spirv.StorageClass) bool {
	switch class {
	case spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR:
		return op != spirv.OpExecuteCallableKHR
	case spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR:
		return op == spirv.OpExecuteCallableKHR
	}
	return false
}

// lowerBarriers makes barriers of subgroups, the only ones that ray tracing shaders may have, barriers of memory: which lanes
// of a subgroup are together is not for a shader to know, and in the linked module others may be elsewhere for good.
func (s *stage) lowerBarriers() error {
	const orders = uint32(spirv.MemorySemanticsAcquire | spirv.MemorySemanticsRelease | spirv.MemorySemanticsAcquireRelease)
	x := constants(s.module)
	for _, f := range s.module.Functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				in := &b.Insts[i]
				if in.Op != spirv.OpControlBarrier {
					continue
				}
				if semantics, ok := x[in.ControlBarrier().Semantics()]; ok && semantics&orders == 0 {
					*in = spirv.Inst{Op: spirv.OpNop}
				} else {
					barrier := in.ControlBarrier()
					*in = spirv.Inst{Op: spirv.OpMemoryBarrier,
						Operands: []uint32{uint32(barrier.Memory()), uint32(barrier.Semantics())}}
				}
			}
		}
	}
	return nil
}

// constants returns the low words of a module's integer constants.
func constants(m *spirv.Module) map[spirv.ID]uint32 {
	x := map[spirv.ID]uint32{}
	for i := range m.Globals {
		switch in := &m.Globals[i]; in.Op {
		case spirv.OpConstant:
			x[in.Result] = in.Constant().Value()[0]
		case spirv.OpConstantNull:
			x[in.Result] = 0
		}
	}
	return x
}
