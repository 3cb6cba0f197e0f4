package cluster

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"unsafe"
)

// TestLayoutMatchesGLSL holds layout.go against the one definition, both ways.
func TestLayoutMatchesGLSL(t *testing.T) {
	var src []byte
	for _, name := range []string{"common/cluster_layout.glsl", "cluster/convert.glsl"} {
		text, err := os.ReadFile("../../shaders/bvh/" + name)
		if err != nil {
			t.Fatal(err)
		}
		src = append(src, text...)
	}
	got := map[string]uint64{
		"ER_LEAF_CLUSTERS": LeafKind, "ER_INSTANCE_CLUSTERS": HeightFlag, "ER_CLUSTERS_HEIGHT": MostHeight, "ER_CLUSTER_HEIGHT": Height,
		"ER_CLUSTER_MOST": Most, "ER_CLUSTER_LEAF": leafTriangles, "ER_CLUSTER_DEPTH": mostDepth,
		"ER_CLUSTER_IS_FAST": isFast, "ER_FORM_FAST": formFast, "ER_CLUSTER_ALIGNMENT": clusterAlignment,
		"ER_TEMPLATE_ALIGNMENT": templateAlignment, "ER_CLUSTER_MAGIC": clusterMagic, "ER_TEMPLATE_MAGIC": templateMagic,
		"ER_CLUSTER_HEADER_SIZE": headerSize, "ER_CLUSTER_HEADER_MAGIC": headerMagic, "ER_CLUSTER_HEADER_ID": headerID,
		"ER_CLUSTER_HEADER_COUNTS": headerCounts, "ER_CLUSTER_HEADER_FLAGS": headerFlags, "ER_CLUSTER_HEADER_BOUNDS_MIN": headerBoundsMin,
		"ER_CLUSTER_HEADER_GEOMETRY": headerGeometry, "ER_CLUSTER_HEADER_BOUNDS_MAX": headerBoundsMax,
		"ER_CLUSTER_HEADER_BYTES": headerBytes, "ER_CLUSTER_HEADER_ROOT": headerRoot, "ER_CLUSTER_HEADER_FORM": headerForm,
		"ER_CLUSTER_HEADER_FORMAT": headerFormat, "ER_CLUSTER_HEADER_QUANTA": headerQuanta,
		"ER_FORMAT_COMPRESSED1": FormatCompressed1, // in convert.glsl

		"ER_CLUSTER_VERTEX_SHIFT": vertexShift, "ER_CLUSTER_TRUNCATE_SHIFT": truncateShift, "ER_CLUSTER_INDEX_SHIFT": indexShift,
		"ER_CLUSTER_HAS_VERTICES": hasVertices, "ER_CLUSTER_HAS_WORDS": hasWords, "ER_GEOMETRY_INDEX_MASK": MostGeometry,
		"ER_GEOMETRY_CULL_DISABLE": uint64(CullDisable) << geometryFlagsShift,
		"ER_GEOMETRY_NO_DUPLICATE": uint64(NoDuplicateAnyHit) << geometryFlagsShift,
		"ER_GEOMETRY_OPAQUE":       uint64(Opaque) << geometryFlagsShift,
		"ER_FORM_TRIANGLES_SHIFT":  formTrianglesShift, "ER_FORM_TRIANGLES_MASK": formTrianglesMask,
		"ER_FORM_FLAGS_SHIFT": formFlagsShift,
		"ER_FORM_WORDS":       formWords, "ER_FORM_CLUSTER": formCluster, "ER_FORM_MASK": formMask,
		"ER_RECORD_SIZE": RecordSize, "ER_RECORD_ADDRESS": recordAddress, "ER_RECORD_FORM": recordForm,
		"ER_RECORD_ROOT": recordRoot, "ER_RECORD_SHIFT": recordShift, "ER_HIT_BY_RECORD": hitByRecord,
		"ER_SHAPE_LEAF": shapeLeaf, "ER_SHAPE_TWO": shapeTwo, "ER_REF_DIRECT": RefDirect, "ER_REF_DIRECT_SHIFT": refDirectShift,
		"ER_REF_DIRECT_MASK": refDirectMask, "ER_REF_DIRECT_BACK": refDirectBack, "ER_DIRECT_SIZE": directSize,
		"ER_REF_RECORDS_OF": refRecordsOf, "ER_REF_RECORDS_MASK": refRecordsMask, "ER_REF_RECORDS_SHIFT": refRecordsShift,
		"ER_CLUSTERS_MOST": MostClusters,
		"ER_NO_CLUSTER":    NoID,
		"ER_OP_MOVE":       uint64(Move), "ER_OP_BOTTOM_LEVEL": uint64(BuildBottomLevels), "ER_OP_CLUSTER": uint64(BuildClusters),
		"ER_OP_TEMPLATE": uint64(BuildTemplates), "ER_OP_INSTANTIATE": uint64(InstantiateOp), "ER_OP_INDICES": uint64(TemplateIndices),
		"ER_TO_IMPLICIT": uint64(Implicit), "ER_TO_EXPLICIT": uint64(Explicit), "ER_TO_SIZES": uint64(SizesOnly),
		"ER_RESOLVE_IMPLICIT": uint64(ResolveImplicit), "ER_RESOLVE_SCRATCH": uint64(ResolveScratch),
		"ER_RESOLVE_ADDRESSES": uint64(ResolveAddresses), "ER_RESOLVE_SIZES": uint64(ResolveSizes),
		"ER_RESOLVE_INFOS": uint64(ResolveInfos), "ER_RESOLVE_COUNT": uint64(ResolveCount),
	}
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^const uint (ER_\w+) = (0x[0-9a-fA-F]+|\d+)u;`).FindAllStringSubmatch(string(src), -1) {
		want, err := strconv.ParseUint(m[2], 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		found++
		if v, ok := got[m[1]]; !ok || v != want {
			t.Errorf("%s is %#x, Go has %#x (there: %v)", m[1], want, v, ok)
		}
	}
	if found != len(got) {
		t.Errorf("the GLSL has %d constants, this test %d", found, len(got))
	}
}

// TestRequiredClusterLimits holds what clusters may have against what VK_NV_cluster_acceleration_structure requires of devices.
func TestRequiredClusterLimits(t *testing.T) {
	for what, least := range map[string][2]uint64{
		"maxTrianglesPerCluster and maxVerticesPerCluster": {Most, 256}, "maxClusterGeometryIndex": {MostGeometry, 1<<24 - 1},
	} {
		if least[0] < least[1] {
			t.Errorf("%s is %d, required are %d", what, least[0], least[1])
		}
	}
	for what, most := range map[string][2]uint64{
		"clusterByteAlignment":            {Input{Op: BuildClusters}.Alignment(), 128},
		"clusterTemplateByteAlignment":    {Input{Op: BuildTemplates}.Alignment(), 32},
		"clusterBottomLevelByteAlignment": {Input{Op: BuildBottomLevels}.Alignment(), 256},
	} {
		if most[0] == 0 || most[0] > most[1] || most[0]&(most[0]-1) != 0 {
			t.Errorf("%s is %d, a power of two of at most %d is required", what, most[0], most[1])
		}
	}
}

// TestArguments holds the arguments against VK_NV_cluster_acceleration_structure, to the byte.
func TestArguments(t *testing.T) {
	var b BuildTriangles
	var m BuildTemplate
	var i Instantiate
	var l BuildBottomLevel
	for what, pair := range map[string][2]uintptr{
		"build": {unsafe.Sizeof(b), 64}, "id": {unsafe.Offsetof(b.ID), 0}, "flags": {unsafe.Offsetof(b.Flags), 4},
		"counts": {unsafe.Offsetof(b.Counts), 8}, "geometry": {unsafe.Offsetof(b.Geometry), 12},
		"index stride": {unsafe.Offsetof(b.IndexStride), 16}, "vertex stride": {unsafe.Offsetof(b.VertexStride), 18},
		"word stride": {unsafe.Offsetof(b.GeometryWordStride), 20}, "micromap stride": {unsafe.Offsetof(b.MicromapIndexStride), 22},
		"indices": {unsafe.Offsetof(b.Indices), 24}, "vertices": {unsafe.Offsetof(b.Vertices), 32},
		"words":     {unsafe.Offsetof(b.GeometryWords), 40},
		"micromaps": {unsafe.Offsetof(b.MicromapArray), 48}, "micromap indices": {unsafe.Offsetof(b.MicromapIndices), 56},
		"template": {unsafe.Sizeof(m), 72}, "bounds": {unsafe.Offsetof(m.Bounds), 64},
		"instantiate": {unsafe.Sizeof(i), 32}, "id offset": {unsafe.Offsetof(i.IDOffset), 0},
		"geometry offset":    {unsafe.Offsetof(i.GeometryOffset), 4},
		"template's address": {unsafe.Offsetof(i.Template), 8}, "its vertices": {unsafe.Offsetof(i.Vertices), 16},
		"their stride": {unsafe.Offsetof(i.VertexStride), 24},
		"bottom level": {unsafe.Sizeof(l), 16}, "count": {unsafe.Offsetof(l.Count), 0}, "stride": {unsafe.Offsetof(l.Stride), 4},
		"clusters": {unsafe.Offsetof(l.Clusters), 8},
		"move":     {unsafe.Sizeof(MoveObject{}), 8}, "get indices": {unsafe.Sizeof(GetIndices{}), 8},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %d, the extension has %d", what, pair[0], pair[1])
		}
	}
	var db DXBuildTriangles
	var di DXInstantiate
	for what, pair := range map[string][2]uintptr{
		"build": {unsafe.Sizeof(db), 80}, "id": {unsafe.Offsetof(db.ID), 0}, "flags": {unsafe.Offsetof(db.Flags), 4},
		"triangles": {unsafe.Offsetof(db.Triangles), 8}, "vertices": {unsafe.Offsetof(db.Vertices), 10},
		"geometry": {unsafe.Offsetof(db.Geometry), 12}, "micromap base": {unsafe.Offsetof(db.MicromapBase), 16},
		"vertex stride": {unsafe.Offsetof(db.VertexStride), 20}, "index stride": {unsafe.Offsetof(db.IndexStride), 22},
		"micromap stride": {unsafe.Offsetof(db.MicromapIndexStride), 24}, "word stride": {unsafe.Offsetof(db.GeometryWordStride), 26},
		"truncation": {unsafe.Offsetof(db.Truncate), 28}, "vertex data": {unsafe.Offsetof(db.VertexData), 32},
		"indices": {unsafe.Offsetof(db.Indices), 40}, "words": {unsafe.Offsetof(db.GeometryWords), 48},
		"word indices": {unsafe.Offsetof(db.GeometryIndices), 56}, "micromaps": {unsafe.Offsetof(db.MicromapArray), 64},
		"micromap indices": {unsafe.Offsetof(db.MicromapIndices), 72}, "template": {unsafe.Sizeof(DXBuildTemplate{}), 88},
		"instantiate": {unsafe.Sizeof(di), 32}, "geometry offset": {unsafe.Offsetof(di.GeometryOffset), 0},
		"id offset": {unsafe.Offsetof(di.IDOffset), 4}, "template's address": {unsafe.Offsetof(di.Template), 8},
		"its vertices": {unsafe.Offsetof(di.Vertices), 16}, "their stride": {unsafe.Offsetof(di.VertexStride), 24},
	} {
		if pair[0] != pair[1] {
			t.Errorf("DXR 2.0, %s: %d, the draft has %d", what, pair[0], pair[1])
		}
	}
	for op := Move; op <= TemplateIndices; op++ {
		want := [...]uint64{8, 16, 64, 72, 32, 8}[op]
		if op.ArgBytes() != want {
			t.Errorf("%v reads %d bytes, want %d", op, op.ArgBytes(), want)
		}
		want = [...]uint64{8, 16, 80, 88, 32, 8}[op]
		if in := (Input{Op: op, Dialect: DirectX}); in.ArgBytes() != want || in.SizeBytes() != 8 {
			t.Errorf("%v of DXR 2.0 reads %d bytes, want %d", op, in.ArgBytes(), want)
		}
	}
	if c := NewCounts(256, 255, 23, 4); c != 256|255<<9|23<<18|4<<24 {
		t.Errorf("counts %#x", c)
	}
	if w := NewGeometryWord(1<<24-1, Opaque|CullDisable); w.Index() != 1<<24-1 || w.Flags() != Opaque|CullDisable || w != 0xa0ffffff {
		t.Errorf("geometry word %#x", w)
	}
}
