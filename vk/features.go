package vk

// #include "evk.h"
import "C"

// Features of a device: what PhysicalDevice has, or what Device has enabled. All but the optional and the ray
// tracing ones are enabled wherever they exist.
type Features struct {
	ExtraFeatures

	// Addresses and layouts.
	BufferDeviceAddress, ScalarBlockLayout                                           bool
	Int64, Int16, Int8, Float64, Float16                                             bool
	StorageBuffer16Bit, StorageBuffer8Bit, UniformBuffer16Bit, UniformBuffer8Bit     bool
	BufferInt64Atomics, SharedInt64Atomics                                           bool
	VulkanMemoryModel, VulkanMemoryModelDeviceScope                                  bool
	SubgroupExtendedTypes, SubgroupSizeControl, ComputeFullSubgroups                 bool
	ZeroInitializeWorkgroupMemory, SubgroupClock, DeviceClock                        bool
	SamplerAnisotropy, StorageImageReadWithoutFormat, StorageImageWriteWithoutFormat bool

	// Stages of graphics pipelines, and whether all of them may write buffers.
	GeometryShader, TessellationShader, VertexPipelineStoresAndAtomics bool

	// Descriptor indexing. DescriptorIndexing is the umbrella bit of Vulkan 1.2.
	DescriptorIndexing, RuntimeDescriptorArray, PartiallyBound, VariableDescriptorCount             bool
	SampledImageDynamicIndexing, StorageBufferDynamicIndexing, StorageImageDynamicIndexing          bool
	UniformBufferDynamicIndexing, UniformBufferNonUniformIndexing                                   bool
	SampledImageNonUniformIndexing, StorageBufferNonUniformIndexing, StorageImageNonUniformIndexing bool
	SampledImageUpdateAfterBind, StorageImageUpdateAfterBind, StorageBufferUpdateAfterBind          bool

	// Host and queue.
	Synchronization2, TimelineSemaphore, HostQueryReset, Maintenance4, PipelineExecutableInfo bool
	DynamicRendering                                                                          bool

	// Ray tracing: enabled only with DeviceOptions.Native.
	AccelerationStructure, AccelerationStructureUpdateAfterBind bool
	IndirectBuild                                               bool
	RayTracingPipeline, TraceRaysIndirect, PrimitiveCulling     bool
	RayQuery, Maintenance1, TraceRaysIndirect2, PositionFetch   bool
	// InvocationReorderNV and InvocationReorderEXT are the feature rayTracingInvocationReorder of either extension.
	InvocationReorderNV, InvocationReorderEXT bool
}

// link is one feature's place in Features and in the C structure.
type link struct {
	name string
	f    *bool
	c    *C.VkBool32
	rt   bool
}

// links pairs all features; c may be nil where nobody looks at the C side.
func (f *Features) links(c *C.evk_features) []link {
	if c == nil {
		c = new(C.evk_features)
	}
	list := []link{
		{"bufferDeviceAddress", &f.BufferDeviceAddress, &c.bufferDeviceAddress, false},
		{"scalarBlockLayout", &f.ScalarBlockLayout, &c.scalarBlockLayout, false},
		{"shaderInt64", &f.Int64, &c.shaderInt64, false},
		{"shaderInt16", &f.Int16, &c.shaderInt16, false},
		{"shaderInt8", &f.Int8, &c.shaderInt8, false},
		{"shaderFloat64", &f.Float64, &c.shaderFloat64, false},
		{"shaderFloat16", &f.Float16, &c.shaderFloat16, false},
		{"storageBuffer16BitAccess", &f.StorageBuffer16Bit, &c.storageBuffer16BitAccess, false},
		{"storageBuffer8BitAccess", &f.StorageBuffer8Bit, &c.storageBuffer8BitAccess, false},
		{"uniformAndStorageBuffer16BitAccess", &f.UniformBuffer16Bit, &c.uniformAndStorageBuffer16BitAccess, false},
		{"uniformAndStorageBuffer8BitAccess", &f.UniformBuffer8Bit, &c.uniformAndStorageBuffer8BitAccess, false},
		{"shaderBufferInt64Atomics", &f.BufferInt64Atomics, &c.shaderBufferInt64Atomics, false},
		{"shaderSharedInt64Atomics", &f.SharedInt64Atomics, &c.shaderSharedInt64Atomics, false},
		{"vulkanMemoryModel", &f.VulkanMemoryModel, &c.vulkanMemoryModel, false},
		{"vulkanMemoryModelDeviceScope", &f.VulkanMemoryModelDeviceScope, &c.vulkanMemoryModelDeviceScope, false},
		{"shaderSubgroupExtendedTypes", &f.SubgroupExtendedTypes, &c.shaderSubgroupExtendedTypes, false},
		{"subgroupSizeControl", &f.SubgroupSizeControl, &c.subgroupSizeControl, false},
		{"computeFullSubgroups", &f.ComputeFullSubgroups, &c.computeFullSubgroups, false},
		{"shaderZeroInitializeWorkgroupMemory", &f.ZeroInitializeWorkgroupMemory, &c.shaderZeroInitializeWorkgroupMemory, false},
		{"shaderSubgroupClock", &f.SubgroupClock, &c.shaderSubgroupClock, false},
		{"shaderDeviceClock", &f.DeviceClock, &c.shaderDeviceClock, false},
		{"samplerAnisotropy", &f.SamplerAnisotropy, &c.samplerAnisotropy, false},
		{"shaderStorageImageReadWithoutFormat", &f.StorageImageReadWithoutFormat, &c.shaderStorageImageReadWithoutFormat, false},
		{"shaderStorageImageWriteWithoutFormat", &f.StorageImageWriteWithoutFormat, &c.shaderStorageImageWriteWithoutFormat, false},
		{"geometryShader", &f.GeometryShader, &c.geometryShader, false},
		{"tessellationShader", &f.TessellationShader, &c.tessellationShader, false},
		{"vertexPipelineStoresAndAtomics", &f.VertexPipelineStoresAndAtomics, &c.vertexPipelineStoresAndAtomics, false},
		{"descriptorIndexing", &f.DescriptorIndexing, &c.descriptorIndexing, false},
		{"runtimeDescriptorArray", &f.RuntimeDescriptorArray, &c.runtimeDescriptorArray, false},
		{"descriptorBindingPartiallyBound", &f.PartiallyBound, &c.descriptorBindingPartiallyBound, false},
		{"descriptorBindingVariableDescriptorCount", &f.VariableDescriptorCount, &c.descriptorBindingVariableDescriptorCount, false},
		{"shaderSampledImageArrayDynamicIndexing", &f.SampledImageDynamicIndexing, &c.shaderSampledImageArrayDynamicIndexing, false},
		{"shaderStorageBufferArrayDynamicIndexing", &f.StorageBufferDynamicIndexing, &c.shaderStorageBufferArrayDynamicIndexing, false},
		{"shaderStorageImageArrayDynamicIndexing", &f.StorageImageDynamicIndexing, &c.shaderStorageImageArrayDynamicIndexing, false},
		{"shaderUniformBufferArrayDynamicIndexing", &f.UniformBufferDynamicIndexing, &c.shaderUniformBufferArrayDynamicIndexing, false},
		{"shaderUniformBufferArrayNonUniformIndexing", &f.UniformBufferNonUniformIndexing, &c.shaderUniformBufferArrayNonUniformIndexing,
			false},
		{"shaderSampledImageArrayNonUniformIndexing", &f.SampledImageNonUniformIndexing, &c.shaderSampledImageArrayNonUniformIndexing,
			false},
		{"shaderStorageBufferArrayNonUniformIndexing", &f.StorageBufferNonUniformIndexing, &c.shaderStorageBufferArrayNonUniformIndexing,
			false},
		{"shaderStorageImageArrayNonUniformIndexing", &f.StorageImageNonUniformIndexing, &c.shaderStorageImageArrayNonUniformIndexing,
			false},
		{"descriptorBindingSampledImageUpdateAfterBind", &f.SampledImageUpdateAfterBind, &c.descriptorBindingSampledImageUpdateAfterBind,
			false},
		{"descriptorBindingStorageImageUpdateAfterBind", &f.StorageImageUpdateAfterBind, &c.descriptorBindingStorageImageUpdateAfterBind,
			false},
		{"descriptorBindingStorageBufferUpdateAfterBind", &f.StorageBufferUpdateAfterBind,
			&c.descriptorBindingStorageBufferUpdateAfterBind, false},
		{"synchronization2", &f.Synchronization2, &c.synchronization2, false},
		{"timelineSemaphore", &f.TimelineSemaphore, &c.timelineSemaphore, false},
		{"hostQueryReset", &f.HostQueryReset, &c.hostQueryReset, false},
		{"maintenance4", &f.Maintenance4, &c.maintenance4, false},
		{"dynamicRendering", &f.DynamicRendering, &c.dynamicRendering, false},
		{"pipelineExecutableInfo", &f.PipelineExecutableInfo, &c.pipelineExecutableInfo, false},
		{"accelerationStructure", &f.AccelerationStructure, &c.accelerationStructure, true},
		{"accelerationStructureIndirectBuild", &f.IndirectBuild, &c.accelerationStructureIndirectBuild, true},
		{"descriptorBindingAccelerationStructureUpdateAfterBind", &f.AccelerationStructureUpdateAfterBind,
			&c.descriptorBindingAccelerationStructureUpdateAfterBind, true},
		{"rayTracingPipeline", &f.RayTracingPipeline, &c.rayTracingPipeline, true},
		{"rayTracingPipelineTraceRaysIndirect", &f.TraceRaysIndirect, &c.rayTracingPipelineTraceRaysIndirect, true},
		{"rayTraversalPrimitiveCulling", &f.PrimitiveCulling, &c.rayTraversalPrimitiveCulling, true},
		{"rayQuery", &f.RayQuery, &c.rayQuery, true},
		{"rayTracingMaintenance1", &f.Maintenance1, &c.rayTracingMaintenance1, true},
		{"rayTracingPipelineTraceRaysIndirect2", &f.TraceRaysIndirect2, &c.rayTracingPipelineTraceRaysIndirect2, true},
		{"rayTracingPositionFetch", &f.PositionFetch, &c.rayTracingPositionFetch, true},
		{"rayTracingInvocationReorder (NV)", &f.InvocationReorderNV, &c.rayTracingInvocationReorderNV, true},
		{"rayTracingInvocationReorder (EXT)", &f.InvocationReorderEXT, &c.rayTracingInvocationReorderEXT, true},
	}
	return append(list, f.ExtraFeatures.links(c)...)
}

// featuresFromC reads the driver's answer.
func featuresFromC(c *C.evk_features) Features {
	var f Features
	for _, l := range f.links(c) {
		*l.f = *l.c != 0
	}
	return f
}

// toC is what to enable.
func (f Features) toC() *C.evk_features {
	c := new(C.evk_features)
	for _, l := range f.links(c) {
		if *l.f {
			*l.c = 1
		}
	}
	return c
}

// withoutRayTracing clears what DeviceOptions.Native guards.
func (f Features) withoutRayTracing() Features {
	for _, l := range f.links(new(C.evk_features)) {
		if l.rt {
			*l.f = false
		}
	}
	return f
}

// Names lists the features that are set by their Vulkan names.
func (f Features) Names() []string {
	var out []string
	for _, l := range f.links(new(C.evk_features)) {
		if *l.f {
			out = append(out, l.name)
		}
	}
	return out
}

// AllFeatures has every feature that the package knows.
func AllFeatures() Features {
	var f Features
	for _, l := range f.links(new(C.evk_features)) {
		*l.f = true
	}
	return f
}
