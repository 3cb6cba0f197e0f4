package link

import "github.com/everray/everray/fallback/spirv"

// refusedCapabilities are those of features that the compute way does not have, by the name users know them by.
var refusedCapabilities = map[spirv.Capability]string{
	spirv.CapabilityRayTracingMotionBlurNV:       "motion blur (OpCapability RayTracingMotionBlurNV)",
	spirv.CapabilityShaderInvocationReorderNV:    "invocation reorder (OpCapability ShaderInvocationReorderNV)",
	spirv.CapabilityRayTracingOpacityMicromapEXT: "opacity micromaps (OpCapability RayTracingOpacityMicromapEXT)",
	spirv.CapabilityVariablePointers:             "variable pointers (OpCapability VariablePointers)",
}

// droppedCapabilities are those of ray tracing itself: a linked module does not need them.
var droppedCapabilities = map[spirv.Capability]bool{
	spirv.CapabilityRayTracingKHR:                   true,
	spirv.CapabilityRayTracingNV:                    true,
	spirv.CapabilityRayTraversalPrimitiveCullingKHR: true,
	spirv.CapabilityRayCullMaskKHR:                  true,
	spirv.CapabilityRayQueryKHR:                     true,
	spirv.CapabilityRayQueryProvisionalKHR:          true,
	spirv.CapabilityRayTracingPositionFetchKHR:      true,
	spirv.CapabilityRayQueryPositionFetchKHR:        true,
	spirv.CapabilityVariablePointersStorageBuffer:   false,
}

// droppedExtensions are the extensions of those capabilities.
var droppedExtensions = map[string]bool{
	"SPV_KHR_ray_tracing":                true,
	"SPV_NV_ray_tracing":                 true,
	"SPV_KHR_ray_cull_mask":              true,
	"SPV_KHR_ray_query":                  true,
	"SPV_KHR_ray_tracing_position_fetch": true,
	"SPV_KHR_non_semantic_info":          true,
	"SPV_GOOGLE_hlsl_functionality1":     true,
	"SPV_GOOGLE_user_type":               true,
	"SPV_GOOGLE_decorate_string":         true,
}

// checkModule refuses what a capability or the memory model tells.
func (s *stage) checkModule() error {
	for _, c := range s.module.Capabilities {
		if name, refused := refusedCapabilities[spirv.Capability(c.Operands[0])]; refused {
			return s.unsupported("%s", name)
		}
	}
	if m := spirv.AddressingModel(s.module.MemoryModel.Operands[0]); m != spirv.AddressingModelLogical && m != spirv.AddressingModelPhysicalStorageBuffer64 {
		return s.unsupported("addressing model %d", m)
	}
	return nil
}

// refusedInstructions are ray tracing instructions that are known but not implemented.
var refusedInstructions = map[spirv.Op]string{
	spirv.OpTraceNV:           "OpTraceNV (use OpTraceRayKHR)",
	spirv.OpTraceMotionNV:     "OpTraceMotionNV",
	spirv.OpExecuteCallableNV: "OpExecuteCallableNV (use OpExecuteCallableKHR)",
}

// models tells in which shaders the instructions of ray tracing are valid.
var models = map[spirv.Op][]Model{
	spirv.OpTraceRayKHR:           {Raygen, ClosestHit, Miss},
	spirv.OpExecuteCallableKHR:    {Raygen, ClosestHit, Miss, Callable},
	spirv.OpReportIntersectionKHR: {Intersection},
	spirv.OpIgnoreIntersectionKHR: {AnyHit},
	spirv.OpTerminateRayKHR:       {AnyHit},
}

// checkInstructions refuses instructions that are not supported, or not in this kind of shader.
func (s *stage) checkInstructions() error {
	var err error
	eachFunctionInst(s.module, func(in *spirv.Inst) {
		if err != nil {
			return
		}
		if name, refused := refusedInstructions[in.Op]; refused {
			err = s.unsupported("%s", name)
			return
		}
		switch in.Op {
		case spirv.OpTraceRayKHR, spirv.OpExecuteCallableKHR, spirv.OpReportIntersectionKHR, spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR:
			for _, m := range models[in.Op] {
				if m == s.Model {
					return
				}
			}
			err = s.invalid("%v in a %v shader", in.Op, s.Model)
		case spirv.OpControlBarrier:
			err = s.invalid("%v in a ray tracing shader", in.Op)
		}
	})
	return err
}
