package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/rt"
)

// TestVerbose: render --verbose tells what the pipeline's paths keep in memory, by name and bytes, and in the form of several
// kernels which and how many rounds. The table says what JSON says.
func TestVerbose(t *testing.T) {
	requireBackend(t, "compute")
	for _, form := range []string{"monolithic", "megakernel", "wavefront"} {
		t.Run(form, func(t *testing.T) {
			if testing.Short() && form != "wavefront" {
				t.Skip("the form that has all of it is enough")
			}
			const scene = "builtin:cornell"
			args := []string{"--integrator", "primary", "--form", form, "--width", "16", "--height", "16", "--spp", "1"}
			_, r := renderImage(t, scene, "compute", append(args, "--verbose")...)
			p := r.Pipeline
			if p == nil || p.Form != form || r.Form != form {
				t.Fatalf("pipeline %+v of form %q", p, r.Form)
			}
			checkPaths(t, &r)
			args = append([]string{"render", "--scene", scene, "--backend", "compute", "--out", filepath.Join(t.TempDir(), "v.png")},
				args...)
			code, table, stderr := run(t, t.Context(), append(args, "--verbose")...)
			if code != 0 {
				t.Fatalf("code %d: %s", code, stderr)
			}
			checkTable(t, p, table)
			if form != "wavefront" {
				return
			}
			if code, brief, _ := run(t, t.Context(), args...); code != 0 || len(rowsOf(brief, "lives", "kernel")) > 0 ||
				strings.Contains(brief, "per path") {
				t.Errorf("without --verbose, code %d:\n%s", code, brief)
			}
		})
	}
}

// checkPaths holds what the report says of memory against what the preview's shaders are: ray generation traces once, with the
// camera (two vectors) living across, and a payload of seven words.
func checkPaths(t *testing.T, r *renderReport) {
	t.Helper()
	p := r.Pipeline
	if p.Form == rt.FormMonolithic.String() {
		if p.PathBytes != 0 || len(p.Calls) > 0 || len(p.Kernels) > 0 || p.Rounds > 0 {
			t.Errorf("shaders that are functions keep nothing in memory: %+v", p)
		}
		return
	}
	if len(p.Calls) != 1 {
		t.Fatalf("%d places where shaders are left, want one: %v", len(p.Calls), p.Calls)
	}
	c := p.Calls[0]
	sum := c.Payload
	for _, x := range c.Live {
		if x.Name == "" || x.Bytes == 0 {
			t.Errorf("%v: something without name or size lives", c)
		}
		sum += x.Bytes
	}
	if c.Kind != "trace" || !strings.HasSuffix(c.Shader, ".rgen") || c.Payload != 28 ||
		!slices.Contains(c.Live, rt.LiveValue{Name: "camera", Bytes: 24}) {
		t.Errorf("%v: want a trace of ray generation with a payload of 28 bytes, and the camera of 24", c)
	}
	if c.Bytes%16 != 0 || c.Bytes < sum || c.Bytes >= sum+32 { // whole quads, with the payload in quads of its own
		t.Errorf("%v: %d bytes and what is filled up", c, sum)
	}
	if !slices.IsSortedFunc(c.Live, func(a, b rt.LiveValue) int { return int(b.Bytes) - int(a.Bytes) }) {
		t.Errorf("%v: not the largest first", c)
	}
	waves := p.Form == rt.FormWavefront.String()
	if waves != (p.PathBytes > r.StackBytes) || p.PathBytes < r.StackBytes || r.StackBytes < c.Bytes {
		t.Errorf("%d bytes per path, %d of them stack, %d of the call", p.PathBytes, r.StackBytes, c.Bytes)
	}
	if waves != (len(p.Kernels) >= 2) || waves != (p.Rounds > 0) {
		t.Errorf("%d kernels, %d rounds", len(p.Kernels), p.Rounds)
	}
	for _, k := range p.Kernels {
		if k.Name == "" || k.Words == 0 {
			t.Errorf("kernel %+v", k)
		}
	}
}

// checkTable finds what a report says in the lines of the table.
func checkTable(t *testing.T, p *pipelineReport, table string) {
	t.Helper()
	want := fmt.Sprintf("%s: %d bytes per path", p.Form, p.PathBytes)
	if p.Rounds > 0 {
		want += fmt.Sprintf(", %d kernels, %d rounds", len(p.Kernels), p.Rounds)
		if !p.Bounded {
			want += " and a kernel for what is left"
		}
	}
	if got := rowsOf(table, "form"); !slices.Equal(got, []string{want}) {
		t.Errorf("form %q, want %q", got, want)
	}
	var lives, kernels []string
	for _, c := range p.Calls {
		lives = append(lives, c.String())
	}
	for _, k := range p.Kernels {
		kernels = append(kernels, fmt.Sprintf("%s: %d words", k.Name, k.Words))
	}
	if got := rowsOf(table, "lives"); !slices.Equal(got, lives) {
		t.Errorf("lives %q, want %q", got, lives)
	}
	got := rowsOf(table, "kernel")
	if len(got) != len(kernels) {
		t.Fatalf("kernels %q, want %q", got, kernels)
	}
	for i := range got { // behind, what the driver says
		if !strings.HasPrefix(got[i], kernels[i]) {
			t.Errorf("kernel %q, want %q", got[i], kernels[i])
		}
	}
}

// rowsOf are the contents of a table's rows of these names.
func rowsOf(table string, names ...string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^(\S+) +(.*?) *$`).FindAllStringSubmatch(table, -1) {
		if slices.Contains(names, m[1]) {
			out = append(out, m[2])
		}
	}
	return out
}
