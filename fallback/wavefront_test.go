package fallback_test

import (
	"strings"
	"testing"

	"github.com/everray/everray/fallback"
	"github.com/everray/everray/internal/glsltest"
)

// longLoop traces as often as TIMES says; each time the miss shader adds to the payload, and what lives across the calls has to
// be right at the end. Every lane has another number, up to the most.
const longLoop = `#version 460
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Result { uint word[]; } result;
layout(set = 0, binding = 2) buffer Times { uint most; } times;
layout(location = 0) rayPayloadEXT uint p;
void main() {
    uint n = gl_LaunchIDEXT.x, sum = n;
    for (uint i = 0u; i < TIMES; i++) {
        p = i + n;
        traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(0.0), 0.0, vec3(1.0), 1.0, 0);
        sum = sum * 3u + p;
    }
    result.word[n] = sum;
}
`

const longMiss = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT uint p;
void main() { p = p * 5u + 7u; }
`

// TestLongLoops: whatever a form records before it knows how often a shader traces, every lane gets to its end. One shader
// traces 100,000 times, another as often as memory says, from never to 2,000 times.
func TestLongLoops(t *testing.T) {
	const many, most = 100000, 2000
	contents := [][]uint32{make([]uint32, nullLanes), {most}, {0}}
	r := newNullRig(t, contents...)
	miss := fallback.Stage{Kind: fallback.Miss, Code: glsltest.Compile(t, "rmiss", longMiss)}
	for _, c := range []struct {
		name, times string
		count       func(n uint32) uint32
	}{
		{"constant", "(n == 0u ? 100000u : 3u)", func(n uint32) uint32 {
			if n == 0 {
				return many
			}
			return 3
		}},
		{"memory", "(times.most * n / 69u)", func(n uint32) uint32 { return most * n / 69 }},
	} {
		source := strings.Replace(longLoop, "TIMES", c.times, 1)
		raygen := fallback.Stage{Kind: fallback.Raygen, Code: glsltest.Compile(t, "rgen", source)}
		for _, form := range allForms {
			t.Run(c.name+"/"+form.String(), func(t *testing.T) {
				got := r.run(t, form, contents, raygen, miss)
				for k, w := range got[0] {
					n := uint32(k)
					want := n
					for i := range c.count(n) {
						want = want*3 + (i+n)*5 + 7
					}
					if w != want {
						t.Fatalf("lane %d got %d, want %d", k, w, want)
					}
				}
			})
		}
	}
}

// allForms are those that a pipeline may be made in.
var allForms = []fallback.Form{
	fallback.FormMonolithic, fallback.FormMegakernel, fallback.FormBlocks, fallback.FormWavefront,
	fallback.FormSorted,
}
