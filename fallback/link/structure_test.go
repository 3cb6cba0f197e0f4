package link

import (
	"fmt"
	"testing"

	"github.com/everray/everray/internal/glsltest"
)

// structureRaygen traces into a structure of each descriptor, and into one of an array by an index that is no constant.
const structureRaygen = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = %d) uniform accelerationStructureEXT one;
layout(set = 1, binding = 3) uniform accelerationStructureEXT other;
layout(set = 2, binding = 0) uniform accelerationStructureEXT many[4];
layout(set = 0, binding = 9) buffer Result { vec4 color[]; };
layout(location = 0) rayPayloadEXT vec4 payload;
void main() {
    payload = vec4(1.0);
    traceRayEXT(one, 0u, 0xFFu, 0u, 0u, 0u, vec3(gl_LaunchIDEXT), 0.0, vec3(0.0, 0.0, 1.0), 1.0, 0);
    traceRayEXT(other, 0u, 0xFFu, 0u, 0u, 0u, payload.xyz, 0.0, vec3(0.0, 0.0, 1.0), 1.0, 0);
    traceRayEXT(many[nonuniformEXT(gl_LaunchIDEXT.x & 3u)], 0u, 0xFFu, 0u, 0u, 0u, payload.xyz, 0.0, vec3(0.0, 0.0, 1.0), 1.0, 0);
    color[gl_LaunchIDEXT.x] = payload;
}
`

// TestStructures counts the descriptors that the scheduler reads: those that several stages name once, those of libraries
// among them, and none that only the launch decides.
func TestStructures(t *testing.T) {
	raygen := func(binding int) Stage {
		return Stage{Kind: Raygen, Code: glsltest.Compile(t, "rgen", fmt.Sprintf(structureRaygen, binding))}
	}
	runtime := runtimeModule(t)
	library, err := NewLibrary(t.Context(), runtime, []Stage{raygen(0), raygen(1)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		stages  []Stage
		options Options
		want    int
	}{
		{"one stage", []Stage{raygen(0)}, Options{Form: FormMegakernel, MaxDepth: 1}, 2},
		{"blocks", []Stage{raygen(0)}, Options{Form: FormBlocks, MaxDepth: 1}, 2},
		{"two stages", []Stage{raygen(0), raygen(1)}, Options{Form: FormMegakernel, MaxDepth: 1}, 3},
		{"library", []Stage{raygen(0), raygen(2)}, Options{MaxDepth: 1, Libraries: []*Library{library}}, 4},
		{"monolithic", []Stage{raygen(0)}, Options{Form: FormMonolithic, MaxDepth: 1}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := linkStages(t, runtime, tt.stages, tt.options)
			glsltest.Validate(t, l.result.Code)
			numbers := map[uint32]bool{}
			for _, y := range l.structures {
				numbers[l.types.get(y.constant).Operands[0]] = true
			}
			if len(numbers) != tt.want {
				t.Errorf("%d descriptors, want %d", len(numbers), tt.want)
			}
		})
	}
}
