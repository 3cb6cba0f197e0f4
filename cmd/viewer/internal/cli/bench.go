package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/bench"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/diverge"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
)

type benchFlags struct {
	deviceFlags
	sceneFlags
	scenes, sets, backends   []string
	build, plot              string
	all, builds, divergence  bool
	reorder                  bool
	embree, profile          bool
	clusters                 bool
	clusterSizes             []int
	meshes, instances, steps int
	shaders, forms, flagSets []string
	pipelines                bool
	counts                   []int
	options                  bench.Options // what the flags say
}

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench SCENE...",
		Short: "Measure how fast the two ways trace the same rays, and build",
		Long: `bench traces the same precomputed rays by each way, checks the results against each other as verify
does, then times the ways in turn with GPU timestamps around every launch: warm-up, then five rounds
of one untimed and three timed launches of each. It prints the median with minimum and maximum, the
time of linking and compiling the pipelines, launches of 1, 32 and 4096 rays that meet nothing and of a
whole image without rays, each beside a dispatch that does nothing, and at the end the geometric means of
the ratios over the scenes. It exits with 1 when the results differ by more than verify tolerates.

Of the compute way it prints why: inner nodes, triangles and instances that a ray of the set tests and
the bytes it reads for them (the same rays in a kernel that counts), SAH costs, as inspect does, what
the driver tells about the code, and what the pipeline costs beside the same traversal in a bare compute
shader. Where nvidia-smi is installed, clocks are read while each set warms up. Where Embree 3 is
installed (libembree3.so.3), its rtcIntersect1 and rtcOccluded1 trace the same rays on all processors, as a
reference for CPUs, once their hits agree with those of the last way.

With --builds it measures builds instead, of every set of flags: building, refitting and compacting a
scene's bottom levels; and, of a mesh of 1,280 triangles, one alone, --meshes in one command, and a top
level of --instances. Structures are checked first by rays, both ways against each other.

With --profile besides, it measures how long each kernel of the scenes' builds takes.

With --divergence it measures a path tracer of four segments instead, in a scene dealt out to 16 hit
groups in chunks of 64 triangles: mixed16 has 8 light and 8 heavy hit shaders, light16 and heavy16 16 of
one sort, light1 one for all. Light ones give normal and colour, heavy ones compute --steps steps of 12
operations besides. In anymixed16, anylight16, anyheavy16 and anymixed64 any hit shaders that refuse half of
the triangles do so instead. Paths are compared before they are timed.

With --clusters it measures the scenes' triangles as clusters of up to 64 and of up to 128 triangles instead,
by compute: building clusters and templates, instantiating these, building bottom levels over clusters, and
rays, beside plain structures of the same triangles; hits are held against those.

With --pipelines it measures what making pipelines takes, with --counts hit shaders, without and with a
shadow ray each, in all --forms: with shaders that no cache has, again from a directory, from a library of
the hit shaders, and with one hit shader more; and the first launch of each.

--all is everything in one run: rays, builds and divergence of the given scenes and of a built-in terrain
and field, as large as in the project's baseline (4.2 million triangles, 100,000 instances of 1,280
triangles; on CPUs smaller). What fails is reported, and the rest goes on.`,
		Example: `  viewer bench bunny.glb sponza.glb builtin:terrain:4193408 builtin:field:100000 --plot bench.png
  viewer bench --builds house.glb --json
  viewer bench --divergence sponza.glb --shaders mixed16,light16 --forms monolithic,megakernel,blocks
  viewer bench --pipelines builtin:cornell --counts 16,200 --forms auto,wavefront --json
  viewer bench --all bunny.glb dragon.glb sponza.glb house.glb --json > bench.json`,
		Args: func(_ *cobra.Command, args []string) error { f.scenes = append(f.scenes, args...); return nil },
		RunE: func(cmd *cobra.Command, _ []string) error { return a.bench(cmd.Context(), &f) },
	}
	f.registerBench(cmd)
	return cmd
}

func (f *benchFlags) registerBench(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.deviceFlags.register(flags, false)
	flags.StringSliceVar(&f.scenes, "scene", nil,
		"scenes, a list or several times, as the arguments are: .gltf, .glb, .obj or .ply files, or builtin:NAME (required but with "+
			"--builds and --all)")
	f.registerView(flags, 0, 0)
	flags.StringSliceVar(&f.sets, "rays", []string{"primary", "ao", "diffuse", "random"}, "ray sets to measure")
	flags.StringSliceVar(&f.backends, "backend", []string{"native", "compute"}, "ways to measure")
	flags.StringVar(&f.build, "build", "fast-trace", "bottom level builds of the ray sets: "+buildNames)
	flags.BoolVar(&f.all, "all", false, "measure rays, builds and divergence, of a built-in terrain and field, too")
	flags.BoolVar(&f.builds, "builds", false, "measure builds instead of rays")
	flags.BoolVar(&f.profile, "profile", false,
		"with --builds: measure each kernel of the scenes' builds instead, which are not checked")
	flags.BoolVar(&f.divergence, "divergence", false, "measure a path tracer with 16 hit shaders instead of rays")
	flags.BoolVar(&f.clusters, "clusters", false, "measure scenes as clusters, beside plain structures, instead of rays")
	flags.IntSliceVar(&f.clusterSizes, "cluster-sizes", []int{64, 128}, "triangles, and vertices, of clusters at most")
	flags.BoolVar(&f.pipelines, "pipelines", false, "measure the making of pipelines instead of rays")
	flags.IntSliceVar(&f.counts, "counts", []int{16, 50, 200}, "numbers of hit shaders of --pipelines")
	flags.BoolVar(&f.embree, "embree", true, "measure Embree 3 beside the ray sets, if it is installed")
	flags.StringSliceVar(&f.flagSets, "flags", nil,
		"sets of build flags that --builds measures: preferences as --build takes them, with +update or without (default all)")
	flags.IntVar(&f.meshes, "meshes", 0, "meshes that --builds builds in one command (default 1000, on CPUs 16)")
	flags.IntVar(&f.instances, "instances", 0,
		"instances of the top level that --builds builds, and of --all's field (default 100000, on CPUs 1000)")
	flags.StringSliceVar(&f.shaders, "shaders", []string{"mixed16", "light16", "heavy16", "light1"},
		"kinds of hit shaders of --divergence")
	flags.IntVar(&f.steps, "steps", 200, "steps of --divergence's heavy hit shaders")
	flags.StringSliceVar(&f.forms, "forms", nil,
		"forms of linking that --divergence and --pipelines compare by compute (default --form; with --all auto,megakernel,blocks)")
	flags.BoolVar(&f.reorder, "reorder", false, "measure --divergence with hit objects and reorders, too, where the way has them")
	flags.StringVar(&f.plot, "plot", "", "PNG file to draw bars to: compute over native, by scene")
}

// The most of --meshes, --instances, --steps and --counts.
const (
	mostMeshes    = 1 << 16
	mostInstances = 1 << 23
	mostSteps     = 1 << 20
	mostShaders   = 4096 // of --counts
)

// check judges what can be judged before anything is loaded, so that a run of many scenes does not end at the last.
func (f *benchFlags) check() (err error) {
	if len(f.scenes) == 0 && (f.divergence || !f.builds) && !f.all {
		f.scenes = []string{""}
	}
	for _, f.scene = range f.scenes {
		if err := f.sceneFlags.check(); err != nil {
			return err
		}
		if !strings.HasPrefix(f.scene, assets.BuiltinPrefix) {
			if _, err := os.Stat(f.scene); err != nil {
				return fmt.Errorf("--scene: %w", err)
			}
		}
	}
	f.options = bench.Options{}
	if f.options.Flags, err = buildFlags(f.build); err != nil {
		return err
	}
	if f.profile && !f.builds {
		return fmt.Errorf("%w: --profile goes with --builds", errUsage)
	}
	for _, n := range []struct {
		name        string
		value, most int
	}{{"--meshes", f.meshes, mostMeshes}, {"--instances", f.instances, mostInstances}, {"--steps", f.steps, mostSteps}} {
		if n.value < 0 || n.value > n.most {
			return fmt.Errorf("%w: %s %d: want 1 to %d", errUsage, n.name, n.value, n.most)
		}
	}
	for _, n := range f.clusterSizes {
		if n < 3 || n > 256 {
			return fmt.Errorf("%w: --cluster-sizes %d: want 3 to 256", errUsage, n)
		}
	}
	for _, n := range f.counts {
		if n < 1 || n > mostShaders {
			return fmt.Errorf("%w: --counts %d: want 1 to %d", errUsage, n, mostShaders)
		}
	}
	if f.plot != "" {
		if err := checkOutput("--plot", f.plot, ".png"); err != nil {
			return err
		}
	}
	return f.checkLists()
}

// checkLists reads the lists.
func (f *benchFlags) checkLists() (err error) {
	o := &f.options
	if o.Sets, err = rays.ParseSets(f.sets); err != nil {
		return err
	}
	if o.Kinds, err = diverge.ParseKinds(f.shaders); err != nil {
		return fmt.Errorf("--shaders: %w", err)
	}
	if o.FlagSets, err = parseFlagSets(f.flagSets); err != nil {
		return err
	}
	if len(f.forms) == 0 {
		if f.forms = []string{f.form}; f.all && f.form == engine.FormAuto.String() {
			f.forms = append(f.forms, engine.FormMegakernel.String(), engine.FormBlocks.String())
		}
	}
	for _, name := range f.forms {
		form, err := engine.ParseLinkForm(name)
		if err != nil {
			return fmt.Errorf("--forms: %w", err)
		}
		o.Forms = append(o.Forms, form)
	}
	return f.checkWays()
}

// parseFlagSets reads --flags: names of bench.FlagSets, or none for all.
func parseFlagSets(names []string) ([]bench.FlagSet, error) {
	all := bench.FlagSets()
	if len(names) == 0 {
		return all, nil
	}
	var out []bench.FlagSet
	for _, name := range names {
		at := slices.IndexFunc(all, func(s bench.FlagSet) bool { return s.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("%w: --flags %q: want %s, with +update or without", errUsage, name, buildNames)
		}
		out = append(out, all[at])
	}
	return out, nil
}

func (f *benchFlags) checkWays() error {
	o := &f.options
	for _, name := range f.backends {
		b, err := engine.ParseBackend(name)
		if err != nil {
			return err
		}
		if b == engine.BackendAuto || slices.Contains(o.Ways, b) {
			return fmt.Errorf("%w: --backend %q: want native, compute or both, each once", errUsage, name)
		}
		o.Ways = append(o.Ways, b)
	}
	if len(o.Ways) == 0 {
		return fmt.Errorf("%w: --backend: want native, compute or both", errUsage)
	}
	return nil
}

// bench measures what the flags ask for. What was measured before an error is printed, too.
func (a *app) bench(ctx context.Context, f *benchFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	o := f.options
	o.Scenes, o.Open = f.scenes, f.opener()
	o.All, o.Builds, o.Profile, o.Divergence, o.Embree = f.all, f.builds, f.profile, f.divergence, f.embree
	o.Clusters, o.ClusterSizes, o.Reorder = f.clusters, f.clusterSizes, f.reorder
	o.Width, o.Height, o.Meshes, o.Instances, o.Steps = f.width, f.height, f.meshes, f.instances, f.steps
	o.Pipelines, o.Counts = f.pipelines, f.counts
	o.OpenCached = func(ctx context.Context, b engine.Backend, dir string) (*engine.Device, func() error, error) {
		own := f.deviceFlags
		if own.cache = cacheNone; dir != "" {
			own.cache = dir
		}
		return own.opener()(ctx, b)
	}
	o.Load = func(ctx context.Context, name string) (*assets.Scene, camera.Camera, error) {
		f.scene = name
		scene, cam, err := f.loadTriangles(ctx, a)
		return scene, cam, err
	}
	o.Progress = func(what string, total int) (func(int), func()) {
		bar := a.progress(what, total)
		return bar.set, bar.finish
	}
	if !a.quiet {
		o.Log = a.stderr
	}
	r, err := bench.Run(ctx, o)
	if r.Empty() {
		return err
	}
	err = errors.Join(err, a.printBench(r))
	if f.plot != "" {
		err = errors.Join(err, r.Plot(f.plot))
	}
	return errors.Join(err, r.Verdict())
}

func (a *app) printBench(r *bench.Report) error {
	if a.json {
		return a.printJSON(r)
	}
	return r.Print(a.stdout)
}
