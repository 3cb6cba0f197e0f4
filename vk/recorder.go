package vk

import (
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"
)

// Memory is what commands by address have to know of memory: a Buffer, or memory that a foreign device owns.
type Memory interface {
	// Address of the first byte, on the device.
	Address() DeviceAddress
	// Size in bytes.
	Size() uint64
	// Name for messages.
	Name() string
}

// Recorder takes compute commands that know memory by address only: a CommandBuffer, or what stands in for a foreign command
// buffer and plays them there. It also gives the memory that commands need beside their own, for as long as the recording may
// run. It reports what fails when the recording ends, or as CommandBuffer does.
type Recorder interface {
	// RunKernel binds a kernel of the Recorder's device, sets its first push constants and runs x * y * z workgroups.
	RunKernel(k Kernel, push []byte, x, y, z uint32)
	// ComputeBarrier makes what kernels before wrote visible to kernels behind.
	ComputeBarrier()
	// BeginLabel and EndLabel enclose commands for debuggers.
	BeginLabel(name string)
	EndLabel()
	// Context is that of who records: kernels that are compiled for it are waited for as long.
	Context() context.Context
	// TransientUpload returns memory that the CPU fills before the recording is submitted, TransientDevice memory of the device
	// alone. align is a power of two.
	TransientUpload(size, align uint64) (DeviceAddress, []byte, error)
	TransientDevice(size, align uint64) (DeviceAddress, error)
}

var (
	_ Recorder = (*CommandBuffer)(nil)
	_ Memory   = (*Buffer)(nil)
)

// Kernel is a compute pipeline without descriptor sets, as a Recorder runs it.
type Kernel interface{ Destroy() }

// KernelOptions says what NewKernel makes.
type KernelOptions struct {
	Name string
	Code []uint32 // SPIR-V, with the entry point main
	// Push is the bytes of push constants, a multiple of 4.
	Push           uint32
	Specialization map[uint32]uint32
}

// computeKernel is a Kernel of a Device.
type computeKernel struct {
	name     string
	layout   *PipelineLayout
	pipeline *Pipeline
}

// NewKernel compiles a kernel.
func (d *Device) NewKernel(o KernelOptions) (Kernel, error) {
	k := &computeKernel{name: o.Name}
	var err error
	if k.layout, err = d.NewPipelineLayout(o.Name, nil, []PushRange{{Stages: StageCompute, Size: o.Push}}); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	k.pipeline, err = d.NewComputePipeline(ComputePipelineOptions{
		Name: o.Name, Code: o.Code, Layout: k.layout, Specialization: o.Specialization,
	})
	if err != nil {
		k.layout.Destroy()
		return nil, fmt.Errorf("kernel: %w", err)
	}
	return k, nil
}

func (k *computeKernel) Destroy() {
	k.pipeline.Destroy()
	k.layout.Destroy()
}

// RunKernel is Recorder's. A kernel of another device fails the recording.
func (cb *CommandBuffer) RunKernel(k Kernel, push []byte, x, y, z uint32) {
	own, ok := k.(*computeKernel)
	if !ok || own.pipeline.d != cb.d {
		cb.Fail(fmt.Errorf("%w: a kernel of another device", ErrInvalid))
		return
	}
	cb.BindComputePipeline(own.pipeline)
	cb.PushConstants(own.layout, vulkan.ShaderStageFlags(vulkan.ShaderStageComputeBit), 0, push)
	cb.Dispatch(x, y, z)
	if cb.watch != nil {
		cb.watch(own.name)
	}
}

// WatchKernels has f called behind every RunKernel, with the kernel's name: a profiler writes timestamps there. nil ends that.
func (cb *CommandBuffer) WatchKernels(f func(name string)) { cb.watch = f }
