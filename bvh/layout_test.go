package bvh

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// constants reads the `const uint ER_...` of a GLSL file.
func constants(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := map[string]uint64{}
	for _, m := range regexp.MustCompile(`(?m)^const uint (ER_\w+) = (0x[0-9a-fA-F]+|\d+)u;`).FindAllStringSubmatch(string(src), -1) {
		v, err := strconv.ParseUint(m[2], 0, 32)
		if err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		c[m[1]] = v
	}
	return c
}

// TestLayoutMatchesGLSL holds layout.go against the one definition in shaders/bvh/common/layout.glsl, both ways: every
// constant of the GLSL has a Go counterpart of the same value.
func TestLayoutMatchesGLSL(t *testing.T) {
	want := constants(t, "../shaders/bvh/common/layout.glsl")
	got := map[string]uint64{
		"ER_AS_MAGIC": asMagic, "ER_AS_VERSION": asVersion, "ER_AS_TYPE_TOP": 0, "ER_AS_TYPE_BOTTOM": 1,
		"ER_HEADER_SIZE": headerSize, "ER_HEADER_SELF": headerSelf, "ER_HEADER_MAGIC": headerMagic,
		"ER_HEADER_VERSION": headerVersion, "ER_HEADER_COMPAT": headerCompat, "ER_HEADER_TYPE": headerType,
		"ER_HEADER_FLAGS": headerFlags, "ER_HEADER_GEOMETRY_COUNT": headerGeometryCount,
		"ER_HEADER_PRIMITIVE_COUNT": headerPrimitives, "ER_HEADER_ACTIVE_COUNT": headerActive, "ER_HEADER_ROOT": headerRoot,
		"ER_HEADER_HEIGHT": headerHeight, "ER_HEADER_LEAF_BLOCK": headerLeafBlock, "ER_HEADER_BOUNDS_MIN": headerBoundsMin,
		"ER_HEADER_NODE_COUNT": headerNodeCount, "ER_HEADER_BOUNDS_MAX": headerBoundsMax, "ER_HEADER_LEAF_KIND": headerLeafKind,
		"ER_HEADER_TOTAL_SIZE": headerTotalSize,
		"ER_NODE_SIZE":         nodeSize, "ER_NODE_XY0": nodeXY0, "ER_NODE_XY1": nodeXY1, "ER_NODE_Z": nodeZ,
		"ER_NODE_CHILD0": nodeChild0, "ER_NODE_CHILD1": nodeChild1, "ER_NODE_LEAVES0": nodeLeaves0, "ER_NODE_LEAVES1": nodeLeaves1,
		"ER_REF_LEAF": refLeaf, "ER_REF_COUNT_SHIFT": refCountShift, "ER_REF_COUNT_MASK": refCountMask,
		"ER_REF_INDEX_MASK": refIndexMask, "ER_REF_NONE": refNone,
		"ER_TRIANGLE_SIZE": triangleSize, "ER_TRIANGLE_V0": triangleV0, "ER_TRIANGLE_V1": triangleV1, "ER_TRIANGLE_V2": triangleV2,
		"ER_TRIANGLE_PRIMITIVE": trianglePrimitive, "ER_TRIANGLE_GEOMETRY": triangleGeometry, "ER_TRIANGLE_OPAQUE": triangleOpaque, "ER_TRIANGLE_INACTIVE": triangleInactive,
		"ER_TRIANGLE_GEOMETRY_MASK": triangleGeometryMask,
		"ER_LEAF_TRIANGLES":         leafTriangles, "ER_LEAF_BOXES": leafBoxes, "ER_LEAF_INSTANCES": leafInstances,
		"ER_BOX_SIZE": boxSize, "ER_BOX_MIN": boxMin, "ER_BOX_PRIMITIVE": boxPrimitive, "ER_BOX_MAX": boxMax, "ER_BOX_GEOMETRY": boxGeometry,
		"ER_INSTANCE_BOXES": instanceBoxes, "ER_INSTANCE_INDEXED": instanceIndexed, "ER_INSTANCE_WIDE": instanceWide,
		"ER_INSTANCE_HEIGHT_MASK": instanceHeightMask, "ER_LEAF_INDEXED": leafIndexed, "ER_LEAF_INDEXED_WIDE": leafIndexedWide,
		"ER_LEAF_SHORT": leafShort, "ER_LEAF_SHORT_MANY": leafShortMany, "ER_LEAF_SHORT_WIDE": leafShortWide, "ER_INSTANCE_MANY": instanceMany, "ER_INSTANCE_SHORT": instanceShort, "ER_BUILT_LEAF": builtLeaf,
		"ER_SHORT_WORDS": shortWords, "ER_SHORT_WORD": shortWord, "ER_SHORT_GEOMETRIES": shortGeometries,
		"ER_SHORT_MANY": shortMany, "ER_SHORT_SHIFT": shortShift, "ER_SHORT_MANY_SHIFT": shortManyShift, "ER_SHORT_WIDE_SHIFT": shortWideShift,
		"ER_TRIANGLE_CORNERS": triangleCorners, "ER_SOURCED_FLAGS": sourcedFlags, "ER_CHUNK_RECORDS": chunkRecords, "ER_CHUNK_WORDS": chunkWords,
		"ER_CHUNK_VERTICES": chunkVertices, "ER_INDEXED_WORDS": indexedWords, "ER_CHUNK_VERTEX_MASK": chunkVertexMask, "ER_CHUNK_GEOMETRY_SHIFT": chunkGeometryShift,
		"ER_INDEXED_GEOMETRIES": indexedGeometries, "ER_INDEXED_GEOMETRY_SHIFT": indexedGeometryShift,
		"ER_INSTANCE_SIZE": instanceSize, "ER_INSTANCE_OBJECT_TO_WORLD": instanceObjectToWorld,
		"ER_INSTANCE_WORLD_TO_OBJECT": instanceWorldToObject, "ER_INSTANCE_BLAS": instanceBLAS,
		"ER_INSTANCE_CUSTOM_INDEX_MASK": instanceCustomIndexMask, "ER_INSTANCE_TABLE_OFFSET_FLAGS": instanceTableOffsetFlags,
		"ER_INSTANCE_INDEX": instanceIndex, "ER_INSTANCE_ROOT": instanceRoot, "ER_INSTANCE_HEIGHT": instanceHeight,
		"ER_INSTANCE_LEAF_BLOCK":   instanceLeafBlock,
		"ER_INSTANCE_CULL_DISABLE": InstanceCullDisable, "ER_INSTANCE_FLIP_FACING": InstanceFlipFacing,
		"ER_INSTANCE_FORCE_OPAQUE": InstanceForceOpaque, "ER_INSTANCE_FORCE_NO_OPAQUE": InstanceForceNoOpaque,
	}
	compare(t, want, got)
	compare(t, constants(t, "../shaders/bvh/common/wide_layout.glsl"), map[string]uint64{
		"ER_HEADER_WIDE": headerWide, "ER_WIDE_SIZE": wideSize, "ER_WIDE_CHILDREN": wideChildren, "ER_WIDE_AXIS": wideAxis,
		"ER_WIDE_REFS": wideRefs, "ER_REF_EMPTY": refEmpty,
	})
	want = constants(t, "../shaders/bvh/common/build.glsl")
	got = map[string]uint64{
		"ER_BLOCK_SIZE": blockSize, "ER_SORT_BLOCKS": sortBlocks, "ER_SPLIT_LEAST": splitLeast, "ER_SPLIT_SHARE": splitShare, "ER_NO_BOUND": 0xffffffff, "ER_BUILD_SIZE": buildRecordSize, "ER_MODE_LBVH": modeLBVH,
		"ER_MODE_PLOC": modePLOC, "ER_GEOMETRY_SIZE": geometryRecord, "ER_FORMAT_FLOAT32": formatFloat32,
		"ER_FORMAT_FLOAT16": formatFloat16, "ER_FORMAT_SNORM16": formatSnorm16,
		"ER_FORMAT_SNORM8": formatSnorm8, "ER_FORMAT_FLOAT64": formatFloat64, "ER_STATE_SIZE": stateSize,
	}
	compare(t, want, got)
}

func compare(t *testing.T, want, got map[string]uint64) {
	t.Helper()
	if len(want) == 0 {
		t.Fatal("no constants found")
	}
	for name, v := range want {
		g, ok := got[name]
		if !ok {
			t.Errorf("%s has no counterpart in Go", name)
		} else if g != v {
			t.Errorf("%s is %#x in GLSL, %#x in Go", name, v, g)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is not in the GLSL", name)
		}
	}
}

// TestTraversalConstants compares what traverse.glsl shares with Go.
func TestTraversalConstants(t *testing.T) {
	src, err := os.ReadFile("../shaders/bvh/trace/traverse.glsl")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"#define ER_STACK_ENTRIES " + strconv.Itoa(StackEntries),
		"#define ER_LOOP_ENTRIES " + strconv.Itoa(wideStackEntries),
		"ER_HIT_KIND_FRONT = 0xFEu", "ER_HIT_KIND_BACK = 0xFFu", "ER_RAY_SKIP_TRIANGLES = 256u",
	} {
		if !strings.Contains(string(src), want) {
			t.Errorf("traverse.glsl does not say %q", want)
		}
	}
}

// TestSortConstants compares what batch.go shares with the sort.
func TestSortConstants(t *testing.T) {
	if got := constants(t, "../shaders/bvh/build/digits.glsl")["ER_SORT_DIRECT"]; got != sortDirect {
		t.Errorf("ER_SORT_DIRECT is %d, sortDirect %d", got, sortDirect)
	}
	compare(t, constants(t, "../shaders/bvh/build/sort_scan.comp"), map[string]uint64{"ER_SCAN_DIGITS": scanDigits})
}
