package link

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

var update = flag.Bool("update", false, "write testdata/golden anew")

// goldens are small pipelines whose linked code is kept as text, for diffs to be reviewed: shapes of shaders, in a form.
var goldens = []struct {
	name  string
	shape string
	from  func() []shapes.Shape
	form  Form
}{
	{"straight_monolithic", "straight", shapes.All, FormMonolithic},
	{"straight_megakernel", "straight", shapes.All, FormMegakernel},
	{"straight_blocks", "straight", shapes.All, FormBlocks},
	{"if_megakernel", "if", shapes.All, FormMegakernel},
	{"loop_monolithic", "loop", shapes.All, FormMonolithic},
	{"loop_megakernel", "loop", shapes.All, FormMegakernel},
	{"loop_blocks", "loop", shapes.All, FormBlocks},
	{"switch_megakernel", "switch", shapes.All, FormMegakernel},
	{"function_early_return_megakernel", "function-early-return", shapes.All, FormMegakernel},
	{"short_circuit_megakernel", "short-circuit", shapes.All, FormMegakernel},
	{"callable_blocks", "loop", shapes.Callables, FormBlocks},
	{"callable_megakernel", "loop", shapes.Callables, FormMegakernel},
	{"report_megakernel", "if", shapes.Reports, FormMegakernel},
}

// goldenHooks are the functions of the runtime that the linker writes.
var goldenHooks = []string{"rtShade", "rtShadeMiss", "rtContinue", "rtRunCallable", "rtAnyHit", "rtIntersection", "rtStructure"}

// TestGolden compares what the linker makes of shaders and hooks, without the runtime, with testdata/golden; -update writes that.
func TestGolden(t *testing.T) {
	var glsl glsltest.Compiler
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			list := g.from()
			at := slices.IndexFunc(list, func(s shapes.Shape) bool { return s.Name == g.shape })
			if at < 0 {
				t.Fatalf("there is no shape %s", g.shape)
			}
			shape := list[at]
			var stages []Stage
			switch {
			case strings.HasPrefix(g.name, "callable"):
				stages = []Stage{
					{Name: "raygen", Kind: Raygen, Code: glsl.Compile(t, "rgen", shape.Raygen)},
					{Name: "called", Kind: Callable, Code: glsl.Compile(t, "rcall", shapes.Called)},
				}
			case strings.HasPrefix(g.name, "report"):
				stages = []Stage{{Name: "intersection", Kind: Intersection, Code: glsl.Compile(t, "rint", shape.Raygen)}}
			default:
				stages = []Stage{
					{Name: "raygen", Kind: Raygen, Code: glsl.Compile(t, "rgen", shape.Raygen)},
					{Name: "miss", Kind: Miss, Code: glsl.Compile(t, "rmiss", shapes.Miss)},
					{Name: "hit", Kind: ClosestHit, Code: glsl.Compile(t, "rchit", shapes.ClosestHit)},
				}
			}
			got := goldenText(t, stages, Options{Form: g.form, MaxDepth: 1, KeepNames: true, Check: true})
			name := filepath.Join("testdata", "golden", g.name+".txt")
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if line, a, b := firstDifference(string(want), got); line > 0 {
				t.Errorf("%s:%d is\n%s\nand now would be\n%s\n(go test ./fallback/link -run Golden -update, and look at the diff)", name, line,
					a, b)
			}
		})
	}
}

// goldenText links stages and writes what came of them.
func goldenText(t *testing.T, stages []Stage, o Options) string {
	t.Helper()
	l := linkStages(t, runtimeModule(t), stages, o)
	var b strings.Builder
	fmt.Fprintf(&b, "; form %v\n", l.result.Form)
	for i := range l.parts {
		p := &l.parts[i]
		fmt.Fprintf(&b, "; %s (%v): number %d, frame of %d dwords", p.name, p.model, p.number, p.frame)
		for _, r := range p.resumptions {
			fmt.Fprintf(&b, ", resumed in state %d", r.number)
		}
		b.WriteByte('\n')
	}
	names := spirv.FriendlyNames(l.out)
	// State functions have no names of their own: those of the shader and the state.
	for i := range l.parts {
		p := &l.parts[i]
		names[p.entry] = p.name
		for k, r := range p.resumptions {
			if r.function != p.entry {
				names[r.function] = fmt.Sprintf("%s_resumed_%d", p.name, k+1)
			}
		}
	}
	for _, f := range l.out.Functions {
		hook := names[f.Def.Result]
		if f.Def.Result < l.runtimeBound && !slices.Contains(goldenHooks, hook) && (hook != "rtSchedule" || l.form.cuts()) {
			continue
		}
		b.WriteString("\n" + spirv.DisassembleFunction(l.out, f, names))
	}
	return b.String()
}

// linkStages links and returns all that came of it.
func linkStages(t *testing.T, runtime []uint32, stages []Stage, o Options) *completed {
	t.Helper()
	at, err := link(newJob(t.Context(), o), runtime, stages, passes)
	if err != nil {
		t.Fatal(err)
	}
	return at.(*completed)
}

// firstDifference returns the number, from 1, of the first line that differs, and both; 0 if none does.
func firstDifference(a, b string) (line int, of, to string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		of, to = "", ""
		if i < len(x) {
			of = x[i]
		}
		if i < len(y) {
			to = y[i]
		}
		if i >= len(x) || i >= len(y) || of != to {
			return i + 1, of, to
		}
	}
	return 0, "", ""
}
