package inspect

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Errors about blobs.
var (
	// ErrIncompatible is returned for blobs of other implementations or versions.
	ErrIncompatible = vk.ErrIncompatible
	// ErrInvalidBlob is returned for blobs that are truncated or corrupt.
	ErrInvalidBlob = vk.ErrInvalidBlob
)

// SerializedHeader is what a blob begins with.
type SerializedHeader struct {
	Driver, Compatibility uuid.UUID
	SerializedSize        uint64 // bytes of the blob
	DeserializedSize      uint64 // bytes of the structure
	Handles               []vk.DeviceAddress
}

// CheckSerialized tells whether this version reads blobs with such a header, of which 32 bytes matter: the answer of
// vkGetDeviceAccelerationStructureCompatibilityKHR. Any device reads what any other has written.
func CheckSerialized(header []byte) bool {
	return len(header) >= layout.BlobCompat+len(layout.Compatibility) &&
		bytes.Equal(header[layout.BlobCompat:layout.BlobCompat+len(layout.Compatibility)], layout.Compatibility[:])
}

// ReadSerializedHeader reads the header of a blob, handles included; what is behind may be missing.
func ReadSerializedHeader(blob []byte) (SerializedHeader, error) {
	var h SerializedHeader
	if len(blob) < layout.BlobHandles {
		return h, fmt.Errorf("%w: %d bytes, the header has %d", ErrInvalidBlob, len(blob), layout.BlobHandles)
	}
	copy(h.Driver[:], blob[layout.BlobDriver:])
	copy(h.Compatibility[:], blob[layout.BlobCompat:])
	if !CheckSerialized(blob) {
		return h, fmt.Errorf("%w: compatibility UUID %s, we read %s", ErrIncompatible, h.Compatibility, layout.Compatibility)
	}
	h.SerializedSize = binary.LittleEndian.Uint64(blob[layout.BlobSerialized:])
	h.DeserializedSize = binary.LittleEndian.Uint64(blob[layout.BlobDeserialized:])
	n := binary.LittleEndian.Uint64(blob[layout.BlobHandleCount:])
	if n > layout.MaxPrimitives || n > uint64(len(blob)-layout.BlobHandles)/8 {
		return h, fmt.Errorf("%w: %d handles in %d bytes", ErrInvalidBlob, n, len(blob))
	}
	for k := range n {
		h.Handles = append(h.Handles, binary.LittleEndian.Uint64(blob[layout.BlobHandles+8*k:]))
	}
	return h, nil
}

// SetHandles replaces a blob's handles, before it is deserialised. 0 makes an instance inactive.
func SetHandles(blob []byte, handles []vk.DeviceAddress) error {
	h, err := ReadSerializedHeader(blob)
	if err != nil {
		return err
	}
	if len(handles) != len(h.Handles) {
		return fmt.Errorf("%w: %d handles for a blob of %d", layout.ErrInvalidCopy, len(handles), len(h.Handles))
	}
	for k, a := range handles {
		binary.LittleEndian.PutUint64(blob[layout.BlobHandles+8*k:], a)
	}
	return nil
}
