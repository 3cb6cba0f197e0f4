package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// FlagSet is a set of build flags by name.
type FlagSet struct {
	Name  string
	Flags vk.BuildFlags
}

// FlagSets lists the preferences, each without and with updates.
func FlagSets() []FlagSet {
	var out []FlagSet
	for _, p := range []FlagSet{{"fast-trace", vk.PreferFastTrace}, {"fast-build", vk.PreferFastBuild}, {"default", 0},
		{"low-memory", vk.LowMemory}} {
		out = append(out, p, FlagSet{p.Name + "+update", p.Flags | vk.AllowUpdate})
	}
	return out
}

// buildWay is one way with the tracer that validates its structures.
type buildWay struct {
	*compare.Way
	verify *rays.Tracer
}

func (w *buildWay) destroy() error {
	w.verify.Destroy()
	return w.Way.Close()
}

func newBuildWay(ctx context.Context, f *Options, backend engine.Backend, scene *assets.Scene) (w *buildWay, err error) {
	w = &buildWay{}
	if w.Way, err = compare.Open(ctx, f.Open, backend, scene, f.Flags); err != nil {
		return nil, err
	}
	if w.verify, err = rays.NewTracer(ctx, w.Dev, w.Scene, rays.Verify); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", backend, err), w.destroy())
	}
	return w, nil
}

// buildBench measures the builds of one scene.
type buildBench struct {
	ways   []*buildWay
	names  []string // of the ways
	maker  *rays.Maker
	reader *clockReader
	warm   bool // the clocks are up
	report buildsScene
}

// openBuilds opens all ways for a scene, of which small rays are made.
func openBuilds(ctx context.Context, f *Options, scene *assets.Scene, cam camera.Camera) (b *buildBench, err error) {
	b = &buildBench{}
	for _, backend := range f.Ways {
		w, err := newBuildWay(ctx, f, backend, scene)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.ways = append(b.ways, w)
		b.names = append(b.names, backend.String())
		b.report.Ways = append(b.report.Ways, report.WayOf(w.Dev))
	}
	width, height := compare.Size(b.ways[0].Dev, 0, 0, [2]int{48, 27}, [2]int{480, 270})
	b.maker = &rays.Maker{Scene: scene, Camera: cam, Width: width, Height: height}
	b.reader = findClocks(b.ways[0].Dev.Info().Name)
	b.report.Scene = scene.Name
	return b, nil
}

func (b *buildBench) close() (err error) {
	for _, w := range b.ways {
		err = errors.Join(err, w.destroy())
	}
	return err
}

// What is built of a scene.
const (
	bottomLevel  = "bottom level"
	bottomLevels = "bottom levels"
)

// buildsOfScene measures the bottom levels of a scene, all in one command.
func (b *run) buildsOfScene(ctx context.Context, l *loadedScene) error {
	what := bottomLevels
	if len(l.scene.Meshes) == 1 {
		what = bottomLevel
	}
	cases := []buildCase{{what, (*accel.Scene).BottomBuilds}}
	return b.buildCases(ctx, l.name, l.scene, l.camera, cases)
}

// buildsOfField measures one small mesh, many of them in one command, and a top level of many instances.
func (b *run) buildsOfField(ctx context.Context) error {
	scene, err := assets.BuiltinContext(ctx, fmt.Sprintf("field:%d", b.o.Instances))
	if err != nil {
		return err
	}
	cam, _ := camera.Of(scene.Cameras[0])
	return b.buildCases(ctx, scene.Name, scene, cam, []buildCase{
		{"one mesh", (*accel.Scene).BottomBuilds},
		{fmt.Sprintf("%d meshes", b.o.Meshes),
			func(s *accel.Scene) []engine.BuildInput { return slices.Repeat(s.BottomBuilds(), b.o.Meshes) }},
		{fmt.Sprintf("top level of %d", b.o.Instances), (*accel.Scene).TopBuilds},
	})
}

// buildCase is something to build.
type buildCase struct {
	what   string
	inputs func(s *accel.Scene) []engine.BuildInput
}

// buildCases measures cases with all sets of flags, and reports as far as it came.
func (b *run) buildCases(ctx context.Context, name string, scene *assets.Scene, cam camera.Camera, cases []buildCase) (err error) {
	one, err := openBuilds(ctx, b.o, scene, cam)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, one.close()) }()
	one.report.Scene = name
	err = b.eachFlags(ctx, one, b.o.FlagSets, func(set FlagSet) error {
		for _, c := range cases {
			if err := one.measure(ctx, c.what, set, func(w *buildWay, compactable vk.BuildFlags) []engine.BuildInput {
				return withFlags(c.inputs(w.Scene), set.Flags|compactable)
			}); err != nil {
				return err
			}
			b.note(name, buildFigures(c.what, set.Name, one.report.Builds[len(one.report.Builds)-len(one.ways):]))
		}
		return nil
	})
	place := map[string]int{}
	for i, c := range cases {
		place[c.what] = i
	}
	slices.SortStableFunc(one.report.Builds, func(x, y buildReport) int { return place[x.What] - place[y.What] })
	if len(one.report.Builds) > 0 {
		b.report.Builds = append(b.report.Builds, one.report)
	}
	return err
}

// buildFigures are those of builds by all ways, for who waits: the tables come when all is done.
func buildFigures(what, flags string, by []buildReport) string {
	text := what + ", " + flags + ":"
	for i := range by {
		text += fmt.Sprintf(" %s %.3f ms", by[i].Backend, by[i].Build.Median)
		if i > 0 {
			text += fmt.Sprintf(" (%.2f)", by[i].Ratio)
		}
	}
	return text
}

// withFlags returns builds with other flags, into structures of their own.
func withFlags(inputs []engine.BuildInput, flags vk.BuildFlags) []engine.BuildInput {
	for i := range inputs {
		inputs[i].Info.Flags, inputs[i].Dst = flags, nil
	}
	return inputs
}

// eachFlags validates the structures of each set of flags, and then measures.
func (b *run) eachFlags(ctx context.Context, one *buildBench, sets []FlagSet, measure func(set FlagSet) error) error {
	done, finish := b.progress("builds of "+one.report.Scene, len(sets))
	defer finish()
	for i, set := range sets {
		if err := one.validate(ctx, set); err != nil {
			return fmt.Errorf("builds of %s: %w", set.Name, err)
		}
		if err := measure(set); err != nil {
			return err
		}
		done(i + 1)
	}
	return nil
}

// validate builds the scene with a set of flags, both levels, refits what allows it, and compares what rays hit.
func (b *buildBench) validate(ctx context.Context, set FlagSet) error {
	for _, w := range b.ways {
		if err := w.rebuild(ctx, set.Flags); err != nil {
			return fmt.Errorf("%s: %w", w.Dev.Backend(), err)
		}
	}
	last := b.ways[len(b.ways)-1]
	for _, kind := range []rays.Set{rays.Primary, rays.Random} {
		list, err := b.maker.Make(ctx, kind, last.verify, last.Scene)
		if err != nil {
			return err
		}
		var first []rays.Hit
		for i, w := range b.ways {
			hits, err := compare.TraceHits(ctx, w.verify, list, b.maker.Width, b.maker.Height)
			if err != nil {
				return fmt.Errorf("%s: %w", w.Dev.Backend(), err)
			}
			if i == 0 {
				first = hits
				continue
			}
			c := rays.Compare(list, hits, first, w.Scene)
			b.report.Checks = append(b.report.Checks, checkReport{set.Name, b.names[i],
				compare.Set{Set: kind, Rays: c.Rays, Hits: c.Hits, Differ: c.Differ, Reasons: c.Reasons}})
		}
	}
	return nil
}

// rebuild builds with other flags, and refits if these allow it.
func (w *buildWay) rebuild(ctx context.Context, flags vk.BuildFlags) error {
	if err := w.Scene.Rebuild(ctx, w.Dev, flags, flags); err != nil {
		return err
	}
	if flags&vk.AllowUpdate != 0 {
		for _, inputs := range [][]engine.BuildInput{w.Scene.BottomBuilds(), w.Scene.TopBuilds()} {
			for i := range inputs {
				inputs[i].Info.Update = true
			}
			if _, _, err := w.Dev.BuildAccelerationStructures(ctx, inputs); err != nil {
				return fmt.Errorf("refit: %w", err)
			}
		}
	}
	return w.verify.SetScene(w.Scene)
}
