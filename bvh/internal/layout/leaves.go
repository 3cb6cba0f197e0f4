package layout

import (
	"encoding/binary"
	"github.com/everray/everray/bvh/cluster"
	"math"

	"github.com/everray/everray/vk"
)

// PutWord writes a word.
func PutWord(at []byte, offset int, v uint32) { binary.LittleEndian.PutUint32(at[offset:], v) }

// RefShift is where references to leaves have the number of records, in structures of so many.
func RefShift(records uint32) uint32 {
	if records > RefRecords {
		return RefLargeShift
	}
	return RefCountShift
}

// LeafRef is a reference to a leaf of count records, in a structure of so many.
func LeafRef(first, count, records uint32) uint32 {
	return RefLeaf | (count-1)<<RefShift(records) | first
}

// PutFloats writes floats one behind the other.
func PutFloats(at []byte, v ...float32) {
	for i, x := range v {
		binary.LittleEndian.PutUint32(at[4*i:], math.Float32bits(x))
	}
}

// Of copy.glsl: a compaction makes leaves of up to CompactLeaf triangles, and where more than CompactBytes eighths of a byte
// for each triangle are left, larger ones of up to CompactMost.
const (
	CompactLeaf  = 4
	CompactMost  = RefCountMask + 1
	CompactBytes = 359
)

// IsIndexed tells the kinds whose triangles share vertices.
func IsIndexed(kind uint32) bool { return kind == LeafIndexed || kind == LeafIndexedWide }

// IsCompacted tells the kinds that only compacted copies have.
func IsCompacted(kind uint32) bool { return kind >= LeafIndexed && kind <= LeafShortWide }

// IsListed tells those whose chunks have lists.
func IsListed(kind uint32) bool { return IsIndexed(kind) || kind == LeafShortWide }

// CompactedWords are the words of a record, and of the head of a chunk.
func CompactedWords(kind uint32) (record, head uint64) {
	switch kind {
	case LeafShort, LeafShortMany:
		return ShortWords, 0
	case LeafShortWide:
		return ShortWords, ChunkWords
	}
	return IndexedWords, ChunkWords
}

// IsSourced tells whether a build's triangles know which corners have the same source, for a compaction to know which
// vertices will move together.
func IsSourced(info vk.BuildInfo) bool {
	return LeafKindOf(info) == LeafTriangles && info.Flags&SourcedFlags == SourcedFlags
}

// ShortShiftOf is where the geometry begins in a short triangle's word.
func ShortShiftOf(kind uint32) uint32 {
	switch kind {
	case LeafShortMany:
		return ShortManyShift
	case LeafShortWide:
		return ShortWideShift
	}
	return ShortShift
}

// ShortNumbers are the geometry, or its number in the chunk's list, and the primitive in a short triangle's word.
func ShortNumbers(kind, word uint32) (geometry, primitive uint32) {
	shift := ShortShiftOf(kind)
	return word &^ (TriangleOpaque | TriangleInactive) >> shift, word & (1<<shift - 1)
}

// ChunkWordsOf are the words of records and chunks, which lists follow.
func ChunkWordsOf(kind uint32, records uint64) uint64 {
	record, head := CompactedWords(kind)
	return (records+ChunkRecords-1)/ChunkRecords*head + records*record
}

// FormOf is what an instance keeps of its bottom level's leaves, beside the height: of their kind and number.
func FormOf(kind, records uint32) uint32 {
	if records > RefRecords {
		return LeafForm(kind) | InstanceLarge
	}
	return LeafForm(kind)
}

// LeafForm is what an instance keeps of its bottom level's kind of leaves, beside the height.
func LeafForm(kind uint32) uint32 {
	switch kind {
	case LeafBoxes:
		return InstanceBoxes
	case LeafIndexed:
		return InstanceIndexed
	case LeafIndexedWide:
		return InstanceIndexed | InstanceWide
	case LeafShort:
		return InstanceIndexed | InstanceShort
	case LeafShortMany:
		return InstanceIndexed | InstanceShort | InstanceMany
	case LeafShortWide:
		return InstanceIndexed | InstanceShort | InstanceWide
	}
	return 0
}

// LeafRange returns a leaf's first record and their number, in a structure of so many.
func LeafRange(ref, records uint32) (first, n uint32) {
	shift := RefShift(records)
	return ref & (1<<shift - 1), ref&^RefLeaf>>shift + 1
}

// LeafSizeOf is the bytes of a leaf record as builds make them.
func LeafSizeOf(kind uint32) uint64 {
	switch kind {
	case LeafInstances:
		return InstanceSize
	case LeafBoxes:
		return BoxSize
	case cluster.LeafKind:
		return cluster.RecordSize
	}
	return TriangleSize
}
