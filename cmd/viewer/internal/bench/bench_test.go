package bench

import (
	"math"
	"testing"

	"github.com/everray/everray/cmd/viewer/internal/chart"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/cmd/viewer/internal/report"
)

// A scene that failed in between is averaged as far as it came.
func TestMeansOfPartialScenes(t *testing.T) {
	ways := []wayReport{{Way: report.Way{Backend: "native"}}, {Way: report.Way{Backend: "compute"}}}
	series := func(set rays.Set, ratio, cost float64) []seriesReport {
		return []seriesReport{{Set: set, Backend: "native", Ratio: 1},
			{Set: set, Backend: "compute", Ratio: ratio, Bare: &bareReport{Cost: cost}}}
	}
	got := geometricMeans([]sceneReport{
		{Ways: ways, Series: series(rays.Primary, 2, 0.21)},
		{Ways: ways, Series: append(series(rays.Primary, 8, 0), series(rays.AO, 3, 0.5)...)},
	})
	want := []meanReport{
		{Over: "all", Scenes: 2, Set: rays.Primary, Backend: "compute", Ratio: 4, Least: 2, Most: 8, OverBare: 1.1},
		{Over: "all", Scenes: 1, Set: rays.AO, Backend: "compute", Ratio: 3, Least: 3, Most: 3, OverBare: 1.5},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		near := math.Abs(got[i].Ratio-want[i].Ratio) < 1e-12 && math.Abs(got[i].OverBare-want[i].OverBare) < 1e-12
		if got[i].Ratio, got[i].OverBare = want[i].Ratio, want[i].OverBare; !near || got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

func TestParseClocks(t *testing.T) {
	const h200 = "NVIDIA H200, 1980, 3201, 415.23\n"
	for name, c := range map[string]struct {
		text string
		want *clocks
	}{
		"one":         {h200, &clocks{1980, 3201, 415.23}},
		"others":      {"Tesla T4, 1590, 5000, 70\n" + h200, &clocks{1980, 3201, 415.23}},
		"no power":    {"NVIDIA H200, 1980, 3201, [N/A]\n", &clocks{SM: 1980, Memory: 3201}},
		"two of them": {h200 + h200, nil},
		"no clock":    {"NVIDIA H200, [N/A], 3201, 415.23\n", nil},
		"an error":    {"NVIDIA-SMI has failed\n", nil},
		"nothing":     {"", nil},
	} {
		got := parseClocks(c.text, "NVIDIA H200")
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	text := clockRange([]*clocks{{1980, 3201, 300}, nil, {1755, 3201, 415}})
	if want := "while at work SM 1755 to 1980 MHz, memory 3201 MHz, up to 415 W"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

// The chart shows compute over native, whichever was named first.
func TestRatiosOfTheChart(t *testing.T) {
	native, compute := chart.Bar{Value: 100, Low: 80, High: 125}, chart.Bar{Value: 200, Low: 160, High: 240}
	want := chart.Bar{Value: 2, Low: 1.28, High: 3}
	for _, names := range [][]string{{"native", "compute"}, {"compute", "native"}} {
		var ways []wayReport
		speeds := make([]chart.Bar, 2)
		for _, n := range names {
			ways = append(ways, wayReport{Way: report.Way{Backend: n}})
		}
		for k, n := range names {
			speeds[computeLast(ways, k)] = map[string]chart.Bar{"native": native, "compute": compute}[n]
		}
		if got := over(speeds); got != want {
			t.Errorf("%v: %+v, want %+v", names, got, want)
		}
	}
}
