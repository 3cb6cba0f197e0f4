package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// profileReport is where the time of one batch of builds goes, by one way.
type profileReport struct {
	Scene      string  `json:"scene"`
	What       string  `json:"what"`
	Flags      string  `json:"flags"`
	Backend    string  `json:"backend"`
	Primitives uint64  `json:"primitives"`
	Build      Timing  `json:"build"`
	Ratio      float64 `json:"ratio"` // of speeds, to the first way
	// Passes are the medians of each kernel, none where the driver builds. A timestamp behind each dispatch keeps the next from
	// starting early, so that they come to more than Build.
	Passes []passReport `json:"passes,omitempty"`
}

type passReport struct {
	Kernel     string  `json:"kernel"`
	Dispatches int     `json:"dispatches"`
	Median     float64 `json:"median_ms"`
}

// profiled is how often builds run whose kernels are timed.
const profiled = 7

// profileOfScene measures the kernels of a scene's builds, of both levels.
func (b *run) profileOfScene(ctx context.Context, l *loadedScene) error {
	first := map[string]float64{} // times of the first way
	for _, backend := range b.o.Ways {
		if err := b.profileWay(ctx, l, backend, first); err != nil {
			return fmt.Errorf("profile of builds by %s: %w", backend, err)
		}
	}
	return nil
}

func (b *run) profileWay(ctx context.Context, l *loadedScene, backend engine.Backend, first map[string]float64) (err error) {
	w, err := compare.Open(ctx, b.o.Open, backend, l.scene, b.o.Flags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if len(b.report.Ways) < len(b.o.Ways) {
		b.report.Ways = append(b.report.Ways, report.WayOf(w.Dev))
	}
	for _, set := range b.o.FlagSets {
		for _, c := range []buildCase{{bottomLevels, (*accel.Scene).BottomBuilds}, {"top level", (*accel.Scene).TopBuilds}} {
			r := profileReport{Scene: l.name, What: c.what, Flags: set.Name, Backend: backend.String()}
			if err := r.measure(ctx, w, withFlags(c.inputs(w.Scene), set.Flags)); err != nil {
				return fmt.Errorf("%s, %s: %w", c.what, set.Name, err)
			}
			key := c.what + set.Name
			if _, ok := first[key]; !ok {
				first[key] = r.Build.Median
			}
			r.Ratio = report.Per(first[key], r.Build.Median)
			b.report.Profiles = append(b.report.Profiles, r)
		}
	}
	return nil
}

// measure builds a few times, and then with a timestamp behind each kernel.
func (r *profileReport) measure(ctx context.Context, w *compare.Way, inputs []engine.BuildInput) error {
	batch, err := accel.NewBatch(w.Dev, r.What, inputs)
	if err != nil {
		return err
	}
	defer batch.Destroy()
	r.Primitives = batch.Primitives
	if err := warmUp(ctx, batch.Build, warmTime(w.Dev, warmUpBuildTime), nil); err != nil {
		return err
	}
	times, err := batch.Build(ctx, TimedLaunches)
	if err != nil {
		return err
	}
	r.Build = newTiming(times)
	if w.Dev.Backend() != engine.BackendCompute {
		return nil
	}
	var all [profiled][]measure.Pass
	for i := range all {
		if all[i], err = batch.Passes(ctx); err != nil {
			return err
		}
	}
	for k, p := range all[0] {
		of := make([]time.Duration, profiled)
		for i := range all {
			of[i] = all[i][k].Time // the same kernels each time
		}
		slices.Sort(of)
		r.Passes = append(r.Passes, passReport{Kernel: p.Kernel, Dispatches: p.Dispatches, Median: report.Milliseconds(of[profiled/2])})
	}
	return nil
}

func (r *Report) printProfiles(w io.Writer) {
	if len(r.Profiles) == 0 {
		return
	}
	fmt.Fprintln(w, "\nbuilds of\twhat\tflags\tway\tprimitives\tms\tmin\tmax\tratio\tkernels, ms (dispatches)")
	for _, p := range r.Profiles {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%.3f\t%.3f\t%.3f\t%.2f\t", p.Scene, p.What, p.Flags, p.Backend, p.Primitives, p.Build.Median,
			p.Build.Min, p.Build.Max, p.Ratio)
		passes := slices.Clone(p.Passes)
		slices.SortStableFunc(passes, func(x, y passReport) int { return cmp.Compare(y.Median, x.Median) })
		for i, pass := range passes {
			if i > 0 {
				fmt.Fprint(w, ", ")
			}
			fmt.Fprintf(w, "%s %.3f", pass.Kernel, pass.Median)
			if pass.Dispatches > 1 {
				fmt.Fprintf(w, " (%d)", pass.Dispatches)
			}
		}
		fmt.Fprintln(w)
	}
}
