package host

import (
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Copy is one copy by the host, as vkCopyAccelerationStructureKHR and its likes for memory have it: byte by byte what
// Builder.CmdCopy makes of the same source. Src stays as it is, and Dst untouched by others, until the operation is done.
type Copy struct {
	Mode vk.CopyMode
	// Src is the structure or blob, Dst takes the copy. Nothing is written behind it, and nothing at all by a copy that
	// is refused. Property says how much it takes.
	Src, Dst []byte
	// Address is where the device sees Dst, a multiple of Alignment. Blobs need none.
	Address vk.DeviceAddress
	// Driver is for the header of a blob.
	Driver [16]byte
	// BottomLevel is for a top level's blob all of whose handles are structures by now: it returns their bytes, or the
	// headers, as BottomLevelsReady of Copy has the device look at them. Nil: bottom levels may come later.
	BottomLevel func(vk.DeviceAddress) []byte
}

// Copies checks copies, which must not depend on each other, and returns an operation that does them when it is
// joined, each a task. Its Result is ErrNotAStructure, ErrInvalidCopy, ErrIncompatible or ErrInvalidBlob, wrapped: sources
// are not trusted.
func Copies(copies []Copy) (*Operation, error) {
	o := newOperation()
	written := make(map[*byte]int, len(copies))
	for i, c := range copies {
		switch {
		case c.Mode > vk.CopyDeserialize:
			return nil, fmt.Errorf("host copy %d: %w: Mode %d", i, layout.ErrInvalidCopy, c.Mode)
		case c.Mode != vk.CopySerialize && (c.Address == 0 || c.Address%layout.Alignment != 0):
			return nil, fmt.Errorf("host copy %d: %w: Dst address %#x is null or not a multiple of %d", i, layout.ErrInvalidCopy,
				c.Address, layout.Alignment)
		case len(c.Dst) == 0:
			return nil, fmt.Errorf("host copy %d: %w: no destination", i, layout.ErrInvalidCopy)
		}
		if k, ok := written[&c.Dst[0]]; ok {
			return nil, fmt.Errorf("host copy %d: %w: Dst is that of copy %d, too", i, layout.ErrInvalidCopy, k)
		}
		written[&c.Dst[0]] = i
	}
	for i, c := range copies {
		if len(c.Src) == 0 {
			continue
		}
		if k, ok := written[&c.Src[0]]; ok {
			return nil, fmt.Errorf("host copy %d: %w: Src is the Dst of copy %d", i, layout.ErrInvalidCopy, k)
		}
	}
	for i := range copies {
		o.add(&copying{op: o, number: i, Copy: &copies[i]})
	}
	return o, nil
}

// Property is what CmdWriteProperties says of a structure.
func Property(structure []byte, p layout.Property) (uint64, error) {
	s, err := inspect.Open(structure)
	if err != nil {
		return 0, err
	}
	switch p {
	case layout.CompactedSize:
		c, err := newHostCompaction(s)
		if err != nil {
			return 0, err
		}
		return c.size(), nil
	case layout.CurrentSize:
		return s.CurrentSize(), nil
	case layout.SerializedSize:
		return layout.BodyOffset(s.Handles()) + s.Bytes, nil
	case layout.BottomLevelPointers:
		return s.Handles(), nil
	}
	return 0, fmt.Errorf("%w: property %d", layout.ErrInvalidCopy, p)
}

// copying is one copy on its way.
type copying struct {
	*Copy
	op     *Operation
	number int
}

func (c *copying) size() int { return 1 }

func (c *copying) begin() {
	c.op.push(func() {
		if err := c.run(); err != nil {
			c.op.fail("copy", c.number, err)
		}
	})
	c.op.closing()
}

func (c *copying) run() error {
	if c.Mode == vk.CopyDeserialize {
		return c.deserialize()
	}
	s, err := inspect.Open(c.Src)
	if err != nil {
		return err
	}
	switch c.Mode {
	case vk.CopyCompact:
		plan, err := newHostCompaction(s)
		if err != nil {
			return err
		}
		if err := c.room(plan.size()); err != nil {
			return err
		}
		plan.write(c.Dst, c.Address)
	case vk.CopySerialize:
		return c.serialize(s)
	default:
		if err := c.room(s.Bytes); err != nil {
			return err
		}
		copy(c.Dst, s.Data)
		binary.LittleEndian.PutUint64(c.Dst[layout.HeaderSelf:], c.Address)
		w := newHostWidening(c.Dst, false)
		w.run(0, w.slots())
	}
	return nil
}

func (c *copying) room(size uint64) error {
	if uint64(len(c.Dst)) < size {
		return fmt.Errorf("%w: Dst has %d bytes, the copy takes %d", layout.ErrInvalidCopy, len(c.Dst), size)
	}
	return nil
}

// serialize writes a blob: the structure without addresses, and blank where nothing is in use.
func (c *copying) serialize(s *inspect.Structure) error {
	t, err := walkTree(s, false)
	if err != nil {
		return err
	}
	handles := s.Handles()
	body := layout.BodyOffset(handles)
	if err := c.room(body + s.Bytes); err != nil {
		return err
	}
	blob := c.Dst[:body+s.Bytes]
	clear(blob[:body])
	copy(blob[body:], s.Data)
	inner := &inspect.Structure{Leaves: s.Leaves, Data: blob[body:]}
	clear(inner.Data[layout.HeaderSelf : layout.HeaderSelf+8])
	layout.PutWord(inner.Data, layout.HeaderWide, 0)
	for i := range t.level {
		if !t.kept(uint32(i)) {
			node := inner.Data[layout.HeaderSize+i*layout.NodeSize:][:layout.NodeSize]
			clear(node)
			binary.LittleEndian.PutUint64(node[layout.NodeChild0:], ^uint64(0))
		}
	}
	if size := layout.LeafSizeOf(s.LeafKind()); !layout.IsCompacted(s.LeafKind()) {
		clear(inner.Data[s.Leaves+uint64(s.Active)*size:])
	}
	for i := range s.Active {
		if s.Type != vk.TopLevel {
			break
		}
		record := inner.Data[s.Leaves+uint64(i)*layout.InstanceSize:][:layout.InstanceSize]
		if index := s.InstanceIndexAt(i); uint64(index) < handles {
			copy(blob[layout.BlobHandles+8*index:][:8], record[layout.InstanceBLAS:])
		}
		clear(record[layout.InstanceBLAS : layout.InstanceBLAS+8])
	}
	copy(blob[layout.BlobDriver:], c.Driver[:])
	copy(blob[layout.BlobCompat:], layout.Compatibility[:])
	binary.LittleEndian.PutUint64(blob[layout.BlobSerialized:], body+s.Bytes)
	binary.LittleEndian.PutUint64(blob[layout.BlobDeserialized:], s.Bytes)
	binary.LittleEndian.PutUint64(blob[layout.BlobHandleCount:], handles)
	a, b := layout.Checksum(inner.Data)
	for k, w := range []uint32{layout.BlobMagicWord, layout.BlobVersion, a, b} {
		layout.PutWord(blob, int(body)-layout.BlobSize+4*k, w)
	}
	return nil
}

// deserialize makes a structure of a blob that nothing is wrong with.
func (c *copying) deserialize() error {
	if err := inspect.ValidateSerialized(c.Src); err != nil {
		return err
	}
	h, err := inspect.ReadSerializedHeader(c.Src)
	if err != nil {
		return err
	}
	if err := c.room(h.DeserializedSize); err != nil {
		return err
	}
	s, err := inspect.Decode(c.Src[layout.BodyOffset(uint64(len(h.Handles))):h.SerializedSize])
	if err != nil {
		return fmt.Errorf("%w: %w", inspect.ErrInvalidBlob, err)
	}
	headers := make([][]byte, len(h.Handles))
	for i := uint32(0); c.BottomLevel != nil && s.Type == vk.TopLevel && i < s.Active; i++ {
		k := s.InstanceIndexAt(i)
		if h.Handles[k] == 0 {
			continue
		}
		headers[k] = c.BottomLevel(h.Handles[k])
		if len(headers[k]) < layout.HeaderSize {
			return fmt.Errorf("%w: BottomLevel returns %d bytes for handle %d, %#x", layout.ErrInvalidCopy, len(headers[k]), k, h.Handles[k])
		}
		if b, err := inspect.DecodeHeader(headers[k]); err != nil || b.Type != vk.BottomLevel {
			return fmt.Errorf("%w: handle %d, %#x, is no bottom level's address", layout.ErrInvalidCopy, k, h.Handles[k])
		}
	}
	copy(c.Dst, s.Data)
	binary.LittleEndian.PutUint64(c.Dst[layout.HeaderSelf:], c.Address)
	layout.PutWord(c.Dst, layout.HeaderWide, 0)
	for i := uint32(0); s.Type == vk.TopLevel && i < s.Active; i++ {
		k := s.InstanceIndexAt(i)
		restoreInstance(c.Dst[s.Leaves+uint64(i)*layout.InstanceSize:], h.Handles[k], headers[k])
	}
	return nil
}

// restoreInstance gives an instance its bottom level again, and that's header if there is one to look at. Without
// primitives no ray enters it: its mask is 0.
func restoreInstance(record []byte, handle vk.DeviceAddress, header []byte) {
	of := func(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	root := of(record, layout.InstanceRoot)
	if header != nil {
		root = of(header, layout.HeaderRoot)
		layout.PutWord(record, layout.InstanceRoot, root)
		form := layout.FormOf(of(header, layout.HeaderLeafKind), of(header, layout.HeaderActive))
		layout.PutWord(record, layout.InstanceHeight, of(header, layout.HeaderHeight)|form)
		layout.PutWord(record, layout.InstanceLeafBlock, of(header, layout.HeaderLeafBlock))
	}
	binary.LittleEndian.PutUint64(record[layout.InstanceBLAS:], handle)
	if handle == 0 || root == layout.RefNone {
		layout.PutWord(record, layout.InstanceCustomIndexMask, of(record, layout.InstanceCustomIndexMask)&0x00ffffff)
	}
}
