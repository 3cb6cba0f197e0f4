package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/everray/everray/cmd/viewer/internal/diverge"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// pipelinesReport is what making pipelines takes.
type pipelinesReport struct {
	Ways   []report.Way      `json:"ways"`
	Series []pipelinesSeries `json:"series"`
}

// pipelinesSeries is one pipeline that was made.
type pipelinesSeries struct {
	Shaders int    `json:"shaders"` // hit shaders
	Shadows bool   `json:"shadow_rays"`
	Backend string `json:"backend"`
	// Form is what was asked for, Linked what came out, on the compute way.
	Form   string `json:"form,omitempty"`
	Linked string `json:"linked,omitempty"`
	// What was made: see the constants.
	What string `json:"what"`
	// MakeMS is by the clock, and holds LinkMS and CompileMS. FirstMS is what the first launch takes besides, to its end: some
	// drivers compile only then, and so does a form that has kernels in the background.
	MakeMS    float64 `json:"make_ms"`
	LinkMS    float64 `json:"link_ms"`
	CompileMS float64 `json:"compile_ms"`
	FirstMS   float64 `json:"first_launch_ms"`
	// Error says why there is none.
	Error string `json:"error,omitempty"`
}

// What bench makes.
const (
	madeCold    = "cold"        // shaders that no cache has
	madeCached  = "cached"      // the same, from a directory, by a device that was opened again
	madeLibrary = "library"     // a library of the hit shaders
	madeFrom    = "of library"  // a pipeline with the library
	madeMore    = "library + 1" // the same with one hit shader more
)

// pipelinesBench makes pipelines over a small scene.
type pipelinesBench struct {
	o      *Options
	dealt  *loadedScene
	salt   uint32
	report pipelinesReport
}

// pipelines makes pipelines of each number of hit shaders, with and without shadow rays, in all ways and forms.
func (b *run) pipelines(ctx context.Context, l *loadedScene) error {
	dealt, err := diverge.Deal(l.scene)
	if err != nil {
		return err
	}
	p := &pipelinesBench{o: b.o, dealt: &loadedScene{name: l.name, scene: dealt, camera: l.camera}, salt: 1}
	defer func() {
		if len(p.report.Series) > 0 {
			b.report.Pipelines = &p.report
		}
	}()
	done, finish := b.progress("pipelines", 2*len(b.o.Counts)*len(b.o.Ways))
	defer finish()
	n := 0
	for _, backend := range b.o.Ways {
		forms := b.o.Forms
		if backend == engine.BackendNative {
			forms = []engine.LinkForm{engine.FormAuto}
		}
		for _, shadows := range []bool{false, true} {
			for _, count := range b.o.Counts {
				for _, form := range forms {
					if err := p.measure(ctx, backend, form, diverge.Many(count, shadows, 0)); err != nil {
						return err
					}
				}
				n++
				done(n)
			}
		}
	}
	return nil
}

// device opens one, with a cache's directory or without, and puts the scene on it.
func (p *pipelinesBench) device(
	ctx context.Context, backend engine.Backend, dir string, work func(dev *engine.Device, paths *diverge.Paths) error,
) (err error) {
	dev, closeDevice, err := p.o.OpenCached(ctx, backend, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDevice()) }()
	const side = 64
	o := diverge.Options{Flags: p.o.Flags, Width: side, Height: side, Steps: 1}
	o.Rays = rays.PrimaryRays(p.dealt.camera.Basis(1), side, side)
	paths, err := diverge.NewPaths(ctx, dev, p.dealt.scene, o)
	if err != nil {
		return err
	}
	defer paths.Destroy()
	return work(dev, paths)
}

// measure makes everything of one kind. Each time has shaders of its own, but for what is to come from the cache.
func (p *pipelinesBench) measure(ctx context.Context, backend engine.Backend, form engine.LinkForm, kind diverge.Kind) error {
	dir, err := os.MkdirTemp("", "everray-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left there is only a cache
	p.fresh(&kind)
	for _, what := range []string{madeCold, madeCached} {
		err := p.device(ctx, backend, dir, func(dev *engine.Device, paths *diverge.Paths) error {
			p.know(dev)
			return p.make(ctx, what, backend, form, kind, func() (*diverge.Tracer, error) { return paths.NewTracer(ctx, kind, form) })
		})
		if err != nil {
			return err
		}
	}
	if form == engine.FormMonolithic {
		return nil // libraries have none
	}
	p.fresh(&kind)
	return p.device(ctx, backend, "", func(_ *engine.Device, paths *diverge.Paths) error {
		return p.libraries(ctx, backend, form, kind, paths)
	})
}

// libraries makes a library and pipelines with it.
func (p *pipelinesBench) libraries(
	ctx context.Context, backend engine.Backend, form engine.LinkForm, kind diverge.Kind, paths *diverge.Paths,
) error {
	start := time.Now()
	library, err := paths.NewLibrary(ctx, kind, form)
	s := p.series(madeLibrary, backend, form, kind)
	s.MakeMS = report.Milliseconds(time.Since(start))
	if !p.add(s, err) {
		return p.serious(ctx, err)
	}
	defer library.Destroy()
	for more, what := range []string{madeFrom, madeMore} {
		err := p.make(ctx, what, backend, form, kind, func() (*diverge.Tracer, error) {
			return paths.NewTracerOf(ctx, kind, form, library, more)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// make times the making of a pipeline and its first launch.
func (p *pipelinesBench) make(
	ctx context.Context, what string, backend engine.Backend, form engine.LinkForm, kind diverge.Kind,
	make func() (*diverge.Tracer, error),
) error {
	s := p.series(what, backend, form, kind)
	start := time.Now()
	tracer, err := make()
	s.MakeMS = report.Milliseconds(time.Since(start))
	if err == nil {
		defer tracer.Destroy()
		stats := tracer.Stats()
		s.LinkMS, s.CompileMS = report.Milliseconds(stats.LinkTime), report.Milliseconds(stats.CompileTime)
		if backend == engine.BackendCompute {
			s.Linked = stats.Form.String()
		}
		start = time.Now()
		_, err = tracer.Trace(ctx, 1)
		s.FirstMS = report.Milliseconds(time.Since(start))
	}
	if !p.add(s, err) {
		return p.serious(ctx, err)
	}
	return nil
}

// serious returns an error unless it says that a form cannot run the pipeline.
func (p *pipelinesBench) serious(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, engine.ErrUnsupported) {
		return nil
	}
	return err
}

// fresh gives a kind shaders that nothing has seen.
func (p *pipelinesBench) fresh(kind *diverge.Kind) {
	kind.Salt = p.salt << 12
	p.salt++
}

func (p *pipelinesBench) series(what string, backend engine.Backend, form engine.LinkForm, kind diverge.Kind) pipelinesSeries {
	s := pipelinesSeries{Shaders: kind.Shaders, Shadows: kind.Shadows, Backend: backend.String(), What: what}
	if backend == engine.BackendCompute {
		s.Form = form.String()
	}
	return s
}

// add puts a series into the report, and tells whether it has no error.
func (p *pipelinesBench) add(s pipelinesSeries, err error) bool {
	if err != nil {
		s.Error = report.OneLine(err)
	}
	p.report.Series = append(p.report.Series, s)
	return err == nil
}

// know notes a device, once each way.
func (p *pipelinesBench) know(dev *engine.Device) {
	w := report.WayOf(dev)
	for _, known := range p.report.Ways {
		if known.Backend == w.Backend {
			return
		}
	}
	p.report.Ways = append(p.report.Ways, w)
}

func (r *pipelinesReport) print(w io.Writer) {
	fmt.Fprintln(w, "\nshaders\tshadow rays\tway\tform\tmade\tms\tlink ms\tcompile ms\tfirst launch ms")
	for i := range r.Series {
		s := &r.Series[i]
		form := "-"
		if s.Form != "" {
			form = s.Form
			if s.Linked != "" && s.Linked != s.Form {
				form += ": " + s.Linked
			}
		}
		if s.Error != "" {
			fmt.Fprintf(w, "%d\t%t\t%s\t%s\t%s\t%s\n", s.Shaders, s.Shadows, s.Backend, form, s.What, s.Error)
			continue
		}
		fmt.Fprintf(w, "%d\t%t\t%s\t%s\t%s\t%.1f\t%.1f\t%.1f\t%.1f\n", s.Shaders, s.Shadows, s.Backend, form, s.What, s.MakeMS, s.LinkMS,
			s.CompileMS, s.FirstMS)
	}
}
