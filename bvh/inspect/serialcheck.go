package inspect

import (
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// ValidateSerialized checks a blob completely, in time linear in its size: header, sizes, checksum, and that the nodes
// are a tree that reaches every leaf record once, as deep as the header says and no deeper than traversal's stack
// allows, and in postorder if it may be updated. It returns ErrIncompatible or ErrInvalidBlob, wrapped. Handles are the caller's
// business. The device makes the same checks when it deserialises.
func ValidateSerialized(blob []byte) error {
	h, err := ReadSerializedHeader(blob)
	if err != nil {
		return err
	}
	body := layout.BodyOffset(uint64(len(h.Handles)))
	size := uint64(len(blob))
	switch {
	case h.SerializedSize > size:
		return fmt.Errorf("%w: %d bytes, the header says %d", ErrInvalidBlob, size, h.SerializedSize)
	case h.SerializedSize < body || h.SerializedSize-body != h.DeserializedSize || h.DeserializedSize < layout.HeaderSize:
		return fmt.Errorf("%w: %d bytes are no structure of %d bytes and %d handles", ErrInvalidBlob, h.SerializedSize,
			h.DeserializedSize, len(h.Handles))
	}
	own := blob[body-layout.BlobSize : body]
	structure := blob[body:h.SerializedSize]
	word := func(k int) uint32 { return binary.LittleEndian.Uint32(own[4*k:]) }
	if word(0) != layout.BlobMagicWord || word(1) != layout.BlobVersion {
		return fmt.Errorf("%w: no magic number behind the handles", ErrInvalidBlob)
	}
	if a, b := layout.Checksum(structure); a != word(2) || b != word(3) {
		return fmt.Errorf("%w: the checksum is %#x %#x, the blob says %#x %#x", ErrInvalidBlob, a, b, word(2), word(3))
	}
	s, err := Decode(structure)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidBlob, err)
	}
	c := treeCheck{s: s}
	if err := c.header(uint64(len(structure)), uint64(len(h.Handles))); err != nil {
		return err
	}
	return c.tree()
}

// treeCheck checks a structure that nobody vouches for.
type treeCheck struct {
	s        *Structure
	slots    uint64 // of nodes
	kind     uint32
	leafSize uint64
}

func (c *treeCheck) header(size, handles uint64) error {
	s := c.s
	bad := func(what string, v ...any) error {
		return fmt.Errorf("%w: header: "+what, append([]any{ErrInvalidBlob}, v...)...)
	}
	c.slots = uint64(s.Word(layout.HeaderNodeCount))
	c.kind = s.Word(layout.HeaderLeafKind)
	c.leafSize = layout.LeafSizeOf(c.kind)
	top := s.Type == vk.TopLevel
	leafAt := layout.HeaderSize + c.slots*layout.NodeSize
	switch {
	case s.Bytes != size:
		return bad("%d bytes, there are %d", s.Bytes, size)
	case s.Type != vk.TopLevel && s.Type != vk.BottomLevel, top != (c.kind == layout.LeafInstances), c.kind > layout.LeafShortWide:
		return bad("type %d with leaves of kind %d", s.Type, c.kind)
	case s.Primitives > layout.MaxPrimitives, s.Active > s.mostActive(), s.Geometries > layout.MaxGeometries,
		c.slots > layout.MaxPrimitives:
		return bad("%d of %d primitives, %d geometries, %d nodes", s.Active, s.Primitives, s.Geometries, c.slots)
	case top && handles != uint64(s.Primitives), !top && handles != 0:
		return bad("%d primitives, there are %d handles", s.Primitives, handles)
	case s.Leaves != leafAt, leafAt > size, size%layout.UnitSize != 0, !c.fits(size - leafAt):
		return bad("%d nodes and %d leaf records at %d in %d bytes", c.slots, s.Active, s.Leaves, size)
	case s.Height > s.MostHeight():
		return bad("height %d, a tree of this level has %d at most", s.Height, s.MostHeight())
	case (s.Active == 0) != (s.Root == layout.RefNone), s.Root&layout.RefLeaf == 0 && uint64(s.Root) >= c.slots:
		return bad("root %#x of %d nodes and %d leaf records", s.Root, c.slots, s.Active)
	}
	return nil
}

// fits tells whether a number of bytes is all that leaf records take, and enough.
func (c *treeCheck) fits(region uint64) bool {
	if layout.IsCompacted(c.kind) {
		return c.s.checkCompacted() == nil // corners, too
	}
	n := region / c.leafSize
	return region == n*c.leafSize && n >= uint64(c.s.Active)
}

// visit is a child still to look at.
type visit struct {
	ref, leaves, depth uint32
}

func (c *treeCheck) tree() error {
	s := c.s
	seen := make([]bool, c.slots)
	records := make([]bool, s.Active)
	var height, reached uint32
	inOrder := s.Flags&vk.AllowUpdate != 0
	next := s.Root // node, going back through postorder
	var stack []visit
	if s.Active > 0 {
		stack = append(stack, visit{ref: s.Root, leaves: s.Active})
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v.ref&layout.RefLeaf != 0 {
			if err := c.leaf(v, records); err != nil {
				return err
			}
			reached += v.leaves
			height = max(height, v.depth)
			continue
		}
		if uint64(v.ref) >= c.slots || seen[v.ref] {
			return fmt.Errorf("%w: node %d of %d is out of range or reached twice", ErrInvalidBlob, v.ref, c.slots)
		}
		if inOrder && v.ref != next {
			return fmt.Errorf("%w: node %d is not in postorder, where updates look for it", ErrInvalidBlob, v.ref)
		}
		next--
		seen[v.ref] = true
		_, refs, leaves := s.Children(v.ref)
		if leaves[0] == 0 || leaves[1] == 0 || uint64(leaves[0])+uint64(leaves[1]) != uint64(v.leaves) {
			return fmt.Errorf("%w: node %d has %d and %d leaf records, its parent says %d", ErrInvalidBlob, v.ref, leaves[0],
				leaves[1], v.leaves)
		}
		for k := range refs {
			stack = append(stack, visit{refs[k], leaves[k], v.depth + 1})
		}
	}
	if reached != s.Active || height != s.Height {
		return fmt.Errorf("%w: %d leaf records to depth %d, the header says %d and %d", ErrInvalidBlob, reached, height,
			s.Active, s.Height)
	}
	if inOrder && s.Root&layout.RefLeaf == 0 && next != ^uint32(0) {
		return fmt.Errorf("%w: the root is node %d, and there are %d before the first in postorder", ErrInvalidBlob, s.Root, next+1)
	}
	return c.unused(seen)
}

// leaf checks a leaf's records and takes them, each once.
func (c *treeCheck) leaf(v visit, seen []bool) error {
	first, n := layout.LeafRange(v.ref, c.s.Active)
	if n != v.leaves || uint64(first)+uint64(n) > uint64(len(seen)) {
		return fmt.Errorf("%w: leaf %#x of %d records, %d are there and %d are expected", ErrInvalidBlob, v.ref, n, len(seen), v.leaves)
	}
	for i := first; i < first+n; i++ {
		if seen[i] {
			return fmt.Errorf("%w: leaf record %d is reached twice", ErrInvalidBlob, i)
		}
		seen[i] = true
		if err := c.record(i); err != nil {
			return err
		}
	}
	return nil
}

func (c *treeCheck) record(i uint32) error {
	s := c.s
	at := s.Leaves + uint64(i)*c.leafSize
	if c.kind == layout.LeafInstances {
		index, root, height, block := s.Word(at+layout.InstanceIndex), s.Word(at+layout.InstanceRoot),
			s.Word(at+layout.InstanceHeight), s.Word(at+layout.InstanceLeafBlock)
		inner := root&layout.RefLeaf == 0
		fits := block >= layout.HeaderSize/64 && block-layout.HeaderSize/64 <= layout.MaxPrimitives &&
			height&layout.InstanceHeightMask <= layout.MostHeightBottom
		if index >= s.Primitives || root != layout.RefNone &&
			(!fits || inner && root >= block-layout.HeaderSize/64 || !inner && height&layout.InstanceHeightMask != 0) {
			return fmt.Errorf("%w: instance record %d: index %d, root %#x, height %d, leaves at %d", ErrInvalidBlob, i, index, root,
				height, block)
		}
		return nil
	}
	var g, p uint32
	switch {
	case layout.IsCompacted(c.kind):
		t := s.compactedTriangle(i)
		g, p = t.Geometry, t.Primitive
	case c.kind == layout.LeafBoxes:
		g, p = s.Word(at+layout.BoxGeometry)&layout.TriangleGeometryMask, s.Word(at+layout.BoxPrimitive)
	default:
		g, p = s.Word(at+layout.TriangleGeometry)&layout.TriangleGeometryMask, s.Word(at+layout.TrianglePrimitive)
	}
	if g >= s.Geometries || p >= s.Primitives {
		return fmt.Errorf("%w: leaf record %d: primitive %d of geometry %d; there are %d of %d", ErrInvalidBlob, i, p, g,
			s.Primitives, s.Geometries)
	}
	return nil
}

// unused checks that slots which the tree does not reach are blank.
func (c *treeCheck) unused(seen []bool) error {
	for i, used := range seen {
		if used {
			continue
		}
		if _, refs, _ := c.s.Children(uint32(i)); refs[0] != layout.RefNone || refs[1] != layout.RefNone {
			return fmt.Errorf("%w: nothing refers to node %d", ErrInvalidBlob, i)
		}
	}
	return nil
}
