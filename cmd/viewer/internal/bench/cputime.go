package bench

import (
	"context"
	"slices"
	"syscall"
	"time"

	"github.com/everray/everray/cmd/viewer/internal/report"
)

// cpuTimes are what launches took of all processors together, each the mean of one submission. Launches by a device that is a CPU
// run in this process.
type cpuTimes []time.Duration

// of has a launch note its times.
func (c *cpuTimes) of(work launch) launch {
	return func(ctx context.Context, n int) ([]time.Duration, error) {
		before := processorTime()
		times, err := work(ctx, n)
		if len(times) > 0 {
			*c = append(*c, (processorTime()-before)/time.Duration(len(times)))
		}
		return times, err
	}
}

// median is in milliseconds, of those behind the warm-up; 0 if there are none.
func (c cpuTimes) median() float64 {
	if len(c) < timedRounds {
		return 0
	}
	sorted := slices.Sorted(slices.Values(c[len(c)-timedRounds:]))
	return report.Milliseconds(sorted[len(sorted)/2])
}

// processorTime is the user's time of this process on all processors: the system's is that of waiting.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
}
