package bvh

const (
	// improvePasses is how often nodes of a tree move (shaders/bvh/build/improve.glsl), but for trees over at most improveSmall
	// primitives; of those over more than improveMiddle and improveLarge more often, and in the largest only large ones.
	improvePasses       = 2
	improveMiddlePasses = 3
	improveLargePasses  = 8
	improveSmall        = 4096
	improveMiddle       = 1 << 17
	improveLarge        = 1 << 19
	// improveClear is ER_MOVE_CLEAR of improve.glsl.
	improveClear = 0x80
)

func (b *batch) addImproved(index, n, blocks uint32) {
	if n <= improveSmall {
		return
	}
	b.moves = max(b.moves, movePasses(n))
	for k := range blocks {
		b.improved = appendWords(b.improved, index, k)
	}
}

// movePasses is how many passes a tree over so many primitives has at most: one over fewer, which an indirect build may make, has
// no more.
func movePasses(n uint32) uint32 {
	switch {
	case n > improveLarge:
		return improveLargePasses
	case n > improveMiddle:
		return improveMiddlePasses
	}
	return improvePasses
}

// searchGroups is how many workgroups search for the moves of a block, of so many: a GPU is to be full. Trees do not depend on it.
func searchGroups(blocks uint32) uint32 {
	switch {
	case blocks <= 128:
		return 16
	case blocks <= 512:
		return 8
	}
	return 4
}

// improve moves nodes of the trees of all builds that ask for it.
func (r *recorder) improve() {
	n := uint32(len(r.batch.improved) / 8)
	passes := min(r.batch.moves, r.b.passes)
	if n == 0 || passes == 0 {
		return
	}
	groups := searchGroups(n)
	steps := [...]struct {
		kernel int
		groups uint32 // per block
	}{
		{kernelImproveSearch, groups}, {kernelImproveApply, groups}, {kernelImproveMark, 1}, {kernelImproveRefit, 1},
	}
	r.barrier()
	r.run(kernelImproveSearch, r.improved, n*groups, n*groups, improveClear|groups<<8)
	for pass := range passes {
		for _, s := range steps {
			r.barrier()
			r.run(s.kernel, r.improved, n*s.groups, n*s.groups, pass|groups<<8)
		}
	}
}
