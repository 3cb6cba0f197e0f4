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
	report buildsScene
}

// benchBuilds measures the builds of all scenes, then of many small meshes and instances.
func (a *app) benchBuilds(ctx context.Context, f *benchFlags) error {
	var r buildsReport
	var failed error
	for i := 0; i <= len(f.scenes) && failed == nil; i++ {
		var one buildsScene
		var err error
		if i < len(f.scenes) {
			one, err = a.buildsOfScene(ctx, f, f.scenes[i])
		} else {
			one, err = a.buildsOfField(ctx, f)
		}
		if err == nil {
			r.Scenes = append(r.Scenes, one)
		} else if failed = err; len(f.scenes) > 0 && i < len(f.scenes) {
			failed = fmt.Errorf("%s: %w", f.scenes[i], err)
		}
	}
	if len(r.Scenes) == 0 {
		return failed
	}
	return errors.Join(failed, a.printBuilds(&r), a.plotBuilds(f.plot, &r), r.verdict())
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

// buildsOfScene measures the bottom levels of a scene, all in one command.
func (a *app) buildsOfScene(ctx context.Context, f *benchFlags, name string) (r buildsScene, err error) {
	f.scene = name
	scene, cam, _, err := f.load(ctx, a)
	if err != nil {
		return r, err
	}
	b, err := openBuilds(ctx, f, scene, cam)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	what := "bottom levels"
	if len(scene.Meshes) == 1 {
		what = "bottom level"
	}
	err = a.eachFlags(ctx, b, func(set flagSet) error {
		return b.measure(ctx, what, set, func(w *buildWay, compactable vk.BuildFlags) []engine.BuildInput {
			return withFlags(w.scene.BottomBuilds(), set.flags|compactable)
		})
	})
	b.report.Scene = name
	return b.report, err
}

// buildsOfField measures one small mesh, many of them in one command, and a top level of many instances.
func (a *app) buildsOfField(ctx context.Context, f *benchFlags) (r buildsScene, err error) {
	meshes, instances, err := f.fieldSize(ctx)
	if err != nil {
		return r, err
	}
	scene, err := assets.BuiltinContext(ctx, fmt.Sprintf("field:%d", instances))
	if err != nil {
		return r, err
	}
	cam, _ := camera.Of(scene.Cameras[0])
	b, err := openBuilds(ctx, f, scene, cam)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	cases := []struct {
		what   string
		inputs func(s *accel.Scene) []engine.BuildInput
	}{
		{"one mesh", (*accel.Scene).BottomBuilds},
		{fmt.Sprintf("%d meshes", meshes), func(s *accel.Scene) []engine.BuildInput { return slices.Repeat(s.BottomBuilds(), meshes) }},
		{fmt.Sprintf("top level of %d", instances), (*accel.Scene).TopBuilds},
	}
	err = a.eachFlags(ctx, b, func(set flagSet) error {
		for _, c := range cases {
			if err := b.measure(ctx, c.what, set, func(w *buildWay, compactable vk.BuildFlags) []engine.BuildInput {
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
	slices.SortStableFunc(b.report.Builds, func(x, y buildReport) int { return place[x.What] - place[y.What] })
	return b.report, err
}

// fieldSize returns --meshes and --instances, or what suits the device.
func (f *benchFlags) fieldSize(ctx context.Context) (meshes, instances int, err error) {
	meshes, instances = 1000, 100_000
	d := f.deviceFlags
	d.backend = f.ways[0].String()
	if f.meshes == 0 || f.instances == 0 {
		dev, closeDevice, err := d.open(ctx)
		if err != nil {
			return 0, 0, err
		}
		if isCPU(dev) {
			meshes, instances = 16, 1000
		}
		if err := closeDevice(); err != nil {
			return 0, 0, err
		}
	}
	if f.meshes > 0 {
		meshes = f.meshes
	}
	if f.instances > 0 {
		instances = f.instances
	}
	return meshes, instances, nil
}

// withFlags returns builds with other flags, into structures of their own.
func withFlags(inputs []engine.BuildInput, flags vk.BuildFlags) []engine.BuildInput {
	for i := range inputs {
		inputs[i].Info.Flags, inputs[i].Dst = flags, nil
	}
	return inputs
}

// eachFlags validates the structures of each set of flags, and then measures.
func (a *app) eachFlags(ctx context.Context, b *buildBench, measure func(set flagSet) error) error {
	sets := flagSets()
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
