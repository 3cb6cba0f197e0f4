package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// flagSet is a set of build flags by name.
type flagSet struct {
	name  string
	flags vk.BuildFlags
}

// flagSets lists the preferences, each without and with updates.
func flagSets() []flagSet {
	var out []flagSet
	for _, p := range []flagSet{{"fast-trace", vk.PreferFastTrace}, {"fast-build", vk.PreferFastBuild}, {"default", 0}, {"low-memory", vk.LowMemory}} {
		out = append(out, p, flagSet{p.name + "+update", p.flags | vk.AllowUpdate})
	}
	return out
}

// parseFlagSets reads --flags: names of flagSets, or none for all.
func parseFlagSets(names []string) ([]flagSet, error) {
	all := flagSets()
	if len(names) == 0 {
		return all, nil
	}
	var out []flagSet
	for _, name := range names {
		at := slices.IndexFunc(all, func(s flagSet) bool { return s.name == name })
		if at < 0 {
			return nil, fmt.Errorf("%w: --flags %q: want %s, with +update or without", errUsage, name, buildNames)
		}
		out = append(out, all[at])
	}
	return out, nil
}

// buildWay is one way with the tracer that validates its structures.
type buildWay struct {
	*way
	verify *rays.Tracer
}

func (w *buildWay) destroy() error {
	w.verify.Destroy()
	return w.way.destroy()
}

func newBuildWay(ctx context.Context, f *benchFlags, backend engine.Backend, scene *assets.Scene) (w *buildWay, err error) {
	w = &buildWay{}
	if w.way, err = openWay(ctx, f.deviceFlags, backend, scene, f.build); err != nil {
		return nil, err
	}
	if w.verify, err = rays.NewTracer(ctx, w.dev, w.scene, rays.Verify); err != nil {
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
func openBuilds(ctx context.Context, f *benchFlags, scene *assets.Scene, cam camera.Camera) (b *buildBench, err error) {
	b = &buildBench{}
	for _, backend := range f.ways {
		w, err := newBuildWay(ctx, f, backend, scene)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.ways = append(b.ways, w)
		b.names = append(b.names, backend.String())
		b.report.Ways = append(b.report.Ways, reportDevice(w.dev))
	}
	size := sceneFlags{}
	size.defaultSize(b.ways[0].dev, 48, 27, 480, 270)
	b.maker = &rays.Maker{Scene: scene, Camera: cam, Width: size.width, Height: size.height}
	b.reader = findClocks(b.ways[0].dev.Info().Name)
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
func (b *benchRun) buildsOfScene(ctx context.Context, l *loadedScene) error {
	what := bottomLevels
	if len(l.scene.Meshes) == 1 {
		what = bottomLevel
	}
	cases := []buildCase{{what, (*accel.Scene).BottomBuilds}}
	return b.buildCases(ctx, l.name, l.scene, l.camera, cases)
}

// buildsOfField measures one small mesh, many of them in one command, and a top level of many instances.
func (b *benchRun) buildsOfField(ctx context.Context) error {
	scene, err := assets.BuiltinContext(ctx, fmt.Sprintf("field:%d", b.f.instances))
	if err != nil {
		return err
	}
	cam, _ := camera.Of(scene.Cameras[0])
	return b.buildCases(ctx, scene.Name, scene, cam, []buildCase{
		{"one mesh", (*accel.Scene).BottomBuilds},
		{fmt.Sprintf("%d meshes", b.f.meshes), func(s *accel.Scene) []engine.BuildInput { return slices.Repeat(s.BottomBuilds(), b.f.meshes) }},
		{fmt.Sprintf("top level of %d", b.f.instances), (*accel.Scene).TopBuilds},
	})
}

// buildCase is something to build.
type buildCase struct {
	what   string
	inputs func(s *accel.Scene) []engine.BuildInput
}

// buildCases measures cases with all sets of flags, and reports as far as it came.
func (b *benchRun) buildCases(ctx context.Context, name string, scene *assets.Scene, cam camera.Camera, cases []buildCase) (err error) {
	one, err := openBuilds(ctx, b.f, scene, cam)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, one.close()) }()
	one.report.Scene = name
	err = b.a.eachFlags(ctx, one, b.f.flags, func(set flagSet) error {
		for _, c := range cases {
			if err := one.measure(ctx, c.what, set, func(w *buildWay, compactable vk.BuildFlags) []engine.BuildInput {
				return withFlags(c.inputs(w.scene), set.flags|compactable)
			}); err != nil {
				return err
			}
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

// withFlags returns builds with other flags, into structures of their own.
func withFlags(inputs []engine.BuildInput, flags vk.BuildFlags) []engine.BuildInput {
	for i := range inputs {
		inputs[i].Info.Flags, inputs[i].Dst = flags, nil
	}
	return inputs
}

// eachFlags validates the structures of each set of flags, and then measures.
func (a *app) eachFlags(ctx context.Context, b *buildBench, sets []flagSet, measure func(set flagSet) error) error {
	bar := a.progress("builds of "+b.report.Scene, len(sets))
	defer bar.finish()
	for i, set := range sets {
		if err := b.validate(ctx, set); err != nil {
			return fmt.Errorf("builds of %s: %w", set.name, err)
		}
		if err := measure(set); err != nil {
			return err
		}
		bar.set(i + 1)
	}
	return nil
}

// validate builds the scene with a set of flags, both levels, refits what allows it, and compares what rays hit.
func (b *buildBench) validate(ctx context.Context, set flagSet) error {
	for _, w := range b.ways {
		if err := w.rebuild(ctx, set.flags); err != nil {
			return fmt.Errorf("%s: %w", w.dev.Backend(), err)
		}
	}
	last := b.ways[len(b.ways)-1]
	for _, kind := range []rays.Set{rays.Primary, rays.Random} {
		list, err := b.maker.Make(ctx, kind, last.verify, last.scene)
		if err != nil {
			return err
		}
		var first []rays.Hit
		for i, w := range b.ways {
			hits, err := traceHits(ctx, w.verify, list, b.maker.Width, b.maker.Height)
			if err != nil {
				return fmt.Errorf("%s: %w", w.dev.Backend(), err)
			}
			if i == 0 {
				first = hits
				continue
			}
			c := rays.Compare(list, hits, first, w.scene.Triangle)
			b.report.Checks = append(b.report.Checks, checkReport{set.name, b.names[i], setReport{kind, c.Rays, c.Hits, c.Differ, c.Reasons, nil}})
		}
	}
	return nil
}

// rebuild builds with other flags, and refits if these allow it.
func (w *buildWay) rebuild(ctx context.Context, flags vk.BuildFlags) error {
	if err := w.scene.Rebuild(ctx, w.dev, flags, flags); err != nil {
		return err
	}
	if flags&vk.AllowUpdate != 0 {
		for _, inputs := range [][]engine.BuildInput{w.scene.BottomBuilds(), w.scene.TopBuilds()} {
			for i := range inputs {
				inputs[i].Info.Update = true
			}
			if _, _, err := w.dev.BuildAccelerationStructures(ctx, inputs); err != nil {
				return fmt.Errorf("refit: %w", err)
			}
		}
	}
	return w.verify.SetScene(w.scene)
}
