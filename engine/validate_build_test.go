package engine

import (
	"errors"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/compute"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

var testLimits = driver.Limits{
	MaxGeometries: 4, MaxPrimitives: 1000, MaxInstances: 100, ScratchAlignment: 64, MaxRecursionDepth: 4, MaxPushConstantBytes: 128,
	VertexFormats: driver.FormatSet{}.With(vulkan.FormatR32g32b32Sfloat).
		With(vulkan.FormatR16g16Sfloat).With(vulkan.FormatR8g8b8a8Unorm).
		With(vulkan.FormatR64g64b64Sfloat).With(vulkan.FormatR8g8b8Snorm),
}

// triangleBuild is a valid build of one indexed geometry, changed by edit.
func triangleBuild(edit func(*vk.BuildInfo, *vk.BuildRange)) (vk.BuildInfo, []vk.BuildRange) {
	info := vk.BuildInfo{Type: vk.BottomLevel, Geometries: []vk.Geometry{{Triangles: vk.Triangles{
		VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: 0x1000, VertexStride: 12, MaxVertex: 99,
		IndexType: vk.IndexUint32, IndexData: 0x2000,
	}}}}
	ranges := []vk.BuildRange{{PrimitiveCount: 10}}
	if edit != nil {
		edit(&info, &ranges[0])
	}
	return info, ranges
}

func TestCheckTriangleBuilds(t *testing.T) {
	type edit = func(*vk.BuildInfo, *vk.BuildRange)
	triangles := func(f func(*vk.Triangles)) edit {
		return func(i *vk.BuildInfo, _ *vk.BuildRange) { f(&i.Geometries[0].Triangles) }
	}
	tests := []struct {
		name string
		edit edit
		want string // part of the error; empty: valid
	}{
		{"valid", nil, ""},
		{"type", func(i *vk.BuildInfo, _ *vk.BuildRange) { i.Type = vk.Generic }, "Info.Type"},
		{"unknown flag", func(i *vk.BuildInfo, _ *vk.BuildRange) { i.Flags = 0x4000 }, "Info.Flags holds unknown bits 0x4000"},
		{"flags in conflict", func(i *vk.BuildInfo, _ *vk.BuildRange) { i.Flags = vk.PreferFastBuild | vk.PreferFastTrace }, "both"},
		{"update", func(i *vk.BuildInfo, _ *vk.BuildRange) { i.Update = true }, "AllowUpdate"},
		{"allowed update", func(i *vk.BuildInfo, _ *vk.BuildRange) { i.Update, i.Flags = true, vk.AllowUpdate }, ""},
		{"no geometries", func(i *vk.BuildInfo, _ *vk.BuildRange) { i.Geometries = nil }, "1 primitive counts or ranges for 0"},
		{"geometry flag", func(i *vk.BuildInfo, _ *vk.BuildRange) { i.Geometries[0].Flags = 8 }, "Info.Geometries[0].Flags"},
		{"geometry type", func(i *vk.BuildInfo, _ *vk.BuildRange) { i.Geometries[0].Type = 7 }, "Info.Geometries[0].Type 7"},
		{"instances below", func(i *vk.BuildInfo, _ *vk.BuildRange) { i.Geometries[0].Type = vk.GeometryInstances }, "does not suit"},
		{"format", triangles(func(t *vk.Triangles) { t.VertexFormat = vulkan.FormatR8g8b8a8Unorm }), "VertexFormat"},
		{"format that the way lacks", triangles(func(t *vk.Triangles) { t.VertexFormat, t.VertexStride = vulkan.FormatR64g64Sfloat, 16 }),
			"VertexFormat"},
		{"doubles", triangles(func(t *vk.Triangles) { t.VertexFormat, t.VertexStride = vulkan.FormatR64g64b64Sfloat, 24 }), ""},
		{"stride of doubles", triangles(func(t *vk.Triangles) { t.VertexFormat, t.VertexStride = vulkan.FormatR64g64b64Sfloat, 28 }),
			"want a multiple of 8 from 24 on"},
		{"alignment of doubles", triangles(func(t *vk.Triangles) {
			t.VertexFormat, t.VertexStride, t.VertexData = vulkan.FormatR64g64b64Sfloat, 24, 0x1004
		}), "VertexData 0x1004 is not a multiple of 8"},
		{"bytes", triangles(func(t *vk.Triangles) {
			t.VertexFormat, t.VertexStride, t.VertexData = vulkan.FormatR8g8b8Snorm, 3, 0x1001
		}), ""},
		{"8-bit indices", triangles(func(t *vk.Triangles) { t.IndexType = vk.IndexUint8 }), "IndexType is uint8"},
		{"no stride", triangles(func(t *vk.Triangles) { t.VertexStride = 0 }), "VertexStride is 0"},
		{"odd stride", triangles(func(t *vk.Triangles) { t.VertexStride = 14 }), "VertexStride is 14"},
		{"stride of 16-bit vertices", triangles(func(t *vk.Triangles) { t.VertexFormat, t.VertexStride = vulkan.FormatR16g16Sfloat, 6 }),
			""},
		{"long stride", triangles(func(t *vk.Triangles) { t.VertexStride = 1 << 32 }), "VertexStride"},
		{"index type", triangles(func(t *vk.Triangles) { t.IndexType = 5 }), "IndexType 5"},
		{"vertices", triangles(func(t *vk.Triangles) { t.VertexData = 0 }), "Triangles.VertexData is null"},
		{"vertex alignment", triangles(func(t *vk.Triangles) { t.VertexData = 0x1002 }), "VertexData 0x1002 is not a multiple of 4"},
		{"indices", triangles(func(t *vk.Triangles) { t.IndexData = 0 }), "Triangles.IndexData is null"},
		{"index alignment", triangles(func(t *vk.Triangles) { t.IndexData = 0x2002 }), "IndexData 0x2002"},
		{"transform", triangles(func(t *vk.Triangles) { t.TransformData = 0x3008 }), "TransformData 0x3008 is not a multiple of 16"},
		{"index offset", func(_ *vk.BuildInfo, r *vk.BuildRange) { r.PrimitiveOffset = 2 }, "offset 2 into Triangles.IndexData"},
		{"too many", func(_ *vk.BuildInfo, r *vk.BuildRange) { r.PrimitiveCount = 1001 }, "1001 primitives"},
		{"vertices without indices", func(i *vk.BuildInfo, r *vk.BuildRange) {
			i.Geometries[0].Triangles.IndexType, r.PrimitiveCount = vk.IndexNone, 34
		}, "use vertex 101, Triangles.MaxVertex is 99"},
		{"nothing to build", func(i *vk.BuildInfo, r *vk.BuildRange) {
			i.Geometries[0].Triangles.VertexData, i.Geometries[0].Triangles.IndexData, r.PrimitiveCount = 0, 0, 0
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			info, ranges := triangleBuild(tt.edit)
			err := checkInfo(info, testLimits)
			if err == nil {
				err = checkRanges(info, ranges, testLimits)
			}
			wantError(t, err, tt.want)
		})
	}
}

// wantError wants an ErrInvalid with a text, or no error for no text.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	switch {
	case text == "" && err != nil:
		t.Errorf("got %v", err)
	case text != "" && (!errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), text)):
		t.Errorf("got %v, want ErrInvalid with %q", err, text)
	}
}

// TestUint8Indices accepts them where the way has them.
func TestUint8Indices(t *testing.T) {
	info, ranges := triangleBuild(func(i *vk.BuildInfo, r *vk.BuildRange) {
		i.Geometries[0].Triangles.IndexType, i.Geometries[0].Triangles.IndexData, r.PrimitiveOffset = vk.IndexUint8, 0x2001, 3
	})
	limits := testLimits
	limits.IndexUint8 = true
	if err := errors.Join(checkInfo(info, limits), checkRanges(info, ranges, limits)); err != nil {
		t.Error(err)
	}
}

// TestVertexFormats holds the table of formats against what the compute way builds from.
func TestVertexFormats(t *testing.T) {
	for f := range vulkan.Format(driver.NumFormats) {
		_, known := vertexFormats[f]
		if has := compute.Limits(nil).VertexFormats.Has(f); has != known {
			t.Errorf("format %d: the compute way builds from it: %v, the table knows it: %v", f, has, known)
		}
	}
}

func TestCheckOtherBuilds(t *testing.T) {
	boxes := func(stride, data uint64) vk.Geometry {
		return vk.Geometry{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Stride: stride, Data: data}}
	}
	instances := func(pointers bool, data uint64) vk.Geometry {
		return vk.Geometry{Type: vk.GeometryInstances, Instances: vk.Instances{ArrayOfPointers: pointers, Data: data}}
	}
	valid, _ := triangleBuild(nil)
	tests := []struct {
		name       string
		level      vk.AccelerationStructureType
		geometries []vk.Geometry
		counts     []uint32
		want       string
	}{
		{"boxes", vk.BottomLevel, []vk.Geometry{boxes(24, 8)}, []uint32{1}, ""},
		{"box stride", vk.BottomLevel, []vk.Geometry{boxes(28, 8)}, []uint32{1}, "AABBs.Stride is 28"},
		{"short box stride", vk.BottomLevel, []vk.Geometry{boxes(16, 8)}, []uint32{1}, "AABBs.Stride is 16"},
		{"box data", vk.BottomLevel, []vk.Geometry{boxes(24, 4)}, []uint32{1}, "AABBs.Data 0x4"},
		{"mixed", vk.BottomLevel, []vk.Geometry{valid.Geometries[0], boxes(24, 8)}, []uint32{1, 1}, "Geometries[1].Type differs"},
		{"too many geometries", vk.BottomLevel, make([]vk.Geometry, 5), make([]uint32, 5), "5 elements, the limit is 4"},
		{"instances", vk.TopLevel, []vk.Geometry{instances(false, 32)}, []uint32{100}, ""},
		{"instance pointers", vk.TopLevel, []vk.Geometry{instances(true, 8)}, []uint32{1}, ""},
		{"instance alignment", vk.TopLevel, []vk.Geometry{instances(false, 8)}, []uint32{1}, "Instances.Data 0x8"},
		{"too many instances", vk.TopLevel, []vk.Geometry{instances(false, 32)}, []uint32{101}, "101 instances"},
		{"two of instances", vk.TopLevel, []vk.Geometry{instances(false, 32), instances(false, 32)}, []uint32{1, 1}, "has 2 elements"},
		{"triangles on top", vk.TopLevel, valid.Geometries, []uint32{1}, "does not suit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			info := vk.BuildInfo{Type: tt.level, Geometries: tt.geometries}
			var ranges []vk.BuildRange
			for _, c := range tt.counts {
				ranges = append(ranges, vk.BuildRange{PrimitiveCount: c})
			}
			err := checkInfo(info, testLimits)
			if err == nil {
				err = checkRanges(info, ranges, testLimits)
			}
			wantError(t, err, tt.want)
		})
	}
}

func TestDealScratch(t *testing.T) {
	tests := []struct {
		name    string
		sizes   []uint64
		batches [][]int
		offsets []uint64
		size    uint64
	}{
		{"one", []uint64{100}, [][]int{{0}}, []uint64{0}, 128},
		{"no scratch still has an address", []uint64{0, 0}, [][]int{{0, 1}}, []uint64{0, 64}, 128},
		{"full", []uint64{512, 512, 64}, [][]int{{0, 1}, {2}}, []uint64{0, 512, 0}, 1024},
		{"larger than the budget", []uint64{64, 5000, 64}, [][]int{{0}, {1}, {2}}, []uint64{0, 0, 0}, 5056},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			batches, offsets, size := dealScratch(tt.sizes, 64, 1024)
			if size != tt.size || len(batches) != len(tt.batches) {
				t.Fatalf("%d batches %v in %d bytes, want %v in %d", len(batches), batches, size, tt.batches, tt.size)
			}
			for i := range batches {
				if len(batches[i]) != len(tt.batches[i]) || batches[i][0] != tt.batches[i][0] {
					t.Errorf("batch %d is %v, want %v", i, batches[i], tt.batches[i])
				}
			}
			for i := range offsets {
				if offsets[i] != tt.offsets[i] {
					t.Errorf("offset %d is %d, want %d", i, offsets[i], tt.offsets[i])
				}
			}
		})
	}
}
