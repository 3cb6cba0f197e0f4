package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/chart"
	"github.com/everray/everray/cmd/viewer/internal/embree"
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
			if bare := s.Bare; (bare != nil) != (i%2 == 1) || bare != nil && (len(bare.Launches) != timedLaunches || !(bare.Cost > -1)) {
				t.Errorf("%s: series %+v, bare traversal %+v", scene.Scene, s, bare)
			}
			if w := s.Why; i%2 == 1 && (w == nil || !(w.Nodes > 0) || !(w.Primitives > 0) || !(w.Instances > 0) || w.Bytes < 64*w.Nodes+48*w.Primitives) {
				t.Errorf("%s: compute series %+v, why %+v", scene.Scene, s, w)
			}
		}
		if tree := scene.Ways[1].Tree; tree == nil || !(tree.BottomSAH > 1) || !(tree.TopSAH >= 1) || scene.Ways[0].Tree != nil {
			t.Errorf("%s: trees %+v", scene.Scene, scene.Ways)
		}
	}
	if len(b.Launches) != 3*(len(smallLaunchSizes())+1) {
		t.Errorf("small launches %+v", b.Launches)
	}
	for i, l := range b.Launches {
		checkTiming(t, "small launch", l.timing)
		if want := []string{"native", "compute", dispatchName}[i%3]; l.Backend != want {
			t.Errorf("launch %d by %s, want %s", i, l.Backend, want)
		}
	}
	if last := b.Launches[len(b.Launches)-1]; last.Rays != 0 || last.Width != 32 || last.Height != 16 {
		t.Errorf("the launch without rays: %+v", last)
	}
	// Both sets, over the terrain alone and over both.
	if len(b.Means) != 4 || b.Means[0].Scenes != 1 || b.Means[3].Scenes != 2 {
		t.Fatalf("means %+v", b.Means)
	}
	want := math.Sqrt(b.Scenes[0].Series[1].Ratio * b.Scenes[1].Series[1].Ratio)
	if got := b.Means[2]; got.Set != rays.Primary || math.Abs(got.Ratio-want) > 1e-9*want {
		t.Errorf("mean %+v, want %g", got, want)
	}
	if m := b.Means[2]; !(m.OverBare > 0) || m.Least != min(b.Scenes[0].Series[1].Ratio, b.Scenes[1].Series[1].Ratio) {
		t.Errorf("mean %+v", m)
	}
	checkEmbree(t, &b)
	if img, err := assets.ReadPNG(plot); err != nil || img.Rect.Dx() < 300 {
		t.Errorf("picture: %v", err)
	}
}

// checkEmbree checks the reference, or that bench says why there is none.
func checkEmbree(t *testing.T, b *benchReport) {
	t.Helper()
	d, err := embree.Open()
	if err != nil {
		if !strings.Contains(b.EmbreeSkipped, err.Error()) || b.Scenes[0].Embree != nil {
			t.Errorf("embree: %v, bench says %q", err, b.EmbreeSkipped)
		}
		return
	}
	d.Close()
	for _, scene := range b.Scenes {
		e := scene.Embree
		if e == nil || e.Threads != runtime.NumCPU() || len(e.Series) != 2 {
			t.Fatalf("%s: embree %+v", scene.Scene, e)
		}
		for i, s := range e.Series {
			// It hits what we hit, but for a few rays through edges.
			of := scene.Series[2*i+1]
			if s.Set != of.Set || s.Rays != of.Rays || s.Hits < of.Hits-2 || s.Hits > of.Hits+2 || !(s.Median > 0) || !(s.Ratio > 0) {
				t.Errorf("%s: embree %+v beside %+v", scene.Scene, s, of)
			}
		}
	}
}

func TestBenchOfDivergence(t *testing.T) {
	requireBackend(t, "native")
	requireBackend(t, "compute")
	plot := filepath.Join(t.TempDir(), "bars.png")
	var b benchReport
	benchJSON(t, &b, "--divergence", "--scene", "builtin:terrain:2000", "--width", "12", "--height", "8", "--shaders", "light1", "--forms", "auto,blocks", "--steps", "2", "--plot", plot)
	if len(b.Scenes) > 0 || len(b.Builds) > 0 || len(b.Divergence) != 1 || len(b.Divergence[0].Series) != 3 {
		t.Fatalf("%+v", b)
	}
	d := b.Divergence[0]
	if d.Triangles < 1500 || d.Width != 12 || d.Height != 8 || d.Steps != 2 || len(d.Ways) != 2 {
		t.Errorf("%+v", d)
	}
	for i, want := range []struct{ backend, form, linked string }{{"native", "", ""}, {"compute", "auto", "monolithic"}, {"compute", "blocks", "blocks"}} {
		s := d.Series[i]
		checkTiming(t, want.backend+" "+want.form, s.timing)
		if s.Backend != want.backend || s.Form != want.form || s.Linked != want.linked || s.Shaders != "light1" {
			t.Errorf("series %+v, want %+v", s, want)
		}
		if s.Paths != 12*8 || s.Rays < 12*8 || s.Reference != d.Series[0].Rays || s.Differ > 2 {
			t.Errorf("%s: %+v", s.Backend, s.Comparison)
		}
	}
	if d.Series[0].TimeRatio != 1 {
		t.Errorf("ratio %g to itself", d.Series[0].TimeRatio)
	}
	if _, err := assets.ReadPNG(plot); err != nil {
		t.Error(err)
	}
}

// What fails does not keep the rest from being measured and printed; the exit code tells.
func TestBenchAllGoesOn(t *testing.T) {
	requireBackend(t, "compute")
	broken := filepath.Join(t.TempDir(), "broken.glb")
	if err := os.WriteFile(broken, []byte("glTF"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run(t, t.Context(), "bench", "--all", "--json", "--backend", "compute", "--scene", broken, "--meshes", "2", "--instances", "3",
		"--width", "16", "--height", "8", "--rays", "primary", "--shaders", "light1", "--steps", "1", "--forms", "auto", "--flags", "fast-build+update")
	var b benchReport
	if err := json.Unmarshal([]byte(stdout), &b); err != nil {
		t.Fatalf("%v in %s, %s", err, stdout, stderr)
	}
	if code != 1 || len(b.Errors) != 1 || !strings.Contains(b.Errors[0], "broken.glb") || !strings.Contains(stderr, "viewer: "+broken) {
		t.Errorf("exit code %d, errors %q, stderr %s", code, b.Errors, stderr)
	}
	// The terrain and the field, and of the terrain all parts.
	if len(b.Scenes) != 2 || !b.Scenes[1].Shared || len(b.Launches) == 0 || len(b.Builds) != 2 || len(b.Divergence) != 1 {
		t.Errorf("%d scenes, %d launches, %d builds, %d divergence", len(b.Scenes), len(b.Launches), len(b.Builds), len(b.Divergence))
	}
	for _, part := range []string{"rays", "builds", "divergence"} {
		if !strings.Contains(stderr, "builtin:terrain:5000 "+part) {
			t.Errorf("%q is not in %s", part, stderr)
		}
	}
}

// A scene that failed in between is averaged as far as it came.
func TestMeansOfPartialScenes(t *testing.T) {
	ways := []wayReport{{deviceReport: deviceReport{Backend: "native"}}, {deviceReport: deviceReport{Backend: "compute"}}}
	series := func(set rays.Set, ratio, cost float64) []seriesReport {
		return []seriesReport{{Set: set, Backend: "native", Ratio: 1}, {Set: set, Backend: "compute", Ratio: ratio, Bare: &bareReport{Cost: cost}}}
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

func TestBenchOfBuilds(t *testing.T) {
	requireBackend(t, "native")
	requireBackend(t, "compute")
	plot := filepath.Join(t.TempDir(), "bars.png")
	var r benchReport
	benchJSON(t, &r, "--builds", "--scene", "builtin:terrain:300", "--meshes", "2", "--instances", "5", "--plot", plot)
	ways, sets := 2, len(flagSets())
	if len(r.Builds) != 2 || len(r.Builds[0].Builds) != ways*sets || len(r.Builds[1].Builds) != 3*ways*sets || len(r.Scenes) > 0 {
		t.Fatalf("%d scenes: %+v", len(r.Builds), r)
	}
	primitives := map[string]uint64{"bottom level": 288, "one mesh": 1280, "2 meshes": 2560, "top level of 5": 5}
	for _, scene := range r.Builds {
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

func TestCodeStatistics(t *testing.T) {
	got := codeStatistics([]vk.Statistic{{Name: "Register Count", Value: "64"}, {Name: "Local Memory Size", Value: "68719477056"}, {Name: "Binary Size", Value: "7"}, {Name: "Spilled", Value: "no"}})
	if want := "Register Count 64, Local Memory Size 320, Binary Size 7, Spilled no"; joinStatistics(got) != want {
		t.Errorf("%q, want %q", joinStatistics(got), want)
	}
	if text := joinStatistics(registers(got)); text != "Register Count 64, Local Memory Size 320, Spilled no" {
		t.Errorf("of registers and spills: %q", text)
	}
}
