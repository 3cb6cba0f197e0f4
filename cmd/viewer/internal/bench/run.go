package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/embree"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// run is one run of bench.
type run struct {
	o       *Options
	started time.Time
	report  Report
	failed  []error
	embree  *embree.Device // nil where it is skipped
}

// progress is Options.Progress, which may be nil.
func (b *run) progress(what string, total int) (done func(n int), finish func()) {
	if b.o.Progress == nil {
		return func(int) {}, func() {}
	}
	return b.o.Progress(what, total)
}

// loadedScene is a scene with its camera.
type loadedScene struct {
	name   string
	scene  *assets.Scene
	camera camera.Camera
	stats  assets.Stats
}

// shared tells that meshes have several instances.
func (s *loadedScene) shared() bool { return s.stats.Instances > s.stats.Meshes }

// all does all parts; what they measured is in the report, what failed in failed.
func (b *run) all(ctx context.Context) {
	if (b.o.All || b.o.Builds) && !(b.do(ctx, "", "sizes", b.size) && len(b.failed) == 0) {
		return
	}
	if b.raysToo() && b.o.Embree {
		b.openEmbree()
	}
	for _, name := range b.o.Scenes {
		if !b.scene(ctx, name) {
			return
		}
	}
	if b.o.Builds && !b.o.Profile || b.o.All {
		b.do(ctx, "", "builds of many meshes and instances", b.buildsOfField)
	}
}

// raysToo tells that ray sets are measured.
func (b *run) raysToo() bool {
	return b.o.All || !b.o.Builds && !b.o.Divergence && !b.o.Clusters && !b.o.Pipelines
}

// do does a part of the run, about a scene or "", and tells whether to go on.
func (b *run) do(ctx context.Context, scene, what string, work func(ctx context.Context) error) bool {
	if b.o.All {
		b.note(scene, what)
	}
	err := work(ctx)
	if err == nil {
		return true
	}
	if len(b.o.Scenes) > 1 && scene != "" {
		err = fmt.Errorf("%s: %w", scene, err)
	}
	b.failed = append(b.failed, err)
	b.report.Errors = append(b.report.Errors, report.OneLine(err))
	return b.o.All && ctx.Err() == nil && !hopeless(err)
}

// noted is how long a step of a part takes that is worth a line of its own.
const noted = time.Second

// step does a step of a part, and notes where it took long: of large scenes the host's work may take longer than all that is
// measured.
func (b *run) step(scene, what string, work func() error) error {
	start := time.Now()
	err := work()
	if took := time.Since(start); took >= noted {
		b.note(scene, fmt.Sprintf("%s took %.1f s", what, took.Seconds()))
	}
	return err
}

// note says something about a scene while the run goes on.
func (b *run) note(scene, what string) {
	if b.o.Log != nil {
		fmt.Fprintf(b.o.Log, "%6.1f s  %s %s\n", time.Since(b.started).Seconds(), scene, what)
	}
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
func (b *run) scene(ctx context.Context, name string) bool {
	l := loadedScene{name: name}
	on := b.do(ctx, name, "load", func(ctx context.Context) (err error) {
		return b.step(name, "load", func() error {
			l.scene, l.camera, err = b.o.Load(ctx, name)
			return err
		})
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
		{b.o.Builds && !b.o.Profile || b.o.All && !l.shared(), "builds", b.buildsOfScene},
		{b.o.Builds && b.o.Profile, "profile of builds", b.profileOfScene},
		{b.o.Clusters, "clusters", b.clustersOfScene},
		{b.o.Divergence || b.o.All && !l.shared(), "divergence", b.divergenceOfScene},
		{b.o.Pipelines, "pipelines", b.pipelines},
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
func (b *run) size(ctx context.Context) error {
	dev, closeDevice, err := b.o.Open(ctx, b.o.Ways[0])
	if err != nil {
		return err
	}
	terrain, meshes, instances := defaultTerrain, defaultMeshes, defaultInstances
	if isCPU(dev) {
		terrain, meshes, instances = defaultTerrainCPU, defaultMeshesCPU, defaultInstancesCPU
	}
	if b.o.Meshes == 0 {
		b.o.Meshes = meshes
	}
	if b.o.Instances == 0 {
		b.o.Instances = instances
	}
	if b.o.All {
		b.o.Scenes = append(b.o.Scenes, fmt.Sprintf("%sterrain:%d", assets.BuiltinPrefix, terrain),
			fmt.Sprintf("%sfield:%d", assets.BuiltinPrefix, b.o.Instances))
	}
	return closeDevice()
}
