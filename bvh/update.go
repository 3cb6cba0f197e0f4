package bvh

import (
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// An update keeps the tree and makes its boxes again, from the leaves up (shaders/bvh/refit/refit.glsl). It takes what it
// needs to know of the tree from the source's header, so that it works on copies of any size.

// source returns the structure that an update reads.
func (bd Build) source() (vk.Memory, uint64) {
	if !missing(bd.Src) {
		return bd.Src, bd.SrcOffset
	}
	return bd.Dst, bd.DstOffset
}

// checkUpdate checks what an update asks beyond the rules of a build. Its destination may be smaller than BuildSizes
// says, for that of a compacted structure is: the device compares it with the source's header.
func checkUpdate(bd Build) error {
	if bd.Info.Flags&vk.AllowUpdate == 0 {
		return fmt.Errorf("%w: Info.Update needs AllowUpdate in Info.Flags, in this build and in the one that made the source",
			ErrInvalidBuild)
	}
	if have := bd.Dst.Size(); bd.DstOffset > have || have-bd.DstOffset < layout.HeaderSize {
		return fmt.Errorf("%w: destination %q has %d bytes, too few for a structure at DstOffset %d", ErrInvalidBuild,
			bd.Dst.Name(), have, bd.DstOffset)
	}
	src, offset := bd.source()
	if (src.Address()+offset)%Alignment != 0 {
		return fmt.Errorf("%w: source address %#x + %d is not a multiple of %d", ErrInvalidBuild, src.Address(), offset,
			Alignment)
	}
	if offset > src.Size() || src.Size()-offset < layout.HeaderSize {
		return fmt.Errorf("%w: source %q has %d bytes, too few for a structure at SrcOffset %d", ErrInvalidBuild, src.Name(),
			src.Size(), offset)
	}
	return nil
}

// checkDestinations refuses batches in which one build writes what another reads or writes.
func checkDestinations(builds []Build) error {
	written := make(map[vk.DeviceAddress]int, len(builds))
	for i, bd := range builds {
		address := bd.Dst.Address() + bd.DstOffset
		if k, ok := written[address]; ok {
			return fmt.Errorf("build %d: %w: Dst is that of build %d, too; builds of one batch are independent", i,
				ErrInvalidBuild, k)
		}
		written[address] = i
	}
	for i, bd := range builds {
		if !bd.Info.Update {
			continue
		}
		src, offset := bd.source()
		if k, ok := written[src.Address()+offset]; ok && k != i {
			return fmt.Errorf("build %d: %w: Src is the Dst of build %d; builds of one batch are independent", i, ErrInvalidBuild, k)
		}
	}
	return nil
}

const (
	// refitNodes is ER_NEAR of refit/nodes.comp: nodes of a workgroup, which has two lanes for each. Devices with small
	// workgroups take refitNodesShort, or those of leastLanes.
	refitNodes, refitNodesShort = 256, 128
	// Up to fewNodes and beyond manyNodes blocks of refitNodesShort are faster: few leave processors without work, and of
	// many the levels above the blocks count for little.
	fewNodes, manyNodes = 20000, 1 << 18
	// formAny and so on are FORM_ANY of refit/leaves.comp.
	formAny, formPlain, formInstances = 0, 1, 2
	// leavesLanes is the workgroup of refit/leaves.comp for instances, a lane for each. Of other records a lane has two.
	leavesLanes = layout.RefitPart
	// mostAlone is the most primitives of an update that push constants describe: of more, the parts' bounds are too many.
	mostAlone = 1 << 19
	// smallUpdateSize is what refit/small.comp reads for each update: its record and its first geometry.
	smallUpdateSize = layout.BuildRecordSize + layout.GeometryRecord
	// smallLanes is the workgroup of refit/small.comp, smallBytes the shared memory that it needs for each primitive. It takes
	// smallMost at most.
	smallLanes, smallBytes, smallMost = 768, 28, 2 * smallLanes
	// smallWorkers is how many workgroups share what an update writes that is alone.
	smallWorkers = 4
	// smallRest is its shared memory besides.
	smallRest = 3 << 10
	// directUpdates is how many small updates read what the host wrote from where it wrote it, if there is nothing else.
	// More would be slower than a copy to memory near the device.
	directUpdates = 32
)

// refitNodesOn is the nodes that a workgroup of an update takes on a device.
func refitNodesOn(l vk.Limits) uint32 {
	switch n := l.MaxComputeWorkGroupInvocations; {
	case n < 2*refitNodesShort:
		return leastLanes / 2
	case n < 2*refitNodes:
		return refitNodesShort
	}
	return refitNodes
}

// refitNodes is the kernel for nodes of a batch's updates, and the nodes that a workgroup of it takes.
func (r *recorder) refitNodes() (kernel int, nodes uint32) {
	if n := r.batch.updatedNodes; n <= fewNodes || n > manyNodes {
		return kernelRefitShort, min(refitNodesShort, r.b.refitNodes)
	}
	return kernelRefitNodes, r.b.refitNodes
}

// mostUpdatedNodes is about how many nodes an update has to make.
func mostUpdatedNodes(info vk.BuildInfo, n uint32) uint32 {
	if layout.LeafKindOf(info) == layout.LeafTriangles && !layout.Bundled(info) {
		return n / 2 // leaves of two triangles
	}
	return uint32(layout.MostBundles(info, uint64(n)))
}

// refitSmallLimit is the most primitives that an update by one workgroup may have on a device.
func refitSmallLimit(l vk.Limits) uint32 {
	if l.MaxComputeWorkGroupInvocations < smallLanes || l.MaxComputeSharedMemorySize < smallRest {
		return 0
	}
	return min((l.MaxComputeSharedMemorySize-smallRest)/smallBytes, smallMost)
}

// addUpdates adds the records of updates, behind those of builds. Those of up to small primitives are done in a workgroup.
func (b *batch) addUpdates(builds []Build, small uint32) {
	for _, bd := range builds {
		if bd.Info.Update {
			b.addUpdate(bd, small)
		}
	}
}

// direct tells whether the kernels read what the host wrote from where it wrote it.
func (b *batch) direct() bool {
	n := len(b.smallRecords)
	return n > 0 && n <= directUpdates && n == len(b.records)/layout.BuildRecordSize
}

// describeSmall puts together what refit/small.comp reads, once the records are complete.
func (b *batch) describeSmall() {
	for i, r := range b.smallRecords {
		at := b.smallUpdates[i*smallUpdateSize:]
		copy(at, b.records[r*layout.BuildRecordSize:][:layout.BuildRecordSize])
		if first := b.firstGeometries[i] * layout.GeometryRecord; first < len(b.geometry) {
			copy(at[layout.BuildRecordSize:], b.geometry[first:][:layout.GeometryRecord])
		}
	}
}

// describeAlone writes the push constants of an update that is alone: those of refit/push.glsl behind the common ones.
func (b *batch) describeAlone(bd Build, n, room uint32) {
	b.alone = nil
	if len(bd.Info.Geometries) > 1 || n > mostAlone {
		return
	}
	var g erGeometry
	copy(bytesOf(&g), b.geometry[len(b.geometry)-len(bd.Info.Geometries)*layout.GeometryRecord:])
	src, offset := bd.source()
	b.alone = appendRecord(nil, erUpdatePush{
		Dst: bd.Dst.Address() + bd.DstOffset, Source: src.Address() + offset,
		Scratch:  bd.Scratch + layout.UpdateScratchOf(uint64(n)).Lists,
		Vertices: g.Vertices, Indices: g.Indices, Transform: g.Transform,
		Stride: g.Stride, Forms: g.IndexBytes | g.Format<<8 | g.Kind<<16 | g.BoxLevels<<24,
		Flags: g.Flags, Primitives: g.PrimitiveCount, FirstVertex: g.FirstVertex,
		Type: uint32(bd.Info.Type) | uint32(len(bd.Info.Geometries))<<8, Count: n, Room: room,
	})
}

// isAlone tells whether all is one update that push constants describe.
func (b *batch) isAlone() bool {
	return b.alone != nil && len(b.records) == layout.BuildRecordSize && len(b.indirect) == 0
}

// recordAlone records an update that is alone.
func (r *recorder) recordAlone() {
	if len(r.batch.smallRecords) > 0 {
		r.runAlone(kernelRefitSmall, smallWorkers)
		return
	}
	blocks := uint32(len(r.batch.updates) / 8)
	r.runAlone(r.batch.refitLeaves(), blocks*(layout.BlockSize/layout.RefitPart))
	r.barrier()
	kernel, nodes := r.refitNodes()
	r.runAlone(kernel, blocks*(layout.BlockSize/nodes))
}

func (r *recorder) runAlone(kernel int, groups uint32) {
	push := appendRecord(make([]byte, 0, pushSize), erPush{TaskCount: groups})
	r.dispatch(kernel, append(push, r.batch.alone...), groups)
}

// updateForm is what is known of an update's input: FORM_... of refit/leaves.comp.
func updateForm(info vk.BuildInfo) uint32 {
	if info.Type == vk.TopLevel {
		return formInstances
	}
	if len(info.Geometries) != 1 || info.Geometries[0].Type != vk.GeometryTriangles {
		return formAny
	}
	t := info.Geometries[0].Triangles
	if layout.FormatWords[t.VertexFormat] != layout.FormatWords[vulkan.FormatR32g32b32Sfloat] || t.IndexType.Size() != 4 ||
		t.TransformData != 0 {
		return formAny
	}
	return formPlain
}

// refitLeaves is the kernel for all updates that are not small.
func (b *batch) refitLeaves() int {
	switch b.form {
	case 1 << formPlain:
		return kernelRefitPlain
	case 1 << formInstances:
		return kernelRefitInstances
	}
	return kernelRefitLeaves
}

func (b *batch) addUpdate(bd Build, small uint32) {
	index := uint32(len(b.records) / layout.BuildRecordSize)
	firstGeometry := b.geometries
	var n uint32
	for i, g := range bd.Info.Geometries {
		b.addGeometry(g, bd.Ranges[i], n, bd.Info.Flags)
		n += bd.Ranges[i].PrimitiveCount
	}
	src, offset := bd.source()
	room := min(bd.Dst.Size()-bd.DstOffset, src.Size()-offset)
	s := layout.UpdateScratchOf(uint64(n))
	updateRoom := uint32(min(room/updateRoomUnit, 1<<32-1))
	b.records = appendRecord(b.records, erUpdate{
		Dst: bd.Dst.Address() + bd.DstOffset, Geometries: uint64(firstGeometry), State: bd.Scratch, Boxes: bd.Scratch + s.Boxes,
		PartBounds: bd.Scratch + s.Bounds, PartReach: bd.Scratch + s.Reach, Lists: bd.Scratch + s.Lists,
		Arrivals: bd.Scratch + s.Arrivals, Counts: bd.Scratch + s.Counts,
		Type: uint32(bd.Info.Type), Flags: uint32(bd.Info.Flags), GeometryCount: uint32(len(bd.Info.Geometries)), PrimitiveCount: n,
		Room: updateRoom, Source: src.Address() + offset,
	})
	b.describeAlone(bd, n, updateRoom)
	if small > 0 && n <= small {
		b.smallRecords = append(b.smallRecords, int(index))
		b.firstGeometries = append(b.firstGeometries, firstGeometry)
		b.smallUpdates = append(b.smallUpdates, make([]byte, smallUpdateSize)...)
		return
	}
	b.form |= 1 << updateForm(bd.Info)
	b.updatedNodes += mostUpdatedNodes(bd.Info, n)
	// A structure without primitives has no bounds to make, but out of place it has a header to copy.
	for k := uint32(0); k == 0 || k*layout.BlockSize < n; k++ {
		b.updates = appendWords(b.updates, index, k)
	}
}

// updateRoomUnit is what ErBuild.room counts in.
const updateRoomUnit = 16

// IndirectBuild is a build or an update whose ranges the device reads when it runs.
type IndirectBuild struct {
	Info vk.BuildInfo
	// MaxPrimitives is the most primitives of each geometry. Counts beyond are clamped to it.
	MaxPrimitives []uint32
	// Ranges is the address of one vk.BuildRange (16 bytes) for each geometry, Stride bytes apart. Both are multiples
	// of 4.
	Ranges vk.DeviceAddress
	Stride uint32

	Dst       vk.Memory
	DstOffset uint64
	// Src as in Build.
	Src       vk.Memory
	SrcOffset uint64
	Scratch   vk.DeviceAddress
}

// direct is the build with the most primitives.
func (ib IndirectBuild) direct() (Build, error) {
	bd := Build{Info: ib.Info, Dst: ib.Dst, DstOffset: ib.DstOffset, Src: ib.Src, SrcOffset: ib.SrcOffset, Scratch: ib.Scratch}
	for _, n := range ib.MaxPrimitives {
		bd.Ranges = append(bd.Ranges, vk.BuildRange{PrimitiveCount: n})
	}
	if len(ib.Info.Geometries) == 0 {
		return bd, nil
	}
	if ib.Ranges == 0 || ib.Ranges%4 != 0 {
		return bd, fmt.Errorf("%w: Ranges address %#x is null or not a multiple of 4", ErrInvalidBuild, ib.Ranges)
	}
	if ib.Stride%4 != 0 {
		return bd, fmt.Errorf("%w: Stride %d is not a multiple of 4", ErrInvalidBuild, ib.Stride)
	}
	return bd, nil
}

// CmdBuildIndirect is CmdBuild with ranges that the device reads. Memory and dispatches follow MaxPrimitives, the
// structures are those of a direct build with the same ranges. Offsets in the ranges must keep addresses aligned: nobody
// can check that here.
func (b *Builder) CmdBuildIndirect(cb Recorder, builds []IndirectBuild) error {
	if len(builds) == 0 {
		return nil
	}
	list := make([]Build, len(builds))
	for i, ib := range builds {
		var err error
		if list[i], err = ib.direct(); err != nil {
			return fmt.Errorf("build %d: %w", i, err)
		}
	}
	batch, err := newBatch(list, b.leafLimit, b.wide)
	if err != nil {
		return err
	}
	batch.addUpdates(list, 0)
	batch.addIndirect(builds)
	return b.recordBatch(cb, batch)
}

// addIndirect describes the ranges of every record, in the records' order.
func (b *batch) addIndirect(builds []IndirectBuild) {
	first := uint32(0)
	for _, updates := range []bool{false, true} {
		for _, ib := range builds {
			if ib.Info.Update != updates {
				continue
			}
			b.indirect = appendRecord(b.indirect, erIndirect{Ranges: ib.Ranges, Stride: ib.Stride, FirstGeometry: first})
			first += uint32(len(ib.Info.Geometries))
		}
	}
}

// readRanges makes records and geometries from the ranges of an indirect batch. What the host wrote is the template, so
// that a command buffer may be submitted again.
func (r *recorder) readRanges() {
	if len(r.batch.indirect) == 0 {
		return
	}
	n := uint32(len(r.batch.indirect) / 16)
	exchange, sums := r.exchange, r.sums
	r.exchange, r.sums = r.deviceRecords, r.deviceGeometry
	r.run(kernelIndirect, r.ranges, n, n, 0)
	r.exchange, r.sums = exchange, sums
	r.records = r.deviceRecords
	r.barrier()
}
