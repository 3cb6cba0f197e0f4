package pipelinetest_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
)

// primitivesVariable names the environment variable with how many primitives TestQueriesPerPrimitive draws.
const primitivesVariable = "EVERRAY_QUERY_PRIMITIVES"

// queryPrimitive is a query for each primitive, as it stands in each of the stages: ray i of the grid, some of whose candidates
// it refuses.
const queryPrimitive = `#version 460
#extension GL_EXT_ray_query : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) writeonly buffer Result { uint word[]; } result;
layout(push_constant) uniform Ray { uint flags, mask; float tMin, tMax; } ray;
void ask(uint i) {
	rayQueryEXT q;
	vec2 p = vec2(i % 24u, i / 24u % 24u);
	rayQueryInitializeEXT(q, scene, ray.flags, ray.mask, vec3(p / 24.0 * 2.0 - 1.0, 4.0), ray.tMin, vec3(0.01, 0.02, -1.0), ray.tMax);
	while (rayQueryProceedEXT(q)) {
		if (rayQueryGetIntersectionTypeEXT(q, false) != gl_RayQueryCandidateIntersectionTriangleEXT) continue;
		if ((rayQueryGetIntersectionPrimitiveIndexEXT(q, false) & 1) == 0) rayQueryConfirmIntersectionEXT(q);
	}
	bool hit = rayQueryGetIntersectionTypeEXT(q, true) != 0u;
	result.word[2u * i] = hit ? rayQueryGetIntersectionPrimitiveIndexEXT(q, true) + 64u * rayQueryGetIntersectionInstanceIdEXT(q,
	    true) + 1u : 0u;
	result.word[2u * i + 1u] = hit ? floatBitsToUint(rayQueryGetIntersectionTEXT(q, true)) : 0u;
}
`

const plainVertex = `#version 460
void main() { gl_Position = vec4(vec2(gl_VertexIndex % 3 & 1, gl_VertexIndex % 3 >> 1) * 0.01 - 1.0, 0.0, 1.0); }
`

const plainFragment = `#version 460
layout(location = 0) out vec4 color;
void main() { color = vec4(1.0); }
`

const plainEvaluation = `#version 460
layout(triangles) in;
void main() {
    gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y +
        gl_in[2].gl_Position * gl_TessCoord.z; }
`

const tessellationLevels = "gl_TessLevelInner[0] = 1.0; gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;\n"

// queryStages draw with a query per primitive in one stage.
var queryStages = []struct {
	name    string
	options func(t *testing.T) vk.GraphicsPipelineOptions
}{
	{"vertex", func(t *testing.T) vk.GraphicsPipelineOptions {
		return vk.GraphicsPipelineOptions{Vertex: glsltest.Compile(t, "vert", queryPrimitive+`
void main() { gl_Position = vec4(vec2(gl_VertexIndex % 3 & 1, gl_VertexIndex % 3 >> 1) * 0.01 - 1.0, 0.0, 1.0);
    if (gl_VertexIndex % 3 == 0) ask(gl_VertexIndex / 3); }`)}
	}},
	{"tessellation control", func(t *testing.T) vk.GraphicsPipelineOptions {
		return vk.GraphicsPipelineOptions{PatchPoints: 3, TessellationEvaluation: glsltest.Compile(t, "tese", plainEvaluation),
			TessellationControl: glsltest.Compile(t, "tesc",
				queryPrimitive+"layout(vertices = 3) out;\nvoid main() { ask(gl_PrimitiveID);\n"+
					"gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"+tessellationLevels+"}")}
	}},
	{"tessellation evaluation", func(t *testing.T) vk.GraphicsPipelineOptions {
		return vk.GraphicsPipelineOptions{PatchPoints: 3,
			TessellationControl: glsltest.Compile(t, "tesc", "#version 460\nlayout(vertices = 3) out;\nvoid main() {\n"+
				"gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"+tessellationLevels+"}"),
			TessellationEvaluation: glsltest.Compile(t, "tese",
				queryPrimitive+"layout(triangles) in;\nvoid main() { if (gl_TessCoord.x > 0.5) ask(gl_PrimitiveID);\n"+
					"gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y + gl_in[2].gl_Position * "+
					"gl_TessCoord.z; }")}
	}},
	{"geometry", func(t *testing.T) vk.GraphicsPipelineOptions {
		return vk.GraphicsPipelineOptions{Geometry: glsltest.Compile(t, "geom",
			queryPrimitive+"layout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n"+
				"void main() { ask(gl_PrimitiveIDIn);\nfor (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; EmitVertex(); } }")}
	}},
}

// TestQueriesPerPrimitive asks a query for each primitive in the stages before rasterisation, natively and by compute.
func TestQueriesPerPrimitive(t *testing.T) {
	primitives := uint32(queryCount)
	if n, err := strconv.ParseUint(os.Getenv(primitivesVariable), 10, 24); err == nil && n > 0 {
		primitives = max(uint32(n), queryCount)
	}
	vertex, fragment := glsltest.Compile(t, "vert", plainVertex), glsltest.Compile(t, "frag", plainFragment)
	rigs := map[engine.Backend]*queryRig{}
	for _, way := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		rigs[way] = newQueryRig(t, openQueries(t, way), 0)
		if f := rigs[way].device.VK().Features(); !f.DynamicRendering || !f.TessellationShader || !f.GeometryShader ||
			!f.VertexPipelineStoresAndAtomics {
			t.Skip("no dynamic rendering, or no stages that may write buffers")
		}
	}
	for _, s := range queryStages {
		t.Run(s.name, func(t *testing.T) {
			var words [][]uint32
			for _, way := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
				r, o := rigs[way], s.options(t)
				if o.Fragment = fragment; o.Vertex == nil {
					o.Vertex = vertex
				}
				set, result := r.set(t, int(2*(primitives+queryCount-1)/queryCount), r.scene.tlas)
				start := time.Now()
				r.drawWith(t, o, 3*primitives, set, nil)
				t.Logf("%v: %d primitives in %v, pipeline included", way, primitives, time.Since(start).Round(time.Millisecond))
				words = append(words, readWords(t, r.device, result)[:2*primitives])
			}
			const layout = "uf"
			compareQueries(t, layout, words[0], words[1])
			if n := queryValues(layout, words[1], 0); n < 10 {
				t.Errorf("the queries found %d primitives", n)
			}
		})
	}
}
