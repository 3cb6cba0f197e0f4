package vk

import (
	"encoding/binary"
	"fmt"
	"time"

	vulkan "github.com/vulkan-go/vulkan"
)

// Timer keeps how long spans of commands took on the device: those of a Device, or of a foreign one. Several goroutines may time
// different spans at a time.
type Timer interface {
	// CanTime tells whether spans of a recording can be timed: not where it may run several times.
	CanTime(r Recorder) bool
	// Begin begins a span behind what is recorded, and returns what ends it. Each span is timed once.
	Begin(r Recorder, span int) (end func() error, err error)
	// Took is how long a span took, 0 as long as that is not known.
	Took(span int) time.Duration
	Destroy()
}

// spanBytes are two timestamps.
const spanBytes = 16

// deviceTimer is a Timer of a Device.
type deviceTimer struct {
	results *Buffer // the device writes it
	period  float64 // nanoseconds of a tick
}

// NewTimer makes a Timer for so many spans; nil where the device's queue has no timestamps of 64 bits.
func (d *Device) NewTimer(name string, spans int) (Timer, error) {
	if d.TimestampBits() < 64 {
		return nil, nil
	}
	results, err := d.NewBuffer(BufferOptions{Name: name, Size: uint64(spans) * spanBytes, Memory: Readback,
		Usage: vulkan.BufferUsageFlags(vulkan.BufferUsageTransferDstBit)})
	if err != nil {
		return nil, fmt.Errorf("timer: %w", err)
	}
	clear(results.Mapped())
	return &deviceTimer{results, float64(d.physical.Limits.TimestampPeriod)}, nil
}

// CanTime is Timer's: secondary command buffers may run several times.
func (t *deviceTimer) CanTime(r Recorder) bool {
	cb, ok := r.(*CommandBuffer)
	return ok && cb.d == t.results.d && !cb.secondary
}

// Begin is Timer's. The end of the command buffer shows the host what the span took.
func (t *deviceTimer) Begin(r Recorder, span int) (end func() error, err error) {
	if !t.CanTime(r) || span < 0 || uint64(span) >= t.results.size/spanBytes {
		return nil, fmt.Errorf("timer %q: %w: span %d, or what records it", t.results.name, ErrInvalid, span)
	}
	cb := r.(*CommandBuffer)
	stamps, err := cb.TransientTimestamps(2)
	if err != nil {
		return nil, err
	}
	cb.WriteTimestamp(stamps, 0)
	return func() error {
		cb.WriteTimestamp(stamps, 1)
		return cb.CopyQueries(stamps, 0, 2, t.results, uint64(span)*spanBytes)
	}, nil
}

// Took is Timer's.
func (t *deviceTimer) Took(span int) time.Duration {
	m := t.results.Mapped()[span*spanBytes:]
	from, to := binary.LittleEndian.Uint64(m), binary.LittleEndian.Uint64(m[8:])
	if from == 0 || to <= from {
		return 0
	}
	return time.Duration(float64(to-from) * t.period)
}

// Destroy frees the timer. No recording that times a span may be pending.
func (t *deviceTimer) Destroy() { t.results.Destroy() }
