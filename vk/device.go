package vk

// #include <stdlib.h>
// #include "evk.h"
import "C"

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"
)

// VkObjectType values for names.
const (
	objectDevice        = 3
	objectQueue         = 4
	objectSemaphore     = 5
	objectCommandBuffer = 6
	objectDeviceMemory  = 8
	objectBuffer        = 9
	objectImage         = 10
	objectQueryPool     = 12
	objectBufferView    = 13
	objectImageView     = 14
	objectPipelineCache = 16
	objectLayout        = 17
	objectPipeline      = 19
	objectSetLayout     = 20
	objectSampler       = 21
	objectPool          = 22
	objectSet           = 23
	objectCommandPool   = 25
	objectSwapchain     = 1000001000
	objectAccel         = 1000150000
)

// positionFetchVersion is the Vulkan version that brought VK_KHR_ray_tracing_position_fetch.
const positionFetchVersion = 1<<22 | 3<<12 | 249

// reorderNVVersion and reorderEXTVersion are those that brought VK_NV_ray_tracing_invocation_reorder and its EXT successor.
const (
	reorderNVVersion  = 1<<22 | 3<<12 | 231
	reorderEXTVersion = 1<<22 | 4<<12 | 333
)

// DeviceOptions says what NewDevice makes. The zero value is a compute and graphics device without the driver's ray
// tracing.
type DeviceOptions struct {
	Name   string
	Native bool // enable the driver's ray tracing extensions; an error where acceleration structures or pipelines are missing
	// Extensions are further ones. VK_KHR_swapchain is added when PresentSurface is set.
	Extensions []string
	// Features are ExtraFeatures, by the names of the specification; others may be named to be sure that they are there.
	Features       []string
	PresentSurface vulkan.Surface // must be presentable from the chosen queue
	Logger         *slog.Logger   // nil = the instance's
}

// Device is a VkDevice with one queue.
type Device struct {
	c        *C.evk_device
	handle   vulkan.Device
	physical *PhysicalDevice
	family   uint32
	native   bool
	enabled  Features
	logger   *slog.Logger
	memory   allocator
	queue    queue
	holds    holds

	mu   sync.Mutex
	live map[any]string // what was created and not destroyed: kind and name
	gone bool
	// closed is set when Destroy begins.
	closed atomic.Bool
}

// NewDevice opens a device.
func NewDevice(p *PhysicalDevice, o DeviceOptions) (*Device, error) {
	if err := p.Supported(); err != nil {
		return nil, err
	}
	family := p.queueFamily()
	extensions, has, err := p.deviceExtensions(o)
	if err != nil {
		return nil, fmt.Errorf("device %q: %w", p.Name, err)
	}
	if o.PresentSurface != vulkan.NullSurface {
		if err := p.canPresent(uint32(family), o.PresentSurface); err != nil {
			return nil, fmt.Errorf("device %q: %w", p.Name, err)
		}
	}
	d := &Device{physical: p, family: uint32(family), native: o.Native, enabled: p.Features, logger: o.Logger, live: map[any]string{}}
	if !o.Native {
		d.enabled = d.enabled.withoutRayTracing()
		// Where the memory model is enabled, atomics of device scope need the second feature, also in shaders that declare no model:
		// those of builds, and faults. Linked modules do without the model.
		d.enabled.VulkanMemoryModel = d.enabled.VulkanMemoryModel && d.enabled.VulkanMemoryModelDeviceScope
	}
	if d.enabled, err = d.enabled.asked(o.Features); err != nil {
		return nil, fmt.Errorf("device %s: %w", p.Name, err)
	}
	d.enabled.PositionFetch = has&C.EVK_HAS_FETCH != 0 && d.enabled.PositionFetch
	d.enabled.InvocationReorderNV = has&C.EVK_HAS_REORDER_NV != 0 && d.enabled.InvocationReorderNV
	d.enabled.InvocationReorderEXT = has&C.EVK_HAS_REORDER_EXT != 0 && d.enabled.InvocationReorderEXT
	if d.logger == nil {
		d.logger = p.instance.logger
	}
	names, free := cstrings(extensions)
	defer free()
	var text *C.char
	var r C.int32_t
	err = listen(func() error {
		r = C.evk_create_device(p.instance.c, raw(p.handle), C.uint32_t(family), has, d.enabled.toC(), names, C.uint32_t(len(extensions)),
			&d.c, &text)
		return check("vkCreateDevice", r)
	})
	if err != nil {
		if text != nil {
			err = fmt.Errorf("%w: %s", err, C.GoString(text))
			C.free(unsafe.Pointer(text))
		}
		return nil, fmt.Errorf("device %q: %w", p.Name, err)
	}
	d.handle = fromRaw[vulkan.Device](raw(d.c.device))
	d.memory = allocator{d: d, bytes: make([]uint64, len(p.Heaps)), aloneAbove: aloneAbove(p)}
	if err := d.openQueue(); err != nil {
		C.evk_destroy_device(d.c)
		return nil, fmt.Errorf("device %q: %w", p.Name, err)
	}
	if o.Name != "" {
		d.name(objectDevice, raw(d.handle), o.Name)
	}
	d.name(objectQueue, raw(d.c.queue), "queue")
	return d, nil
}

// deviceExtensions lists what to enable, and which feature structures go with it.
func (p *PhysicalDevice) deviceExtensions(o DeviceOptions) (list []string, has C.uint32_t, err error) {
	list = slices.Clone(o.Extensions)
	if o.PresentSurface != vulkan.NullSurface {
		list = append(list, extSwapchain)
	}
	has = p.has
	for _, x := range []struct {
		version uint32
		bit     C.uint32_t
	}{{positionFetchVersion, C.EVK_HAS_FETCH}, {reorderNVVersion, C.EVK_HAS_REORDER_NV}, {reorderEXTVersion, C.EVK_HAS_REORDER_EXT}} {
		if l := p.instance.layer; l != 0 && l < x.version {
			has &^= x.bit // this layer reports the structure as unknown
		}
	}
	if p.has&C.EVK_HAS_13 == 0 {
		list = append(list, extSync2)
		if p.has&C.EVK_HAS_SUBGROUP_SIZE != 0 {
			list = append(list, extSubgroupSize)
		}
	}
	for bit, name := range map[C.uint32_t]string{C.EVK_HAS_EXECUTABLE: extExecutable, C.EVK_HAS_CLOCK: extClock} {
		if p.has&bit != 0 {
			list = append(list, name)
		}
	}
	const rt = C.EVK_HAS_ACCEL | C.EVK_HAS_PIPELINE | C.EVK_HAS_QUERY | C.EVK_HAS_MAINTENANCE | C.EVK_HAS_FETCH |
		C.EVK_HAS_REORDER_NV | C.EVK_HAS_REORDER_EXT
	if !o.Native {
		has &^= rt
	} else {
		if p.RT == nil {
			return nil, 0, fmt.Errorf("%w: %s (use the compute way)", ErrMissingExtension, extRayTracingPipeline)
		}
		list = append(list, extDeferredOperations)
		if p.Extensions[extPipelineLibrary] {
			list = append(list, extPipelineLibrary)
		}
		for bit, name := range map[C.uint32_t]string{C.EVK_HAS_ACCEL: extAccelerationStructure, C.EVK_HAS_PIPELINE: extRayTracingPipeline,
			C.EVK_HAS_QUERY: extRayQuery, C.EVK_HAS_MAINTENANCE: extMaintenance1, C.EVK_HAS_FETCH: extPositionFetch,
			C.EVK_HAS_REORDER_NV: extReorderNV, C.EVK_HAS_REORDER_EXT: extReorderEXT} {
			if has&bit != 0 {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for _, e := range list {
		if !p.Extensions[e] {
			return nil, 0, fmt.Errorf("%w: %s", ErrMissingExtension, e)
		}
	}
	return list, has, nil
}

// Handle is the VkDevice.
func (d *Device) Handle() vulkan.Device { return d.handle }

// Physical is the device's physical device.
func (d *Device) Physical() *PhysicalDevice { return d.physical }

// Instance is the device's instance.
func (d *Device) Instance() *Instance { return d.physical.instance }

// SIMD tells whether a shader's lanes are those of a CPU's vectors, as on lavapipe: what shaders.Variant wants to know. The
// variants need 64-bit integers.
func (d *Device) SIMD() bool {
	return d.physical.Type == vulkan.PhysicalDeviceTypeCpu && d.enabled.Int64
}

// Features are the enabled ones.
func (d *Device) Features() Features { return d.enabled }

// Native says whether the driver's ray tracing is enabled.
func (d *Device) Native() bool { return d.native }

// Logger is where the device writes.
func (d *Device) Logger() *slog.Logger { return d.logger }

// QueueFamily is the index of the family of the one queue.
func (d *Device) QueueFamily() uint32 { return d.family }

// Queue is the VkQueue. Submitting to it other than through this package needs the caller's own locking.
func (d *Device) Queue() vulkan.Queue { return fromRaw[vulkan.Queue](raw(d.c.queue)) }

// WaitIdle waits until the GPU has nothing more to do.
func (d *Device) WaitIdle() error {
	// Others may submit meanwhile, so the queue is only locked when there is little left to wait for.
	if d.c == nil {
		return ErrClosed
	}
	waited := d.submitted().wait(context.Background())
	d.queue.mu.Lock()
	err := check("vkDeviceWaitIdle", vulkan.Result(C.evk_wait_idle(d.c)))
	d.queue.mu.Unlock()
	d.reap()
	if err = cmp.Or(err, waited); err != nil {
		return fmt.Errorf("device %q: %w", d.physical.Name, err)
	}
	return nil
}

// submitted is the last submission.
func (d *Device) submitted() Ticket {
	d.queue.mu.Lock()
	defer d.queue.mu.Unlock()
	return Ticket{d, d.queue.value, "all work"}
}

// Destroy waits for the GPU, and for compilations that nobody wants any more, and ends the device. Its error wraps ErrLeaked and
// names what was not destroyed. It waits only for a while for work that nobody waits for (see Run): if the GPU is not done then,
// the error wraps ErrBusy, nothing is freed, and Destroy may be called again.
func (d *Device) Destroy() error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	if d.gone {
		d.mu.Unlock()
		return nil
	}
	d.gone = true
	d.closed.Store(true)
	d.mu.Unlock()
	d.holds.compiles.Wait()
	err := d.Drain()
	if errors.Is(err, ErrBusy) {
		d.mu.Lock()
		d.gone = false
		d.mu.Unlock()
		return fmt.Errorf("device %q: %w: nothing was freed", d.physical.Name, err)
	}
	d.queue.close(d)
	leaks := d.Leaks()
	d.memory.destroy()
	C.evk_destroy_device(d.c)
	d.c = nil
	if len(leaks) > 0 {
		err = errors.Join(err, fmt.Errorf("device %q: %w: %d: %s", d.physical.Name, ErrLeaked, len(leaks),
			strings.Join(leaks[:min(len(leaks), 20)], ", ")))
	}
	return err
}

// Leaks lists the living objects, each as its kind and quoted name.
func (d *Device) Leaks() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, s := range d.live {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// born enters an object in the accounts, and names it for debuggers.
func (d *Device) born(o any, kind string, name string, objectType uint32, handle C.uint64_t) {
	d.mu.Lock()
	d.live[o] = fmt.Sprintf("%s %q", kind, name)
	d.mu.Unlock()
	d.name(objectType, handle, name)
}

// dies removes an object from the accounts; false means that it was destroyed before.
func (d *Device) dies(o any) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.live[o]
	delete(d.live, o)
	if l, has := o.(interface{ end() }); has {
		l.end()
	}
	return ok && d.c != nil
}

func (d *Device) name(objectType uint32, handle C.uint64_t, name string) {
	if name == "" || d.c.SetDebugUtilsObjectNameEXT == nil {
		return
	}
	c, free := cstring(name)
	defer free()
	C.evk_name(d.c, C.uint32_t(objectType), handle, c)
}
