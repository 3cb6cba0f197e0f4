#include "evk.h"

#include <stdlib.h>

#define CB ((VkCommandBuffer)cb)

evk_handle evk_create_command_pool(evk_device *d, uint32_t family) {
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
	VkCommandPool p = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateCommandPool, d->device, &info, NULL, &p);
	return (evk_handle){r, (uint64_t)p};
}

evk_handle evk_allocate_command_buffer(evk_device *d, uint64_t pool, int secondary) {
	VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = (VkCommandPool)pool,
		.level = secondary ? VK_COMMAND_BUFFER_LEVEL_SECONDARY : VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
	VkCommandBuffer cb = NULL;
	VkResult r = EVK_TRY(d, AllocateCommandBuffers, d->device, &info, &cb);
	return (evk_handle){r, (uint64_t)cb};
}

int32_t evk_begin(evk_device *d, uint64_t cb, int secondary) {
	// outside render passes, no queries
	VkCommandBufferInheritanceInfo inherit = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = secondary ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : 0, .pInheritanceInfo = secondary ? &inherit : NULL};
	return EVK_TRY(d, BeginCommandBuffer, CB, &info);
}

int32_t evk_end(evk_device *d, uint64_t cb) { return EVK_TRY(d, EndCommandBuffer, CB); }

void evk_execute(evk_device *d, uint64_t cb, const uint64_t *secondaries, uint32_t count) {
	d->CmdExecuteCommands(CB, count, (const VkCommandBuffer *)secondaries);
}

int32_t evk_reset_pool(evk_device *d, uint64_t pool) { return EVK_TRY(d, ResetCommandPool, d->device, (VkCommandPool)pool, 0); }

evk_handle evk_create_semaphore(evk_device *d, int timeline) {
	VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = timeline ? &type : NULL};
	VkSemaphore s = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateSemaphore, d->device, &info, NULL, &s);
	return (evk_handle){r, (uint64_t)s};
}

static VkSemaphoreSubmitInfo *semaphores(const evk_semaphore *s, uint32_t count) {
	VkSemaphoreSubmitInfo *out = calloc(count + 1, sizeof *out);
	for (uint32_t i = 0; out && i < count; i++)
		out[i] = (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = (VkSemaphore)s[i].semaphore,
			.value = s[i].value, .stageMask = s[i].stage};
	return out;
}

int32_t evk_submit(evk_device *d, const uint64_t *cbs, uint32_t cb_count, const evk_semaphore *waits, uint32_t wait_count,
	const evk_semaphore *signals, uint32_t signal_count) {
	VkCommandBufferSubmitInfo *list = calloc(cb_count + 1, sizeof *list);
	VkSemaphoreSubmitInfo *wait = semaphores(waits, wait_count), *signal = semaphores(signals, signal_count);
	VkResult r = VK_ERROR_OUT_OF_HOST_MEMORY;
	if (list && wait && signal) {
		for (uint32_t i = 0; i < cb_count; i++)
			list[i] = (VkCommandBufferSubmitInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
				.commandBuffer = (VkCommandBuffer)cbs[i]};
		VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .waitSemaphoreInfoCount = wait_count, .pWaitSemaphoreInfos = wait,
			.commandBufferInfoCount = cb_count, .pCommandBufferInfos = list, .signalSemaphoreInfoCount = signal_count,
				.pSignalSemaphoreInfos = signal};
		r = EVK_TRY(d, QueueSubmit2, d->queue, 1, &info, VK_NULL_HANDLE);
	}
	free(list);
	free(wait);
	free(signal);
	return r;
}

int32_t evk_wait_semaphore(evk_device *d, uint64_t semaphore, uint64_t value, uint64_t timeout) {
	VkSemaphore s = (VkSemaphore)semaphore;
	VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &s,
		.pValues = &value};
	return EVK_TRY(d, WaitSemaphores, d->device, &info, timeout);
}

evk_handle evk_semaphore_value(evk_device *d, uint64_t semaphore) {
	uint64_t v = 0;
	VkResult r = EVK_TRY(d, GetSemaphoreCounterValue, d->device, (VkSemaphore)semaphore, &v);
	return (evk_handle){r, v};
}

evk_handle evk_create_query_pool(evk_device *d, uint32_t type, uint32_t count) {
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = type, .queryCount = count};
	VkQueryPool p = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateQueryPool, d->device, &info, NULL, &p);
	return (evk_handle){r, (uint64_t)p};
}

int32_t evk_query_results(evk_device *d, uint64_t pool, uint32_t first, uint32_t count, uint64_t *out) {
	return EVK_TRY(d, GetQueryPoolResults, d->device, (VkQueryPool)pool, first, count, 8 * (size_t)count, out, 8,
		VK_QUERY_RESULT_64_BIT);
}

void evk_copy_query_results(evk_device *d, uint64_t cb, uint64_t pool, uint32_t first, uint32_t count, uint64_t dst,
	uint64_t offset) {
	d->CmdCopyQueryPoolResults(CB, (VkQueryPool)pool, first, count, (VkBuffer)dst, offset, 8,
		VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
}

void evk_bind_sets(evk_device *d, uint64_t cb, uint32_t point, uint64_t layout, uint32_t first, const uint64_t *sets,
	uint32_t count, const uint32_t *offsets, uint32_t offset_count) {
	d->CmdBindDescriptorSets(CB, point, (VkPipelineLayout)layout, first, count, (const VkDescriptorSet *)sets, offset_count, offsets);
}

void evk_push(evk_device *d, uint64_t cb, uint64_t layout, uint32_t stages, uint32_t offset, uint32_t size, const void *data) {
	d->CmdPushConstants(CB, (VkPipelineLayout)layout, stages, offset, size, data);
}

void evk_copy_buffer(evk_device *d, uint64_t cb, uint64_t src, uint64_t src_offset, uint64_t dst, uint64_t dst_offset,
	uint64_t size) {
	VkBufferCopy c = {src_offset, dst_offset, size};
	d->CmdCopyBuffer(CB, (VkBuffer)src, (VkBuffer)dst, 1, &c);
}

void evk_update_buffer(evk_device *d, uint64_t cb, uint64_t dst, uint64_t offset, uint64_t size, const void *data) {
	d->CmdUpdateBuffer(CB, (VkBuffer)dst, offset, size, data);
}

static VkBufferImageCopy image_copy(evk_image_copy c) {
	return (VkBufferImageCopy){.bufferOffset = c.offset,
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, c.level, c.layer, c.layers ? c.layers : 1},
		.imageOffset = {(int32_t)c.x, (int32_t)c.y, (int32_t)c.z}, .imageExtent = {c.width, c.height, c.depth ? c.depth : 1}};
}

void evk_copy_to_image(evk_device *d, uint64_t cb, uint64_t buffer, uint64_t image, uint32_t layout, evk_image_copy c) {
	VkBufferImageCopy r = image_copy(c);
	d->CmdCopyBufferToImage(CB, (VkBuffer)buffer, (VkImage)image, layout, 1, &r);
}

void evk_copy_from_image(evk_device *d, uint64_t cb, uint64_t image, uint32_t layout, uint64_t buffer, evk_image_copy c) {
	VkBufferImageCopy r = image_copy(c);
	d->CmdCopyImageToBuffer(CB, (VkImage)image, layout, (VkBuffer)buffer, 1, &r);
}

void evk_blit(evk_device *d, uint64_t cb, uint64_t src, uint32_t src_layout, uint32_t src_w, uint32_t src_h, uint64_t dst,
	uint32_t dst_layout,
	uint32_t dst_w, uint32_t dst_h, uint32_t filter) {
	VkImageBlit b = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.srcOffsets = {{0, 0, 0}, {(int32_t)src_w, (int32_t)src_h, 1}},
		.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .dstOffsets = {{0, 0, 0}, {(int32_t)dst_w, (int32_t)dst_h, 1}}};
	d->CmdBlitImage(CB, (VkImage)src, src_layout, (VkImage)dst, dst_layout, 1, &b, filter);
}

void evk_clear(evk_device *d, uint64_t cb, uint64_t image, uint32_t layout, float r, float g, float b, float a) {
	VkClearColorValue v = {.float32 = {r, g, b, a}};
	VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
	d->CmdClearColorImage(CB, (VkImage)image, layout, &v, 1, &range);
}

void evk_memory_barrier(evk_device *d, uint64_t cb, uint64_t src_stage, uint64_t src_access, uint64_t dst_stage,
	uint64_t dst_access) {
	VkMemoryBarrier2 b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, .srcStageMask = src_stage, .srcAccessMask = src_access,
		.dstStageMask = dst_stage, .dstAccessMask = dst_access};
	VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &b};
	d->CmdPipelineBarrier2(CB, &info);
}

void evk_image_barrier(evk_device *d, uint64_t cb, uint64_t image, uint32_t old_layout, uint32_t new_layout, uint64_t src_stage,
	uint64_t src_access,
	uint64_t dst_stage, uint64_t dst_access) {
	VkImageMemoryBarrier2 b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2, .srcStageMask = src_stage,
		.srcAccessMask = src_access,
		.dstStageMask = dst_stage, .dstAccessMask = dst_access, .oldLayout = old_layout, .newLayout = new_layout,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = (VkImage)image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
	VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &b};
	d->CmdPipelineBarrier2(CB, &info);
}

void evk_begin_label(evk_device *d, uint64_t cb, const char *name) {
	if (!d->CmdBeginDebugUtilsLabelEXT) return;
	VkDebugUtilsLabelEXT l = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = name};
	d->CmdBeginDebugUtilsLabelEXT(CB, &l);
}

void evk_end_label(evk_device *d, uint64_t cb) {
	if (d->CmdEndDebugUtilsLabelEXT) d->CmdEndDebugUtilsLabelEXT(CB);
}

void evk_timestamp(evk_device *d, uint64_t cb, uint64_t stage, uint64_t pool, uint32_t index) {
	d->CmdWriteTimestamp2(CB, stage, (VkQueryPool)pool, index);
}
