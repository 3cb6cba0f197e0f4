package bvh

import (
	"fmt"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Range is a part of memory. Size 0 is all up to the memory's end.
type Range struct {
	Buffer       vk.Memory
	Offset, Size uint64
}

// Address is the device address of the first byte.
func (r Range) Address() vk.DeviceAddress { return r.Buffer.Address() + r.Offset }

// missing tells whether there is no memory: nil, or a buffer that is nil.
func missing(m vk.Memory) bool {
	b, isBuffer := m.(*vk.Buffer)
	return m == nil || isBuffer && b == nil
}

// Copy is one copy of a batch.
//
// A clone is the structure's bytes under its new address, and its wide nodes if there is room. A compacted copy is without the
// node slots and leaf records that a build leaves unused, and triangles share vertices and leaves (see the package); nodes keep
// their order, records as a rule, hits are the same, and compacting a compacted copy changes nothing. Both keep the addresses of
// bottom levels.
// For blobs see SerializedHeader.
type Copy struct {
	Mode vk.CopyMode
	// Src and Dst are memory at addresses that are multiples of Alignment. Size 0 is all up to the end of the buffer.
	// Nothing outside is read or written; what is behind a structure or blob in Dst may be overwritten if the copy fails.
	Src, Dst Range
	// Status, if not 0, is the address of 4 bytes that get a CopyStatus. If that is not CopyOK then Dst is a structure
	// without primitives, or no blob.
	Status vk.DeviceAddress
	// BottomLevelsReady is for a top level's blob all of whose handles are structures by now, finished before this
	// copy. It takes roots and heights from their headers, so that they may be other structures than those serialised,
	// say compacted ones. Without, bottom levels may come later, in the layout that they had: deserialised, cloned, or
	// built again from the same input.
	BottomLevelsReady bool
}

// CopyStatus is what the device says about a copy.
type CopyStatus uint32

// Values of CopyStatus.
const (
	CopyOK            CopyStatus = iota
	CopyNotAStructure            // the source, or what a blob holds, is no structure of this version
	CopyNoRoom                   // Dst is too small
	CopyIncompatible             // the blob's compatibility UUID is not ours
	CopyTruncated                // Src is shorter than its header says
	CopyBadHeader                // sizes and counts contradict each other
	CopyBadNode                  // the nodes are no tree over the leaf records, or not in the order that updates rely on
	CopyBadLeaf                  // a leaf record names what the header does not have
	CopyBadChecksum
	CopyBadHandle // BottomLevelsReady, and a handle is no bottom level's address
)

func (s CopyStatus) String() string {
	names := [...]string{"ok", "not an acceleration structure of this version", "destination too small", "incompatible", "truncated",
		"contradictory header", "corrupt node", "corrupt leaf", "wrong checksum", "handle that is no bottom level's address"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("copy status %d", uint32(s))
}

// CmdCopy records all copies as one set of dispatches, with barriers between its own dispatches, none before the first
// and none after the last. Copies of one batch must not depend on each other. It refuses what the host can see.
func (b *Builder) CmdCopy(cb Recorder, copies []Copy) error {
	if len(copies) == 0 {
		return nil
	}
	batch := copyBatch{driver: b.dev.Physical().DriverUUID, block: b.lanes}
	for i, c := range copies {
		if err := checkCopy(&c); err != nil {
			return fmt.Errorf("copy %d: %w", i, err)
		}
		if err := batch.add(copyJob{mode: uint32(c.Mode), src: c.Src, dst: c.Dst, status: c.Status,
			ready: c.BottomLevelsReady}); err != nil {
			return fmt.Errorf("copy %d: %w", i, err)
		}
	}
	if err := b.recordCopies(cb, &batch, "bvh copy"); err != nil {
		return fmt.Errorf("copy of %d acceleration structures: %w", len(copies), err)
	}
	return nil
}

// checkCopy checks a copy and completes its ranges.
func checkCopy(c *Copy) error {
	if c.Mode > vk.CopyDeserialize {
		return fmt.Errorf("%w: Mode %d", ErrInvalidCopy, c.Mode)
	}
	if c.Status%4 != 0 {
		return fmt.Errorf("%w: Status address %#x is not a multiple of 4", ErrInvalidCopy, c.Status)
	}
	stated := c.Src.Size
	leastSrc, leastDst := uint64(layout.HeaderSize), uint64(layout.HeaderSize)
	switch c.Mode {
	case vk.CopySerialize:
		leastDst = layout.SmallestBlob
	case vk.CopyDeserialize:
		leastSrc = layout.BlobHandles // so that a truncated blob is found by the device, like any other fault
	}
	if err := completeRange("Src", &c.Src, leastSrc); err != nil {
		return err
	}
	if err := completeRange("Dst", &c.Dst, leastDst); err != nil {
		return err
	}
	if c.Mode == vk.CopyClone && stated > c.Dst.Size {
		return fmt.Errorf("%w: Dst has %d bytes, a clone of Src takes %d", ErrInvalidCopy, c.Dst.Size, stated)
	}
	if a, b := c.Src.Address(), c.Dst.Address(); a < b+c.Dst.Size && b < a+c.Src.Size {
		return fmt.Errorf("%w: Src and Dst overlap; name their sizes", ErrInvalidCopy)
	}
	return nil
}

// completeRange checks a range's place and fills in a size of 0.
func completeRange(field string, r *Range, least uint64) error {
	if missing(r.Buffer) {
		return fmt.Errorf("%w: %s has no buffer", ErrInvalidCopy, field)
	}
	have := r.Buffer.Size()
	if r.Offset > have || r.Size > have-r.Offset {
		return fmt.Errorf("%w: %s is %d bytes at offset %d of buffer %q, which has %d", ErrInvalidCopy, field, r.Size,
			r.Offset, r.Buffer.Name(), have)
	}
	if r.Size == 0 {
		r.Size = have - r.Offset
	}
	if r.Size < least {
		return fmt.Errorf("%w: %s has %d bytes, it takes %d at least", ErrInvalidCopy, field, r.Size, least)
	}
	if r.Address()%Alignment != 0 {
		return fmt.Errorf("%w: %s address %#x is not a multiple of %d", ErrInvalidCopy, field, r.Address(), Alignment)
	}
	return nil
}
