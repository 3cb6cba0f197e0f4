package bench

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/diverge"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// divergenceReport is the path tracer with many hit shaders in one scene.
type divergenceReport struct {
	Scene     string             `json:"scene"`
	Triangles int                `json:"triangles"`
	Width     int                `json:"width"`
	Height    int                `json:"height"`
	Steps     int                `json:"steps"` // of the heavy shaders
	Ways      []report.Way       `json:"ways"`
	Series    []divergenceSeries `json:"series"`
}

// divergenceSeries is a kind of hit shaders by one way, in one form of linking.
type divergenceSeries struct {
	Shaders string `json:"shaders"`
	Backend string `json:"backend"`
	// Form is what was asked for, Linked what came out, on the compute way.
	Form   string `json:"form,omitempty"`
	Linked string `json:"linked,omitempty"`
	// Objects is set where ray generation has hit objects and reorders, Reorders where those change the order of lanes.
	Objects  bool `json:"hit_objects,omitempty"`
	Reorders bool `json:"reorders,omitempty"`
	// Comparison is with the paths of the first way.
	diverge.Comparison
	Timing
	// CPUMS is what a launch takes of all processors together, on devices that are CPUs: the median, which other work on the machine
	// changes less than time by the clock.
	CPUMS float64 `json:"cpu_ms,omitempty"`
	// TimeRatio is the time over that of the first way: below 1 is faster.
	TimeRatio float64            `json:"time_ratio"`
	LinkMS    float64            `json:"link_ms"`
	CompileMS float64            `json:"compile_ms"`
	Code      []report.Statistic `json:"code,omitempty"`
	Clocks    *clocks            `json:"clocks,omitempty"`
}

// divergeBench measures kinds of hit shaders in one scene.
type divergeBench struct {
	ways   []*divergeWay
	forms  []engine.LinkForm
	both   bool // with hit objects, too
	reader *clockReader
	report divergenceReport
}

// divergeWay is a way with the paths' first segments.
type divergeWay struct {
	dev         *engine.Device
	closeDevice func() error
	paths       *diverge.Paths
}

func (w *divergeWay) destroy() error {
	w.paths.Destroy()
	return w.closeDevice()
}

// divergenceOfScene measures all kinds in one scene.
func (b *run) divergenceOfScene(ctx context.Context, l *loadedScene) (err error) {
	d := &divergeBench{forms: b.o.Forms, both: b.o.Reorder}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.open(ctx, b.o, l); err != nil {
		return err
	}
	// What was measured before an error counts.
	defer func() {
		if len(d.report.Series) > 0 {
			b.report.Divergence = append(b.report.Divergence, d.report)
		}
	}()
	done, finish := b.progress("divergence of "+l.name, len(b.o.Kinds))
	defer finish()
	for i, kind := range b.o.Kinds {
		if err := d.measure(ctx, kind); err != nil {
			return err
		}
		done(i + 1)
	}
	return nil
}

// open deals the scene out and uploads it to all ways.
func (d *divergeBench) open(ctx context.Context, f *Options, l *loadedScene) error {
	dealt, err := diverge.Deal(l.scene)
	if err != nil {
		return err
	}
	o := diverge.Options{Flags: f.Flags, Steps: f.Steps}
	for i, backend := range f.Ways {
		w := &divergeWay{}
		if w.dev, w.closeDevice, err = f.Open(ctx, backend); err != nil {
			return err
		}
		d.ways = append(d.ways, w)
		if i == 0 {
			o.Width, o.Height = compare.Size(w.dev, f.Width, f.Height, [2]int{48, 27}, [2]int{1920, 1080})
			o.Rays = rays.PrimaryRays(l.camera.Basis(float32(o.Width)/float32(o.Height)), o.Width, o.Height)
		}
		if w.paths, err = diverge.NewPaths(ctx, w.dev, dealt, o); err != nil {
			return fmt.Errorf("%s: %w", backend, err)
		}
		d.report.Ways = append(d.report.Ways, report.WayOf(w.dev))
	}
	d.reader = findClocks(d.ways[0].dev.Info().Name)
	d.report.Scene, d.report.Triangles = l.name, dealt.Stats().Triangles
	d.report.Width, d.report.Height, d.report.Steps = o.Width, o.Height, o.Steps
	return nil
}

func (d *divergeBench) close() (err error) {
	for _, w := range d.ways {
		err = errors.Join(err, w.destroy())
	}
	return err
}

// divergeSubject is a way, in a form, with one kind of hit shaders.
type divergeSubject struct {
	way    *divergeWay
	form   engine.LinkForm
	kind   diverge.Kind
	tracer *diverge.Tracer
}

// name says it in words.
func (s *divergeSubject) name() string {
	name := s.way.dev.Backend().String()
	if s.way.dev.Backend() == engine.BackendCompute {
		name += ", " + s.form.String()
	}
	if s.kind.Reorder {
		name += ", reorder"
	}
	return name
}

// Destroy releases the tracer.
func (s *divergeSubject) Destroy() { s.tracer.Destroy() }

// measure links one kind in all ways and forms, compares the paths, and times them in turn.
func (d *divergeBench) measure(ctx context.Context, kind diverge.Kind) error {
	subjects, err := d.link(ctx, kind)
	defer func() { destroyAll(subjects) }()
	if err != nil {
		return err
	}
	out := make([]divergenceSeries, len(subjects))
	var first []diverge.Path
	for i, s := range subjects {
		image, err := s.tracer.Image(ctx)
		if err != nil {
			return fmt.Errorf("%s by %s: %w", kind.Name, s.name(), err)
		}
		if i == 0 {
			first = image
		}
		out[i] = s.describe(kind)
		out[i].Comparison = diverge.Compare(image, first)
		if err := out[i].Comparison.Verdict(); err != nil {
			return fmt.Errorf("%s by %s: %w", kind.Name, s.name(), err)
		}
	}
	var names []string
	launches, took := make([]launch, len(subjects)), make([]cpuTimes, len(subjects))
	for i, s := range subjects {
		launches[i], names = s.tracer.Trace, append(names, s.name())
		if isCPU(s.way.dev) {
			launches[i] = took[i].of(s.tracer.Trace)
		}
	}
	times, read, err := inTurn(ctx, warmTime(d.ways[0].dev, warmUpTime), d.reader, launches)
	if err != nil {
		return nameWay(err, names, kind.Name)
	}
	for i := range out {
		out[i].Timing, out[i].TimeRatio, out[i].Clocks = times[i], report.Per(times[i].Median, times[0].Median), read
		out[i].CPUMS = took[i].median()
	}
	d.report.Series = append(d.report.Series, out...)
	return nil
}

// link makes the pipelines: one natively, and one in each form by compute. What was made is returned with an error, too.
func (d *divergeBench) link(ctx context.Context, kind diverge.Kind) (out []*divergeSubject, err error) {
	for _, w := range d.ways {
		forms := d.forms
		if w.dev.Backend() == engine.BackendNative {
			forms = []engine.LinkForm{engine.FormAuto}
		}
		for _, form := range forms {
			for _, objects := range []bool{false, true} {
				if objects && !(d.both && w.dev.Limits().HitObjectsNV) {
					continue
				}
				s := &divergeSubject{way: w, form: form, kind: kind}
				s.kind.Reorder = objects
				if s.tracer, err = w.paths.NewTracer(ctx, s.kind, form); err != nil {
					return out, fmt.Errorf("%s: %w", s.name(), err)
				}
				out = append(out, s)
			}
		}
	}
	return out, nil
}

func (s *divergeSubject) describe(kind diverge.Kind) divergenceSeries {
	stats := s.tracer.Stats()
	r := divergenceSeries{
		Shaders: kind.Name, Backend: s.way.dev.Backend().String(),
		LinkMS: report.Milliseconds(stats.LinkTime), CompileMS: report.Milliseconds(stats.CompileTime),
		Code: report.Statistics(stats.Driver),
	}
	if s.way.dev.Backend() == engine.BackendCompute {
		r.Form, r.Linked = s.form.String(), stats.Form.String()
	}
	if r.Objects = s.kind.Reorder; r.Objects {
		r.Reorders = stats.Reorders || s.way.dev.Backend() == engine.BackendNative && s.way.dev.Limits().Reorders
	}
	return r
}

func (r *divergenceReport) print(w io.Writer) {
	fmt.Fprintf(w, "\ndivergence in %s: %d triangles, %d x %d paths, heavy shaders of %d steps\n\n", r.Scene, r.Triangles, r.Width,
		r.Height, r.Steps)
	fmt.Fprintln(w,
		"shaders\tway\tform\thit objects\tms\tmin\tmax\tcpu ms\ttime over first\tMrays/s\tpaths differ\tlink ms\tcompile ms\tcode")
	for i := range r.Series {
		s := &r.Series[i]
		form := "-"
		if s.Form != "" {
			form = s.Linked
			if s.Form != s.Linked {
				form = s.Form + ": " + s.Linked
			}
		}
		objects := "-"
		if s.Reorders {
			objects = "reordered"
		} else if s.Objects {
			objects = "in order"
		}
		cpu := "-"
		if s.CPUMS > 0 {
			cpu = fmt.Sprintf("%.3f", s.CPUMS)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.3f\t%.3f\t%.3f\t%s\t%.3f\t%.2f\t%d\t%.1f\t%.1f\t%s\n", s.Shaders, s.Backend, form, objects,
			s.Timing.Median, s.Min, s.Max, cpu, s.TimeRatio,
			report.Per(float64(s.Rays)/1e3, s.Timing.Median), s.Differ, s.LinkMS, s.CompileMS,
			report.JoinStatistics(report.Registers(s.Code)))
	}
}
