package host

import (
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// treeWalk is what a walk over a structure finds: the nodes that the tree reaches, by level. A compaction makes leaves of
// subtrees of triangles, up to some size; a node is in none of less records than its level.
type treeWalk struct {
	s        *inspect.Structure
	collapse bool
	level    []uint8 // by slot; 0: the tree does not reach it
	limit    uint32  // most records of a leaf that is made
	// loose is for leaves of records that do not follow each other, which are brought into the tree's order: by place, and
	// where those of each node begin.
	loose        bool
	order, begin []uint32
}

// levelStays is the level of nodes that are in no leaf.
const levelStays = 255

// walkTree checks the tree on the way.
func walkTree(s *inspect.Structure, collapse bool) (*treeWalk, error) {
	w := &treeWalk{s: s, collapse: collapse, level: make([]uint8, s.Word(layout.HeaderNodeCount))}
	if s.Active == 0 {
		return w, nil
	}
	if _, err := w.visit(s.Root, s.Active, 1); err != nil {
		return nil, err
	}
	w.inherit(s.Root, levelStays)
	return w, nil
}

// loosen lets all nodes become leaves.
func (w *treeWalk) loosen() {
	w.loose, w.begin = true, make([]uint32, len(w.level))
	w.number(w.s.Root, w.s.Active)
}

// number brings the records of a subtree into the tree's order.
func (w *treeWalk) number(ref, leaves uint32) {
	if ref&layout.RefLeaf != 0 {
		first, n := layout.LeafRange(ref, w.s.Active)
		for i := range n {
			w.order = append(w.order, first+i)
		}
		return
	}
	w.begin[ref] = uint32(len(w.order))
	w.level[ref] = levelStays
	if leaves <= layout.CompactMost {
		w.level[ref] = uint8(leaves)
	}
	_, refs, below := w.s.Children(ref)
	w.number(refs[0], below[0])
	w.number(refs[1], below[1])
}

// recordAt is the record at a place of the copy.
func (w *treeWalk) recordAt(place uint32) uint32 {
	if w.loose {
		return w.order[place]
	}
	return place
}

// visit notes the sizes of leaves that nodes may become, and returns where the records below are if they follow each other.
func (w *treeWalk) visit(ref, leaves, depth uint32) (span [2]uint32, err error) {
	if ref&layout.RefLeaf != 0 {
		first, n := layout.LeafRange(ref, w.s.Active)
		if n != leaves || uint64(first)+uint64(n) > uint64(w.s.Active) {
			return span, fmt.Errorf("%w: leaf %#x of %d records, %d are expected of %d", inspect.ErrNotAStructure, ref, n, leaves,
				w.s.Active)
		}
		return [2]uint32{first, first + n}, nil
	}
	if uint64(ref) >= uint64(len(w.level)) || w.level[ref] != 0 || depth > layout.StackEntries {
		return span, fmt.Errorf("%w: node %d of %d at depth %d is out of range or reached twice", inspect.ErrNotAStructure, ref,
			len(w.level), depth)
	}
	_, refs, below := w.s.Children(ref)
	if below[0] == 0 || below[1] == 0 || uint64(below[0])+uint64(below[1]) != uint64(leaves) {
		return span, fmt.Errorf("%w: node %d has %d and %d leaf records, its parent says %d", inspect.ErrNotAStructure, ref, below[0],
			below[1], leaves)
	}
	w.level[ref] = levelStays
	a, err := w.visit(refs[0], below[0], depth+1)
	if err != nil {
		return span, err
	}
	b, err := w.visit(refs[1], below[1], depth+1)
	if err != nil {
		return span, err
	}
	span = [2]uint32{min(a[0], b[0]), max(a[1], b[1])}
	if w.collapse && leaves <= layout.CompactMost && span[1]-span[0] == leaves {
		w.level[ref] = uint8(leaves)
	}
	return span, nil
}

// inherit gives nodes that are no leaf themselves the level of those above.
func (w *treeWalk) inherit(ref uint32, level uint8) {
	if ref&layout.RefLeaf != 0 {
		return
	}
	w.level[ref] = min(w.level[ref], level) // levels grow on the way up
	_, refs, _ := w.s.Children(ref)
	w.inherit(refs[0], w.level[ref])
	w.inherit(refs[1], w.level[ref])
}

// kept tells whether a node is one of the copy.
func (w *treeWalk) kept(slot uint32) bool { return uint32(w.level[slot]) > w.limit }

// depth is that of the tree of kept nodes.
func (w *treeWalk) depth(ref uint32) uint32 {
	if w.s.Active == 0 || ref&layout.RefLeaf != 0 || !w.kept(ref) {
		return 0
	}
	_, refs, _ := w.s.Children(ref)
	return 1 + max(w.depth(refs[0]), w.depth(refs[1]))
}

// placeOf is where a node's records begin in the tree's order, if that counts.
func (w *treeWalk) placeOf(slot uint32) uint32 {
	if w.loose {
		return w.begin[slot]
	}
	return 0
}

// firstBelow is the first of a subtree's records, and their number.
func (w *treeWalk) firstBelow(ref uint32) (first, n uint32) {
	if ref&layout.RefLeaf != 0 {
		return layout.LeafRange(ref, w.s.Active)
	}
	_, refs, _ := w.s.Children(ref)
	a, n := w.firstBelow(refs[0])
	b, m := w.firstBelow(refs[1])
	return min(a, b), n + m
}

// compacting is a compacted copy before it is written.
type compacting struct {
	walk    *treeWalk
	numbers []uint32 // by slot, of nodes that are kept
	nodes   uint32
	kind    uint32
	chunks  []vertexChunk // of triangles that take another form
	lists   uint64        // words of their lists, as indexed triangles
	short   uint64        // as short ones
}

// vertexChunk is a chunk of triangles, in the forms of compacted copies.
type vertexChunk struct {
	records    []uint32 // words of indexed triangles
	short      []uint32 // of short ones
	vertices   []uint32 // words
	geometries []uint32 // of the list for wide forms
}

func newHostCompaction(s *inspect.Structure) (*compacting, error) {
	kind := s.LeafKind()
	w, err := walkTree(s, kind == layout.LeafTriangles || layout.IsCompacted(kind))
	if err != nil {
		return nil, err
	}
	c := &compacting{walk: w, kind: kind, numbers: make([]uint32, len(w.level))}
	for first := uint32(0); kind == layout.LeafTriangles && first < s.Active; first += layout.ChunkRecords {
		c.addChunk(first, min(first+layout.ChunkRecords, s.Active))
	}
	c.chooseKind()
	c.chooseLimit()
	for i := range c.numbers {
		if c.numbers[i] = c.nodes; c.walk.kept(uint32(i)) {
			c.nodes++
		}
	}
	return c, nil
}

// addChunk shares the vertices of a chunk.
func (c *compacting) addChunk(first, end uint32) {
	chunk := shareVertices(c.walk, first, end)
	c.chunks = append(c.chunks, chunk)
	c.lists += uint64(len(chunk.vertices))
	if c.indexedKind() == layout.LeafIndexedWide {
		c.lists += uint64(len(chunk.geometries))
	}
	if shortKindOf(c.walk.s) == layout.LeafShortWide {
		c.short += uint64(len(chunk.geometries))
	}
}

func (c *compacting) indexedKind() uint32 {
	if c.walk.s.Geometries > layout.IndexedGeometries {
		return layout.LeafIndexedWide
	}
	return layout.LeafIndexed
}

// shortKindOf is the form of short triangles for a structure's numbers.
func shortKindOf(s *inspect.Structure) uint32 {
	switch {
	case s.Geometries <= layout.ShortGeometries:
		return layout.LeafShort
	case s.Geometries <= layout.ShortMany && s.Primitives <= 1<<layout.ShortManyShift:
		return layout.LeafShortMany
	}
	return layout.LeafShortWide
}

// bytesOf is what triangles take in a form.
func (c *compacting) bytesOf(kind uint32) uint64 {
	n := uint64(c.walk.s.Active)
	switch {
	case layout.IsIndexed(kind):
		return layout.AlignUp(4*(layout.ChunkWordsOf(kind, n)+c.lists), layout.UnitSize)
	case layout.IsCompacted(kind):
		return layout.AlignUp(4*(layout.ChunkWordsOf(kind, n)+c.short), layout.UnitSize)
	}
	return n * layout.LeafSizeOf(kind)
}

// chooseKind finds the form of leaf records, as erCompactKind does.
func (c *compacting) chooseKind() {
	if c.kind != layout.LeafTriangles {
		return
	}
	plain := c.bytesOf(layout.LeafTriangles)
	if c.bytesOf(c.indexedKind()) < plain {
		c.kind = c.indexedKind()
	}
	numbered := shortKindOf(c.walk.s) != layout.LeafShortWide || c.walk.s.Primitives <= 1<<layout.ShortWideShift
	if short := c.bytesOf(shortKindOf(c.walk.s)); numbered && short < plain && short <= c.bytesOf(c.kind) {
		c.kind = shortKindOf(c.walk.s)
	}
}

// chooseLimit finds the most triangles of a leaf, as erLeafLimit does.
func (c *compacting) chooseLimit() {
	w := c.walk
	if !w.collapse {
		return
	}
	leaves, most := c.leafBytes(), uint64(w.s.Primitives)*layout.CompactBytes/8/layout.UnitSize*layout.UnitSize
	strict := w.keepWithin(leaves, most)
	short := shortKindOf(w.s)
	if strict <= most || len(c.chunks) == 0 || layout.IsListed(short) {
		return
	}
	loose := &treeWalk{s: w.s, collapse: true, level: make([]uint8, len(w.level))}
	loose.loosen()
	if loose.keepWithin(c.bytesOf(short), most) >= strict {
		return
	}
	c.walk, c.kind = loose, short
	for i := range c.chunks {
		first := uint32(i) * layout.ChunkRecords
		c.chunks[i] = shareVertices(loose, first, min(first+layout.ChunkRecords, w.s.Active))
	}
}

// keepWithin finds the least limit for nodes and leaves of so many bytes to keep within a number, and returns their bytes.
func (w *treeWalk) keepWithin(leaves, most uint64) uint64 {
	var nodes [levelStays + 1]uint64 // by level
	for _, level := range w.level {
		nodes[level]++
	}
	kept := uint64(0)
	for _, n := range nodes[layout.CompactLeaf+1:] {
		kept += n
	}
	for w.limit = layout.CompactLeaf; w.limit < layout.CompactMost && kept*layout.NodeSize+leaves > most; {
		w.limit++
		kept -= nodes[w.limit]
	}
	return kept*layout.NodeSize + leaves
}

// leafBytes are those of the copy's leaf records.
func (c *compacting) leafBytes() uint64 {
	if s := c.walk.s; layout.IsCompacted(s.LeafKind()) {
		return s.Bytes - s.Leaves
	}
	return c.bytesOf(c.kind)
}

// size is that of the copy.
func (c *compacting) size() uint64 {
	return layout.HeaderSize + uint64(c.nodes)*layout.NodeSize + c.leafBytes()
}

// cornerKey tells vertices apart: by position, by source, or all.
type cornerKey [3]uint32

// shareVertices makes a chunk of triangles, as copy/share.comp does: vertices are in the order of their first corner.
func shareVertices(w *treeWalk, first, end uint32) vertexChunk {
	s := w.s
	sourced := s.Flags&layout.SourcedFlags == layout.SourcedFlags
	firsts := map[cornerKey]uint32{} // vertex numbers
	geometries := map[uint32]uint32{}
	var c vertexChunk
	var set []bool // vertices of triangles that can be hit
	for i := first; i < end; i++ {
		at := s.Leaves + uint64(w.recordAt(i))*layout.TriangleSize
		flags := s.Word(at + layout.TriangleGeometry)
		var word uint32
		for k := range uint32(3) {
			p := cornerKey{s.Word(at + 12*uint64(k)), s.Word(at + 12*uint64(k) + 4), s.Word(at + 12*uint64(k) + 8)}
			key := p
			switch {
			case sourced:
				key = cornerKey{s.Word(at+layout.TriangleCorners) >> (8 * k) & 255}
			case s.Flags&vk.AllowUpdate != 0:
				key = cornerKey{3*(i-first) + k}
			}
			v, ok := firsts[key]
			if !ok {
				v = uint32(len(set))
				firsts[key] = v
				set = append(set, false)
				c.vertices = append(c.vertices, 0, 0, 0)
			}
			if !set[v] && (!sourced || flags&layout.TriangleInactive == 0) {
				set[v] = true
				copy(c.vertices[3*v:], p[:])
			}
			word |= v << (8 * k)
			c.short = append(c.short, p[:]...)
		}
		g := flags & layout.TriangleGeometryMask
		if _, ok := geometries[g]; !ok {
			geometries[g] = uint32(len(c.geometries))
			c.geometries = append(c.geometries, g)
		}
		flags &= layout.TriangleOpaque | layout.TriangleInactive
		primitive := s.Word(at + layout.TrianglePrimitive)
		c.records = append(c.records,
			word|numberOf(g, geometries, s.Geometries > layout.IndexedGeometries)<<layout.IndexedGeometryShift|flags, primitive)
		short := shortKindOf(s)
		c.short = append(c.short, primitive|numberOf(g, geometries, short == layout.LeafShortWide)<<layout.ShortShiftOf(short)|flags)
	}
	return c
}

// numberOf is what stands in a record for a geometry.
func numberOf(g uint32, numbers map[uint32]uint32, wide bool) uint32 {
	if wide {
		return numbers[g]
	}
	return g
}

// write makes the copy.
func (c *compacting) write(dst []byte, address vk.DeviceAddress) {
	s := c.walk.s
	size := c.size()
	dst = dst[:size]
	copy(dst, s.Data[:layout.HeaderSize])
	at := layout.HeaderSize + uint64(c.nodes)*layout.NodeSize
	for i := range c.numbers {
		if !c.walk.kept(uint32(i)) {
			continue
		}
		node := dst[layout.HeaderSize+uint64(c.numbers[i])*layout.NodeSize:][:layout.NodeSize]
		copy(node, s.Data[layout.HeaderSize+uint64(i)*layout.NodeSize:])
		place := c.walk.placeOf(uint32(i))
		_, refs, below := s.Children(uint32(i))
		layout.PutWord(node, layout.NodeChild0, c.renumber(refs[0], place, below[0]))
		layout.PutWord(node, layout.NodeChild1, c.renumber(refs[1], place+below[0], below[1]))
	}
	if c.kind != s.LeafKind() {
		c.writeChunks(dst[at:])
	} else {
		copy(dst[at:], s.Data[s.Leaves:])
	}
	binary.LittleEndian.PutUint64(dst[layout.HeaderSelf:], address)
	if s.Active > 0 {
		layout.PutWord(dst, layout.HeaderRoot, c.renumber(s.Root, 0, s.Active))
	}
	if c.walk.collapse {
		layout.PutWord(dst, layout.HeaderHeight, c.walk.depth(s.Root))
	}
	layout.PutWord(dst, layout.HeaderLeafBlock, uint32(at/64))
	layout.PutWord(dst, layout.HeaderNodeCount, c.nodes)
	layout.PutWord(dst, layout.HeaderLeafKind, c.kind)
	layout.PutWord(dst, layout.HeaderWide, 0)
	binary.LittleEndian.PutUint64(dst[layout.HeaderTotalSize:], size)
}

// renumber finds a node's new number, or the leaf that it has become, of so many records from a place in the tree's order on.
func (c *compacting) renumber(ref, place, count uint32) uint32 {
	switch {
	case ref&layout.RefLeaf == 0 && c.walk.kept(ref):
		return c.numbers[ref]
	case c.walk.loose:
		return layout.LeafRef(place, count, c.walk.s.Active)
	case ref&layout.RefLeaf != 0:
		return ref
	}
	first, n := c.walk.firstBelow(ref)
	return layout.LeafRef(first, n, c.walk.s.Active)
}

// writeChunks writes chunks, and behind all of them their lists.
func (c *compacting) writeChunks(to []byte) {
	put := func(words ...uint32) {
		for _, w := range words {
			layout.PutWord(to, 0, w)
			to = to[4:]
		}
	}
	lists := layout.ChunkWordsOf(c.kind, uint64(c.walk.s.Active))
	for i := range c.chunks {
		k := &c.chunks[i]
		if c.kind == layout.LeafIndexed || !layout.IsListed(c.kind) {
			k.geometries = nil
		}
		records := k.records
		if !layout.IsIndexed(c.kind) {
			k.vertices, records = nil, k.short
		}
		if layout.IsListed(c.kind) {
			put(uint32(lists), uint32(len(k.vertices)/3)|uint32(len(k.geometries))<<layout.ChunkGeometryShift)
		}
		put(records...)
		lists += uint64(len(k.vertices) + len(k.geometries))
	}
	for _, k := range c.chunks {
		put(k.vertices...)
		put(k.geometries...)
	}
	clear(to)
}
