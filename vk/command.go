package vk

// #include "evk.h"
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"
)

// CommandBuffer is a primary or secondary command buffer with a pool of its own and transient memory. It is recorded by
// one goroutine at a time; distinct ones may be recorded concurrently.
//
// Recording methods return nothing: what can fail is kept and returned by End.
type CommandBuffer struct {
	life
	d         *Device
	pool      vulkan.CommandPool
	handle    vulkan.CommandBuffer
	name      string
	err       error
	last      Ticket          // guarded by the queue's lock: secondaries are submitted with several primaries
	ctx       context.Context // nil outside of Run
	transient [4]transient    // by MemoryKind
	scratch   Range           // part of it, see TransientScratch
	report    report          // part of it, too
	queries   []*QueryPool    // transient, too
	labels    int
	kernel    *computeKernel      // bound by BindKernel
	watch     func(kernel string) // see WatchKernels
	secondary bool
	recording bool             // between Begin and End
	ended     bool             // recorded to the end and not reset since
	executes  []*CommandBuffer // the secondaries of a primary's recording
}

// Context is that of the Run that records the buffer, for recorders that may block, such as those that compile what they record.
func (cb *CommandBuffer) Context() context.Context {
	if cb.ctx == nil {
		return context.Background()
	}
	return cb.ctx
}

// NewCommandBuffer makes a primary command buffer that is not yet begun.
func (d *Device) NewCommandBuffer(name string) (*CommandBuffer, error) {
	return d.newCommandBuffer(name, false)
}

func (d *Device) newCommandBuffer(name string, secondary bool) (*CommandBuffer, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("command buffer %q: %w", name, err)
	}
	p := C.evk_create_command_pool(d.c, C.uint32_t(d.family))
	if err := check("vkCreateCommandPool", p.result); err != nil {
		return nil, fmt.Errorf("command buffer %q: %w", name, err)
	}
	pool := fromRaw[vulkan.CommandPool](p.handle)
	unlock := d.lockLabels()
	b := C.evk_allocate_command_buffer(d.c, p.handle, cbool(secondary))
	unlock()
	if err := check("vkAllocateCommandBuffers", b.result); err != nil {
		d.destroy(C.VK_OBJECT_TYPE_COMMAND_POOL, raw(pool))
		return nil, fmt.Errorf("command buffer %q: %w", name, err)
	}
	cb := &CommandBuffer{d: d, pool: pool, handle: fromRaw[vulkan.CommandBuffer](b.handle), name: name, secondary: secondary}
	d.born(cb, "command buffer", name, objectCommandBuffer, b.handle)
	d.name(objectCommandPool, p.handle, name)
	return cb, nil
}

// Handle is the VkCommandBuffer.
func (cb *CommandBuffer) Handle() vulkan.CommandBuffer { return cb.handle }

// Device is the buffer's device.
func (cb *CommandBuffer) Device() *Device { return cb.d }

// Recording says whether the buffer is between Begin and End.
func (cb *CommandBuffer) Recording() bool { return cb.recording }

// Name as given.
func (cb *CommandBuffer) Name() string { return cb.name }

// Begin starts to record a buffer that is new or was Reset.
func (cb *CommandBuffer) Begin() error {
	if cb.recording || cb.ended {
		return fmt.Errorf("command buffer %q: %w: Begin of what is recorded already: Reset it first", cb.name, ErrInvalid)
	}
	cb.err, cb.ended, cb.executes, cb.report.copies, cb.kernel = nil, false, nil, nil, nil
	defer cb.d.lockLabels()()
	err := cb.wrap("vkBeginCommandBuffer", C.evk_begin(cb.d.c, raw(cb.handle), cbool(cb.secondary)))
	cb.recording = err == nil
	return err
}

// End makes everything written visible to the host (of a secondary, its primary does) and ends what Begin began. It returns
// the first error of recording.
func (cb *CommandBuffer) End() error {
	if !cb.recording {
		return fmt.Errorf("command buffer %q: %w: End of what was not begun: call Begin first", cb.name, ErrInvalid)
	}
	for cb.labels > 0 {
		cb.EndLabel()
	}
	if !cb.secondary {
		cb.collectReports()
		cb.MemoryBarrier(StageAllCommands, AccessMemoryWrite, StageHost, AccessHostRead)
	}
	cb.recording = false
	if err := cb.wrap("vkEndCommandBuffer", C.evk_end(cb.d.c, raw(cb.handle))); err != nil {
		return err
	}
	if cb.err != nil {
		return fmt.Errorf("command buffer %q: %w", cb.name, cb.err)
	}
	cb.ended = true
	return nil
}

// Reset forgets what was recorded and reuses the transient memory. The GPU must be done with the buffer: Reset waits
// for its last submission, for a secondary that of the primaries which execute it. Those must be recorded anew. Where the
// device is busy with work that nobody waits for, it does not wait for long, and fails with ErrBusy.
func (cb *CommandBuffer) Reset() error {
	if err := cb.d.idle(cb.submitted()); err != nil {
		return fmt.Errorf("command buffer %q: %w", cb.name, err)
	}
	cb.err, cb.labels, cb.scratch, cb.recording, cb.ended, cb.executes = nil, 0, Range{}, false, false, nil
	cb.report = report{}
	for i := range cb.transient {
		cb.transient[i].rewind()
	}
	cb.dropQueries()
	defer cb.d.lockLabels()()
	return cb.wrap("vkResetCommandPool", C.evk_reset_pool(cb.d.c, raw(cb.pool)))
}

// Destroy waits for the buffer's last submission, and frees it and its transient memory. Where the device is busy with work that
// nobody waits for (ErrBusy), it does not wait, and both are freed when the GPU is done with them.
func (cb *CommandBuffer) Destroy() {
	if cb == nil || !cb.d.dies(cb) {
		return
	}
	cb.d.finish(cb.submitted())
	for i := range cb.transient {
		cb.transient[i].destroy()
	}
	cb.dropQueries()
	cb.d.later(func() {
		defer cb.d.lockLabels()()
		cb.d.destroy(C.VK_OBJECT_TYPE_COMMAND_POOL, raw(cb.pool))
	})
}

func (cb *CommandBuffer) wrap(op string, r C.int32_t) error {
	if err := check(op, r); err != nil {
		return fmt.Errorf("command buffer %q: %w", cb.name, err)
	}
	return nil
}

// Fail keeps an error for End.
func (cb *CommandBuffer) Fail(err error) {
	if cb.err == nil {
		cb.err = err
	}
}

// BindComputePipeline binds p.
func (cb *CommandBuffer) BindComputePipeline(p *Pipeline) {
	C.evk_bind_pipeline(cb.d.c, raw(cb.handle), C.VK_PIPELINE_BIND_POINT_COMPUTE, raw(p.handle))
}

// BindDescriptorSets binds sets from first on, whose layouts have no dynamic descriptors.
func (cb *CommandBuffer) BindDescriptorSets(point vulkan.PipelineBindPoint, layout *PipelineLayout, firstSet uint32,
	sets ...*DescriptorSet) {
	cb.BindDescriptorSetsAt(point, layout, firstSet, sets, nil)
}

// BindDescriptorSetsAt binds sets from first on, with an offset for each of their dynamic descriptors: by set, by binding, by array
// element.
func (cb *CommandBuffer) BindDescriptorSetsAt(point vulkan.PipelineBindPoint, layout *PipelineLayout, firstSet uint32,
	sets []*DescriptorSet, offsets []uint32) {
	if len(sets) == 0 {
		return
	}
	var few [8]C.uint64_t
	list := few[:0]
	for _, s := range sets {
		list = append(list, raw(s.handle))
	}
	moved := make([]C.uint32_t, len(offsets))
	for i, n := range offsets {
		moved[i] = C.uint32_t(n)
	}
	C.evk_bind_sets(cb.d.c, raw(cb.handle), C.uint32_t(point), raw(layout.handle), C.uint32_t(firstSet), &list[0],
		C.uint32_t(len(list)), first(moved), C.uint32_t(len(moved)))
}

// PushConstants sets len(data) bytes, a multiple of 4.
func (cb *CommandBuffer) PushConstants(layout *PipelineLayout, stages vulkan.ShaderStageFlags, off uint32, data []byte) {
	if len(data) == 0 {
		return
	}
	C.evk_push(cb.d.c, raw(cb.handle), raw(layout.handle), C.uint32_t(stages), C.uint32_t(off), C.uint32_t(len(data)),
		unsafe.Pointer(&data[0]))
}

// Dispatch runs the bound compute pipeline. A count of zero in any direction runs nothing.
func (cb *CommandBuffer) Dispatch(x, y, z uint32) {
	C.evk_dispatch(cb.d.c, raw(cb.handle), C.uint32_t(x), C.uint32_t(y), C.uint32_t(z))
}

// DispatchIndirect reads three counts from b at off, a multiple of 4.
func (cb *CommandBuffer) DispatchIndirect(b *Buffer, off uint64) {
	C.evk_dispatch_indirect(cb.d.c, raw(cb.handle), raw(b.handle), C.uint64_t(off))
}

// CopyBuffer copies size bytes.
func (cb *CommandBuffer) CopyBuffer(src *Buffer, srcOff uint64, dst *Buffer, dstOff, size uint64) {
	C.evk_copy_buffer(cb.d.c, raw(cb.handle), raw(src.handle), C.uint64_t(srcOff), raw(dst.handle), C.uint64_t(dstOff),
		C.uint64_t(size))
}

// FillBuffer writes value to size bytes (a multiple of 4) from off (likewise).
func (cb *CommandBuffer) FillBuffer(b *Buffer, off, size uint64, value uint32) {
	C.evk_fill_buffer(cb.d.c, raw(cb.handle), raw(b.handle), C.uint64_t(off), C.uint64_t(size), C.uint32_t(value))
}

// UpdateBuffer writes at most 64 KiB (a multiple of 4 bytes) that are kept in the command buffer.
func (cb *CommandBuffer) UpdateBuffer(b *Buffer, off uint64, data []byte) {
	const most = 64 << 10
	if len(data) > most || len(data)%4 != 0 {
		cb.Fail(fmt.Errorf("update of buffer %q: %w: %d bytes (at most %d, a multiple of 4; use TransientUpload)", b.name, ErrInvalid,
			len(data), most))
		return
	}
	if len(data) > 0 {
		C.evk_update_buffer(cb.d.c, raw(cb.handle), raw(b.handle), C.uint64_t(off), C.uint64_t(len(data)), unsafe.Pointer(&data[0]))
	}
}

// MemoryBarrier is a global barrier of Stage... and Access... bits.
func (cb *CommandBuffer) MemoryBarrier(srcStage, srcAccess, dstStage, dstAccess uint64) {
	C.evk_memory_barrier(cb.d.c, raw(cb.handle), C.uint64_t(srcStage), C.uint64_t(srcAccess), C.uint64_t(dstStage),
		C.uint64_t(dstAccess))
}

// ComputeBarrier orders compute writes before compute reads and writes. Indirect arguments are not among them: where they
// are, a barrier costs the H200 1 to 2 us more, which is 4 to 16% of a build.
func (cb *CommandBuffer) ComputeBarrier() {
	cb.MemoryBarrier(StageComputeShader, AccessShaderRead|AccessShaderWrite, StageComputeShader, AccessShaderRead|AccessShaderWrite)
}

// IndirectBarrier is ComputeBarrier for indirect arguments, too.
func (cb *CommandBuffer) IndirectBarrier() {
	cb.MemoryBarrier(StageComputeShader, AccessShaderRead|AccessShaderWrite,
		StageComputeShader|StageDrawIndirect, AccessShaderRead|AccessShaderWrite|AccessIndirectCommandRead)
}

// TransferBarrier orders transfer writes before everything that compute shaders, indirect arguments and transfers do,
// and the other way round.
func (cb *CommandBuffer) TransferBarrier() {
	const stages = StageTransfer | StageComputeShader
	cb.MemoryBarrier(stages, AccessTransferRead|AccessTransferWrite|AccessShaderRead|AccessShaderWrite,
		stages|StageDrawIndirect, AccessTransferRead|AccessTransferWrite|AccessShaderRead|AccessShaderWrite|AccessIndirectCommandRead)
}

// BeginLabel opens a named pass for debuggers and validation messages.
func (cb *CommandBuffer) BeginLabel(name string) {
	cb.labels++
	if cb.d.c.CmdBeginDebugUtilsLabelEXT == nil {
		return
	}
	c, free := cstring(name)
	defer free()
	defer cb.d.lockLabels()()
	C.evk_begin_label(cb.d.c, raw(cb.handle), c)
}

// EndLabel closes the last one.
func (cb *CommandBuffer) EndLabel() {
	if cb.labels == 0 {
		cb.Fail(fmt.Errorf("%w: EndLabel without BeginLabel", ErrInvalid))
		return
	}
	cb.labels--
	defer cb.d.lockLabels()()
	C.evk_end_label(cb.d.c, raw(cb.handle))
}

// ResetQueries makes queries writable again; a pool is fresh from NewQueryPool.
func (cb *CommandBuffer) ResetQueries(p *QueryPool, first, count uint32) {
	C.evk_reset_queries(cb.d.c, raw(cb.handle), raw(p.handle), C.uint32_t(first), C.uint32_t(count))
}

// WriteTimestamp writes query i when everything recorded before is done.
func (cb *CommandBuffer) WriteTimestamp(p *QueryPool, i uint32) {
	C.evk_timestamp(cb.d.c, raw(cb.handle), C.uint64_t(StageAllCommands), raw(p.handle), C.uint32_t(i))
}
