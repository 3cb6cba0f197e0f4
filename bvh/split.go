package bvh

import (
	"slices"

	"github.com/everray/everray/vk"
)

const (
	// splitLeast is the most primitives of a build whose triangles are left whole: what splits save small trees is less than
	// what the dispatches take.
	splitLeast = 4096
	// splitShare is how many primitives there are to each reference more, at most (ER_SPLIT_SHARE of split.glsl).
	splitShare = 16
	// splitPieces is the most parts of a triangle.
	splitPieces = 32
	// splitOwner is the scratch memory of a reference more: its primitive.
	splitOwner = 4
)

// Of the flags splitFlags, splitFlag alone asks for splits.
const (
	splitFlag  = vk.PreferFastTrace
	splitFlags = vk.PreferFastTrace | vk.PreferFastBuild | vk.LowMemory | vk.AllowUpdate
)

// splits tells whether triangles of a build may be referred to by several leaves, each with the box of a part. Updates could not
// make these boxes again, and any hit shaders would be called more than once for a triangle.
func splits(info vk.BuildInfo) bool {
	return improved(info) && leafKindOf(info) == leafTriangles && info.Flags&splitFlags == splitFlag &&
		slices.ContainsFunc(info.Geometries, func(g vk.Geometry) bool { return g.Flags&vk.GeometryNoDuplicateAnyHit == 0 })
}

// splitSlots is the most references that splits add to n primitives.
func splitSlots(n uint64) uint64 {
	if n <= splitLeast {
		return 0
	}
	return min(n/splitShare, MaxPrimitives-n)
}

// references is the most leaf records of a build of n primitives.
func references(info vk.BuildInfo, n uint64) uint64 {
	if !splits(info) {
		return n
	}
	return n + splitSlots(n)
}

// addSplits adds the tasks of splits: blocks of primitives.
func (b *batch) addSplits(index, n uint32) {
	for k := uint32(0); k*blockSize < n; k++ {
		b.split = appendWords(b.split, index, k)
	}
}

// splits chooses triangles, numbers their parts and cuts them, when the boxes and their bounds are known.
func (r *recorder) splits() {
	n := uint32(len(r.batch.split) / 8)
	if n == 0 {
		return
	}
	r.run(kernelSplitPlan, r.split, n, n, 0)
	r.cb.ComputeBarrier()
	for pass := range uint32(2) {
		r.run(kernelSplit, r.split, n, n, pass)
		r.cb.ComputeBarrier()
	}
	r.run(kernelSplitParts, r.split, n, n, 0)
	r.cb.ComputeBarrier()
}
