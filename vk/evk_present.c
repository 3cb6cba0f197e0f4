#include "evk.h"

#define PHYSICAL ((VkPhysicalDevice)physical)
#define SURFACE ((VkSurfaceKHR)surface)

int32_t evk_surface_support(evk_instance *i, uint64_t physical, uint32_t family, uint64_t surface, uint32_t *supported) {
	if (!i->GetPhysicalDeviceSurfaceSupportKHR) return VK_ERROR_EXTENSION_NOT_PRESENT;
	return EVK_TRY(i, GetPhysicalDeviceSurfaceSupportKHR, PHYSICAL, family, SURFACE, supported);
}

int32_t evk_surface_capabilities(evk_instance *i, uint64_t physical, uint64_t surface, VkSurfaceCapabilitiesKHR *out) {
	if (!i->GetPhysicalDeviceSurfaceCapabilitiesKHR) return VK_ERROR_EXTENSION_NOT_PRESENT;
	return EVK_TRY(i, GetPhysicalDeviceSurfaceCapabilitiesKHR, PHYSICAL, SURFACE, out);
}

int32_t evk_surface_formats(evk_instance *i, uint64_t physical, uint64_t surface, uint32_t *count, VkSurfaceFormatKHR *out) {
	if (!i->GetPhysicalDeviceSurfaceFormatsKHR) return VK_ERROR_EXTENSION_NOT_PRESENT;
	return EVK_TRY(i, GetPhysicalDeviceSurfaceFormatsKHR, PHYSICAL, SURFACE, count, out);
}

int32_t evk_surface_modes(evk_instance *i, uint64_t physical, uint64_t surface, uint32_t *count, uint32_t *out) {
	if (!i->GetPhysicalDeviceSurfacePresentModesKHR) return VK_ERROR_EXTENSION_NOT_PRESENT;
	return EVK_TRY(i, GetPhysicalDeviceSurfacePresentModesKHR, PHYSICAL, SURFACE, count, (VkPresentModeKHR *)out);
}

evk_handle evk_create_swapchain(evk_device *d, evk_swapchain s) {
	VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, .surface = (VkSurfaceKHR)s.surface,
		.minImageCount = s.images, .imageFormat = s.format, .imageColorSpace = s.color_space, .imageExtent = {s.width, s.height},
		.imageArrayLayers = 1, .imageUsage = s.usage, .imageSharingMode = VK_SHARING_MODE_EXCLUSIVE, .preTransform = s.transform,
		.compositeAlpha = s.alpha, .presentMode = s.mode, .clipped = VK_TRUE, .oldSwapchain = (VkSwapchainKHR)s.old};
	VkSwapchainKHR c = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateSwapchainKHR, d->device, &info, NULL, &c);
	return (evk_handle){r, (uint64_t)c};
}

int32_t evk_swapchain_images(evk_device *d, uint64_t swapchain, uint32_t *count, uint64_t *out) {
	return EVK_TRY(d, GetSwapchainImagesKHR, d->device, (VkSwapchainKHR)swapchain, count, (VkImage *)out);
}

void evk_destroy_swapchain(evk_device *d, uint64_t swapchain) {
	d->DestroySwapchainKHR(d->device, (VkSwapchainKHR)swapchain, NULL);
}

int32_t evk_acquire(evk_device *d, uint64_t swapchain, uint64_t timeout, uint64_t semaphore, uint32_t *index) {
	return EVK_TRY(d, AcquireNextImageKHR, d->device, (VkSwapchainKHR)swapchain, timeout, (VkSemaphore)semaphore, VK_NULL_HANDLE,
		index);
}

int32_t evk_present(evk_device *d, uint64_t swapchain, uint32_t index, uint64_t semaphore) {
	VkSwapchainKHR c = (VkSwapchainKHR)swapchain;
	VkSemaphore s = (VkSemaphore)semaphore;
	VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, .waitSemaphoreCount = 1, .pWaitSemaphores = &s,
		.swapchainCount = 1,
		.pSwapchains = &c, .pImageIndices = &index};
	return EVK_TRY(d, QueuePresentKHR, d->queue, &info);
}
