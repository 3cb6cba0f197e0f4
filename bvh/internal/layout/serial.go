package layout

import (
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
)

// ErrInvalidCopy is what every refused copy or query wraps.
var ErrInvalidCopy error = argumentError("invalid copy of an acceleration structure")

// What copies count in: pieces of a task, and units of sizes (shaders/bvh/copy/copy.glsl).
const (
	PieceSize = 64
	UnitSize  = 16
)

// Property is what CmdWriteProperties asks of a structure.
type Property uint32

// Values of Property.
const (
	CompactedSize       Property = iota // bytes of a compacted copy
	CurrentSize                         // bytes in use, wide nodes included, and of a clone
	SerializedSize                      // bytes of a blob, handles included
	BottomLevelPointers                 // handles in a blob: a top level's instances, 0 for a bottom level
)

// PropertySize is what one answer takes: a 64-bit integer, as VkQueryPool has them.
const PropertySize = 8

// A blob, as VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR describes it (little endian):
//
//	0   driver UUID, of the device that wrote it; for information
//	16  compatibility UUID
//	32  bytes of the blob
//	40  bytes of the structure
//	48  number of handles
//	56  handles, 8 bytes each: addresses of bottom levels by instance, 0 for those that were inactive
//	    zeros up to a multiple of 64
//	    BlobSize bytes of our own: magic, version, checksum of the structure (2 words), zeros
//	    the structure, without addresses, and with zeros and null references where a build leaves what it does not need
//
// Handles are not in the checksum: the application replaces them.
const (
	BlobDriver       = 0
	BlobCompat       = 16
	BlobSerialized   = 32
	BlobDeserialized = 40
	BlobHandleCount  = 48
	BlobHandles      = 56
	BlobSize         = 64
	BlobMagicWord    = 0x42415245
	BlobVersion      = 1

	SmallestBlob = PieceSize + BlobSize + HeaderSize
)

// Compatibility tells blobs that we read: it changes with Version and BlobVersion.
var Compatibility = uuid.NewSHA1(uuid.NameSpaceURL,
	fmt.Appendf(nil, "https://github.com/everray/everray/bvh/%d/%d", Version, BlobVersion))

// BodyOffset is where the structure begins in a blob of so many handles.
func BodyOffset(handles uint64) uint64 {
	return AlignUp(BlobHandles+8*handles, PieceSize) + BlobSize
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

// Checksum adds up the words of a structure.
func Checksum(structure []byte) (a, b uint32) {
	for i := 0; i+4 <= len(structure); i += 4 {
		x, y := hashWord(binary.LittleEndian.Uint32(structure[i:]), uint32(i/4))
		a += x
		b += y
	}
	return a, b
}
