package vk

// #include "evk.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	vulkan "github.com/vulkan-go/vulkan"
)

// queue is the one queue of a device: a timeline semaphore counts its submissions.
type queue struct {
	mu       sync.Mutex // vkQueueSubmit2, vkQueuePresentKHR, vkDeviceWaitIdle
	timeline vulkan.Semaphore
	value    uint64
}

func (d *Device) openQueue() error {
	s := C.evk_create_semaphore(d.c, 1)
	if err := check("vkCreateSemaphore", s.result); err != nil {
		return err
	}
	d.queue.timeline = fromRaw[vulkan.Semaphore](s.handle)
	d.name(objectSemaphore, s.handle, "queue timeline")
	return nil
}

func (q *queue) close(d *Device) { d.destroy(C.VK_OBJECT_TYPE_SEMAPHORE, raw(q.timeline)) }

// Ticket stands for submitted work. The zero Ticket is done.
type Ticket struct {
	d     *Device
	value uint64
	name  string // of the first command buffer
}

// SemaphoreUse is a binary semaphore of a submission, and the stages that wait for it or that it waits for.
type SemaphoreUse struct {
	Semaphore *Semaphore
	Stage     uint64 // 0 = all commands
}

// Semaphore is a binary VkSemaphore.
type Semaphore struct {
	d      *Device
	handle vulkan.Semaphore
}

// NewSemaphore makes a binary semaphore.
func (d *Device) NewSemaphore(name string) (*Semaphore, error) {
	h := C.evk_create_semaphore(d.c, 0)
	if err := check("vkCreateSemaphore", h.result); err != nil {
		return nil, fmt.Errorf("semaphore %q: %w", name, err)
	}
	s := &Semaphore{d, fromRaw[vulkan.Semaphore](h.handle)}
	d.born(s, "semaphore", name, objectSemaphore, h.handle)
	return s, nil
}

// Handle is the VkSemaphore.
func (s *Semaphore) Handle() vulkan.Semaphore { return s.handle }

// Destroy frees the semaphore.
func (s *Semaphore) Destroy() {
	if s != nil && s.d.dies(s) {
		s.d.destroyLater(C.VK_OBJECT_TYPE_SEMAPHORE, raw(s.handle))
	}
}

// Submission is what one call gives to the queue.
type Submission struct {
	CommandBuffers []*CommandBuffer
	Wait, Signal   []SemaphoreUse
}

// submittable judges a command buffer that is to be submitted.
func (cb *CommandBuffer) submittable(d *Device) error {
	switch {
	case cb == nil:
		return fmt.Errorf("submit: %w: a command buffer is nil", ErrInvalid)
	case cb.err != nil:
		return fmt.Errorf("submit %q: %w", cb.name, cb.err)
	case cb.secondary:
		return fmt.Errorf("submit %q: %w: a secondary command buffer (execute it in a primary)", cb.name, ErrInvalid)
	case !cb.ended:
		return fmt.Errorf("submit %q: %w: it was not ended", cb.name, ErrInvalid)
	}
	if err := d.Owns(cb); err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	for _, s := range cb.executes {
		if !s.Alive() || !s.ended {
			return fmt.Errorf("submit %q: %w: it executes %q, which was destroyed or begun again since", cb.name, ErrInvalid, s.name)
		}
	}
	return nil
}

// SubmitAsync gives ended command buffers to the queue. They execute in order; memory is not synchronised between
// submissions other than by what they record.
func (d *Device) SubmitAsync(s Submission) (Ticket, error) {
	if err := d.usable(); err != nil {
		return Ticket{}, fmt.Errorf("submit: %w", err)
	}
	list := make([]C.uint64_t, len(s.CommandBuffers))
	for i, cb := range s.CommandBuffers {
		if err := cb.submittable(d); err != nil {
			return Ticket{}, err
		}
		list[i] = raw(cb.handle)
	}
	t := Ticket{d: d, name: s.name()}
	wait, signal := semaphoreUses(s.Wait), semaphoreUses(s.Signal)
	d.queue.mu.Lock()
	defer d.queue.mu.Unlock()
	for _, cb := range s.CommandBuffers {
		cb.clearReport()
	}
	value := d.queue.value + 1
	signal = append(signal, C.evk_semaphore{semaphore: raw(d.queue.timeline), value: C.uint64_t(value),
		stage: C.uint64_t(StageAllCommands)})
	if err := check("vkQueueSubmit2", C.evk_submit(d.c, first(list), C.uint32_t(len(list)), first(wait), C.uint32_t(len(wait)),
		first(signal), C.uint32_t(len(signal)))); err != nil {
		return Ticket{}, fmt.Errorf("submit %q: %w", t.name, err)
	}
	d.queue.value, t.value = value, value
	for _, cb := range s.CommandBuffers {
		cb.last = t
		for _, s := range cb.executes {
			s.last = t
		}
	}
	return t, nil
}

// name is that of the first command buffer.
func (s *Submission) name() string {
	if len(s.CommandBuffers) == 0 {
		return "nothing"
	}
	return s.CommandBuffers[0].name
}

func semaphoreUses(list []SemaphoreUse) []C.evk_semaphore {
	out := make([]C.evk_semaphore, 0, len(list)+1)
	for _, u := range list {
		stage := u.Stage
		if stage == 0 {
			stage = StageAllCommands
		}
		out = append(out, C.evk_semaphore{semaphore: raw(u.Semaphore.handle), stage: C.uint64_t(stage)})
	}
	return out
}

// waitSlice is how long a wait blocks before it looks at its context again.
const waitSlice = 50 * time.Millisecond

// Wait returns when the work is done, or with the context's error while it still runs. Then what is destroyed afterwards is
// freed when the work is done.
func (t Ticket) Wait(ctx context.Context) error {
	err := t.wait(ctx)
	if err != nil && t.d != nil {
		t.d.abandon(t)
	}
	return err
}

func (t Ticket) wait(ctx context.Context) error {
	if t.d == nil {
		return nil
	}
	for {
		err := check("vkWaitSemaphores", C.evk_wait_semaphore(t.d.c, raw(t.d.queue.timeline), C.uint64_t(t.value), C.uint64_t(waitSlice)))
		if err == nil {
			return nil
		}
		if !errors.Is(err, ErrTimeout) {
			return fmt.Errorf("wait for %q: %w", t.name, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// waitLonger waits as long as the context lasts and a little more, and abandons the work if it is not done then.
func (t Ticket) waitLonger(ctx context.Context) error {
	err := t.wait(ctx)
	if err == nil || ctx.Err() == nil {
		if err != nil {
			t.d.abandon(t)
		}
		return err
	}
	more, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := t.Wait(more); more.Err() == nil {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), ErrBusy)
}

// finish waits for work, unless the device is busy with what nobody waits for: then nobody waits for this either.
func (d *Device) finish(t Ticket) {
	if t.d == nil {
		return
	}
	if d.abandoned().d != nil {
		d.abandon(t)
		return
	}
	_ = t.Wait(context.Background()) // a lost device is reported where work is waited for
}

// idle waits for work, on a busy device only for a while.
func (d *Device) idle(t Ticket) error {
	if t.d == nil || d.abandoned().d == nil {
		return t.wait(context.Background())
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := t.wait(ctx)
	if ctx.Err() != nil {
		return ErrBusy
	}
	return err
}

// Done says whether the work is done.
func (t Ticket) Done() (bool, error) {
	if t.d == nil {
		return true, nil
	}
	v := C.evk_semaphore_value(t.d.c, raw(t.d.queue.timeline))
	if err := check("vkGetSemaphoreCounterValue", v.result); err != nil {
		return false, fmt.Errorf("look at %q: %w", t.name, err)
	}
	return uint64(v.handle) >= t.value, nil
}

// Submit submits and waits. Of what it does when ctx ends, see Run.
func (d *Device) Submit(ctx context.Context, cbs ...*CommandBuffer) error {
	if err := d.begin(ctx); err != nil {
		return err
	}
	t, err := d.SubmitAsync(Submission{CommandBuffers: cbs})
	if err != nil {
		return err
	}
	return t.Wait(ctx)
}

// begin is what all that waits for the GPU does first.
func (d *Device) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.Settle(ctx)
}

// Run records, submits and waits for one command buffer of its own. If ctx ends while the GPU works, Run waits a tenth of a
// second more, and returns the context's error. If the GPU works on even then, the error wraps ErrBusy, too: the work cannot be
// stopped, the GPU may use everything that was recorded, and what is destroyed from then on is freed when it is done.
func (d *Device) Run(ctx context.Context, name string, record func(cb *CommandBuffer) error) error {
	return d.RunAndRead(ctx, name, record, nil)
}

// RunAndRead is Run, and calls read, if not nil, when the GPU is done and the command buffer and its transient memory are still
// there.
func (d *Device) RunAndRead(ctx context.Context, name string, record, read func(cb *CommandBuffer) error) error {
	if err := d.begin(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	cb, err := d.NewCommandBuffer(name)
	if err != nil {
		return err
	}
	defer cb.Destroy()
	cb.ctx = ctx
	if err := cb.Begin(); err != nil {
		return err
	}
	if err := record(cb); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := cb.End(); err != nil {
		return err
	}
	t, err := d.SubmitAsync(Submission{CommandBuffers: []*CommandBuffer{cb}})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := t.waitLonger(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := ctx.Err(); err != nil || read == nil {
		return err
	}
	return read(cb)
}
