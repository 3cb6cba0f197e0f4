package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
)

type verifyFlags struct {
	deviceFlags
	sceneFlags
	sets      []string
	build     string
	tolerance float64
	examples  bool
}

func (a *app) verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify SCENE",
		Short: "Trace the same rays natively and by compute, and compare the hits",
		Long: `verify traces the same rays natively and by compute on one device, and compares hit or miss,
instance, geometry, primitive, t, barycentrics and hit kind. It prints how many rays differ and why:

  shared edge        same t, triangles that touch: the ray runs along their edge
  coplanar surfaces  same t, triangles that lie in each other
  at the ray's end   one way hit a surface within rounding of the ray's origin or end
  grazing            one way hit a triangle's very edge, or saw it edge-on, and the other passed by
  t or barycentrics  same triangle, but the numbers differ by more than rounding explains
  hit kind           same triangle, seen from different sides
  lost hit           one way missed a triangle that was hit squarely

For the first three both answers are right. It exits with 1 when any hit is lost or has another hit
kind, or when the share of rays that differ for one of the other two reasons (grazing, t or
barycentrics) exceeds --tolerance. On a CPU driver, whose own ray tracing is slow, the default
size is 80 x 60.`,
		Args: sceneArg(&f.sceneFlags),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.verify(cmd.Context(), &f) },
	}
	f.deviceFlags.register(cmd.Flags(), false)
	f.sceneFlags.register(cmd.Flags(), 0, 0)
	cmd.Flags().StringSliceVar(&f.sets, "rays", []string{"primary", "diffuse"}, "ray sets: primary, ao, diffuse, random")
	cmd.Flags().StringVar(&f.build, "build", "fast-trace", "bottom level builds: "+buildNames)
	cmd.Flags().Float64Var(&f.tolerance, "tolerance", compare.DefaultTolerance, "share of rays that may differ by rounding")
	cmd.Flags().BoolVar(&f.examples, "examples", false, "print examples of differing rays")
	return cmd
}

func (a *app) verify(ctx context.Context, f *verifyFlags) (err error) {
	sets, err := f.check()
	if err != nil {
		return err
	}
	scene, cam, _, err := f.load(ctx, a)
	if err != nil {
		return err
	}
	flags, err := buildFlags(f.build)
	if err != nil {
		return err
	}
	native, err := compare.Open(ctx, f.opener(), engine.BackendNative, scene, flags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, native.Close()) }()
	compute, err := compare.Open(ctx, f.opener(), engine.BackendCompute, scene, flags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, compute.Close()) }()
	maker := &rays.Maker{Scene: scene, Camera: cam}
	maker.Width, maker.Height = compare.Size(native.Dev, f.width, f.height, [2]int{80, 60}, [2]int{1280, 720})
	r, err := compare.Sets(ctx, maker, sets, native, compute)
	if err != nil {
		return err
	}
	r.Scene, r.Tolerance = f.scene, f.tolerance
	return a.printVerify(f, r)
}

func (f *verifyFlags) check() ([]rays.Set, error) {
	if err := f.sceneFlags.check(); err != nil {
		return nil, err
	}
	if !(f.tolerance >= 0 && f.tolerance <= 1) {
		return nil, fmt.Errorf("%w: --tolerance %g: want 0 to 1", errUsage, f.tolerance)
	}
	if _, err := buildFlags(f.build); err != nil {
		return nil, err
	}
	return rays.ParseSets(f.sets)
}

func (a *app) printVerify(f *verifyFlags, r compare.Report) error {
	verdict := r.Verdict()
	r.Passed = verdict == nil
	if a.json {
		return errors.Join(a.printJSON(r), verdict)
	}
	fmt.Fprintf(a.stdout, "%s, %d x %d, on %s\n", r.Scene, r.Width, r.Height, r.Native.Device)
	for _, s := range r.Sets {
		fmt.Fprintf(a.stdout, "%s: %d rays (%d hit), %d differ\n", s.Set, s.Rays, s.Hits, s.Differ)
		for _, reason := range rays.Reasons() {
			if n := s.Reasons[reason]; n > 0 {
				fmt.Fprintf(a.stdout, "  %d %s\n", n, reason)
			}
		}
		for _, d := range s.Examples {
			if f.examples {
				fmt.Fprintf(a.stdout, "  %s\n", d)
			}
		}
	}
	fmt.Fprintf(a.stdout, "%d rays, %d differ\n", r.Rays, r.Differ)
	return verdict
}
