package layout

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

// AABBAlignment is that of VkAabbPositionsKHR: of addresses, offsets and strides.
const AABBAlignment = 8

// FormatWords has the VkFormat values of vertex positions that the builder reads, as build.glsl's format words.
var FormatWords = map[vulkan.Format]uint32{
	vulkan.FormatR32g32Sfloat:       FormatFloat32 | 2<<4,
	vulkan.FormatR32g32b32Sfloat:    FormatFloat32 | 3<<4,
	vulkan.FormatR32g32b32a32Sfloat: FormatFloat32 | 4<<4,
	vulkan.FormatR16g16Sfloat:       FormatFloat16 | 2<<4,
	vulkan.FormatR16g16b16Sfloat:    FormatFloat16 | 3<<4,
	vulkan.FormatR16g16b16a16Sfloat: FormatFloat16 | 4<<4,
	vulkan.FormatR16g16Snorm:        FormatSnorm16 | 2<<4,
	vulkan.FormatR16g16b16Snorm:     FormatSnorm16 | 3<<4,
	vulkan.FormatR16g16b16a16Snorm:  FormatSnorm16 | 4<<4,
	vulkan.FormatR8g8Snorm:          FormatSnorm8 | 2<<4,
	vulkan.FormatR8g8b8Snorm:        FormatSnorm8 | 3<<4,
	vulkan.FormatR8g8b8a8Snorm:      FormatSnorm8 | 4<<4,
	vulkan.FormatR64g64Sfloat:       FormatFloat64 | 2<<4,
	vulkan.FormatR64g64b64Sfloat:    FormatFloat64 | 3<<4,
	vulkan.FormatR64g64b64a64Sfloat: FormatFloat64 | 4<<4,
}

// VertexFormats lists the formats of vertex positions that are built from. Doubles are rounded to the nearest float.
func VertexFormats() []vulkan.Format { return slices.Sorted(maps.Keys(FormatWords)) }

// ComponentSize is the bytes of one component, and the alignment of vertices.
func ComponentSize(f vulkan.Format) uint64 {
	switch FormatWords[f] & 15 {
	case FormatSnorm8:
		return 1
	case FormatFloat16, FormatSnorm16:
		return 2
	case FormatFloat64:
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
			return fmt.Errorf("%w: geometry %d has type %d; bottom levels are built from triangles (0) or AABBs (1)",
				ErrInvalidBuild, i, g.Type)
		}
		if g.Type != info.Geometries[0].Type {
			return fmt.Errorf("%w: geometry %d has type %d, the first one %d; a structure holds either triangles or AABBs",
				ErrInvalidBuild, i, g.Type, info.Geometries[0].Type)
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
		if s := g.AABBs.Stride; s%AABBAlignment != 0 || s > 1<<32-1 {
			return fmt.Errorf("%w: AABB stride %d is not a multiple of %d below 2^32", ErrInvalidBuild, s, AABBAlignment)
		}
		return nil
	}
	t := g.Triangles
	if _, ok := FormatWords[t.VertexFormat]; !ok {
		return fmt.Errorf("%w: vertex format %d; 2 to 4 components of 64, 32 or 16-bit float, 16 or 8-bit snorm are read "+
			"(VertexFormats)", ErrInvalidBuild, t.VertexFormat)
	}
	if t.IndexType != vk.IndexNone && t.IndexType.Size() == 0 {
		return fmt.Errorf("%w: unknown index type %d", ErrInvalidBuild, t.IndexType)
	}
	return nil
}
