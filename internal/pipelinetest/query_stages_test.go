package pipelinetest_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
)

// primitivesVariable names the environment variable with how many primitives TestQueriesPerPrimitive draws.
const primitivesVariable = "EVERRAY_QUERY_PRIMITIVES"

// drawnQueryHead begins shaders that ask queries, in any stage.
const drawnQueryHead = `#version 460
#extension GL_EXT_ray_query : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) writeonly buffer Result { uint word[]; } result;
layout(push_constant) uniform Ray { uint flags, mask; float tMin, tMax; } ray;
`

// queryPrimitive is a query for each primitive, as it stands in each of the stages: ray i of the grid, some of whose candidates
// it refuses.
const queryPrimitive = drawnQueryHead + `
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

// queryStack is a query for each primitive that meets the triangle of its number: they lie on each other at a distance of one.
const queryStack = drawnQueryHead + `
void ask(uint i) {
	rayQueryEXT q;
	rayQueryInitializeEXT(q, scene, 0u, 0xFFu, vec3(0.1, 0.1, float(i) - 0.5), 0.0, vec3(0.0, 0.0, 1.0), 1.0);
	while (rayQueryProceedEXT(q)) rayQueryConfirmIntersectionEXT(q);
	bool hit = rayQueryGetIntersectionTypeEXT(q, true) != 0u;
	result.word[2u * i] = hit ? rayQueryGetIntersectionPrimitiveIndexEXT(q, true) + 1u : 0u;
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
	options func(t *testing.T, ask string) vk.GraphicsPipelineOptions
}{
	{"vertex", func(t *testing.T, ask string) vk.GraphicsPipelineOptions {
		return vk.GraphicsPipelineOptions{Vertex: glsltest.Compile(t, "vert", ask+`
void main() { gl_Position = vec4(vec2(gl_VertexIndex % 3 & 1, gl_VertexIndex % 3 >> 1) * 0.01 - 1.0, 0.0, 1.0);
    if (gl_VertexIndex % 3 == 0) ask(gl_VertexIndex / 3); }`)}
	}},
	{"tessellation control", func(t *testing.T, ask string) vk.GraphicsPipelineOptions {
		return vk.GraphicsPipelineOptions{PatchPoints: 3, TessellationEvaluation: glsltest.Compile(t, "tese", plainEvaluation),
			TessellationControl: glsltest.Compile(t, "tesc",
				ask+"layout(vertices = 3) out;\nvoid main() { ask(gl_PrimitiveID);\n"+
					"gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"+tessellationLevels+"}")}
	}},
	{"tessellation evaluation", func(t *testing.T, ask string) vk.GraphicsPipelineOptions {
		return vk.GraphicsPipelineOptions{PatchPoints: 3,
			TessellationControl: glsltest.Compile(t, "tesc", "#version 460\nlayout(vertices = 3) out;\nvoid main() {\n"+
				"gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"+tessellationLevels+"}"),
			TessellationEvaluation: glsltest.Compile(t, "tese",
				ask+"layout(triangles) in;\nvoid main() { if (gl_TessCoord.x > 0.5) ask(gl_PrimitiveID);\n"+
					"gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y + gl_in[2].gl_Position * "+
					"gl_TessCoord.z; }")}
	}},
	{"geometry", func(t *testing.T, ask string) vk.GraphicsPipelineOptions {
		return vk.GraphicsPipelineOptions{Geometry: glsltest.Compile(t, "geom",
			ask+"layout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n"+
				"void main() { ask(gl_PrimitiveIDIn);\nfor (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; EmitVertex(); } }")}
	}},
}

// TestQueriesPerPrimitive asks a query for each primitive in the stages before rasterisation, natively and by compute.
func TestQueriesPerPrimitive(t *testing.T) {
	testQueriesOfStages(t, queryPrimitive, func(r *queryRig, _ uint32) *engine.AccelerationStructure { return r.scene.tlas })
}

// TestQueriesOfStack is TestQueriesPerPrimitive in a scene of as many triangles as there are primitives.
func TestQueriesOfStack(t *testing.T) {
	testQueriesOfStages(t, queryStack, func(r *queryRig, n uint32) *engine.AccelerationStructure { return r.stack(t, n) })
}

// stack is a structure of n triangles that lie on each other.
func (r *queryRig) stack(t *testing.T, n uint32) *engine.AccelerationStructure {
	t.Helper()
	var corners []float32
	for z := range n {
		corners = append(corners, 0, 0, float32(z), 1, 0, float32(z), 0, 1, float32(z))
	}
	d := r.device
	data, err := d.NewBuildInput(t.Context(), "stack", floats(corners...))
	check(t, err)
	t.Cleanup(data.Destroy)
	blas := queryBuild(t, d, engine.BuildInput{Name: "stack", Ranges: []vk.BuildRange{{PrimitiveCount: n}},
		Info: vk.BuildInfo{Type: vk.BottomLevel, Geometries: []vk.Geometry{{Type: vk.GeometryTriangles, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: data.Address(), VertexStride: 12, MaxVertex: 3*n - 1,
			IndexType: vk.IndexNone}}}}})
	t.Cleanup(blas.Destroy)
	instances, err := d.NewInstances(t.Context(), "instances", []vk.AccelerationStructureInstance{
		vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xFF, 0, 0, blas.Address())})
	check(t, err)
	t.Cleanup(instances.Destroy)
	info, ranges := engine.InstancesInfo(instances.Address(), 1, vk.PreferFastTrace)
	tlas := queryBuild(t, d, engine.BuildInput{Name: "scene", Info: info, Ranges: ranges})
	t.Cleanup(tlas.Destroy)
	return tlas
}

// testQueriesOfStages draws primitives that ask in each stage, in a scene made for so many.
func testQueriesOfStages(t *testing.T, ask string, scene func(r *queryRig, n uint32) *engine.AccelerationStructure) {
	primitives := uint32(queryCount)
	if n, err := strconv.ParseUint(os.Getenv(primitivesVariable), 10, 24); err == nil && n > 0 {
		primitives = max(uint32(n), queryCount)
	}
	vertex, fragment := glsltest.Compile(t, "vert", plainVertex), glsltest.Compile(t, "frag", plainFragment)
	rigs, scenes := map[engine.Backend]*queryRig{}, map[engine.Backend]*engine.AccelerationStructure{}
	for _, way := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		rigs[way] = newQueryRig(t, openQueries(t, way), 0)
		if f := rigs[way].device.VK().Features(); !f.DynamicRendering || !f.TessellationShader || !f.GeometryShader ||
			!f.VertexPipelineStoresAndAtomics {
			t.Skip("no dynamic rendering, or no stages that may write buffers")
		}
		scenes[way] = scene(rigs[way], primitives)
	}
	for _, s := range queryStages {
		t.Run(s.name, func(t *testing.T) {
			var words [][]uint32
			for _, way := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
				r, o := rigs[way], s.options(t, ask)
				if o.Fragment = fragment; o.Vertex == nil {
					o.Vertex = vertex
				}
				set, result := r.set(t, int(2*(primitives+queryCount-1)/queryCount), scenes[way])
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
