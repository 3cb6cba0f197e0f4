package vk

import "slices"

// arena hands out ranges of one memory block: a free list sorted by offset, best fit, coalesced on release.
// It knows nothing of Vulkan and is not safe for concurrent use.
type arena struct {
	base uint64 // device address of offset 0: alignment counts from there
	size uint64
	free []span // sorted, never adjacent, never empty
	used uint64
}

type span struct{ offset, size uint64 }

func (s span) end() uint64 { return s.offset + s.size }

func newArena(base, size uint64) *arena {
	return &arena{base: base, size: size, free: []span{{0, size}}}
}

// alignUp rounds x up to a multiple of a, a power of two.
func alignUp(x, a uint64) uint64 { return (x + a - 1) &^ (a - 1) }

// take returns the offset of a range of size bytes whose address is a multiple of align, a power of two.
func (a *arena) take(size, align uint64) (offset uint64, ok bool) {
	best, at, waste := -1, uint64(0), ^uint64(0)
	for i, f := range a.free {
		start := alignUp(a.base+f.offset, align) - a.base
		if start < f.offset || start > f.end() || f.end()-start < size { // the first: wrapped around
			continue
		}
		if w := f.size - size; w < waste {
			best, at, waste = i, start, w
		}
	}
	if best < 0 || size == 0 {
		return 0, false
	}
	f := a.free[best]
	var rest []span
	if at > f.offset {
		rest = append(rest, span{f.offset, at - f.offset})
	}
	if end := at + size; end < f.end() {
		rest = append(rest, span{end, f.end() - end})
	}
	a.free = slices.Replace(a.free, best, best+1, rest...)
	a.used += size
	return at, true
}

// give takes back a range that take returned. It reports false, and changes nothing, if any of it is free already.
func (a *arena) give(offset, size uint64) bool {
	if size == 0 || offset+size > a.size || offset+size < offset {
		return false
	}
	i, _ := slices.BinarySearchFunc(a.free, offset, func(f span, o uint64) int {
		if f.offset < o {
			return -1
		}
		return 1
	})
	merged := span{offset, size}
	lo, hi := i, i
	if i > 0 {
		switch before := a.free[i-1]; {
		case before.end() > offset:
			return false
		case before.end() == offset:
			merged = span{before.offset, before.size + size}
			lo = i - 1
		}
	}
	if i < len(a.free) {
		switch after := a.free[i]; {
		case after.offset < offset+size:
			return false
		case after.offset == offset+size:
			merged.size += after.size
			hi = i + 1
		}
	}
	a.free = slices.Replace(a.free, lo, hi, merged)
	a.used -= size
	return true
}
