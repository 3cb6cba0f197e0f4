package bvh

import "github.com/everray/everray/vk"

const (
	// improvePasses is how often nodes of a tree move (shaders/bvh/improve.glsl), but for trees over at most improveSmall
	// primitives.
	improvePasses = 4
	improveSmall  = 4096
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
	if n <= improveSmall {
		return
	}
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
		{kernelImproveApply, treeGroupsPerBlk}, {kernelImproveMark, 1}, {kernelImproveRefit, 1},
	}
	for pass := range r.b.passes {
		for _, s := range steps {
			r.cb.ComputeBarrier()
			r.run(s.kernel, r.improved, n*s.groups, n*s.groups, pass)
		}
	}
}
