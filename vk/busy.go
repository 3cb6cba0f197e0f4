package vk

// #include "evk.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// grace is how long Run and Destroy go on waiting for the GPU after the end of a context: most work is done by then, and
// leaves nothing behind.
const grace = 100 * time.Millisecond

// holds is the account of what still uses a device's objects although nobody waits for it: submissions whose waiter gave up,
// and compilations that nobody wants any more. As long as there is one, what is destroyed is freed later: when all that were
// there before have ended. Whoever destroys, waits or runs out of memory next looks after it.
type holds struct {
	mu       sync.Mutex
	next     uint64
	active   []*hold // in the order of their ids
	later    []deferred
	compiles sync.WaitGroup
}

type hold struct {
	id    uint64
	value uint64 // of the queue's timeline that ends it; 0 for a compilation, which removes its hold itself
}

// deferred is something to free when no hold before until is left.
type deferred struct {
	until uint64
	free  func()
}

// abandon has what is destroyed from now on wait for a submission.
func (d *Device) abandon(t Ticket) {
	h := &d.holds
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.active); n > 0 && slices.ContainsFunc(h.active, func(a *hold) bool { return a.value >= t.value }) {
		return // it ends first
	}
	h.active = append(h.active, &hold{h.next, t.value})
	h.next++
}

// later frees something now, or when nothing of what is abandoned can use it any more.
func (d *Device) later(free func()) {
	d.reap()
	h := &d.holds
	h.mu.Lock()
	if len(h.active) > 0 {
		h.later = append(h.later, deferred{h.next, free})
		free = nil
	}
	h.mu.Unlock()
	if free != nil {
		free()
	}
}

// reap ends the holds of submissions that are done, and frees what waited for them.
func (d *Device) reap() {
	h := &d.holds
	h.mu.Lock()
	if len(h.active) == 0 {
		h.mu.Unlock()
		return
	}
	if slices.ContainsFunc(h.active, func(a *hold) bool { return a.value > 0 }) {
		done := d.reached()
		h.active = slices.DeleteFunc(h.active, func(a *hold) bool { return a.value > 0 && a.value <= done })
	}
	free := h.ripe()
	h.mu.Unlock()
	for _, f := range free {
		f.free()
	}
}

// hasDeferred tells whether something destroyed is not freed yet.
func (d *Device) hasDeferred() bool {
	d.holds.mu.Lock()
	defer d.holds.mu.Unlock()
	return len(d.holds.later) > 0
}

// ripe takes out what no hold keeps.
func (h *holds) ripe() []deferred {
	until := h.next
	if len(h.active) > 0 {
		until = h.active[0].id
	}
	n, _ := slices.BinarySearchFunc(h.later, until+1, func(x deferred, u uint64) int { return int(int64(x.until - u)) })
	free := slices.Clone(h.later[:n])
	h.later = slices.Delete(h.later, 0, n)
	return free
}

// reached is the last submission that is done. A lost device is done with all: waiting for it ends in finite time, and what it
// had may then be freed.
func (d *Device) reached() uint64 {
	v := C.evk_semaphore_value(d.c, raw(d.queue.timeline))
	switch v.result {
	case 0:
		return uint64(v.handle)
	case C.VK_ERROR_DEVICE_LOST:
		d.queue.mu.Lock()
		defer d.queue.mu.Unlock()
		if r := C.evk_wait_idle(d.c); r == 0 || r == C.VK_ERROR_DEVICE_LOST {
			return d.queue.value
		}
	}
	return 0 // not known now; whoever looks next asks again
}

// abandoned is the last submission that nobody waits for and that still runs; the zero Ticket if there is none.
func (d *Device) abandoned() Ticket {
	d.reap()
	d.holds.mu.Lock()
	defer d.holds.mu.Unlock()
	t := Ticket{}
	for _, a := range d.holds.active {
		if a.value > t.value {
			t = Ticket{d, a.value, "abandoned work"}
		}
	}
	return t
}

// Settle waits for all work whose waiter gave up: until then the GPU may use what that work uses, which must not be written.
// It returns at once where there is none. Run, Submit, uploads and reads settle first. If ctx ends before, the error wraps
// ErrBusy and the context's.
func (d *Device) Settle(ctx context.Context) error {
	t := d.abandoned()
	if t.d == nil {
		return nil
	}
	if err := t.wait(ctx); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", ErrBusy, ctx.Err())
		}
		return err
	}
	d.reap()
	return nil
}

// Drain waits until the GPU has nothing more to do, but only for a while if it is busy with work that nobody waits for: then it
// fails with ErrBusy.
func (d *Device) Drain() error {
	if d.c == nil {
		return ErrClosed
	}
	if err := d.idle(d.submitted()); errors.Is(err, ErrBusy) {
		return err
	}
	return d.WaitIdle()
}

// inBackground compiles. If the context ends first, it returns its error while the compilation goes on, as no driver can
// be stopped; then the result is destroyed when it is there, and nothing that it may use is freed before.
func inBackground[T interface{ Destroy() }](ctx context.Context, d *Device, compile func() (T, error)) (T, error) {
	var none T
	if ctx.Done() == nil {
		return compile()
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	type result struct {
		made T
		err  error
	}
	made := make(chan result, 1)
	go func() {
		t, err := compile()
		made <- result{t, err}
	}()
	select {
	case r := <-made:
		return r.made, r.err
	case <-ctx.Done():
	}
	end := d.holdCompilation()
	go func() {
		defer end()
		if r := <-made; r.err == nil {
			r.made.Destroy()
		}
	}()
	return none, ctx.Err()
}

// holdCompilation has what is destroyed from now on wait until end is called.
func (d *Device) holdCompilation() (end func()) {
	h := &d.holds
	h.mu.Lock()
	defer h.mu.Unlock()
	mine := &hold{id: h.next}
	h.next++
	h.active = append(h.active, mine)
	h.compiles.Add(1)
	return func() {
		h.mu.Lock()
		h.active = slices.DeleteFunc(h.active, func(a *hold) bool { return a == mine })
		free := h.ripe()
		h.mu.Unlock()
		for _, f := range free {
			f.free()
		}
		h.compiles.Done()
	}
}
