package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/rays"
)

// launchReport is what a launch of few rays takes, which meet nothing: the cost of a launch itself.
type launchReport struct {
	Rays    int    `json:"rays"`
	Backend string `json:"backend"`
	timing
	Ratio  float64 `json:"ratio"` // of speeds, to the first way
	Clocks *clocks `json:"clocks,omitempty"`
}

// smallLaunchSizes are those of the project's baseline measurements.
func smallLaunchSizes() []int { return []int{1, 32, 4096} }

// errStrayHit is returned when a ray that points away from the scene hits something.
var errStrayHit = errors.New("a ray that points away from the scene hits")

// smallLaunches times launches of rays that begin above the scene and go up.
func smallLaunches(ctx context.Context, scene *assets.Scene, ways []*benchWay, reader *clockReader) ([]launchReport, error) {
	bounds := rays.BoundsOf(scene)
	away := rays.Ray{Origin: bounds.High.Add(mgl32.Vec3{0, bounds.Diagonal(), 0}), Direction: mgl32.Vec3{0, 1, 0}, TMax: rays.Infinity}
	var out []launchReport
	for _, n := range smallLaunchSizes() {
		list := make([]rays.Ray, n)
		for i := range list {
			list[i] = away
		}
		what := fmt.Sprintf("launch of %d rays", n)
		launches := make([]launch, len(ways))
		for i, w := range ways {
			if err := w.missAll(ctx, list); err != nil {
				return nil, fmt.Errorf("%s by %s: %w", what, w.dev.Backend(), err)
			}
			launches[i] = w.closest.Trace
		}
		times, read, err := inTurn(ctx, warmTime(ways[0].dev, warmUpTime), reader, launches)
		if err != nil {
			return nil, nameWay(err, ways, what)
		}
		for i, w := range ways {
			out = append(out, launchReport{Rays: n, Backend: w.dev.Backend().String(), timing: times[i], Ratio: times[0].Median / times[i].Median, Clocks: read})
		}
	}
	return out, nil
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
