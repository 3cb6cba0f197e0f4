package bvh

import (
	"fmt"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/vk"
)

// Passes of cluster/move.comp.
const (
	moveAtOnce = iota
	moveAway
	moveBack
)

// CmdBuildClusters records one command for clusters: see package cluster for what it does and for who validates what. It records
// barriers between its own dispatches, none before the first and none after the last. Bottom levels that it builds are structures
// of this package, by their addresses, but for copies, properties and updates.
func (b *Builder) CmdBuildClusters(cb Recorder, c cluster.Command) error {
	if err := checkClusterCommand(c); err != nil {
		return err
	}
	scratch, err := clusterScratchOf(c.Input)
	if err != nil {
		return err
	}
	r := clusterRecorder{recorder: recorder{b: b, cb: cb}, c: c, scratch: scratch}
	cb.BeginLabel("bvh clusters: " + c.Input.Op.String())
	defer cb.EndLabel()
	if err := r.describe(); err != nil {
		return fmt.Errorf("%v: %w", c.Input.Op, err)
	}
	if err := r.record(); err != nil {
		return fmt.Errorf("%v: %w", c.Input.Op, err)
	}
	return r.err
}

// clusterRecorder records one command.
type clusterRecorder struct {
	recorder
	c       cluster.Command
	scratch clusterScratch
	memory  vk.DeviceAddress // of the scratch
	dialect vk.DeviceAddress // of the erClusterDialect
}

// describe writes the command for the kernels. Scratch memory whose address only the device knows serves moves alone: all else
// takes memory of the recording then.
func (r *clusterRecorder) describe() error {
	in := r.c.Input
	r.memory = r.c.Scratch
	var err error
	if r.c.Resolve&cluster.ResolveScratch != 0 {
		if r.memory, err = r.cb.TransientDevice(r.scratch.size, Alignment); err != nil {
			return err
		}
	}
	format, _ := formatOf(in.VertexFormat, in.Dialect)
	rec := erClusterCommand{
		Implicits: r.c.Implicit, Scratch: r.memory + r.scratch.moves, Addresses: r.c.Addresses.Address, Sizes: r.c.Sizes.Address,
		Infos: r.c.Infos.Address, Counter: r.c.Count, Places: r.memory + r.scratch.places, Sums: r.memory + r.scratch.sums,
		AddressStride: uint32(strideOr(r.c.Addresses, 8)), SizeStride: uint32(strideOr(r.c.Sizes, in.SizeBytes())),
		InfoStride: uint32(strideOr(r.c.Infos, in.ArgBytes())), Resolve: uint32(r.c.Resolve &^ cluster.ResolveScratch),
		Op: uint32(in.Op), Mode: uint32(in.Mode), Most: in.MaxCount, Type: uint32(in.Type),
		Format: format.word, FormatBytes: format.bytes,
		MostTriangles: in.MaxTriangles, MostVertices: in.MaxVertices, MostGeometry: in.MaxGeometryIndex, MostClusters: in.MaxClusters,
		Flags: uint32(in.Flags), Boxes: r.memory + r.scratch.boxes, Ranges: r.memory + r.scratch.ranges,
		Trees:      r.memory + r.scratch.trees,
		TreeBlocks: uint32(r.scratch.treeBytes / Alignment), Room: placeUnits(in.ResultBytes()),
		Reach: r.b.reach,
	}
	if movesTwice(in) {
		rec.Pieces = placeUnits(in.MaxMovedBytes + uint64(in.MaxCount)*in.Alignment())
	}
	if err := r.translate(&rec); err != nil {
		return err
	}
	r.records, err = uploaded(r.cb, &rec) // what kernels take as push.builds
	return err
}

// placeUnits is bytes in ER_PLACE_UNIT, as many as a word counts.
func placeUnits(bytes uint64) uint32 { return uint32(min(bytes/placeUnit, 1<<32-1)) }

func (r *clusterRecorder) record() error {
	in := r.c.Input
	r.runTranslation(translateArguments)
	if linearly(in) {
		r.linear()
		return nil
	}
	blocks := (in.MaxCount + placeBlock - 1) / placeBlock
	r.run(kernelClusterSizes, 0, blocks, blocks, 0)
	r.barrier()
	r.run(kernelClusterPlace, 0, blocks, blocks, 0)
	if in.Mode == cluster.SizesOnly {
		return nil
	}
	r.barrier()
	switch in.Op {
	case cluster.BuildClusters, cluster.BuildTemplates:
		kernel := kernelClusterBuild64
		if in.Flags&vk.PreferFastTrace != 0 {
			kernel = kernelClusterDirect64
		}
		r.run(byLanes(kernel, in), 0, in.MaxCount, in.MaxCount, 0)
		r.runTranslation(translateTemplates)
	case cluster.InstantiateOp:
		r.run(byLanes(kernelClusterInstantiate64, in), 0, in.MaxCount, in.MaxCount, 0)
	case cluster.BuildBottomLevels:
		return r.bottomLevels()
	default:
		if !movesTwice(in) {
			r.run(kernelClusterMove, 0, in.MaxCount, in.MaxCount, moveAtOnce)
			break
		}
		r.run(kernelClusterMove, 0, in.MaxCount, in.MaxCount, moveAway)
		r.barrier()
		r.run(kernelClusterMove, 0, in.MaxCount, in.MaxCount, moveBack)
	}
	return nil
}

// linear builds bottom levels in five steps. Where results go is found beside the two first of them.
func (r *clusterRecorder) linear() {
	in := r.c.Input
	blocks := (in.MaxCount + placeBlock - 1) / placeBlock
	each := func(kernel int, size uint32) {
		r.run(kernel, 0, 0, in.MaxCount*((max(in.MaxClusters, 1)+size-1)/size), 0)
	}
	r.run(kernelClusterSizes, 0, blocks, blocks, 0)
	each(kernelClusterLinearBoxes, linearPart)
	r.barrier()
	r.run(kernelClusterPlace, 0, blocks, blocks, 0)
	each(kernelClusterLinearSort, linearBlock)
	r.barrier()
	each(kernelClusterLinearMerge, linearPart)
	r.barrier()
	each(kernelClusterLinearSpans, linearSpan)
	r.barrier()
	each(kernelClusterLinearNodes, linearPart)
}

// byLanes is the kernel for the largest clusters of a command, of those for 64, 128 and 256 triangles.
func byLanes(kernel int, in cluster.Input) int {
	switch most := max(in.MaxTriangles, in.MaxVertices); {
	case most <= 64:
		return kernel
	case most <= 128:
		return kernel + 1
	}
	return kernel + 2
}

// bottomLevels has trees built over the clusters' boxes, in scratch memory, and makes bottom levels of them.
func (r *clusterRecorder) bottomLevels() error {
	in := r.c.Input
	parts := max((in.MaxClusters+gatherPart-1)/gatherPart, 1)
	r.run(kernelClusterGather, 0, parts, in.MaxCount*parts, 0)
	r.barrier()
	if err := r.trees(); err != nil {
		return err
	}
	r.barrier()
	r.run(kernelClusterFinish, 0, parts, in.MaxCount*parts, 0)
	return nil
}

// scratchMemory is a part of the scratch memory as a build's destination.
type scratchMemory struct {
	address vk.DeviceAddress
	size    uint64
}

func (m scratchMemory) Address() vk.DeviceAddress { return m.address }
func (m scratchMemory) Size() uint64              { return m.size }
func (m scratchMemory) Name() string              { return "scratch memory" }

// trees records the builds of the trees: those of boxes with one in a leaf, and less deep, for clusters lie below.
func (r *clusterRecorder) trees() error {
	in, s := r.c.Input, r.scratch
	builds, direct := make([]IndirectBuild, in.MaxCount), make([]Build, in.MaxCount)
	for k := range builds {
		n := uint64(k)
		builds[k] = IndirectBuild{
			Info: clusterTreeInfo(in, r.memory+s.boxes+n*s.boxBytes), MaxPrimitives: []uint32{in.MaxClusters},
			Ranges: r.memory + s.ranges + 16*n, Stride: 16,
			Dst:     scratchMemory{r.memory + s.trees + n*s.treeBytes, s.treeBytes},
			Scratch: r.memory + s.builds + n*s.workBytes,
		}
		var err error
		if direct[k], err = builds[k].direct(); err != nil {
			return err
		}
	}
	batch, err := newBatch(direct, 1, false)
	if err != nil {
		return err
	}
	batch.limitHeight(cluster.MostHeight)
	batch.addIndirect(builds)
	return r.b.recordBatch(r.cb, batch)
}
