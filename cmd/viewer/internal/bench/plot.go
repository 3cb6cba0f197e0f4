package bench

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/chart"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
)

// Plot draws what was measured to a PNG file, a chart below the other: compute over native, or the numbers of one way.
func (r *Report) Plot(path string) error {
	var images []*image.NRGBA
	for _, c := range []*chart.Bars{chartOfRays(r), chartOfBuilds(r), chartOfDivergence(r)} {
		if c == nil {
			continue
		}
		img, err := c.Image()
		if err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
		images = append(images, img)
	}
	if len(images) == 0 {
		return nil
	}
	return assets.WritePNG(path, chart.Below(images...))
}

// subtitle says on what it was measured.
func (r *Report) subtitle(more string) string {
	device := r.device()
	return fmt.Sprintf("%s, %s; %s%s", device.Device, device.Driver, more, r.clockText())
}

// chartOfRays is by scene and ray set; nil without any.
func chartOfRays(r *Report) *chart.Bars {
	if len(r.Scenes) == 0 {
		return nil
	}
	first := r.Scenes[0]
	c := newChart("Mrays/s", first.Ways)
	c.Subtitle = r.subtitle(fmt.Sprintf("%d x %d rays; ", first.Width, first.Height))
	for _, s := range first.Series {
		if s.Backend == first.Series[0].Backend {
			c.Series = append(c.Series, string(s.Set))
		}
	}
	for _, scene := range r.Scenes {
		ways := len(scene.Ways)
		g := chart.Group{Name: plotName(scene.Scene)}
		for i := 0; i < len(scene.Series); i += ways {
			speeds := make([]chart.Bar, ways)
			for k, s := range scene.Series[i : i+ways] {
				speeds[computeLast(scene.Ways, k)] = chart.Bar{Value: s.Median, Low: s.Min, High: s.Max}
			}
			g.Bars = append(g.Bars, over(speeds))
		}
		c.Groups = append(c.Groups, g)
	}
	c.Groups = append(c.Groups, meanGroups(r)...)
	return c
}

// chartOfBuilds does the same for the speeds of builds, by what is built and flags.
func chartOfBuilds(r *Report) *chart.Bars {
	if len(r.Builds) == 0 {
		return nil
	}
	var ways []wayReport
	for _, w := range r.Builds[0].Ways {
		ways = append(ways, wayReport{Way: w})
	}
	c := newChart("primitives built/s", ways)
	c.Subtitle = r.subtitle("")
	for i := range r.Builds[0].Builds {
		if set := r.Builds[0].Builds[i].Flags; !slices.Contains(c.Series, set) {
			c.Series = append(c.Series, set)
		}
	}
	for _, scene := range r.Builds {
		for i := 0; i < len(scene.Builds); i += len(ways) {
			speeds := make([]chart.Bar, len(ways))
			for k := range ways {
				b := &scene.Builds[i+k]
				n := float64(b.Primitives) / 1e3
				speeds[computeLast(ways, k)] = chart.Bar{Value: b.Speed, Low: report.Per(n, b.Build.Max), High: report.Per(n, b.Build.Min)}
			}
			c.Add(buildName(&scene, i), over(speeds))
		}
	}
	return c
}

// buildName is the scene where that says what is built.
func buildName(s *buildsScene, i int) string {
	if what := s.Builds[i].What; what != bottomLevel && what != bottomLevels {
		return what
	}
	return plotName(s.Scene)
}

// chartOfDivergence shows the times of the compute way's forms over that of the native way, by scene and kind of hit shaders.
func chartOfDivergence(r *Report) *chart.Bars {
	if len(r.Divergence) == 0 || len(r.Divergence[0].Ways) < 2 {
		return nil
	}
	c := &chart.Bars{Title: "path tracer with many hit shaders: time by compute over native, less is faster", Subtitle: r.subtitle(""),
		Line: 1}
	for i := range r.Divergence {
		d := &r.Divergence[i]
		for _, s := range d.Series {
			if s.Backend != engine.BackendCompute.String() {
				continue
			}
			if !slices.Contains(c.Series, s.Form) {
				c.Series = append(c.Series, s.Form)
			}
			native := d.native(s.Shaders)
			c.Add(plotName(d.Scene)+" "+s.Shaders, chart.Bar{
				Value: report.Per(s.Timing.Median, native.Median), Low: report.Per(s.Timing.Min, native.Max),
				High: report.Per(s.Timing.Max, native.Min),
			})
		}
	}
	return c
}

// native is the native way's Timing of a kind of hit shaders.
func (r *divergenceReport) native(shaders string) Timing {
	for _, s := range r.Series {
		if s.Shaders == shaders && s.Backend == engine.BackendNative.String() {
			return s.Timing
		}
	}
	return Timing{}
}

// newChart begins a chart of one way's speeds, or of the ratio of two.
func newChart(what string, ways []wayReport) *chart.Bars {
	if len(ways) == 1 {
		return &chart.Bars{Title: fmt.Sprintf("%s by %s; median, least and most", what, ways[0].Backend)}
	}
	return &chart.Bars{Title: what + ", compute over native: medians, with the least and most that the launches' spread allows; " +
		"means are geometric", Line: 1}
}

// computeLast is where the speed of way k goes so that the native one comes first.
func computeLast(ways []wayReport, k int) int {
	if len(ways) == 2 && ways[0].Backend == engine.BackendCompute.String() {
		return 1 - k
	}
	return k
}

// over divides the last of two speeds by the first; one speed it returns.
func over(speeds []chart.Bar) chart.Bar {
	if len(speeds) == 1 {
		return speeds[0]
	}
	n, c := speeds[0], speeds[1]
	return chart.Bar{Value: report.Per(c.Value, n.Value), Low: report.Per(c.Low, n.High), High: report.Per(c.High, n.Low)}
}

// meanGroups are the geometric means as groups.
func meanGroups(r *Report) []chart.Group {
	var out []chart.Group
	for _, m := range r.Means {
		name := "mean, " + m.Over
		if len(out) == 0 || out[len(out)-1].Name != name {
			out = append(out, chart.Group{Name: name})
		}
		v := m.Ratio
		if m.Backend == engine.BackendNative.String() {
			v = report.Per(1, v)
		}
		g := &out[len(out)-1]
		g.Bars = append(g.Bars, chart.Bar{Value: v})
	}
	return out
}

// plotName is what is written below a group.
func plotName(scene string) string {
	if name, ok := strings.CutPrefix(scene, assets.BuiltinPrefix); ok {
		return name
	}
	return strings.TrimSuffix(filepath.Base(scene), filepath.Ext(scene))
}
