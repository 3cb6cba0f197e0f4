package bvh

import (
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

const (
	// crownItems is the subtrees that the upper nodes of a tree are built over: lanes of shaders/bvh/build/crown.comp.
	crownItems = 256
	// crownBytes is more than its shared memory.
	crownBytes = 32 << 10
)

// crownsOn tells whether a device can make the upper nodes of a tree from the top down.
func crownsOn(l vk.Limits) bool {
	return l.MaxComputeWorkGroupInvocations >= crownItems && l.MaxComputeSharedMemorySize >= crownBytes
}

// crowned tells whether the upper nodes of a tree are made again: of what is to be traced fast. Rays through 100,000
// instances are up to 1.8 times as fast for it.
func crowned(info vk.BuildInfo) bool {
	return layout.Improved(info) || info.Type == vk.TopLevel &&
		info.Flags&(vk.PreferFastTrace|vk.PreferFastBuild) == vk.PreferFastTrace
}

func (b *batch) addCrown(index, n uint32) {
	if n > improveSmall {
		b.crowned = appendWords(b.crowned, index, 0)
	}
}

// crown makes the upper nodes of trees again.
func (r *recorder) crown() {
	if n := uint32(len(r.batch.crowned) / 8); n > 0 && r.b.crowns {
		r.barrier()
		r.run(kernelCrown, r.crowned, n, n, 0)
	}
}
