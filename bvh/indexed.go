package bvh

import (
	"fmt"

	"github.com/everray/everray/vk"
)

// Indexed triangles, the form of leaf records in compacted copies (shaders/bvh/layout.glsl). Chunks of 64 records have a
// table of their vertices, so that a vertex is stored once and not for each of the triangles that meet there.

// compactLeaf is ER_COMPACT_LEAF of copy.glsl: the most triangles of a leaf that a compaction makes.
const compactLeaf = 4

func isIndexed(kind uint32) bool { return kind == leafIndexed || kind == leafIndexedWide }

// isSourced tells whether a build keeps the source indices of its triangles' corners, for a compaction to know which
// vertices will move together.
func isSourced(flags vk.BuildFlags) bool { return flags&sourcedFlags == sourcedFlags }

// sourcesOf are the bytes of source indices behind the leaf records of n primitives.
func sourcesOf(info vk.BuildInfo, n uint64) uint64 {
	if leafKindOf(info) != leafTriangles || !isSourced(info.Flags) {
		return 0
	}
	return n * sourceSize
}

// recordWords are the words of an indexed triangle's record.
func (s *Structure) recordWords() uint64 {
	if s.leafKind() == leafIndexedWide {
		return indexedWideWords
	}
	return indexedWords
}

// chunkAt is the offset of the chunk of a record.
func (s *Structure) chunkAt(index uint32) uint64 {
	return s.leaves + 4*(uint64(index)/chunkRecords)*(chunkRecords*s.recordWords()+chunkWords)
}

// indexedAt is the offset of an indexed triangle's record.
func (s *Structure) indexedAt(index uint32) uint64 {
	return s.chunkAt(index) + 4*(chunkWords+uint64(index)%chunkRecords*s.recordWords())
}

// indexedTriangle is Triangle for a structure that checkIndexed finds nothing wrong with. As in other forms an inactive
// triangle has no vertices.
func (s *Structure) indexedTriangle(index uint32) Triangle {
	at, chunk := s.indexedAt(index), s.chunkAt(index)
	first := s.word(at)
	t := Triangle{
		Primitive: s.word(at + 4),
		Geometry:  first >> indexedGeometryShift % indexedGeometries,
		Opaque:    first&triangleOpaque != 0,
		Inactive:  first&triangleInactive != 0,
	}
	if s.leafKind() == leafIndexedWide {
		t.Geometry = s.word(at+8) & triangleGeometryMask
	}
	vertices := s.leaves + 4*uint64(s.word(chunk))
	for v := range t.V {
		corner := uint64(first >> (8 * v) & 255)
		for k := range t.V[v] {
			if !t.Inactive {
				t.V[v][k] = s.float(vertices + 12*corner + 4*uint64(k))
			}
		}
	}
	return t
}

// checkLeaves checks that the leaf records lie in the structure.
func (s *Structure) checkLeaves() error {
	kind := s.leafKind()
	if isIndexed(kind) {
		return s.checkIndexed()
	}
	if end := s.leaves + uint64(s.Active)*leafSizeOf(kind); kind > leafInstances || end > uint64(len(s.data)) {
		return fmt.Errorf("%d leaf records of kind %d at offset %d of %d bytes", s.Active, kind, s.leaves, len(s.data))
	}
	return nil
}

// checkIndexed checks that chunks and vertices fill the structure from its leaves to its end, and that no record has a
// corner that its chunk does not have.
func (s *Structure) checkIndexed() error {
	size := uint64(len(s.data))
	words := (uint64(s.Active)+chunkRecords-1)/chunkRecords*chunkWords + uint64(s.Active)*s.recordWords()
	if s.leaves > size || words > (size-s.leaves)/4 {
		return fmt.Errorf("%d indexed triangles at offset %d of %d bytes", s.Active, s.leaves, size)
	}
	end := words
	for i := uint32(0); i < s.Active; i += chunkRecords {
		chunk := s.chunkAt(i)
		begin, count := uint64(s.word(chunk)), s.word(chunk+4)
		if begin != end || count > chunkVertices {
			return fmt.Errorf("chunk %d has %d vertices at word %d, the chunk before ends at %d", i/chunkRecords, count, begin, end)
		}
		end += 3 * uint64(count)
		for k := i; k < min(i+chunkRecords, s.Active); k++ {
			first := s.word(s.indexedAt(k))
			if max(first&255, first>>8&255, first>>16&255) >= count {
				return fmt.Errorf("record %d has corners %#x of a chunk of %d vertices", k, first&0xffffff, count)
			}
		}
	}
	if alignUp(4*end, unitSize) != size-s.leaves {
		return fmt.Errorf("vertices end at word %d of %d bytes", end, size-s.leaves)
	}
	return nil
}

// leafForm is what an instance keeps of its bottom level's kind of leaves, beside the height.
func leafForm(kind uint32) uint32 {
	switch kind {
	case leafBoxes:
		return instanceBoxes
	case leafIndexed:
		return instanceIndexed
	case leafIndexedWide:
		return instanceIndexed | instanceWide
	}
	return 0
}

// leafBytes are the bytes of the leaf records in use: with indexed triangles those of chunks and vertices, and with
// source indices theirs.
func (s *Structure) leafBytes() uint64 {
	kind, n := s.leafKind(), uint64(s.Active)
	switch {
	case isIndexed(kind):
		return s.Bytes - s.leaves
	case kind == leafTriangles && isSourced(s.Flags):
		return n * (triangleSize + sourceSize)
	}
	return n * leafSizeOf(kind)
}
