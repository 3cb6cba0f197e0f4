package bvh

import (
	"slices"
	"sort"
	"testing"
)

// sahTree is the cost of a binned SAH tree (Wald 2007) over boxes, with the builder's own cost constants: what a good
// CPU builder without splits reaches.
type sahTree struct {
	boxes  []Box
	order  []uint32
	leaves int
}

const sahBins = 16

func binnedSAH(boxes []Box) float64 {
	t := &sahTree{boxes: boxes, order: make([]uint32, len(boxes))}
	root := boxes[0]
	for i := range boxes {
		t.order[i] = uint32(i)
		root = root.union(boxes[i])
	}
	return t.cost(0, len(boxes), root) / root.area()
}

func center(b Box, k int) float32 { return (b.Min[k] + b.Max[k]) / 2 }

// cost builds the subtree of a range and returns its SAH cost, not divided by the root's area.
func (t *sahTree) cost(first, end int, box Box) float64 {
	n := end - first
	leaf := costTriangle * float64(n) * box.area()
	if n == 1 {
		return leaf
	}
	mid, left, right := t.split(first, end)
	inner := costNode*box.area() + t.cost(first, mid, left) + t.cost(mid, end, right)
	if n <= collapseLimit && leaf <= inner {
		t.leaves++
		return leaf
	}
	return inner
}

func (t *sahTree) split(first, end int) (mid int, left, right Box) {
	r := t.order[first:end]
	lo, hi := [3]float32{inf, inf, inf}, [3]float32{-inf, -inf, -inf}
	for _, i := range r {
		for k := range 3 {
			c := center(t.boxes[i], k)
			lo[k], hi[k] = min(lo[k], c), max(hi[k], c)
		}
	}
	bestCost, bestAxis, bestBin := float64(inf), -1, 0
	for k := range 3 {
		if !(hi[k] > lo[k]) {
			continue
		}
		if c, b := t.bestBin(r, k, lo[k], hi[k]); c < bestCost {
			bestCost, bestAxis, bestBin = c, k, b
		}
	}
	if bestAxis < 0 {
		mid = (first + end) / 2
	} else {
		k := bestAxis
		at := 0
		for i := range r {
			if binOf(center(t.boxes[r[i]], k), lo[k], hi[k]) <= bestBin {
				r[i], r[at] = r[at], r[i]
				at++
			}
		}
		mid = first + at
		if at == 0 || at == len(r) {
			sort.Slice(r, func(a, b int) bool { return center(t.boxes[r[a]], k) < center(t.boxes[r[b]], k) })
			mid = (first + end) / 2
		}
	}
	return mid, t.bounds(first, mid), t.bounds(mid, end)
}

func binOf(c, lo, hi float32) int { return min(int((c-lo)/(hi-lo)*sahBins), sahBins-1) }

func (t *sahTree) bestBin(r []uint32, k int, lo, hi float32) (cost float64, bin int) {
	var boxes [sahBins]Box
	var counts [sahBins]int
	for _, i := range r {
		b := binOf(center(t.boxes[i], k), lo, hi)
		if counts[b] == 0 {
			boxes[b] = t.boxes[i]
		} else {
			boxes[b] = boxes[b].union(t.boxes[i])
		}
		counts[b]++
	}
	var right [sahBins]float64
	acc, n := Box{}, 0
	for b := sahBins - 1; b > 0; b-- {
		if counts[b] > 0 {
			if n == 0 {
				acc = boxes[b]
			} else {
				acc = acc.union(boxes[b])
			}
			n += counts[b]
		}
		right[b-1] = acc.area() * float64(n)
	}
	cost, n = float64(inf), 0
	for b := range sahBins - 1 {
		if counts[b] > 0 {
			if n == 0 {
				acc = boxes[b]
			} else {
				acc = acc.union(boxes[b])
			}
			n += counts[b]
		}
		if n > 0 && n < len(r) {
			if c := acc.area()*float64(n) + right[b]; c < cost {
				cost, bin = c, b
			}
		}
	}
	return cost, bin
}

func (t *sahTree) bounds(first, end int) Box {
	b := t.boxes[t.order[first]]
	for _, i := range t.order[first+1 : end] {
		b = b.union(t.boxes[i])
	}
	return b
}

// TestSAH prints the cost of every kind of tree on the bench scenes and holds the default against LBVH and against a
// binned SAH tree.
func TestSAH(t *testing.T) {
	for _, name := range []string{"bunny", "dragon", "sponza", "house"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "house" {
				t.Skip("short")
			}
			m := loadModel(t, name)
			r := newRig(t)
			cost := map[string]float64{}
			for _, kind := range append(slices.Clone(buildKinds), lowMemoryKind) {
				s, metrics := r.read(r.build(r.indexedInput(m.positions, m.indices, kind.flags))[0])
				cost[kind.name] = metrics.SAH
				t.Logf("%-10s SAH %6.2f, height %d, %d inner nodes, %d leaves of %.2f triangles, %.1f B per triangle", kind.name, metrics.SAH,
					metrics.Height, metrics.InnerNodes, metrics.LeafNodes, float64(s.Active)/float64(metrics.LeafNodes), float64(s.Bytes)/float64(s.Primitives))
			}
			boxes := make([]Box, 0, len(m.indices)/3)
			for _, tri := range m.triangles() {
				b := Box{tri.V[0], tri.V[0]}
				boxes = append(boxes, b.union(Box{tri.V[1], tri.V[1]}).union(Box{tri.V[2], tri.V[2]}))
			}
			binned := binnedSAH(boxes)
			t.Logf("binned SAH on the CPU: %.2f; default is %.3f of it, LBVH %.3f", binned, cost["default"]/binned, cost["fast build"]/binned)
			if cost["default"] > 0.97*cost["fast build"] {
				t.Errorf("the default tree (%.2f) is not clearly better than the linear one (%.2f)", cost["default"], cost["fast build"])
			}
		})
	}
}
