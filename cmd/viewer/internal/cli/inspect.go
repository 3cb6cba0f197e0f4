package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/clusters"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

type inspectFlags struct {
	deviceFlags
	sceneFlags
	build   string
	compact bool
	samples int
	cut     int // triangles of a cluster; 0: none
}

// The samples of EPO: --samples are shared by all structures in proportion to their triangles, but each gets the fewest.
const (
	defaultEPOSamples = 1 << 17
	fewestEPOSamples  = 1 << 8
	mostEPOSamples    = 1 << 28
	inspectedBuilds   = 5
)

func (a *app) inspectCommand() *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect SCENE",
		Short: "Print what the compute way's acceleration structures are like",
		Long: `inspect builds a scene's acceleration structures by compute, reads them back, validates them, and prints
their statistics: a line for each structure, or minimum, median and maximum where there are many.

  inputs, active   primitives of the build, and those in the tree (not a number and the like are left out)
  depth            inner nodes above a leaf, on average and at most
  SAH              expected cost of a random line through the root's box, at 1 for each inner node and 1
                   for each primitive tested
  EPO              effective partial overlap (Aila, Karras and Laine 2013): the cost, by the same prices,
                   of nodes around a point of the surface that is not below them, on average over the
                   surface; estimated at --samples random points, with the standard error
  overlap          surface that the two boxes of a node share, over that of the box around both, summed
                   over all nodes
  B/primitive      bytes of the structure for each input; below, by part

Build times are the GPU's, the median of five builds of all structures of a level.`,
		Example: `  viewer inspect --scene sponza.glb --build fast-build --compact
  viewer inspect --scene city.glb --json | jq .bottom_levels.sah`,
		Args: sceneArg(&f.sceneFlags),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.inspect(cmd.Context(), &f) },
	}
	f.registerDevice(cmd.Flags())
	f.registerScene(cmd.Flags())
	cmd.Flags().StringVar(&f.build, "build", "fast-trace", "bottom level builds: "+buildNames)
	cmd.Flags().BoolVar(&f.compact, "compact", false, "compact the structures once built")
	cmd.Flags().IntVar(&f.samples, "samples", defaultEPOSamples,
		"points at which EPO is estimated, over all structures; 0 leaves it out")
	cmd.Flags().IntVar(&f.cut, "clusters", 0, "cut the scene's triangles into clusters of up to so many, too, and read those back")
	return cmd
}

func (f *inspectFlags) check() (vk.BuildFlags, error) {
	if err := f.sceneFlags.check(); err != nil {
		return 0, err
	}
	if f.samples < 0 || f.samples > mostEPOSamples {
		return 0, fmt.Errorf("%w: --samples %d: want 0 to %d", errUsage, f.samples, mostEPOSamples)
	}
	if f.cut != 0 && (f.cut < 3 || f.cut > 256) {
		return 0, fmt.Errorf("%w: --clusters %d: want 3 to 256, or 0 for none", errUsage, f.cut)
	}
	flags, err := buildFlags(f.build)
	if f.compact {
		flags |= vk.AllowCompaction
	}
	return flags, err
}

func (a *app) inspect(ctx context.Context, f *inspectFlags) (err error) {
	flags, err := f.check()
	if err != nil {
		return err
	}
	scene, _, _, err := f.load(ctx, a)
	if err != nil {
		return err
	}
	f.backend = engine.BackendCompute.String()
	f.cache = cacheNone
	dev, closeDevice, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDevice()) }()
	s, err := accel.Upload(ctx, dev, scene, accel.Options{Flags: flags})
	if err != nil {
		return err
	}
	defer s.Destroy()
	r := inspectReport{Way: report.WayOf(dev), Scene: f.scene, Build: f.build, Compacted: f.compact,
		Instances: len(scene.Instances), Samples: f.samples, NodeCost: inspect.NodeCost, PrimitiveCost: inspect.PrimitiveCost}
	bottom, top, err := s.MeasureBuilds(ctx, dev, inspectedBuilds, 0)
	if err != nil {
		return err
	}
	r.BottomBuildMS, r.TopBuildMS = report.Milliseconds(bottom[len(bottom)/2]), report.Milliseconds(top[len(top)/2])
	r.Before = s.BottomReport.Bytes + s.TopReport.Bytes
	if f.compact {
		if _, err := s.Compact(ctx, dev); err != nil {
			return err
		}
	}
	if err := a.measure(ctx, dev, s, f.samples, &r); err != nil {
		return err
	}
	if f.cut > 0 {
		mesh := clusters.Of(scene.WithoutThin())
		if mesh.Triangles() == 0 {
			return fmt.Errorf("%s %w: --clusters cuts triangles", f.scene, errNoTriangles)
		}
		survey, err := clusters.Inspect(ctx, dev, mesh, f.cut, flags)
		if err != nil {
			return fmt.Errorf("clusters of %d: %w", f.cut, err)
		}
		r.Clusters = &survey
	}
	return a.printInspect(&r)
}

// measure reads all structures back.
func (a *app) measure(ctx context.Context, dev *engine.Device, s *accel.Scene, samples int, r *inspectReport) error {
	bar := a.progress("inspect", len(s.Source.Meshes)+1)
	defer bar.finish()
	for m := range s.Source.Meshes {
		mesh := &s.Source.Meshes[m]
		triangles := 0
		for p := range mesh.Primitives {
			triangles += mesh.Primitives[p].TriangleCount()
		}
		share := 0
		if samples > 0 {
			share = int(float64(samples) * float64(triangles) / math.Max(float64(s.BottomReport.Primitives), 1))
			share = max(share, fewestEPOSamples)
		}
		name := mesh.Name
		if name == "" {
			name = fmt.Sprintf("mesh %d", m)
		}
		one, err := report.Measure(ctx, dev, s.Bottom(m), name, share)
		if err != nil {
			return err
		}
		r.Structures = append(r.Structures, one)
		bar.set(m + 1)
	}
	top, err := report.Measure(ctx, dev, s.TopLevel, "top level", 0)
	if err != nil {
		return err
	}
	r.Top = top
	r.summarise()
	return nil
}
