package host

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/everray/everray/bvh/inspect"
)

// split cuts a range of at least two in two, neither of them empty, and moves its primitives to their sides. Where only
// halving keeps the tree within its height, it halves.
func (b *treeBuild) split(first, end, depth int) int {
	n := end - first
	tight := bits.Len(uint(n-1)) >= b.mostHeight()-depth
	switch {
	case b.linear():
		return b.splitKeys(first, end, tight)
	case n == 2:
		return first + 1
	case tight:
		return first + halve(b.tree.leaves[first:end])
	}
	return first + splitSAH(b.tree.leaves[first:end])
}

// splitKeys splits where the highest bit changes that is not the same in all codes, which are in order.
func (b *treeBuild) splitKeys(first, end int, tight bool) int {
	k := b.keys[first:end]
	change := k[0] ^ k[len(k)-1]
	if tight || change == 0 {
		return first + len(k)/2
	}
	bit := uint64(1) << (bits.Len64(change) - 1)
	return first + sort.Search(len(k), func(i int) bool { return k[i]&bit != 0 })
}

// centres is the box of the centres.
func centres(r []primitiveRef) inspect.Box {
	b := inspect.NoBox()
	for i := range r {
		for k := range 3 {
			c := r[i].box.Centre(k)
			b.Min[k] = min(b.Min[k], c)
			b.Max[k] = max(b.Max[k], c)
		}
	}
	return b
}

// halve splits in two of one size, across the axis on which centres are farthest apart.
func halve(r []primitiveRef) int {
	c := centres(r)
	axis, widest := 0, float32(0)
	for k := range 3 {
		if w := c.Max[k] - c.Min[k]; w > widest {
			axis, widest = k, w
		}
	}
	if widest > 0 {
		slices.SortFunc(r, func(x, y primitiveRef) int {
			return cmp.Or(cmp.Compare(x.box.Centre(axis), y.box.Centre(axis)), cmp.Compare(x.primitive, y.primitive))
		})
	}
	return len(r) / 2
}

// binCount is the most bins of an axis.
const binCount = 32

// costBin is what of a range has its centre in a slice of the range's box.
type costBin struct {
	box inspect.Box
	n   int
}

func (a *costBin) add(o *costBin) {
	if o.n > 0 {
		a.box = a.box.Union(o.box)
		a.n += o.n
	}
}

func (a *costBin) cost() float64 { return a.box.Area() * float64(a.n) }

// binning sorts the boxes of a range into bins, on all axes.
type binning struct {
	count int // bins of an axis, fewer for few boxes
	from  [3]float32
	scale [3]float64 // none: all centres are in one place
	bins  [3][binCount]costBin
}

func (g *binning) fill(r []primitiveRef) {
	g.count = min(binCount, max(8, len(r)/2))
	c := centres(r)
	g.from = c.Min
	for k := range 3 {
		if c.Max[k] > c.Min[k] {
			g.scale[k] = float64(g.count) / (float64(c.Max[k]) - float64(c.Min[k]))
		}
		for i := range g.count {
			g.bins[k][i].box = inspect.NoBox()
		}
	}
	for i := range r {
		for k := range 3 {
			to := &g.bins[k][g.bin(&r[i].box, k)]
			to.box = to.box.Union(r[i].box)
			to.n++
		}
	}
}

func (g *binning) bin(box *inspect.Box, axis int) int {
	return min(int((float64(box.Centre(axis))-float64(g.from[axis]))*g.scale[axis]), g.count-1)
}

// cheapest finds the bin after which to split. There is something in the first and in the last one.
func (g *binning) cheapest(axis int) (cost float64, after int) {
	bins := g.bins[axis][:g.count]
	var right [binCount]float64
	acc := costBin{box: inspect.NoBox()}
	for i := len(bins) - 1; i > 0; i-- {
		acc.add(&bins[i])
		right[i-1] = acc.cost()
	}
	acc, cost = costBin{box: inspect.NoBox()}, math.Inf(1)
	for i := range bins[1:] {
		if bins[i].n == 0 {
			continue // as good as the one before
		}
		acc.add(&bins[i])
		if c := acc.cost() + right[i]; c < cost {
			cost, after = c, i
		}
	}
	return cost, after
}

// splitSAH splits where the surface area heuristic expects the least cost, of planes between bins on all axes.
func splitSAH(r []primitiveRef) int {
	var g binning
	g.fill(r)
	best, axis, after := math.Inf(1), -1, 0
	for k := range 3 {
		if g.scale[k] == 0 {
			continue
		}
		if cost, at := g.cheapest(k); cost < best {
			best, axis, after = cost, k, at
		}
	}
	if axis < 0 { // all in one place
		return len(r) / 2
	}
	at := 0
	for i := range r {
		if g.bin(&r[i].box, axis) <= after {
			r[i], r[at] = r[at], r[i]
			at++
		}
	}
	return at
}
