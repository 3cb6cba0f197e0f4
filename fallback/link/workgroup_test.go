package link

import (
	"fmt"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
)

// longMiss is a miss shader of so many statements.
func longMiss(statements int) string {
	var body strings.Builder
	for i := range statements {
		fmt.Fprintf(&body, "p = sin(p * %d.5) + 1.0;\n", i)
	}
	return "#version 460\n#extension GL_EXT_ray_tracing : require\nlayout(location = 0) rayPayloadInEXT float p;\nvoid main() {\n" +
		body.String() + "}\n"
}

// raygenOf is a ray generation shader with a trace call, which stands for "trace" in its body.
func raygenOf(body string) string {
	body = strings.ReplaceAll(body, "trace;", "traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(p), 0.0, vec3(1.0), 9.0, 0);")
	return raygenHead + `    p = result.word[0];
    ` + body + `
    result.word[gl_LaunchIDEXT.x] = p;
}
`
}

// TestIdleTiles checks that workgroups are larger where lanes may end without a trace call.
func TestIdleTiles(t *testing.T) {
	runtime := runtimeModule(t)
	miss := Stage{Kind: Miss, Code: glsltest.Compile(t, "rmiss", longMiss(1))}
	for _, c := range []struct {
		name, body string
		want       uint32
	}{
		{"always", "trace;", fewTiles},
		{"after an early end", "if (p > 1.0) return; trace;", idleTiles},
		{"before an early end", "trace; if (p > 1.0) return;", fewTiles},
		{"on one side", "if (p > 1.0) { trace; }", idleTiles},
		{"on both sides", "if (p > 1.0) { trace; } else { p = 3.0; trace; }", fewTiles},
		{"in a loop", "for (uint i = 0u; float(i) < p; i++) { trace; }", fewTiles},
		{"in a loop behind one without", "for (uint i = 0u; float(i) < p; i++) { p -= 1.0; } while (p > 2.0) { trace; }", fewTiles},
		{"in an inner loop", "for (uint i = 0u; float(i) < p; i++) { while (p > 2.0) { if (p > 9.0) break; trace; } }", fewTiles},
		{"in a loop, unless it ended before", "if (p > 1.0) return; while (p > 2.0) { trace; }", idleTiles},
		{"never", "p += 1.0;", idleTiles},
	} {
		t.Run(c.name, func(t *testing.T) {
			raygen := Stage{Kind: Raygen, Code: glsltest.Compile(t, "rgen", raygenOf(c.body))}
			r, err := Link(t.Context(), runtime, []Stage{raygen, miss}, Options{MaxDepth: 1, MaxLanes: 1024, Check: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := Tiles(r.Code); got != c.want {
				t.Errorf("%d tiles, want %d", got, c.want)
			}
			glsltest.Validate(t, r.Code)
		})
	}
}

// TestTiles checks how many tiles the workgroups of a module take, and that the module says so where Tiles reads it.
func TestTiles(t *testing.T) {
	runtime := runtimeModule(t)
	raygen := manyTracesStage(t, 1)
	short := Stage{Kind: Miss, Code: glsltest.Compile(t, "rmiss", longMiss(1))}
	long := Stage{Kind: Miss, Code: glsltest.Compile(t, "rmiss", longMiss(600))}
	for _, c := range []struct {
		name   string
		stages []Stage
		o      Options
		want   uint32
	}{
		{name: "small shaders", stages: []Stage{raygen, short}, o: Options{MaxLanes: 1024}, want: fewTiles},
		{name: "a large shader", stages: []Stage{raygen, short, long}, o: Options{MaxLanes: 1024}, want: manyTiles},
		{name: "a large shader, a small device", stages: []Stage{raygen, long}, o: Options{MaxLanes: 384}, want: 6},
		{name: "a large shader, an unknown device", stages: []Stage{raygen, long}, want: leastLanes / tileLanes},
		{name: "indirect", stages: []Stage{raygen, long}, o: Options{MaxLanes: 1024, Indirect: true}, want: 1},
		{name: "megakernel", stages: []Stage{raygen, long}, o: Options{MaxLanes: 1024, Form: FormMegakernel}, want: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.MaxDepth, c.o.Check = 1, true
			r, err := Link(t.Context(), runtime, c.stages, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := Tiles(r.Code); got != c.want {
				t.Errorf("%d tiles, want %d", got, c.want)
			}
			glsltest.Validate(t, r.Code)
		})
	}
	for name, code := range map[string][]uint32{"nothing": nil, "a header": make([]uint32, 5),
		"cut off": {0, 0, 0, 0, 0, 6<<16 | uint32(spirv.OpExecutionMode), 1}} {
		if got := Tiles(code); got != 1 {
			t.Errorf("%s: %d tiles, want 1", name, got)
		}
	}
}

// TestRaygenIsKnown checks that lanes read the ray generation record's handle where pipelines have several such shaders, and
// launches whose record nobody has checked, only.
func TestRaygenIsKnown(t *testing.T) {
	runtime := runtimeModule(t)
	raygen := manyTracesStage(t, 1)
	for _, c := range []struct {
		name   string
		stages []Stage
		o      Options
		known  bool
	}{
		{name: "one", stages: []Stage{raygen}, known: true},
		{name: "two", stages: []Stage{raygen, raygen}},
		{name: "one, indirect", stages: []Stage{raygen}, o: Options{Indirect: true}},
		{name: "one in a megakernel", stages: []Stage{raygen}, o: Options{Form: FormMegakernel}, known: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := false
			c.o.MaxDepth = 1
			c.o.AfterPass = func(pass string, m *spirv.Module) error {
				if pass == "dispatch" {
					known = returnsConstant(m, "rtFirst")
				}
				return nil
			}
			if _, err := Link(t.Context(), runtime, c.stages, c.o); err != nil {
				t.Fatal(err)
			}
			if known != c.known {
				t.Errorf("the first state is known: %v, want %v", known, c.known)
			}
		})
	}
}

// returnsConstant tells whether a function of the runtime, by name, does nothing but return.
func returnsConstant(m *spirv.Module, name string) bool {
	for i := range m.Names {
		in := &m.Names[i]
		if in.Op != spirv.OpName {
			continue
		}
		if s, _ := spirv.DecodeString(in.Operands[1:]); strings.TrimSuffix(s, "(") != name {
			continue
		}
		for _, f := range m.Functions {
			if f.Def.Result == in.ID(0) {
				return len(f.Blocks) == 1 && len(f.Blocks[0].Insts) == 1
			}
		}
	}
	return false
}
