package cli

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClustersCommand animates a small terrain, and wants three ways in each frame, and pictures that are not of one colour.
// That all ways show the same the command itself checks.
func TestClustersCommand(t *testing.T) {
	requireBackend(t, "compute")
	dir := t.TempDir()
	code, stdout, stderr := run(t, t.Context(), "clusters", "builtin:terrain:2000", "--json", "--frames", "2", "--statues", "3",
		"--width", "48", "--height", "32", "--out", filepath.Join(dir, "t.png"))
	if code != 0 {
		t.Fatal(stderr)
	}
	var r clustersReport
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if len(r.Frames) != 2 || r.Statues == nil || r.Triangles < 1000 {
		t.Fatalf("report %+v", r)
	}
	for k, steps := range r.Frames {
		if len(steps) != 3 {
			t.Fatalf("frame %d: %+v", k, steps)
		}
		for _, s := range steps {
			if s.Positions <= 0 || s.Structures <= 0 || s.Top <= 0 || s.Picture <= 0 || s.Bytes == 0 {
				t.Errorf("frame %d: %+v", k, s)
			}
		}
		if steps[0].Bytes >= steps[1].Bytes {
			t.Errorf("clusters take %d bytes, a structure to refit %d", steps[0].Bytes, steps[1].Bytes)
		}
	}
	colours := func(name string) int {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		img, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[3]uint32]bool{}
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				r, g, b, _ := img.At(x, y).RGBA()
				seen[[3]uint32{r, g, b}] = true
			}
		}
		return len(seen)
	}
	for _, name := range []string{"t-000.png", "t-001.png", "t-statues.png"} {
		if n := colours(name); n < 50 {
			t.Errorf("%s has %d colours", name, n)
		}
	}
	for _, args := range [][]string{{"--frames", "0"}, {"--clusters", "257"}, {"--statues", "-1"}, {"--out", "x.jpg"}} {
		if code, _, stderr := run(t, t.Context(), append([]string{"clusters", "builtin:cornell"}, args...)...); code != codeUsage {
			t.Errorf("%q: exit code %d: %s", args, code, stderr)
		}
	}
}

// TestInspectClusters wants clusters to be read back, beside the scene's own structures.
func TestInspectClusters(t *testing.T) {
	requireBackend(t, "compute")
	for _, build := range []string{"fast-trace", "fast-build", "default"} {
		r := inspectJSON(t, "builtin:terrain:2000", "--build", build, "--clusters", "64", "--samples", "0")
		c, most := r.Clusters, uint64(60)
		if build == "fast-trace" {
			most = 128 // direct clusters
		}
		if c == nil || c.Triangles != int(r.Bottom.Inputs) || c.Clusters*64 < c.Triangles || c.Deepest < 4 || c.SAH <= 0 ||
			c.Bytes > most*uint64(c.Triangles) {
			t.Errorf("%s: %+v of %d triangles", build, c, r.Bottom.Inputs)
		}
	}
	if code, _, stderr := run(t, t.Context(), "inspect", "builtin:cornell", "--clusters", "2"); code != codeUsage ||
		!strings.Contains(stderr, "--clusters 2") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
