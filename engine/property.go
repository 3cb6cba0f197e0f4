package engine

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// Property is what can be asked of a structure that is built.
type Property = driver.Property

// Values of Property.
const (
	// PropertyCompactedSize is the size of a compacted copy. The structure was built with AllowCompaction.
	PropertyCompactedSize = driver.CompactedSize
	// PropertyCurrentSize is what the structure takes of its storage. The native way needs Limits.SizeProperties.
	PropertyCurrentSize = driver.CurrentSize
	// PropertySerializedSize is the size of a blob, handles included.
	PropertySerializedSize = driver.SerializedSize
	// PropertyBottomLevelPointers is the number of handles in a blob, 0 for a bottom level. The native way needs
	// Limits.SizeProperties.
	PropertyBottomLevelPointers = driver.BottomLevelPointers
)

// PropertySize is what one answer takes in memory: 64 bits.
const PropertySize = 8

// CmdWriteProperties records a query of each structure. The answers come one behind the other, PropertySize bytes each, to dst
// at offset, a multiple of 8; the buffer is one that can be copied to, as all are that were made without a Usage. The
// structures are read as builds read them and the answers written by a copy or a dispatch: CmdBarrier before and after
// serves both ways.
func (d *Device) CmdWriteProperties(cb *vk.CommandBuffer, structures []*AccelerationStructure, p Property, dst *vk.Buffer,
	offset uint64) error {
	if err := d.checkCommands(cb); err != nil {
		return fmt.Errorf("properties: %w", err)
	}
	if len(structures) == 0 {
		return nil
	}
	list, err := d.checkProperties(structures, p, dst, offset)
	if err == nil {
		err = d.driver.CmdWriteProperties(cb, list, p, dst, offset)
	}
	if err != nil {
		return fmt.Errorf("properties of %d acceleration structures: %w", len(structures), err)
	}
	return nil
}

func (d *Device) checkProperties(structures []*AccelerationStructure, p Property, dst *vk.Buffer, offset uint64) ([]driver.Subject,
	error) {
	if p >= driver.PropertyCount {
		return nil, invalid("property %d is unknown", p)
	}
	if (p == PropertyCurrentSize || p == PropertyBottomLevelPointers) && !d.Limits().SizeProperties {
		return nil, lacking("the device cannot natively, see Limits.SizeProperties (the compute way can)")
	}
	if err := d.checkBuffer("dst", dst, usageTransferDst); err != nil {
		return nil, err
	}
	need := uint64(len(structures)) * PropertySize
	if have := dst.Size(); offset%PropertySize != 0 || need > have || offset > have-need {
		return nil, invalid("offset is %d, want a multiple of %d with %d bytes in the %d of buffer %q", offset, PropertySize, need, have,
			dst.Name())
	}
	list := make([]driver.Subject, len(structures))
	for i, a := range structures {
		if err := a.check(d, fmt.Sprintf("structure %d", i)); err != nil {
			return nil, err
		}
		if p == PropertyCompactedSize {
			if err := a.checkCompactable(fmt.Sprintf("structure %d,", i)); err != nil {
				return nil, err
			}
		}
		list[i] = driver.Subject{Structure: a.impl, Storage: a.storage}
	}
	return list, nil
}

// Properties asks all structures, whose builds have finished, and waits for the answers.
func (d *Device) Properties(ctx context.Context, structures []*AccelerationStructure, p Property) ([]uint64, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("properties: %w", err)
	}
	defer d.leave()
	if len(structures) == 0 {
		return nil, nil
	}
	answers, err := d.device.NewBuffer(vk.BufferOptions{Name: "properties", Size: uint64(len(structures)) * PropertySize,
		Memory: vk.Readback})
	if err != nil {
		return nil, fmt.Errorf("properties: %w", err)
	}
	defer answers.Destroy()
	err = d.device.Run(ctx, "properties", func(cb *vk.CommandBuffer) error {
		d.CmdBarrier(cb)
		return d.CmdWriteProperties(cb, structures, p, answers, 0)
	})
	if err != nil {
		return nil, err
	}
	out := make([]uint64, len(structures))
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(answers.Mapped()[PropertySize*i:])
	}
	return out, nil
}
