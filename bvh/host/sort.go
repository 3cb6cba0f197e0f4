package host

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/everray/everray/bvh/inspect"
)

// order sorts the primitives by their Morton codes where the tree is linear, or where those that follow each other become
// its leaves.
func (b *treeBuild) order() {
	b.scattered = nil
	n := len(b.refs)
	if !b.linear() && b.bundle == 1 {
		b.grow()
		return
	}
	b.keys = make([]uint64, n)
	code := newMorton(b.bounds)
	b.op.spread(n, taskSize, func(first, end int) {
		for i := first; i < end; i++ {
			b.keys[i] = code.of(b.refs[i].box)
		}
	}, func() {
		left := &atomic.Int64{}
		left.Store(int64(n))
		b.sort(0, n, left)
	})
}

// sort divides a range by bits of the codes from the highest down, until what is left is sorted in one go. Who sorts the
// last of what is left goes on.
func (b *treeBuild) sort(first, end int, left *atomic.Int64) {
	if end-first > taskSize {
		if mid := b.partition(first, end); mid > first {
			b.op.push(func() { b.sort(first, mid, left) }, func() { b.sort(mid, end, left) })
			return
		}
	}
	b.sortKeys(first, end)
	if left.Add(int64(first-end)) == 0 {
		b.grow()
	}
}

// partition moves codes without the highest bit that is not the same in all to the front, and returns how many there
// are behind first; none if all are the same.
func (b *treeBuild) partition(first, end int) int {
	k, r := b.keys[first:end], b.refs[first:end]
	all, some := k[0], k[0]
	for _, x := range k {
		all &= x
		some |= x
	}
	if all == some {
		return first
	}
	bit, at := uint64(1)<<(bits.Len64(all^some)-1), 0
	for i := range k {
		if k[i]&bit == 0 {
			k[i], k[at] = k[at], k[i]
			r[i], r[at] = r[at], r[i]
			at++
		}
	}
	return first + at
}

// sortKeys sorts a range by its codes, and by primitives where they are equal.
func (b *treeBuild) sortKeys(first, end int) {
	type keyed struct {
		key uint64
		ref primitiveRef
	}
	r := make([]keyed, end-first)
	for i := range r {
		r[i] = keyed{b.keys[first+i], b.refs[first+i]}
	}
	slices.SortFunc(r, func(x, y keyed) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.ref.primitive, y.ref.primitive))
	})
	for i := range r {
		b.keys[first+i], b.refs[first+i] = r[i].key, r[i].ref
	}
}

// morton makes codes of 63 bits, of cells of one size on all axes.
type morton struct {
	lo    [3]float32
	scale float64
}

func newMorton(bounds inspect.Box) morton {
	largest := 1e-45
	for k := range 3 {
		largest = math.Max(largest, float64(bounds.Max[k])-float64(bounds.Min[k]))
	}
	return morton{bounds.Min, (1<<21 - 1) / largest}
}

// of is the code of a box's centre.
func (m morton) of(b inspect.Box) (code uint64) {
	for k := range 3 {
		at := (float64(b.Min[k])+float64(b.Max[k]))/2 - float64(m.lo[k])
		cell := uint64(min(max(at*m.scale, 0), 1<<21-1))
		cell = (cell | cell<<32) & 0x1f00000000ffff
		cell = (cell | cell<<16) & 0x1f0000ff0000ff
		cell = (cell | cell<<8) & 0x100f00f00f00f00f
		cell = (cell | cell<<4) & 0x10c30c30c30c30c3
		cell = (cell | cell<<2) & 0x1249249249249249
		code |= cell << (2 - k)
	}
	return code
}
