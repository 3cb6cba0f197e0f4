package bvh

import (
	"fmt"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// checkBuild checks one build of a batch and returns its sizes.
func checkBuild(bd Build, wide bool) (vk.BuildSizes, error) {
	counts := make([]uint32, len(bd.Ranges))
	for i, r := range bd.Ranges {
		counts[i] = r.PrimitiveCount
	}
	sizes, err := layout.BuildSizes(bd.Info, counts, wide)
	if err != nil {
		return sizes, err
	}
	if missing(bd.Dst) {
		return sizes, fmt.Errorf("%w: no destination", ErrInvalidBuild)
	}
	if (bd.Dst.Address()+bd.DstOffset)%Alignment != 0 {
		return sizes, fmt.Errorf("%w: destination address %#x + %d is not a multiple of %d", ErrInvalidBuild, bd.Dst.Address(),
			bd.DstOffset, Alignment)
	}
	if bd.Info.Update {
		if err := checkUpdate(bd); err != nil {
			return sizes, err
		}
	} else if have := bd.Dst.Size(); bd.DstOffset > have || have-bd.DstOffset < sizes.AccelerationStructureSize {
		return sizes, fmt.Errorf("%w: destination %q has %d bytes at offset %d, the structure takes %d (ask BuildSizes)",
			ErrInvalidBuild, bd.Dst.Name(), have, bd.DstOffset, sizes.AccelerationStructureSize)
	}
	if bd.Scratch == 0 || bd.Scratch%ScratchAlignment != 0 {
		return sizes, fmt.Errorf("%w: scratch address %#x is null or not a multiple of %d", ErrInvalidBuild, bd.Scratch,
			ScratchAlignment)
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
			return fmt.Errorf("%w: instance data address %#x + %d is not aligned to %d", ErrInvalidBuild, g.Instances.Data,
				r.PrimitiveOffset, align)
		}
		return nil
	}
	if g.Type == vk.GeometryAABBs {
		if g.AABBs.Data == 0 || (g.AABBs.Data+uint64(r.PrimitiveOffset))%layout.AABBAlignment != 0 {
			return fmt.Errorf("%w: AABB data address %#x with primitive offset %d is null or not a multiple of %d",
				ErrInvalidBuild, g.AABBs.Data, r.PrimitiveOffset, layout.AABBAlignment)
		}
		return nil
	}
	t := g.Triangles
	component := layout.ComponentSize(t.VertexFormat)
	at := t.VertexData
	if t.IndexType == vk.IndexNone {
		at += uint64(r.PrimitiveOffset)
	}
	switch {
	case t.VertexData == 0:
		return fmt.Errorf("%w: vertex data address is null", ErrInvalidBuild)
	case at%component != 0 || t.VertexStride%component != 0:
		return fmt.Errorf("%w: vertex data address %#x or stride %d is not a multiple of %d", ErrInvalidBuild, t.VertexData,
			t.VertexStride, component)
	case t.VertexStride > 1<<32-1:
		return fmt.Errorf("%w: vertex stride %d", ErrInvalidBuild, t.VertexStride)
	case t.IndexType != vk.IndexNone && t.IndexData == 0:
		return fmt.Errorf("%w: index data address is null", ErrInvalidBuild)
	case t.IndexType != vk.IndexNone && (t.IndexData+uint64(r.PrimitiveOffset))%t.IndexType.Size() != 0:
		return fmt.Errorf("%w: index data address %#x with primitive offset %d is not a multiple of %d", ErrInvalidBuild,
			t.IndexData, r.PrimitiveOffset, t.IndexType.Size())
	case t.TransformData%4 != 0:
		return fmt.Errorf("%w: transform data address %#x is not a multiple of 4", ErrInvalidBuild, t.TransformData)
	}
	return nil
}
