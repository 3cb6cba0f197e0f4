package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
	vulkan "github.com/vulkan-go/vulkan"
)

// errDiffer is returned by verify and bench when the two ways disagree on too many rays.
var errDiffer = errors.New("the two ways differ")

// defaultTolerance is the share of rays that may differ by grazing or accuracy, where rounding decides. On shared edges,
// coplanar surfaces and at a ray's ends both answers are right, and do not count; hits that are lost squarely are not tolerated at all.
const defaultTolerance = 1e-3

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
		Use:   "verify --scene FILE|builtin:NAME",
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
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.verify(cmd.Context(), &f) },
	}
	f.deviceFlags.register(cmd.Flags(), false)
	f.sceneFlags.register(cmd.Flags(), 0, 0)
	cmd.Flags().StringSliceVar(&f.sets, "rays", []string{"primary", "diffuse"}, "ray sets: primary, ao, diffuse, random")
	cmd.Flags().StringVar(&f.build, "build", "fast-trace", "bottom level builds: "+buildNames)
	cmd.Flags().Float64Var(&f.tolerance, "tolerance", defaultTolerance, "share of rays that may differ by rounding")
	cmd.Flags().BoolVar(&f.examples, "examples", false, "print examples of differing rays")
	return cmd
}

// way is one device with the scene on it.
type way struct {
	dev   *engine.Device
	close func() error
	scene *accel.Scene
}

// openWay opens a device in one way and uploads the geometry.
func openWay(ctx context.Context, f deviceFlags, backend engine.Backend, scene *assets.Scene, build string) (w *way, err error) {
	flags, err := buildFlags(build)
	if err != nil {
		return nil, err
	}
	f.backend = backend.String()
	w = &way{}
	if w.dev, w.close, err = f.open(ctx); err != nil {
		return nil, err
	}
	if w.scene, err = accel.Upload(ctx, w.dev, scene, accel.Options{Flags: flags}); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", backend, err), w.close())
	}
	return w, nil
}

func (w *way) destroy() error {
	w.scene.Destroy()
	return w.close()
}

// setReport is the comparison of one ray set.
type setReport struct {
	Set      rays.Set            `json:"set"`
	Rays     int                 `json:"rays"`
	Hits     int                 `json:"hits"`
	Differ   int                 `json:"differ"`
	Reasons  map[rays.Reason]int `json:"reasons,omitempty"`
	examples []rays.Difference
}

// verifyReport is verify's result.
type verifyReport struct {
	Native    deviceReport `json:"native"`
	Compute   deviceReport `json:"compute"`
	Scene     string       `json:"scene"`
	Width     int          `json:"width"`
	Height    int          `json:"height"`
	Rays      int          `json:"rays"`
	Differ    int          `json:"differ"`
	Tolerance float64      `json:"tolerance"`
	Passed    bool         `json:"passed"`
	Sets      []setReport  `json:"sets"`
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
	native, err := openWay(ctx, f.deviceFlags, engine.BackendNative, scene, f.build)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, native.destroy()) }()
	compute, err := openWay(ctx, f.deviceFlags, engine.BackendCompute, scene, f.build)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, compute.destroy()) }()
	f.defaultSize(native.dev, 80, 60, 1280, 720)
	maker := &rays.Maker{Scene: scene, Camera: cam, Width: f.width, Height: f.height}
	report, err := verifySets(ctx, maker, sets, native, compute)
	if err != nil {
		return err
	}
	report.Scene, report.Tolerance = f.scene, f.tolerance
	return a.printVerify(f, report)
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

// defaultSize chooses width and height where they were not given: small on CPUs, large on GPUs.
func (f *sceneFlags) defaultSize(dev *engine.Device, cpuWidth, cpuHeight, width, height int) {
	if dev.Info().Type == vulkan.PhysicalDeviceTypeCpu {
		width, height = cpuWidth, cpuHeight
	}
	if f.width == 0 {
		f.width = width
	}
	if f.height == 0 {
		f.height = height
	}
}

func verifySets(ctx context.Context, maker *rays.Maker, sets []rays.Set, native, compute *way) (verifyReport, error) {
	report := verifyReport{
		Native: reportDevice(native.dev), Compute: reportDevice(compute.dev), Width: maker.Width, Height: maker.Height,
	}
	var tracers [2]*rays.Tracer
	for i, w := range []*way{native, compute} {
		t, err := rays.NewTracer(ctx, w.dev, w.scene, rays.Verify)
		if err != nil {
			return report, fmt.Errorf("%s: %w", w.dev.Backend(), err)
		}
		defer t.Destroy()
		tracers[i] = t
	}
	for _, set := range sets {
		// The rays start from the compute way's primary hits: the faster of the two where it matters, on CPUs.
		list, err := maker.Make(ctx, set, tracers[1], compute.scene)
		if err != nil {
			return report, err
		}
		var hits [2][]rays.Hit
		for i, t := range tracers {
			if hits[i], err = traceHits(ctx, t, list, maker.Width, maker.Height); err != nil {
				return report, err
			}
		}
		c := rays.Compare(list, hits[0], hits[1], native.scene.Triangle)
		report.Sets = append(report.Sets, setReport{set, c.Rays, c.Hits, c.Differ, c.Reasons, c.Examples})
		report.Rays += c.Rays
		report.Differ += c.Differ
	}
	return report, nil
}

func traceHits(ctx context.Context, t *rays.Tracer, list []rays.Ray, width, height int) ([]rays.Hit, error) {
	if err := t.SetRays(ctx, list, width, height); err != nil {
		return nil, err
	}
	if _, err := t.Trace(ctx, 1); err != nil {
		return nil, err
	}
	return t.Hits(ctx)
}

// verdict is nil if the differences are tolerable.
func (r verifyReport) verdict() error {
	intolerable, rounding := 0, 0
	for _, s := range r.Sets {
		intolerable += s.Reasons[rays.Lost] + s.Reasons[rays.Facing]
		rounding += s.Reasons[rays.Grazing] + s.Reasons[rays.Accuracy]
	}
	if intolerable > 0 {
		return fmt.Errorf("%w: %d of %d rays, %d of them without excuse (lost hit, hit kind)", errDiffer, r.Differ, r.Rays, intolerable)
	}
	if allowed := int(math.Floor(r.Tolerance * float64(r.Rays))); rounding > allowed {
		return fmt.Errorf("%w: %d of %d rays, %d of them by rounding, the tolerance of %g allows %d", errDiffer, r.Differ, r.Rays, rounding, r.Tolerance, allowed)
	}
	return nil
}

func (a *app) printVerify(f *verifyFlags, r verifyReport) error {
	verdict := r.verdict()
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
		for _, d := range s.examples {
			if f.examples {
				fmt.Fprintf(a.stdout, "  %s\n", d)
			}
		}
	}
	fmt.Fprintf(a.stdout, "%d rays, %d differ\n", r.Rays, r.Differ)
	return verdict
}
