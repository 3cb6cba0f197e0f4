package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
)

// benchWay is one way with its tracers.
type benchWay struct {
	*way
	verify, closest, occlusion *rays.Tracer
	counter                    *rays.Counter   // nil natively
	bottom, top                []time.Duration // of the builds, sorted
}

// timedSceneBuilds is how often the builds of a scene are repeated beside its rays; --builds measures them properly.
const timedSceneBuilds = 9

func (w *benchWay) tracer(s rays.Set) *rays.Tracer {
	if s.Occlusion() {
		return w.occlusion
	}
	return w.closest
}

func (w *benchWay) destroy() error {
	w.counter.Destroy()
	w.verify.Destroy()
	w.closest.Destroy()
	w.occlusion.Destroy()
	return w.way.destroy()
}

func newBenchWay(ctx context.Context, f *benchFlags, backend engine.Backend, scene *assets.Scene) (w *benchWay, err error) {
	w = &benchWay{}
	if w.way, err = openWay(ctx, f.deviceFlags, backend, scene, f.build); err != nil {
		return nil, err
	}
	if err = w.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", backend, err), w.destroy())
	}
	return w, nil
}

func (w *benchWay) prepare(ctx context.Context) (err error) {
	for _, t := range []struct {
		to   **rays.Tracer
		kind rays.Kind
	}{{&w.verify, rays.Verify}, {&w.closest, rays.ClosestHit}, {&w.occlusion, rays.Occlusion}} {
		if *t.to, err = rays.NewTracer(ctx, w.dev, w.scene, t.kind); err != nil {
			return err
		}
	}
	if w.dev.Backend() == engine.BackendCompute {
		if w.counter, err = rays.NewCounter(ctx, w.dev, w.scene); err != nil {
			return err
		}
	}
	w.bottom, w.top, err = w.scene.MeasureBuilds(ctx, w.dev, timedSceneBuilds)
	return err
}

// openBench opens all ways for a scene.
func openBench(ctx context.Context, f *benchFlags, scene *assets.Scene) (ways []*benchWay, err error) {
	for _, b := range f.ways {
		w, err := newBenchWay(ctx, f, b, scene)
		if err != nil {
			return nil, errors.Join(err, closeBench(ways))
		}
		ways = append(ways, w)
	}
	return ways, nil
}

func closeBench(ways []*benchWay) (err error) {
	for _, w := range ways {
		err = errors.Join(err, w.destroy())
	}
	return err
}

// benchScene measures all sets of one scene, and before them small launches if they are wanted.
func (a *app) benchScene(ctx context.Context, f *benchFlags, name string, small bool) (r sceneReport, launches []launchReport, err error) {
	f.scene = name
	scene, cam, _, err := f.load(ctx, a)
	if err != nil {
		return r, nil, err
	}
	ways, err := openBench(ctx, f, scene)
	if err != nil {
		return r, nil, err
	}
	defer func() { err = errors.Join(err, closeBench(ways)) }()
	size := f.sceneFlags
	size.defaultSize(ways[0].dev, 128, 72, 1920, 1080)
	stats := scene.Stats()
	r = sceneReport{Scene: name, Width: size.width, Height: size.height, Triangles: stats.Triangles, Instances: stats.Instances,
		Shared: stats.Instances > stats.Meshes}
	trees, err := r.addWays(ctx, ways)
	if err != nil {
		return r, nil, err
	}
	reader := findClocks(ways[0].dev.Info().Name)
	if small {
		if launches, err = smallLaunches(ctx, scene, ways, reader); err != nil {
			return r, nil, err
		}
	}
	maker := &rays.Maker{Scene: scene, Camera: cam, Width: size.width, Height: size.height}
	bar := a.progress("bench "+name, len(f.raySets))
	defer bar.finish()
	for i, set := range f.raySets {
		series, err := benchSet(ctx, set, maker, ways, trees, reader)
		if err != nil {
			return r, launches, err
		}
		r.Series = append(r.Series, series...)
		bar.set(i + 1)
	}
	return r, launches, nil
}

// benchSet validates a set on all ways, then times it on each in turn, then counts.
func benchSet(ctx context.Context, set rays.Set, maker *rays.Maker, ways []*benchWay, trees []*treeReport, reader *clockReader) ([]seriesReport, error) {
	last := ways[len(ways)-1]
	list, err := maker.Make(ctx, set, last.verify, last.scene)
	if err != nil {
		return nil, err
	}
	out := make([]seriesReport, len(ways))
	var first []rays.Hit
	for i, w := range ways {
		hits, err := w.validate(ctx, set, list, maker)
		if err != nil {
			return nil, fmt.Errorf("%s rays by %s: %w", set, w.dev.Backend(), err)
		}
		if i == 0 {
			first = hits
		}
		c := rays.Compare(list, hits, first, w.scene.Triangle)
		out[i] = seriesReport{Set: set, Backend: w.dev.Backend().String(), Rays: c.Rays, Hits: c.Hits, Differ: c.Differ, Reasons: c.Reasons}
	}
	if err := timeSet(ctx, set, ways, reader, out); err != nil {
		return nil, err
	}
	for i, w := range ways {
		out[i].Ratio = out[i].Median / out[0].Median
		if w.counter == nil {
			continue
		}
		steps, err := w.counter.Count(ctx, set, list)
		if err != nil {
			return nil, fmt.Errorf("%s rays: %w", set, err)
		}
		out[i].Why = trees[i].why(steps)
	}
	return out, nil
}

func timeSet(ctx context.Context, set rays.Set, ways []*benchWay, reader *clockReader, out []seriesReport) error {
	launches := make([]launch, len(ways))
	for i, w := range ways {
		launches[i] = w.tracer(set).Trace
	}
	times, read, err := inTurn(ctx, warmTime(ways[0].dev, warmUpTime), reader, launches)
	if err != nil {
		return nameWay(err, ways, string(set)+" rays")
	}
	for i := range out {
		out[i].summarise(times[i])
		out[i].Clocks = read
	}
	return nil
}

// nameWay says whose error one of inTurn is.
func nameWay(err error, ways []*benchWay, what string) error {
	var of wayError
	if errors.As(err, &of) {
		return fmt.Errorf("%s by %s: %w", what, ways[of.index].dev.Backend(), of.err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// errInconsistent is returned when the measured pipeline finds other hits than verify's on the same device.
var errInconsistent = errors.New("the measured pipeline and verify's disagree")

// validate traces a set with the pipeline to be measured and with verify's, which must agree on hit or miss and on t, and
// returns verify's hits.
func (w *benchWay) validate(ctx context.Context, set rays.Set, list []rays.Ray, maker *rays.Maker) ([]rays.Hit, error) {
	hits, err := traceHits(ctx, w.verify, list, maker.Width, maker.Height)
	if err != nil {
		return nil, err
	}
	t := w.tracer(set)
	if err := t.SetRays(ctx, list, maker.Width, maker.Height); err != nil {
		return nil, err
	}
	if _, err := t.Trace(ctx, 1); err != nil {
		return nil, err
	}
	results, err := outcomes(ctx, t, set)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		h := hits[i]
		if r.hit == h.Missed() || r.hit && !set.Occlusion() && r.t != h.T {
			return nil, fmt.Errorf("%w: ray %d: hit %v at %g, verify: %s", errInconsistent, i, r.hit, r.t, h)
		}
	}
	return hits, nil
}

// outcome is what both kinds of tracers say about a ray.
type outcome struct {
	hit bool
	t   float32
}

func outcomes(ctx context.Context, t *rays.Tracer, set rays.Set) ([]outcome, error) {
	if set.Occlusion() {
		occluded, err := t.Occluded(ctx)
		out := make([]outcome, len(occluded))
		for i, o := range occluded {
			out[i] = outcome{hit: o != 0}
		}
		return out, err
	}
	closest, err := t.Closest(ctx)
	out := make([]outcome, len(closest))
	for i, c := range closest {
		out[i] = outcome{hit: c.T >= 0, t: c.T}
	}
	return out, err
}

// geometricMeans averages the ratios of each set and way but the first, over all scenes, and over those without instances
// if there are others.
func geometricMeans(scenes []sceneReport) []meanReport {
	static := slices.DeleteFunc(slices.Clone(scenes), func(s sceneReport) bool { return s.Shared })
	if len(scenes) < 2 {
		return nil
	}
	out := meansOver("all", scenes)
	if len(static) > 0 && len(static) < len(scenes) {
		out = append(meansOver("without instances", static), out...)
	}
	return out
}
