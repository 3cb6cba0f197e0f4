// Two threads, each with command pools of its own: nothing here needs external synchronisation (Vulkan 1.3, 3.6 "Threading
// Behavior": host access to commandPool and to the command buffers of it). Build: cc layer_race.c -o layer_race -ldl -lpthread -lvulkan
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

static VkDevice device;
static PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
static PFN_vkCmdEndDebugUtilsLabelEXT end_label;
static int labels, rounds;

static void *work(void *arg) {
	for (int i = 0; i < rounds; i++) {
		VkCommandPoolCreateInfo pi = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
		VkCommandPool pool;
		VkCommandBuffer cb;
		if (vkCreateCommandPool(device, &pi, NULL, &pool)) abort();
		VkCommandBufferAllocateInfo ai = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
		if (vkAllocateCommandBuffers(device, &ai, &cb)) abort();
		VkCommandBufferBeginInfo bi = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
		if (vkBeginCommandBuffer(cb, &bi)) abort();
		if (labels) {
			VkDebugUtilsLabelEXT l = {VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, NULL, "label"};
			begin_label(cb, &l);
			end_label(cb);
		}
		if (vkEndCommandBuffer(cb)) abort();
		vkDestroyCommandPool(device, pool, NULL);
	}
	return NULL;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT s, VkDebugUtilsMessageTypeFlagsEXT t,
	const VkDebugUtilsMessengerCallbackDataEXT *d, void *u) { fprintf(stderr, "%s\n", d->pMessage); return VK_FALSE; }

int main(int argc, char **argv) {
	labels = argc > 1 && atoi(argv[1]);
	rounds = argc > 2 ? atoi(argv[2]) : 20000;
	const char *layer = "VK_LAYER_KHRONOS_validation", *ext = "VK_EXT_debug_utils";
	VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo ii = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app, .enabledLayerCount = getenv("NOLAYER") ? 0 : 1,
		.ppEnabledLayerNames = &layer, .enabledExtensionCount = 1, .ppEnabledExtensionNames = &ext};
	VkInstance instance;
	if (vkCreateInstance(&ii, NULL, &instance)) return 2;
	VkDebugUtilsMessengerCreateInfoEXT mi = {VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, .pfnUserCallback = on_message};
	VkDebugUtilsMessengerEXT messenger;
	if (((PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"))(instance, &mi, NULL, &messenger)) return 4;
	uint32_t n = 1;
	VkPhysicalDevice p;
	vkEnumeratePhysicalDevices(instance, &n, &p);
	float one = 1;
	VkDeviceQueueCreateInfo qi = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &one};
	VkDeviceCreateInfo di = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qi};
	if (vkCreateDevice(p, &di, NULL, &device)) return 3;
	begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(device, "vkCmdBeginDebugUtilsLabelEXT");
	end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetDeviceProcAddr(device, "vkCmdEndDebugUtilsLabelEXT");
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	puts("done");
}
