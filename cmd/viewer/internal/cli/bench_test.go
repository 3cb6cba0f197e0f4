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
	"github.com/everray/everray/cmd/viewer/internal/bench"
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

func checkTiming(t *testing.T, what string, v bench.Timing) {
	t.Helper()
	if len(v.Launches) != bench.TimedLaunches || !(0 < v.Min && v.Min <= v.Median && v.Median <= v.Max) ||
		!slices.Contains(v.Launches, v.Median) {
		t.Errorf("%s took %+v", what, v)
	}
}

func TestBenchOfSeveralScenes(t *testing.T) {
	requireBackend(t, "native")
	requireBackend(t, "compute")
	plot := filepath.Join(t.TempDir(), "bars.png")
	var b bench.Report
	benchJSON(t, &b, "--scene", "builtin:field:10", "--scene", "builtin:terrain:500", "--width", "32", "--height", "16", "--rays",
		"primary,ao", "--plot", plot)
	if len(b.Scenes) != 2 || !b.Scenes[0].Shared || b.Scenes[1].Shared || b.Scenes[0].Instances != 10 {
		t.Fatalf("scenes %+v", b.Scenes)
	}
	for _, scene := range b.Scenes {
		if len(scene.Series) != 4 || len(scene.Ways) != 2 {
			t.Fatalf("%s: %+v", scene.Scene, scene)
		}
		for i, s := range scene.Series {
			if len(s.Launches) != bench.TimedLaunches || !(s.Min <= s.Median && s.Median <= s.Max) || s.Median <= 0 || s.Rays != 32*16 {
				t.Errorf("%s: series %+v", scene.Scene, s)
			}
			if i%2 == 0 && (s.Ratio != 1 || s.Why != nil || s.Backend != "native") {
				t.Errorf("%s: native series %+v", scene.Scene, s)
			}
			// Every ray tests an instance and reads at least its record, if it meets the scene's box at all.
			if bare := s.Bare; (bare != nil) != (i%2 == 1) || bare != nil &&
				(len(bare.Launches) != bench.TimedLaunches || !(bare.Cost > -1)) {
				t.Errorf("%s: series %+v, bare traversal %+v", scene.Scene, s, bare)
			}
			if w := s.Why; i%2 == 1 && (w == nil || !(w.Nodes > 0) || !(w.Primitives > 0) || !(w.Instances > 0) ||
				w.Bytes < 64*w.Nodes+48*w.Primitives) {
				t.Errorf("%s: compute series %+v, why %+v", scene.Scene, s, w)
			}
		}
		if tree := scene.Ways[1].Tree; tree == nil || !(tree.BottomSAH > 1) || !(tree.TopSAH >= 1) || scene.Ways[0].Tree != nil {
			t.Errorf("%s: trees %+v", scene.Scene, scene.Ways)
		}
	}
	if len(b.Launches) != 3*(len(bench.SmallLaunchSizes())+1) {
		t.Errorf("small launches %+v", b.Launches)
	}
	for i, l := range b.Launches {
		checkTiming(t, "small launch", l.Timing)
		if want := []string{"native", "compute", bench.DispatchName}[i%3]; l.Backend != want {
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
func checkEmbree(t *testing.T, b *bench.Report) {
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
	var b bench.Report
	benchJSON(t, &b, "--divergence", "--scene", "builtin:terrain:2000", "--width", "12", "--height", "8", "--shaders", "light1",
		"--forms", "auto,blocks", "--steps", "2", "--plot", plot)
	if len(b.Scenes) > 0 || len(b.Builds) > 0 || len(b.Divergence) != 1 || len(b.Divergence[0].Series) != 3 {
		t.Fatalf("%+v", b)
	}
	d := b.Divergence[0]
	if d.Triangles < 1500 || d.Width != 12 || d.Height != 8 || d.Steps != 2 || len(d.Ways) != 2 {
		t.Errorf("%+v", d)
	}
	for i, want := range []struct{ backend, form, linked string }{{"native", "", ""}, {"compute", "auto", "monolithic"},
		{"compute", "blocks", "blocks"}} {
		s := d.Series[i]
		checkTiming(t, want.backend+" "+want.form, s.Timing)
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
	code, stdout, stderr := run(t, t.Context(), "bench", "--all", "--json", "--backend", "compute", "--scene", broken, "--meshes", "2",
		"--instances", "3",
		"--width", "16", "--height", "8", "--rays", "primary", "--shaders", "light1", "--steps", "1", "--forms", "auto", "--flags",
		"fast-build+update")
	var b bench.Report
	if err := json.Unmarshal([]byte(stdout), &b); err != nil {
		t.Fatalf("%v in %s, %s", err, stdout, stderr)
	}
	if code != 1 || len(b.Errors) != 1 || !strings.Contains(b.Errors[0], "broken.glb") ||
		!strings.Contains(stderr, "viewer: "+broken) {
		t.Errorf("exit code %d, errors %q, stderr %s", code, b.Errors, stderr)
	}
	// The terrain and the field, and of the terrain all parts.
	if len(b.Scenes) != 2 || !b.Scenes[1].Shared || len(b.Launches) == 0 || len(b.Builds) != 2 || len(b.Divergence) != 1 {
		t.Errorf("%d scenes, %d launches, %d builds, %d divergence", len(b.Scenes), len(b.Launches), len(b.Builds), len(b.Divergence))
	}
	// Figures come while the rest is measured.
	for _, part := range []string{"rays", "builds", "divergence", "bottom levels by compute: ", "primary rays: compute ",
		"bottom level, fast-build+update: "} {
		if !strings.Contains(stderr, "builtin:terrain:5000 "+part) {
			t.Errorf("%q is not in %s", part, stderr)
		}
	}
}

func TestBenchOfBuilds(t *testing.T) {
	requireBackend(t, "native")
	requireBackend(t, "compute")
	plot := filepath.Join(t.TempDir(), "bars.png")
	var r bench.Report
	benchJSON(t, &r, "--builds", "--scene", "builtin:terrain:300", "--meshes", "2", "--instances", "5", "--plot", plot)
	ways, sets := 2, len(bench.FlagSets())
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
	for _, s := range bench.FlagSets() {
		if other, twice := seen[s.Flags]; twice {
			t.Errorf("%s and %s are the same", s.Name, other)
		}
		seen[s.Flags] = s.Name
		flags, err := buildFlags(strings.TrimSuffix(s.Name, "+update"))
		if err != nil || flags != s.Flags&^vk.AllowUpdate {
			t.Errorf("%s: %v, --build reads %v, %v", s.Name, s.Flags, flags, err)
		}
	}
}

// The kernels of builds by compute are timed, of both levels; ratios are to the first way.
func TestBenchProfile(t *testing.T) {
	requireBackend(t, "native")
	requireBackend(t, "compute")
	var r bench.Report
	benchJSON(t, &r, "--builds", "--profile", "--flags", "fast-trace", "--scene", "builtin:terrain:300")
	if len(r.Profiles) != 4 || len(r.Ways) != 2 || len(r.Builds) != 0 {
		t.Fatalf("%+v", r)
	}
	for i, p := range r.Profiles {
		checkTiming(t, p.What, p.Build)
		if compute := i >= 2; (len(p.Passes) > 0) != compute || !compute && p.Ratio != 1 || compute && !(p.Ratio > 0) {
			t.Errorf("%+v", p)
		}
		for _, k := range p.Passes {
			if k.Dispatches < 1 || !(k.Median >= 0) || !strings.HasPrefix(k.Kernel, "bvh build/") {
				t.Errorf("%s: %+v", p.What, k)
			}
		}
	}
}
