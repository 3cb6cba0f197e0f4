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

// Pass is what the dispatches of one kernel took, all of one run.
type Pass struct {
	Kernel     string        `json:"kernel"`
	Dispatches int           `json:"dispatches"`
	Time       time.Duration `json:"ns"`
}

// maxPasses is how many dispatches Passes tells apart.
const maxPasses = 1023

// Passes does work once and returns the GPU's time of each kernel of the engine's own, in the order of their first dispatches.
// Times are from the end of the dispatch before to the kernel's, so that they add up.
func (t *Timer) Passes(ctx context.Context, what string, record func(cb *vk.CommandBuffer) error) ([]Pass, error) {
	pool, err := t.dev.VK().NewQueryPool(maxPasses + 1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer pool.Destroy()
	var names []string
	err = t.dev.Run(ctx, what, func(cb *vk.CommandBuffer) error {
		cb.ResetQueries(pool, 0, maxPasses+1)
		t.dev.CmdBarrier(cb)
		cb.WriteTimestamp(pool, 0)
		cb.WatchKernels(func(name string) {
			if len(names) < maxPasses {
				names = append(names, name)
				cb.WriteTimestamp(pool, uint32(len(names)))
			}
		})
		defer cb.WatchKernels(nil)
		return record(cb)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	ticks, err := pool.Range(0, uint32(len(names)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: timestamps: %w", what, err)
	}
	var out []Pass
	place := map[string]int{}
	for i, name := range names {
		at, ok := place[name]
		if !ok {
			at, out = len(out), append(out, Pass{Kernel: name})
			place[name] = at
		}
		out[at].Dispatches++
		out[at].Time += time.Duration(ticks[i+1] - ticks[i])
	}
	return out, nil
}

// Destroy releases the timestamps. It may be called twice and on nil.
func (t *Timer) Destroy() {
	if t != nil {
		t.pool.Destroy()
	}
}
