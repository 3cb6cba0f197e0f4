package cluster

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Direct clusters, those built with PreferFastTrace: see cluster_layout.glsl.

// Place is the address of the cluster whose root a reference with RefDirect, in a bottom level at an address, refers to.
func Place(ref uint32, bottom uint64) uint64 {
	place := int64(int32(ref<<2) >> 2)
	return uint64(int64(bottom+bvhHeaderSize) + 64*place - headerSize)
}

// Records is what a reference in a bottom level says of records: the first and their number.
func Records(ref uint32) (first, count uint32, ok bool) {
	rest := ref &^ refRecordsMask
	return rest & (1<<refRecordsShift - 1), rest>>refRecordsShift + 1, ref&refRecordsMask == refRecordsOf
}

// nodeBytes is the size of a node: of a template it is the shape alone.
func (o *Object) nodeBytes() int {
	if o.Template {
		return 4
	}
	return nodeSize
}

func (o *Object) directTriangles(data []byte, triangles int) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	for k := range triangles {
		at := k * directSize
		t := Triangle{Primitive: word(at + 36), Geometry: GeometryWord(word(at + 40))}
		for v := range 9 {
			t.at[v/3][v%3] = math.Float32frombits(word(at + 4*v))
		}
		o.Triangles = append(o.Triangles, t)
		o.Positions = append(o.Positions, t.at[:]...)
		if word(at+44) != o.ID {
			o.strayID = true
		}
	}
}

// directChild is the box of a node's child, and its number, or that of the first triangle and how many there are.
func (o *Object) directChild(node, c int) (box [2][3]float32, number, triangles uint32) {
	if o.Template {
		ref := uint32(binary.LittleEndian.Uint16(o.nodes[4*node+2*c:]))
		if ref&shapeLeaf == 0 {
			return box, ref, 0
		}
		return box, ref & formTrianglesMask, 1 + ref&shapeTwo/shapeTwo
	}
	box, ref := o.child(uint32(node), c)
	ref += RefDirect + uint32(node)
	if ref&refLeaf == 0 {
		return box, ref &^ RefDirect, 0
	}
	return box, ref&refDirectMask - uint32(o.Nodes()), 1 + ref&^refLeaf>>refDirectShift
}

// directDepth is how many nodes are on the longest path from a node on.
func (o *Object) directDepth(node, above int) int {
	if above >= mostDepth || node >= o.Nodes() {
		return above
	}
	depth := above + 1
	for c := range 2 {
		if _, n, triangles := o.directChild(node, c); triangles == 0 {
			depth = max(depth, o.directDepth(int(n), above+1))
		}
	}
	return depth
}

// validateDirect checks that every triangle that can be hit is in a leaf of its own or with another, and all of them have the id.
func (o *Object) validateDirect() error {
	var seen [Most]bool
	if o.root != RefDirect || o.strayID {
		return fmt.Errorf("%w: root %#x, or a triangle has another id than %d", ErrInvalid, o.root, o.ID)
	}
	if err := o.visitDirect(0, 0, o.Bounds, &seen); err != nil {
		return err
	}
	for i, t := range o.Triangles {
		if o.Hittable(t) && !seen[i] {
			return fmt.Errorf("%w: no leaf has triangle %d", ErrInvalid, i)
		}
	}
	return nil
}

// visitDirect checks the subtree of a node, whose parent has a box for it.
func (o *Object) visitDirect(node, depth int, box [2][3]float32, seen *[Most]bool) error {
	if depth >= mostDepth || node >= o.Nodes() {
		return fmt.Errorf("%w: node %d at depth %d, of %d and %d", ErrInvalid, node, depth, o.Nodes(), mostDepth)
	}
	for c := range 2 {
		b, n, triangles := o.directChild(node, c)
		if empty := b[0][0] > b[1][0]; !empty && !(inside(box, b[0]) && inside(box, b[1])) {
			return fmt.Errorf("%w: box %v of node %d is not in its parent's, %v", ErrInvalid, b, node, box)
		}
		if triangles == 0 {
			if n == 0 {
				return fmt.Errorf("%w: the root is below node %d", ErrInvalid, node)
			}
			if err := o.visitDirect(int(n), depth+1, b, seen); err != nil {
				return err
			}
			continue
		}
		for k := n; k < n+triangles; k++ {
			if k >= slots(uint32(len(o.Triangles)), true) || seen[min(k, Most-1)] {
				return fmt.Errorf("%w: triangle %d of %d is in two leaves, or none", ErrInvalid, k, len(o.Triangles))
			}
			seen[k] = true
			for v := range 3 {
				if int(k) < len(o.Triangles) && !o.Template && o.Hittable(o.Triangles[k]) && !inside(b, o.Corner(o.Triangles[k], v)) {
					return fmt.Errorf("%w: box %v of triangle %d does not contain %v", ErrInvalid, b, k, o.Corner(o.Triangles[k], v))
				}
			}
		}
	}
	return nil
}
