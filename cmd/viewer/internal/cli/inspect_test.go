package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/cmd/viewer/internal/report"
)

// benchScene returns the path of a shared scene, or skips.
func benchScene(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "..", "..", "shared", "scenes", "bench", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shared scene %s is absent: %v", name, err)
	}
	return path
}

func inspectJSON(t *testing.T, args ...string) inspectReport {
	t.Helper()
	code, stdout, stderr := run(t, t.Context(), append([]string{"inspect", "--json", "--validation"}, args...)...)
	if code != 0 {
		if strings.Contains(stderr, "validation layer") {
			t.Skip(stderr)
		}
		t.Fatalf("%q: %s", args, stderr)
	}
	var r inspectReport
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return r
}

// TestInspectCounts: what is printed adds up, for every kind of build, compacted and not.
func TestInspectCounts(t *testing.T) {
	requireBackend(t, "compute")
	for _, build := range []string{"fast-trace", "fast-build", "default", "low-memory"} {
		for _, compact := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, compacted %v", build, compact), func(t *testing.T) {
				args := []string{"--scene", "builtin:field:20", "--build", build, fmt.Sprintf("--compact=%v", compact)}
				r := inspectJSON(t, args...)
				if r.Backend != "compute" || r.Build != build || r.Compacted != compact || r.BottomBuildMS <= 0 || r.TopBuildMS <= 0 ||
					r.PrimitiveCost <= 0 {
					t.Errorf("report %+v", r)
				}
				if len(r.Structures) != 1 || r.Top.Kind != "instances" || r.Top.Inputs != 20 || r.Top.EPO != nil {
					t.Fatalf("%d bottom levels, top level %+v", len(r.Structures), r.Top)
				}
				for _, s := range append(r.Structures, r.Top) {
					checkStructure(t, &s)
				}
				s := r.Structures[0]
				if s.EPO == nil || s.EPO.Value <= 0 || s.EPO.Error <= 0 || s.EPO.Samples < defaultEPOSamples {
					t.Errorf("EPO %+v", s.EPO)
				}
				now := r.Bottom.Bytes.Total + r.Top.Bytes.Total
				if now > r.Before || compact && now >= r.Before && s.Bytes.Unused > 0 {
					t.Errorf("%d bytes of %d as built", now, r.Before)
				}
				if compact && s.Bytes.Unused >= 256 {
					t.Errorf("%d bytes of a compacted structure are unused", s.Bytes.Unused)
				}
			})
		}
	}
}

// check holds a structure's numbers against each other.
func checkStructure(t *testing.T, s *report.Structure) {
	t.Helper()
	leaves, primitives := 0, 0
	for i, n := range s.LeafSizes {
		leaves += n
		primitives += n * (i + 1)
	}
	if leaves != s.Leaves || primitives != int(s.Active) || s.Nodes != s.Leaves-1 || s.Active > s.Inputs {
		t.Errorf("%s: %d inputs, %d active, %d nodes, %d leaves of sizes %v", s.Name, s.Inputs, s.Active, s.Nodes, s.Leaves, s.LeafSizes)
	}
	if b := s.Bytes; b.Header+b.Nodes+b.Leaves+b.Vertices+b.Wide+b.Unused != b.Total || b.Header == 0 || b.Leaves == 0 {
		t.Errorf("%s: bytes %+v", s.Name, b)
	}
	if !(s.MeanDepth > 0 && s.MeanDepth <= float64(s.MaxDepth)) || !(s.SAH > 1) || !(s.Overlap > 0 && s.Overlap < 1) {
		t.Errorf("%s: depth %g, at most %d, SAH %g, overlap %g", s.Name, s.MeanDepth, s.MaxDepth, s.SAH, s.Overlap)
	}
}

// TestInspectTells: the flags' trees differ in the numbers as they should.
func TestInspectTells(t *testing.T) {
	requireBackend(t, "compute")
	scene := benchScene(t, "bunny.glb")
	trace := inspectJSON(t, "--scene", scene, "--samples", "4096")
	build := inspectJSON(t, "--scene", scene, "--samples", "4096", "--build", "fast-build")
	if a, b := trace.Structures[0].SAH, build.Structures[0].SAH; !(a < 0.97*b) {
		t.Errorf("SAH %.2f of fast-trace is not clearly below %.2f of fast-build", a, b)
	}
	if e := trace.Structures[0].EPO; e == nil || e.Samples != 4096 {
		t.Errorf("EPO %+v", e)
	}
	if r := inspectJSON(t, "--scene", "builtin:cornell", "--samples", "0"); r.Structures[0].EPO != nil || r.Bottom.EPO != nil {
		t.Errorf("EPO without samples: %+v", r.Bottom.EPO)
	}
}

func TestInspectPrintsATable(t *testing.T) {
	requireBackend(t, "compute")
	code, stdout, stderr := run(t, t.Context(), "inspect", "--scene", "builtin:field:20", "--compact")
	if code != 0 || stderr != "" {
		t.Fatalf("code %d: %s", code, stderr)
	}
	for _, want := range []string{"fast-trace", "compacted from", "1280", "top level", "SAH", "EPO", "±", "overlap", "deepest",
		"leaf records", "vertices", "unused", "Mtriangles/s", "leaves by their primitives"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// TestInspectSummarises: many structures become three lines, with totals.
func TestInspectSummarises(t *testing.T) {
	r := &inspectReport{Top: report.Structure{Name: "top level", LeafSizes: make([]int, 8)}}
	for i := range 3 * manyStructures {
		n := uint32(i + 1)
		r.Structures = append(r.Structures, report.Structure{
			Name: fmt.Sprintf("part %d", i), Inputs: n, Active: n, Nodes: i, Leaves: i + 1, LeafSizes: []int{i + 1, 0, 0, 0, 0, 0, 0, 0},
			MeanDepth: float64(i) / 2, MaxDepth: i, SAH: float64(100 - i), EPO: &report.EPO{Value: float64(i)},
			Bytes: report.PartBytes{Total: 1000, Header: 256},
		})
	}
	r.Structures = append(r.Structures, report.Structure{Name: "empty", LeafSizes: make([]int, 8)})
	r.summarise()
	const n = 3 * manyStructures
	b := r.Bottom
	if b.Structures != n+1 || b.Inputs != n*(n+1)/2 || b.LeafSizes[0] != n*(n+1)/2 || b.Bytes.Total != 1000*n ||
		b.Bytes.Header != 256*n {
		t.Errorf("totals %+v", b)
	}
	if want := (spread{100 - n + 1, 100 - n/2 + 1, 100}); b.SAH != want {
		t.Errorf("SAH %+v, want %+v", b.SAH, want)
	}
	if want := (spread{1, n/2 + 1, n}); b.Triangles != want {
		t.Errorf("triangles %+v, want %+v", b.Triangles, want)
	}
	var out bytes.Buffer
	if err := (&app{stdout: &out}).printInspect(r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"minimum of 49", "median of 49", "maximum of 49", "bottom levels", "top level"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "part 7") {
		t.Errorf("structures are listed one by one:\n%s", out.String())
	}
}
