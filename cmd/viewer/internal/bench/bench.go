package bench

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/diverge"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// Options say what is measured. Whoever fills them in has judged them.
type Options struct {
	// Scenes are measured one after the other; Load loads one by name.
	Scenes []string
	Load   func(ctx context.Context, name string) (*assets.Scene, camera.Camera, error)
	// Ways are measured in turn; Open opens a device for one.
	Ways []engine.Backend
	Open compare.Opener
	// All measures rays, builds and divergence, of a built-in terrain and field, too, and goes on where a part fails. Without
	// it Builds and Divergence are measured instead of rays.
	All, Builds, Divergence bool
	// Clusters measures scenes as clusters instead of rays, of up to so many triangles and vertices as ClusterSizes says.
	Clusters     bool
	ClusterSizes []int
	// Pipelines measures what making them takes, instead, with Counts hit shaders, in Forms; OpenCached opens a device with a
	// directory for what caches keep, or without.
	Pipelines  bool
	Counts     []int
	OpenCached func(ctx context.Context, b engine.Backend, dir string) (*engine.Device, func() error, error)
	// Profile measures where the time of Builds goes, kernel by kernel, in place of comparing them.
	Profile bool
	// Embree measures Embree 3 beside the ray sets, if it is installed.
	Embree bool
	// Width and Height of images; 0 is chosen by the device.
	Width, Height int
	// Sets are the ray sets, traced in bottom levels built with Flags.
	Sets  []rays.Set
	Flags vk.BuildFlags
	// FlagSets, Meshes and Instances are what builds are measured of; 0 is chosen by the device.
	FlagSets          []FlagSet
	Meshes, Instances int
	// Kinds are the hit shaders of the divergence test, Steps those of the heavy ones, Forms how they are linked.
	Kinds []diverge.Kind
	Steps int
	Forms []engine.LinkForm
	// Reorder measures the divergence test with hit objects and reorders beside.
	Reorder bool
	// Progress, if not nil, is told of each part how much of it is done, and that it ended.
	Progress func(what string, total int) (done func(n int), finish func())
	// Log, if not nil, gets a line for each part of All.
	Log io.Writer
}

// Run measures scene after scene; each one's memory is released before the next. What was measured before an error is in the
// report, too. Options are not changed.
func Run(ctx context.Context, o Options) (*Report, error) {
	b := &run{o: &o, started: time.Now()}
	defer func() { b.embree.Close() }()
	b.all(ctx)
	b.report.Means = geometricMeans(b.report.Scenes)
	return &b.report, errors.Join(b.failed...)
}
