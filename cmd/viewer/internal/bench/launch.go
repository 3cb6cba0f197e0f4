package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
)

// launchReport is what a launch costs by itself: of few rays, which meet nothing, or of a whole image whose ray generation
// shader returns at once.
type launchReport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	// Rays is the number of rays, 0 where none is traced.
	Rays int `json:"rays"`
	// Backend is a way, or dispatch: as many lanes of a compute shader that does nothing.
	Backend string `json:"backend"`
	Timing
	Ratio  float64 `json:"ratio"` // of speeds, to the first way
	Clocks *clocks `json:"clocks,omitempty"`
}

// SmallLaunchSizes are those of the project's baseline measurements.
func SmallLaunchSizes() []int { return []int{1, 32, 4096} }

// DispatchName is the Backend of launchReports of dispatches.
const DispatchName = "dispatch"

// errStrayHit is returned when a ray that points away from the scene hits something.
var errStrayHit = errors.New("a ray that points away from the scene hits")

// smallLaunches times launches of rays that begin above the scene and go up, and one of the image's size without rays.
func (s *sceneBench) smallLaunches(ctx context.Context, scene *assets.Scene) (out []launchReport, err error) {
	idle, err := rays.NewDispatch(ctx, s.ways[len(s.ways)-1].Dev)
	if err != nil {
		return nil, fmt.Errorf("dispatch: %w", err)
	}
	defer idle.Destroy()
	bounds := rays.BoundsOf(scene)
	away := rays.Ray{Origin: bounds.High.Add(mgl32.Vec3{0, bounds.Diagonal(), 0}), Direction: mgl32.Vec3{0, 1, 0}, TMax: rays.Infinity}
	for _, n := range SmallLaunchSizes() {
		list := make([]rays.Ray, n)
		for i := range list {
			list[i] = away
		}
		launches := make([]launch, len(s.ways))
		for i, w := range s.ways {
			if err := w.missAll(ctx, list); err != nil {
				return nil, fmt.Errorf("launch of %d rays by %s: %w", n, w.Dev.Backend(), err)
			}
			launches[i] = w.closest.Trace
		}
		some, err := s.timeLaunches(ctx, launchReport{Width: n, Height: 1, Rays: n}, launches, idle)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	some, err := s.idleLaunches(ctx, idle)
	return append(out, some...), err
}

// idleLaunches times launches of the image's size that do nothing.
func (s *sceneBench) idleLaunches(ctx context.Context, idle *rays.Dispatch) ([]launchReport, error) {
	launches := make([]launch, len(s.ways))
	for i, w := range s.ways {
		t, err := rays.NewTracer(ctx, w.Dev, w.Scene, rays.Idle)
		if err != nil {
			return nil, fmt.Errorf("launch without rays by %s: %w", w.Dev.Backend(), err)
		}
		defer t.Destroy()
		launches[i] = func(ctx context.Context, n int) ([]time.Duration, error) {
			return t.TraceNothing(ctx, s.maker.Width, s.maker.Height, n)
		}
	}
	return s.timeLaunches(ctx, launchReport{Width: s.maker.Width, Height: s.maker.Height}, launches, idle)
}

// timeLaunches times launches of one size by all ways, and the dispatch, in turn.
func (s *sceneBench) timeLaunches(ctx context.Context, like launchReport, launches []launch, idle *rays.Dispatch) ([]launchReport,
	error) {
	var names []string
	for _, w := range s.ways {
		names = append(names, w.Dev.Backend().String())
	}
	names = append(names, DispatchName)
	launches = append(launches, func(ctx context.Context, n int) ([]time.Duration, error) {
		return idle.Run(ctx, like.Width, like.Height, n)
	})
	times, read, err := inTurn(ctx, warmTime(s.ways[0].Dev, warmUpTime), s.reader, launches)
	if err != nil {
		return nil, nameWay(err, names, like.what())
	}
	out := make([]launchReport, len(names))
	for i, name := range names {
		out[i] = like
		out[i].Backend, out[i].Timing, out[i].Ratio, out[i].Clocks = name, times[i], report.Per(times[0].Median, times[i].Median), read
	}
	return out, nil
}

// what says what was launched.
func (r *launchReport) what() string {
	if r.Rays == 0 {
		return fmt.Sprintf("%d x %d, no rays", r.Width, r.Height)
	}
	return fmt.Sprintf("%d rays", r.Rays)
}

// missAll uploads rays and checks that they meet nothing.
func (w *benchWay) missAll(ctx context.Context, list []rays.Ray) error {
	if err := w.closest.SetRays(ctx, list, len(list), 1); err != nil {
		return err
	}
	if _, err := w.closest.Trace(ctx, 1); err != nil {
		return err
	}
	results, err := outcomes(ctx, w.closest, rays.Primary)
	if err != nil {
		return err
	}
	for i, r := range results {
		if r.hit {
			return fmt.Errorf("%w: ray %d at %g", errStrayHit, i, r.t)
		}
	}
	return nil
}
