package inspect

import (
	"errors"
	"fmt"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// ErrInvalidStructure is what Validate's findings wrap.
var ErrInvalidStructure = errors.New("invalid acceleration structure")

// NodeCost and PrimitiveCost are the prices of SAH and EPO, those that the builder uses: of visiting an inner node, and of testing
// a primitive.
const (
	NodeCost      = 1.0
	PrimitiveCost = 1.0
)

// Metrics describe a structure's tree.
type Metrics struct {
	// SAH is the expected cost of a random line that meets the root's box (MacDonald and Booth 1990): 1 for each
	// inner node and 1 for each primitive tested.
	SAH        float64
	InnerNodes int
	LeafNodes  int
	Height     int
}

// Validate checks that every node and leaf record is reached exactly once, that boxes contain what is below, that counts and
// height are right, and that the latter is no more than traversal's stack has room for, that nodes are in postorder, from the
// first slot on, if the structure may be updated. It returns the
// tree's metrics. A triangle that was split has several records, whose leaves' boxes hold all of it together.
func (s *Structure) Validate() (Metrics, error) {
	v := validator{s: s, seen: make([]bool, s.Active), nodeSeen: make([]bool, s.nodeSlots())}
	if err := s.CheckLeaves(); err != nil {
		return v.m, fmt.Errorf("%w: %w", ErrInvalidStructure, err)
	}
	if s.Active == 0 {
		if s.Root != layout.RefNone || s.Height != 0 {
			return v.m, fmt.Errorf("%w: empty, but with root %#x and height %d", ErrInvalidStructure, s.Root, s.Height)
		}
		return v.m, nil
	}
	if s.Active > s.mostActive() {
		return v.m, fmt.Errorf("%w: %d leaf records of %d primitives", ErrInvalidStructure, s.Active, s.Primitives)
	}
	if err := v.findParts(); err != nil {
		return v.m, err
	}
	box, count, height, err := v.visit(s.Root, 0)
	if err != nil {
		return v.m, err
	}
	if count != s.Active {
		return v.m, fmt.Errorf("%w: %d primitives reached of %d", ErrInvalidStructure, count, s.Active)
	}
	if uint32(height) != s.Height && !(s.IsOverClusters() && uint32(height) < s.Height) { // where a bound may stand
		return v.m, fmt.Errorf("%w: height is %d, the header says %d", ErrInvalidStructure, height, s.Height)
	}
	if !s.Bounds.Contains(box) {
		return v.m, fmt.Errorf("%w: the tree's box %v is not in the header's %v", ErrInvalidStructure, box, s.Bounds)
	}
	v.m.Height = height
	if a := box.Area(); a > 0 {
		v.m.SAH = v.cost / a
	}
	if s.Root&layout.RefLeaf != 0 {
		v.m.SAH = PrimitiveCost * float64(count)
	}
	return v.m, v.checkParts()
}

type validator struct {
	s        *Structure
	seen     []bool // leaf records
	nodeSeen []bool
	parts    map[PrimitiveID][]Box // of split triangles: their leaves' boxes
	next     uint32                // number of nodes done, which is a node's own if nodes are in postorder
	m        Metrics
	cost     float64
}

// visit checks a subtree. Nobody vouches for the tree, so that its depth is bounded.
func (v *validator) visit(ref, depth uint32) (box Box, count uint32, height int, err error) {
	if ref&layout.RefLeaf != 0 {
		return v.visitLeaf(ref)
	}
	if ref >= uint32(len(v.nodeSeen)) || v.nodeSeen[ref] {
		return box, 0, 0, fmt.Errorf("%w: node %d is out of range or reached twice", ErrInvalidStructure, ref)
	}
	if depth >= v.s.MostHeight() {
		return box, 0, 0, fmt.Errorf("%w: node %d is at depth %d, a level's tree has %d levels at most", ErrInvalidStructure, ref,
			depth, v.s.MostHeight())
	}
	v.nodeSeen[ref] = true
	v.m.InnerNodes++
	boxes, refs, leaves := v.s.Children(ref)
	box = boxes[0].Union(boxes[1])
	v.cost += NodeCost * box.Area()
	for c := range 2 {
		b, n, h, err := v.visit(refs[c], depth+1)
		if err != nil {
			return box, 0, 0, err
		}
		if refs[c]&layout.RefLeaf != 0 && len(v.parts) > 0 {
			b = v.addParts(refs[c], boxes[c], b)
		}
		if !boxes[c].Contains(b) {
			return box, 0, 0, fmt.Errorf("%w: box %v of child %d of node %d does not contain %v", ErrInvalidStructure, boxes[c], c, ref, b)
		}
		if n != leaves[c] {
			return box, 0, 0, fmt.Errorf("%w: node %d says %d primitives below child %d, there are %d", ErrInvalidStructure, ref,
				leaves[c], c, n)
		}
		if refs[c]&layout.RefLeaf != 0 {
			v.cost += PrimitiveCost * float64(n) * boxes[c].Area()
		}
		count += n
		height = max(height, h+1)
	}
	if v.s.Flags&vk.AllowUpdate != 0 && ref != v.next {
		return box, 0, 0, fmt.Errorf("%w: node %d of a structure that may be updated is number %d in postorder", ErrInvalidStructure,
			ref, v.next)
	}
	v.next++
	return box, count, height, nil
}

func (v *validator) visitLeaf(ref uint32) (box Box, count uint32, height int, err error) {
	first, n := layout.LeafRange(ref, v.s.Active)
	v.m.LeafNodes++
	for i := first; i < first+n; i++ {
		if i >= v.s.Active || v.seen[i] {
			return box, 0, 0, fmt.Errorf("%w: leaf record %d is out of range or reached twice", ErrInvalidStructure, i)
		}
		v.seen[i] = true
		b, ok := v.s.LeafBox(i)
		switch {
		case !ok: // instances and clusters: the box is not stored
		case i == first:
			box = b
		default:
			box = box.Union(b)
		}
	}
	if v.s.Type == vk.TopLevel || v.s.IsOverClusters() {
		box = Box{Min: [3]float32{inf, inf, inf}, Max: [3]float32{-inf, -inf, -inf}}
		if ref == v.s.Root {
			box = v.s.Bounds
		}
	}
	return box, n, 0, nil
}

const inf = 3.4028234e38

func (s *Structure) LeafBox(i uint32) (Box, bool) {
	if s.Type == vk.TopLevel || s.IsOverClusters() {
		return Box{}, false
	}
	if s.LeafKind() == layout.LeafBoxes {
		return s.ProceduralBox(i).Box, true
	}
	t := s.Triangle(i)
	if t.Inactive {
		return Box{Min: [3]float32{inf, inf, inf}, Max: [3]float32{-inf, -inf, -inf}}, true
	}
	b := Box{t.V[0], t.V[0]}
	for _, p := range t.V[1:] {
		b = b.Union(Box{p, p})
	}
	return b, true
}
