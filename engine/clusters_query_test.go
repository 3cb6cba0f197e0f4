package engine_test

import (
	"encoding/binary"
	"slices"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
)

// stackedTriangles is how many triangles of a cluster lie on top of each other: leaves that are full, and one that is not.
const stackedTriangles = 7

// newStackedClusters is two clusters in one place, of triangles on top of each other that are not opaque.
func newStackedClusters(t *testing.T) *clusterWorld {
	t.Helper()
	w := &clusterWorld{Device: open(t, engine.BackendCompute), t: t}
	var corners []float32
	var indices []byte
	for k := range 2 * stackedTriangles {
		z := -0.25 * float32(k)
		corners = append(corners, 0, 0, z, 1, 0, z, 0, 1, z)
	}
	for k := range byte(3 * stackedTriangles) {
		indices = append(indices, k)
	}
	at, order := w.input("vertices", floats(corners...)), w.input("indices", indices)
	in := engine.ClusterInput{MaxCount: 2, Op: engine.ClusterOpClusters, VertexFormat: vulkan.FormatR32g32b32Sfloat,
		MaxTriangles: stackedTriangles, MaxVertices: 3 * stackedTriangles, MaxTotalTriangles: 2 * stackedTriangles,
		MaxTotalVertices: 6 * stackedTriangles}
	counts := engine.NewClusterCounts(stackedTriangles, 3*stackedTriangles, 0, 1)
	_, list := w.command(in, engine.ClusterArgs(
		engine.ClusterBuildTriangles{ID: 1, Counts: counts, Indices: order, Vertices: at},
		engine.ClusterBuildTriangles{ID: 2, Counts: counts, Indices: order, Vertices: at + 36*stackedTriangles}))
	_, bottom := w.command(engine.ClusterInput{MaxCount: 1, Op: engine.ClusterOpBottomLevels, MaxClusters: 2, MaxTotalClusters: 2},
		engine.ClusterArgs(engine.ClusterBuildBottomLevel{Count: 2, Clusters: list.Address()}))
	data := make([]byte, 8)
	check(t, w.VK().ReadBuffer(t.Context(), bottom, 0, data))
	w.buildTop(at, binary.LittleEndian.Uint64(data))
	return w
}

// TestClusterQueryGoesOn stops at every triangle of a leaf in a cluster, and sees each once: behind a candidate a query goes on in
// the middle of a leaf, with the words of the triangles that are left.
func TestClusterQueryGoesOn(t *testing.T) {
	w := newStackedClusters(t)
	layout, set, out := w.resources()
	code := glsltest.Compile(t, "comp", clusterHead+`
spirv_instruction(extensions = ["SPV_NV_cluster_acceleration_structure"], capabilities = [5437], id = 5345)
int clusterOf(spirv_by_reference rayQueryEXT q, int committed);
layout(local_size_x = 1) in;
void main() {
	rayQueryEXT q;
	rayQueryInitializeEXT(q, scene, 0u, 0xffu, vec3(0.25, 0.25, 9.0), 0.0, vec3(0.0, 0.0, -1.0), 99.0);
	int seen[3] = int[](0, 0, 0), confirmed = 0;
	while (rayQueryProceedEXT(q)) {
		int primitive = rayQueryGetIntersectionPrimitiveIndexEXT(q, false), id = max(clusterOf(q, 0), 0);
		seen[id] += 1 << (4 * primitive);
		if (id == 1 && primitive == 5) { // what is behind does not come any more
			rayQueryConfirmIntersectionEXT(q);
			confirmed++;
		}
	}
	result.v[0] = ivec4(seen[0], seen[1] & 0xffffff, confirmed, rayQueryGetIntersectionPrimitiveIndexEXT(q, true));
	rayQueryInitializeEXT(q, scene, 2u, 0xffu, vec3(0.25, 0.25, 9.0), 0.0, vec3(0.0, 0.0, -1.0), 99.0);
	seen = int[](0, 0, 0);
	int elsewhere = 0;
	while (rayQueryProceedEXT(q)) {
		int primitive = rayQueryGetIntersectionPrimitiveIndexEXT(q, false), id = max(clusterOf(q, 0), 0);
		seen[id] += 1 << (4 * primitive);
		if (rayQueryGetIntersectionTEXT(q, false) != 9.0 + 0.25 * float(primitive + (id == 2 ? 7 : 0))) elsewhere++;
	}
	result.v[1] = ivec4(seen[0], seen[1], seen[2], elsewhere);
}`)
	w.dispatch(code, layout, set)
	// Each triangle once, the plain one too; of the first cluster those up to the hit for certain.
	const each = 0x1111111
	want := []int32{1, each & 0xffffff, 1, 5, 1, each, each, 0}
	if got := w.words(out, len(want)); !slices.Equal(got, want) {
		t.Errorf("got %#x, want %#x", got, want)
	}
}
