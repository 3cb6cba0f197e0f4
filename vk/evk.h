// evk: the C half of package vk. One function per operation that takes structures: they are built here, on the
// C stack, so that the Go garbage collector never sees them. Handles cross as uint64_t. See doc.go.
#ifndef EVK_H
#define EVK_H

#define VK_NO_PROTOTYPES
#include <stdint.h>
#include <vulkan/vulkan.h>

typedef struct {
	int32_t result;
	uint64_t handle;
} evk_handle;

// evkGoIntercept is exported by intercept.go.
extern int32_t evkGoIntercept(uintptr_t handle, char *call);

// EVK_TRY calls a function that can fail, unless the instance's interceptor returns a failure in its place.
#define EVK_TRY(table, name, ...) (evk_intercepted((table)->intercept, "vk" #name) ?: (table)->name(__VA_ARGS__))
static inline VkResult evk_intercepted(uintptr_t handle, char *call) {
	return handle ? (VkResult)evkGoIntercept(handle, call) : VK_SUCCESS;
}

// ---- process ----
// evk_load opens libvulkan.so.1 and returns vkGetInstanceProcAddr, or NULL with *message set (malloc'ed).
void *evk_load(char **message);

// ---- instance ----
#define EVK_INSTANCE_FUNCTIONS(X)                                                                                                  \
	X(DestroyInstance) X(EnumeratePhysicalDevices) X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceProperties2)                    \
	X(GetPhysicalDeviceMemoryProperties) X(GetPhysicalDeviceQueueFamilyProperties) X(EnumerateDeviceExtensionProperties)             \
	X(GetPhysicalDeviceFormatProperties) X(CreateDevice) X(GetDeviceProcAddr)
#define EVK_INSTANCE_OPTIONAL(X)                                                                                                   \
	X(CreateDebugUtilsMessengerEXT) X(DestroyDebugUtilsMessengerEXT) X(GetPhysicalDeviceSurfaceSupportKHR)                          \
	X(GetPhysicalDeviceSurfaceCapabilitiesKHR) X(GetPhysicalDeviceSurfaceFormatsKHR) X(GetPhysicalDeviceSurfacePresentModesKHR) \
	X(DestroySurfaceKHR)

typedef struct {
	VkInstance instance;
	uintptr_t intercept; // for evkGoIntercept; 0 without
	PFN_vkGetInstanceProcAddr gipa;
	VkDebugUtilsMessengerEXT messenger;
#define X(name) PFN_vk##name name;
	EVK_INSTANCE_FUNCTIONS(X)
	EVK_INSTANCE_OPTIONAL(X)
#undef X
} evk_instance;

uint32_t evk_loader_version(void *gipa);
int32_t evk_layers(void *gipa, uint32_t *count, VkLayerProperties *out);
int32_t evk_instance_extensions(void *gipa, const char *layer, uint32_t *count, VkExtensionProperties *out);
// evk_create_instance: names is count zero-terminated strings one after the other; layer may be NULL.
// message_handle is passed back to evkGoMessage; 0 installs no messenger.
int32_t evk_create_instance(void *gipa, const char *app, uint32_t api, const char *layer, const char *names, uint32_t count,
	int sync_validation, int validation_features, uintptr_t message_handle, uintptr_t intercept, evk_instance **out, char **message);
void evk_destroy_instance(evk_instance *i);
// Between evk_listen and evk_heard what drivers and layers say in calls of this thread is kept; the text is malloc'ed, or NULL.
void evk_listen(void);
char *evk_heard(void);
int32_t evk_physical_devices(evk_instance *i, uint32_t *count, uint64_t *out);
int32_t evk_device_extensions(evk_instance *i, uint64_t physical, uint32_t *count, VkExtensionProperties *out);

// ---- physical device ----
// X(chain member, field): one list for what is queried, enabled and shown to Go.
// Features that are enabled only where a program asks for them.
#define EVK_OPTIONAL_FEATURES(X) \
	X(core.features, robustBufferAccess) \
	X(core.features, imageCubeArray) \
	X(core.features, independentBlend) \
	X(core.features, sampleRateShading) \
	X(core.features, dualSrcBlend) \
	X(core.features, multiDrawIndirect) \
	X(core.features, drawIndirectFirstInstance) \
	X(core.features, depthClamp) \
	X(core.features, depthBiasClamp) \
	X(core.features, fillModeNonSolid) \
	X(core.features, wideLines) \
	X(core.features, largePoints) \
	X(core.features, multiViewport) \
	X(core.features, textureCompressionETC2) \
	X(core.features, textureCompressionASTC_LDR) \
	X(core.features, textureCompressionBC) \
	X(core.features, fragmentStoresAndAtomics) \
	X(core.features, shaderImageGatherExtended) \
	X(core.features, shaderStorageImageExtendedFormats) \
	X(core.features, shaderStorageImageMultisample) \
	X(core.features, shaderClipDistance) \
	X(core.features, shaderCullDistance) \
	X(v12, shaderUniformTexelBufferArrayNonUniformIndexing) \
	X(v12, shaderStorageTexelBufferArrayNonUniformIndexing) \
	X(v12, descriptorBindingUniformBufferUpdateAfterBind) \
	X(v12, samplerFilterMinmax)
#define EVK_FEATURES(X)                                                                                                            \
	X(core.features, samplerAnisotropy) X(core.features, shaderInt64) X(core.features, shaderInt16) X(core.features, shaderFloat64) \
	X(core.features, shaderStorageImageReadWithoutFormat) X(core.features, shaderStorageImageWriteWithoutFormat)                   \
	X(core.features, shaderSampledImageArrayDynamicIndexing) X(core.features, shaderStorageBufferArrayDynamicIndexing)             \
	X(core.features, shaderStorageImageArrayDynamicIndexing) X(core.features, shaderUniformBufferArrayDynamicIndexing)             \
	X(core.features, geometryShader) X(core.features, tessellationShader) X(core.features, vertexPipelineStoresAndAtomics)         \
	X(v11, storageBuffer16BitAccess) X(v11, uniformAndStorageBuffer16BitAccess)                                                    \
	X(v12, storageBuffer8BitAccess) X(v12, uniformAndStorageBuffer8BitAccess) X(v12, shaderInt8) X(v12, shaderFloat16)              \
	X(v12, shaderBufferInt64Atomics) X(v12, shaderSharedInt64Atomics)                                                              \
	X(v12, descriptorIndexing) X(v12, runtimeDescriptorArray) X(v12, shaderSampledImageArrayNonUniformIndexing)                    \
	X(v12, shaderStorageBufferArrayNonUniformIndexing) X(v12, shaderStorageImageArrayNonUniformIndexing)                           \
	X(v12, shaderUniformBufferArrayNonUniformIndexing)                                                                             \
	X(v12, descriptorBindingPartiallyBound) X(v12, descriptorBindingVariableDescriptorCount)                                       \
	X(v12, descriptorBindingSampledImageUpdateAfterBind) X(v12, descriptorBindingStorageImageUpdateAfterBind)                      \
	X(v12, descriptorBindingStorageBufferUpdateAfterBind) X(v12, scalarBlockLayout) X(v12, timelineSemaphore)                      \
	X(v12, hostQueryReset) X(v12, bufferDeviceAddress) X(v12, vulkanMemoryModel) X(v12, vulkanMemoryModelDeviceScope)              \
	X(v12, shaderSubgroupExtendedTypes)                                                                                            \
	X(v13, synchronization2) X(v13, subgroupSizeControl) X(v13, computeFullSubgroups) X(v13, maintenance4)                         \
	X(v13, shaderZeroInitializeWorkgroupMemory) X(v13, dynamicRendering) \
	X(accel, accelerationStructure) X(accel, accelerationStructureIndirectBuild)                                                    \
	X(accel, descriptorBindingAccelerationStructureUpdateAfterBind)                                                                \
	X(pipeline, rayTracingPipeline) X(pipeline, rayTracingPipelineTraceRaysIndirect) X(pipeline, rayTraversalPrimitiveCulling)     \
	X(query, rayQuery) X(maintenance, rayTracingMaintenance1) X(maintenance, rayTracingPipelineTraceRaysIndirect2)                 \
	X(reorder_nv, rayTracingInvocationReorderNV) X(reorder_ext, rayTracingInvocationReorderEXT)                                      \
	X(fetch, rayTracingPositionFetch) X(executable, pipelineExecutableInfo) X(clock, shaderSubgroupClock) X(clock, shaderDeviceClock) \
	EVK_OPTIONAL_FEATURES(X)

typedef struct {
#define X(member, name) VkBool32 name;
	EVK_FEATURES(X)
#undef X
} evk_features;

// Which structures may be chained: the device knows their extension or version.
enum {
	EVK_HAS_13 = 1, EVK_HAS_SYNC2 = 2, EVK_HAS_ACCEL = 4, EVK_HAS_PIPELINE = 8, EVK_HAS_QUERY = 16, EVK_HAS_MAINTENANCE = 32,
	EVK_HAS_FETCH = 64, EVK_HAS_EXECUTABLE = 128, EVK_HAS_SUBGROUP_SIZE = 256, EVK_HAS_CLOCK = 512,
	EVK_HAS_REORDER_NV = 1024, EVK_HAS_REORDER_EXT = 2048
};

typedef struct {
	VkPhysicalDeviceProperties core;
	VkPhysicalDeviceVulkan11Properties v11;
	VkPhysicalDeviceVulkan12Properties v12;
	VkPhysicalDeviceSubgroupSizeControlProperties subgroup;
	VkPhysicalDeviceRayTracingPipelinePropertiesKHR pipeline;
	VkPhysicalDeviceAccelerationStructurePropertiesKHR accel;
	VkPhysicalDeviceMemoryProperties memory;
	uint32_t reordering_hint; // VkRayTracingInvocationReorderModeNV, of either extension
	uint32_t max_record_index; // of EXT
	uint64_t max_buffer_size; // 0 where the device does not tell
} evk_properties;

void evk_core_properties(evk_instance *i, uint64_t physical, VkPhysicalDeviceProperties *out);
void evk_query_features(evk_instance *i, uint64_t physical, uint32_t has, evk_features *out);
void evk_query_properties(evk_instance *i, uint64_t physical, uint32_t has, evk_properties *out);
void evk_queue_families(evk_instance *i, uint64_t physical, uint32_t *count, VkQueueFamilyProperties *out);
uint32_t evk_format_features(evk_instance *i, uint64_t physical, uint32_t format);
uint32_t evk_buffer_format_features(evk_instance *i, uint64_t physical, uint32_t format);

// ---- device ----
#define EVK_DEVICE_FUNCTIONS(X)                                                                                                    \
	X(DestroyDevice) X(GetDeviceQueue) X(AllocateMemory) X(FreeMemory) X(MapMemory) X(CreateBuffer) X(DestroyBuffer)                \
	X(GetBufferMemoryRequirements) X(BindBufferMemory) X(GetBufferDeviceAddress) X(CreateImage) X(DestroyImage)                    \
	X(GetImageMemoryRequirements) X(BindImageMemory) X(CreateImageView) X(CreateBufferView) X(DestroyBufferView) X(CreateSampler)  \
	X(CreateDescriptorSetLayout)                                                                                                   \
	X(CreateDescriptorPool) X(AllocateDescriptorSets) X(UpdateDescriptorSets) X(DestroyDescriptorPool) X(CreatePipelineLayout)     \
	X(CreateShaderModule) X(DestroyShaderModule) X(CreateComputePipelines) X(CreateGraphicsPipelines) X(CmdSetViewport)      \
	X(CmdSetScissor) X(CmdDraw) X(CreateCommandPool) X(DestroyCommandPool)                                                         \
	X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) X(ResetCommandPool) X(CreateSemaphore)                     \
	X(DestroySemaphore) X(WaitSemaphores) X(GetSemaphoreCounterValue) X(CreateQueryPool) X(GetQueryPoolResults)                     \
	X(CmdBindDescriptorSets) X(CmdPushConstants) X(CmdCopyBuffer) X(CmdUpdateBuffer) X(CmdCopyBufferToImage)                       \
	X(CmdCopyImageToBuffer) X(CmdBlitImage) X(CmdClearColorImage)                                                                  \
	X(DestroyImageView) X(DestroySampler) X(DestroyDescriptorSetLayout) X(DestroyPipelineLayout) X(DestroyPipeline)                \
	X(DestroyQueryPool) X(DeviceWaitIdle) X(CmdBindPipeline) X(CmdDispatch) X(CmdDispatchIndirect) X(CmdFillBuffer)                \
	X(CmdResetQueryPool) X(CmdExecuteCommands) X(CreatePipelineCache) X(DestroyPipelineCache) X(GetPipelineCacheData)              \
	X(MergePipelineCaches) X(CmdCopyQueryPoolResults)
// Names with a second one from the KHR extension on Vulkan 1.2 devices.
#define EVK_DEVICE_SYNC2(X) X(QueueSubmit2) X(CmdPipelineBarrier2) X(CmdWriteTimestamp2)
#define EVK_DEVICE_OPTIONAL(X)                                                                                                     \
	X(SetDebugUtilsObjectNameEXT) X(CmdBeginDebugUtilsLabelEXT) X(CmdEndDebugUtilsLabelEXT)                                        \
	X(CreateAccelerationStructureKHR) X(DestroyAccelerationStructureKHR) X(GetAccelerationStructureBuildSizesKHR)                  \
	X(GetAccelerationStructureDeviceAddressKHR) X(CmdBuildAccelerationStructuresKHR) X(CmdCopyAccelerationStructureKHR)            \
	X(CmdCopyAccelerationStructureToMemoryKHR) X(CmdCopyMemoryToAccelerationStructureKHR)                                         \
	X(GetDeviceAccelerationStructureCompatibilityKHR) X(CmdBuildAccelerationStructuresIndirectKHR)                                \
	X(CmdWriteAccelerationStructuresPropertiesKHR) X(CreateRayTracingPipelinesKHR) X(GetRayTracingShaderGroupHandlesKHR)           \
	X(GetRayTracingShaderGroupStackSizeKHR) X(CmdSetRayTracingPipelineStackSizeKHR) X(CmdTraceRaysKHR) X(CmdTraceRaysIndirectKHR) \
	X(CreateSwapchainKHR) X(DestroySwapchainKHR) X(GetSwapchainImagesKHR) X(AcquireNextImageKHR) X(QueuePresentKHR)                \
	X(GetPipelineExecutablePropertiesKHR) X(GetPipelineExecutableStatisticsKHR) X(CmdTraceRaysIndirect2KHR)                         \
	X(CmdBeginRendering) X(CmdEndRendering)

typedef struct {
	VkDevice device;
	uintptr_t intercept; // the instance's
	VkQueue queue;
#define X(name) PFN_vk##name name;
	EVK_DEVICE_FUNCTIONS(X)
	EVK_DEVICE_SYNC2(X)
	EVK_DEVICE_OPTIONAL(X)
#undef X
} evk_device;

int32_t evk_create_device(evk_instance *i, uint64_t physical, uint32_t family, uint32_t has, const evk_features *features,
	const char *names, uint32_t count, evk_device **out, char **message);
void evk_destroy_device(evk_device *d);
// evk_destroy destroys an object by its VkObjectType.
void evk_destroy(evk_device *d, uint32_t type, uint64_t handle);
int32_t evk_wait_idle(evk_device *d);
void evk_bind_pipeline(evk_device *d, uint64_t cb, uint32_t point, uint64_t pipeline);
void evk_dispatch(evk_device *d, uint64_t cb, uint32_t x, uint32_t y, uint32_t z);
void evk_dispatch_indirect(evk_device *d, uint64_t cb, uint64_t buffer, uint64_t offset);
void evk_fill_buffer(evk_device *d, uint64_t cb, uint64_t buffer, uint64_t offset, uint64_t size, uint32_t value);
void evk_reset_queries(evk_device *d, uint64_t cb, uint64_t pool, uint32_t first, uint32_t count);
void evk_name(evk_device *d, uint32_t type, uint64_t handle, const char *name);

// ---- memory, buffers, images ----
typedef struct {
	int32_t result;
	uint64_t handle, size, alignment;
	uint32_t types;
} evk_object;

// buffer, if not 0, is what the memory is for alone.
evk_handle evk_allocate(evk_device *d, uint64_t size, uint32_t type, int device_address, uint64_t buffer);
evk_handle evk_map(evk_device *d, uint64_t memory);
evk_object evk_create_buffer(evk_device *d, uint64_t size, uint32_t usage);
int32_t evk_bind_buffer(evk_device *d, uint64_t buffer, uint64_t memory, uint64_t offset);
uint64_t evk_buffer_address(evk_device *d, uint64_t buffer);
typedef struct {
	uint32_t type, view; // VkImageType, VkImageViewType
	uint32_t width, height, depth, layers, levels;
} evk_image_shape;
evk_object evk_create_image(evk_device *d, evk_image_shape s, uint32_t format, uint32_t usage);
int32_t evk_bind_image(evk_device *d, uint64_t image, uint64_t memory, uint64_t offset);
evk_handle evk_create_view(evk_device *d, uint64_t image, evk_image_shape s, uint32_t format);
evk_handle evk_create_sampler(evk_device *d, uint32_t mag, uint32_t min, uint32_t mip, uint32_t u, uint32_t v, float anisotropy,
	float max_lod);

// ---- descriptors and pipelines ----
typedef struct {
	uint32_t binding, type, count, stages, flags;
} evk_binding;
typedef struct {
	uint32_t type, count;
} evk_pool_size;
typedef struct {
	uint32_t id, offset, size;
} evk_constant;

evk_handle evk_create_set_layout(evk_device *d, const evk_binding *b, uint32_t count, uint32_t flags);
evk_handle evk_create_descriptor_pool(evk_device *d, const evk_pool_size *s, uint32_t count, uint32_t flags);
evk_handle evk_allocate_set(evk_device *d, uint64_t pool, uint64_t layout, int variable, uint32_t count);
evk_handle evk_create_buffer_view(evk_device *d, uint64_t buffer, uint32_t format, uint64_t offset, uint64_t range);
void evk_write_texel(evk_device *d, uint64_t set, uint32_t binding, uint32_t index, uint32_t type, uint64_t view);
void evk_write_buffer(evk_device *d, uint64_t set, uint32_t binding, uint32_t index, uint32_t type, uint64_t buffer,
	uint64_t offset, uint64_t range);
void evk_write_image(evk_device *d, uint64_t set, uint32_t binding, uint32_t index, uint32_t type, uint64_t view, uint64_t sampler,
	uint32_t layout);
void evk_write_accel(evk_device *d, uint64_t set, uint32_t binding, uint32_t index, uint64_t accel);
evk_handle evk_create_pipeline_layout(evk_device *d, const uint64_t *sets, uint32_t set_count, const VkPushConstantRange *push,
	uint32_t push_count);
evk_handle evk_create_compute_pipeline(evk_device *d, const uint32_t *code, size_t words, const char *entry, uint64_t layout,
	const evk_constant *constants, uint32_t constant_count, const void *data, size_t data_size, uint32_t subgroup_size, int capture,
		uint64_t cache);

typedef struct {
	uint32_t stage, words, entry, first_constant, constant_count, data, data_size, pad;
	uint64_t code; // index of the first word
} evk_stage;
// Pipeline libraries to link, and their interface; sizes of 0: there is no interface.
typedef struct {
	uint32_t max_payload, max_attribute, count, pad;
	uint64_t list[256];
} evk_libraries;
// The stages share one word array, one array of zero-terminated entry names, one of constants, one of data.
evk_handle evk_create_ray_tracing_pipeline(evk_device *d, const evk_stage *stages, uint32_t stage_count, const uint32_t *words,
	const char *entries, const evk_constant *constants, const uint8_t *data, const uint32_t *groups /* type, general, closest, any,
		intersection */,
	uint32_t group_count, uint32_t recursion, uint64_t layout, int dynamic_stack, uint32_t flags, const evk_libraries *libraries,
	uint64_t cache);
evk_handle evk_create_pipeline_cache(evk_device *d, const void *data, size_t size);
int32_t evk_pipeline_cache_data(evk_device *d, uint64_t cache, size_t *size, void *out);
int32_t evk_merge_pipeline_caches(evk_device *d, uint64_t dst, uint64_t src);
typedef struct {
	uint32_t stage; // VkShaderStageFlagBits
	const uint32_t *code;
	size_t words;
} evk_graphics_stage;
// evk_create_graphics_pipeline: patch is the control points of a patch, 0 without tessellation.
evk_handle evk_create_graphics_pipeline(evk_device *d, const evk_graphics_stage *list, uint32_t count, uint32_t patch,
	uint64_t layout, uint32_t format);
void evk_draw_to_image(evk_device *d, uint64_t cb, uint64_t view, uint32_t width, uint32_t height, const float *clear,
	uint32_t vertices);
int32_t evk_group_handles(evk_device *d, uint64_t pipeline, uint32_t first, uint32_t count, size_t size, void *out);
uint64_t evk_group_stack(evk_device *d, uint64_t pipeline, uint32_t group, uint32_t shader);
int32_t evk_executable_count(evk_device *d, uint64_t pipeline, uint32_t *count, VkPipelineExecutablePropertiesKHR *out);
int32_t evk_executable_statistics(evk_device *d, uint64_t pipeline, uint32_t index, uint32_t *count,
	VkPipelineExecutableStatisticKHR *out);

// ---- command buffers and submission ----
evk_handle evk_create_command_pool(evk_device *d, uint32_t family);
evk_handle evk_allocate_command_buffer(evk_device *d, uint64_t pool, int secondary);
int32_t evk_begin(evk_device *d, uint64_t cb, int secondary);
void evk_execute(evk_device *d, uint64_t cb, const uint64_t *secondaries, uint32_t count);
int32_t evk_end(evk_device *d, uint64_t cb);
int32_t evk_reset_pool(evk_device *d, uint64_t pool);
evk_handle evk_create_semaphore(evk_device *d, int timeline);
typedef struct {
	uint64_t semaphore, value, stage;
} evk_semaphore;
int32_t evk_submit(evk_device *d, const uint64_t *cbs, uint32_t cb_count, const evk_semaphore *waits, uint32_t wait_count,
	const evk_semaphore *signals, uint32_t signal_count);
int32_t evk_wait_semaphore(evk_device *d, uint64_t semaphore, uint64_t value, uint64_t timeout);
evk_handle evk_semaphore_value(evk_device *d, uint64_t semaphore);
evk_handle evk_create_query_pool(evk_device *d, uint32_t type, uint32_t count);
int32_t evk_query_results(evk_device *d, uint64_t pool, uint32_t first, uint32_t count, uint64_t *out);
void evk_copy_query_results(evk_device *d, uint64_t cb, uint64_t pool, uint32_t first, uint32_t count, uint64_t dst,
	uint64_t offset);

void evk_bind_sets(evk_device *d, uint64_t cb, uint32_t point, uint64_t layout, uint32_t first, const uint64_t *sets,
	uint32_t count, const uint32_t *offsets, uint32_t offset_count);
void evk_push(evk_device *d, uint64_t cb, uint64_t layout, uint32_t stages, uint32_t offset, uint32_t size, const void *data);
void evk_copy_buffer(evk_device *d, uint64_t cb, uint64_t src, uint64_t src_offset, uint64_t dst, uint64_t dst_offset,
	uint64_t size);
void evk_update_buffer(evk_device *d, uint64_t cb, uint64_t dst, uint64_t offset, uint64_t size, const void *data);
typedef struct {
	uint64_t offset;
	uint32_t level, width, height, x, y, z, depth, layer, layers; // depth and layers of 0 are 1
} evk_image_copy;
void evk_copy_to_image(evk_device *d, uint64_t cb, uint64_t buffer, uint64_t image, uint32_t layout, evk_image_copy c);
void evk_copy_from_image(evk_device *d, uint64_t cb, uint64_t image, uint32_t layout, uint64_t buffer, evk_image_copy c);
void evk_blit(evk_device *d, uint64_t cb, uint64_t src, uint32_t src_layout, uint32_t src_w, uint32_t src_h, uint64_t dst,
	uint32_t dst_layout,
	uint32_t dst_w, uint32_t dst_h, uint32_t filter);
void evk_clear(evk_device *d, uint64_t cb, uint64_t image, uint32_t layout, float r, float g, float b, float a);
void evk_memory_barrier(evk_device *d, uint64_t cb, uint64_t src_stage, uint64_t src_access, uint64_t dst_stage,
	uint64_t dst_access);
void evk_image_barrier(evk_device *d, uint64_t cb, uint64_t image, uint32_t old_layout, uint32_t new_layout, uint64_t src_stage,
	uint64_t src_access,
	uint64_t dst_stage, uint64_t dst_access);
void evk_begin_label(evk_device *d, uint64_t cb, const char *name);
void evk_end_label(evk_device *d, uint64_t cb);
void evk_timestamp(evk_device *d, uint64_t cb, uint64_t stage, uint64_t pool, uint32_t index);

// ---- acceleration structures and ray tracing ----
typedef struct {
	uint32_t type, flags; // of the geometry
	uint32_t format, max_vertex, index_type, array_of_pointers;
	uint64_t data, stride, index_data, transform_data;
} evk_geometry;
typedef struct {
	uint32_t type, flags, update, geometry_count;
	uint64_t source, destination, scratch;
} evk_build;
void evk_build_sizes(evk_device *d, const evk_build *b, const evk_geometry *g, const uint32_t *counts, uint64_t *out3);
// The geometries and ranges of the builds lie one after the other.
int32_t evk_cmd_build(evk_device *d, uint64_t cb, const evk_build *b, uint32_t count, const evk_geometry *g,
	const VkAccelerationStructureBuildRangeInfoKHR *ranges, uint32_t geometry_count);
// The most primitives of all geometries lie one after the other; address and stride are one for each build.
int32_t evk_cmd_build_indirect(evk_device *d, uint64_t cb, const evk_build *b, uint32_t count, const evk_geometry *g,
	const uint32_t *most, uint32_t geometry_count, const uint64_t *addresses, const uint32_t *strides);
evk_handle evk_create_accel(evk_device *d, uint32_t type, uint64_t buffer, uint64_t offset, uint64_t size);
void evk_destroy_accel(evk_device *d, uint64_t accel);
uint64_t evk_accel_address(evk_device *d, uint64_t accel);
void evk_copy_accel(evk_device *d, uint64_t cb, uint64_t src, uint64_t dst, uint32_t mode);
void evk_accel_to_memory(evk_device *d, uint64_t cb, uint64_t src, uint64_t dst_address);
void evk_memory_to_accel(evk_device *d, uint64_t cb, uint64_t src_address, uint64_t dst);
// evk_accel_compatible tells whether the driver reads blobs that begin with these 32 bytes.
int evk_accel_compatible(evk_device *d, const uint8_t *header32);
void evk_accel_properties(evk_device *d, uint64_t cb, const uint64_t *accels, uint32_t count, uint32_t type, uint64_t pool,
	uint32_t first);
void evk_stack_size(evk_device *d, uint64_t cb, uint32_t size);
void evk_trace_rays(evk_device *d, uint64_t cb, const VkStridedDeviceAddressRegionKHR *regions4, uint32_t w, uint32_t h,
	uint32_t depth);
void evk_trace_rays_indirect(evk_device *d, uint64_t cb, const VkStridedDeviceAddressRegionKHR *regions4, uint64_t address);
void evk_trace_rays_indirect2(evk_device *d, uint64_t cb, uint64_t address);

// ---- presentation ----
void evk_destroy_surface(evk_instance *i, uint64_t surface);
int32_t evk_surface_support(evk_instance *i, uint64_t physical, uint32_t family, uint64_t surface, uint32_t *supported);
int32_t evk_surface_capabilities(evk_instance *i, uint64_t physical, uint64_t surface, VkSurfaceCapabilitiesKHR *out);
int32_t evk_surface_formats(evk_instance *i, uint64_t physical, uint64_t surface, uint32_t *count, VkSurfaceFormatKHR *out);
int32_t evk_surface_modes(evk_instance *i, uint64_t physical, uint64_t surface, uint32_t *count, uint32_t *out);
typedef struct {
	uint64_t surface, old;
	uint32_t images, format, color_space, width, height, usage, transform, alpha, mode;
} evk_swapchain;
evk_handle evk_create_swapchain(evk_device *d, evk_swapchain s);
int32_t evk_swapchain_images(evk_device *d, uint64_t swapchain, uint32_t *count, uint64_t *out);
void evk_destroy_swapchain(evk_device *d, uint64_t swapchain);
int32_t evk_acquire(evk_device *d, uint64_t swapchain, uint64_t timeout, uint64_t semaphore, uint32_t *index);
int32_t evk_present(evk_device *d, uint64_t swapchain, uint32_t index, uint64_t semaphore);

#endif
