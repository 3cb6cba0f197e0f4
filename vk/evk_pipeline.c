#include "evk.h"

#include <stdlib.h>

evk_handle evk_create_set_layout(evk_device *d, const evk_binding *b, uint32_t count, uint32_t flags) {
	VkDescriptorSetLayoutBinding *list = calloc(count + 1, sizeof *list);
	VkDescriptorBindingFlags *bits = calloc(count + 1, sizeof *bits);
	VkDescriptorSetLayout l = VK_NULL_HANDLE;
	VkResult r = VK_ERROR_OUT_OF_HOST_MEMORY;
	if (list && bits) {
		uint32_t any = 0;
		for (uint32_t i = 0; i < count; i++) {
			list[i] = (VkDescriptorSetLayoutBinding){b[i].binding, (VkDescriptorType)b[i].type, b[i].count, b[i].stages, NULL};
			bits[i] = b[i].flags;
			any |= bits[i];
		}
		VkDescriptorSetLayoutBindingFlagsCreateInfo extra = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
			.bindingCount = count, .pBindingFlags = bits};
		VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
			.pNext = any ? &extra : NULL,
			.flags = flags, .bindingCount = count, .pBindings = list};
		r = EVK_TRY(d, CreateDescriptorSetLayout, d->device, &info, NULL, &l);
	}
	free(list);
	free(bits);
	return (evk_handle){r, (uint64_t)l};
}

evk_handle evk_create_descriptor_pool(evk_device *d, const evk_pool_size *s, uint32_t count, uint32_t flags) {
	VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .flags = flags, .maxSets = 1,
		.poolSizeCount = count, .pPoolSizes = (const VkDescriptorPoolSize *)s};
	VkDescriptorPool p = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateDescriptorPool, d->device, &info, NULL, &p);
	return (evk_handle){r, (uint64_t)p};
}

evk_handle evk_allocate_set(evk_device *d, uint64_t pool, uint64_t layout, int variable, uint32_t count) {
	VkDescriptorSetLayout l = (VkDescriptorSetLayout)layout;
	VkDescriptorSetVariableDescriptorCountAllocateInfo counts = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
		.descriptorSetCount = 1, .pDescriptorCounts = &count};
	VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .pNext = variable ? &counts : NULL,
		.descriptorPool = (VkDescriptorPool)pool,
		.descriptorSetCount = 1, .pSetLayouts = &l};
	VkDescriptorSet s = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, AllocateDescriptorSets, d->device, &info, &s);
	return (evk_handle){r, (uint64_t)s};
}

void evk_write_buffer(evk_device *d, uint64_t set, uint32_t binding, uint32_t index, uint32_t type, uint64_t buffer,
	uint64_t offset, uint64_t range) {
	VkDescriptorBufferInfo info = {(VkBuffer)buffer, offset, range};
	VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = (VkDescriptorSet)set, .dstBinding = binding,
		.dstArrayElement = index, .descriptorCount = 1, .descriptorType = type, .pBufferInfo = &info};
	d->UpdateDescriptorSets(d->device, 1, &w, 0, NULL);
}

void evk_write_texel(evk_device *d, uint64_t set, uint32_t binding, uint32_t index, uint32_t type, uint64_t view) {
	VkBufferView v = (VkBufferView)view;
	VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = (VkDescriptorSet)set, .dstBinding = binding,
		.dstArrayElement = index, .descriptorCount = 1, .descriptorType = type, .pTexelBufferView = &v};
	d->UpdateDescriptorSets(d->device, 1, &w, 0, NULL);
}

void evk_write_image(evk_device *d, uint64_t set, uint32_t binding, uint32_t index, uint32_t type, uint64_t view, uint64_t sampler,
	uint32_t layout) {
	VkDescriptorImageInfo info = {(VkSampler)sampler, (VkImageView)view, (VkImageLayout)layout};
	VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = (VkDescriptorSet)set, .dstBinding = binding,
		.dstArrayElement = index, .descriptorCount = 1, .descriptorType = type, .pImageInfo = &info};
	d->UpdateDescriptorSets(d->device, 1, &w, 0, NULL);
}

void evk_write_accel(evk_device *d, uint64_t set, uint32_t binding, uint32_t index, uint64_t accel) {
	VkAccelerationStructureKHR a = (VkAccelerationStructureKHR)accel;
	VkWriteDescriptorSetAccelerationStructureKHR info = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
		.accelerationStructureCount = 1, .pAccelerationStructures = &a};
	VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .pNext = &info, .dstSet = (VkDescriptorSet)set,
		.dstBinding = binding,
		.dstArrayElement = index, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR};
	d->UpdateDescriptorSets(d->device, 1, &w, 0, NULL);
}

evk_handle evk_create_pipeline_layout(evk_device *d, const uint64_t *sets, uint32_t set_count, const VkPushConstantRange *push,
	uint32_t push_count) {
	VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = set_count,
		.pSetLayouts = (const VkDescriptorSetLayout *)sets, .pushConstantRangeCount = push_count, .pPushConstantRanges = push};
	VkPipelineLayout l = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreatePipelineLayout, d->device, &info, NULL, &l);
	return (evk_handle){r, (uint64_t)l};
}

static VkResult shader_module(evk_device *d, const uint32_t *code, size_t words, VkShaderModule *out) {
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * words, .pCode = code};
	return EVK_TRY(d, CreateShaderModule, d->device, &info, NULL, out);
}

static VkSpecializationMapEntry *map_entries(const evk_constant *c, uint32_t count) {
	VkSpecializationMapEntry *m = calloc(count + 1, sizeof *m);
	for (uint32_t i = 0; m && i < count; i++) m[i] = (VkSpecializationMapEntry){c[i].id, c[i].offset, c[i].size};
	return m;
}

evk_handle evk_create_compute_pipeline(evk_device *d, const uint32_t *code, size_t words, const char *entry, uint64_t layout,
	const evk_constant *constants, uint32_t constant_count, const void *data, size_t data_size, uint32_t subgroup_size, int capture,
		uint64_t cache) {
	VkSpecializationMapEntry *map = map_entries(constants, constant_count);
	if (!map) return (evk_handle){VK_ERROR_OUT_OF_HOST_MEMORY, 0};
	VkSpecializationInfo special = {constant_count, map, data_size, data};
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, .requiredSubgroupSize = subgroup_size};
	VkShaderModule module = VK_NULL_HANDLE;
	VkPipeline p = VK_NULL_HANDLE;
	VkResult r = shader_module(d, code, words, &module);
	if (r == VK_SUCCESS) {
		VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
			.flags = capture ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0,
			.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .pNext = subgroup_size ? &size : NULL,
				.stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = entry,
					.pSpecializationInfo = constant_count ? &special : NULL},
			.layout = (VkPipelineLayout)layout};
		r = EVK_TRY(d, CreateComputePipelines, d->device, (VkPipelineCache)cache, 1, &info, NULL, &p);
		d->DestroyShaderModule(d->device, module, NULL);
	}
	free(map);
	return (evk_handle){r, (uint64_t)p};
}

evk_handle evk_create_ray_tracing_pipeline(evk_device *d, const evk_stage *stages, uint32_t stage_count, const uint32_t *words,
	const char *entries, const evk_constant *constants, const uint8_t *data, const uint32_t *groups, uint32_t group_count,
	uint32_t recursion, uint64_t layout, int dynamic_stack, uint32_t flags, const evk_libraries *libraries,
	uint64_t cache) {
	VkPipelineShaderStageCreateInfo *list = calloc(stage_count + 1, sizeof *list);
	VkSpecializationInfo *special = calloc(stage_count + 1, sizeof *special);
	VkRayTracingShaderGroupCreateInfoKHR *group = calloc(group_count + 1, sizeof *group);
	VkPipeline p = VK_NULL_HANDLE;
	VkResult r = list && special && group ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
	uint32_t made = 0;
	for (; r == VK_SUCCESS && made < stage_count; made++) {
		const evk_stage *s = &stages[made];
		VkSpecializationMapEntry *map = map_entries(constants + s->first_constant, s->constant_count);
		special[made] = (VkSpecializationInfo){s->constant_count, map, s->data_size, data + s->data};
		list[made] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = s->stage,
			.pName = entries + s->entry, .pSpecializationInfo = s->constant_count ? &special[made] : NULL};
		r = map ? shader_module(d, words + s->code, s->words, &list[made].module) : VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	for (uint32_t i = 0; r == VK_SUCCESS && i < group_count; i++) {
		const uint32_t *g = groups + 5 * i;
		group[i] = (VkRayTracingShaderGroupCreateInfoKHR){.sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
			.type = g[0], .generalShader = g[1], .closestHitShader = g[2], .anyHitShader = g[3], .intersectionShader = g[4]};
	}
	if (r == VK_SUCCESS) {
		VkDynamicState state = VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR;
		VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, .dynamicStateCount = 1,
			.pDynamicStates = &state};
		VkPipelineLibraryCreateInfoKHR linked = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
			.libraryCount = libraries->count,
			.pLibraries = (const VkPipeline *)libraries->list};
		VkRayTracingPipelineInterfaceCreateInfoKHR interface = {.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
			.maxPipelineRayPayloadSize = libraries->max_payload, .maxPipelineRayHitAttributeSize = libraries->max_attribute};
		VkRayTracingPipelineCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR, .flags = flags,
			.stageCount = stage_count,
			.pStages = list, .groupCount = group_count, .pGroups = group, .maxPipelineRayRecursionDepth = recursion,
			.pDynamicState = dynamic_stack ? &dynamic : NULL, .layout = (VkPipelineLayout)layout,
			.pLibraryInfo = libraries->count ? &linked : NULL, .pLibraryInterface = libraries->max_attribute ? &interface : NULL};
		r = EVK_TRY(d, CreateRayTracingPipelinesKHR, d->device, VK_NULL_HANDLE, (VkPipelineCache)cache, 1, &info, NULL, &p);
	}
	for (uint32_t i = 0; i < made; i++) {
		if (list[i].module) d->DestroyShaderModule(d->device, list[i].module, NULL);
		free((void *)special[i].pMapEntries);
	}
	free(list);
	free(special);
	free(group);
	return (evk_handle){r, (uint64_t)p};
}

int32_t evk_group_handles(evk_device *d, uint64_t pipeline, uint32_t first, uint32_t count, size_t size, void *out) {
	return EVK_TRY(d, GetRayTracingShaderGroupHandlesKHR, d->device, (VkPipeline)pipeline, first, count, size, out);
}

uint64_t evk_group_stack(evk_device *d, uint64_t pipeline, uint32_t group, uint32_t shader) {
	return d->GetRayTracingShaderGroupStackSizeKHR(d->device, (VkPipeline)pipeline, group, (VkShaderGroupShaderKHR)shader);
}

evk_handle evk_create_pipeline_cache(evk_device *d, const void *data, size_t size) {
	VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size,
		.pInitialData = data};
	VkPipelineCache c = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreatePipelineCache, d->device, &info, NULL, &c);
	return (evk_handle){r, (uint64_t)c};
}

int32_t evk_pipeline_cache_data(evk_device *d, uint64_t cache, size_t *size, void *out) {
	return EVK_TRY(d, GetPipelineCacheData, d->device, (VkPipelineCache)cache, size, out);
}

int32_t evk_merge_pipeline_caches(evk_device *d, uint64_t dst, uint64_t src) {
	VkPipelineCache from = (VkPipelineCache)src;
	return EVK_TRY(d, MergePipelineCaches, d->device, (VkPipelineCache)dst, 1, &from);
}

int32_t evk_executable_count(evk_device *d, uint64_t pipeline, uint32_t *count, VkPipelineExecutablePropertiesKHR *out) {
	VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = (VkPipeline)pipeline};
	for (uint32_t i = 0; out && i < *count; i++) out[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
	return EVK_TRY(d, GetPipelineExecutablePropertiesKHR, d->device, &info, count, out);
}

int32_t evk_executable_statistics(evk_device *d, uint64_t pipeline, uint32_t index, uint32_t *count,
	VkPipelineExecutableStatisticKHR *out) {
	VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = (VkPipeline)pipeline,
		.executableIndex = index};
	for (uint32_t i = 0; out && i < *count; i++) out[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
	return EVK_TRY(d, GetPipelineExecutableStatisticsKHR, d->device, &info, count, out);
}
