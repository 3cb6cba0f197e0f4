package bvh

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"

	"github.com/everray/everray/vk"
)

// Errors about blobs.
var (
	// ErrIncompatible is returned for blobs of other implementations or versions.
	ErrIncompatible = vk.ErrIncompatible
	// ErrInvalidBlob is returned for blobs that are truncated or corrupt.
	ErrInvalidBlob = vk.ErrInvalidBlob
)

// A blob, as VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR describes it (little endian):
//
//	0   driver UUID, of the device that wrote it; for information
//	16  compatibility UUID
//	32  bytes of the blob
//	40  bytes of the structure
//	48  number of handles
//	56  handles, 8 bytes each: addresses of bottom levels by instance, 0 for those that were inactive
//	    zeros up to a multiple of 64
//	    blobSize bytes of our own: magic, version, checksum of the structure (2 words), zeros
//	    the structure, without addresses, and with zeros and null references where a build leaves what it does not need
//
// Handles are not in the checksum: the application replaces them.
const (
	blobDriver       = 0
	blobCompat       = 16
	blobSerialized   = 32
	blobDeserialized = 40
	blobHandleCount  = 48
	blobHandles      = 56
	blobSize         = 64
	blobMagicWord    = 0x42415245
	blobVersion      = 1

	smallestBlob = pieceSize + blobSize + headerSize
)

// compatibility tells blobs that we read: it changes with asVersion and blobVersion.
var compatibility = uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "https://github.com/everray/everray/bvh/%d/%d", asVersion, blobVersion))

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
	return len(header) >= blobCompat+len(compatibility) && bytes.Equal(header[blobCompat:blobCompat+len(compatibility)], compatibility[:])
}

// ReadSerializedHeader reads the header of a blob, handles included; what is behind may be missing.
func ReadSerializedHeader(blob []byte) (SerializedHeader, error) {
	var h SerializedHeader
	if len(blob) < blobHandles {
		return h, fmt.Errorf("%w: %d bytes, the header has %d", ErrInvalidBlob, len(blob), blobHandles)
	}
	copy(h.Driver[:], blob[blobDriver:])
	copy(h.Compatibility[:], blob[blobCompat:])
	if !CheckSerialized(blob) {
		return h, fmt.Errorf("%w: compatibility UUID %s, we read %s", ErrIncompatible, h.Compatibility, compatibility)
	}
	h.SerializedSize = binary.LittleEndian.Uint64(blob[blobSerialized:])
	h.DeserializedSize = binary.LittleEndian.Uint64(blob[blobDeserialized:])
	n := binary.LittleEndian.Uint64(blob[blobHandleCount:])
	if n > MaxPrimitives || n > uint64(len(blob)-blobHandles)/8 {
		return h, fmt.Errorf("%w: %d handles in %d bytes", ErrInvalidBlob, n, len(blob))
	}
	for k := range n {
		h.Handles = append(h.Handles, binary.LittleEndian.Uint64(blob[blobHandles+8*k:]))
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
		return fmt.Errorf("%w: %d handles for a blob of %d", ErrInvalidCopy, len(handles), len(h.Handles))
	}
	for k, a := range handles {
		binary.LittleEndian.PutUint64(blob[blobHandles+8*k:], a)
	}
	return nil
}

// bodyOffset is where the structure begins in a blob of so many handles.
func bodyOffset(handles uint64) uint64 {
	return alignUp(blobHandles+8*handles, pieceSize) + blobSize
}

// hashWord is one word's part in a checksum, erHash of copy.glsl.
func hashWord(word, index uint32) (a, b uint32) {
	x := word ^ (index*0x9e3779b1 + 0x85ebca77)
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	x ^= x >> 16
	y := (x ^ word) * 0xc2b2ae35
	return x, y ^ y>>15
}

// checksum adds up the words of a structure.
func checksum(structure []byte) (a, b uint32) {
	for i := 0; i+4 <= len(structure); i += 4 {
		x, y := hashWord(binary.LittleEndian.Uint32(structure[i:]), uint32(i/4))
		a += x
		b += y
	}
	return a, b
}
