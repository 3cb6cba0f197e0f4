package cli

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/chart"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/vk"
)

// benchJSON runs bench under the validation layer and reads its report.
func benchJSON(t *testing.T, report any, args ...string) {
	t.Helper()
	args = append([]string{"bench", "--validation", "--json"}, args...)
	code, stdout, stderr := run(t, t.Context(), args...)
	if code != 0 {
		if strings.Contains(stderr, "validation layer") {
			t.Skip(stderr)
		}
		t.Fatalf("%q: %s", args, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), report); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
}

func checkTiming(t *testing.T, what string, v timing) {
	t.Helper()
	if len(v.Launches) != timedLaunches || !(0 < v.Min && v.Min <= v.Median && v.Median <= v.Max) || !slices.Contains(v.Launches, v.Median) {
		t.Errorf("%s took %+v", what, v)
	}
}

func TestBenchOfSeveralScenes(t *testing.T) {
	requireBackend(t, "native")
	requireBackend(t, "compute")
	plot := filepath.Join(t.TempDir(), "bars.png")
	var b benchReport
	benchJSON(t, &b, "--scene", "builtin:field:10", "--scene", "builtin:terrain:500", "--width", "32", "--height", "16", "--rays", "primary,ao", "--plot", plot)
	if len(b.Scenes) != 2 || !b.Scenes[0].Shared || b.Scenes[1].Shared || b.Scenes[0].Instances != 10 {
		t.Fatalf("scenes %+v", b.Scenes)
	}
	for _, scene := range b.Scenes {
		if len(scene.Series) != 4 || len(scene.Ways) != 2 {
			t.Fatalf("%s: %+v", scene.Scene, scene)
		}
		for i, s := range scene.Series {
			if len(s.Launches) != timedLaunches || !(s.Min <= s.Median && s.Median <= s.Max) || s.Median <= 0 || s.Rays != 32*16 {
				t.Errorf("%s: series %+v", scene.Scene, s)
			}
			if i%2 == 0 && (s.Ratio != 1 || s.Why != nil || s.Backend != "native") {
				t.Errorf("%s: native series %+v", scene.Scene, s)
			}
			// Every ray tests an instance and reads at least its record, if it meets the scene's box at all.
			if w := s.Why; i%2 == 1 && (w == nil || !(w.Nodes > 0) || !(w.Primitives > 0) || !(w.Instances > 0) || w.Bytes < 64*w.Nodes+48*w.Primitives) {
				t.Errorf("%s: compute series %+v, why %+v", scene.Scene, s, w)
			}
		}
		if tree := scene.Ways[1].Tree; tree == nil || !(tree.BottomSAH > 1) || !(tree.TopSAH >= 1) || scene.Ways[0].Tree != nil {
			t.Errorf("%s: trees %+v", scene.Scene, scene.Ways)
		}
	}
	if len(b.Launches) != 2*len(smallLaunchSizes()) {
		t.Errorf("small launches %+v", b.Launches)
	}
	for _, l := range b.Launches {
		checkTiming(t, "small launch", l.timing)
	}
	// Both sets, over the terrain alone and over both.
	if len(b.Means) != 4 || b.Means[0].Scenes != 1 || b.Means[3].Scenes != 2 {
		t.Fatalf("means %+v", b.Means)
	}
	want := math.Sqrt(b.Scenes[0].Series[1].Ratio * b.Scenes[1].Series[1].Ratio)
	if got := b.Means[2]; got.Set != rays.Primary || math.Abs(got.Ratio-want) > 1e-9*want {
		t.Errorf("mean %+v, want %g", got, want)
	}
	if img, err := assets.ReadPNG(plot); err != nil || img.Rect.Dx() < 300 {
		t.Errorf("picture: %v", err)
	}
}

func TestBenchOfBuilds(t *testing.T) {
	requireBackend(t, "native")
	requireBackend(t, "compute")
	plot := filepath.Join(t.TempDir(), "bars.png")
	var b buildsReport
	benchJSON(t, &b, "--builds", "--scene", "builtin:terrain:300", "--meshes", "2", "--instances", "5", "--plot", plot)
	ways, sets := 2, len(flagSets())
	if len(b.Scenes) != 2 || len(b.Scenes[0].Builds) != ways*sets || len(b.Scenes[1].Builds) != 3*ways*sets {
		t.Fatalf("%d scenes: %+v", len(b.Scenes), b.Scenes)
	}
	primitives := map[string]uint64{"bottom level": 288, "one mesh": 1280, "2 meshes": 2560, "top level of 5": 5}
	for _, scene := range b.Scenes {
		if len(scene.Checks) != 2*sets {
			t.Errorf("%s: checks %+v", scene.Scene, scene.Checks)
		}
		for i, r := range scene.Builds {
			what := strings.Join([]string{r.What, r.Flags, r.Backend}, ", ")
			checkTiming(t, what, r.Build)
			checkTiming(t, "compaction of "+what, r.Compact)
			if updatable := strings.HasSuffix(r.Flags, "+update"); updatable != (r.Refit != nil) {
				t.Errorf("%s: refit %+v", what, r.Refit)
			}
			if r.Primitives != primitives[r.What] || !(r.Bytes > 0) || !(r.Compacted > 0) || r.Compacted > r.Compactable {
				t.Errorf("%s: %+v", what, r)
			}
			if i%ways == 0 && r.Ratio != 1 {
				t.Errorf("%s: ratio %g to itself", what, r.Ratio)
			}
			if r.Backend == "compute" && r.What == "one mesh" && r.Compacted > 0.8*r.Compactable {
				t.Errorf("%s: compacted from %.1f to %.1f bytes per triangle", what, r.Compactable, r.Compacted)
			}
		}
	}
	if _, err := assets.ReadPNG(plot); err != nil {
		t.Error(err)
	}
}

func TestFlagSets(t *testing.T) {
	seen := map[vk.BuildFlags]string{}
	for _, s := range flagSets() {
		if other, twice := seen[s.flags]; twice {
			t.Errorf("%s and %s are the same", s.name, other)
		}
		seen[s.flags] = s.name
		flags, err := buildFlags(strings.TrimSuffix(s.name, "+update"))
		if err != nil || flags != s.flags&^vk.AllowUpdate {
			t.Errorf("%s: %v, --build reads %v, %v", s.name, s.flags, flags, err)
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
			ways = append(ways, wayReport{deviceReport: deviceReport{Backend: n}})
		}
		for k, n := range names {
			speeds[computeLast(ways, k)] = map[string]chart.Bar{"native": native, "compute": compute}[n]
		}
		if got := over(speeds); got != want {
			t.Errorf("%v: %+v, want %+v", names, got, want)
		}
	}
}
