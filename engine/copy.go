package engine

import (
	"fmt"

	"github.com/everray/everray/bvh"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// CopyMode says what a copy does. The values are those of VkCopyAccelerationStructureModeKHR.
type CopyMode = vk.CopyMode

// Values of CopyMode.
const (
	// CopyClone makes the same structure at another address. Dst has the size of Src.
	CopyClone = vk.CopyClone
	// CopyCompact makes a smaller one, of PropertyCompactedSize bytes. Src was built with AllowCompaction.
	CopyCompact = vk.CopyCompact
	// CopySerialize writes Src to Memory, in PropertySerializedSize bytes: a blob, see SerializedHeader.
	CopySerialize = vk.CopySerialize
	// CopyDeserialize makes Dst of the blob in Memory. Dst has the size that the blob's header says.
	CopyDeserialize = vk.CopyDeserialize
)

// CopyStatus is what the device says about a copy.
type CopyStatus = bvh.CopyStatus

const (
	// CopyOK is the status of a copy in which nothing wrong was found.
	CopyOK = bvh.CopyOK
	// blobAlignment is that of a blob's address (VUID-vkCmdCopyAccelerationStructureToMemoryKHR-pInfo-03740).
	blobAlignment   = 256
	copyStatusBytes = 4
)

// Copy is one copy of an acceleration structure.
type Copy struct {
	Mode CopyMode
	// Src is not read by CopyDeserialize, Dst not by CopySerialize. Both are of one type.
	Src, Dst *AccelerationStructure
	// Memory holds the blob, at an address that is a multiple of 256. Size 0 is all up to the end of the buffer; CopySerialize
	// needs PropertySerializedSize bytes.
	Memory vk.Range
	// Status, if it has a buffer, are 4 bytes that get a CopyStatus. On the compute way a blob that is truncated, corrupt or
	// foreign, and a destination that is too small, are found by the device: then Dst is an empty structure, or no blob.
	// Natively all of that is undefined, and the status always CopyOK. The buffer is one that can be copied to. Size may be 0.
	Status vk.Range
	// BottomLevelsReady promises, of a top level's blob, that all its handles are finished bottom levels. On the compute way
	// these may then be others than those that were serialised, compacted ones say; without, they may be made later, by
	// deserialising or cloning, or building again, what the handles stood for. Natively it has no effect.
	BottomLevelsReady bool
}

// CmdCopyAccelerationStructures records copies that do not depend on each other, without barriers around them. Bottom levels
// that a top level refers to are not copied: clones and compacted copies of it refer to the same. What is known of Src for
// later updates and copies holds for Dst.
func (d *Device) CmdCopyAccelerationStructures(cb *vk.CommandBuffer, copies []Copy) error {
	if err := d.checkCommands(cb); err != nil {
		return fmt.Errorf("copy acceleration structures: %w", err)
	}
	if len(copies) == 0 {
		return nil
	}
	list := make([]driver.Copy, len(copies))
	for i, c := range copies {
		fail := func(err error) error { return fmt.Errorf("copy %d of %d: %w", i, len(copies), err) }
		if err := c.complete(d); err != nil {
			return fail(err)
		}
		list[i] = c.translate()
	}
	if err := checkIndependent(copies); err != nil {
		return err
	}
	if err := d.driver.CmdCopy(cb, list); err != nil {
		return fmt.Errorf("copy acceleration structures: %w", err)
	}
	for _, c := range copies {
		switch c.Mode {
		case CopyClone, CopyCompact:
			c.Dst.history.take(&c.Src.history)
		case CopyDeserialize:
			c.Dst.history.forget()
		}
	}
	return nil
}

// translate turns a checked copy into the driver's.
func (c *Copy) translate() driver.Copy {
	t := driver.Copy{Mode: c.Mode, Blob: c.Memory, Status: c.Status, BottomLevelsReady: c.BottomLevelsReady}
	if c.Mode != CopyDeserialize {
		t.Src, t.SrcStorage = c.Src.impl, c.Src.storage
	}
	if c.Mode != CopySerialize {
		t.Dst, t.DstStorage = c.Dst.impl, c.Dst.storage
	}
	return t
}

// complete checks a copy and fills in the sizes of its ranges.
func (c *Copy) complete(d *Device) error {
	if c.Mode > CopyDeserialize {
		return invalid("Mode is %d, want CopyClone, CopyCompact, CopySerialize or CopyDeserialize", c.Mode)
	}
	if c.Mode != CopyDeserialize {
		if err := c.Src.check(d, "Src"); err != nil {
			return err
		}
	}
	if c.Mode != CopySerialize {
		if err := c.Dst.check(d, "Dst"); err != nil {
			return err
		}
	}
	if c.Status.Buffer != nil {
		if err := d.checkBuffer("Status", c.Status.Buffer, usageTransferDst); err != nil {
			return err
		}
		if err := completeRange("Status", &c.Status, copyStatusBytes, copyStatusBytes); err != nil {
			return err
		}
	}
	switch c.Mode {
	case CopySerialize, CopyDeserialize:
		if err := d.checkBuffer("Memory.Buffer", c.Memory.Buffer, 0); err != nil {
			return err
		}
		return completeRange("Memory", &c.Memory, serializedHeaderSize, blobAlignment)
	}
	return c.checkPair()
}

// checkPair applies the rules of copies between two structures.
func (c *Copy) checkPair() error {
	src, dst := c.Src, c.Dst
	switch {
	case src == dst:
		return invalid("Src and Dst are the same structure %q", src.name)
	case src.kind != dst.kind:
		return invalid("Dst %q is a %v, Src %q a %v", dst.name, dst.kind, src.name, src.kind)
	case c.Mode == CopyClone && src.size != dst.size:
		return invalid("Dst %q has %d bytes, a clone of Src %q has its %d", dst.name, dst.size, src.name, src.size)
	case c.Mode == CopyCompact:
		return src.checkCompactable("Src")
	}
	return nil
}

// checkCompactable refuses structures that are known not to be built for compaction.
func (a *AccelerationStructure) checkCompactable(field string) error {
	if info, _, known := a.history.get(); known && info.Flags&vk.AllowCompaction == 0 {
		return invalid("%s %q was built without AllowCompaction in Info.Flags", field, a.name)
	}
	return nil
}

// completeRange checks a range's place and its address, and fills in a size of 0.
func completeRange(field string, r *vk.Range, least, alignment uint64) error {
	have := r.Buffer.Size()
	if r.Offset > have || r.Size > have-r.Offset {
		return invalid("%s is %d bytes at offset %d of buffer %q, which has %d", field, r.Size, r.Offset, r.Buffer.Name(), have)
	}
	if r.Size == 0 {
		r.Size = have - r.Offset
	}
	if r.Size < least {
		return invalid("%s has %d bytes, it takes %d at least", field, r.Size, least)
	}
	if r.Address()%alignment != 0 {
		return invalid("%s has address %#x, which is not a multiple of %d", field, r.Address(), alignment)
	}
	return nil
}

// checkIndependent refuses a structure that one copy writes and another one reads or writes.
func checkIndependent(copies []Copy) error {
	written := make(map[*AccelerationStructure]int, len(copies))
	for i, c := range copies {
		if c.Mode == CopySerialize {
			continue
		}
		if k, ok := written[c.Dst]; ok {
			return fmt.Errorf("copy %d of %d: %w", i, len(copies),
				invalid("Dst %q is that of copy %d, too; copies of one command are independent", c.Dst.name, k))
		}
		written[c.Dst] = i
	}
	for i, c := range copies {
		if c.Mode == CopyDeserialize {
			continue
		}
		if k, ok := written[c.Src]; ok {
			return fmt.Errorf("copy %d of %d: %w", i, len(copies),
				invalid("Src %q is the Dst of copy %d; copies of one command are independent", c.Src.name, k))
		}
	}
	return nil
}
