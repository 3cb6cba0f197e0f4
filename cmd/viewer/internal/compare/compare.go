package compare

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

// ErrDiffer is returned by verify and bench when the two ways disagree on too many rays.
var ErrDiffer = errors.New("the two ways differ")

// DefaultTolerance is the share of rays that may differ by grazing or accuracy, where rounding decides. On shared edges,
// coplanar surfaces and at a ray's ends both answers are right, and do not count; hits that are lost squarely are not tolerated at
// all.
const DefaultTolerance = 1e-3

// Opener opens a device in one way. Whoever opened it closes it by the function, which reports what it had to say meanwhile.
type Opener func(ctx context.Context, backend engine.Backend) (dev *engine.Device, closeDevice func() error, err error)

// Way is one device with the scene on it.
type Way struct {
	Dev   *engine.Device
	Scene *accel.Scene
	close func() error
}

// Open opens a device in one way and uploads the geometry.
func Open(ctx context.Context, open Opener, backend engine.Backend, scene *assets.Scene, flags vk.BuildFlags) (w *Way, err error) {
	w = &Way{}
	if w.Dev, w.close, err = open(ctx, backend); err != nil {
		return nil, err
	}
	if w.Scene, err = accel.Upload(ctx, w.Dev, scene, accel.Options{Flags: flags,
		RecordsPerGeometry: rays.RecordsPerGeometry(scene)}); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", backend, err), w.close())
	}
	return w, nil
}

// Close releases the scene and the device.
func (w *Way) Close() error {
	w.Scene.Destroy()
	return w.close()
}

// Size is that of an image, chosen where width or height is 0: small on CPUs, large on GPUs.
func Size(dev *engine.Device, width, height int, cpu, gpu [2]int) (int, int) {
	chosen := gpu
	if dev.Info().Type == vulkan.PhysicalDeviceTypeCpu {
		chosen = cpu
	}
	if width == 0 {
		width = chosen[0]
	}
	if height == 0 {
		height = chosen[1]
	}
	return width, height
}

// Set is the comparison of one ray set.
type Set struct {
	Set     rays.Set            `json:"set"`
	Rays    int                 `json:"rays"`
	Hits    int                 `json:"hits"`
	Differ  int                 `json:"differ"`
	Reasons map[rays.Reason]int `json:"reasons,omitempty"`
	// Examples are some of those that differ.
	Examples []rays.Difference `json:"-"`
}

// Report is verify's result.
type Report struct {
	Native    report.Way `json:"native"`
	Compute   report.Way `json:"compute"`
	Scene     string     `json:"scene"`
	Width     int        `json:"width"`
	Height    int        `json:"height"`
	Rays      int        `json:"rays"`
	Differ    int        `json:"differ"`
	Tolerance float64    `json:"tolerance"`
	Passed    bool       `json:"passed"`
	Sets      []Set      `json:"sets"`
}

// Sets traces ray sets by both ways and compares the hits.
func Sets(ctx context.Context, maker *rays.Maker, sets []rays.Set, native, compute *Way) (Report, error) {
	out := Report{
		Native: report.WayOf(native.Dev), Compute: report.WayOf(compute.Dev), Width: maker.Width, Height: maker.Height,
	}
	var tracers [2]*rays.Tracer
	for i, w := range []*Way{native, compute} {
		t, err := rays.NewTracer(ctx, w.Dev, w.Scene, rays.Verify)
		if err != nil {
			return out, fmt.Errorf("%s: %w", w.Dev.Backend(), err)
		}
		defer t.Destroy()
		tracers[i] = t
	}
	for _, set := range sets {
		// The rays start from the compute way's primary hits: the faster of the two where it matters, on CPUs.
		list, err := maker.Make(ctx, set, tracers[1], compute.Scene)
		if err != nil {
			return out, err
		}
		var hits [2][]rays.Hit
		for i, t := range tracers {
			if hits[i], err = TraceHits(ctx, t, list, maker.Width, maker.Height); err != nil {
				return out, err
			}
		}
		c := rays.Compare(list, hits[0], hits[1], native.Scene)
		out.Sets = append(out.Sets, Set{set, c.Rays, c.Hits, c.Differ, c.Reasons, c.Examples})
		out.Rays += c.Rays
		out.Differ += c.Differ
	}
	return out, nil
}

// TraceHits traces rays once and reads the hits.
func TraceHits(ctx context.Context, t *rays.Tracer, list []rays.Ray, width, height int) ([]rays.Hit, error) {
	if err := t.SetRays(ctx, list, width, height); err != nil {
		return nil, err
	}
	if _, err := t.Trace(ctx, 1); err != nil {
		return nil, err
	}
	return t.Hits(ctx)
}

// Verdict is nil if the differences are tolerable.
func (r Report) Verdict() error {
	intolerable, rounding := 0, 0
	for _, s := range r.Sets {
		intolerable += s.Reasons[rays.Lost] + s.Reasons[rays.Facing]
		rounding += s.Reasons[rays.Grazing] + s.Reasons[rays.Accuracy]
	}
	if intolerable > 0 {
		return fmt.Errorf("%w: %d of %d rays, %d of them without excuse (lost hit, hit kind)", ErrDiffer, r.Differ, r.Rays, intolerable)
	}
	if allowed := int(math.Floor(r.Tolerance * float64(r.Rays))); rounding > allowed {
		return fmt.Errorf("%w: %d of %d rays, %d of them by rounding, the tolerance of %g allows %d", ErrDiffer, r.Differ, r.Rays,
			rounding, r.Tolerance, allowed)
	}
	return nil
}
