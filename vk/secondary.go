package vk

// #include "evk.h"
import "C"

import "fmt"

// NewSecondaryCommandBuffer makes a command buffer that primaries execute (ExecuteCommands), any number of times and at the
// same time: it is recorded for simultaneous use. It is recorded outside of render passes and inherits nothing: what it
// needs bound, it binds. Its transient memory lives until it is reset or destroyed, and every execution uses the same: a
// recording that writes to it begins with a barrier against its own earlier execution.
func (d *Device) NewSecondaryCommandBuffer(name string) (*CommandBuffer, error) {
	return d.newCommandBuffer(name, true)
}

// Secondary says whether the buffer is a secondary one.
func (cb *CommandBuffer) Secondary() bool { return cb.secondary }

// Executes says whether secondary command buffers are part of the recording.
func (cb *CommandBuffer) Executes() bool { return len(cb.executes) > 0 }

// ExecuteCommands executes ended secondary command buffers, in order and without barriers between them. They must live,
// and must not be recorded again, until this buffer is reset, recorded again or destroyed. What was bound before is
// undefined afterwards.
func (cb *CommandBuffer) ExecuteCommands(secondaries ...*CommandBuffer) {
	if len(secondaries) == 0 {
		return
	}
	if !cb.recording {
		cb.Fail(fmt.Errorf("execute command buffers: %w: %q does not record (call Begin)", ErrInvalid, cb.name))
		return
	}
	list := make([]C.uint64_t, len(secondaries))
	for i, s := range secondaries {
		var why string
		switch {
		case cb.secondary:
			why = "the executing buffer is a secondary one itself"
		case s == nil || !s.secondary:
			why = "it is no secondary command buffer"
		case s.d != cb.d:
			why = "it belongs to another device"
		case !s.Alive():
			why = "it is destroyed"
		case s.err != nil:
			cb.Fail(fmt.Errorf("execute %q: %w", s.name, s.err))
			return
		case !s.ended:
			why = "it was not ended"
		}
		if why != "" {
			cb.Fail(fmt.Errorf("execute command buffer %d: %w: %s", i, ErrInvalid, why))
			return
		}
		list[i] = raw(s.handle)
	}
	cb.executes = append(cb.executes, secondaries...)
	C.evk_execute(cb.d.c, raw(cb.handle), &list[0], C.uint32_t(len(list)))
}

// submitted is the last submission that the buffer was part of.
func (cb *CommandBuffer) submitted() Ticket {
	cb.d.queue.mu.Lock()
	defer cb.d.queue.mu.Unlock()
	return cb.last
}
