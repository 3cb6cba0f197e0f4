package bvh

import "github.com/everray/everray/bvh/internal/layout"

// addSplits adds the tasks of splits: blocks of primitives.
func (b *batch) addSplits(index, n uint32) {
	for k := uint32(0); k*layout.BlockSize < n; k++ {
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
	r.barrier()
	for pass := range uint32(2) {
		r.run(kernelSplit, r.split, n, n, pass)
		r.barrier()
	}
	r.run(kernelSplitParts, r.split, n, n, 0)
	r.barrier()
}
