package bvh

import (
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/vk"
)

// HostCopy is one copy by the host, as vkCopyAccelerationStructureKHR and its likes for memory have it: byte by byte what
// Builder.CmdCopy makes of the same source. Src stays as it is, and Dst untouched by others, until the operation is done.
type HostCopy struct {
	Mode vk.CopyMode
	// Src is the structure or blob, Dst takes the copy. Nothing is written behind it, and nothing at all by a copy that
	// is refused. HostProperty says how much it takes.
	Src, Dst []byte
	// Address is where the device sees Dst, a multiple of Alignment. Blobs need none.
	Address vk.DeviceAddress
	// Driver is for the header of a blob.
	Driver [16]byte
	// BottomLevel is for a top level's blob all of whose handles are structures by now: it returns their bytes, or the
	// headers, as BottomLevelsReady of Copy has the device look at them. Nil: bottom levels may come later.
	BottomLevel func(vk.DeviceAddress) []byte
}

// HostCopies checks copies, which must not depend on each other, and returns an operation that does them when it is
// joined, each a task. Its Result is ErrNotAStructure, ErrInvalidCopy, ErrIncompatible or ErrInvalidBlob, wrapped: sources
// are not trusted.
func HostCopies(copies []HostCopy) (*Operation, error) {
	o := newOperation()
	written := make(map[*byte]int, len(copies))
	for i, c := range copies {
		switch {
		case c.Mode > CopyDeserialize:
			return nil, fmt.Errorf("host copy %d: %w: Mode %d", i, ErrInvalidCopy, c.Mode)
		case c.Mode != CopySerialize && (c.Address == 0 || c.Address%Alignment != 0):
			return nil, fmt.Errorf("host copy %d: %w: Dst address %#x is null or not a multiple of %d", i, ErrInvalidCopy, c.Address, Alignment)
		case len(c.Dst) == 0:
			return nil, fmt.Errorf("host copy %d: %w: no destination", i, ErrInvalidCopy)
		}
		if k, ok := written[&c.Dst[0]]; ok {
			return nil, fmt.Errorf("host copy %d: %w: Dst is that of copy %d, too", i, ErrInvalidCopy, k)
		}
		written[&c.Dst[0]] = i
	}
	for i, c := range copies {
		if len(c.Src) == 0 {
			continue
		}
		if k, ok := written[&c.Src[0]]; ok {
			return nil, fmt.Errorf("host copy %d: %w: Src is the Dst of copy %d", i, ErrInvalidCopy, k)
		}
	}
	for i := range copies {
		o.add(&hostCopy{op: o, number: i, HostCopy: &copies[i]})
	}
	return o, nil
}

// HostProperty is what CmdWriteProperties says of a structure.
func HostProperty(structure []byte, p Property) (uint64, error) {
	s, err := Open(structure)
	if err != nil {
		return 0, err
	}
	switch p {
	case CompactedSize:
		c, err := newHostCompaction(s)
		if err != nil {
			return 0, err
		}
		return c.size(), nil
	case CurrentSize:
		return s.currentSize(), nil
	case SerializedSize:
		return bodyOffset(s.handles()) + s.Bytes, nil
	case BottomLevelPointers:
		return s.handles(), nil
	}
	return 0, fmt.Errorf("%w: property %d", ErrInvalidCopy, p)
}

// handles is the number of handles in a blob.
func (s *Structure) handles() uint64 {
	if s.Type == vk.TopLevel {
		return uint64(s.Primitives)
	}
	return 0
}

// hostCopy is one copy on its way.
type hostCopy struct {
	*HostCopy
	op     *Operation
	number int
}

func (c *hostCopy) size() int { return 1 }

func (c *hostCopy) begin() {
	c.op.push(func() {
		if err := c.run(); err != nil {
			c.op.fail("copy", c.number, err)
		}
	})
	c.op.closing()
}

func (c *hostCopy) run() error {
	if c.Mode == CopyDeserialize {
		return c.deserialize()
	}
	s, err := Open(c.Src)
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
	case CopySerialize:
		return c.serialize(s)
	default:
		if err := c.room(s.Bytes); err != nil {
			return err
		}
		copy(c.Dst, s.data)
		binary.LittleEndian.PutUint64(c.Dst[headerSelf:], c.Address)
		w := newHostWidening(c.Dst, false)
		w.run(0, w.slots())
	}
	return nil
}

func (c *hostCopy) room(size uint64) error {
	if uint64(len(c.Dst)) < size {
		return fmt.Errorf("%w: Dst has %d bytes, the copy takes %d", ErrInvalidCopy, len(c.Dst), size)
	}
	return nil
}

// serialize writes a blob: the structure without addresses, and blank where nothing is in use.
func (c *hostCopy) serialize(s *Structure) error {
	t, err := walkTree(s, false)
	if err != nil {
		return err
	}
	handles := s.handles()
	body := bodyOffset(handles)
	if err := c.room(body + s.Bytes); err != nil {
		return err
	}
	blob := c.Dst[:body+s.Bytes]
	clear(blob[:body])
	copy(blob[body:], s.data)
	inner := &Structure{leaves: s.leaves, data: blob[body:]}
	clear(inner.data[headerSelf : headerSelf+8])
	putWord(inner.data, headerWide, 0)
	for i := range t.level {
		if !t.kept(uint32(i)) {
			node := inner.data[headerSize+i*nodeSize:][:nodeSize]
			clear(node)
			binary.LittleEndian.PutUint64(node[nodeChild0:], ^uint64(0))
		}
	}
	if size := leafSizeOf(s.leafKind()); !isCompacted(s.leafKind()) {
		clear(inner.data[s.leaves+uint64(s.Active)*size:])
	}
	for i := range s.Active {
		if s.Type != vk.TopLevel {
			break
		}
		record := inner.data[s.leaves+uint64(i)*instanceSize:][:instanceSize]
		if index := s.instanceIndexAt(i); uint64(index) < handles {
			copy(blob[blobHandles+8*index:][:8], record[instanceBLAS:])
		}
		clear(record[instanceBLAS : instanceBLAS+8])
	}
	copy(blob[blobDriver:], c.Driver[:])
	copy(blob[blobCompat:], compatibility[:])
	binary.LittleEndian.PutUint64(blob[blobSerialized:], body+s.Bytes)
	binary.LittleEndian.PutUint64(blob[blobDeserialized:], s.Bytes)
	binary.LittleEndian.PutUint64(blob[blobHandleCount:], handles)
	a, b := checksum(inner.data)
	for k, w := range []uint32{blobMagicWord, blobVersion, a, b} {
		putWord(blob, int(body)-blobSize+4*k, w)
	}
	return nil
}

// deserialize makes a structure of a blob that nothing is wrong with.
func (c *hostCopy) deserialize() error {
	if err := ValidateSerialized(c.Src); err != nil {
		return err
	}
	h, err := ReadSerializedHeader(c.Src)
	if err != nil {
		return err
	}
	if err := c.room(h.DeserializedSize); err != nil {
		return err
	}
	s, err := Decode(c.Src[bodyOffset(uint64(len(h.Handles))):h.SerializedSize])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidBlob, err)
	}
	headers := make([][]byte, len(h.Handles))
	for i := uint32(0); c.BottomLevel != nil && s.Type == vk.TopLevel && i < s.Active; i++ {
		k := s.instanceIndexAt(i)
		if h.Handles[k] == 0 {
			continue
		}
		headers[k] = c.BottomLevel(h.Handles[k])
		if len(headers[k]) < headerSize {
			return fmt.Errorf("%w: BottomLevel returns %d bytes for handle %d, %#x", ErrInvalidCopy, len(headers[k]), k, h.Handles[k])
		}
		if b, err := decodeHeader(headers[k]); err != nil || b.Type != vk.BottomLevel {
			return fmt.Errorf("%w: handle %d, %#x, is no bottom level's address", ErrInvalidCopy, k, h.Handles[k])
		}
	}
	copy(c.Dst, s.data)
	binary.LittleEndian.PutUint64(c.Dst[headerSelf:], c.Address)
	putWord(c.Dst, headerWide, 0)
	for i := uint32(0); s.Type == vk.TopLevel && i < s.Active; i++ {
		k := s.instanceIndexAt(i)
		restoreInstance(c.Dst[s.leaves+uint64(i)*instanceSize:], h.Handles[k], headers[k])
	}
	return nil
}

// restoreInstance gives an instance its bottom level again, and that's header if there is one to look at. Without
// primitives no ray enters it: its mask is 0.
func restoreInstance(record []byte, handle vk.DeviceAddress, header []byte) {
	of := func(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	root := of(record, instanceRoot)
	if header != nil {
		root = of(header, headerRoot)
		putWord(record, instanceRoot, root)
		putWord(record, instanceHeight, of(header, headerHeight)|leafForm(of(header, headerLeafKind)))
		putWord(record, instanceLeafBlock, of(header, headerLeafBlock))
	}
	binary.LittleEndian.PutUint64(record[instanceBLAS:], handle)
	if handle == 0 || root == refNone {
		putWord(record, instanceCustomIndexMask, of(record, instanceCustomIndexMask)&0x00ffffff)
	}
}
