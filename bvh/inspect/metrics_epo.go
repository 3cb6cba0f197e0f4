package inspect

import (
	"math"
	"math/rand/v2"

	"github.com/everray/everray/bvh/internal/layout"
)

// EPO is the effective partial overlap of a tree (Aila, Karras and Laine 2013, "On Quality Metrics of Bounding Volume
// Hierarchies"): the cost of the nodes that reach around a point of the surface which is not below them, on average over the
// surface. SAH does not see it, since rays end on surfaces; the paper's predictor of a tree's cost is a weighted sum of both.
// Costs are those of SAH.
//
// The paper clips all triangles by all boxes. Here random points on the surface, spread evenly over its area, are looked up in
// the tree, which has the same expectation.
type EPO struct {
	Value float64
	// Error is the standard error of the estimate, for independent samples; they are stratified, which makes it smaller.
	Error   float64
	Samples int // 0: not measured, or there is no surface
}

// epoSeed makes estimates repeatable.
const epoSeed = 0x9e3779b97f4a7c15

// epo estimates EPO of a structure of triangles whose tree is sound.
func (s *Structure) epo(samples int) EPO {
	areas, total := s.Areas()
	if samples <= 0 || !(total > 0) {
		return EPO{}
	}
	e := newOverlapWalk(s)
	rng := rand.New(rand.NewPCG(epoSeed, uint64(samples)))
	sum, squares := 0.0, 0.0
	record, below := uint32(0), 0.0 // below: the area of the records before
	for i := range samples {
		at := (float64(i) + rng.Float64()) / float64(samples) * total
		for at > below+areas[record] && record+1 < s.Active {
			below += areas[record]
			record++
		}
		c := e.cost(s.pointOn(record, rng.Float64(), rng.Float64()), record)
		sum += c
		squares += c * c
	}
	n := float64(samples)
	mean := sum / n
	return EPO{Value: mean, Error: math.Sqrt(max(squares/n-mean*mean, 0) / n), Samples: samples}
}

// Areas returns the area of each leaf record's triangle, and their sum. That of a split triangle counts once.
func (s *Structure) Areas() (each []float64, total float64) {
	each = make([]float64, s.Active)
	seen := make(map[PrimitiveID]bool, s.Active)
	for i := range each {
		t := s.Triangle(uint32(i))
		id := PrimitiveID{t.Geometry, t.Primitive}
		if t.Inactive || seen[id] {
			continue
		}
		seen[id] = true
		var a, b [3]float64
		for k := range 3 {
			a[k] = float64(t.V[1][k]) - float64(t.V[0][k])
			b[k] = float64(t.V[2][k]) - float64(t.V[0][k])
		}
		each[i] = math.Hypot(math.Hypot(a[1]*b[2]-a[2]*b[1], a[2]*b[0]-a[0]*b[2]), a[0]*b[1]-a[1]*b[0]) / 2
		total += each[i]
	}
	return each, total
}

// pointOn maps two numbers of 0..1 evenly to a triangle.
func (s *Structure) pointOn(record uint32, u, v float64) [3]float64 {
	t := s.Triangle(record)
	r := math.Sqrt(u)
	weights := [3]float64{1 - r, r * (1 - v), r * v}
	var p [3]float64
	for c, w := range weights {
		for k := range 3 {
			p[k] += w * float64(t.V[c][k])
		}
	}
	return p
}

// overlapWalk looks points up in a tree.
type overlapWalk struct {
	s      *Structure
	parent []uint32 // of inner nodes, RefNone for the root
	above  []uint32 // the inner node above each leaf record
	path   []uint32 // of inner nodes: the last lookup with the record below it
	lookup uint32
}

func newOverlapWalk(s *Structure) *overlapWalk {
	w := &overlapWalk{s: s, parent: make([]uint32, s.nodeSlots()), above: make([]uint32, s.Active),
		path: make([]uint32, s.nodeSlots())}
	w.climb(s.Root, layout.RefNone)
	return w
}

// climb notes what is above each node and record of a subtree.
func (w *overlapWalk) climb(ref, parent uint32) {
	if ref&layout.RefLeaf != 0 {
		first, n := layout.LeafRange(ref, w.s.Active)
		for i := first; i < first+n; i++ {
			w.above[i] = parent
		}
		return
	}
	w.parent[ref] = parent
	_, refs, _ := w.s.Children(ref)
	w.climb(refs[0], ref)
	w.climb(refs[1], ref)
}

// cost sums the cost of the nodes and leaves around a point of a record's triangle that do not hold the record.
func (w *overlapWalk) cost(p [3]float64, record uint32) float64 {
	w.lookup++
	for n := w.above[record]; n != layout.RefNone; n = w.parent[n] {
		w.path[n] = w.lookup
	}
	return w.visit(w.s.Root, p, record)
}

func (w *overlapWalk) visit(ref uint32, p [3]float64, record uint32) float64 {
	if ref&layout.RefLeaf != 0 {
		first, n := layout.LeafRange(ref, w.s.Active)
		if record-first < n { // also where record < first: the difference wraps
			return 0
		}
		return PrimitiveCost * float64(n)
	}
	sum := 0.0
	if w.path[ref] != w.lookup {
		sum = NodeCost
	}
	boxes, refs, _ := w.s.Children(ref)
	for c := range 2 {
		if boxes[c].holds(p) {
			sum += w.visit(refs[c], p, record)
		}
	}
	return sum
}

// holds reports whether a point is in the box.
func (b Box) holds(p [3]float64) bool {
	for k := range 3 {
		if !(float64(b.Min[k]) <= p[k] && p[k] <= float64(b.Max[k])) {
			return false
		}
	}
	return true
}
