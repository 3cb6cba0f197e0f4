package bvh

import (
	"fmt"
	"maps"
	"slices"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// ErrInvalidBuild is what every refused build wraps.
var ErrInvalidBuild error = argumentError("invalid acceleration structure build")

// argumentError is a kind of vk.ErrInvalid.
type argumentError string

func (e argumentError) Error() string { return string(e) }
func (e argumentError) Unwrap() error { return vk.ErrInvalid }

// aabbAlignment is that of VkAabbPositionsKHR: of addresses, offsets and strides.
const aabbAlignment = 8

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
	vulkan.FormatR8g8Snorm:          formatSnorm8 | 2<<4,
	vulkan.FormatR8g8b8Snorm:        formatSnorm8 | 3<<4,
	vulkan.FormatR8g8b8a8Snorm:      formatSnorm8 | 4<<4,
	vulkan.FormatR64g64Sfloat:       formatFloat64 | 2<<4,
	vulkan.FormatR64g64b64Sfloat:    formatFloat64 | 3<<4,
	vulkan.FormatR64g64b64a64Sfloat: formatFloat64 | 4<<4,
}

// VertexFormats lists the formats of vertex positions that are built from. Doubles are rounded to the nearest float.
func VertexFormats() []vulkan.Format { return slices.Sorted(maps.Keys(vertexFormats)) }

// componentSize is the bytes of one component, and the alignment of vertices.
func componentSize(f vulkan.Format) uint64 {
	switch vertexFormats[f] & 15 {
	case formatSnorm8:
		return 1
	case formatFloat16, formatSnorm16:
		return 2
	case formatFloat64:
		return 8
	}
	return 4
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
		if g.Type != vk.GeometryTriangles && g.Type != vk.GeometryAABBs {
			return fmt.Errorf("%w: geometry %d has type %d; bottom levels are built from triangles (0) or AABBs (1)", ErrInvalidBuild, i, g.Type)
		}
		if g.Type != info.Geometries[0].Type {
			return fmt.Errorf("%w: geometry %d has type %d, the first one %d; a structure holds either triangles or AABBs", ErrInvalidBuild, i, g.Type, info.Geometries[0].Type)
		}
		if err := checkForm(g); err != nil {
			return fmt.Errorf("geometry %d: %w", i, err)
		}
	}
	return nil
}

// checkForm checks how the primitives of a bottom level lie in memory.
func checkForm(g vk.Geometry) error {
	if g.Type == vk.GeometryAABBs {
		if s := g.AABBs.Stride; s%aabbAlignment != 0 || s > 1<<32-1 {
			return fmt.Errorf("%w: AABB stride %d is not a multiple of %d below 2^32", ErrInvalidBuild, s, aabbAlignment)
		}
		return nil
	}
	t := g.Triangles
	if _, ok := vertexFormats[t.VertexFormat]; !ok {
		return fmt.Errorf("%w: vertex format %d; 2 to 4 components of 64, 32 or 16-bit float, 16 or 8-bit snorm are read (VertexFormats)", ErrInvalidBuild, t.VertexFormat)
	}
	if t.IndexType != vk.IndexNone && t.IndexType.Size() == 0 {
		return fmt.Errorf("%w: unknown index type %d", ErrInvalidBuild, t.IndexType)
	}
	return nil
}

// checkBuild checks one build of a batch and returns its sizes.
func checkBuild(bd Build, wide bool) (vk.BuildSizes, error) {
	counts := make([]uint32, len(bd.Ranges))
	for i, r := range bd.Ranges {
		counts[i] = r.PrimitiveCount
	}
	sizes, err := buildSizes(bd.Info, counts, wide)
	if err != nil {
		return sizes, err
	}
	if missing(bd.Dst) {
		return sizes, fmt.Errorf("%w: no destination", ErrInvalidBuild)
	}
	if (bd.Dst.Address()+bd.DstOffset)%Alignment != 0 {
		return sizes, fmt.Errorf("%w: destination address %#x + %d is not a multiple of %d", ErrInvalidBuild, bd.Dst.Address(), bd.DstOffset, Alignment)
	}
	if bd.Info.Update {
		if err := checkUpdate(bd); err != nil {
			return sizes, err
		}
	} else if have := bd.Dst.Size(); bd.DstOffset > have || have-bd.DstOffset < sizes.AccelerationStructureSize {
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
		align := uint64(16) // of an instance, which shaders read 16 bytes at a time
		if g.Instances.ArrayOfPointers {
			align = 8
		}
		if (g.Instances.Data+uint64(r.PrimitiveOffset))%align != 0 {
			return fmt.Errorf("%w: instance data address %#x + %d is not aligned to %d", ErrInvalidBuild, g.Instances.Data, r.PrimitiveOffset, align)
		}
		return nil
	}
	if g.Type == vk.GeometryAABBs {
		if g.AABBs.Data == 0 || (g.AABBs.Data+uint64(r.PrimitiveOffset))%aabbAlignment != 0 {
			return fmt.Errorf("%w: AABB data address %#x with primitive offset %d is null or not a multiple of %d", ErrInvalidBuild, g.AABBs.Data, r.PrimitiveOffset, aabbAlignment)
		}
		return nil
	}
	t := g.Triangles
	component := componentSize(t.VertexFormat)
	at := t.VertexData
	if t.IndexType == vk.IndexNone {
		at += uint64(r.PrimitiveOffset)
	}
	switch {
	case t.VertexData == 0:
		return fmt.Errorf("%w: vertex data address is null", ErrInvalidBuild)
	case at%component != 0 || t.VertexStride%component != 0:
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
