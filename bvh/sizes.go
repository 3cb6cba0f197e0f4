package bvh

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/everray/everray/vk"
)

// structureLayout places leaf records, behind the header and the nodes.
type structureLayout struct {
	leafBlock uint32 // leaf records begin here, in units of 64 bytes
	size      uint64
}

// layoutOf is the layout of n primitives whose tree has so many leaves.
func layoutOf(kind uint32, n, leaves uint64) structureLayout {
	at := headerSize + (max(leaves, 1)-1)*nodeSize
	return structureLayout{leafBlock: uint32(at / 64), size: alignUp(at+n*leafSizeOf(kind), Alignment)}
}

// leafKindOf is what the leaf records of a build are.
func leafKindOf(info vk.BuildInfo) uint32 {
	switch {
	case info.Type == vk.TopLevel:
		return leafInstances
	case len(info.Geometries) > 0 && info.Geometries[0].Type == vk.GeometryAABBs:
		return leafBoxes
	}
	return leafTriangles
}

// scratchLayout places the parts of a build's scratch memory, as offsets from its address.
type scratchLayout struct {
	boxes, keysA, keysB, valuesA, valuesB, parents, arrivals, moves uint64
	size                                                            uint64
}

func scratchOf(info vk.BuildInfo, inputs uint64) scratchLayout {
	at, n := uint64(stateSize), references(info, inputs)
	part := func(bytesEach uint64) uint64 {
		start := at
		at = alignUp(at+n*bytesEach, ScratchAlignment)
		return start
	}
	var s scratchLayout
	s.boxes = part(24)
	s.keysA = part(8)
	s.keysB = part(8)
	s.valuesA = part(4)
	s.valuesB = part(4)
	s.parents = part(8)
	s.arrivals = part(4)
	if improved(info) {
		s.moves = part(improveMoves)
		at = alignUp(at+(n-inputs)*splitOwner, ScratchAlignment) // right behind those moves that there are
	}
	s.size = max(at, alignUp(s.boxes+orderScratch(info, n), ScratchAlignment))
	return s
}

func alignUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// BuildSizes says how much memory a build takes whose geometries have at most maxPrimitiveCounts primitives.
// Nothing but types, flags and counts matters. Builds with fewer primitives fit as well.
func (b *Builder) BuildSizes(info vk.BuildInfo, maxPrimitiveCounts []uint32) (vk.BuildSizes, error) {
	return buildSizes(info, maxPrimitiveCounts, b.wide)
}

// buildSizes is BuildSizes with wide nodes or without.
func buildSizes(info vk.BuildInfo, counts []uint32, wide bool) (vk.BuildSizes, error) {
	if len(counts) != len(info.Geometries) {
		return vk.BuildSizes{}, fmt.Errorf("%w: %d primitive counts for %d geometries", ErrInvalidBuild, len(counts), len(info.Geometries))
	}
	if err := checkInfo(info); err != nil {
		return vk.BuildSizes{}, err
	}
	var n uint64
	for _, c := range counts {
		n += uint64(c)
	}
	if info.Type == vk.TopLevel && n > MaxInstances {
		return vk.BuildSizes{}, fmt.Errorf("%w: %d instances, at most %d fit in one structure", ErrInvalidBuild, n, MaxInstances)
	}
	if n > MaxPrimitives {
		return vk.BuildSizes{}, fmt.Errorf("%w: %d primitives, at most %d fit in one structure; split it", ErrInvalidBuild, n, MaxPrimitives)
	}
	scratch, refs := scratchOf(info, n).size, references(info, n)
	size := layoutOf(leafKindOf(info), refs, mostBundles(info, refs)).size
	if wide && widened(info) {
		size = alignUp(withWide(size, max(refs, 1)-1), Alignment)
	}
	return vk.BuildSizes{
		AccelerationStructureSize: size,
		BuildScratchSize:          scratch,
		UpdateScratchSize:         updateScratchOf(n).size,
	}, nil
}

// readInstance reads an instance as it lies in memory for builds.
func readInstance(b []byte) (in vk.AccelerationStructureInstance) {
	for k := range uint64(12) {
		in.Transform[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
	}
	in.CustomIndexAndMask = binary.LittleEndian.Uint32(b[48:])
	in.SBTOffsetAndFlags = binary.LittleEndian.Uint32(b[52:])
	in.Reference = binary.LittleEndian.Uint64(b[56:])
	return in
}
