package link

import (
	"slices"
	"testing"

	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/rt"
)

// TestReportCalls: what lives across calls is told by the shader's names, and nothing else is.
func TestReportCalls(t *testing.T) {
	const raygen = `#version 460
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Result { vec4 word[]; } result;
layout(location = 0) rayPayloadEXT vec3 p;
layout(location = 1) callableDataEXT float data;
struct Path { vec3 radiance; uint seed; float unused; };
void main() {
    Path path = Path(result.word[0].xyz, uint(result.word[1].x), 3.0);
    double wide = double(result.word[2].y);
    uint spent = path.seed * 7u;
    p = vec3(spent);
    traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(spent), 0.0, vec3(1.0), 1.0, 0);
    path.radiance += p;
    data = 1.0;
    executeCallableEXT(0u, 1);
    result.word[gl_LaunchIDEXT.x] = vec4(path.radiance * float(wide), data + float(path.seed));
}
`
	const miss = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT vec3 p;
void main() { p += vec3(1.0); }
`
	stages := []Stage{
		{Name: "camera", Kind: Raygen, Code: glsltest.Compile(t, "rgen", raygen)},
		{Name: "sky", Kind: Miss, Code: glsltest.Compile(t, "rmiss", miss)},
	}
	link := func(form Form) *Result {
		r, err := Link(t.Context(), runtimeModule(t), stages, Options{Form: form, MaxDepth: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if calls := link(FormMonolithic).Calls; len(calls) != 0 {
		t.Errorf("one kernel without a stack: %v", calls)
	}
	live := []rt.LiveValue{{Name: "path", Bytes: 16}, {Name: "wide", Bytes: 8}}
	for _, form := range []Form{FormMegakernel, FormBlocks, FormWavefront, FormSorted} {
		calls := link(form).Calls
		if len(calls) != 2 || calls[0].Kind != "trace" || calls[1].Kind != "call" || calls[0].Stage != 0 {
			t.Fatalf("%v: %+v", form, calls)
		}
		if !slices.Equal(calls[0].Live, live) || calls[0].Payload != 12 || calls[0].Bytes != 48 {
			t.Errorf("%v: the trace call: %v", form, calls[0])
		}
		if !slices.Equal(calls[1].Live, live) || calls[1].Payload != 4 {
			t.Errorf("%v: the call: %v", form, calls[1])
		}
	}
}
