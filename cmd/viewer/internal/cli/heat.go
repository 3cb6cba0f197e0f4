package cli

import (
	"fmt"
	"image"
	"math"

	"github.com/everray/everray/cmd/viewer/internal/render"
	"github.com/everray/everray/engine"
)

// checkHeat judges what the heat integrator adds to the flags, and chooses the way it needs.
func (f *renderFlags) checkHeat(i render.Integrator) error {
	if !(f.heatMax >= 0) || math.IsInf(f.heatMax, 0) {
		return fmt.Errorf("%w: --heat-max %g: want a number of steps, or 0 to choose one", errUsage, f.heatMax)
	}
	if i != render.Heat {
		if f.heatMax > 0 {
			return fmt.Errorf("%w: --heat-max %g: only --integrator heat has a scale", errUsage, f.heatMax)
		}
		return nil
	}
	b, err := engine.ParseBackend(f.backend)
	if err != nil {
		return err
	}
	if b == engine.BackendNative {
		return fmt.Errorf("%w: --integrator heat counts the steps of the compute way's traversal; drivers do not tell those of "+
			"theirs: use --backend compute", errUsage)
	}
	f.backend = engine.BackendCompute.String()
	return nil
}

// heatReport is what a heat map says in numbers. Steps are means per ray over the image.
type heatReport struct {
	Steps      float64 `json:"steps_per_ray"`
	Nodes      float64 `json:"nodes_per_ray"`
	Primitives float64 `json:"primitives_per_ray"`
	Instances  float64 `json:"instances_per_ray"`
	Peak       float64 `json:"steps_of_the_hottest_pixel"`
	Max        float64 `json:"scale_max"`
	// Percentile is why the scale ends where it does; 0 where --heat-max said so.
	Percentile float64 `json:"scale_percentile,omitempty"`
	Hotter     float64 `json:"share_of_pixels_beyond_scale"`
	// ScaleRows are the image's rows below the map.
	ScaleRows int `json:"scale_rows"`
}

// picture turns a film into the image to write, for a heat map with its numbers.
func (f *renderFlags) picture(i render.Integrator, film *render.Film, look render.Look) (*image.NRGBA, *heatReport, error) {
	if i != render.Heat {
		img, err := film.Image(look)
		return img, nil, err
	}
	h := render.NewHeatMap(film, f.heatMax)
	img, err := h.Image()
	if err != nil {
		return nil, nil, err
	}
	r := &heatReport{
		Steps: h.Steps, Nodes: h.Nodes, Primitives: h.Primitives, Instances: h.Instances,
		Peak: h.Peak, Max: h.Max, Hotter: h.Hotter, ScaleRows: img.Rect.Dy() - h.Height,
	}
	if f.heatMax == 0 {
		r.Percentile = render.HeatPercentile
	}
	return img, r, nil
}

func (r *heatReport) String() string {
	end := "as --heat-max says"
	if r.Percentile > 0 {
		end = fmt.Sprintf("at least %g%% of the pixels not as cold as the coldest have fewer", r.Percentile)
	}
	return fmt.Sprintf("%.2f per ray: %.2f nodes, %.2f triangles, %.2f instances; %.0f in the hottest pixel; the scale ends at "+
		"%g (%s)",
		r.Steps, r.Nodes, r.Primitives, r.Instances, r.Peak, r.Max, end)
}
