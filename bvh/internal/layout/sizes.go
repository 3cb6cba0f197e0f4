package layout

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/everray/everray/vk"
)

// StructureLayout places leaf records, behind the header and the nodes.
type StructureLayout struct {
	leafBlock uint32 // leaf records begin here, in units of 64 bytes
	size      uint64
}

// layoutOf is the layout of n primitives whose tree has so many leaves.
func layoutOf(kind uint32, n, leaves uint64) StructureLayout {
	at := HeaderSize + (max(leaves, 1)-1)*NodeSize
	return StructureLayout{leafBlock: uint32(at / 64), size: AlignUp(at+n*LeafSizeOf(kind), Alignment)}
}

// LeafKindOf is what the leaf records of a build are.
func LeafKindOf(info vk.BuildInfo) uint32 {
	switch {
	case info.Type == vk.TopLevel:
		return LeafInstances
	case len(info.Geometries) > 0 && info.Geometries[0].Type == vk.GeometryAABBs:
		return LeafBoxes
	}
	return LeafTriangles
}

// ScratchLayout places the parts of a build's scratch memory, as offsets from its address.
type ScratchLayout struct {
	Boxes, KeysA, KeysB, ValuesA, ValuesB, Parents, Arrivals, Moves uint64
	Size                                                            uint64
}

func ScratchOf(info vk.BuildInfo, inputs uint64) ScratchLayout {
	at, n := uint64(StateSize), References(info, inputs)
	part := func(bytesEach uint64) uint64 {
		start := at
		at = AlignUp(at+n*bytesEach, ScratchAlignment)
		return start
	}
	var s ScratchLayout
	s.Boxes = part(24)
	s.KeysA = part(8)
	s.KeysB = part(8)
	s.ValuesA = part(4)
	s.ValuesB = part(4)
	s.Parents = part(8)
	s.Arrivals = part(4)
	if Improved(info) {
		s.Moves = part(ImproveMoves)
		at = AlignUp(at+(n-inputs)*splitOwner, ScratchAlignment) // right behind those moves that there are
	}
	s.Size = max(at, AlignUp(s.Boxes+OrderScratch(info, n), ScratchAlignment))
	return s
}

func AlignUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// BuildSizes is BuildSizes with wide nodes or without.
func BuildSizes(info vk.BuildInfo, counts []uint32, wide bool) (vk.BuildSizes, error) {
	if len(counts) != len(info.Geometries) {
		return vk.BuildSizes{}, fmt.Errorf("%w: %d primitive counts for %d geometries", ErrInvalidBuild, len(counts),
			len(info.Geometries))
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
		return vk.BuildSizes{}, fmt.Errorf("%w: %d primitives, at most %d fit in one structure; split it", ErrInvalidBuild, n,
			MaxPrimitives)
	}
	scratch, refs := ScratchOf(info, n).Size, References(info, n)
	size := layoutOf(LeafKindOf(info), refs, MostBundles(info, refs)).size
	if wide && Widened(info) {
		size = AlignUp(WithWide(size, max(refs, 1)-1), Alignment)
	}
	return vk.BuildSizes{
		AccelerationStructureSize: size,
		BuildScratchSize:          scratch,
		UpdateScratchSize:         UpdateScratchOf(n).size,
	}, nil
}

// ReadInstance reads an instance as it lies in memory for builds.
func ReadInstance(b []byte) (in vk.AccelerationStructureInstance) {
	for k := range uint64(12) {
		in.Transform[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
	}
	in.CustomIndexAndMask = binary.LittleEndian.Uint32(b[48:])
	in.SBTOffsetAndFlags = binary.LittleEndian.Uint32(b[52:])
	in.Reference = binary.LittleEndian.Uint64(b[56:])
	return in
}

// UpdateScratch places the parts of an update's scratch memory, as offsets from its address. They follow each other behind
// the state, and shaders/bvh/refit/push.glsl knows in what order.
type UpdateScratch struct{ Lists, Boxes, Counts, Arrivals, Reach, Bounds, size uint64 }

func UpdateScratchOf(n uint64) UpdateScratch {
	s := UpdateScratch{Lists: StateSize}
	s.Boxes = s.Lists + 16*n
	s.Counts = s.Boxes + 24*n
	s.Arrivals = s.Counts + 4*(n/32+64)
	s.Reach = s.Arrivals + 4*(n/512+32)
	parts := (max(n, 1) + RefitPart - 1) / RefitPart
	s.Bounds = s.Reach + 4*parts
	s.size = AlignUp(s.Bounds+32*parts, ScratchAlignment)
	return s
}

const (
	// RefitPart is ER_PART of refit/push.glsl: leaf records of a workgroup.
	RefitPart = 128
)
