package bench

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// buildsScene are the builds of one scene.
type buildsScene struct {
	Scene  string        `json:"scene"`
	Ways   []report.Way  `json:"ways"`
	Checks []checkReport `json:"checks"`
	Builds []buildReport `json:"builds"`
}

// checkReport compares what rays hit in the structures of a set of flags with the first way's.
type checkReport struct {
	Flags   string `json:"flags"`
	Backend string `json:"backend"`
	compare.Set
}

// buildReport is one batch of builds in one command, by one way. Ratios are of speeds, to the first way.
type buildReport struct {
	What       string  `json:"what"`
	Flags      string  `json:"flags"`
	Backend    string  `json:"backend"`
	Primitives uint64  `json:"primitives"`
	Build      Timing  `json:"build"`
	Speed      float64 `json:"mprimitives_per_second"`
	Ratio      float64 `json:"ratio"`
	Bytes      float64 `json:"bytes_per_primitive"`
	Scratch    float64 `json:"scratch_bytes_per_primitive"`
	// Refit is there where the flags allow it.
	Refit      *Timing `json:"refit,omitempty"`
	RefitRatio float64 `json:"refit_ratio,omitempty"`
	// Compact is of structures built with these flags and ALLOW_COMPACTION, which took Compactable bytes.
	Compact      Timing  `json:"compact"`
	CompactRatio float64 `json:"compact_ratio"`
	Compactable  float64 `json:"compactable_bytes_per_primitive"`
	Compacted    float64 `json:"compacted_bytes_per_primitive"`
	Clocks       *clocks `json:"clocks,omitempty"`
}

// inputsOf returns the builds to measure on a way, with ALLOW_COMPACTION added or 0.
type inputsOf func(w *buildWay, compactable vk.BuildFlags) []engine.BuildInput

// measure times builds, refits and compactions of all ways in turn.
func (b *buildBench) measure(ctx context.Context, what string, set FlagSet, inputs inputsOf) error {
	out := make([]buildReport, len(b.ways))
	for i := range out {
		out[i] = buildReport{What: what, Flags: set.Name, Backend: b.names[i]}
	}
	if err := b.measureBuilds(ctx, set, inputs, out); err != nil {
		return fmt.Errorf("%s, %s: %w", what, set.Name, err)
	}
	if err := b.measureCompaction(ctx, inputs, out); err != nil {
		return fmt.Errorf("%s, %s: %w", what, set.Name, err)
	}
	b.report.Builds = append(b.report.Builds, out...)
	return nil
}

// batches allocates the builds of all ways.
func (b *buildBench) batches(inputs inputsOf, flags vk.BuildFlags) (list []*accel.Batch, err error) {
	for i, w := range b.ways {
		batch, err := accel.NewBatch(w.Dev, "builds by "+b.names[i], inputs(w, flags))
		if err != nil {
			destroyAll(list)
			return nil, err
		}
		list = append(list, batch)
	}
	return list, nil
}

// destroyAll destroys what has a Destroy.
func destroyAll[T interface{ Destroy() }](list []T) {
	for _, v := range list {
		v.Destroy()
	}
}

func (b *buildBench) measureBuilds(ctx context.Context, set FlagSet, inputs inputsOf, out []buildReport) error {
	list, err := b.batches(inputs, 0)
	if err != nil {
		return err
	}
	defer destroyAll(list)
	builds, refits := make([]launch, len(list)), make([]launch, len(list))
	for i, batch := range list {
		builds[i], refits[i] = batch.Build, batch.Refit
	}
	times, read, err := b.turn(ctx, builds)
	if err != nil {
		return err
	}
	for i, batch := range list {
		n := batch.Primitives
		out[i].Primitives, out[i].Build, out[i].Clocks = n, times[i], read
		out[i].Speed, out[i].Ratio = report.Per(float64(n)/1e3, times[i].Median), report.Per(times[0].Median, times[i].Median)
		out[i].Bytes, out[i].Scratch = report.PerPrimitive(batch.Bytes, n), report.PerPrimitive(batch.ScratchBytes, n)
	}
	if set.Flags&vk.AllowUpdate == 0 {
		return nil
	}
	if times, _, err = b.turn(ctx, refits); err != nil {
		return err
	}
	for i := range out {
		out[i].Refit, out[i].RefitRatio = &times[i], report.Per(times[0].Median, times[i].Median)
	}
	return nil
}

func (b *buildBench) measureCompaction(ctx context.Context, inputs inputsOf, out []buildReport) error {
	list, err := b.batches(inputs, vk.AllowCompaction)
	if err != nil {
		return err
	}
	defer destroyAll(list)
	var copies []*accel.Compaction
	defer func() { destroyAll(copies) }()
	launches := make([]launch, len(list))
	for i, batch := range list {
		if _, err := batch.Build(ctx, 1); err != nil {
			return err
		}
		c, err := batch.NewCompaction(ctx)
		if err != nil {
			return err
		}
		copies = append(copies, c)
		launches[i] = c.Copy
		out[i].Compactable, out[i].Compacted = report.PerPrimitive(batch.Bytes, batch.Primitives),
			report.PerPrimitive(c.Bytes, batch.Primitives)
	}
	times, _, err := b.turn(ctx, launches)
	if err != nil {
		return err
	}
	for i := range out {
		out[i].Compact, out[i].CompactRatio = times[i], report.Per(times[0].Median, times[i].Median)
	}
	return nil
}

// turn is inTurn with the ways' names in its errors; they are in the batches' own. The first series warms up for longer, as the
// host has been at work alone.
func (b *buildBench) turn(ctx context.Context, ways []launch) ([]Timing, *clocks, error) {
	warm := warmUpBuildTime
	if !b.warm {
		warm, b.warm = warmUpTime, true
	}
	return inTurn(ctx, warmTime(b.ways[0].Dev, warm), b.reader, ways)
}

// verdict is verify's, of each way and set of flags.
func (s *buildsScene) verdict() (err error) {
	for _, c := range s.Checks {
		v := compare.Report{Tolerance: compare.DefaultTolerance, Rays: c.Rays, Differ: c.Differ, Sets: []compare.Set{c.Set}}
		if bad := v.Verdict(); bad != nil {
			err = errors.Join(err, fmt.Errorf("%s, %s, %s rays by %s: %w", s.Scene, c.Flags, c.Set.Set, c.Backend, bad))
		}
	}
	return err
}

func (s *buildsScene) print(w io.Writer) {
	rays, differ := 0, 0
	for _, c := range s.Checks {
		rays += c.Rays
		differ += c.Differ
	}
	checked := "one way, compared with none"
	if len(s.Ways) > 1 {
		checked = fmt.Sprintf("of %d rays, %d differ", rays, differ)
	}
	fmt.Fprintf(w, "\nbuilds of %s: %s\n\n", s.Scene, checked)
	fmt.Fprintln(w, "builds\tflags\tway\tprimitives\tms\tmin\tmax\tM/s\tratio\tB each\tscratch\trefit ms\tratio\tcompact "+
		"ms\tratio\tcompacted B")
	for i := range s.Builds {
		b := &s.Builds[i]
		refit := "-\t-"
		if b.Refit != nil {
			refit = fmt.Sprintf("%.3f\t%.2f", b.Refit.Median, b.RefitRatio)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.1f\t%.1f\t%s\t%.3f\t%.2f\t%.1f of %.1f\n", b.What, b.Flags,
			b.Backend, b.Primitives,
			b.Build.Median, b.Build.Min, b.Build.Max, b.Speed, b.Ratio, b.Bytes, b.Scratch, refit, b.Compact.Median, b.CompactRatio,
			b.Compacted, b.Compactable)
	}
}
