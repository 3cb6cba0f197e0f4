package engine

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// The header of a blob on both ways, as VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR has it (little endian).
const (
	serializedDriver       = 0
	serializedCompat       = 16
	serializedSize         = 32
	serializedStructure    = 40
	serializedHandleCount  = 48
	serializedHeaderSize   = 56 // handles follow
	serializedHandleBytes  = 8
	serializedVersionBytes = driver.SerializedVersionSize
)

// SerializedHeader is what a blob begins with: who wrote it, the bytes of the blob and of the structure, and for a top level
// one handle for each instance, or each bottom level: addresses where it was serialised. Whoever deserialises it somewhere
// else replaces them by SetSerializedHandles.
type SerializedHeader = inspect.SerializedHeader

// ReadSerializedHeader reads the header of a blob of either way, handles included; what is behind may be missing. Too short a
// blob is refused with an error that wraps ErrInvalidBlob.
func ReadSerializedHeader(blob []byte) (SerializedHeader, error) {
	var h SerializedHeader
	if len(blob) < serializedHeaderSize {
		return h, fmt.Errorf("serialised acceleration structure: %w: %d bytes, the header has %d", ErrInvalidBlob, len(blob),
			serializedHeaderSize)
	}
	copy(h.Driver[:], blob[serializedDriver:])
	copy(h.Compatibility[:], blob[serializedCompat:])
	e := binary.LittleEndian
	h.SerializedSize, h.DeserializedSize = e.Uint64(blob[serializedSize:]), e.Uint64(blob[serializedStructure:])
	n := e.Uint64(blob[serializedHandleCount:])
	if n > uint64(len(blob)-serializedHeaderSize)/serializedHandleBytes {
		return h, fmt.Errorf("serialised acceleration structure: %w: %d handles in %d bytes", ErrInvalidBlob, n, len(blob))
	}
	h.Handles = make([]vk.DeviceAddress, n)
	for k := range h.Handles {
		h.Handles[k] = e.Uint64(blob[serializedHeaderSize+serializedHandleBytes*k:])
	}
	return h, nil
}

// SetSerializedHandles replaces the handles of a blob, in place and in their order: addresses of bottom levels that exist on
// the device which deserialises it. 0 stays 0; on the compute way it makes an instance inactive.
func SetSerializedHandles(blob []byte, handles []vk.DeviceAddress) error {
	h, err := ReadSerializedHeader(blob)
	if err != nil {
		return err
	}
	if len(handles) != len(h.Handles) {
		return fmt.Errorf("serialised acceleration structure: %w", invalid("%d handles for a blob of %d", len(handles), len(h.Handles)))
	}
	for k, a := range handles {
		binary.LittleEndian.PutUint64(blob[serializedHeaderSize+serializedHandleBytes*k:], a)
	}
	return nil
}

// CheckSerialized says whether this device, in this way, deserialises a blob that begins so: nil, or an error that wraps
// ErrIncompatible and says whose blob it is. It looks at the first 32 bytes, like
// vkGetDeviceAccelerationStructureCompatibilityKHR. The compute way reads what it has written on any device; blobs of one
// way are foreign to the other.
func (d *Device) CheckSerialized(header []byte) error {
	if err := d.enter(); err != nil {
		return fmt.Errorf("serialised acceleration structure: %w", err)
	}
	defer d.leave()
	if len(header) < serializedVersionBytes {
		return fmt.Errorf("serialised acceleration structure: %w: %d bytes, its version has %d", ErrInvalidBlob, len(header),
			serializedVersionBytes)
	}
	if d.Backend() == BackendNative && inspect.CheckSerialized(header) {
		return fmt.Errorf("%w: the compute way has serialised it (read it with BackendCompute)", ErrIncompatible)
	}
	return d.driver.CheckSerialized([serializedVersionBytes]byte(header))
}

// Serialize copies structures, whose builds have finished, to blobs, and waits.
func (d *Device) Serialize(ctx context.Context, list []*AccelerationStructure) ([][]byte, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("serialise acceleration structures: %w", err)
	}
	defer d.leave()
	if len(list) == 0 {
		return nil, nil
	}
	blobs, err := d.serialize(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("serialise %d acceleration structures: %w", len(list), err)
	}
	return blobs, nil
}

func (d *Device) serialize(ctx context.Context, list []*AccelerationStructure) ([][]byte, error) {
	sizes, err := d.Properties(ctx, list, PropertySerializedSize)
	if err != nil {
		return nil, err
	}
	for i, s := range sizes {
		if s == 0 {
			return nil, invalid("%q is not built yet", list[i].name)
		}
	}
	offsets, total := placeBlobs(sizes)
	buffer, err := d.device.NewBuffer(vk.BufferOptions{Name: "serialised structures", Size: total, Memory: vk.DeviceLocal,
		Alignment: blobAlignment})
	if err != nil {
		return nil, err
	}
	defer buffer.Destroy()
	copies := make([]Copy, len(list))
	for i, a := range list {
		copies[i] = Copy{Mode: CopySerialize, Src: a, Memory: vk.Range{Buffer: buffer, Offset: offsets[i], Size: sizes[i]}}
	}
	if err := d.runCopies(ctx, copies); err != nil {
		return nil, err
	}
	data := make([]byte, total)
	if err := d.device.ReadBuffer(ctx, buffer, 0, data); err != nil {
		return nil, err
	}
	blobs := make([][]byte, len(list))
	for i, at := range offsets {
		blobs[i] = data[at : at+sizes[i] : at+sizes[i]]
	}
	return blobs, nil
}

// placeBlobs lays blobs one behind the other.
func placeBlobs(sizes []uint64) (offsets []uint64, total uint64) {
	offsets = make([]uint64, len(sizes))
	for i, s := range sizes {
		offsets[i] = total
		total += (s + blobAlignment - 1) &^ (blobAlignment - 1)
	}
	return offsets, total
}

// SerializedInput is one blob to make a structure of.
type SerializedInput struct {
	// Name is for debuggers and errors.
	Name string
	// Type is what was serialised.
	Type vk.AccelerationStructureType
	// Blob is as Serialize returned it, with the handles of this device: see SetSerializedHandles.
	Blob []byte
	// BottomLevelsReady is that of Copy.
	BottomLevelsReady bool
}

// Deserialize allocates and makes structures of blobs, and waits. Blobs of the other way, or of another driver or version, are
// refused with an error that wraps ErrIncompatible; truncated ones, and on the compute way those that are corrupt anywhere but
// in their handles, with one that wraps ErrInvalidBlob. Natively, the driver trusts what is behind the header. On an error
// nothing is left allocated.
//
// Nothing is known of the flags of the result: updates and compaction of one that was not built for it are undefined
// natively.
func (d *Device) Deserialize(ctx context.Context, in []SerializedInput) (out []*AccelerationStructure, err error) {
	defer func() {
		if err != nil {
			destroyAll(out)
			out = nil
		}
	}()
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("deserialise acceleration structures: %w", err)
	}
	defer d.leave()
	if len(in) == 0 {
		return nil, nil
	}
	sizes := make([]uint64, len(in))
	for i, s := range in {
		fail := func(err error) error { return fmt.Errorf("deserialise blob %d (%q): %w", i, s.Name, err) }
		h, err := d.checkBlob(s)
		if err != nil {
			return out, fail(err)
		}
		sizes[i] = h.SerializedSize
		a, err := d.NewAccelerationStructure(s.Type, h.DeserializedSize, s.Name)
		if err != nil {
			return out, fail(err)
		}
		out = append(out, a)
	}
	if err := d.deserialize(ctx, in, sizes, out); err != nil {
		return out, fmt.Errorf("deserialise %d acceleration structures: %w", len(in), err)
	}
	return out, nil
}

// checkBlob checks what the host sees of a blob.
func (d *Device) checkBlob(s SerializedInput) (SerializedHeader, error) {
	if s.Type != vk.TopLevel && s.Type != vk.BottomLevel {
		return SerializedHeader{}, invalid("Type is %v, want top or bottom level", s.Type)
	}
	h, err := ReadSerializedHeader(s.Blob)
	if err != nil {
		return h, err
	}
	if err := d.CheckSerialized(s.Blob); err != nil {
		return h, err
	}
	least := serializedHeaderSize + serializedHandleBytes*uint64(len(h.Handles))
	switch {
	case h.SerializedSize > uint64(len(s.Blob)):
		return h, fmt.Errorf("%w: %d bytes, the header says %d", ErrInvalidBlob, len(s.Blob), h.SerializedSize)
	case h.SerializedSize < least || h.DeserializedSize == 0:
		return h, fmt.Errorf("%w: %d bytes with %d handles for a structure of %d", ErrInvalidBlob, h.SerializedSize, len(h.Handles),
			h.DeserializedSize)
	case s.Type == vk.BottomLevel && len(h.Handles) > 0:
		return h, invalid("Type is %v, but the blob has %d handles", s.Type, len(h.Handles))
	}
	return h, d.driver.CheckBlob(s.Type, s.Blob)
}

// deserialize uploads the blobs and makes the structures.
func (d *Device) deserialize(ctx context.Context, in []SerializedInput, sizes []uint64, out []*AccelerationStructure) error {
	offsets, total := placeBlobs(sizes)
	buffer, err := d.device.NewBuffer(vk.BufferOptions{Name: "serialised structures", Size: total, Memory: vk.DeviceLocal,
		Alignment: blobAlignment})
	if err != nil {
		return err
	}
	defer buffer.Destroy()
	data := make([]byte, total)
	copies := make([]Copy, len(in))
	for i, s := range in {
		copy(data[offsets[i]:], s.Blob[:sizes[i]])
		copies[i] = Copy{
			Mode: CopyDeserialize, Dst: out[i], Memory: vk.Range{Buffer: buffer, Offset: offsets[i], Size: sizes[i]},
			BottomLevelsReady: s.BottomLevelsReady,
		}
	}
	if err := d.device.UploadBuffer(ctx, buffer, 0, data); err != nil {
		return err
	}
	return d.runCopies(ctx, copies)
}
