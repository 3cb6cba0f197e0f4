package host

import (
	"github.com/everray/everray/bvh/inspect"
)

// builtTree is a binary tree over n leaves of a primitive each. Nodes have numbers: leaf i of the range is i, and the
// inner node whose range is first split before leaf m is n + m - 1, so that nobody has to hand them out.
type builtTree struct {
	leaves  []primitiveRef
	boxes   []inspect.Box // of inner nodes, not padded; the two below as well
	child   [][2]uint32
	heights []uint8
	parent  []uint32 // of all nodes but the root
	root    uint32
}

func newHostTree(leaves []primitiveRef) builtTree {
	inner := max(len(leaves), 1) - 1
	return builtTree{
		leaves: leaves, boxes: make([]inspect.Box, inner), child: make([][2]uint32, inner), heights: make([]uint8, inner),
		parent: make([]uint32, len(leaves)+inner),
	}
}

// inner is the node that splits before a leaf.
func (t *builtTree) inner(mid int) uint32 { return uint32(len(t.leaves) + mid - 1) }

func (t *builtTree) isLeaf(node uint32) bool { return node < uint32(len(t.leaves)) }

// index is an inner node's place in the arrays of inner nodes.
func (t *builtTree) index(node uint32) uint32 { return node - uint32(len(t.leaves)) }

func (t *builtTree) attach(node, child uint32, side int) {
	t.child[t.index(node)][side] = child
	t.parent[child] = node
}

func (t *builtTree) box(node uint32) *inspect.Box {
	if t.isLeaf(node) {
		return &t.leaves[node].box
	}
	return &t.boxes[t.index(node)]
}

// height is how many inner nodes there are on the longest way down.
func (t *builtTree) height(node uint32) uint8 {
	if t.isLeaf(node) {
		return 0
	}
	return t.heights[t.index(node)]
}

func (t *builtTree) children(node uint32) [2]uint32 { return t.child[t.index(node)] }

// sibling is the other child of a node's parent, and which one it is.
func (t *builtTree) sibling(node uint32) (other uint32, side int) {
	c := t.children(t.parent[node])
	if c[0] == node {
		return c[1], 1
	}
	return c[0], 0
}

// enclose makes an inner node's box and height from its children's, and tells whether that changed anything.
func (t *builtTree) enclose(node uint32) bool {
	i := t.index(node)
	c := t.child[i]
	box, height := t.box(c[0]).Union(*t.box(c[1])), 1+max(t.height(c[0]), t.height(c[1]))
	if box == t.boxes[i] && height == t.heights[i] {
		return false
	}
	t.boxes[i], t.heights[i] = box, height
	return true
}

// encloseUp is enclose for a node and all above it.
func (t *builtTree) encloseUp(node uint32) {
	for t.enclose(node) && node != t.root {
		node = t.parent[node]
	}
}

// above is the number of nodes over one, and whether another is among these.
func (t *builtTree) above(node, other uint32) (depth int, found bool) {
	for node != t.root {
		node = t.parent[node]
		depth++
		found = found || node == other
	}
	return depth, found
}

// move takes a node out, with its parent, which goes to be the parent of the target and the node. It says no if the
// target is below the node or above it, or the tree would become too high. Neither the node's parent nor the target is the root.
func (t *builtTree) move(node, target uint32, mostHeight int) bool {
	depth, below := t.above(target, node)
	if below || target == t.parent[node] || depth+1+int(max(t.height(node), t.height(target))) > mostHeight {
		return false
	}
	p := t.parent[node]
	s, _ := t.sibling(node)
	_, side := t.sibling(p)
	g := t.parent[p]
	t.attach(g, s, 1-side)
	t.encloseUp(g)
	_, side = t.sibling(target)
	q := t.parent[target]
	t.attach(q, p, 1-side)
	t.attach(p, target, 0)
	t.attach(p, node, 1)
	t.enclose(p)
	t.encloseUp(q)
	return true
}
