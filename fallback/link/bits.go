package link

import "math/bits"

// bitset is a set of small numbers, here leaves.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

func (b bitset) addRange(first, count int) {
	eachWord(first, count, func(i int, mask uint64) { b[i] |= mask })
}

func (b bitset) removeRange(first, count int) {
	eachWord(first, count, func(i int, mask uint64) { b[i] &^= mask })
}

// eachWord visits the words that a range lies in, with the range's bits in each.
func eachWord(first, count int, visit func(i int, mask uint64)) {
	for end := first + count; first < end; {
		n := min(64-first%64, end-first)
		visit(first/64, ^uint64(0)>>(64-n)<<(first%64))
		first += n
	}
}

// addClipped adds of a range what lies in [0, n).
func (b bitset) addClipped(first, count, n int) {
	begin, end := max(first, 0), min(first+count, n)
	b.addRange(begin, end-begin)
}

// removeClipped removes of a range what lies in [0, n).
func (b bitset) removeClipped(first, count, n int) {
	begin, end := max(first, 0), min(first+count, n)
	b.removeRange(begin, end-begin)
}

// union adds the members of o and tells whether that changed the set.
func (b bitset) union(o bitset) bool {
	changed := false
	for i, w := range o {
		if w&^b[i] != 0 {
			b[i] |= w
			changed = true
		}
	}
	return changed
}

// each visits the members in ascending order.
func (b bitset) each(visit func(int)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			visit(64*i + bits.TrailingZeros64(w))
		}
	}
}

// anyIn tells whether a member lies in the range.
func (b bitset) anyIn(first, count int) bool {
	for i := first; i < first+count; i++ {
		if b.has(i) {
			return true
		}
	}
	return false
}
