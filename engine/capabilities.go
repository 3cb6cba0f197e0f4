package engine

import (
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/vk"
)

// requirement is the feature that a capability of SPIR-V needs, as in the specification's table of capabilities.
type requirement struct {
	feature string
	// has is nil where package vk does not know the feature: no driver is asked for it.
	has func(vk.Features) bool
	// native is set where the compute way needs nothing of the driver.
	native bool
}

// requirements are those of the capabilities whose features package vk knows, and of those that only the compute way has.
var requirements = map[spirv.Capability]requirement{
	spirv.CapabilityRayTracingKHR: {"rayTracingPipeline",
		func(f vk.Features) bool { return f.RayTracingPipeline }, true},
	spirv.CapabilityRayQueryKHR: {"rayQuery", func(f vk.Features) bool { return f.RayQuery }, true},
	spirv.CapabilityRayTracingPositionFetchKHR: {"rayTracingPositionFetch",
		func(f vk.Features) bool { return f.PositionFetch }, true},
	spirv.CapabilityRayQueryPositionFetchKHR: {"rayTracingPositionFetch",
		func(f vk.Features) bool { return f.PositionFetch }, true},
	spirv.CapabilityShaderInvocationReorderNV: {"rayTracingInvocationReorder (NV)",
		func(f vk.Features) bool { return f.InvocationReorderNV }, true},
	spirv.CapabilityShaderInvocationReorderEXT: {"rayTracingInvocationReorder (EXT)",
		func(f vk.Features) bool { return f.InvocationReorderEXT }, true},
	spirv.CapabilityRayTracingClusterAccelerationStructureNV: {"clusterAccelerationStructure", nil, true},
	spirv.CapabilityRayTraversalPrimitiveCullingKHR: {"rayTraversalPrimitiveCulling",
		func(f vk.Features) bool { return f.PrimitiveCulling }, true},
	spirv.CapabilityRayCullMaskKHR: {"rayTracingMaintenance1",
		func(f vk.Features) bool { return f.Maintenance1 }, true},
	spirv.CapabilityVulkanMemoryModel: {"vulkanMemoryModel",
		func(f vk.Features) bool { return f.VulkanMemoryModel }, true},
	spirv.CapabilityVulkanMemoryModelDeviceScope: {"vulkanMemoryModelDeviceScope",
		func(f vk.Features) bool { return f.VulkanMemoryModelDeviceScope }, true},
	// The linker does without 64-bit integers where only pointers need them.
	spirv.CapabilityInt64:   {"shaderInt64", func(f vk.Features) bool { return f.Int64 }, true},
	spirv.CapabilityInt16:   {"shaderInt16", func(f vk.Features) bool { return f.Int16 }, false},
	spirv.CapabilityInt8:    {"shaderInt8", func(f vk.Features) bool { return f.Int8 }, false},
	spirv.CapabilityFloat64: {"shaderFloat64", func(f vk.Features) bool { return f.Float64 }, false},
	spirv.CapabilityFloat16: {"shaderFloat16", func(f vk.Features) bool { return f.Float16 }, false},
	spirv.CapabilityInt64Atomics: {"shaderBufferInt64Atomics",
		func(f vk.Features) bool { return f.BufferInt64Atomics }, false},
	spirv.CapabilityStorageBuffer16BitAccess: {"storageBuffer16BitAccess",
		func(f vk.Features) bool { return f.StorageBuffer16Bit }, false},
	spirv.CapabilityStorageBuffer8BitAccess: {"storageBuffer8BitAccess",
		func(f vk.Features) bool { return f.StorageBuffer8Bit }, false},
	spirv.CapabilityRuntimeDescriptorArray: {"runtimeDescriptorArray",
		func(f vk.Features) bool { return f.RuntimeDescriptorArray }, false},
	spirv.CapabilityStorageImageReadWithoutFormat: {"shaderStorageImageReadWithoutFormat",
		func(f vk.Features) bool { return f.StorageImageReadWithoutFormat }, false},
	spirv.CapabilityStorageImageWriteWithoutFormat: {"shaderStorageImageWriteWithoutFormat",
		func(f vk.Features) bool { return f.StorageImageWriteWithoutFormat }, false},
	spirv.CapabilityStorageImageExtendedFormats: {"shaderStorageImageExtendedFormats",
		func(f vk.Features) bool { return f.ShaderStorageImageExtendedFormats }, false},
	spirv.CapabilityImageCubeArray:   {"imageCubeArray", func(f vk.Features) bool { return f.ImageCubeArray }, false},
	spirv.CapabilitySampledCubeArray: {"imageCubeArray", func(f vk.Features) bool { return f.ImageCubeArray }, false},
	spirv.CapabilityImageGatherExtended: {"shaderImageGatherExtended",
		func(f vk.Features) bool { return f.ShaderImageGatherExtended }, false},
	spirv.CapabilityStorageImageMultisample: {"shaderStorageImageMultisample",
		func(f vk.Features) bool { return f.ShaderStorageImageMultisample }, false},
	spirv.CapabilityUniformAndStorageBuffer16BitAccess: {"uniformAndStorageBuffer16BitAccess",
		func(f vk.Features) bool { return f.UniformBuffer16Bit }, false},
	spirv.CapabilityUniformAndStorageBuffer8BitAccess: {"uniformAndStorageBuffer8BitAccess",
		func(f vk.Features) bool { return f.UniformBuffer8Bit }, false},
	spirv.CapabilitySampledImageArrayNonUniformIndexing: {"shaderSampledImageArrayNonUniformIndexing",
		func(f vk.Features) bool { return f.SampledImageNonUniformIndexing }, false},
	spirv.CapabilityStorageBufferArrayNonUniformIndexing: {"shaderStorageBufferArrayNonUniformIndexing",
		func(f vk.Features) bool { return f.StorageBufferNonUniformIndexing }, false},
	spirv.CapabilityStorageImageArrayNonUniformIndexing: {"shaderStorageImageArrayNonUniformIndexing",
		func(f vk.Features) bool { return f.StorageImageNonUniformIndexing }, false},
	spirv.CapabilityUniformBufferArrayNonUniformIndexing: {"shaderUniformBufferArrayNonUniformIndexing",
		func(f vk.Features) bool { return f.UniformBufferNonUniformIndexing }, false},
}

// checkCapabilities refuses what needs a feature that was not enabled.
func checkCapabilities(list []spirv.Capability, backend Backend, f vk.Features) error {
	for _, c := range list {
		r, known := requirements[c]
		if !known || r.has != nil && r.has(f) {
			continue
		}
		switch {
		case backend == BackendNative && r.native:
			return lacking("%s, for OpCapability %v natively (BackendCompute does without)", r.feature, c)
		case !r.native:
			return lacking("%s, for OpCapability %v (Options.Features enables what the device has)", r.feature, c)
		}
	}
	return nil
}
