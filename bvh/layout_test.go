package bvh

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
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
		"ER_AS_MAGIC": layout.Magic, "ER_AS_VERSION": layout.Version, "ER_AS_TYPE_TOP": 0, "ER_AS_TYPE_BOTTOM": 1,
		"ER_HEADER_SIZE": layout.HeaderSize, "ER_HEADER_SELF": layout.HeaderSelf, "ER_HEADER_MAGIC": layout.HeaderMagic,
		"ER_HEADER_VERSION": layout.HeaderVersion, "ER_HEADER_COMPAT": layout.HeaderCompat, "ER_HEADER_TYPE": layout.HeaderType,
		"ER_HEADER_FLAGS": layout.HeaderFlags, "ER_HEADER_GEOMETRY_COUNT": layout.HeaderGeometryCount,
		"ER_HEADER_PRIMITIVE_COUNT": layout.HeaderPrimitives, "ER_HEADER_ACTIVE_COUNT": layout.HeaderActive,
		"ER_HEADER_ROOT":   layout.HeaderRoot,
		"ER_HEADER_HEIGHT": layout.HeaderHeight, "ER_HEADER_LEAF_BLOCK": layout.HeaderLeafBlock,
		"ER_HEADER_BOUNDS_MIN": layout.HeaderBoundsMin,
		"ER_HEADER_NODE_COUNT": layout.HeaderNodeCount, "ER_HEADER_BOUNDS_MAX": layout.HeaderBoundsMax,
		"ER_HEADER_LEAF_KIND":  layout.HeaderLeafKind,
		"ER_HEADER_TOTAL_SIZE": layout.HeaderTotalSize,
		"ER_NODE_SIZE":         layout.NodeSize, "ER_NODE_XY0": layout.NodeXY0, "ER_NODE_XY1": layout.NodeXY1, "ER_NODE_Z": layout.NodeZ,
		"ER_NODE_CHILD0": layout.NodeChild0, "ER_NODE_CHILD1": layout.NodeChild1, "ER_NODE_LEAVES0": layout.NodeLeaves0,
		"ER_NODE_LEAVES1": layout.NodeLeaves1,
		"ER_REF_LEAF":     layout.RefLeaf, "ER_REF_COUNT_SHIFT": layout.RefCountShift, "ER_REF_COUNT_MASK": layout.RefCountMask,
		"ER_REF_INDEX_MASK": layout.RefIndexMask, "ER_REF_NONE": layout.RefNone,
		"ER_REF_LARGE_SHIFT": layout.RefLargeShift, "ER_REF_RECORDS": layout.RefRecords, "ER_LARGE_LEAF": layout.LargeLeaf,
		"ER_MAX_PRIMITIVES": MaxPrimitives, "ER_INSTANCE_LARGE": layout.InstanceLarge,
		"ER_TRIANGLE_SIZE": layout.TriangleSize, "ER_TRIANGLE_V0": layout.TriangleV0, "ER_TRIANGLE_V1": layout.TriangleV1,
		"ER_TRIANGLE_V2":        layout.TriangleV2,
		"ER_TRIANGLE_PRIMITIVE": layout.TrianglePrimitive, "ER_TRIANGLE_GEOMETRY": layout.TriangleGeometry,
		"ER_TRIANGLE_OPAQUE": layout.TriangleOpaque, "ER_TRIANGLE_INACTIVE": layout.TriangleInactive,
		"ER_TRIANGLE_GEOMETRY_MASK": layout.TriangleGeometryMask,
		"ER_LEAF_TRIANGLES":         layout.LeafTriangles, "ER_LEAF_BOXES": layout.LeafBoxes, "ER_LEAF_INSTANCES": layout.LeafInstances,
		"ER_BOX_SIZE": layout.BoxSize, "ER_BOX_MIN": layout.BoxMin, "ER_BOX_PRIMITIVE": layout.BoxPrimitive,
		"ER_BOX_MAX": layout.BoxMax, "ER_BOX_GEOMETRY": layout.BoxGeometry,
		"ER_INSTANCE_BOXES": layout.InstanceBoxes, "ER_INSTANCE_INDEXED": layout.InstanceIndexed, "ER_INSTANCE_WIDE": layout.InstanceWide,
		"ER_INSTANCE_HEIGHT_MASK": layout.InstanceHeightMask, "ER_LEAF_INDEXED": layout.LeafIndexed,
		"ER_LEAF_INDEXED_WIDE": layout.LeafIndexedWide,
		"ER_LEAF_SHORT":        layout.LeafShort, "ER_LEAF_SHORT_MANY": layout.LeafShortMany, "ER_LEAF_SHORT_WIDE": layout.LeafShortWide,
		"ER_INSTANCE_MANY": layout.InstanceMany, "ER_INSTANCE_SHORT": layout.InstanceShort, "ER_BUILT_LEAF": layout.BuiltLeaf,
		"ER_SHORT_WORDS": layout.ShortWords, "ER_SHORT_WORD": layout.ShortWord, "ER_SHORT_GEOMETRIES": layout.ShortGeometries,
		"ER_SHORT_MANY": layout.ShortMany, "ER_SHORT_SHIFT": layout.ShortShift, "ER_SHORT_MANY_SHIFT": layout.ShortManyShift,
		"ER_SHORT_WIDE_SHIFT": layout.ShortWideShift,
		"ER_TRIANGLE_CORNERS": layout.TriangleCorners, "ER_SOURCED_FLAGS": layout.SourcedFlags,
		"ER_CHUNK_RECORDS": layout.ChunkRecords, "ER_CHUNK_WORDS": layout.ChunkWords,
		"ER_CHUNK_VERTICES": layout.ChunkVertices, "ER_INDEXED_WORDS": layout.IndexedWords,
		"ER_CHUNK_VERTEX_MASK": layout.ChunkVertexMask, "ER_CHUNK_GEOMETRY_SHIFT": layout.ChunkGeometryShift,
		"ER_INDEXED_GEOMETRIES": layout.IndexedGeometries, "ER_INDEXED_GEOMETRY_SHIFT": layout.IndexedGeometryShift,
		"ER_INSTANCE_SIZE": layout.InstanceSize, "ER_INSTANCE_OBJECT_TO_WORLD": layout.InstanceObjectToWorld,
		"ER_INSTANCE_WORLD_TO_OBJECT": layout.InstanceWorldToObject, "ER_INSTANCE_BLAS": layout.InstanceBLAS,
		"ER_INSTANCE_CUSTOM_INDEX_MASK":  layout.InstanceCustomIndexMask,
		"ER_INSTANCE_TABLE_OFFSET_FLAGS": layout.InstanceTableOffsetFlags,
		"ER_INSTANCE_INDEX":              layout.InstanceIndex, "ER_INSTANCE_ROOT": layout.InstanceRoot,
		"ER_INSTANCE_HEIGHT":       layout.InstanceHeight,
		"ER_INSTANCE_LEAF_BLOCK":   layout.InstanceLeafBlock,
		"ER_INSTANCE_CULL_DISABLE": inspect.InstanceCullDisable, "ER_INSTANCE_FLIP_FACING": inspect.InstanceFlipFacing,
		"ER_INSTANCE_FORCE_OPAQUE": inspect.InstanceForceOpaque, "ER_INSTANCE_FORCE_NO_OPAQUE": inspect.InstanceForceNoOpaque,
	}
	compare(t, want, got)
	compare(t, constants(t, "../shaders/bvh/common/wide_layout.glsl"), map[string]uint64{
		"ER_HEADER_WIDE": layout.HeaderWide, "ER_WIDE_SIZE": layout.WideSize, "ER_WIDE_CHILDREN": layout.WideChildren,
		"ER_WIDE_AXIS": layout.WideAxis,
		"ER_WIDE_REFS": layout.WideRefs, "ER_REF_EMPTY": layout.RefEmpty,
	})
	want = constants(t, "../shaders/bvh/common/build.glsl")
	got = map[string]uint64{
		"ER_BLOCK_SIZE": layout.BlockSize, "ER_SORT_BLOCKS": layout.SortBlocks, "ER_SPLIT_LEAST": layout.SplitLeast,
		"ER_SPLIT_SHARE": layout.SplitShare, "ER_NO_BOUND": 0xffffffff, "ER_BUILD_SIZE": layout.BuildRecordSize,
		"ER_MODE_LBVH": layout.ModeLBVH,
		"ER_MODE_PLOC": layout.ModePLOC, "ER_GEOMETRY_SIZE": layout.GeometryRecord, "ER_FORMAT_FLOAT32": layout.FormatFloat32,
		"ER_FORMAT_FLOAT16": layout.FormatFloat16, "ER_FORMAT_SNORM16": layout.FormatSnorm16,
		"ER_FORMAT_SNORM8": layout.FormatSnorm8, "ER_FORMAT_FLOAT64": layout.FormatFloat64, "ER_STATE_SIZE": layout.StateSize,
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
		"#define ER_LOOP_ENTRIES " + strconv.Itoa(layout.WideStackEntries),
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
