package native

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// own returns the Vulkan object, nil for nil.
func own(what string, i int, as driver.AccelerationStructure) (*vk.NativeAccelerationStructure, error) {
	if as == nil {
		return nil, nil
	}
	s, ok := as.(structure)
	if !ok {
		return nil, fmt.Errorf("%s %d: acceleration structure of another device: %w", what, i, driver.ErrInvalid)
	}
	return s.impl, nil
}

// CmdBuildIndirect records one command for the whole batch.
func (d *Driver) CmdBuildIndirect(cb *vk.CommandBuffer, builds []driver.IndirectBuild) error {
	list := make([]vk.AccelerationStructureIndirectBuild, len(builds))
	for i, b := range builds {
		dst, err := own("build", i, b.Dst)
		if err != nil {
			return err
		}
		src, err := own("build", i, b.Src)
		if err != nil {
			return err
		}
		list[i] = vk.AccelerationStructureIndirectBuild{
			Info: b.Info, MaxPrimitives: b.MaxPrimitives, Ranges: b.Address, Stride: b.Stride, Src: src, Dst: dst, Scratch: b.Scratch,
		}
	}
	return cb.BuildAccelerationStructuresIndirect(list)
}

// CmdCopy records one command for each copy. The driver finds no fault: a status is 0.
func (d *Driver) CmdCopy(cb *vk.CommandBuffer, copies []driver.Copy) error {
	for i, c := range copies {
		src, err := own("copy", i, c.Src)
		if err != nil {
			return err
		}
		dst, err := own("copy", i, c.Dst)
		if err != nil {
			return err
		}
		switch c.Mode {
		case vk.CopySerialize:
			cb.SerializeAccelerationStructure(src, c.Blob.Address())
		case vk.CopyDeserialize:
			cb.DeserializeAccelerationStructure(c.Blob.Address(), dst)
		default:
			cb.CopyAccelerationStructure(src, dst, c.Mode)
		}
		if s := c.Status; s.Buffer != nil {
			cb.FillBuffer(s.Buffer, s.Offset, 4, driver.CopyOK)
		}
	}
	return nil
}

// queries are the types of the properties.
var queries = [driver.PropertyCount]uint32{
	driver.CompactedSize: vk.QueryCompactedSize, driver.CurrentSize: vk.QueryAccelerationStructure,
	driver.SerializedSize: vk.QuerySerialSize, driver.BottomLevelPointers: vk.QueryBottomLevelPointers,
}

// CmdWriteProperties asks by queries that live as long as the recording.
func (d *Driver) CmdWriteProperties(cb *vk.CommandBuffer, list []driver.Subject, p driver.Property, dst *vk.Buffer,
	offset uint64) error {
	structures := make([]*vk.NativeAccelerationStructure, len(list))
	for i, s := range list {
		var err error
		if structures[i], err = own("property", i, s.Structure); err != nil {
			return err
		}
	}
	n := uint32(len(list))
	pool, err := cb.TransientQueries(queries[p], n)
	if err != nil {
		return err
	}
	if err := cb.WriteAccelerationStructureProperties(structures, pool, 0); err != nil {
		return err
	}
	return cb.CopyQueries(pool, 0, n, dst, offset)
}

// CheckSerialized asks the driver.
func (d *Driver) CheckSerialized(header [driver.SerializedVersionSize]byte) error {
	ok, err := d.device.CompatibleAccelerationStructure(header)
	if err == nil && !ok {
		err = fmt.Errorf("%w: the driver of %q does not read compatibility UUID %s of driver UUID %s", driver.ErrIncompatible,
			d.device.Physical().Name, uuid.UUID(header[16:]), uuid.UUID(header[:16]))
	}
	return err
}

// CheckBlob knows nothing of what is inside.
func (d *Driver) CheckBlob(vk.AccelerationStructureType, []byte) error { return nil }
