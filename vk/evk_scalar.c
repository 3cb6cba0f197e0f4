#include "evk.h"

#define CB ((VkCommandBuffer)cb)

void evk_destroy(evk_device *d, uint32_t type, uint64_t handle) {
	switch (type) {
	case VK_OBJECT_TYPE_DEVICE_MEMORY: d->FreeMemory(d->device, (VkDeviceMemory)handle, NULL); break;
	case VK_OBJECT_TYPE_BUFFER: d->DestroyBuffer(d->device, (VkBuffer)handle, NULL); break;
	case VK_OBJECT_TYPE_IMAGE: d->DestroyImage(d->device, (VkImage)handle, NULL); break;
	case VK_OBJECT_TYPE_IMAGE_VIEW: d->DestroyImageView(d->device, (VkImageView)handle, NULL); break;
	case VK_OBJECT_TYPE_BUFFER_VIEW: d->DestroyBufferView(d->device, (VkBufferView)handle, NULL); break;
	case VK_OBJECT_TYPE_SAMPLER: d->DestroySampler(d->device, (VkSampler)handle, NULL); break;
	case VK_OBJECT_TYPE_COMMAND_POOL: d->DestroyCommandPool(d->device, (VkCommandPool)handle, NULL); break;
	case VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT: d->DestroyDescriptorSetLayout(d->device, (VkDescriptorSetLayout)handle, NULL); break;
	case VK_OBJECT_TYPE_DESCRIPTOR_POOL: d->DestroyDescriptorPool(d->device, (VkDescriptorPool)handle, NULL); break;
	case VK_OBJECT_TYPE_PIPELINE_LAYOUT: d->DestroyPipelineLayout(d->device, (VkPipelineLayout)handle, NULL); break;
	case VK_OBJECT_TYPE_PIPELINE_CACHE: d->DestroyPipelineCache(d->device, (VkPipelineCache)handle, NULL); break;
	case VK_OBJECT_TYPE_PIPELINE: d->DestroyPipeline(d->device, (VkPipeline)handle, NULL); break;
	case VK_OBJECT_TYPE_QUERY_POOL: d->DestroyQueryPool(d->device, (VkQueryPool)handle, NULL); break;
	case VK_OBJECT_TYPE_SEMAPHORE: d->DestroySemaphore(d->device, (VkSemaphore)handle, NULL); break;
	}
}

int32_t evk_wait_idle(evk_device *d) { return EVK_TRY(d, DeviceWaitIdle, d->device); }

void evk_bind_pipeline(evk_device *d, uint64_t cb, uint32_t point, uint64_t pipeline) {
	d->CmdBindPipeline(CB, (VkPipelineBindPoint)point, (VkPipeline)pipeline);
}

void evk_dispatch(evk_device *d, uint64_t cb, uint32_t x, uint32_t y, uint32_t z) { d->CmdDispatch(CB, x, y, z); }

void evk_dispatch_indirect(evk_device *d, uint64_t cb, uint64_t buffer, uint64_t offset) {
	d->CmdDispatchIndirect(CB, (VkBuffer)buffer, offset);
}

void evk_fill_buffer(evk_device *d, uint64_t cb, uint64_t buffer, uint64_t offset, uint64_t size, uint32_t value) {
	d->CmdFillBuffer(CB, (VkBuffer)buffer, offset, size, value);
}

void evk_reset_queries(evk_device *d, uint64_t cb, uint64_t pool, uint32_t first, uint32_t count) {
	d->CmdResetQueryPool(CB, (VkQueryPool)pool, first, count);
}

void evk_destroy_surface(evk_instance *i, uint64_t surface) {
	if (i->DestroySurfaceKHR)
		i->DestroySurfaceKHR(i->instance, (VkSurfaceKHR)surface, NULL);
}
