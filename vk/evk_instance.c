#include "evk.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// evkGoMessage is exported by message.go.
extern void evkGoMessage(uintptr_t handle, uint32_t severity, uint32_t types, const VkDebugUtilsMessengerCallbackDataEXT *data);

void *evk_load(char **message) {
	*message = NULL;
	// Never closed: the loader's trampolines are used for the rest of the process.
	void *lib = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
	void *gipa = lib ? dlsym(lib, "vkGetInstanceProcAddr") : NULL;
	if (!gipa) {
		const char *e = dlerror();
		*message = strdup(e ? e : "libvulkan.so.1 has no vkGetInstanceProcAddr");
	}
	return gipa;
}

#define GLOBAL(name) PFN_vk##name name = (PFN_vk##name)((PFN_vkGetInstanceProcAddr)gipa)(NULL, "vk" #name)

uint32_t evk_loader_version(void *gipa) {
	GLOBAL(EnumerateInstanceVersion);
	uint32_t v = VK_API_VERSION_1_0;
	if (EnumerateInstanceVersion) EnumerateInstanceVersion(&v);
	return v;
}

int32_t evk_layers(void *gipa, uint32_t *count, VkLayerProperties *out) {
	GLOBAL(EnumerateInstanceLayerProperties);
	if (!EnumerateInstanceLayerProperties) return VK_ERROR_INITIALIZATION_FAILED;
	return EnumerateInstanceLayerProperties(count, out);
}

int32_t evk_instance_extensions(void *gipa, const char *layer, uint32_t *count, VkExtensionProperties *out) {
	GLOBAL(EnumerateInstanceExtensionProperties);
	if (!EnumerateInstanceExtensionProperties) return VK_ERROR_INITIALIZATION_FAILED;
	return EnumerateInstanceExtensionProperties(layer, count, out);
}

// said is what was told to the thread since it last began to listen.
static _Thread_local char said[2048];
static _Thread_local int listening;

void evk_listen(void) {
	said[0] = 0;
	listening = 1;
}

char *evk_heard(void) {
	listening = 0;
	return said[0] ? strdup(said) : NULL;
}

static void note(const char *text) {
	size_t have = strlen(said);
	if (!listening || !text || have + 3 >= sizeof said) return;
	snprintf(said + have, sizeof said - have, "%s%s", have ? "; " : "", text);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
	VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
	note(data->pMessage);
	evkGoMessage((uintptr_t)user, severity, types, data);
	return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(uintptr_t handle) {
	return (VkDebugUtilsMessengerCreateInfoEXT){
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
			VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
		.pfnUserCallback = on_message,
		.pUserData = (void *)handle,
	};
}

static int load_instance(evk_instance *i, char **message) {
#define X(n)                                                                  \
	i->n = (PFN_vk##n)i->gipa(i->instance, "vk" #n);                          \
	if (!i->n) {                                                              \
		*message = strdup("the loader lacks vk" #n);                          \
		return 0;                                                             \
	}
	EVK_INSTANCE_FUNCTIONS(X)
#undef X
#define X(n) i->n = (PFN_vk##n)i->gipa(i->instance, "vk" #n);
	EVK_INSTANCE_OPTIONAL(X)
#undef X
	return 1;
}

int32_t evk_create_instance(void *gipa, const char *app, uint32_t api, const char *layer, const char *names, uint32_t count,
	int sync_validation, int validation_features, uintptr_t message_handle, uintptr_t intercept, evk_instance **out, char **message) {
	*message = NULL;
	GLOBAL(CreateInstance);
	if (!CreateInstance) return VK_ERROR_INITIALIZATION_FAILED;
	const char *list[64];
	if (count > 64) return VK_ERROR_INITIALIZATION_FAILED;
	for (uint32_t k = 0; k < count; k++, names += strlen(names) + 1) list[k] = names;

	VkApplicationInfo info = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = app, .pEngineName = "everray",
		.apiVersion = api};
	VkValidationFeatureEnableEXT enable[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
	VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
		.enabledValidationFeatureCount = sync_validation ? 1 : 0, .pEnabledValidationFeatures = enable};
	// The chained messenger sees instance creation and destruction only; the created one sees the rest.
	VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(message_handle);
	const void *next = NULL;
	if (validation_features) {
		features.pNext = next;
		next = &features;
	}
	if (message_handle) {
		messenger.pNext = next;
		next = &messenger;
	}
	VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pNext = next, .pApplicationInfo = &info,
		.enabledLayerCount = layer ? 1 : 0, .ppEnabledLayerNames = &layer, .enabledExtensionCount = count,
			.ppEnabledExtensionNames = list};
	evk_instance *i = calloc(1, sizeof *i);
	if (!i) return VK_ERROR_OUT_OF_HOST_MEMORY;
	i->gipa = (PFN_vkGetInstanceProcAddr)gipa;
	i->intercept = intercept;
	VkResult r = evk_intercepted(intercept, "vkCreateInstance") ?: CreateInstance(&create, NULL, &i->instance);
	if (r != VK_SUCCESS) {
		free(i);
		return r;
	}
	if (!load_instance(i, message)) r = VK_ERROR_INITIALIZATION_FAILED;
	if (r == VK_SUCCESS && message_handle && i->CreateDebugUtilsMessengerEXT) {
		VkDebugUtilsMessengerCreateInfoEXT m = messenger_info(message_handle);
		r = EVK_TRY(i, CreateDebugUtilsMessengerEXT, i->instance, &m, NULL, &i->messenger);
	}
	if (r != VK_SUCCESS) {
		if (i->DestroyInstance) i->DestroyInstance(i->instance, NULL);
		free(i);
		return r;
	}
	*out = i;
	return VK_SUCCESS;
}

void evk_destroy_instance(evk_instance *i) {
	if (i->messenger) i->DestroyDebugUtilsMessengerEXT(i->instance, i->messenger, NULL);
	i->DestroyInstance(i->instance, NULL);
	free(i);
}

int32_t evk_physical_devices(evk_instance *i, uint32_t *count, uint64_t *out) {
	return EVK_TRY(i, EnumeratePhysicalDevices, i->instance, count, (VkPhysicalDevice *)out);
}

int32_t evk_device_extensions(evk_instance *i, uint64_t physical, uint32_t *count, VkExtensionProperties *out) {
	return EVK_TRY(i, EnumerateDeviceExtensionProperties, (VkPhysicalDevice)physical, NULL, count, out);
}
