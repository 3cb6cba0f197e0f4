package engine_test

import (
	"slices"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/sbt"
)

const clusterObjects = `
layout(location = 0) rayPayloadEXT ivec4 payload;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Result { ivec4 v[]; } result;
void main() {
	uint i = gl_LaunchIDEXT.x;
	vec3 o = vec3(2.0 * float(i) + 0.25, 0.25, 1.0), d = vec3(0.0, 0.0, -1.0);
	payload = ivec4(-7);
	HO h, nothing, missed;
	hoEmpty(nothing);
	hoMiss(missed, 0u, 0u, o, 0.0, d, 9.0);
	hoTrace(h, scene, 0u, 0xffu, 0u, 1u, 0u, o, 0.0, d, 9.0);
	int asked = -3;
#ifdef HO_VALUES // the dialect has queries
	rayQueryEXT q;
	rayQueryInitializeEXT(q, scene, 1u, 0xffu, o, 0.0, d, 9.0);
	while (rayQueryProceedEXT(q)) {}
	if (rayQueryGetIntersectionTypeEXT(q, true) != 0u) {
		HO of;
		attr = rayQueryGetIntersectionBarycentricsEXT(q, true);
		hoFromQuery(of, q, 0u);
		asked = hoCluster(of);
	}
#endif
	result.v[2u * i] = ivec4(hoCluster(h), hoCluster(nothing), hoCluster(missed), asked);
	hoExecute(h);
	result.v[2u * i + 1u] = payload;
}
`

const clusterObjectHits = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_spirv_intrinsics : require
spirv_decorate(extensions = ["SPV_NV_cluster_acceleration_structure"], capabilities = [5437], 11, 5436) in int clusterId;
layout(location = 0) rayPayloadInEXT ivec4 p;
`

// TestClusterObjects reads ids of clusters from hit objects, in all forms: of what a trace and a query found, -1 of what is no hit
// and of what is none's; and in shaders that objects execute.
func TestClusterObjects(t *testing.T) {
	w := newClusterWorld(t)
	layout, set, out := w.resources()
	const own = `#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_NV_cluster_acceleration_structure"], capabilities = [5437], id = 5346)
int hoCluster(spirv_by_reference hitObjectNV h);
`
	for _, dialect := range shapes.HitObjectDialects {
		head := shapes.HitObjects(dialect, "ivec4", "vec2")
		asked := []int32{70, 70, 71, -1, -3}
		if dialect == shapes.HitObjectsNV {
			head, asked = head+own, []int32{-3, -3, -3, -3, -3}
		}
		o := engine.PipelineOptions{Name: "objects of clusters", SetLayouts: []*engine.DescriptorSetLayout{layout},
			MaxRecursionDepth: 1, Flags: engine.PipelineFlags{AllowClusters: true},
			Groups: []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1), engine.TrianglesGroup(2, 3)}}
		for _, s := range []struct {
			kind         engine.StageKind
			name, source string
		}{{engine.Raygen, "rgen", head + clusterObjects}, {engine.Miss, "rmiss", clusterObjectHits + "void main() { p.x = -9; }"},
			{engine.ClosestHit, "rchit", clusterObjectHits + "void main() { p.x = clusterId; }"},
			{engine.AnyHit, "rahit", clusterObjectHits + "void main() { p.y = clusterId; }"}} {
			o.Stages = append(o.Stages, engine.Stage{Name: s.name, Kind: s.kind, Code: glsltest.Compile(t, s.name, s.source)})
		}
		record := sbt.Record{Group: 2}
		table := sbt.Layout{Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}},
			Hit: []sbt.Record{record, record, record, record}}
		var want []int32
		for i, id := range []int32{70, 70, 71, -1, -9} { // the second and the plain triangle are not opaque
			traced, candidate := max(id, -1), []int32{-7, 70, -7, -1, -7}[i]
			want = append(want, traced, -1, -1, asked[i], id, candidate, -7, -7)
		}
		for form := engine.FormMonolithic; form <= engine.FormSorted; form++ {
			if testing.Short() && (dialect == shapes.HitObjectsNV || form != engine.FormWavefront) {
				continue // lavapipe compiles for seconds
			}
			o.Form = form
			w.trace(o, table, set)
			if got := w.words(out, len(want)); !slices.Equal(got, want) {
				t.Errorf("%s, %v: got %v, want %v", dialect, form, got, want)
			}
		}
	}
}
