package link

import (
	"testing"

	"github.com/everray/everray/internal/glsltest"
)

// traceOnce is a trace call of a ray generation shader that begins as raygenHead.
const traceOnce = "traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(p), 0.0, vec3(1.0), 1.0, 0);\n"

// TestRoundsAreBounded: the wavefront form knows how many rounds end every lane where loops count up to constants, and says so
// nowhere else.
func TestRoundsAreBounded(t *testing.T) {
	runtime := runtimeModule(t)
	var glsl glsltest.Compiler
	plain := Stage{Name: "plain", Kind: Miss, Code: glsl.Compile(t, "rmiss", `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT float p;
void main() { p += 1.0; }
`)}
	again := Stage{Name: "again", Kind: Miss, Code: glsl.Compile(t, "rmiss", traceAgain)}
	for _, c := range []struct {
		name, body string
		miss       Stage
		depth      uint32
		want       uint32
	}{
		{"no trace", "p = 1.0;", plain, 1, 1},
		{"one", traceOnce, plain, 1, 2},
		{"one after the other", traceOnce + "if (p > 1.0) {" + traceOnce + "}" + traceOnce, plain, 1, 4},
		{"one of two", "if (p > 1.0) {" + traceOnce + "} else {" + traceOnce + "}", plain, 1, 2},
		{"loop", "for (uint i = 0u; i < 4u; i++) {" + traceOnce + "}", plain, 1, 5},
		{"loop of an int, in steps", "for (int i = -2; i <= 5; i += 3) {" + traceOnce + "}", plain, 1, 4},
		{"loop that breaks and goes on",
			"for (uint i = 0u; i < 4u; i++) { if (p > 3.0) continue; " + traceOnce + " if (p > 1.0) break; }", plain, 1, 5},
		{"loops", "for (uint i = 0u; i < 2u; i++) { for (uint k = 0u; k < 3u; k++) {" + traceOnce + "} " + traceOnce + "}", plain, 1, 9},
		{"loop beside loop",
			"for (uint i = 0u; i < 2u; i++) {" + traceOnce + "} for (uint i = 0u; i < 3u; i++) {" + traceOnce + "}", plain, 1, 6},
		{"a loop without traces inside", "for (uint i = 0u; i < 2u; i++) { while (p < 9.0) p += 1.0;" + traceOnce + "}", plain, 1, 3},
		{"recursion", traceOnce, again, 2, 4},
		{"recursion three deep", traceOnce, again, 3, 6},
		{"recursion in a loop", "for (uint i = 0u; i < 4u; i++) {" + traceOnce + "}", again, 2, 13},
		{"a limit out of memory", "for (uint i = 0u; i < result.n; i++) {" + traceOnce + "}", plain, 1, 0},
		{"a start out of memory", "for (uint i = result.n; i < 4u; i++) {" + traceOnce + "}", plain, 1, 0},
		{"a counter that is set", "for (uint i = 0u; i < 4u; i++) {" + traceOnce + " if (p > 2.0) i = 0u; }", plain, 1, 0},
		{"a counter that goes twice", "for (uint i = 0u; i < 4u; i++) {" + traceOnce + " if (p > 2.0) i--; }", plain, 1, 0},
		{"a counter that is kept at times", "uint i = 0u; while (i < 4u) {" + traceOnce + " if (p > 2.0) i++; }", plain, 1, 0},
		{"another condition", "while (p < 4.0) {" + traceOnce + "}", plain, 1, 0},
		{"turns without an end", "for (uint i = 0u; i < 100000u; i++) {" + traceOnce + "}", plain, 1, 0},
		{"too deep", "for (uint i = 0u; i < 4u; i++) {" + traceOnce + "}", again, 30, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			raygen := Stage{Name: "raygen", Kind: Raygen, Code: glsl.Compile(t, "rgen", `#version 460
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Result { uint n; float word[]; } result;
layout(location = 0) rayPayloadEXT float p;
void main() { p = float(gl_LaunchIDEXT.x);
`+c.body+"\nresult.word[gl_LaunchIDEXT.x] = p; }")}
			r, err := Link(t.Context(), runtime, []Stage{raygen, c.miss}, Options{Form: FormWavefront, MaxDepth: c.depth})
			if err != nil {
				t.Fatal(err)
			}
			if r.Wave.Rounds != c.want {
				t.Errorf("%d rounds, want %d", r.Wave.Rounds, c.want)
			}
		})
	}
}
