package engine

import (
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

// Alignments that the Vulkan specification asks of build inputs, and that hold on both ways.
const (
	transformAlignment       = 16
	instanceAlignment        = 16
	instancePointerAlignment = 8
	aabbAlignment            = 8
	aabbSize                 = 24
	maxStride                = 1<<32 - 1
)

const (
	allBuildFlags = vk.AllowUpdate | vk.AllowCompaction | vk.PreferFastTrace | vk.PreferFastBuild |
		vk.LowMemory | vk.AllowDataAccess
	allGeometryFlags = vk.GeometryOpaque | vk.GeometryNoDuplicateAnyHit
)

// vertexFormat is what a position format takes in memory.
type vertexFormat struct{ size, component uint64 }

// vertexFormats are what either way may build from; Limits.VertexFormats says what this one does. The first six are those
// that every implementation has (Vulkan specification, required format support).
var vertexFormats = map[vulkan.Format]vertexFormat{
	vulkan.FormatR32g32Sfloat:       {8, 4},
	vulkan.FormatR32g32b32Sfloat:    {12, 4},
	vulkan.FormatR16g16Sfloat:       {4, 2},
	vulkan.FormatR16g16b16a16Sfloat: {8, 2},
	vulkan.FormatR16g16Snorm:        {4, 2},
	vulkan.FormatR16g16b16a16Snorm:  {8, 2},

	vulkan.FormatR32g32b32a32Sfloat: {16, 4},
	vulkan.FormatR64g64Sfloat:       {16, 8},
	vulkan.FormatR64g64b64Sfloat:    {24, 8},
	vulkan.FormatR64g64b64a64Sfloat: {32, 8},
	vulkan.FormatR16g16b16Sfloat:    {6, 2},
	vulkan.FormatR16g16b16Snorm:     {6, 2},
	vulkan.FormatR8g8Snorm:          {2, 1},
	vulkan.FormatR8g8b8Snorm:        {3, 1},
	vulkan.FormatR8g8b8a8Snorm:      {4, 1},
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// checkInfo applies the rules of a build's kind, flags and geometries that do not depend on counts or addresses.
func checkInfo(info vk.BuildInfo, limits driver.Limits) error {
	if info.Type != vk.TopLevel && info.Type != vk.BottomLevel {
		return invalid("Info.Type is %v, builds are of top or bottom level structures", info.Type)
	}
	if rest := info.Flags &^ allBuildFlags; rest != 0 {
		return invalid("Info.Flags holds unknown bits %#x", uint32(rest))
	}
	if info.Flags&vk.PreferFastTrace != 0 && info.Flags&vk.PreferFastBuild != 0 {
		return invalid("Info.Flags holds both PreferFastTrace and PreferFastBuild")
	}
	if info.Update && info.Flags&vk.AllowUpdate == 0 {
		return invalid("Info.Update needs AllowUpdate in Info.Flags, in this build and in the one it updates")
	}
	if info.Type == vk.TopLevel && len(info.Geometries) != 1 {
		return invalid("Info.Geometries has %d elements, a top level structure has one, of instances", len(info.Geometries))
	}
	if uint64(len(info.Geometries)) > limits.MaxGeometries {
		return invalid("Info.Geometries has %d elements, the limit is %d", len(info.Geometries), limits.MaxGeometries)
	}
	for i, g := range info.Geometries {
		if err := checkGeometry(info, g, limits); err != nil {
			return fmt.Errorf("Info.Geometries[%d]%w", i, err)
		}
	}
	return nil
}

// checkGeometry's errors continue the name of the geometry.
func checkGeometry(info vk.BuildInfo, g vk.Geometry, limits driver.Limits) error {
	if rest := g.Flags &^ allGeometryFlags; rest != 0 {
		return fmt.Errorf(".Flags holds unknown bits %#x: %w", uint32(rest), ErrInvalid)
	}
	if g.Type > vk.GeometryInstances {
		return fmt.Errorf(".Type %d is unknown: %w", g.Type, ErrInvalid)
	}
	if (info.Type == vk.TopLevel) != (g.Type == vk.GeometryInstances) {
		return fmt.Errorf(".Type does not suit: top level structures hold instances, bottom level ones triangles or boxes: %w",
			ErrInvalid)
	}
	if g.Type != info.Geometries[0].Type {
		return fmt.Errorf(".Type differs from the first geometry's; one structure holds either triangles or boxes: %w", ErrInvalid)
	}
	switch g.Type {
	case vk.GeometryTriangles:
		return checkTriangles(g.Triangles, limits)
	case vk.GeometryAABBs:
		s := g.AABBs.Stride
		if s < aabbSize || s%aabbAlignment != 0 || s > maxStride {
			return fmt.Errorf(".AABBs.Stride is %d, want a multiple of %d from %d on: %w", s, aabbAlignment, aabbSize, ErrInvalid)
		}
	}
	return nil
}

func checkTriangles(t vk.Triangles, limits driver.Limits) error {
	f, ok := vertexFormats[t.VertexFormat]
	if !ok || !limits.VertexFormats.Has(t.VertexFormat) {
		return fmt.Errorf(".Triangles.VertexFormat %d is not one that this device builds acceleration structures from; use "+
			"R32G32B32_SFLOAT: %w",
			t.VertexFormat, ErrInvalid)
	}
	// Vulkan allows vertices to overlap; it is refused here because it is never meant.
	if t.VertexStride < f.size || t.VertexStride%f.component != 0 || t.VertexStride > maxStride {
		return fmt.Errorf(".Triangles.VertexStride is %d, want a multiple of %d from %d on: %w", t.VertexStride, f.component, f.size,
			ErrInvalid)
	}
	switch t.IndexType {
	case vk.IndexNone, vk.IndexUint16, vk.IndexUint32:
		return nil
	case vk.IndexUint8:
		if limits.IndexUint8 {
			return nil
		}
		return fmt.Errorf(".Triangles.IndexType is uint8, which this device does not build from; use uint16: %w", ErrInvalid)
	}
	return fmt.Errorf(".Triangles.IndexType %d is not none, uint8, uint16 or uint32: %w", t.IndexType, ErrInvalid)
}

// checkCounts bounds the primitives of one structure.
func checkCounts(info vk.BuildInfo, counts []uint32, limits driver.Limits) error {
	if len(counts) != len(info.Geometries) {
		return invalid("%d primitive counts or ranges for %d elements of Info.Geometries", len(counts), len(info.Geometries))
	}
	var sum uint64
	for _, c := range counts {
		sum += uint64(c)
	}
	if info.Type == vk.TopLevel {
		if sum > limits.MaxInstances {
			return invalid("%d instances, the limit of one structure is %d", sum, limits.MaxInstances)
		}
	} else if sum > limits.MaxPrimitives {
		return invalid("%d primitives, the limit of one structure is %d; split the mesh", sum, limits.MaxPrimitives)
	}
	return nil
}

// checkRanges applies the rules of addresses and offsets. A range without primitives may have null addresses.
func checkRanges(info vk.BuildInfo, ranges []vk.BuildRange, limits driver.Limits) error {
	if err := checkCounts(info, counts(ranges), limits); err != nil {
		return err
	}
	for i, r := range ranges {
		if r.PrimitiveCount == 0 {
			continue
		}
		var err error
		switch g := info.Geometries[i]; g.Type {
		case vk.GeometryTriangles:
			err = checkTriangleRange(g.Triangles, r)
		case vk.GeometryAABBs:
			err = checkAddress("AABBs.Data", g.AABBs.Data, uint64(r.PrimitiveOffset), aabbAlignment)
		case vk.GeometryInstances:
			alignment := uint64(instanceAlignment)
			if g.Instances.ArrayOfPointers {
				alignment = instancePointerAlignment
			}
			err = checkAddress("Instances.Data", g.Instances.Data, uint64(r.PrimitiveOffset), alignment)
		}
		if err != nil {
			return fmt.Errorf("geometry %d: %w", i, err)
		}
	}
	return nil
}

func checkTriangleRange(t vk.Triangles, r vk.BuildRange) error {
	component := vertexFormats[t.VertexFormat].component
	vertexOffset := uint64(0)
	if t.IndexType == vk.IndexNone {
		vertexOffset = uint64(r.PrimitiveOffset)
		if last := 3*uint64(r.PrimitiveCount) - 1; last > uint64(t.MaxVertex) {
			return invalid("%d triangles without indices use vertex %d, Triangles.MaxVertex is %d", r.PrimitiveCount, last, t.MaxVertex)
		}
	} else if err := checkAddress("Triangles.IndexData", t.IndexData, uint64(r.PrimitiveOffset), t.IndexType.Size()); err != nil {
		return err
	}
	if err := checkAddress("Triangles.VertexData", t.VertexData, vertexOffset, component); err != nil {
		return err
	}
	if t.TransformData == 0 {
		return nil
	}
	return checkAddress("Triangles.TransformData", t.TransformData, uint64(r.TransformOffset), transformAlignment)
}

// checkAddress wants a non-null address and an offset from it that are both aligned.
func checkAddress(field string, address vk.DeviceAddress, offset, alignment uint64) error {
	switch {
	case address == 0:
		return invalid("%s is null", field)
	case address%alignment != 0:
		return invalid("%s %#x is not a multiple of %d", field, address, alignment)
	case offset%alignment != 0:
		return invalid("the range's offset %d into %s is not a multiple of %d", offset, field, alignment)
	}
	return nil
}

// counts returns the primitive counts of ranges.
func counts(ranges []vk.BuildRange) []uint32 {
	out := make([]uint32, len(ranges))
	for i, r := range ranges {
		out[i] = r.PrimitiveCount
	}
	return out
}
