package vk

// #include "evk.h"
import "C"

// The calls that take only scalars go through the device's own function table like all others. vulkan-go has them too,
// but its table belongs to the process, and with the build tag headless it looks for libvulkan.so without a version,
// which machines without development packages do not have.

// destroy destroys a device object by its VkObjectType. Nothing uses it, not even what nobody waits for (see holds).
func (d *Device) destroy(objectType C.uint32_t, handle C.uint64_t) {
	C.evk_destroy(d.c, objectType, handle)
}

// destroyLater destroys an object that abandoned work may use.
func (d *Device) destroyLater(objectType C.uint32_t, handle C.uint64_t) {
	d.later(func() { d.destroy(objectType, handle) })
}
