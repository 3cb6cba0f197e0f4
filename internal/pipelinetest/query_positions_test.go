package pipelinetest_test

import (
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
)

// withPositions makes the getters of the object ray's origin fetch vertices, the first vertex 0 and so on: glslang 12 does
// not know the extension.
func withPositions(t *testing.T, code []uint32) []uint32 {
	t.Helper()
	m, err := spirv.Decode(code)
	check(t, err)
	m.AddCapability(spirv.CapabilityRayQueryPositionFetchKHR)
	m.AddExtension("SPV_KHR_ray_tracing_position_fetch")
	vertex := m.TypeVector(m.TypeFloat(32), 3)
	array := m.TypeArray(vertex, m.ConstantU32(3))
	n := uint32(0)
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			var out []spirv.Inst
			for _, in := range b.Insts {
				if in.Op != spirv.OpRayQueryGetIntersectionObjectRayOriginKHR {
					out = append(out, in)
					continue
				}
				fetch := spirv.Inst{Op: spirv.OpRayQueryGetIntersectionTriangleVertexPositionsKHR, Type: array, Result: m.NewID(),
					Operands: in.Operands}
				out = append(out, fetch, spirv.Inst{Op: spirv.OpCompositeExtract, Type: vertex, Result: in.Result,
					Operands: []uint32{uint32(fetch.Result), n % 3}})
				n++
			}
			b.Insts = out
		}
	}
	check(t, spirv.Verify(m))
	return m.Encode()
}

const queryPositions = `
	rayQueryEXT q; START(q);
	vec3 sum = vec3(0.0);
	while (rayQueryProceedEXT(q)) { // nothing is committed: every candidate comes
		if (!triangle(q)) continue;
		sum = max(sum, abs(rayQueryGetIntersectionObjectRayOriginEXT(q, false)) +
		    abs(rayQueryGetIntersectionObjectRayOriginEXT(q, false)) +
			abs(rayQueryGetIntersectionObjectRayOriginEXT(q, false)));
	}
	for (uint k = 0u; k < 3u; k++) OUT(k) = BITS(sum[k]);
	rayQueryInitializeEXT(q, scene, 1u | 512u, RAY);
	rayQueryProceedEXT(q);
	bool hit = rayQueryGetIntersectionTypeEXT(q, true) != 0u;
	OUT(3) = hit ? 1u : 0u; OUT(4) = 0u; OUT(5) = 0u;
	if (hit) {
		vec3 a = rayQueryGetIntersectionObjectRayOriginEXT(q, true), b = rayQueryGetIntersectionObjectRayOriginEXT(q, true),
			c = rayQueryGetIntersectionObjectRayOriginEXT(q, true);
		vec2 w = rayQueryGetIntersectionBarycentricsEXT(q, true);
		vec3 p = rayQueryGetIntersectionObjectToWorldEXT(q, true) * vec4(a + w.x * (b - a) + w.y * (c - a), 1.0);
		vec3 at = rayQueryGetWorldRayOriginEXT(q) + rayQueryGetIntersectionTEXT(q, true) * rayQueryGetWorldRayDirectionEXT(q);
		OUT(4) = distance(p, at) < 1e-3 ? 1u : 2u;
		OUT(5) = BITS(a.x + 2.0 * b.y + 3.0 * c.z);
	}
`

// TestQueryPositions fetches the vertices of triangles: they must lie where the hit is, and be the driver's.
func TestQueryPositions(t *testing.T) {
	const words = "fffuuf"
	code := withPositions(t, glsltest.Compile(t, "comp", strings.Replace(queryHead, "GRID 24", "GRID 24\n#define WORDS 6", 1)+
		"layout(local_size_x = 8, local_size_y = 8) in;\nvoid main() {\n"+queryPositions+"}\n"))
	results := map[engine.Backend][]uint32{}
	for _, way := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		d := openQueries(t, way)
		if way == engine.BackendNative && !d.VK().Features().PositionFetch {
			t.Logf("%s has no position fetch: only the compute way runs", d.Info().Name)
			continue
		}
		r := newQueryRig(t, d, vk.AllowDataAccess)
		results[way] = r.dispatch(t, r.pipeline(t, code), len(words), queryRay{2, 0xFF, 0, 100}, r.scene.tlas)
	}
	hits := 0
	for i := 0; i < len(results[engine.BackendCompute]); i += len(words) {
		hit := results[engine.BackendCompute][i+3:]
		if hit[0] != hit[1] {
			t.Errorf("ray %d: the vertices are not those of the triangle that was hit", i/len(words))
		}
		hits += int(hit[0])
	}
	if hits < queryCount/4 {
		t.Errorf("%d of %d rays hit: the test tests nothing", hits, queryCount)
	}
	if native := results[engine.BackendNative]; native != nil {
		compareQueries(t, words, native, results[engine.BackendCompute])
	}
}
