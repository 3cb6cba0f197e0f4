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
// buffer and plays them there. What commands need beside it (memory for uploads, scratch, stacks) they ask for by interfaces of
// their own packages. It reports what fails when the recording ends, or as CommandBuffer does.
type Recorder interface {
	// BindKernel has the next kernels that run be k, which the Recorder's device made. A command binds what it runs: nothing is
	// bound when it begins.
	BindKernel(k Kernel)
	// BindSets binds descriptor sets from set 0 on, with an offset for each of their dynamic descriptors, for the bound kernel
	// and those that are bound later and have the same KernelLayout. No sets bind nothing.
	BindSets(sets []Set, offsets []uint32)
	// RunKernel sets the bound kernel's first push constants, a multiple of 4 bytes, and runs x * y * z workgroups.
	RunKernel(push []byte, x, y, z uint32)
	// RunKernelAt does the same with three counts of 32 bits that the device reads at an address, a multiple of 4, in memory that
	// the recording took for itself on the device.
	RunKernelAt(push []byte, groups DeviceAddress)
	// Barrier has kernels behind wait for kernels before.
	Barrier(w Wait)
	// BeginLabel and EndLabel enclose commands for debuggers.
	BeginLabel(name string)
	EndLabel()
	// Context is that of who records: kernels that are compiled for it are waited for as long.
	Context() context.Context
}

// Wait is what a barrier waits for.
type Wait int

// The barriers of a Recorder.
const (
	// WaitNone: nothing.
	WaitNone Wait = iota
	// WaitCompute: what kernels before it read and wrote.
	WaitCompute
	// WaitIndirect: the same, for counts that RunKernelAt reads as well.
	WaitIndirect
	// WaitCommands: kernels before it, and what the application made visible to indirect commands.
	WaitCommands
)

var (
	_ Recorder = (*CommandBuffer)(nil)
	_ Memory   = (*Buffer)(nil)
)

// Set is a descriptor set as a Recorder binds it: a DescriptorSet, or a foreign one. SetLayout is its layout.
type (
	Set       interface{ Name() string }
	SetLayout interface{ Name() string }
)

// Kernel is a compute pipeline as a Recorder runs it, KernelLayout what it has in common with others: sets and push constants.
type (
	Kernel       interface{ Destroy() }
	KernelLayout interface{ Destroy() }
)

// KernelCache keeps what a driver compiled: a PipelineCache, or a foreign one.
type KernelCache interface{ Destroy() }

// KernelOptions says what NewKernel makes.
type KernelOptions struct {
	Name string
	Code []uint32 // SPIR-V, with the entry point main
	// Layout, if not nil, is that of several kernels, and outlives them. Without it the kernel has no sets, and Push bytes of push
	// constants, a multiple of 4.
	Layout         KernelLayout
	Push           uint32
	Specialization map[uint32]uint32
	// Statistics keeps what the driver tells about the compiled code, for KernelStatistics.
	Statistics bool
	// Cache, if not nil, is asked for the compiled code and receives it.
	Cache KernelCache
}

// computeKernel is a Kernel of a Device.
type computeKernel struct {
	name     string
	own      *PipelineLayout // nil with KernelOptions.Layout
	layout   *PipelineLayout
	pipeline *Pipeline
}

// NewKernelLayout makes a layout for kernels that have descriptor sets of these layouts and so many bytes of push constants, a
// multiple of 4.
func (d *Device) NewKernelLayout(name string, sets []SetLayout, push uint32) (KernelLayout, error) {
	own := make([]*DescriptorSetLayout, len(sets))
	for i, s := range sets {
		l, ok := s.(*DescriptorSetLayout)
		if !ok || l.d != d {
			return nil, fmt.Errorf("kernel layout %q: %w: set layout %d belongs to another device", name, ErrInvalid, i)
		}
		own[i] = l
	}
	l, err := d.NewPipelineLayout(name, own, []PushRange{{Stages: StageCompute, Size: push}})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// NewKernelCache makes an empty cache of compiled kernels.
func (d *Device) NewKernelCache(name string) (KernelCache, error) {
	c, err := d.NewPipelineCache(name, nil)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// NewKernel compiles a kernel.
func (d *Device) NewKernel(o KernelOptions) (Kernel, error) {
	return d.NewKernelContext(context.Background(), o)
}

// NewKernelContext is NewKernel, but returns when the context ends, as NewComputePipelineContext does.
func (d *Device) NewKernelContext(ctx context.Context, o KernelOptions) (Kernel, error) {
	fail := func(err error) (Kernel, error) { return nil, fmt.Errorf("kernel: %w", err) }
	k := &computeKernel{name: o.Name}
	var cache *PipelineCache
	var ok bool
	if o.Cache != nil {
		if cache, ok = o.Cache.(*PipelineCache); !ok || cache.d != d {
			return fail(fmt.Errorf("%q: %w: Cache belongs to another device", o.Name, ErrInvalid))
		}
	}
	if o.Layout != nil {
		if k.layout, ok = o.Layout.(*PipelineLayout); !ok || k.layout.d != d {
			return fail(fmt.Errorf("%q: %w: Layout belongs to another device", o.Name, ErrInvalid))
		}
	} else {
		var err error
		if k.own, err = d.NewPipelineLayout(o.Name, nil, []PushRange{{Stages: StageCompute, Size: o.Push}}); err != nil {
			return fail(err)
		}
		k.layout = k.own
	}
	var err error
	k.pipeline, err = d.NewComputePipelineContext(ctx, ComputePipelineOptions{Name: o.Name, Code: o.Code, Layout: k.layout,
		Specialization: o.Specialization, Statistics: o.Statistics, Cache: cache})
	if err != nil {
		k.own.Destroy()
		return fail(err)
	}
	return k, nil
}

func (k *computeKernel) Destroy() {
	k.pipeline.Destroy()
	k.own.Destroy()
}

// KernelStatistics are what the driver tells of a kernel that was made with the option of that name; nil where it tells nothing,
// as of a foreign kernel.
func KernelStatistics(k Kernel) ([]Statistic, error) {
	if own, ok := k.(*computeKernel); ok {
		return own.pipeline.Statistics()
	}
	return nil, nil
}

// BindKernel is Recorder's. A kernel of another device fails the recording.
func (cb *CommandBuffer) BindKernel(k Kernel) {
	own, ok := k.(*computeKernel)
	if !ok || own.pipeline.d != cb.d {
		cb.kernel = nil
		cb.Fail(fmt.Errorf("%w: a kernel of another device", ErrInvalid))
		return
	}
	cb.kernel = own
	cb.BindComputePipeline(own.pipeline)
}

// BindSets is Recorder's. Sets of another device fail the recording.
func (cb *CommandBuffer) BindSets(sets []Set, offsets []uint32) {
	if len(sets) == 0 || !cb.hasKernel() {
		return
	}
	var few [8]*DescriptorSet
	list := few[:0]
	for i, s := range sets {
		own, ok := s.(*DescriptorSet)
		if !ok || own.d != cb.d {
			cb.Fail(fmt.Errorf("%w: descriptor set %d belongs to another device", ErrInvalid, i))
			return
		}
		list = append(list, own)
	}
	cb.BindDescriptorSetsAt(vulkan.PipelineBindPointCompute, cb.kernel.layout, 0, list, offsets)
}

// RunKernel is Recorder's.
func (cb *CommandBuffer) RunKernel(push []byte, x, y, z uint32) {
	if cb.hasKernel() {
		cb.PushConstants(cb.kernel.layout, StageCompute, 0, push)
		cb.Dispatch(x, y, z)
		cb.ran()
	}
}

// RunKernelAt is Recorder's. The address must be of TransientDevice memory of this recording; others fail it.
func (cb *CommandBuffer) RunKernelAt(push []byte, groups DeviceAddress) {
	const bytes = 12
	if !cb.hasKernel() {
		return
	}
	b, offset := cb.transient[DeviceLocal].find(groups, bytes)
	if b == nil {
		cb.Fail(fmt.Errorf("%w: %d bytes at %#x are no memory of the recording (use TransientDevice)", ErrInvalid, bytes, groups))
		return
	}
	cb.PushConstants(cb.kernel.layout, StageCompute, 0, push)
	cb.DispatchIndirect(b, offset)
	cb.ran()
}

// hasKernel tells whether a kernel is bound; where none is, it fails the recording.
func (cb *CommandBuffer) hasKernel() bool {
	if cb.kernel == nil {
		cb.Fail(fmt.Errorf("%w: no kernel is bound (BindKernel)", ErrInvalid))
	}
	return cb.kernel != nil
}

// ran tells who watches of a kernel.
func (cb *CommandBuffer) ran() {
	if cb.watch != nil {
		cb.watch(cb.kernel.name)
	}
}

// Barrier is Recorder's.
func (cb *CommandBuffer) Barrier(w Wait) {
	const shader = AccessShaderRead | AccessShaderWrite
	switch w {
	case WaitNone:
	case WaitCompute:
		cb.ComputeBarrier()
	case WaitIndirect:
		cb.IndirectBarrier()
	case WaitCommands:
		cb.MemoryBarrier(StageDrawIndirect|StageComputeShader, shader|AccessIndirectCommandRead, StageComputeShader, shader)
	default:
		cb.Fail(fmt.Errorf("%w: barrier %d", ErrInvalid, w))
	}
}

// WatchKernels has f called behind every kernel that runs, with the kernel's name: a profiler writes timestamps there. nil ends
// that.
func (cb *CommandBuffer) WatchKernels(f func(name string)) { cb.watch = f }
