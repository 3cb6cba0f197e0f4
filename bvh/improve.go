package bvh

import "github.com/everray/everray/vk"

const (
	// improvePasses is how often nodes of a tree move (shaders/bvh/improve.glsl), but for small ones.
	improvePasses      = 8
	improveSmall       = 4096 // primitives
	improveSmallPasses = 4
	// improvePassesShift is ER_MOVE_PASSES_SHIFT of improve.glsl.
	improvePassesShift = 8
	// improveMoves is the scratch memory of moves, in bytes, for the two nodes of every primitive.
	improveMoves = 2 * 8
	// searchGroupsPerBlk is ER_SEARCH_GROUPS of improve_search.comp.
	searchGroupsPerBlk = 4
)

// improved tells whether nodes of the tree move to better places once it is there. Top levels are left as they are, for
// they are built again and again, and trees over bundles, which are to be small before they are good.
func improved(info vk.BuildInfo) bool {
	return info.Type == vk.BottomLevel && info.Flags&(vk.PreferFastTrace|vk.PreferFastBuild|vk.LowMemory) == vk.PreferFastTrace
}

func (b *batch) addImproved(index, n, blocks uint32) {
	passes := uint32(improveSmallPasses)
	if n > improveSmall {
		passes = improvePasses
	}
	b.improvePasses = max(b.improvePasses, passes)
	for k := range blocks {
		b.improved = appendWords(b.improved, index, k)
	}
}

// improve moves nodes of the trees of all builds that ask for it.
func (r *recorder) improve() {
	n := uint32(len(r.batch.improved) / 8)
	if n == 0 {
		return
	}
	steps := [...]struct {
		kernel int
		groups uint32 // per block
	}{
		{kernelImproveSearch, searchGroupsPerBlk}, {kernelImproveLock, treeGroupsPerBlk},
		{kernelImproveApply, treeGroupsPerBlk}, {kernelImproveRefit, treeGroupsPerBlk},
	}
	for pass := range min(r.b.passes, r.batch.improvePasses) {
		for _, s := range steps {
			r.cb.ComputeBarrier()
			r.run(s.kernel, r.improved, n*s.groups, n*s.groups, pass|r.b.passes<<improvePassesShift)
		}
	}
}
