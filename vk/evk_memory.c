#include "evk.h"

evk_handle evk_allocate(evk_device *d, uint64_t size, uint32_t type, int device_address, uint64_t buffer) {
	VkMemoryDedicatedAllocateInfo alone = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .buffer = (VkBuffer)buffer};
	VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .pNext = buffer ? &alone : NULL,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = device_address ? &flags : NULL,
		.allocationSize = size, .memoryTypeIndex = type};
	VkDeviceMemory m = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, AllocateMemory, d->device, &info, NULL, &m);
	return (evk_handle){r, (uint64_t)m};
}

evk_handle evk_map(evk_device *d, uint64_t memory) {
	void *p = NULL;
	VkResult r = EVK_TRY(d, MapMemory, d->device, (VkDeviceMemory)memory, 0, VK_WHOLE_SIZE, 0, &p);
	return (evk_handle){r, (uint64_t)(uintptr_t)p};
}

evk_object evk_create_buffer(evk_device *d, uint64_t size, uint32_t usage) {
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage,
		.sharingMode = VK_SHARING_MODE_EXCLUSIVE};
	VkBuffer b = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateBuffer, d->device, &info, NULL, &b);
	VkMemoryRequirements q = {0};
	if (r == VK_SUCCESS) d->GetBufferMemoryRequirements(d->device, b, &q);
	return (evk_object){r, (uint64_t)b, q.size, q.alignment, q.memoryTypeBits};
}

int32_t evk_bind_buffer(evk_device *d, uint64_t buffer, uint64_t memory, uint64_t offset) {
	return EVK_TRY(d, BindBufferMemory, d->device, (VkBuffer)buffer, (VkDeviceMemory)memory, offset);
}

uint64_t evk_buffer_address(evk_device *d, uint64_t buffer) {
	VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = (VkBuffer)buffer};
	return d->GetBufferDeviceAddress(d->device, &info);
}

evk_object evk_create_image(evk_device *d, evk_image_shape s, uint32_t format, uint32_t usage) {
	VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = s.type, .format = format,
		.flags = s.view == VK_IMAGE_VIEW_TYPE_CUBE ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
		.extent = {s.width, s.height, s.depth}, .mipLevels = s.levels, .arrayLayers = s.layers, .samples = VK_SAMPLE_COUNT_1_BIT,
			.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = usage, .sharingMode = VK_SHARING_MODE_EXCLUSIVE, .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
	VkImage i = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateImage, d->device, &info, NULL, &i);
	VkMemoryRequirements q = {0};
	if (r == VK_SUCCESS) d->GetImageMemoryRequirements(d->device, i, &q);
	return (evk_object){r, (uint64_t)i, q.size, q.alignment, q.memoryTypeBits};
}

int32_t evk_bind_image(evk_device *d, uint64_t image, uint64_t memory, uint64_t offset) {
	return EVK_TRY(d, BindImageMemory, d->device, (VkImage)image, (VkDeviceMemory)memory, offset);
}

evk_handle evk_create_view(evk_device *d, uint64_t image, evk_image_shape s, uint32_t format) {
	VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = (VkImage)image,
		.viewType = s.view,
		.format = format, .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, s.levels, 0, s.layers}};
	VkImageView v = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateImageView, d->device, &info, NULL, &v);
	return (evk_handle){r, (uint64_t)v};
}

evk_handle evk_create_buffer_view(evk_device *d, uint64_t buffer, uint32_t format, uint64_t offset, uint64_t range) {
	VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .buffer = (VkBuffer)buffer, .format = format,
		.offset = offset, .range = range};
	VkBufferView v = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateBufferView, d->device, &info, NULL, &v);
	return (evk_handle){r, (uint64_t)v};
}

evk_handle evk_create_sampler(evk_device *d, uint32_t mag, uint32_t min, uint32_t mip, uint32_t u, uint32_t v, float anisotropy,
	float max_lod) {
	VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = mag, .minFilter = min, .mipmapMode = mip,
		.addressModeU = u, .addressModeV = v, .addressModeW = u, .anisotropyEnable = anisotropy > 1,
			.maxAnisotropy = anisotropy > 1 ? anisotropy : 1,
		.maxLod = max_lod};
	VkSampler s = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateSampler, d->device, &info, NULL, &s);
	return (evk_handle){r, (uint64_t)s};
}
