package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/chart"
	"github.com/everray/everray/engine"
)

// plotBench draws compute over native, or the speeds of one way, by scene and ray set.
func (a *app) plotBench(path string, r *benchReport) error {
	if path == "" {
		return nil
	}
	first := r.Scenes[0]
	c := newChart("Mrays/s", first.Ways)
	c.Subtitle = fmt.Sprintf("%s, %s; %d x %d rays; %s", first.Ways[0].Device, first.Ways[0].Driver, first.Width, first.Height, r.clockText())
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
	return a.writeChart(path, c)
}

// plotBuilds does the same for the speeds of builds, by what is built and flags.
func (a *app) plotBuilds(path string, r *buildsReport) error {
	if path == "" {
		return nil
	}
	var ways []wayReport
	for _, w := range r.Scenes[0].Ways {
		ways = append(ways, wayReport{deviceReport: w})
	}
	c := newChart("primitives built/s", ways)
	c.Subtitle = fmt.Sprintf("%s, %s; %s", ways[0].Device, ways[0].Driver, clockRange(r.clocks()))
	for _, set := range flagSets() {
		c.Series = append(c.Series, set.name)
	}
	for _, scene := range r.Scenes {
		for i := 0; i < len(scene.Builds); i += len(ways) {
			speeds := make([]chart.Bar, len(ways))
			for k := range ways {
				b := &scene.Builds[i+k]
				n := float64(b.Primitives) / 1e3
				speeds[computeLast(ways, k)] = chart.Bar{Value: b.Speed, Low: per(n, b.Build.Max), High: per(n, b.Build.Min)}
			}
			name := plotName(scene.Scene)
			if what := scene.Builds[i].What; scene.Scene == r.Scenes[len(r.Scenes)-1].Scene {
				name = what
			}
			at := slices.IndexFunc(c.Groups, func(g chart.Group) bool { return g.Name == name })
			if at < 0 {
				at = len(c.Groups)
				c.Groups = append(c.Groups, chart.Group{Name: name})
			}
			c.Groups[at].Bars = append(c.Groups[at].Bars, over(speeds))
		}
	}
	return a.writeChart(path, c)
}

// newChart begins a chart of one way's speeds, or of the ratio of two.
func newChart(what string, ways []wayReport) *chart.Bars {
	if len(ways) == 1 {
		return &chart.Bars{Title: fmt.Sprintf("%s by %s; median, least and most", what, ways[0].Backend)}
	}
	return &chart.Bars{Title: what + ", compute over native: medians, with the least and most that the launches' spread allows; means are geometric", Line: 1}
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
	return chart.Bar{Value: per(c.Value, n.Value), Low: per(c.Low, n.High), High: per(c.High, n.Low)}
}

// meanGroups are the geometric means as groups.
func meanGroups(r *benchReport) []chart.Group {
	var out []chart.Group
	for _, m := range r.Means {
		name := "mean, " + m.Over
		if len(out) == 0 || out[len(out)-1].Name != name {
			out = append(out, chart.Group{Name: name})
		}
		v := m.Ratio
		if m.Backend == engine.BackendNative.String() {
			v = per(1, v)
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

func (a *app) writeChart(path string, c *chart.Bars) error {
	img, err := c.Image()
	if err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return assets.WritePNG(path, img)
}
