package vk

// #include "evk.h"
import "C"

import "fmt"

// NativeAccelerationStructure is a VkAccelerationStructureKHR of the driver's. It lies in a buffer of the caller's.
type NativeAccelerationStructure struct {
	d       *Device
	handle  C.uint64_t
	address DeviceAddress
	typ     AccelerationStructureType
	name    string
}

// NewNativeAccelerationStructure makes an acceleration structure in [off, off+size) of buffer, which was made with
// AccelerationStructureStorage. off is a multiple of 256.
func (d *Device) NewNativeAccelerationStructure(t AccelerationStructureType, buffer *Buffer, off, size uint64,
	name string) (*NativeAccelerationStructure, error) {
	fail := func(err error) error { return fmt.Errorf("%v %q: %w", t, name, err) }
	if err := d.needNative("native acceleration structure"); err != nil {
		return nil, fail(err)
	}
	if off%256 != 0 || size == 0 || off > buffer.size || size > buffer.size-off {
		return nil, fail(fmt.Errorf("%w: bytes [%d, %d) of buffer %q with %d (the offset must be a multiple of 256)", ErrInvalid, off,
			off+size, buffer.name, buffer.size))
	}
	h := C.evk_create_accel(d.c, C.uint32_t(t), raw(buffer.handle), C.uint64_t(off), C.uint64_t(size))
	if err := check("vkCreateAccelerationStructureKHR", h.result); err != nil {
		return nil, fail(err)
	}
	a := &NativeAccelerationStructure{d: d, handle: h.handle, typ: t, name: name}
	a.address = uint64(C.evk_accel_address(d.c, h.handle))
	d.born(a, "acceleration structure", name, objectAccel, h.handle)
	return a, nil
}

// Handle for descriptors.
func (a *NativeAccelerationStructure) Handle() AccelerationStructureHandle {
	return AccelerationStructureHandle(a.handle)
}

// Address for instances. It is the driver's own and need not be the buffer's.
func (a *NativeAccelerationStructure) Address() DeviceAddress { return a.address }

// Type as given.
func (a *NativeAccelerationStructure) Type() AccelerationStructureType { return a.typ }

// Destroy frees the structure, not its buffer.
func (a *NativeAccelerationStructure) Destroy() {
	if a != nil && a.d.dies(a) {
		a.d.later(func() { C.evk_destroy_accel(a.d.c, a.handle) })
	}
}

// AccelerationStructureBuild is one build of a batch. Src is the structure to update from, nil for Dst itself; it is
// read with Info.Update only.
type AccelerationStructureBuild struct {
	Info     BuildInfo
	Ranges   []BuildRange
	Src, Dst *NativeAccelerationStructure
	Scratch  DeviceAddress // a multiple of RayTracingProperties.MinScratchOffsetAlignment
}

func (g Geometry) c() C.evk_geometry {
	c := C.evk_geometry{_type: C.uint32_t(g.Type), flags: C.uint32_t(g.Flags)}
	switch g.Type {
	case GeometryTriangles:
		t := g.Triangles
		c.format, c.max_vertex, c.index_type = C.uint32_t(t.VertexFormat), C.uint32_t(t.MaxVertex), C.uint32_t(t.IndexType)
		c.data, c.stride = C.uint64_t(t.VertexData), C.uint64_t(t.VertexStride)
		c.index_data, c.transform_data = C.uint64_t(t.IndexData), C.uint64_t(t.TransformData)
	case GeometryAABBs:
		c.data, c.stride = C.uint64_t(g.AABBs.Data), C.uint64_t(g.AABBs.Stride)
	case GeometryInstances:
		c.data = C.uint64_t(g.Instances.Data)
		if g.Instances.ArrayOfPointers {
			c.array_of_pointers = 1
		}
	}
	return c
}

func (b BuildInfo) c() (C.evk_build, []C.evk_geometry) {
	c := C.evk_build{_type: C.uint32_t(b.Type), flags: C.uint32_t(b.Flags), geometry_count: C.uint32_t(len(b.Geometries))}
	if b.Update {
		c.update = 1
	}
	list := make([]C.evk_geometry, 0, len(b.Geometries))
	for _, g := range b.Geometries {
		list = append(list, g.c())
	}
	return c, list
}

// source is the structure that an update reads, 0 for a build.
func (b BuildInfo) source(src, dst *NativeAccelerationStructure) C.uint64_t {
	switch {
	case !b.Update:
		return 0
	case src != nil:
		return src.handle
	}
	return dst.handle
}

// NativeBuildSizes asks the driver; maxPrimitiveCounts has one count per geometry.
func (d *Device) NativeBuildSizes(info BuildInfo, maxPrimitiveCounts []uint32) (BuildSizes, error) {
	if err := d.needNative("build sizes"); err != nil {
		return BuildSizes{}, err
	}
	if len(maxPrimitiveCounts) != len(info.Geometries) {
		return BuildSizes{}, fmt.Errorf("build sizes: %w: %d counts for %d geometries", ErrInvalid, len(maxPrimitiveCounts),
			len(info.Geometries))
	}
	b, g := info.c()
	counts := append([]uint32{}, maxPrimitiveCounts...)
	counts = append(counts, 0)
	var out [3]C.uint64_t
	C.evk_build_sizes(d.c, &b, first(g), (*C.uint32_t)(&counts[0]), &out[0])
	return BuildSizes{uint64(out[0]), uint64(out[1]), uint64(out[2])}, nil
}

// BuildAccelerationStructures records a batch of native builds; the caller places the barriers.
func (cb *CommandBuffer) BuildAccelerationStructures(builds []AccelerationStructureBuild) error {
	if err := cb.d.needNative("build"); err != nil {
		return err
	}
	if len(builds) == 0 {
		return nil
	}
	var list []C.evk_build
	var geometries []C.evk_geometry
	var ranges []C.VkAccelerationStructureBuildRangeInfoKHR
	for i, b := range builds {
		if b.Dst == nil || len(b.Ranges) != len(b.Info.Geometries) {
			return fmt.Errorf("build %d: %w: it needs a destination and one range per geometry (%d for %d)", i, ErrInvalid, len(b.Ranges),
				len(b.Info.Geometries))
		}
		c, g := b.Info.c()
		c.destination, c.scratch = b.Dst.handle, C.uint64_t(b.Scratch)
		c.source = b.Info.source(b.Src, b.Dst)
		list, geometries = append(list, c), append(geometries, g...)
		for _, r := range b.Ranges {
			ranges = append(ranges, C.VkAccelerationStructureBuildRangeInfoKHR{C.uint32_t(r.PrimitiveCount), C.uint32_t(r.PrimitiveOffset),
				C.uint32_t(r.FirstVertex), C.uint32_t(r.TransformOffset)})
		}
	}
	return cb.wrap("vkCmdBuildAccelerationStructuresKHR", C.evk_cmd_build(cb.d.c, raw(cb.handle), &list[0], C.uint32_t(len(list)),
		first(geometries), first(ranges), C.uint32_t(len(geometries))))
}
