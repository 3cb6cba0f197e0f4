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
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
)

type benchFlags struct {
	deviceFlags
	sceneFlags
	scenes, sets, backends []string
	build, plot            string
	builds                 bool
	meshes, instances      int
	// What the lists above say.
	raySets []rays.Set
	ways    []engine.Backend
}

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench --scene FILE|builtin:NAME[,...]",
		Short: "Measure how fast the two ways trace the same rays, and build",
		Long: `bench traces the same precomputed rays by each way, checks the results against each other as verify
does, then times the ways in turn with GPU timestamps around every launch: warm-up, then five rounds
of one untimed and three timed launches of each. It prints the median with minimum and maximum, the
time of linking and compiling the pipelines, launches of 1, 32 and 4096 rays that meet nothing, and at
the end the geometric means of the ratios over the scenes. It exits with 1 when the results differ by
more than verify tolerates.

Of the compute way it prints why: inner nodes, triangles and instances that a ray of the set tests and
the bytes it reads for them (the same rays in a kernel that counts), and SAH costs, as inspect does.
Where nvidia-smi is installed, clocks are read while each set warms up.

With --builds it measures builds instead, of every set of flags: building, refitting and compacting a
scene's bottom levels; and, of a mesh of 1,280 triangles, one alone, --meshes in one command, and a top
level of --instances. Structures are checked first by rays, both ways against each other.`,
		Example: `  viewer bench --scene bunny.glb,sponza.glb --scene builtin:terrain:4193408 --scene builtin:field:100000 --plot bench.png
  viewer bench --builds --scene house.glb --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.bench(cmd.Context(), &f) },
	}
	flags := cmd.Flags()
	f.deviceFlags.register(flags, false)
	flags.StringSliceVar(&f.scenes, "scene", nil, "scenes, a list or several times: .gltf or .glb files, or builtin:NAME (required but with --builds)")
	f.registerView(flags, 0, 0)
	flags.StringSliceVar(&f.sets, "rays", []string{"primary", "ao", "diffuse", "random"}, "ray sets to measure")
	flags.StringSliceVar(&f.backends, "backend", []string{"native", "compute"}, "ways to measure")
	flags.StringVar(&f.build, "build", "fast-trace", "bottom level builds of the ray sets: "+buildNames)
	flags.BoolVar(&f.builds, "builds", false, "measure builds instead of rays")
	flags.IntVar(&f.meshes, "meshes", 0, "meshes that --builds builds in one command (default 1000, on CPUs 16)")
	flags.IntVar(&f.instances, "instances", 0, "instances of the top level that --builds builds (default 100000, on CPUs 1000)")
	flags.StringVar(&f.plot, "plot", "", "PNG file to draw bars to: compute over native, by scene")
	return cmd
}

// The most of --meshes and --instances.
const (
	mostMeshes    = 1 << 16
	mostInstances = 1 << 23
)

// check judges what can be judged before anything is loaded, so that a run of many scenes does not end at the last.
func (f *benchFlags) check() (err error) {
	if len(f.scenes) == 0 && !f.builds {
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
	if _, err := buildFlags(f.build); err != nil {
		return err
	}
	for _, n := range []struct {
		name        string
		value, most int
	}{{"--meshes", f.meshes, mostMeshes}, {"--instances", f.instances, mostInstances}} {
		if n.value < 0 || n.value > n.most {
			return fmt.Errorf("%w: %s %d: want 1 to %d", errUsage, n.name, n.value, n.most)
		}
	}
	if f.raySets, err = rays.ParseSets(f.sets); err != nil {
		return err
	}
	if f.plot != "" {
		if err := checkOutput("--plot", f.plot); err != nil {
			return err
		}
	}
	return f.checkWays()
}

func (f *benchFlags) checkWays() error {
	f.ways = nil
	for _, name := range f.backends {
		b, err := engine.ParseBackend(name)
		if err != nil {
			return err
		}
		if b == engine.BackendAuto || slices.Contains(f.ways, b) {
			return fmt.Errorf("%w: --backend %q: want native, compute or both, each once", errUsage, name)
		}
		f.ways = append(f.ways, b)
	}
	if len(f.ways) == 0 {
		return fmt.Errorf("%w: --backend: want native, compute or both", errUsage)
	}
	return nil
}

// bench measures scene after scene; each one's memory is released before the next. What was measured before an error is
// printed, too.
func (a *app) bench(ctx context.Context, f *benchFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.builds {
		return a.benchBuilds(ctx, f)
	}
	var r benchReport
	var failed error
	for _, name := range f.scenes {
		one, launches, err := a.benchScene(ctx, f, name, len(r.Scenes) == 0)
		if err != nil {
			if len(f.scenes) > 1 {
				err = fmt.Errorf("%s: %w", name, err)
			}
			failed = err
			break
		}
		r.Scenes = append(r.Scenes, one)
		r.Launches = append(r.Launches, launches...)
	}
	if len(r.Scenes) == 0 {
		return failed
	}
	r.Means = geometricMeans(r.Scenes)
	return errors.Join(failed, a.printBench(&r), a.plotBench(f.plot, &r), r.verdict())
}
