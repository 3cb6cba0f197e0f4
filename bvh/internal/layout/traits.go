package layout

import (
	"slices"

	"github.com/everray/everray/vk"
)

const (
	// bundleSlots is the most bundles (shaders/bvh/build/bundle.glsl) of a block, and bundleFixed the primitives of one where
	// it takes that: 48 bytes of a triangle and the share of a node in 64 bytes are 63.5 together.
	bundleSlots = 248
	bundleFixed = 5
	// The same of structures of more than RefRecords primitives, whose leaves have up to LargeLeaf: 67 bytes a triangle, and what
	// order.glsl sorts stays within the boxes' part of the scratch memory.
	largeBundleSlots = 304
	largeBundleFixed = LargeLeaf
	// Most inner nodes on a path of a bottom and of a top level. With the end mark and the one where a bottom level
	// begins they fill the traversal stack, and they are enough for MaxPrimitives and MaxInstances.
	MostHeightBottom = 40
	MostHeightTop    = StackEntries - 2 - MostHeightBottom
	// CollapseLimit is the most primitives that a leaf may hold.
	CollapseLimit = 4
)

// LeafLimits bound the leaves by kind. A ray that meets a leaf of boxes tests them all, where a node more could have
// spared it an intersection shader: two are worth the memory.
var LeafLimits = [...]uint32{LeafTriangles: CollapseLimit, LeafBoxes: 2, LeafInstances: 1}

// Bundled tells whether primitives that follow each other in the sorted order are one leaf of the tree from the
// beginning, to save memory and time. Boxes and instances never are: what a leaf of several saves, intersection shaders
// and other bottom levels that a ray enters cost many times.
func Bundled(info vk.BuildInfo) bool {
	return info.Flags&(vk.PreferFastBuild|vk.LowMemory) != 0 && LeafKindOf(info) == LeafTriangles
}

// MostBundles is the most leaves that a tree over n primitives is built over.
func MostBundles(info vk.BuildInfo, n uint64) uint64 {
	if !Bundled(info) {
		return n
	}
	slots, fixed := uint64(bundleSlots), uint64(bundleFixed)
	if n > RefRecords {
		slots, fixed = largeBundleSlots, largeBundleFixed
	}
	rest := n % BlockSize
	return n/BlockSize*slots + max((rest+fixed-1)/fixed, rest*slots/BlockSize)
}

// BoxLevels is how many levels below a bottom level's root its boxes are looked at for an instance's box. Turned shapes are
// entered by 27 to 34% fewer rays with 5 levels (a field of 5,000 spheres); each level doubles what a build reads for an instance.
func BoxLevels(flags vk.BuildFlags) uint32 {
	switch {
	case flags&vk.PreferFastTrace != 0:
		return 5
	case flags&vk.PreferFastBuild != 0:
		return 0
	}
	return 3
}

// ImproveMoves is the scratch memory of moves, in bytes, for the two nodes of every primitive.
const ImproveMoves = 2 * 8

// Improved tells whether nodes of the tree move to better places once it is there. Top levels are left as they are, for
// they are built again and again, and trees over bundles, which are to be small before they are good.
func Improved(info vk.BuildInfo) bool {
	return info.Type == vk.BottomLevel && info.Flags&(vk.PreferFastTrace|vk.PreferFastBuild|vk.LowMemory) == vk.PreferFastTrace
}

// Of shaders/bvh/build/order.glsl.
const (
	OrderParts         = 1024 // ER_ORDER_PARTS
	OrderShift         = 20   // ER_ORDER_SHIFT
	OrderCounts        = 64   // ER_ORDER_COUNTS
	OrderBundledCounts = 16   // ER_ORDER_BUNDLED_COUNTS
	OrderLargeCounts   = 20   // ER_ORDER_LARGE_COUNTS, behind nodes and sums
	OrderCount         = 4    // ER_ORDER_COUNT
)

// Ordered tells whether nodes are to be in postorder, without gaps: an update relies on it.
func Ordered(info vk.BuildInfo) bool { return info.Flags&vk.AllowUpdate != 0 }

// OrderScratch is the scratch memory for that, from the boxes on.
func OrderScratch(info vk.BuildInfo, n uint64) uint64 {
	if !Ordered(info) {
		return 0
	}
	at := uint64(OrderCounts)
	if Bundled(info) {
		at = OrderBundledCounts
		if n > RefRecords {
			return n * (OrderLargeCounts + OrderCount)
		}
	}
	parts := n/BlockSize + 1
	return n*(at+OrderCount) + 4*min(parts, OrderParts)
}

const (
	// SplitLeast is the most primitives of a build whose triangles are left whole: what splits save small trees is less than
	// what the dispatches take.
	SplitLeast = 4096
	// SplitShare is how many primitives there are to each reference more, at most (ER_SPLIT_SHARE of split.glsl).
	SplitShare = 16
	// SplitPieces is the most parts of a triangle.
	SplitPieces = 32
	// splitOwner is the scratch memory of a reference more: its primitive.
	splitOwner = 4
)

// Of the flags SplitFlags, SplitFlag alone asks for splits.
const (
	SplitFlag  = vk.PreferFastTrace
	SplitFlags = vk.PreferFastTrace | vk.PreferFastBuild | vk.LowMemory | vk.AllowUpdate
)

// Splits tells whether triangles of a build may be referred to by several leaves, each with the box of a part. Updates could not
// make these boxes again, and any hit shaders would be called more than once for a triangle.
func Splits(info vk.BuildInfo) bool {
	return Improved(info) && LeafKindOf(info) == LeafTriangles && info.Flags&SplitFlags == SplitFlag &&
		slices.ContainsFunc(info.Geometries, func(g vk.Geometry) bool { return g.Flags&vk.GeometryNoDuplicateAnyHit == 0 })
}

// SplitSlots is the most references that splits add to n primitives.
func SplitSlots(n uint64) uint64 {
	if n <= SplitLeast {
		return 0
	}
	return min(n/SplitShare, MaxPrimitives-n)
}

// References is the most leaf records of a build of n primitives.
func References(info vk.BuildInfo, n uint64) uint64 {
	if !Splits(info) {
		return n
	}
	return n + SplitSlots(n)
}

// Widened tells whether a build asks for wide nodes, on such devices.
func Widened(info vk.BuildInfo) bool {
	return info.Flags&(vk.PreferFastTrace|vk.PreferFastBuild|vk.LowMemory) == vk.PreferFastTrace
}

// WithWide is the size of a structure with wide nodes for so many node slots.
func WithWide(structure, slots uint64) uint64 {
	if slots == 0 {
		return structure
	}
	return AlignUp(structure, WideUnit) + slots*WideSize
}

// WideUnit is what ER_HEADER_WIDE counts in.
const WideUnit = 64
