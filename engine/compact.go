package engine

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/bvh"
	"github.com/everray/everray/vk"
)

// Clone copies structures, whose builds have finished, each to new memory, and waits. Bottom levels below a top level are
// not copied with it.
func (d *Device) Clone(ctx context.Context, list []*AccelerationStructure) ([]*AccelerationStructure, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("clone: %w", err)
	}
	defer d.leave()
	sizes := make([]uint64, len(list))
	for i, a := range list {
		if err := a.check(d, fmt.Sprintf("structure %d", i)); err != nil {
			return nil, fmt.Errorf("clone: %w", err)
		}
		sizes[i] = a.size
	}
	out, err := d.copyToNew(ctx, CopyClone, list, sizes)
	if err != nil {
		return nil, fmt.Errorf("clone %d acceleration structures: %w", len(list), err)
	}
	return out, nil
}

// CompactReport says what a call of Compact brought.
type CompactReport struct {
	// Compacted counts the structures that became smaller.
	Compacted int
	// Before and After are the bytes of storage of all structures.
	Before, After uint64
}

// Compact moves structures, which were built with AllowCompaction and are finished, into memory of their compacted size, frees
// what they had, and waits. Those that would not become smaller stay. An AccelerationStructure remains the same Go value, but
// Address changes: compact bottom levels before the top levels over them are built, and write descriptors of top levels
// afterwards. Nobody else uses the structures meanwhile. On an error they all are as before.
func (d *Device) Compact(ctx context.Context, list []*AccelerationStructure) (CompactReport, error) {
	var r CompactReport
	fail := func(err error) (CompactReport, error) {
		return CompactReport{}, fmt.Errorf("compact %d acceleration structures: %w", len(list), err)
	}
	if err := d.enter(); err != nil {
		return fail(err)
	}
	defer d.leave()
	if err := checkDistinct(list); err != nil {
		return fail(err)
	}
	sizes, err := d.Properties(ctx, list, PropertyCompactedSize)
	if err != nil {
		return fail(err)
	}
	var from []*AccelerationStructure
	var to []uint64
	for i, a := range list {
		if sizes[i] == 0 {
			return fail(invalid("%q is not built yet", a.name))
		}
		r.Before += a.size
		r.After += min(a.size, sizes[i])
		if sizes[i] < a.size {
			from, to = append(from, a), append(to, sizes[i])
		}
	}
	small, err := d.copyToNew(ctx, CopyCompact, from, to)
	if err != nil {
		return fail(err)
	}
	for i, a := range from {
		a.storage, small[i].storage = small[i].storage, a.storage
		a.host, small[i].host = small[i].host, a.host
		a.impl, small[i].impl = small[i].impl, a.impl
		a.size = to[i]
		small[i].Destroy()
	}
	r.Compacted = len(from)
	return r, nil
}

// checkDistinct refuses a structure that is there twice.
func checkDistinct(list []*AccelerationStructure) error {
	seen := make(map[*AccelerationStructure]int, len(list))
	for i, a := range list {
		if k, ok := seen[a]; ok {
			return invalid("structures %d and %d are the same", k, i)
		}
		seen[a] = i
	}
	return nil
}

// copyToNew copies structures to new ones of other sizes, and waits.
func (d *Device) copyToNew(ctx context.Context, mode CopyMode, list []*AccelerationStructure,
	sizes []uint64) (out []*AccelerationStructure, err error) {
	defer func() {
		if err != nil {
			destroyAll(out)
			out = nil
		}
	}()
	copies := make([]Copy, len(list))
	for i, a := range list {
		b, err := d.NewAccelerationStructure(a.kind, sizes[i], a.name)
		if err != nil {
			return out, err
		}
		out = append(out, b)
		copies[i] = Copy{Mode: mode, Src: a, Dst: b}
	}
	return out, d.runCopies(ctx, copies)
}

func destroyAll(list []*AccelerationStructure) {
	for _, a := range list {
		a.Destroy()
	}
}

// CopyError is what the device found wrong with a copy. Of blobs, errors.Is finds ErrIncompatible or ErrInvalidBlob in it,
// otherwise ErrInvalid.
type CopyError struct {
	Index  int // of the copy
	Mode   CopyMode
	Status CopyStatus
}

// Error says which copy and why.
func (e *CopyError) Error() string {
	return fmt.Sprintf("copy %d: %v", e.Index, e.Status)
}

// Unwrap returns ErrIncompatible, ErrInvalidBlob or ErrInvalid.
func (e *CopyError) Unwrap() error {
	switch {
	case e.Mode != CopyDeserialize, e.Status == bvh.CopyNoRoom, e.Status == bvh.CopyBadHandle:
		return ErrInvalid
	case e.Status == bvh.CopyIncompatible:
		return ErrIncompatible
	}
	return ErrInvalidBlob
}

// runCopies runs copies and reads their status.
func (d *Device) runCopies(ctx context.Context, copies []Copy) error {
	if len(copies) == 0 {
		return nil
	}
	status, err := d.device.NewBuffer(vk.BufferOptions{Name: "copy status", Size: copyStatusBytes * uint64(len(copies)),
		Memory: vk.Readback})
	if err != nil {
		return err
	}
	defer status.Destroy()
	for i := range copies {
		copies[i].Status = vk.Range{Buffer: status, Offset: copyStatusBytes * uint64(i), Size: copyStatusBytes}
	}
	err = d.device.Run(ctx, "copy acceleration structures", func(cb *vk.CommandBuffer) error {
		d.CmdBarrier(cb)
		defer d.CmdBarrier(cb)
		return d.CmdCopyAccelerationStructures(cb, copies)
	})
	if err != nil {
		return err
	}
	for i := range copies {
		if s := CopyStatus(binary.LittleEndian.Uint32(status.Mapped()[copyStatusBytes*i:])); s != CopyOK {
			return &CopyError{Index: i, Mode: copies[i].Mode, Status: s}
		}
	}
	return nil
}
