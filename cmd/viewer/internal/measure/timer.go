package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// MaxRepeats is how often work is repeated in one submission at most.
const MaxRepeats = 16

// ErrRepeats is returned by Repeat for a number of repetitions that is not between 1 and MaxRepeats.
var ErrRepeats = errors.New("bad number of repetitions")

// Timer holds the timestamps of one submission.
type Timer struct {
	dev  *engine.Device
	pool *vk.QueryPool
}

// NewTimer makes a Timer. It fails on a queue without timestamps.
func NewTimer(dev *engine.Device) (*Timer, error) {
	pool, err := dev.VK().NewQueryPool(2 * MaxRepeats)
	if err != nil {
		return nil, fmt.Errorf("timer: %w", err)
	}
	return &Timer{dev: dev, pool: pool}, nil
}

// Repeat records work n times in one submission, with barriers between and timestamps around each, waits, and returns the
// GPU's time of each.
func (t *Timer) Repeat(ctx context.Context, what string, n int, record func(cb *vk.CommandBuffer) error) ([]time.Duration, error) {
	if n < 1 || n > MaxRepeats {
		return nil, fmt.Errorf("%s: %w: %d, want 1 to %d", what, ErrRepeats, n, MaxRepeats)
	}
	err := t.dev.Run(ctx, what, func(cb *vk.CommandBuffer) error {
		cb.ResetQueries(t.pool, 0, uint32(2*n))
		for i := range n {
			t.dev.CmdBarrier(cb)
			cb.WriteTimestamp(t.pool, uint32(2*i))
			if err := record(cb); err != nil {
				return err
			}
			cb.WriteTimestamp(t.pool, uint32(2*i+1))
		}
		t.dev.CmdBarrier(cb)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	ticks, err := t.pool.Range(0, uint32(2*n))
	if err != nil {
		return nil, fmt.Errorf("%s: timestamps: %w", what, err)
	}
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = time.Duration(ticks[2*i+1] - ticks[2*i])
	}
	return out, nil
}

// Destroy releases the timestamps. It may be called twice and on nil.
func (t *Timer) Destroy() {
	if t != nil {
		t.pool.Destroy()
	}
}
