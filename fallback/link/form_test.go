package link

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/rt"
)

// raygenHead begins a ray generation shader that has a payload and a result.
const raygenHead = `#version 460
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Result { float word[]; } result;
layout(location = 0) rayPayloadEXT float p;
void main() {
`

// manyTraces returns a ray generation shader with n trace calls in a loop, each followed by some code.
func manyTraces(n int) string {
	var body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, "if ((mask & %du) != 0u) { traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(sum), "+
			"0.0, vec3(1.0), float(%d), 0); ", 1+i, i+1)
		for k := range 12 {
			fmt.Fprintf(&body, "sum = sin(sum + p) * %d.5 + sqrt(abs(p)); ", k+i)
		}
		body.WriteString("}\n")
	}
	return raygenHead + `    float sum = 0.0;
    p = 1.0;
    for (uint mask = 1u; mask < 9u; mask++) {
` + body.String() + `    }
    result.word[gl_LaunchIDEXT.x] = sum;
}
`
}

func manyTracesStage(t *testing.T, n int) Stage {
	t.Helper()
	return Stage{Kind: Raygen, Code: glsltest.Compile(t, "rgen", manyTraces(n))}
}

const traceAgain = `#version 460
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) rayPayloadInEXT float p;
void main() { p += 1.0; if (p < 3.0) traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(p), 0.0, vec3(1.0), 1.0, 0); }
`

const lightHit = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT float p;
void main() { p += gl_HitTEXT; }
`

// heavyHit has a loop whose work is in a function.
const heavyHit = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT float p;
layout(constant_id = 0) const bool HEAVY = false;
float turn(float x) {
    x = sin(x * 0.7 + 0.21) + cos(x * 0.3) + sqrt(abs(x));
    x = sin(x * 0.8 + 0.22) + cos(x * 0.4) + sqrt(abs(x));
    return sin(x * 0.9 + 0.23) + cos(x * 0.5) + sqrt(abs(x));
}
void main() { for (uint i = 0u; i < uint(gl_PrimitiveID); i++) p = turn(p); }
`

// TestFormIsChosen checks which form the linker takes by itself, and that forms that cannot run a pipeline are refused.
func TestFormIsChosen(t *testing.T) {
	runtime := runtimeModule(t)
	raygen := func(n int) Stage { return manyTracesStage(t, n) }
	again := Stage{Name: "again", Kind: Miss, Code: glsltest.Compile(t, "rmiss", traceAgain)}
	hits := func(n int, source string) []Stage {
		list := []Stage{raygen(1)}
		code := glsltest.Compile(t, "rchit", source)
		for range n {
			list = append(list, Stage{Kind: ClosestHit, Code: code})
		}
		return list
	}
	heavyCode := glsltest.Compile(t, "rahit", strings.Replace(heavyHit, "p = turn(p)", "p = turn(turn(turn(turn(p))))", 1))
	lightCode := glsltest.Compile(t, "rahit", lightHit)
	asks := func(heavy, light int) []Stage {
		list := []Stage{raygen(1)}
		for i := range heavy + light {
			code := heavyCode
			if i >= heavy {
				code = lightCode
			}
			list = append(list, Stage{Kind: AnyHit, Code: code})
		}
		return list
	}
	for _, c := range []struct {
		name   string
		stages []Stage
		depth  uint32
		forced Form
		want   Form
		refuse string
	}{
		{name: "one trace", stages: []Stage{raygen(1)}, depth: 1, want: FormMonolithic},
		{name: "many traces", stages: []Stage{raygen(5)}, depth: 1, want: FormMegakernel},
		{name: "more depth than is used", stages: []Stage{raygen(1)}, depth: 2, want: FormMegakernel},
		{name: "recursion", stages: []Stage{raygen(1), again}, depth: 3, want: FormMegakernel},
		{name: "past the budget", stages: []Stage{raygen(40)}, depth: 1, want: FormBlocks},
		{name: "a few heavy shaders", stages: hits(3, heavyHit), depth: 1, want: FormMonolithic},
		{name: "several heavy shaders", stages: hits(4, heavyHit), depth: 1, want: FormWavefront},
		{name: "light shaders", stages: hits(manyShaders-1, lightHit), depth: 1, want: FormMonolithic},
		{name: "heavy shaders that are light", stages: hits(8, strings.Replace(heavyHit, "for (uint", "if (HEAVY) for (uint", 1)),
			depth: 1, want: FormMonolithic},
		{name: "many shaders", stages: hits(manyShaders, lightHit), depth: 1, want: FormWavefront},
		{name: "a few heavy any hit shaders", stages: asks(heavyAsks-1, 0), depth: 1, want: FormMonolithic},
		{name: "heavy any hit shaders", stages: asks(heavyAsks, 2), depth: 1, want: FormSuspended},
		{name: "heavy any hit shaders among others", stages: asks(heavyAsks, heavyAsks/2), depth: 1, want: FormMonolithic},
		{name: "light any hit shaders", stages: asks(0, 2*heavyAsks), depth: 1, want: FormMonolithic},
		{name: "forced", stages: []Stage{raygen(1)}, depth: 1, forced: FormBlocks, want: FormBlocks},
		{name: "forced past the budget", stages: []Stage{raygen(40)}, depth: 1, forced: FormMegakernel, want: FormMegakernel},
		{name: "monolithic recursion", stages: []Stage{raygen(1), again}, depth: 1, forced: FormMonolithic, refuse: "shader again"},
		{name: "monolithic depth", stages: []Stage{raygen(1)}, depth: 2, forced: FormMonolithic, refuse: "depth of 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Link(t.Context(), runtime, c.stages, Options{Form: c.forced, MaxDepth: c.depth})
			if c.refuse != "" {
				if err == nil || !strings.Contains(err.Error(), c.refuse) {
					t.Fatalf("got %v, want an error about %q", err, c.refuse)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Form != c.want {
				t.Errorf("form %v, want %v (%d words, %d states)", r.Form, c.want, len(r.Code), r.States)
			}
		})
	}
}

// TestBlocksAreLinear: the block machine of twice the calls has about twice the size, where the megakernel has four times.
func TestBlocksAreLinear(t *testing.T) {
	runtime := runtimeModule(t)
	size := func(n int, form Form) int {
		r, err := Link(t.Context(), runtime, []Stage{manyTracesStage(t, n)}, Options{Form: form, MaxDepth: 1})
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Code)
	}
	base := size(1, FormBlocks)
	if small, large := size(20, FormBlocks)-base, size(40, FormBlocks)-base; large > small*5/2 {
		t.Errorf("20 calls take %d words, 40 take %d", small, large)
	}
}

// TestFormsHaveRows looks for the row of each form that a pipeline may be made in, and for no others.
func TestFormsHaveRows(t *testing.T) {
	var list []Form
	for _, row := range forms {
		list = append(list, row.form)
	}
	if !slices.Equal(list, rt.Forms()) {
		t.Errorf("rows for %v, forms are %v", list, rt.Forms())
	}
}
