package host

import (
	"encoding/binary"
	"math"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// recordWriter turns a tree into a structure's bytes: first it decides, from the leaves up, which subtrees become leaves of
// several primitives, then it writes nodes in the order of a walk, without gaps, and the leaf records in theirs: a node
// before all below it, or, for updates, behind. The top of the tree is done alone, the subtrees below side by side.
type recordWriter struct {
	sums    []subtreeSum   // of inner nodes
	cuts    map[uint32]int // subtrees that are tasks
	roots   []treeCut
	start   uint64 // of leaf records
	record  uint64
	padding float32

	leafLimit uint32
	nodePrice float64 // what a node costs besides traversal, where there is little room for them
}

// subtreeSum is what the tree below an inner node comes to.
type subtreeSum struct {
	cost   float64
	leaves uint32
	inner  uint32 // nodes, this one included; none: it is a leaf of several primitives
	height uint8
}

// treeCut is the root of a subtree that is a task, and where it goes.
type treeCut struct {
	node, slot, record uint32 // the first slot and record of all below it
	inLeaf             bool   // of several primitives, in which it was written already
}

const (
	// cutDepth is the depth at which subtrees become tasks.
	cutDepth = 7
	// priceSteps is how often the price of nodes doubles: in the end leaves are as large as can be.
	priceSteps = 24
)

func (b *treeBuild) write() {
	b.out = recordWriter{record: layout.LeafSizeOf(b.reader.kind), padding: paddingOf(b.bounds), cuts: map[uint32]int{},
		leafLimit: layout.LeafLimits[b.reader.kind]}
	w := &b.out
	if len(b.tree.leaves) < 2 {
		b.emit()
		return
	}
	if uint64(b.most)+1 < uint64(b.count) {
		w.leafLimit = layout.BuiltLeaf
	}
	w.sums = make([]subtreeSum, len(b.tree.child))
	b.cut(b.tree.root, 0)
	b.choose(0)
}

// choose decides which subtrees become leaves, at higher prices for nodes until there is room for them.
func (b *treeBuild) choose(round int) {
	w := &b.out
	if round > 0 {
		w.nodePrice = math.Ldexp(b.tree.box(b.tree.root).Area()/float64(len(b.refs)), round-8)
	}
	b.op.spread(len(w.roots), 1, func(first, end int) {
		for _, c := range w.roots[first:end] {
			b.sum(c.node, false)
		}
	}, func() {
		switch total := b.sum(b.tree.root, true); {
		case total.inner <= b.most:
			b.emit()
		case round < priceSteps:
			b.choose(round + 1)
		default: // the tree has too few subtrees of the right size
			leaves := int(b.most) + 1
			b.bundle = (len(b.refs) + leaves - 1) / leaves
			b.order()
		}
	})
}

// cut finds the roots of the subtrees.
func (b *treeBuild) cut(node uint32, depth int) {
	if b.tree.isLeaf(node) {
		return
	}
	if depth == cutDepth {
		b.out.cuts[node] = len(b.out.roots)
		b.out.roots = append(b.out.roots, treeCut{node: node, inLeaf: true})
		return
	}
	c := b.tree.children(node)
	b.cut(c[0], depth+1)
	b.cut(c[1], depth+1)
}

// sum decides from below what becomes a leaf. At the top, subtrees are done.
func (b *treeBuild) sum(node uint32, top bool) subtreeSum {
	box := b.tree.box(node)
	if b.tree.isLeaf(node) {
		s := b.total(node)
		s.cost = inspect.PrimitiveCost * float64(s.leaves) * box.Area()
		return s
	}
	s := &b.out.sums[b.tree.index(node)]
	if _, done := b.out.cuts[node]; top && done {
		return *s
	}
	c := b.tree.children(node)
	x, y := b.sum(c[0], top), b.sum(c[1], top)
	*s = subtreeSum{leaves: x.leaves + y.leaves, cost: inspect.NodeCost*box.Area() + b.out.nodePrice + x.cost + y.cost}
	if leaf := inspect.PrimitiveCost * float64(s.leaves) * box.Area(); b.bundle == 1 && s.leaves <= b.out.leafLimit && leaf <= s.cost {
		s.cost = leaf
		return *s
	}
	s.inner = 1 + x.inner + y.inner
	s.height = 1 + max(x.height, y.height)
	return *s
}

// total is what a node comes to.
func (b *treeBuild) total(node uint32) subtreeSum {
	if b.tree.isLeaf(node) {
		return subtreeSum{leaves: uint32(len(b.primitives(node)))}
	}
	return b.out.sums[b.tree.index(node)]
}

// primitives are those of a leaf of the tree.
func (b *treeBuild) primitives(leaf uint32) []primitiveRef {
	if b.bundle == 1 {
		return b.tree.leaves[leaf : leaf+1]
	}
	return b.bundled(b.tree.leaves[leaf].primitive)
}

// emit writes everything: first the header and the top of the tree, then in tasks what is below, and what is not used.
func (b *treeBuild) emit() {
	w := &b.out
	root, height, inner := uint32(layout.RefNone), uint8(0), uint32(0)
	w.start = layout.HeaderSize
	if len(b.refs) > 0 {
		t := b.total(b.tree.root)
		root, height, inner = b.slot(0, t.inner), t.height, t.inner
		w.start = layout.HeaderSize + uint64(inner)*layout.NodeSize
		if t.inner == 0 {
			root = layout.LeafRef(0, t.leaves, uint32(len(b.refs)))
			b.leaves(b.tree.root, 0)
		} else {
			b.nodes(b.tree.root, 0, 0, true)
		}
	}
	b.header(root, height, inner)
	unused := int(b.count) - len(b.refs)
	blanks := (unused + taskSize - 1) / taskSize
	next, last := b.afterLeaves()
	if layout.IsSourced(b.in.Info) {
		next, last = b.corners, false
	}
	b.op.spread(len(w.roots)+blanks, 1, func(first, end int) {
		for i := first; i < end; i++ {
			if i >= len(w.roots) {
				b.blank((i - len(w.roots)) * taskSize)
			} else if c := w.roots[i]; !c.inLeaf {
				b.nodes(c.node, c.slot, c.record, false)
			}
		}
	}, next)
	if last {
		b.op.closing()
	}
}

// afterLeaves is what follows when all nodes and leaf records are written, and whether that is nothing.
func (b *treeBuild) afterLeaves() (next func(), last bool) {
	if !b.in.WideNodes || !layout.Widened(b.in.Info) {
		return func() {}, true
	}
	return func() { b.op.widen(b.in.Dst, true) }, false
}

// slot is where a node stands whose subtree of so many nodes begins at a slot: first of all, or, in postorder, last.
func (b *treeBuild) slot(first, inner uint32) uint32 {
	if layout.Ordered(b.in.Info) {
		return first + inner - 1
	}
	return first
}

// nodes writes an inner node and all below it, from a slot on; leaf records begin at record.
func (b *treeBuild) nodes(node, first, record uint32, top bool) {
	if k, ok := b.out.cuts[node]; ok && top {
		b.out.roots[k] = treeCut{node: node, slot: first, record: record}
		return
	}
	slot := b.slot(first, b.total(node).inner)
	at := b.in.Dst[layout.HeaderSize+uint64(slot)*layout.NodeSize:][:layout.NodeSize]
	next := first
	if !layout.Ordered(b.in.Info) {
		next++ // behind the node itself
	}
	for side, c := range b.tree.children(node) {
		t := b.total(c)
		ref := b.slot(next, t.inner)
		if t.inner == 0 {
			ref = layout.LeafRef(record, t.leaves, uint32(len(b.refs)))
			b.leaves(c, record)
		} else {
			b.nodes(c, next, record, top)
		}
		b.writeChild(at, side, c, ref, t.leaves)
		next += t.inner
		record += t.leaves
	}
}

// writeChild writes a child's padded box, its reference and the number of its primitives.
func (b *treeBuild) writeChild(at []byte, side int, child, ref, leaves uint32) {
	box := b.tree.box(child)
	put := func(offset int, v float32) {
		binary.LittleEndian.PutUint32(at[offset:], math.Float32bits(v))
	}
	xy, z := layout.NodeXY0+side*(layout.NodeXY1-layout.NodeXY0), layout.NodeZ+8*side
	for k, offset := range [3]int{xy, xy + 8, z} {
		put(offset, box.Min[k]-b.out.padding)
		put(offset+4, box.Max[k]+b.out.padding)
	}
	binary.LittleEndian.PutUint32(at[layout.NodeChild0+4*side:], ref)
	binary.LittleEndian.PutUint32(at[layout.NodeLeaves0+4*side:], leaves)
}

// leaves writes the records of all primitives below a node, and returns the next record's number.
func (b *treeBuild) leaves(node, record uint32) uint32 {
	if !b.tree.isLeaf(node) {
		c := b.tree.children(node)
		return b.leaves(c[1], b.leaves(c[0], record))
	}
	for _, r := range b.primitives(node) {
		b.writeRecord(b.recordAt(record), r)
		record++
	}
	return record
}

// writeRecord writes a primitive's leaf record.
func (b *treeBuild) writeRecord(at []byte, r primitiveRef) {
	g, n := b.reader.find(r.primitive)
	flags := uint32(g)
	if b.in.Info.Geometries[g].Flags&vk.GeometryOpaque != 0 {
		flags |= layout.TriangleOpaque
	}
	switch b.reader.kind {
	case layout.LeafInstances:
		b.reader.writeInstance(at, g, n)
	case layout.LeafBoxes:
		layout.PutFloats(at[layout.BoxMin:], r.box.Min[:]...)
		layout.PutFloats(at[layout.BoxMax:], r.box.Max[:]...)
		binary.LittleEndian.PutUint32(at[layout.BoxPrimitive:], n)
		binary.LittleEndian.PutUint32(at[layout.BoxGeometry:], flags)
	default:
		v, _ := b.reader.triangle(g, n) // read before, without an error
		for k := range v {
			layout.PutFloats(at[layout.TriangleV0+12*k:], v[k][:]...)
		}
		binary.LittleEndian.PutUint32(at[layout.TrianglePrimitive:], n)
		binary.LittleEndian.PutUint32(at[layout.TriangleGeometry:], flags)
		binary.LittleEndian.PutUint32(at[layout.TriangleCorners:], 0)
	}
}

func (b *treeBuild) recordAt(record uint32) []byte {
	return b.in.Dst[b.out.start+uint64(record)*b.out.record:][:b.out.record]
}

// blank clears a task's share of the leaf records that nothing refers to.
func (b *treeBuild) blank(first int) {
	for i := len(b.refs) + first; i < min(len(b.refs)+first+taskSize, int(b.count)); i++ {
		clear(b.recordAt(uint32(i)))
	}
}

func (b *treeBuild) header(root uint32, height uint8, inner uint32) {
	h := b.in.Dst[:layout.HeaderSize]
	clear(h)
	word := func(at int, v uint32) { binary.LittleEndian.PutUint32(h[at:], v) }
	binary.LittleEndian.PutUint64(h[layout.HeaderSelf:], b.in.Address)
	word(layout.HeaderMagic, layout.Magic)
	word(layout.HeaderVersion, layout.Version)
	for i, c := range layout.CompatWords {
		word(layout.HeaderCompat+4*i, c)
	}
	word(layout.HeaderType, uint32(b.in.Info.Type))
	word(layout.HeaderFlags, uint32(b.in.Info.Flags))
	word(layout.HeaderGeometryCount, uint32(len(b.in.Info.Geometries)))
	word(layout.HeaderPrimitives, b.count)
	word(layout.HeaderActive, uint32(len(b.refs)))
	word(layout.HeaderRoot, root)
	word(layout.HeaderHeight, uint32(height))
	word(layout.HeaderLeafBlock, uint32(b.out.start/64))
	word(layout.HeaderNodeCount, inner)
	word(layout.HeaderLeafKind, b.reader.kind)
	bounds := b.bounds
	switch {
	case b.huge:
		bounds = everywhere
	case len(b.refs) > 0:
		for k := range 3 {
			bounds.Min[k] -= b.out.padding
			bounds.Max[k] += b.out.padding
		}
	}
	layout.PutFloats(h[layout.HeaderBoundsMin:], bounds.Min[:]...)
	layout.PutFloats(h[layout.HeaderBoundsMax:], bounds.Max[:]...)
	end := b.out.start + uint64(b.count)*b.out.record
	binary.LittleEndian.PutUint64(h[layout.HeaderTotalSize:], layout.AlignUp(end, layout.UnitSize))
}

// writeInstance writes the record of an active instance.
func (r inputReader) writeInstance(at []byte, g int, n uint32) {
	in, header, _ := r.instance(g, n) // read before, without an error
	inverse := invert(in.Transform)
	layout.PutFloats(at[layout.InstanceObjectToWorld:], in.Transform[:]...)
	layout.PutFloats(at[layout.InstanceWorldToObject:], inverse[:]...)
	word := func(to int, v uint32) { binary.LittleEndian.PutUint32(at[to:], v) }
	of := func(from int) uint32 { return binary.LittleEndian.Uint32(header[from:]) }
	binary.LittleEndian.PutUint64(at[layout.InstanceBLAS:], in.Reference)
	word(layout.InstanceCustomIndexMask, in.CustomIndexAndMask)
	word(layout.InstanceTableOffsetFlags, in.SBTOffsetAndFlags)
	word(layout.InstanceIndex, r.first[g]+n)
	word(layout.InstanceRoot, of(layout.HeaderRoot))
	word(layout.InstanceHeight, of(layout.HeaderHeight)|layout.FormOf(of(layout.HeaderLeafKind), of(layout.HeaderActive)))
	word(layout.InstanceLeafBlock, of(layout.HeaderLeafBlock))
}

// invert inverts an affine transform, in the device's order of operations.
func invert(t [12]float32) (out [12]float32) {
	row := func(k int) [3]float32 { return [3]float32(t[4*k:]) }
	c := [3][3]float32{cross32(row(1), row(2)), cross32(row(2), row(0)), cross32(row(0), row(1))}
	scale := 1 / dot32(row(0), c[0])
	for k := range 3 {
		r := [3]float32{c[0][k] * scale, c[1][k] * scale, c[2][k] * scale}
		copy(out[4*k:], r[:])
		out[4*k+3] = -dot32(r, [3]float32{t[3], t[7], t[11]})
	}
	return out
}

func dot32(a, b [3]float32) float32 {
	sum := float32(a[0]*b[0]) + float32(a[1]*b[1])
	return sum + float32(a[2]*b[2])
}

func cross32(a, b [3]float32) (c [3]float32) {
	for k := range 3 {
		i, j := (k+1)%3, (k+2)%3
		c[k] = float32(a[i]*b[j]) - float32(b[i]*a[j])
	}
	return c
}
