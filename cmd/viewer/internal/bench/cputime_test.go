package bench

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestCPUTimes: what launches compute is counted, what they wait for is not, and the median is that of the timed rounds.
func TestCPUTimes(t *testing.T) {
	const busy = 8 * time.Millisecond
	compute, lost := true, errors.New("lost")
	var c cpuTimes
	hashed := uint32(0)
	work := c.of(func(_ context.Context, n int) ([]time.Duration, error) {
		if n == 0 {
			return nil, lost
		}
		for begin := processorTime(); compute && processorTime()-begin < time.Duration(n)*busy; {
			for x := range uint32(1 << 18) { // asking is the system's time
				hashed = hashed*1664525 + x
			}
		}
		if !compute {
			time.Sleep(time.Duration(n) * busy)
		}
		return make([]time.Duration, n), nil
	})
	run := func() (d float64) {
		for range timedRounds {
			if times, err := work(t.Context(), 2); err != nil || len(times) != 2 {
				t.Fatal(times, err)
			}
		}
		return c.median()
	}
	if got := run(); got < 8 || got > 40 {
		t.Errorf("%v ms of computing, want some 8", got)
	}
	compute = false
	if got := run(); got > 6 {
		t.Errorf("%v ms of waiting, want nearly none", got)
	}
	if _, err := work(t.Context(), 0); !errors.Is(err, lost) {
		t.Error(err)
	}
	if len(c) != 2*timedRounds || hashed == 0 {
		t.Errorf("%d times", len(c))
	}
	if got := c[:timedRounds-1].median(); got != 0 {
		t.Errorf("%v of too few", got)
	}
}
