#include "evk.h"

#include <stdlib.h>
#include <string.h>

// VK_KHR_ray_tracing_position_fetch is younger than the headers of Debian 12.
typedef struct {
	VkStructureType sType;
	void *pNext;
	VkBool32 rayTracingPositionFetch;
} position_fetch_features;
#define STRUCTURE_TYPE_POSITION_FETCH_FEATURES ((VkStructureType)1000481000)

// So is VK_EXT_ray_tracing_invocation_reorder, and older headers lack that of NV. Members are named apart.
typedef struct {
	VkStructureType sType;
	void *pNext;
	VkBool32 rayTracingInvocationReorderNV;
} reorder_nv_features;
typedef struct {
	VkStructureType sType;
	void *pNext;
	VkBool32 rayTracingInvocationReorderEXT;
} reorder_ext_features;
typedef struct {
	VkStructureType sType;
	void *pNext;
	uint32_t hint;
	uint32_t max_record_index; // EXT only; there for the driver to write to
} reorder_properties;
#define STRUCTURE_TYPE_REORDER_NV_FEATURES ((VkStructureType)1000490000)
#define STRUCTURE_TYPE_REORDER_NV_PROPERTIES ((VkStructureType)1000490001)
#define STRUCTURE_TYPE_REORDER_EXT_FEATURES ((VkStructureType)1000581000)
#define STRUCTURE_TYPE_REORDER_EXT_PROPERTIES ((VkStructureType)1000581001)

typedef struct {
	VkPhysicalDeviceFeatures2 core;
	VkPhysicalDeviceVulkan11Features v11;
	VkPhysicalDeviceVulkan12Features v12;
	VkPhysicalDeviceVulkan13Features v13;
	VkPhysicalDeviceSynchronization2Features sync2;
	VkPhysicalDeviceSubgroupSizeControlFeatures subgroup;
	VkPhysicalDeviceAccelerationStructureFeaturesKHR accel;
	VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipeline;
	VkPhysicalDeviceRayQueryFeaturesKHR query;
	VkPhysicalDeviceRayTracingMaintenance1FeaturesKHR maintenance;
	position_fetch_features fetch;
	reorder_nv_features reorder_nv;
	reorder_ext_features reorder_ext;
	VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable;
	VkPhysicalDeviceShaderClockFeaturesKHR clock;
} chain;

// link_chain zeroes c and links the structures that the device knows. c must not move afterwards.
static void link_chain(chain *c, uint32_t has) {
	memset(c, 0, sizeof *c);
	void **next = &c->core.pNext;
	c->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
#define LINK(condition, member, type)     \
	c->member.sType = (type);             \
	if (condition) {                      \
		*next = &c->member;               \
		next = (void **)&c->member.pNext; \
	}
	LINK(1, v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
	LINK(1, v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
	LINK(has & EVK_HAS_13, v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)
	LINK(!(has & EVK_HAS_13) && has & EVK_HAS_SYNC2, sync2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES)
	LINK(!(has & EVK_HAS_13) && has & EVK_HAS_SUBGROUP_SIZE, subgroup,
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES)
	LINK(has & EVK_HAS_ACCEL, accel, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR)
	LINK(has & EVK_HAS_PIPELINE, pipeline, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR)
	LINK(has & EVK_HAS_QUERY, query, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR)
	LINK(has & EVK_HAS_MAINTENANCE, maintenance, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MAINTENANCE_1_FEATURES_KHR)
	LINK(has & EVK_HAS_FETCH, fetch, STRUCTURE_TYPE_POSITION_FETCH_FEATURES)
	LINK(has & EVK_HAS_REORDER_NV, reorder_nv, STRUCTURE_TYPE_REORDER_NV_FEATURES)
	LINK(has & EVK_HAS_REORDER_EXT, reorder_ext, STRUCTURE_TYPE_REORDER_EXT_FEATURES)
	LINK(has & EVK_HAS_EXECUTABLE, executable, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR)
	LINK(has & EVK_HAS_CLOCK, clock, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR)
#undef LINK
}

void evk_core_properties(evk_instance *i, uint64_t physical, VkPhysicalDeviceProperties *out) {
	VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	i->GetPhysicalDeviceProperties2((VkPhysicalDevice)physical, &p);
	*out = p.properties;
}

void evk_query_features(evk_instance *i, uint64_t physical, uint32_t has, evk_features *out) {
	chain c;
	link_chain(&c, has);
	i->GetPhysicalDeviceFeatures2((VkPhysicalDevice)physical, &c.core);
	if (!(has & EVK_HAS_13)) {
		c.v13.synchronization2 = c.sync2.synchronization2;
		c.v13.subgroupSizeControl = c.subgroup.subgroupSizeControl;
		c.v13.computeFullSubgroups = c.subgroup.computeFullSubgroups;
	}
#define X(member, name) out->name = c.member.name;
	EVK_FEATURES(X)
#undef X
}

void evk_query_properties(evk_instance *i, uint64_t physical, uint32_t has, evk_properties *out) {
	VkPhysicalDeviceAccelerationStructurePropertiesKHR accel = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR,
	};
	VkPhysicalDeviceRayTracingPipelinePropertiesKHR pipeline = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR,
	};
	VkPhysicalDeviceSubgroupSizeControlProperties subgroup = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
	};
	VkPhysicalDeviceVulkan12Properties v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
	VkPhysicalDeviceVulkan11Properties v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &v12};
	VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &v11};
	void **next = &v12.pNext;
	if (has & (EVK_HAS_13 | EVK_HAS_SUBGROUP_SIZE)) *next = &subgroup, next = &subgroup.pNext;
	VkPhysicalDeviceMaintenance4Properties maintenance = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
	if (has & EVK_HAS_13) *next = &maintenance, next = &maintenance.pNext;
	if (has & EVK_HAS_PIPELINE) *next = &pipeline, next = &pipeline.pNext;
	if (has & EVK_HAS_ACCEL) *next = &accel, next = &accel.pNext;
	reorder_properties reorder_nv = {.sType = STRUCTURE_TYPE_REORDER_NV_PROPERTIES};
	reorder_properties reorder_ext = {.sType = STRUCTURE_TYPE_REORDER_EXT_PROPERTIES};
	if (has & EVK_HAS_REORDER_NV) *next = &reorder_nv, next = &reorder_nv.pNext;
	if (has & EVK_HAS_REORDER_EXT) *next = &reorder_ext, next = &reorder_ext.pNext;
	i->GetPhysicalDeviceProperties2((VkPhysicalDevice)physical, &p);
	v11.pNext = v12.pNext = subgroup.pNext = pipeline.pNext = accel.pNext = NULL;
	out->max_buffer_size = maintenance.maxBufferSize;
	out->reordering_hint = has & EVK_HAS_REORDER_EXT ? reorder_ext.hint : reorder_nv.hint;
	out->max_record_index = reorder_ext.max_record_index;
	out->core = p.properties;
	out->v11 = v11;
	out->v12 = v12;
	out->subgroup = subgroup;
	out->pipeline = pipeline;
	out->accel = accel;
	i->GetPhysicalDeviceMemoryProperties((VkPhysicalDevice)physical, &out->memory);
}

void evk_queue_families(evk_instance *i, uint64_t physical, uint32_t *count, VkQueueFamilyProperties *out) {
	i->GetPhysicalDeviceQueueFamilyProperties((VkPhysicalDevice)physical, count, out);
}

uint32_t evk_format_features(evk_instance *i, uint64_t physical, uint32_t format) {
	VkFormatProperties p = {0};
	i->GetPhysicalDeviceFormatProperties((VkPhysicalDevice)physical, format, &p);
	return p.optimalTilingFeatures;
}

uint32_t evk_buffer_format_features(evk_instance *i, uint64_t physical, uint32_t format) {
	VkFormatProperties p = {0};
	i->GetPhysicalDeviceFormatProperties((VkPhysicalDevice)physical, format, &p);
	return p.bufferFeatures;
}

static int load_device(evk_instance *i, evk_device *d, char **message) {
#define GET(n) (PFN_vk##n) i->GetDeviceProcAddr(d->device, "vk" #n)
#define NEED(n)                                                               \
	if (!d->n) {                                                              \
		*message = strdup("the driver lacks vk" #n);                          \
		return 0;                                                             \
	}
#define X(n)       \
	d->n = GET(n); \
	NEED(n)
	EVK_DEVICE_FUNCTIONS(X)
#undef X
#define X(n)                                                                                      \
	d->n = GET(n);                                                                                \
	if (!d->n) d->n = (PFN_vk##n)i->GetDeviceProcAddr(d->device, "vk" #n "KHR");                  \
	NEED(n)
	EVK_DEVICE_SYNC2(X)
#undef X
#define X(n) d->n = GET(n);
	EVK_DEVICE_OPTIONAL(X)
#undef X
	return 1;
}

int32_t evk_create_device(evk_instance *i, uint64_t physical, uint32_t family, uint32_t has, const evk_features *features,
	const char *names, uint32_t count, evk_device **out, char **message) {
	*message = NULL;
	const char *list[64];
	if (count > 64) return VK_ERROR_INITIALIZATION_FAILED;
	for (uint32_t k = 0; k < count; k++, names += strlen(names) + 1) list[k] = names;
	chain c;
	link_chain(&c, has);
#define X(member, name) c.member.name = features->name;
	EVK_FEATURES(X)
#undef X
	c.sync2.synchronization2 = features->synchronization2;
	c.subgroup.subgroupSizeControl = features->subgroupSizeControl;
	c.subgroup.computeFullSubgroups = features->computeFullSubgroups;

	float priority = 1;
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1,
		.pQueuePriorities = &priority};
	VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &c.core, .queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue, .enabledExtensionCount = count, .ppEnabledExtensionNames = list};
	evk_device *d = calloc(1, sizeof *d);
	if (!d) return VK_ERROR_OUT_OF_HOST_MEMORY;
	d->intercept = i->intercept;
	VkResult r = EVK_TRY(i, CreateDevice, (VkPhysicalDevice)physical, &create, NULL, &d->device);
	if (r == VK_SUCCESS && !load_device(i, d, message)) {
		if (d->DestroyDevice) d->DestroyDevice(d->device, NULL);
		r = VK_ERROR_INITIALIZATION_FAILED;
	}
	if (r != VK_SUCCESS) {
		free(d);
		return r;
	}
	d->GetDeviceQueue(d->device, family, 0, &d->queue);
	*out = d;
	return VK_SUCCESS;
}

void evk_destroy_device(evk_device *d) {
	d->DestroyDevice(d->device, NULL);
	free(d);
}

void evk_name(evk_device *d, uint32_t type, uint64_t handle, const char *name) {
	if (!d->SetDebugUtilsObjectNameEXT) return;
	VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = (VkObjectType)type,
		.objectHandle = handle, .pObjectName = name};
	d->SetDebugUtilsObjectNameEXT(d->device, &info);
}
