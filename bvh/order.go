package bvh

// Of shaders/bvh/build/order.glsl, beside those of layout.
const (
	// orderSmall is the most primitives of a structure whose nodes one workgroup brings into order (ER_ORDER_SMALL of
	// order_small.comp).
	orderSmall = 1536
	// orderLarge is the most primitives of a FAST_TRACE build whose nodes stay where they are: those of larger trees are brought
	// together, without the slots between them that no node has, for rays take what they read from memory. 16.8 million triangles on
	// the H200: rays +2 to +3%, the build 18.8 to 20.5 ms. What is sorted takes less than the moves in the scratch memory.
	orderLarge = 1 << 22
)

// addOrdered adds the tasks of a build of so many primitives.
func (b *batch) addOrdered(index, n, blocks uint32) {
	switch {
	case n < 2: // no nodes
	case n <= orderSmall:
		b.orderedSmall = appendWords(b.orderedSmall, index, 0)
	default:
		for k := range blocks {
			b.ordered = appendWords(b.ordered, index, k)
		}
	}
}

// order brings the nodes of finished trees into postorder.
func (r *recorder) order() {
	small := uint32(len(r.batch.orderedSmall) / 8)
	if small > 0 {
		r.run(kernelOrderSmall, r.orderedSmall, small, small, 0)
	}
	for _, s := range [...]struct {
		kernel int
		groups uint32
	}{{kernelOrderCount, r.b.blockGroups()}, {kernelOrderScan, 1}, {kernelOrderWrite, r.b.blockGroups()}} {
		if len(r.batch.ordered) > 0 {
			r.perBlock(s.kernel, r.ordered, r.batch.ordered, s.groups)
			r.barrier()
		}
	}
	if small > 0 && len(r.batch.ordered) == 0 {
		r.barrier()
	}
}
