package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/embree"
	"github.com/everray/everray/engine"
)

// benchRun is one run of bench.
type benchRun struct {
	a       *app
	f       *benchFlags
	started time.Time
	report  benchReport
	failed  []error
	embree  *embree.Device // nil where it is skipped
}

func newBenchRun(a *app, f *benchFlags) *benchRun { return &benchRun{a: a, f: f, started: time.Now()} }

func (b *benchRun) close() { b.embree.Close() }

// loadedScene is a scene with its camera.
type loadedScene struct {
	name   string
	scene  *assets.Scene
	camera camera.Camera
	stats  assets.Stats
}

// shared tells that meshes have several instances.
func (s *loadedScene) shared() bool { return s.stats.Instances > s.stats.Meshes }

// run does all parts; what they measured is in the report, what failed in failed.
func (b *benchRun) run(ctx context.Context) {
	if (b.f.all || b.f.builds) && !(b.do(ctx, "", "sizes", b.size) && len(b.failed) == 0) {
		return
	}
	if b.raysToo() && b.f.embree {
		b.openEmbree()
	}
	for _, name := range b.f.scenes {
		if !b.scene(ctx, name) {
			return
		}
	}
	if b.f.builds || b.f.all {
		b.do(ctx, "", "builds of many meshes and instances", b.buildsOfField)
	}
}

// raysToo tells that ray sets are measured.
func (b *benchRun) raysToo() bool { return b.f.all || !b.f.builds && !b.f.divergence }

// do does a part of the run, about a scene or "", and tells whether to go on.
func (b *benchRun) do(ctx context.Context, scene, what string, work func(ctx context.Context) error) bool {
	if b.f.all && !b.a.quiet {
		fmt.Fprintf(b.a.stderr, "%6.1f s  %s %s\n", time.Since(b.started).Seconds(), scene, what)
	}
	err := work(ctx)
	if err == nil {
		return true
	}
	if len(b.f.scenes) > 1 && scene != "" {
		err = fmt.Errorf("%s: %w", scene, err)
	}
	b.failed = append(b.failed, err)
	b.report.Errors = append(b.report.Errors, oneLine(err))
	return b.f.all && ctx.Err() == nil && !hopeless(err)
}

// hopeless tells of errors that every other part would meet, too.
func hopeless(err error) bool {
	for _, e := range []error{engine.ErrNoDriver, engine.ErrUnknownDevice, engine.ErrUnsupportedDevice, engine.ErrNativeUnavailable} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// scene does the parts that are about one scene, and tells whether to go on.
func (b *benchRun) scene(ctx context.Context, name string) bool {
	l := loadedScene{name: name}
	on := b.do(ctx, name, "load", func(ctx context.Context) (err error) {
		b.f.scene = name
		l.scene, l.camera, _, err = b.f.load(ctx, b.a)
		return err
	})
	if !on || l.scene == nil {
		return on
	}
	l.stats = l.scene.Stats()
	for _, part := range []struct {
		wanted bool
		name   string
		do     func(ctx context.Context, l *loadedScene) error
	}{
		{b.raysToo(), "rays", b.raysOfScene},
		// The field's mesh and instances are measured at the end, and its triangles are too many to deal out.
		{b.f.builds || b.f.all && !l.shared(), "builds", b.buildsOfScene},
		{b.f.divergence || b.f.all && !l.shared(), "divergence", b.divergenceOfScene},
	} {
		if part.wanted && !b.do(ctx, name, part.name, func(ctx context.Context) error { return part.do(ctx, &l) }) {
			return false
		}
	}
	return true
}

// Sizes of built-in scenes and builds, as in the project's baseline, and on CPUs.
const (
	defaultTerrain      = 4_193_408
	defaultTerrainCPU   = 5_000
	defaultMeshes       = 1000
	defaultMeshesCPU    = 16
	defaultInstances    = 100_000
	defaultInstancesCPU = 1000
)

// size chooses sizes that suit the device where none were given, and adds --all's scenes.
func (b *benchRun) size(ctx context.Context) error {
	d := b.f.deviceFlags
	d.backend = b.f.ways[0].String()
	dev, closeDevice, err := d.open(ctx)
	if err != nil {
		return err
	}
	terrain, meshes, instances := defaultTerrain, defaultMeshes, defaultInstances
	if isCPU(dev) {
		terrain, meshes, instances = defaultTerrainCPU, defaultMeshesCPU, defaultInstancesCPU
	}
	if b.f.meshes == 0 {
		b.f.meshes = meshes
	}
	if b.f.instances == 0 {
		b.f.instances = instances
	}
	if b.f.all {
		b.f.scenes = append(b.f.scenes, fmt.Sprintf("%sterrain:%d", assets.BuiltinPrefix, terrain), fmt.Sprintf("%sfield:%d", assets.BuiltinPrefix, b.f.instances))
	}
	return closeDevice()
}
