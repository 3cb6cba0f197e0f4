package vk

// #include <stdlib.h>
// #include "evk.h"
import "C"

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"
)

// Names of extensions that this package looks for.
const (
	extAccelerationStructure = "VK_KHR_acceleration_structure"
	extRayTracingPipeline    = "VK_KHR_ray_tracing_pipeline"
	extDeferredOperations    = "VK_KHR_deferred_host_operations"
	extRayQuery              = "VK_KHR_ray_query"
	extPipelineLibrary       = "VK_KHR_pipeline_library"
	extMaintenance1          = "VK_KHR_ray_tracing_maintenance1"
	extPositionFetch         = "VK_KHR_ray_tracing_position_fetch"
	extReorderNV             = "VK_NV_ray_tracing_invocation_reorder"
	extReorderEXT            = "VK_EXT_ray_tracing_invocation_reorder"
	extExecutable            = "VK_KHR_pipeline_executable_properties"
	extSync2                 = "VK_KHR_synchronization2"
	extSubgroupSize          = "VK_EXT_subgroup_size_control"
	extClock                 = "VK_KHR_shader_clock"
	extSwapchain             = "VK_KHR_swapchain"
)

// DriverLavapipe is the VkDriverId of Mesa's CPU driver.
const DriverLavapipe = 13

// Limits that the project's code asks for.
type Limits struct {
	MaxImageDimension2D, MaxPushConstantsSize, MaxBoundDescriptorSets, MaxMemoryAllocationCount uint32
	MaxStorageBufferRange, MaxPerStageStorageBuffers, MaxPerStageSampledImages                  uint32
	MaxUniformBufferRange, MaxTexelBufferElements                                               uint32
	MaxImageDimension1D, MaxImageDimension3D, MaxImageDimensionCube, MaxImageArrayLayers        uint32
	MinTexelBufferOffsetAlignment                                                               uint64
	// MaxSet and MaxSetUpdateAfterBind bound the descriptors of one pipeline layout, the second where a binding may be updated
	// after it was bound.
	MaxSet, MaxSetUpdateAfterBind                                                       DescriptorCounts
	MaxComputeSharedMemorySize, MaxComputeWorkGroupInvocations                          uint32
	MaxComputeWorkGroupCount, MaxComputeWorkGroupSize                                   [3]uint32
	MinStorageBufferOffsetAlignment, MinUniformBufferOffsetAlignment                    uint64
	NonCoherentAtomSize, BufferImageGranularity, MaxMemoryAllocationSize, MaxBufferSize uint64
	MaxSamplerAnisotropy, TimestampPeriod                                               float32
	SubgroupSize, MinSubgroupSize, MaxSubgroupSize, MaxComputeWorkgroupSubgroups        uint32
	SubgroupStages, SubgroupOperations, RequiredSubgroupSizeStages                      uint32
}

// DescriptorCounts are numbers of descriptors by kind. Buffers count the dynamic ones, too.
type DescriptorCounts struct {
	Samplers, UniformBuffers, StorageBuffers, SampledImages, StorageImages uint32
	DynamicUniformBuffers, DynamicStorageBuffers, AccelerationStructures   uint32
}

// RayTracingProperties are those of the driver's own ray tracing.
type RayTracingProperties struct {
	ShaderGroupHandleSize, ShaderGroupHandleAlignment, ShaderGroupBaseAlignment uint32
	MaxShaderGroupStride, MaxRayRecursionDepth, MaxRayDispatchInvocationCount   uint32
	MaxRayHitAttributeSize, MinScratchOffsetAlignment                           uint32
	MaxGeometryCount, MaxInstanceCount, MaxPrimitiveCount                       uint64
	// Reorders is whether rayTracingInvocationReorderReorderingHint is REORDER; MaxRecordIndex is
	// maxShaderBindingTableRecordIndex, 0 where the driver has not the EXT extension.
	Reorders       bool
	MaxRecordIndex uint32
}

// Heap is a VkMemoryHeap.
type Heap struct {
	Size        uint64
	DeviceLocal bool
}

// MemoryType is a VkMemoryType.
type MemoryType struct {
	Flags uint32 // VkMemoryPropertyFlags
	Heap  uint32
}

// QueueFamily is a VkQueueFamilyProperties.
type QueueFamily struct {
	Flags, Count, TimestampBits uint32
}

// PhysicalDevice is a VkPhysicalDevice with all that was asked of it. Read-only.
type PhysicalDevice struct {
	Name, DriverName, DriverInfo string
	DriverID                     uint32
	Type                         vulkan.PhysicalDeviceType
	APIVersion, DriverVersion    uint32
	VendorID, DeviceID           uint32
	UUID, DriverUUID             [16]byte
	PipelineCacheUUID            [16]byte // of the driver's compiler: data of PipelineCache is only good with the same
	Limits                       Limits
	Features                     Features
	Extensions                   map[string]bool
	Heaps                        []Heap
	MemoryTypes                  []MemoryType
	QueueFamilies                []QueueFamily
	RT                           *RayTracingProperties // nil without VK_KHR_ray_tracing_pipeline

	instance *Instance
	handle   vulkan.PhysicalDevice
	has      C.uint32_t
}

// PhysicalDevices asks the loader for every device, in its order.
func (i *Instance) PhysicalDevices() ([]*PhysicalDevice, error) {
	var n C.uint32_t
	if err := check("vkEnumeratePhysicalDevices", C.evk_physical_devices(i.c, &n, nil)); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, nil
	}
	handles := make([]C.uint64_t, n)
	if err := check("vkEnumeratePhysicalDevices", C.evk_physical_devices(i.c, &n, &handles[0])); err != nil {
		return nil, err
	}
	var out []*PhysicalDevice
	for _, h := range handles[:n] {
		p := &PhysicalDevice{instance: i, handle: fromRaw[vulkan.PhysicalDevice](h)}
		if err := p.query(); err != nil {
			return nil, err
		}
		if i.restrict != nil {
			i.restrict(p)
		}
		out = append(out, p)
	}
	return out, nil
}

// Handle is the VkPhysicalDevice.
func (p *PhysicalDevice) Handle() vulkan.PhysicalDevice { return p.handle }

// Instance is the instance that the device was found in.
func (p *PhysicalDevice) Instance() *Instance { return p.instance }

func (p *PhysicalDevice) query() error {
	h := raw(p.handle)
	var n C.uint32_t
	if err := check("vkEnumerateDeviceExtensionProperties", C.evk_device_extensions(p.instance.c, h, &n, nil)); err != nil {
		return err
	}
	list := make([]C.VkExtensionProperties, n+8)
	n += 8
	if err := check("vkEnumerateDeviceExtensionProperties", C.evk_device_extensions(p.instance.c, h, &n, &list[0])); err != nil {
		return err
	}
	p.Extensions = extensionSet(list[:n])

	var core C.VkPhysicalDeviceProperties
	C.evk_core_properties(p.instance.c, h, &core)
	p.core(&core)
	if p.APIVersion < 1<<22|2<<12 {
		return nil // Supported refuses it; the 1.2 structures must not be asked for.
	}
	p.has = p.known()
	var f C.evk_features
	C.evk_query_features(p.instance.c, h, p.has, &f)
	p.Features = featuresFromC(&f)
	q := (*C.evk_properties)(C.calloc(1, C.sizeof_evk_properties))
	defer C.free(unsafe.Pointer(q))
	C.evk_query_properties(p.instance.c, h, p.has, q)
	p.properties(q)

	C.evk_queue_families(p.instance.c, h, &n, nil)
	families := make([]C.VkQueueFamilyProperties, n+1)
	C.evk_queue_families(p.instance.c, h, &n, &families[0])
	for _, q := range families[:n] {
		p.QueueFamilies = append(p.QueueFamilies, QueueFamily{uint32(q.queueFlags), uint32(q.queueCount), uint32(q.timestampValidBits)})
	}
	return nil
}

// known is the set of structures that may be chained for this device.
func (p *PhysicalDevice) known() C.uint32_t {
	var has C.uint32_t
	add := func(ok bool, bit C.uint32_t) {
		if ok {
			has |= bit
		}
	}
	e := p.Extensions
	accel := e[extAccelerationStructure] && e[extDeferredOperations]
	add(p.APIVersion >= apiVersion13, C.EVK_HAS_13)
	add(e[extSync2], C.EVK_HAS_SYNC2)
	add(e[extSubgroupSize], C.EVK_HAS_SUBGROUP_SIZE)
	add(accel, C.EVK_HAS_ACCEL)
	add(accel && e[extRayTracingPipeline], C.EVK_HAS_PIPELINE)
	add(accel && e[extRayQuery], C.EVK_HAS_QUERY)
	add(accel && e[extMaintenance1], C.EVK_HAS_MAINTENANCE)
	add(accel && e[extPositionFetch], C.EVK_HAS_FETCH)
	add(accel && e[extReorderNV], C.EVK_HAS_REORDER_NV)
	add(accel && e[extReorderEXT], C.EVK_HAS_REORDER_EXT)
	add(e[extExecutable], C.EVK_HAS_EXECUTABLE)
	add(e[extClock], C.EVK_HAS_CLOCK)
	return has
}

func (p *PhysicalDevice) core(c *C.VkPhysicalDeviceProperties) {
	p.Name = fixedString(&c.deviceName[0], len(c.deviceName))
	p.Type = vulkan.PhysicalDeviceType(c.deviceType)
	p.APIVersion, p.DriverVersion = uint32(c.apiVersion), uint32(c.driverVersion)
	p.VendorID, p.DeviceID = uint32(c.vendorID), uint32(c.deviceID)
	for k := range p.PipelineCacheUUID {
		p.PipelineCacheUUID[k] = byte(c.pipelineCacheUUID[k])
	}
	l := &c.limits
	p.Limits = Limits{
		MaxImageDimension2D:             uint32(l.maxImageDimension2D),
		MaxPushConstantsSize:            uint32(l.maxPushConstantsSize),
		MaxBoundDescriptorSets:          uint32(l.maxBoundDescriptorSets),
		MaxMemoryAllocationCount:        uint32(l.maxMemoryAllocationCount),
		MaxStorageBufferRange:           uint32(l.maxStorageBufferRange),
		MaxPerStageStorageBuffers:       uint32(l.maxPerStageDescriptorStorageBuffers),
		MaxPerStageSampledImages:        uint32(l.maxPerStageDescriptorSampledImages),
		MaxComputeSharedMemorySize:      uint32(l.maxComputeSharedMemorySize),
		MaxComputeWorkGroupInvocations:  uint32(l.maxComputeWorkGroupInvocations),
		MinStorageBufferOffsetAlignment: uint64(l.minStorageBufferOffsetAlignment),
		MinUniformBufferOffsetAlignment: uint64(l.minUniformBufferOffsetAlignment),
		MinTexelBufferOffsetAlignment:   uint64(l.minTexelBufferOffsetAlignment),
		MaxUniformBufferRange:           uint32(l.maxUniformBufferRange),
		MaxTexelBufferElements:          uint32(l.maxTexelBufferElements),
		MaxImageDimension1D:             uint32(l.maxImageDimension1D),
		MaxImageDimension3D:             uint32(l.maxImageDimension3D),
		MaxImageDimensionCube:           uint32(l.maxImageDimensionCube),
		MaxImageArrayLayers:             uint32(l.maxImageArrayLayers),
		MaxSet: DescriptorCounts{
			Samplers:              uint32(l.maxDescriptorSetSamplers),
			UniformBuffers:        uint32(l.maxDescriptorSetUniformBuffers),
			DynamicUniformBuffers: uint32(l.maxDescriptorSetUniformBuffersDynamic),
			StorageBuffers:        uint32(l.maxDescriptorSetStorageBuffers),
			DynamicStorageBuffers: uint32(l.maxDescriptorSetStorageBuffersDynamic),
			SampledImages:         uint32(l.maxDescriptorSetSampledImages),
			StorageImages:         uint32(l.maxDescriptorSetStorageImages),
		},
		NonCoherentAtomSize:    uint64(l.nonCoherentAtomSize),
		BufferImageGranularity: uint64(l.bufferImageGranularity),
		MaxSamplerAnisotropy:   float32(l.maxSamplerAnisotropy),
		TimestampPeriod:        float32(l.timestampPeriod),
	}
	for k := range 3 {
		p.Limits.MaxComputeWorkGroupCount[k] = uint32(l.maxComputeWorkGroupCount[k])
		p.Limits.MaxComputeWorkGroupSize[k] = uint32(l.maxComputeWorkGroupSize[k])
	}
}

func (p *PhysicalDevice) properties(c *C.evk_properties) {
	p.DriverName = fixedString(&c.v12.driverName[0], len(c.v12.driverName))
	p.DriverInfo = fixedString(&c.v12.driverInfo[0], len(c.v12.driverInfo))
	p.DriverID = uint32(c.v12.driverID)
	for k := range p.UUID {
		p.UUID[k], p.DriverUUID[k] = byte(c.v11.deviceUUID[k]), byte(c.v11.driverUUID[k])
	}
	l := &p.Limits
	l.MaxMemoryAllocationSize = uint64(c.v11.maxMemoryAllocationSize)
	if l.MaxBufferSize = uint64(c.max_buffer_size); l.MaxBufferSize == 0 {
		l.MaxBufferSize = ^uint64(0)
	}
	l.SubgroupSize = uint32(c.v11.subgroupSize)
	l.SubgroupStages = uint32(c.v11.subgroupSupportedStages)
	l.SubgroupOperations = uint32(c.v11.subgroupSupportedOperations)
	l.MinSubgroupSize, l.MaxSubgroupSize = l.SubgroupSize, l.SubgroupSize
	if p.has&(C.EVK_HAS_13|C.EVK_HAS_SUBGROUP_SIZE) != 0 {
		l.MinSubgroupSize, l.MaxSubgroupSize = uint32(c.subgroup.minSubgroupSize), uint32(c.subgroup.maxSubgroupSize)
		l.MaxComputeWorkgroupSubgroups = uint32(c.subgroup.maxComputeWorkgroupSubgroups)
		l.RequiredSubgroupSizeStages = uint32(c.subgroup.requiredSubgroupSizeStages)
	}
	v := &c.v12
	l.MaxSetUpdateAfterBind = DescriptorCounts{
		Samplers:               uint32(v.maxDescriptorSetUpdateAfterBindSamplers),
		UniformBuffers:         uint32(v.maxDescriptorSetUpdateAfterBindUniformBuffers),
		DynamicUniformBuffers:  uint32(v.maxDescriptorSetUpdateAfterBindUniformBuffersDynamic),
		StorageBuffers:         uint32(v.maxDescriptorSetUpdateAfterBindStorageBuffers),
		DynamicStorageBuffers:  uint32(v.maxDescriptorSetUpdateAfterBindStorageBuffersDynamic),
		SampledImages:          uint32(v.maxDescriptorSetUpdateAfterBindSampledImages),
		StorageImages:          uint32(v.maxDescriptorSetUpdateAfterBindStorageImages),
		AccelerationStructures: uint32(c.accel.maxDescriptorSetUpdateAfterBindAccelerationStructures),
	}
	l.MaxSet.AccelerationStructures = uint32(c.accel.maxDescriptorSetAccelerationStructures)
	for _, h := range c.memory.memoryHeaps[:c.memory.memoryHeapCount] {
		p.Heaps = append(p.Heaps, Heap{uint64(h.size), h.flags&C.VK_MEMORY_HEAP_DEVICE_LOCAL_BIT != 0})
	}
	for _, t := range c.memory.memoryTypes[:c.memory.memoryTypeCount] {
		p.MemoryTypes = append(p.MemoryTypes, MemoryType{uint32(t.propertyFlags), uint32(t.heapIndex)})
	}
	if p.Features.RayTracingPipeline && p.Features.AccelerationStructure {
		p.RT = &RayTracingProperties{
			ShaderGroupHandleSize:         uint32(c.pipeline.shaderGroupHandleSize),
			ShaderGroupHandleAlignment:    uint32(c.pipeline.shaderGroupHandleAlignment),
			ShaderGroupBaseAlignment:      uint32(c.pipeline.shaderGroupBaseAlignment),
			MaxShaderGroupStride:          uint32(c.pipeline.maxShaderGroupStride),
			MaxRayRecursionDepth:          uint32(c.pipeline.maxRayRecursionDepth),
			MaxRayDispatchInvocationCount: uint32(c.pipeline.maxRayDispatchInvocationCount),
			MaxRayHitAttributeSize:        uint32(c.pipeline.maxRayHitAttributeSize),
			MinScratchOffsetAlignment:     uint32(c.accel.minAccelerationStructureScratchOffsetAlignment),
			MaxGeometryCount:              uint64(c.accel.maxGeometryCount),
			MaxInstanceCount:              uint64(c.accel.maxInstanceCount),
			MaxPrimitiveCount:             uint64(c.accel.maxPrimitiveCount),
			Reorders:                      c.reordering_hint != 0,
			MaxRecordIndex:                uint32(c.max_record_index),
		}
	}
}

// FormatFeatures are the VkFormatFeatureFlags of optimally tiled images.
func (p *PhysicalDevice) FormatFeatures(f vulkan.Format) uint32 {
	return uint32(C.evk_format_features(p.instance.c, raw(p.handle), C.uint32_t(f)))
}

// BufferFormatFeatures are the VkFormatFeatureFlagBits of a format in buffers.
func (p *PhysicalDevice) BufferFormatFeatures(f vulkan.Format) uint32 {
	return uint32(C.evk_buffer_format_features(p.instance.c, raw(p.handle), C.uint32_t(f)))
}

// AccelerationStructureVertexFormat tells whether the driver's own acceleration structures are built from a format.
func (p *PhysicalDevice) AccelerationStructureVertexFormat(f vulkan.Format) bool {
	const vertexBuffer = 1 << 29 // VK_FORMAT_FEATURE_ACCELERATION_STRUCTURE_VERTEX_BUFFER_BIT_KHR
	return p.RT != nil && p.BufferFormatFeatures(f)&vertexBuffer != 0
}

// Supported says whether the project can run on the device at all, and if not what to do about it.
func (p *PhysicalDevice) Supported() error {
	if p.DriverID == DriverLavapipe {
		if err := lavapipeSupported(p.DriverInfo); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if p.APIVersion < 1<<22|2<<12 {
		return fmt.Errorf("%s: %w: Vulkan 1.2 (it has %d.%d; update its driver)", p.Name, ErrMissingFeature, p.APIVersion>>22,
			p.APIVersion>>12&0x3ff)
	}
	names := p.Features.Names()
	for _, need := range requiredFeatures {
		if !slices.Contains(names, need) {
			return p.lacking(need)
		}
	}
	if p.queueFamily() < 0 {
		return fmt.Errorf("%s: %w: a queue with graphics and compute", p.Name, ErrMissingFeature)
	}
	return nil
}

// lacking is the error of a device that cannot do without something.
func (p *PhysicalDevice) lacking(what string) error {
	return fmt.Errorf("%s (%s %s): %w: %s (update its driver, or choose another device)", p.Name, p.DriverName, p.DriverInfo,
		ErrMissingFeature, what)
}

// queueFamily is the first with graphics and compute, -1 if there is none.
func (p *PhysicalDevice) queueFamily() int {
	const graphics, compute = 1, 2
	for i, q := range p.QueueFamilies {
		if q.Flags&graphics != 0 && q.Flags&compute != 0 && q.Count > 0 {
			return i
		}
	}
	return -1
}

// Mesa before 24.2 stops a shader's loops after 65,535 iterations without an error.
const lavapipeMajor, lavapipeMinor = 24, 2

var mesaVersion = regexp.MustCompile(`Mesa (\d+)\.(\d+)`)

// lavapipeSupported reads a driver info such as "Mesa 22.3.6 (LLVM 15.0.6)".
func lavapipeSupported(info string) error {
	m := mesaVersion.FindStringSubmatch(info)
	if m == nil {
		return fmt.Errorf("%w: unknown version %q (install mesa-vulkan-drivers 24.2 or newer; on Debian 12 from bookworm-backports: "+
			"scripts/setup.sh does it)", ErrLavapipeTooOld, info)
	}
	major, _ := strconv.Atoi(m[1]) // the pattern allows digits only
	minor, _ := strconv.Atoi(m[2])
	if major > lavapipeMajor || major == lavapipeMajor && minor >= lavapipeMinor {
		return nil
	}
	return fmt.Errorf("%w: %s cuts shader loops short; install mesa-vulkan-drivers 24.2 or newer (on Debian 12 from "+
		"bookworm-backports: scripts/setup.sh does it)", ErrLavapipeTooOld, m[0])
}
