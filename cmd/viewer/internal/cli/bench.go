package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
)

// The timing of a series, as in the project's baseline measurements.
const (
	warmUpTime     = 400 * time.Millisecond
	warmUpLaunches = 4
	timedLaunches  = 15
	timedBuilds    = 9
	timedRounds    = 5
)

type benchFlags struct {
	deviceFlags
	sceneFlags
	sets, backends []string
	build          string
}

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench --scene FILE|builtin:NAME",
		Short: "Measure how fast the two ways trace the same rays",
		Long: `bench traces the same precomputed rays by each way, checks the results against each other as verify
does, then times the ways in turn with GPU timestamps around every launch: warm-up, then five rounds
of one untimed and three timed launches of each. It prints the median with minimum and maximum, the
median of nine acceleration structure builds, and the time of linking and compiling the pipelines.
It exits with 1 when the results differ by more than verify tolerates.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.bench(cmd.Context(), &f) },
	}
	f.deviceFlags.register(cmd.Flags(), false)
	f.sceneFlags.register(cmd.Flags(), 0, 0)
	cmd.Flags().StringSliceVar(&f.sets, "rays", []string{"primary", "ao", "diffuse", "random"}, "ray sets to measure")
	cmd.Flags().StringSliceVar(&f.backends, "backend", []string{"native", "compute"}, "ways to measure")
	cmd.Flags().StringVar(&f.build, "build", "fast-trace", "bottom level builds: "+buildNames)
	return cmd
}

// seriesReport is one ray set traced by one way. Speeds are in Mrays/s, of the median, the slowest and the fastest launch.
type seriesReport struct {
	Set      rays.Set  `json:"set"`
	Backend  string    `json:"backend"`
	Rays     int       `json:"rays"`
	Hits     int       `json:"hits"`
	Median   float64   `json:"mrays_per_second"`
	Min      float64   `json:"mrays_per_second_min"`
	Max      float64   `json:"mrays_per_second_max"`
	MedianMS float64   `json:"median_ms"`
	Launches []float64 `json:"launches_ms"`
	Ratio    float64   `json:"ratio"` // to the first way
	// Differ counts rays whose hits differ from the first way's, Reasons says why, as in verify.
	Differ  int                 `json:"differ"`
	Reasons map[rays.Reason]int `json:"reasons,omitempty"`
}

// wayReport is what preparing one way cost.
type wayReport struct {
	deviceReport
	BottomBuildMS  float64 `json:"blas_build_ms"`
	TopBuildMS     float64 `json:"tlas_build_ms"`
	Triangles      uint64  `json:"built_triangles"`
	StructureBytes uint64  `json:"structure_bytes"`
	LinkMS         float64 `json:"link_ms"`
	CompileMS      float64 `json:"compile_ms"`
	// Code is what the driver tells about the pipelines for closest hits, of the compute way.
	Code []codeStatistic `json:"code,omitempty"`
}

type benchReport struct {
	Scene  string         `json:"scene"`
	Width  int            `json:"width"`
	Height int            `json:"height"`
	Ways   []wayReport    `json:"ways"`
	Series []seriesReport `json:"series"`
}

// benchWay is one way with its tracers.
type benchWay struct {
	*way
	verify, closest, occlusion *rays.Tracer
	bottom, top                []time.Duration // of the builds, sorted
}

func (w *benchWay) tracer(s rays.Set) *rays.Tracer {
	if s.Occlusion() {
		return w.occlusion
	}
	return w.closest
}

func (w *benchWay) destroy() error {
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
	for _, t := range []struct {
		to   **rays.Tracer
		kind rays.Kind
	}{{&w.verify, rays.Verify}, {&w.closest, rays.ClosestHit}, {&w.occlusion, rays.Occlusion}} {
		if *t.to, err = rays.NewTracer(ctx, w.dev, w.scene, t.kind); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", backend, err), w.destroy())
		}
	}
	if w.bottom, w.top, err = w.scene.MeasureBuilds(ctx, w.dev, timedBuilds); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", backend, err), w.destroy())
	}
	return w, nil
}

func (w *benchWay) report() wayReport {
	closest, occlusion := w.closest.Stats(), w.occlusion.Stats()
	return wayReport{
		deviceReport:  reportDevice(w.dev),
		BottomBuildMS: milliseconds(w.bottom[len(w.bottom)/2]), TopBuildMS: milliseconds(w.top[len(w.top)/2]),
		Triangles:      w.scene.BottomReport.Primitives,
		StructureBytes: w.scene.BottomReport.Bytes + w.scene.TopReport.Bytes,
		LinkMS:         milliseconds(closest.LinkTime + occlusion.LinkTime),
		CompileMS:      milliseconds(closest.CompileTime + occlusion.CompileTime),
		Code:           codeStatistics(closest.Driver),
	}
}

func (f *benchFlags) check() ([]rays.Set, []engine.Backend, error) {
	if err := f.sceneFlags.check(); err != nil {
		return nil, nil, err
	}
	if _, err := buildFlags(f.build); err != nil {
		return nil, nil, err
	}
	sets, err := rays.ParseSets(f.sets)
	if err != nil {
		return nil, nil, err
	}
	var backends []engine.Backend
	for _, name := range f.backends {
		b, err := engine.ParseBackend(name)
		if err != nil {
			return nil, nil, err
		}
		if b == engine.BackendAuto || slices.Contains(backends, b) {
			return nil, nil, fmt.Errorf("%w: --backend %q: want native, compute or both, each once", errUsage, name)
		}
		backends = append(backends, b)
	}
	if len(backends) == 0 {
		return nil, nil, fmt.Errorf("%w: --backend: want native, compute or both", errUsage)
	}
	return sets, backends, nil
}

func (a *app) bench(ctx context.Context, f *benchFlags) (err error) {
	sets, backends, err := f.check()
	if err != nil {
		return err
	}
	scene, cam, _, err := f.load(ctx, a)
	if err != nil {
		return err
	}
	report := benchReport{Scene: f.scene}
	var ways []*benchWay
	defer func() {
		for _, w := range ways {
			err = errors.Join(err, w.destroy())
		}
	}()
	for _, b := range backends {
		w, err := newBenchWay(ctx, f, b, scene)
		if err != nil {
			return err
		}
		ways = append(ways, w)
		report.Ways = append(report.Ways, w.report())
	}
	f.defaultSize(ways[0].dev, 128, 72, 1920, 1080)
	report.Width, report.Height = f.width, f.height
	maker := &rays.Maker{Scene: scene, Camera: cam, Width: f.width, Height: f.height}
	last := ways[len(ways)-1]
	bar := a.progress("bench", len(sets))
	for i, set := range sets {
		list, err := maker.Make(ctx, set, last.verify, last.scene)
		if err != nil {
			return err
		}
		series, err := benchSet(ctx, set, list, maker, ways)
		if err != nil {
			return err
		}
		report.Series = append(report.Series, series...)
		bar.set(i + 1)
	}
	bar.finish()
	return errors.Join(a.printBench(report), report.verdict())
}

// benchSet validates a set on all ways, then times it on each in turn.
func benchSet(ctx context.Context, set rays.Set, list []rays.Ray, maker *rays.Maker, ways []*benchWay) ([]seriesReport, error) {
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
	if err := timeInTurn(ctx, set, ways, out); err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Ratio = out[i].Median / out[0].Median
	}
	return out, nil
}

// timeInTurn measures all ways in rounds, a few launches of each, so that a change of the GPU's clock meets all alike.
func timeInTurn(ctx context.Context, set rays.Set, ways []*benchWay, out []seriesReport) error {
	times := make([][]time.Duration, len(ways))
	for i, w := range ways {
		if err := warmUp(ctx, w.tracer(set)); err != nil {
			return fmt.Errorf("%s rays by %s: %w", set, out[i].Backend, err)
		}
	}
	for range timedRounds {
		for i, w := range ways {
			t, err := w.tracer(set).Trace(ctx, 1+timedLaunches/timedRounds)
			if err != nil {
				return fmt.Errorf("%s rays by %s: %w", set, out[i].Backend, err)
			}
			times[i] = append(times[i], t[1:]...)
		}
	}
	for i := range out {
		out[i].summarise(times[i])
	}
	return nil
}

// warmUp traces until a GPU's clock, which falls while the host makes rays, has risen again.
func warmUp(ctx context.Context, t *rays.Tracer) error {
	start := time.Now()
	for launches := 1; ; launches = warmUpLaunches {
		if _, err := t.Trace(ctx, launches); err != nil {
			return err
		}
		if launches > 1 && time.Since(start) >= warmUpTime {
			return nil
		}
	}
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
	var out []outcome
	if set.Occlusion() {
		occluded, err := t.Occluded(ctx)
		for _, o := range occluded {
			out = append(out, outcome{hit: o != 0})
		}
		return out, err
	}
	closest, err := t.Closest(ctx)
	for _, c := range closest {
		out = append(out, outcome{hit: c.T >= 0, t: c.T})
	}
	return out, err
}

// summarise takes over the times of one series.
func (s *seriesReport) summarise(times []time.Duration) {
	for _, d := range times {
		s.Launches = append(s.Launches, milliseconds(d))
	}
	slices.Sort(times)
	n := uint64(s.Rays)
	s.Median, s.MedianMS = megaraysPerSecond(n, times[len(times)/2]), milliseconds(times[len(times)/2])
	s.Max, s.Min = megaraysPerSecond(n, times[0]), megaraysPerSecond(n, times[len(times)-1])
}

// verdict is verify's, of all series.
func (r benchReport) verdict() error {
	v := verifyReport{Tolerance: defaultTolerance}
	for _, s := range r.Series {
		v.Sets = append(v.Sets, setReport{Set: s.Set, Reasons: s.Reasons})
		v.Rays += s.Rays
		v.Differ += s.Differ
	}
	return v.verdict()
}

func (a *app) printBench(r benchReport) error {
	if a.json {
		return a.printJSON(r)
	}
	return a.table(func(w io.Writer) {
		fmt.Fprintf(w, "%s, %d x %d = %d rays per launch, on %s, %s\n\n", r.Scene, r.Width, r.Height, r.Width*r.Height, r.Ways[0].Device, r.Ways[0].Driver)
		fmt.Fprintln(w, "way\tBLAS builds\tTLAS build\tstructures\tlink\tcompile")
		for _, way := range r.Ways {
			fmt.Fprintf(w, "%s\t%.3f ms\t%.3f ms\t%.1f MiB\t%.1f ms\t%.1f ms\n", way.Backend, way.BottomBuildMS, way.TopBuildMS,
				float64(way.StructureBytes)/(1<<20), way.LinkMS, way.CompileMS)
		}
		for _, way := range r.Ways {
			if len(way.Code) > 0 {
				fmt.Fprintf(w, "%s code: %s\n", way.Backend, joinStatistics(way.Code))
			}
		}
		fmt.Fprintln(w, "\nrays\tway\tMrays/s\tmin\tmax\tms\thits\tdiffer\tratio")
		for _, s := range r.Series {
			fmt.Fprintf(w, "%s\t%s\t%.2f\t%.2f\t%.2f\t%.3f\t%.1f%%\t%d\t%.2f\n", s.Set, s.Backend, s.Median, s.Min, s.Max, s.MedianMS,
				100*float64(s.Hits)/float64(s.Rays), s.Differ, s.Ratio)
		}
	})
}
