package bvh

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
)

// sahTree is the cost of a binned SAH tree (Wald 2007) over boxes, with the builder's own cost constants: what a good
// CPU builder without splits reaches.
type sahTree struct {
	boxes  []inspect.Box
	order  []uint32
	leaves int
}

const sahBins = 16

func binnedSAH(boxes []inspect.Box) float64 {
	t := &sahTree{boxes: boxes, order: make([]uint32, len(boxes))}
	root := boxes[0]
	for i := range boxes {
		t.order[i] = uint32(i)
		root = root.Union(boxes[i])
	}
	return t.cost(0, len(boxes), root) / root.Area()
}

func center(b inspect.Box, k int) float32 { return (b.Min[k] + b.Max[k]) / 2 }

// cost builds the subtree of a range and returns its SAH cost, not divided by the root's area.
func (t *sahTree) cost(first, end int, box inspect.Box) float64 {
	n := end - first
	leaf := inspect.PrimitiveCost * float64(n) * box.Area()
	if n == 1 {
		return leaf
	}
	mid, left, right := t.split(first, end)
	inner := inspect.NodeCost*box.Area() + t.cost(first, mid, left) + t.cost(mid, end, right)
	if n <= layout.CollapseLimit && leaf <= inner {
		t.leaves++
		return leaf
	}
	return inner
}

func (t *sahTree) split(first, end int) (mid int, left, right inspect.Box) {
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
	var boxes [sahBins]inspect.Box
	var counts [sahBins]int
	for _, i := range r {
		b := binOf(center(t.boxes[i], k), lo, hi)
		if counts[b] == 0 {
			boxes[b] = t.boxes[i]
		} else {
			boxes[b] = boxes[b].Union(t.boxes[i])
		}
		counts[b]++
	}
	var right [sahBins]float64
	acc, n := inspect.Box{}, 0
	for b := sahBins - 1; b > 0; b-- {
		if counts[b] > 0 {
			if n == 0 {
				acc = boxes[b]
			} else {
				acc = acc.Union(boxes[b])
			}
			n += counts[b]
		}
		right[b-1] = acc.Area() * float64(n)
	}
	cost, n = float64(inf), 0
	for b := range sahBins - 1 {
		if counts[b] > 0 {
			if n == 0 {
				acc = boxes[b]
			} else {
				acc = acc.Union(boxes[b])
			}
			n += counts[b]
		}
		if n > 0 && n < len(r) {
			if c := acc.Area()*float64(n) + right[b]; c < cost {
				cost, bin = c, b
			}
		}
	}
	return cost, bin
}

func (t *sahTree) bounds(first, end int) inspect.Box {
	b := t.boxes[t.order[first]]
	for _, i := range t.order[first+1 : end] {
		b = b.Union(t.boxes[i])
	}
	return b
}

// TestSAH prints the cost of every kind of tree on the bench scenes and holds the default against LBVH and against a
// binned SAH tree. FAST_TRACE is judged by what rays do: splits raise the SAH cost, which does not know that rays end.
func TestSAH(t *testing.T) {
	for _, name := range []string{"bunny", "dragon", "sponza", "house"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "house" {
				t.Skip("short")
			}
			m := loadModel(t, name)
			r := newRig(t)
			cost, work := map[string]float64{}, map[string]float64{}
			rays := crossingRays(m, 2000)
			for _, kind := range append(slices.Clone(buildKinds), lowMemoryKind) {
				s, metrics := r.read(r.build(r.indexedInput(m.positions, m.indices, kind.flags))[0])
				cost[kind.name] = metrics.SAH
				nodes, triangles := stepsOf(s, rays)
				work[kind.name] = nodes + triangles
				t.Logf("%-10s %5.1f nodes and %5.1f triangles a ray, SAH %6.2f, height %d, %d inner nodes, %d leaves of %.2f triangles, "+
					"%.1f B per triangle", kind.name, nodes, triangles, metrics.SAH,
					metrics.Height, metrics.InnerNodes, metrics.LeafNodes, float64(s.Active)/float64(metrics.LeafNodes),
					float64(s.Bytes)/float64(s.Primitives))
			}
			boxes := make([]inspect.Box, 0, len(m.indices)/3)
			for _, tri := range m.triangles() {
				b := inspect.Box{Min: tri.V[0], Max: tri.V[0]}
				boxes = append(boxes, b.Union(inspect.Box{Min: tri.V[1], Max: tri.V[1]}).Union(inspect.Box{Min: tri.V[2], Max: tri.V[2]}))
			}
			binned := binnedSAH(boxes)
			t.Logf("binned SAH on the CPU: %.2f; default is %.3f of it, LBVH %.3f", binned, cost["default"]/binned,
				cost["fast build"]/binned)
			if work["fast trace"] > 0.93*work["default"] {
				t.Errorf("the FAST_TRACE tree (%.2f steps a ray) is not clearly better than the default (%.2f)", work["fast trace"],
					work["default"])
			}
			if cost["default"] > 0.97*cost["fast build"] {
				t.Errorf("the default tree (%.2f) is not clearly better than the linear one (%.2f)", cost["default"], cost["fast build"])
			}
		})
	}
}

// crossingRays go between random points of a model's box.
func crossingRays(m model, n int) []inspect.Ray {
	lo, hi := [3]float32{inf, inf, inf}, [3]float32{-inf, -inf, -inf}
	for i, x := range m.positions {
		lo[i%3], hi[i%3] = min(lo[i%3], x), max(hi[i%3], x)
	}
	rng := rand.New(rand.NewPCG(61, 62))
	rays := make([]inspect.Ray, n)
	for i := range rays {
		for k := range 3 {
			at := func() float32 { return lo[k] + rng.Float32()*(hi[k]-lo[k]) }
			rays[i].Origin[k] = at()
			rays[i].Direction[k] = at() - rays[i].Origin[k]
		}
	}
	return rays
}

// steps is how many nodes and triangles a ray to its nearest hit meets on average, as the traversal kernel goes: the nearer
// child first.
func stepsOf(s *inspect.Structure, rays []inspect.Ray) (nodes, triangles float64) {
	type entry struct {
		ref  uint32
		near float64
	}
	for _, ray := range rays {
		o, d, far := to64(ray.Origin), to64(ray.Direction), math.Inf(1)
		stack := []entry{{s.Root, 0}}
		for len(stack) > 0 {
			e := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if e.ref&layout.RefLeaf != 0 {
				first, n := e.ref&layout.RefIndexMask, e.ref>>layout.RefCountShift&layout.RefCountMask+1
				for k := first; k < first+n; k++ {
					triangles++
					far = min(far, distance(s.Triangle(k), o, d))
				}
				continue
			}
			nodes++
			boxes, refs, _ := s.Children(e.ref)
			t0, t1 := enter(boxes[0], o, d), enter(boxes[1], o, d)
			a, b := entry{refs[0], t0}, entry{refs[1], t1}
			if t1 < t0 {
				a, b = b, a
			}
			if b.near <= far && !math.IsInf(b.near, 1) {
				stack = append(stack, b)
			}
			if a.near <= far && !math.IsInf(a.near, 1) {
				stack = append(stack, a)
			}
		}
	}
	return nodes / float64(len(rays)), triangles / float64(len(rays))
}

// enter is where a ray enters a box, infinite if it does not.
func enter(b inspect.Box, o, d [3]float64) float64 {
	near, far := 0.0, math.Inf(1)
	for k := range 3 {
		x, y := (float64(b.Min[k])-o[k])/d[k], (float64(b.Max[k])-o[k])/d[k]
		near, far = max(near, min(x, y)), min(far, max(x, y))
	}
	if near > far {
		return math.Inf(1)
	}
	return near
}

// distance is that of a triangle (Moeller and Trumbore 1997), infinite for a miss.
func distance(t inspect.Triangle, o, d [3]float64) float64 {
	v := to64(t.V[0])
	e1, e2 := sub(to64(t.V[1]), v), sub(to64(t.V[2]), v)
	p := cross(d, e2)
	det := dot(e1, p)
	s := sub(o, v)
	q := cross(s, e1)
	u, w, at := dot(s, p)/det, dot(d, q)/det, dot(e2, q)/det
	if !(u >= 0 && w >= 0 && u+w <= 1 && at > 0) {
		return math.Inf(1)
	}
	return at
}
