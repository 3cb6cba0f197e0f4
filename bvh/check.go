package bvh

import (
	"errors"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// ErrInvalidBuild is what every refused build wraps.
var ErrInvalidBuild = errors.New("invalid acceleration structure build")

// VkFormat values of vertex positions that the builder reads, as build.glsl's format words.
var vertexFormats = map[vulkan.Format]uint32{
	vulkan.FormatR32g32Sfloat:       formatFloat32 | 2<<4,
	vulkan.FormatR32g32b32Sfloat:    formatFloat32 | 3<<4,
	vulkan.FormatR32g32b32a32Sfloat: formatFloat32 | 4<<4,
	vulkan.FormatR16g16Sfloat:       formatFloat16 | 2<<4,
	vulkan.FormatR16g16b16Sfloat:    formatFloat16 | 3<<4,
	vulkan.FormatR16g16b16a16Sfloat: formatFloat16 | 4<<4,
	vulkan.FormatR16g16Snorm:        formatSnorm16 | 2<<4,
	vulkan.FormatR16g16b16Snorm:     formatSnorm16 | 3<<4,
	vulkan.FormatR16g16b16a16Snorm:  formatSnorm16 | 4<<4,
}

// checkInfo checks what of a build is known before its counts.
func checkInfo(info vk.BuildInfo) error {
	switch info.Type {
	case vk.TopLevel:
		if len(info.Geometries) != 1 {
			return fmt.Errorf("%w: a top level has exactly one geometry, this has %d", ErrInvalidBuild, len(info.Geometries))
		}
		if t := info.Geometries[0].Type; t != vk.GeometryInstances {
			return fmt.Errorf("%w: the geometry of a top level has type instances (2), this has %d", ErrInvalidBuild, t)
		}
		return nil
	case vk.BottomLevel:
	default:
		return fmt.Errorf("%w: type %d, builds are top or bottom level", ErrInvalidBuild, info.Type)
	}
	if len(info.Geometries) > MaxGeometries {
		return fmt.Errorf("%w: %d geometries, at most %d", ErrInvalidBuild, len(info.Geometries), MaxGeometries)
	}
	for i, g := range info.Geometries {
		if g.Type != vk.GeometryTriangles {
			return fmt.Errorf("%w: geometry %d has type %d; bottom levels are built from triangles (0) only so far", ErrInvalidBuild, i, g.Type)
		}
		if _, ok := vertexFormats[g.Triangles.VertexFormat]; !ok {
			return fmt.Errorf("%w: geometry %d has vertex format %d; 2 to 4 components of 32-bit float, 16-bit float or 16-bit snorm are read", ErrInvalidBuild, i, g.Triangles.VertexFormat)
		}
		if t := g.Triangles.IndexType; t != vk.IndexNone && t.Size() == 0 {
			return fmt.Errorf("%w: geometry %d has unknown index type %d", ErrInvalidBuild, i, t)
		}
	}
	return nil
}

// checkBuild checks one build of a batch and returns its sizes.
func checkBuild(bd Build) (vk.BuildSizes, error) {
	counts := make([]uint32, len(bd.Ranges))
	for i, r := range bd.Ranges {
		counts[i] = r.PrimitiveCount
	}
	sizes, err := buildSizes(bd.Info, counts)
	if err != nil {
		return sizes, err
	}
	if bd.Dst == nil {
		return sizes, fmt.Errorf("%w: no destination", ErrInvalidBuild)
	}
	if (bd.Dst.Address()+bd.DstOffset)%Alignment != 0 {
		return sizes, fmt.Errorf("%w: destination address %#x + %d is not a multiple of %d", ErrInvalidBuild, bd.Dst.Address(), bd.DstOffset, Alignment)
	}
	if have := bd.Dst.Size(); bd.DstOffset > have || have-bd.DstOffset < sizes.AccelerationStructureSize {
		return sizes, fmt.Errorf("%w: destination %q has %d bytes at offset %d, the structure takes %d (ask BuildSizes)", ErrInvalidBuild, bd.Dst.Name(), have, bd.DstOffset, sizes.AccelerationStructureSize)
	}
	if bd.Scratch == 0 || bd.Scratch%ScratchAlignment != 0 {
		return sizes, fmt.Errorf("%w: scratch address %#x is null or not a multiple of %d", ErrInvalidBuild, bd.Scratch, ScratchAlignment)
	}
	for i, g := range bd.Info.Geometries {
		if bd.Ranges[i].PrimitiveCount == 0 {
			continue
		}
		if err := checkGeometry(g, bd.Ranges[i]); err != nil {
			return sizes, fmt.Errorf("geometry %d: %w", i, err)
		}
	}
	return sizes, nil
}

// checkGeometry checks the addresses of a geometry that has primitives.
func checkGeometry(g vk.Geometry, r vk.BuildRange) error {
	if g.Type == vk.GeometryInstances {
		if g.Instances.Data == 0 {
			return fmt.Errorf("%w: instance data address is null", ErrInvalidBuild)
		}
		if (g.Instances.Data+uint64(r.PrimitiveOffset))%8 != 0 {
			return fmt.Errorf("%w: instance data address %#x is not aligned", ErrInvalidBuild, g.Instances.Data)
		}
		return nil
	}
	t := g.Triangles
	component := uint64(4)
	if vertexFormats[t.VertexFormat]&15 != formatFloat32 {
		component = 2
	}
	switch {
	case t.VertexData == 0:
		return fmt.Errorf("%w: vertex data address is null", ErrInvalidBuild)
	case t.VertexData%component != 0 || t.VertexStride%component != 0:
		return fmt.Errorf("%w: vertex data address %#x or stride %d is not a multiple of %d", ErrInvalidBuild, t.VertexData, t.VertexStride, component)
	case t.VertexStride > 1<<32-1:
		return fmt.Errorf("%w: vertex stride %d", ErrInvalidBuild, t.VertexStride)
	case t.IndexType != vk.IndexNone && t.IndexData == 0:
		return fmt.Errorf("%w: index data address is null", ErrInvalidBuild)
	case t.IndexType != vk.IndexNone && (t.IndexData+uint64(r.PrimitiveOffset))%t.IndexType.Size() != 0:
		return fmt.Errorf("%w: index data address %#x with primitive offset %d is not a multiple of %d", ErrInvalidBuild, t.IndexData, r.PrimitiveOffset, t.IndexType.Size())
	case t.TransformData%4 != 0:
		return fmt.Errorf("%w: transform data address %#x is not a multiple of 4", ErrInvalidBuild, t.TransformData)
	}
	return nil
}
