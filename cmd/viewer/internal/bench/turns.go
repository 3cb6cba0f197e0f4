package bench

import (
	"context"
	"slices"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// The timing of a series, as in the project's baseline measurements.
const (
	warmUpTime       = 400 * time.Millisecond
	warmUpBuildTime  = 100 * time.Millisecond // of which there are many in a row
	warmUpUploadTime = time.Second            // where the host was at work for seconds
	warmUpLaunches   = 4
	// TimedLaunches is how many launches of a series count.
	TimedLaunches = 15
	timedRounds   = 5
)

// warmTime is a warm-up that suits the device: only GPUs lower their clocks that far.
func warmTime(dev *engine.Device, onGPU time.Duration) time.Duration {
	if isCPU(dev) {
		return onGPU / 10
	}
	return onGPU
}

func isCPU(dev *engine.Device) bool { return dev.Info().Type == vulkan.PhysicalDeviceTypeCpu }

// launch does the same work of one way n times in one submission, and returns the GPU's time of each.
type launch func(ctx context.Context, n int) ([]time.Duration, error)

// Timing is what a series of launches took, in milliseconds.
type Timing struct {
	Median   float64   `json:"median_ms"`
	Min      float64   `json:"min_ms"`
	Max      float64   `json:"max_ms"`
	Launches []float64 `json:"launches_ms"`
}

func newTiming(times []time.Duration) Timing {
	var t Timing
	for _, d := range times {
		t.Launches = append(t.Launches, report.Milliseconds(d))
	}
	sorted := slices.Sorted(slices.Values(t.Launches))
	t.Median, t.Min, t.Max = sorted[len(sorted)/2], sorted[0], sorted[len(sorted)-1]
	return t
}

// inTurn measures all ways in rounds, a few launches of each, so that a change of the GPU's clock meets all alike. While the
// last warms up, the clocks are read; nil if nobody knows.
func inTurn(ctx context.Context, warm time.Duration, reader *clockReader, ways []launch) ([]Timing, *clocks, error) {
	var read *clocks
	for i, w := range ways {
		var err error
		if i < len(ways)-1 {
			err = warmUp(ctx, w, warm, nil)
		} else {
			read, err = warmAndRead(ctx, w, warm, reader)
		}
		if err != nil {
			return nil, nil, wayError{i, err}
		}
	}
	times := make([][]time.Duration, len(ways))
	for range timedRounds {
		for i, w := range ways {
			t, err := w(ctx, 1+TimedLaunches/timedRounds)
			if err != nil {
				return nil, nil, wayError{i, err}
			}
			times[i] = append(times[i], t[1:]...)
		}
	}
	out := make([]Timing, len(ways))
	for i := range out {
		out[i] = newTiming(times[i])
	}
	return out, read, nil
}

// wayError is an error of one of the ways that are measured in turn.
type wayError struct {
	index int
	err   error
}

func (e wayError) Error() string { return e.err.Error() }
func (e wayError) Unwrap() error { return e.err }

// warmUp launches until a GPU's clock, which falls while the host is at work, has risen again, and until busy is closed.
func warmUp(ctx context.Context, w launch, warm time.Duration, busy <-chan struct{}) error {
	start := time.Now()
	for launches := 1; ; launches = warmUpLaunches {
		if _, err := w(ctx, launches); err != nil {
			return err
		}
		if launches == 1 || time.Since(start) < warm {
			continue
		}
		select {
		case <-busy:
			return nil
		default:
			if busy == nil {
				return nil
			}
		}
	}
}

// warmAndRead is warmUp while the clocks are read.
func warmAndRead(ctx context.Context, w launch, warm time.Duration, reader *clockReader) (*clocks, error) {
	if reader == nil {
		return nil, warmUp(ctx, w, warm, nil)
	}
	done := make(chan struct{})
	var read *clocks
	go func() {
		defer close(done)
		time.Sleep(warm / 2)
		read = reader.read(ctx)
	}()
	err := warmUp(ctx, w, warm, done)
	<-done
	return read, err
}
