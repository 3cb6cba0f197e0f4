package vk

// #include "evk.h"
import "C"

import "fmt"

// CopyMode is a VkCopyAccelerationStructureModeKHR.
type CopyMode uint32

// Values of CopyMode.
const (
	CopyClone       CopyMode = 0
	CopyCompact     CopyMode = 1
	CopySerialize   CopyMode = 2 // from a structure to a blob
	CopyDeserialize CopyMode = 3 // from a blob to a structure
)

// blobAlignment is that of addresses of serialised structures (VUID-vkCmdCopyAccelerationStructureToMemoryKHR-pInfo-03740).
const blobAlignment = 256

// CopyAccelerationStructure clones or compacts src into dst.
func (cb *CommandBuffer) CopyAccelerationStructure(src, dst *NativeAccelerationStructure, mode CopyMode) {
	C.evk_copy_accel(cb.d.c, raw(cb.handle), src.handle, dst.handle, C.uint32_t(mode))
}

// SerializeAccelerationStructure writes src to memory at an address that is a multiple of 256. How much that is QuerySerialSize
// tells.
func (cb *CommandBuffer) SerializeAccelerationStructure(src *NativeAccelerationStructure, dst DeviceAddress) {
	if cb.blobAddress("serialise", dst) {
		C.evk_accel_to_memory(cb.d.c, raw(cb.handle), src.handle, C.uint64_t(dst))
	}
}

// DeserializeAccelerationStructure makes dst of memory that SerializeAccelerationStructure has written, at an address that is a
// multiple of 256. The driver trusts it: only what CompatibleAccelerationStructure accepts may be there.
func (cb *CommandBuffer) DeserializeAccelerationStructure(src DeviceAddress, dst *NativeAccelerationStructure) {
	if cb.blobAddress("deserialise", src) {
		C.evk_memory_to_accel(cb.d.c, raw(cb.handle), C.uint64_t(src), dst.handle)
	}
}

func (cb *CommandBuffer) blobAddress(what string, address DeviceAddress) bool {
	err := cb.d.needNative(what)
	if err == nil && (address == 0 || address%blobAlignment != 0) {
		err = fmt.Errorf("%s acceleration structure: %w: address %#x is null or not a multiple of %d", what, ErrInvalid, address,
			blobAlignment)
	}
	if err != nil {
		cb.Fail(err)
	}
	return err == nil
}

// CompatibleAccelerationStructure tells whether the driver reads serialised structures that begin with these 32 bytes, two
// UUIDs.
func (d *Device) CompatibleAccelerationStructure(header [32]byte) (bool, error) {
	if err := d.needNative("serialised acceleration structure"); err != nil {
		return false, err
	}
	return C.evk_accel_compatible(d.c, (*C.uint8_t)(&header[0])) != 0, nil
}

// TransientQueries is NewSizeQueryPool for queries that live until this command buffer is reset or destroyed; they are reset
// here.
func (cb *CommandBuffer) TransientQueries(kind, n uint32) (*QueryPool, error) {
	p, err := cb.d.NewSizeQueryPool(kind, n)
	if err != nil {
		return nil, err
	}
	cb.queries = append(cb.queries, p)
	cb.ResetQueries(p, 0, n)
	return p, nil
}

// TransientTimestamps is NewQueryPool for timestamps that live until this command buffer is reset or destroyed; they are reset
// here.
func (cb *CommandBuffer) TransientTimestamps(n uint32) (*QueryPool, error) {
	p, err := cb.d.NewQueryPool(n)
	if err != nil {
		return nil, err
	}
	cb.queries = append(cb.queries, p)
	cb.ResetQueries(p, 0, n)
	return p, nil
}

func (cb *CommandBuffer) dropQueries() {
	for _, p := range cb.queries {
		p.Destroy()
	}
	cb.queries = nil
}

// WriteAccelerationStructureProperties writes one query for each structure, from first on, of a pool made by
// NewSizeQueryPool. The structures are built and visible to it.
func (cb *CommandBuffer) WriteAccelerationStructureProperties(list []*NativeAccelerationStructure, p *QueryPool,
	firstQuery uint32) error {
	if err := cb.d.needNative("properties"); err != nil {
		return err
	}
	if p.kind == queryTimestamp || firstQuery > p.count || uint32(len(list)) > p.count-firstQuery {
		return fmt.Errorf("properties of acceleration structures: %w: queries [%d, %d) of %d of type %d", ErrInvalid, firstQuery,
			int(firstQuery)+len(list), p.count, p.kind)
	}
	handles := make([]C.uint64_t, len(list))
	for i, a := range list {
		handles[i] = a.handle
	}
	if len(list) > 0 {
		C.evk_accel_properties(cb.d.c, raw(cb.handle), &handles[0], C.uint32_t(len(list)), C.uint32_t(p.kind), raw(p.handle),
			C.uint32_t(firstQuery))
	}
	return nil
}

// CopyQueries writes count queries, 8 bytes each, to dst at off, a multiple of 8, when they have been answered. It runs in
// StageTransfer. Timestamps are in ticks.
func (cb *CommandBuffer) CopyQueries(p *QueryPool, firstQuery, count uint32, dst *Buffer, off uint64) error {
	if firstQuery > p.count || count > p.count-firstQuery {
		return fmt.Errorf("copy queries: %w: queries [%d, %d) of %d", ErrInvalid, firstQuery, firstQuery+count, p.count)
	}
	if err := dst.checkRange("copy queries to", off, 8*int(count)); err != nil {
		return err
	}
	if off%8 != 0 {
		return fmt.Errorf("copy queries: %w: offset %d is not a multiple of 8", ErrInvalid, off)
	}
	if count > 0 {
		C.evk_copy_query_results(cb.d.c, raw(cb.handle), raw(p.handle), C.uint32_t(firstQuery), C.uint32_t(count), raw(dst.handle),
			C.uint64_t(off))
	}
	return nil
}

// AccelerationStructureIndirectBuild is one build of a batch whose ranges the device reads.
type AccelerationStructureIndirectBuild struct {
	Info          BuildInfo
	MaxPrimitives []uint32      // of each geometry
	Ranges        DeviceAddress // of one BuildRange (16 bytes) for each geometry, Stride bytes apart; both multiples of 4
	Stride        uint32
	Src, Dst      *NativeAccelerationStructure // as in AccelerationStructureBuild
	Scratch       DeviceAddress
}

// BuildAccelerationStructuresIndirect is BuildAccelerationStructures with ranges in memory; it needs Features.IndirectBuild.
func (cb *CommandBuffer) BuildAccelerationStructuresIndirect(builds []AccelerationStructureIndirectBuild) error {
	if !cb.d.enabled.IndirectBuild {
		return fmt.Errorf("build: %w: indirect ranges (accelerationStructureIndirectBuild)", ErrMissingFeature)
	}
	if len(builds) == 0 {
		return nil
	}
	var list []C.evk_build
	var geometries []C.evk_geometry
	var most, strides []C.uint32_t
	var addresses []C.uint64_t
	for i, b := range builds {
		if b.Dst == nil || len(b.MaxPrimitives) != len(b.Info.Geometries) {
			return fmt.Errorf("build %d: %w: it needs a destination and one count per geometry (%d for %d)", i, ErrInvalid,
				len(b.MaxPrimitives), len(b.Info.Geometries))
		}
		c, g := b.Info.c()
		c.destination, c.scratch = b.Dst.handle, C.uint64_t(b.Scratch)
		c.source = b.Info.source(b.Src, b.Dst)
		list, geometries = append(list, c), append(geometries, g...)
		addresses, strides = append(addresses, C.uint64_t(b.Ranges)), append(strides, C.uint32_t(b.Stride))
		for _, n := range b.MaxPrimitives {
			most = append(most, C.uint32_t(n))
		}
	}
	return cb.wrap("vkCmdBuildAccelerationStructuresIndirectKHR", C.evk_cmd_build_indirect(cb.d.c, raw(cb.handle), &list[0],
		C.uint32_t(len(list)),
		first(geometries), first(most), C.uint32_t(len(geometries)), &addresses[0], &strides[0]))
}
