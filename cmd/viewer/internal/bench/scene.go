package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// benchWay is one way with its tracers.
type benchWay struct {
	*compare.Way
	verify, closest, occlusion *rays.Tracer
	// nil natively
	counter                    *rays.Counter
	bareClosest, bareOcclusion *rays.Bare
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

// bare is nil natively.
func (w *benchWay) bare(s rays.Set) *rays.Bare {
	if s.Occlusion() {
		return w.bareOcclusion
	}
	return w.bareClosest
}

func (w *benchWay) destroy() error {
	w.counter.Destroy()
	w.bareClosest.Destroy()
	w.bareOcclusion.Destroy()
	w.verify.Destroy()
	w.closest.Destroy()
	w.occlusion.Destroy()
	return w.Way.Close()
}

func (b *run) newBenchWay(ctx context.Context, backend engine.Backend, l *loadedScene) (w *benchWay, err error) {
	w = &benchWay{}
	err = b.step(l.name, "upload and first build by "+backend.String(), func() error {
		w.Way, err = compare.Open(ctx, b.o.Open, backend, l.scene, b.o.Flags)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = b.step(l.name, "pipelines by "+backend.String(), func() error { return w.prepare(ctx) })
	if err == nil {
		err = b.step(l.name, "builds by "+backend.String(), func() error {
			w.bottom, w.top, err = w.Scene.MeasureBuilds(ctx, w.Dev, timedSceneBuilds, warmTime(w.Dev, warmUpUploadTime))
			return err
		})
	}
	if err == nil {
		b.note(l.name, fmt.Sprintf("bottom levels by %s: %.3f ms", backend, report.Milliseconds(w.bottom[len(w.bottom)/2])))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", backend, err), w.destroy())
	}
	return w, nil
}

func (w *benchWay) prepare(ctx context.Context) (err error) {
	for _, t := range []struct {
		to   **rays.Tracer
		kind rays.Kind
	}{{&w.verify, rays.Verify}, {&w.closest, rays.ClosestHit}, {&w.occlusion, rays.Occlusion}} {
		if *t.to, err = rays.NewTracer(ctx, w.Dev, w.Scene, t.kind); err != nil {
			return err
		}
	}
	if w.Dev.Backend() == engine.BackendCompute {
		if w.counter, err = rays.NewCounter(ctx, w.Dev, w.Scene); err != nil {
			return err
		}
		if w.bareClosest, err = rays.NewBare(ctx, w.closest); err != nil {
			return err
		}
		if w.bareOcclusion, err = rays.NewBare(ctx, w.occlusion); err != nil {
			return err
		}
	}
	return nil
}

// openBench opens all ways for a scene.
func (b *run) openBench(ctx context.Context, l *loadedScene) (ways []*benchWay, err error) {
	for _, backend := range b.o.Ways {
		w, err := b.newBenchWay(ctx, backend, l)
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

// raysOfScene measures all sets of one scene, and behind those of the first scene small launches.
func (b *run) raysOfScene(ctx context.Context, l *loadedScene) (err error) {
	ways, err := b.openBench(ctx, l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeBench(ways)) }()
	width, height := compare.Size(ways[0].Dev, b.o.Width, b.o.Height, [2]int{128, 72}, [2]int{1920, 1080})
	s := &sceneBench{
		ways: ways, reader: findClocks(ways[0].Dev.Info().Name),
		maker: &rays.Maker{Scene: l.scene, Camera: l.camera, Width: width, Height: height},
		report: sceneReport{Scene: l.name, Width: width, Height: height, Triangles: l.stats.Triangles,
			Instances: l.stats.Instances, Shared: l.shared()},
	}
	err = b.step(l.name, "structures read back", func() error {
		s.trees, err = s.report.addWays(ctx, ways)
		return err
	})
	if err != nil {
		return err
	}
	if s.embree, err = b.newEmbreeScene(ctx, l.scene); err != nil {
		return err
	}
	defer s.embree.destroy()
	s.report.Embree = s.embree.describe()
	// What was measured before an error counts.
	defer func() {
		if len(s.report.Series) > 0 {
			b.report.Scenes = append(b.report.Scenes, s.report)
		}
	}()
	done, finish := b.progress("bench "+l.name, len(b.o.Sets))
	defer finish()
	for i, set := range b.o.Sets {
		if err := b.step(l.name, string(set)+" rays", func() error { return s.measure(ctx, set) }); err != nil {
			return err
		}
		b.note(l.name, figures(set, s.report.Series[len(s.report.Series)-len(ways):]))
		done(i + 1)
	}
	if len(b.report.Launches) == 0 {
		b.report.Launches, err = s.smallLaunches(ctx, l.scene)
	}
	return err
}

// figures are those of a set by all ways, for who waits: the tables come when all is done.
func figures(set rays.Set, by []seriesReport) string {
	text := string(set) + " rays:"
	for i := range by {
		text += fmt.Sprintf(" %s %.0f Mrays/s", by[i].Backend, by[i].Median)
		if i > 0 {
			text += fmt.Sprintf(" (%.2f)", by[i].Ratio)
		}
	}
	return text
}

// sceneBench measures ray sets of one scene.
type sceneBench struct {
	ways   []*benchWay
	trees  []*treeReport // nil natively
	embree *embreeScene  // nil where it is skipped
	reader *clockReader
	maker  *rays.Maker
	report sceneReport
}

// measure validates a set on all ways, then times it on each in turn, then counts.
func (s *sceneBench) measure(ctx context.Context, set rays.Set) error {
	last := s.ways[len(s.ways)-1]
	list, err := s.maker.Make(ctx, set, last.verify, last.Scene)
	if err != nil {
		return err
	}
	out := make([]seriesReport, len(s.ways))
	var first, hits []rays.Hit
	for i, w := range s.ways {
		if hits, err = w.validate(ctx, set, list, s.maker); err != nil {
			return fmt.Errorf("%s rays by %s: %w", set, w.Dev.Backend(), err)
		}
		if i == 0 {
			first = hits
		}
		c := rays.Compare(list, hits, first, w.Scene)
		out[i] = seriesReport{Set: set, Backend: w.Dev.Backend().String(), Rays: c.Rays, Hits: c.Hits, Differ: c.Differ,
			Reasons: c.Reasons}
	}
	if err := s.time(ctx, set, out); err != nil {
		return err
	}
	if err := s.timeEmbree(ctx, set, list, hits, out[0].Median); err != nil {
		return fmt.Errorf("%s rays by Embree: %w", set, err)
	}
	for i, w := range s.ways {
		out[i].Ratio = out[i].Median / out[0].Median
		if w.counter == nil {
			continue
		}
		steps, err := w.counter.Count(ctx, set, list)
		if err != nil {
			return fmt.Errorf("%s rays: %w", set, err)
		}
		out[i].Why = s.trees[i].why(steps)
	}
	s.report.Series = append(s.report.Series, out...)
	return nil
}

// time times the ways and their bare traversals in turn, the latter once they agree with the former.
func (s *sceneBench) time(ctx context.Context, set rays.Set, out []seriesReport) error {
	var launches []launch
	var names []string
	for _, w := range s.ways {
		launches, names = append(launches, w.tracer(set).Trace), append(names, w.Dev.Backend().String())
	}
	bare := make([]int, len(s.ways)) // where it is in launches; 0 is none
	for i, w := range s.ways {
		if w.bare(set) == nil {
			continue
		}
		var err error
		if out[i].Bare, err = w.validateBare(ctx, set); err != nil {
			return fmt.Errorf("%s rays by the bare traversal: %w", set, err)
		}
		bare[i] = len(launches)
		launches, names = append(launches, w.bare(set).Trace), append(names, "the bare traversal")
	}
	times, read, err := inTurn(ctx, warmTime(s.ways[0].Dev, warmUpTime), s.reader, launches)
	if err != nil {
		return nameWay(err, names, string(set)+" rays")
	}
	for i := range out {
		out[i].summarise(times[i])
		out[i].Clocks = read
		if bare[i] > 0 {
			out[i].Bare.Timing = times[bare[i]]
			out[i].Bare.Cost = times[i].Median/times[bare[i]].Median - 1
		}
	}
	return nil
}

// nameWay says whose error one of inTurn is.
func nameWay(err error, names []string, what string) error {
	var of wayError
	if errors.As(err, &of) {
		return fmt.Errorf("%s by %s: %w", what, names[of.index], of.err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// errInconsistent is returned when the measured pipeline finds other hits than verify's on the same device.
var errInconsistent = errors.New("the measured pipeline and verify's disagree")

// validate traces a set with the pipeline to be measured and with verify's, which must agree on hit or miss and on t, and
// returns verify's hits.
func (w *benchWay) validate(ctx context.Context, set rays.Set, list []rays.Ray, maker *rays.Maker) ([]rays.Hit, error) {
	hits, err := compare.TraceHits(ctx, w.verify, list, maker.Width, maker.Height)
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

// validateBare traces a set by the bare traversal, behind the pipeline, with which it must agree but for rounding: compilers
// may fuse operations in one and not in the other.
func (w *benchWay) validateBare(ctx context.Context, set rays.Set) (*bareReport, error) {
	want, err := outcomes(ctx, w.tracer(set), set)
	if err != nil {
		return nil, err
	}
	if _, err := w.bare(set).Trace(ctx, 1); err != nil {
		return nil, err
	}
	got, err := outcomes(ctx, w.tracer(set), set)
	if err != nil {
		return nil, err
	}
	r := &bareReport{}
	for i, g := range got {
		if g != want[i] {
			r.Differ++
		}
	}
	if float64(r.Differ) > compare.DefaultTolerance*float64(len(want)) {
		return nil, fmt.Errorf("%w: %d of %d rays have other hits than by the pipeline", errInconsistent, r.Differ, len(want))
	}
	return r, nil
}

// outcome is what both kinds of tracers say about a ray.
type outcome struct {
	hit       bool
	t         float32
	primitive uint32
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
		out[i] = outcome{hit: c.T >= 0, t: c.T, primitive: c.Primitive}
	}
	return out, err
}
