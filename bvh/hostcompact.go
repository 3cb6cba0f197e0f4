package bvh

import (
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/vk"
)

// hostTreeWalk is what a walk over a structure finds: the nodes that the tree reaches, or those of its compacted copy, and
// how deep they are.
type hostTreeWalk struct {
	s        *Structure
	collapse bool   // subtrees of few triangles become leaves
	kept     []bool // by slot
	depth    uint32
}

// walkTree checks the tree on the way.
func walkTree(s *Structure, collapse bool) (*hostTreeWalk, error) {
	w := &hostTreeWalk{s: s, collapse: collapse, kept: make([]bool, s.word(headerNodeCount))}
	if s.Active == 0 {
		return w, nil
	}
	return w, w.visit(s.Root, s.Active, 1)
}

func (w *hostTreeWalk) visit(ref, leaves, depth uint32) error {
	if ref&refLeaf != 0 {
		if first, n := leafRange(ref); n != leaves || uint64(first)+uint64(n) > uint64(w.s.Active) {
			return fmt.Errorf("%w: leaf %#x of %d records, %d are expected of %d", ErrNotAStructure, ref, n, leaves, w.s.Active)
		}
		return nil
	}
	if uint64(ref) >= uint64(len(w.kept)) || w.kept[ref] || depth > StackEntries {
		return fmt.Errorf("%w: node %d of %d at depth %d is out of range or reached twice", ErrNotAStructure, ref, len(w.kept), depth)
	}
	_, refs, below := w.s.children(ref)
	if below[0] == 0 || below[1] == 0 || uint64(below[0])+uint64(below[1]) != uint64(leaves) {
		return fmt.Errorf("%w: node %d has %d and %d leaf records, its parent says %d", ErrNotAStructure, ref, below[0], below[1], leaves)
	}
	if _, whole := w.wholeLeaf(ref); whole {
		return nil
	}
	w.kept[ref] = true
	w.depth = max(w.depth, depth)
	for k := range refs {
		if err := w.visit(refs[k], below[k], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// wholeLeaf finds the reference of the leaf that a node becomes: up to compactLeaf triangles that follow each other.
func (w *hostTreeWalk) wholeLeaf(node uint32) (ref uint32, whole bool) {
	if !w.collapse {
		return 0, false
	}
	stack := []uint32{node}
	first, end, count := uint32(refNone), uint32(0), uint32(0)
	for steps := 0; len(stack) > 0 && steps < compactLeaf; steps++ {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		_, refs, below := w.s.children(n)
		if below[0] > compactLeaf || below[1] > compactLeaf || below[0]+below[1] > compactLeaf {
			return 0, false
		}
		for _, c := range refs {
			switch {
			case c&refLeaf != 0:
				at, n := leafRange(c)
				first, end, count = min(first, at), max(end, at+n), count+n
			case uint64(c) >= uint64(len(w.kept)):
				return 0, false
			default:
				stack = append(stack, c)
			}
		}
	}
	return leafRef(first, count), len(stack) == 0 && count <= compactLeaf && end-first == count
}

// hostCompaction is a compacted copy before it is written.
type hostCompaction struct {
	walk    *hostTreeWalk
	numbers []uint32 // by slot, of nodes that are kept
	nodes   uint32
	kind    uint32
	chunks  []hostChunk // of triangles that become indexed ones
	lists   uint64      // words of their lists
}

// hostChunk is a chunk of indexed triangles.
type hostChunk struct {
	records    []uint32 // their words
	lists      []uint32 // words of vertices and geometries
	vertices   uint32
	geometries uint32
}

func newHostCompaction(s *Structure) (*hostCompaction, error) {
	kind := s.leafKind()
	w, err := walkTree(s, kind == leafTriangles || isIndexed(kind))
	if err != nil {
		return nil, err
	}
	c := &hostCompaction{walk: w, kind: kind, numbers: make([]uint32, len(w.kept))}
	for i, kept := range w.kept {
		if c.numbers[i] = c.nodes; kept {
			c.nodes++
		}
	}
	if kind != leafTriangles {
		return c, nil
	}
	for first := uint32(0); first < s.Active; first += chunkRecords {
		chunk := shareVertices(s, first, min(first+chunkRecords, s.Active))
		c.chunks = append(c.chunks, chunk)
		c.lists += uint64(len(chunk.lists))
	}
	if units := (c.chunkWords() + c.lists + 3) / 4; units < uint64(s.Active)*triangleSize/unitSize {
		if c.kind = leafIndexed; s.Geometries > indexedGeometries {
			c.kind = leafIndexedWide
		}
	}
	return c, nil
}

// chunkWords are the words of all chunks, without their lists.
func (c *hostCompaction) chunkWords() uint64 {
	return uint64(len(c.chunks))*chunkWords + uint64(c.walk.s.Active)*indexedWords
}

// size is that of the copy.
func (c *hostCompaction) size() uint64 {
	s := c.walk.s
	at := headerSize + uint64(c.nodes)*nodeSize
	switch {
	case isIndexed(s.leafKind()):
		return at + s.Bytes - s.leaves
	case isIndexed(c.kind):
		return at + alignUp(4*(c.chunkWords()+c.lists), unitSize)
	}
	return at + uint64(s.Active)*leafSizeOf(c.kind)
}

// cornerKey tells vertices apart: by position, by source, or all.
type cornerKey [3]uint32

// shareVertices makes a chunk of triangles, as copy_share.comp does: vertices are in the order of their first corner.
func shareVertices(s *Structure, first, end uint32) hostChunk {
	sourced := s.Flags&sourcedFlags == sourcedFlags
	firsts := map[cornerKey]uint32{} // vertex numbers
	geometries := map[uint32]uint32{}
	var c hostChunk
	var set []bool // vertices of triangles that can be hit
	var list []uint32
	for i := first; i < end; i++ {
		at := s.leaves + uint64(i)*triangleSize
		flags := s.word(at + triangleGeometry)
		var word uint32
		for k := range uint32(3) {
			p := cornerKey{s.word(at + 12*uint64(k)), s.word(at + 12*uint64(k) + 4), s.word(at + 12*uint64(k) + 8)}
			key := p
			switch {
			case sourced:
				key = cornerKey{s.word(at+triangleCorners) >> (8 * k) & 255}
			case s.Flags&vk.AllowUpdate != 0:
				key = cornerKey{3*(i-first) + k}
			}
			v, ok := firsts[key]
			if !ok {
				v = uint32(len(set))
				firsts[key] = v
				set = append(set, false)
				c.lists = append(c.lists, 0, 0, 0)
			}
			if !set[v] && (!sourced || flags&triangleInactive == 0) {
				set[v] = true
				copy(c.lists[3*v:], p[:])
			}
			word |= v << (8 * k)
		}
		g := flags & triangleGeometryMask
		if s.Geometries > indexedGeometries {
			if _, ok := geometries[g]; !ok {
				geometries[g] = uint32(len(list))
				list = append(list, g)
			}
			g = geometries[g]
		}
		c.records = append(c.records, word|g<<indexedGeometryShift|flags&(triangleOpaque|triangleInactive), s.word(at+trianglePrimitive))
	}
	c.vertices, c.geometries = uint32(len(set)), uint32(len(list))
	c.lists = append(c.lists, list...)
	return c
}

// write makes the copy.
func (c *hostCompaction) write(dst []byte, address vk.DeviceAddress) {
	s := c.walk.s
	size := c.size()
	dst = dst[:size]
	copy(dst, s.data[:headerSize])
	at := headerSize + uint64(c.nodes)*nodeSize
	for i, kept := range c.walk.kept {
		if !kept {
			continue
		}
		node := dst[headerSize+uint64(c.numbers[i])*nodeSize:][:nodeSize]
		copy(node, s.data[headerSize+uint64(i)*nodeSize:])
		for _, offset := range [2]int{nodeChild0, nodeChild1} {
			putWord(node, offset, c.renumber(binary.LittleEndian.Uint32(node[offset:])))
		}
	}
	if isIndexed(c.kind) && !isIndexed(s.leafKind()) {
		c.writeChunks(dst[at:])
	} else {
		copy(dst[at:], s.data[s.leaves:])
	}
	binary.LittleEndian.PutUint64(dst[headerSelf:], address)
	if s.Active > 0 {
		putWord(dst, headerRoot, c.renumber(s.Root))
	}
	if c.walk.collapse {
		putWord(dst, headerHeight, c.walk.depth)
	}
	putWord(dst, headerLeafBlock, uint32(at/64))
	putWord(dst, headerNodeCount, c.nodes)
	putWord(dst, headerLeafKind, c.kind)
	binary.LittleEndian.PutUint64(dst[headerTotalSize:], size)
}

// renumber finds a node's new number, or the leaf that it has become.
func (c *hostCompaction) renumber(ref uint32) uint32 {
	if ref&refLeaf != 0 {
		return ref
	}
	if c.walk.kept[ref] {
		return c.numbers[ref]
	}
	leaf, _ := c.walk.wholeLeaf(ref)
	return leaf
}

// writeChunks writes chunks, and behind all of them their lists.
func (c *hostCompaction) writeChunks(to []byte) {
	put := func(words ...uint32) {
		for _, w := range words {
			putWord(to, 0, w)
			to = to[4:]
		}
	}
	lists := c.chunkWords()
	for _, k := range c.chunks {
		put(uint32(lists), k.vertices|k.geometries<<chunkGeometryShift)
		put(k.records...)
		lists += uint64(len(k.lists))
	}
	for _, k := range c.chunks {
		put(k.lists...)
	}
	clear(to)
}
