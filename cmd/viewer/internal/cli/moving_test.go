//go:build !headless

package cli

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/cobra"

	"github.com/everray/everray/cmd/viewer/internal/oidn"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// paintWhileMoving has a painter draw the Cornell box for a window of that size while the camera moves, and returns the times
// between pictures, sorted, and the last picture's width.
func paintWhileMoving(t testing.TB, width, height int, how time.Duration) ([]time.Duration, int) {
	t.Helper()
	flags := &viewFlags{}
	cmd := &cobra.Command{}
	flags.deviceFlags.register(cmd.Flags(), true)
	flags.sceneFlags.register(cmd.Flags(), width, height)
	flags.lookFlags.register(cmd, headlightAuto)
	flags.spp, flags.backend, flags.scene = 64, "compute", "builtin:cornell"
	p := &painter{app: &app{}, flags: flags, clock: time.Now, request: newRequest[wanted](nil)}
	var number atomic.Int64
	p.wake = func() { number.Add(1) }
	p.cleaning.open = func() (*oidn.Device, error) { return nil, oidn.ErrMissing }
	p.want = wanted{integrator: render.Path, file: flags.scene, settings: flags.settings(), width: width, height: height}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}()
	shown := func() painted {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.frame
	}
	for shown().number == 0 {
		select {
		case err := <-ended:
			t.Fatalf("the painter ended: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	var gaps []time.Duration
	begin, last, before := time.Now(), time.Now(), shown().number
	for time.Since(begin) < how {
		p.change(func(w *wanted) {
			w.camera.Eye = w.camera.Eye.Add(mgl32.Vec3{1e-4, 0, 0})
			w.moved = time.Now()
		})
		time.Sleep(4 * time.Millisecond)
		if n := shown().number; n > before {
			now := time.Now()
			if time.Since(begin) > how/3 { // it learns what a pixel takes
				gaps = append(gaps, now.Sub(last)/time.Duration(n-before))
			}
			last, before = now, n
		}
	}
	slices.Sort(gaps)
	return gaps, shown().size[0]
}

// How many pictures a second there are while the camera moves.
func BenchmarkMoving(b *testing.B) {
	for b.Loop() {
		gaps, width := paintWhileMoving(b, 640, 400, 9*time.Second)
		if len(gaps) == 0 {
			b.Fatal("no pictures")
		}
		var sum time.Duration
		for _, g := range gaps {
			sum += g
		}
		b.ReportMetric(float64(len(gaps))/sum.Seconds(), "frames/s")
		b.ReportMetric(float64(gaps[len(gaps)*95/100].Milliseconds()), "ms-of-the-slowest-20th")
		b.ReportMetric(float64(width), "pixels-wide")
	}
}
