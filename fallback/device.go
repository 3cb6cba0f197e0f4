package fallback

import (
	"context"
	"log/slog"

	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// Device is what a Pipeline asks of a device: a vk.Device, or a foreign one in which others make kernels.
type Device interface {
	// Physical says what the device is: its limits and whether it is a CPU.
	Physical() *vk.PhysicalDevice
	// SIMD tells whether lanes are those of a CPU's vectors, Features what is enabled.
	SIMD() bool
	Features() vk.Features
	Logger() *slog.Logger
	// NewKernelLayout, NewKernelContext and NewKernelCache are vk.Device's. A device that needs no caches makes none.
	NewKernelLayout(name string, sets []vk.SetLayout, push uint32) (vk.KernelLayout, error)
	NewKernelContext(ctx context.Context, o vk.KernelOptions) (vk.Kernel, error)
	NewKernelCache(name string) (vk.KernelCache, error)
	// NewTimer makes what launches are timed with, so that FormAuto learns; nil on a device that times none.
	NewTimer(name string, spans int) (vk.Timer, error)
}

// Target is what the code of a pipeline depends on beside its shaders: the device's limits and kind. Who has one can link, and
// cache what was linked, without a device.
type Target struct {
	// Runtime is the sort of device that the runtime is made for.
	Runtime shaders.Target
	// MaxLanes are those of a workgroup (maxComputeWorkGroupInvocations), 0 is 128; MaxShared the bytes of its shared memory
	// (maxComputeSharedMemorySize), 0 is 16 KiB.
	MaxLanes, MaxShared uint32
}

// TargetOf is the target for a device.
func TargetOf(dev Device) Target {
	l := &dev.Physical().Limits
	return Target{Runtime: shaders.TargetOf(dev.SIMD(), dev.Features().Int64), MaxLanes: l.MaxComputeWorkGroupInvocations,
		MaxShared: l.MaxComputeSharedMemorySize}
}

// destroy frees what is not nil.
func destroy(list ...interface{ Destroy() }) {
	for _, x := range list {
		if x != nil {
			x.Destroy()
		}
	}
}
