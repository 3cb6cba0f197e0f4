package bvh

import (
	"fmt"

	"github.com/everray/everray/vk"
)

// Indexed and short triangles, the forms of leaf records in compacted copies (shaders/bvh/common/layout.glsl). Of indexed ones chunks
// of 64 records have a table of their vertices, so that a vertex is stored once and not for each of the triangles that meet
// there. Short ones have their own vertices, and little else.

// Of copy.glsl: a compaction makes leaves of up to compactLeaf triangles, and where more than compactBytes eighths of a byte
// for each triangle are left, larger ones of up to compactMost.
const (
	compactLeaf  = 4
	compactMost  = refCountMask + 1
	compactBytes = 359
)

func isIndexed(kind uint32) bool { return kind == leafIndexed || kind == leafIndexedWide }

// isCompacted tells the kinds that only compacted copies have.
func isCompacted(kind uint32) bool { return kind >= leafIndexed && kind <= leafShortWide }

// isListed tells those whose chunks have lists.
func isListed(kind uint32) bool { return isIndexed(kind) || kind == leafShortWide }

// compactedWords are the words of a record, and of the head of a chunk.
func compactedWords(kind uint32) (record, head uint64) {
	switch kind {
	case leafShort, leafShortMany:
		return shortWords, 0
	case leafShortWide:
		return shortWords, chunkWords
	}
	return indexedWords, chunkWords
}

// isSourced tells whether a build's triangles know which corners have the same source, for a compaction to know which
// vertices will move together.
func isSourced(info vk.BuildInfo) bool {
	return leafKindOf(info) == leafTriangles && info.Flags&sourcedFlags == sourcedFlags
}

// chunkAt is the offset of the chunk of a record.
func (s *Structure) chunkAt(index uint32) uint64 {
	record, head := compactedWords(s.leafKind())
	return s.leaves + 4*(uint64(index)/chunkRecords)*(chunkRecords*record+head)
}

// recordAt is the offset of an indexed or short triangle's record.
func (s *Structure) recordAt(index uint32) uint64 {
	record, head := compactedWords(s.leafKind())
	return s.chunkAt(index) + 4*(head+uint64(index)%chunkRecords*record)
}

// chunkLists is what the chunk at an offset says: where its vertices begin, in words from the first chunk, their number,
// and that of the geometries behind them.
func (s *Structure) chunkLists(chunk uint64) (begin uint64, vertices, geometries uint32) {
	sizes := s.word(chunk + 4)
	return uint64(s.word(chunk)), sizes & chunkVertexMask, sizes >> chunkGeometryShift
}

// compactedTriangle is Triangle for a structure that checkCompacted finds nothing wrong with.
func (s *Structure) compactedTriangle(index uint32) Triangle {
	if isIndexed(s.leafKind()) {
		return s.indexedTriangle(index)
	}
	at := s.recordAt(index)
	word := s.word(at + 4*shortWord)
	t := Triangle{Opaque: word&triangleOpaque != 0, Inactive: word&triangleInactive != 0}
	t.Geometry, t.Primitive = shortNumbers(s.leafKind(), word)
	if s.leafKind() == leafShortWide {
		begin, _, _ := s.chunkLists(s.chunkAt(index))
		t.Geometry = s.word(s.leaves+4*(begin+uint64(t.Geometry))) & triangleGeometryMask
	}
	for v := range t.V {
		for k := range t.V[v] {
			t.V[v][k] = s.float(at + 12*uint64(v) + 4*uint64(k))
		}
	}
	return t
}

// shortShiftOf is where the geometry begins in a short triangle's word.
func shortShiftOf(kind uint32) uint32 {
	switch kind {
	case leafShortMany:
		return shortManyShift
	case leafShortWide:
		return shortWideShift
	}
	return shortShift
}

// shortNumbers are the geometry, or its number in the chunk's list, and the primitive in a short triangle's word.
func shortNumbers(kind, word uint32) (geometry, primitive uint32) {
	shift := shortShiftOf(kind)
	return word &^ (triangleOpaque | triangleInactive) >> shift, word & (1<<shift - 1)
}

// indexedTriangle is for indexed ones. As in other forms an inactive triangle has no vertices.
func (s *Structure) indexedTriangle(index uint32) Triangle {
	at, chunk := s.recordAt(index), s.chunkAt(index)
	first := s.word(at)
	t := Triangle{
		Primitive: s.word(at + 4),
		Geometry:  first >> indexedGeometryShift % indexedGeometries,
		Opaque:    first&triangleOpaque != 0,
		Inactive:  first&triangleInactive != 0,
	}
	begin, count, _ := s.chunkLists(chunk)
	vertices := s.leaves + 4*begin
	if s.leafKind() == leafIndexedWide {
		t.Geometry = s.word(vertices+12*uint64(count)+4*uint64(t.Geometry)) & triangleGeometryMask
	}
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
	if isCompacted(kind) {
		return s.checkCompacted()
	}
	if end := s.leaves + uint64(s.Active)*leafSizeOf(kind); kind > leafInstances || end > uint64(len(s.data)) {
		return fmt.Errorf("%d leaf records of kind %d at offset %d of %d bytes", s.Active, kind, s.leaves, len(s.data))
	}
	return nil
}

// chunkWordsOf are the words of records and chunks, which lists follow.
func chunkWordsOf(kind uint32, records uint64) uint64 {
	record, head := compactedWords(kind)
	return (records+chunkRecords-1)/chunkRecords*head + records*record
}

// checkCompacted checks that records, chunks and their lists fill the structure from its leaves to its end, and that no record
// has a corner or a geometry that its chunk does not have.
func (s *Structure) checkCompacted() error {
	size, kind := uint64(len(s.data)), s.leafKind()
	words := chunkWordsOf(kind, uint64(s.Active))
	if s.leaves > size || words > (size-s.leaves)/4 {
		return fmt.Errorf("%d triangles of kind %d at offset %d of %d bytes", s.Active, kind, s.leaves, size)
	}
	end, mostVertices, mostGeometries := words, uint32(0), uint32(0)
	if isIndexed(kind) {
		mostVertices = chunkVertices
	}
	if kind != leafIndexed {
		mostGeometries = indexedGeometries
	}
	for i := uint32(0); isListed(kind) && i < s.Active; i += chunkRecords {
		chunk := s.chunkAt(i)
		begin, count, geometries := s.chunkLists(chunk)
		if begin != end || count > mostVertices || geometries > mostGeometries {
			return fmt.Errorf("chunk %d has %d vertices at word %d and %d geometries, the chunk before ends at %d", i/chunkRecords, count, begin, geometries, end)
		}
		if end += 3*uint64(count) + uint64(geometries); 4*end > size-s.leaves {
			return fmt.Errorf("chunk %d ends at word %d of %d bytes", i/chunkRecords, end, size-s.leaves)
		}
		for k := i; k < min(i+chunkRecords, s.Active); k++ {
			if err := s.checkInChunk(k, count, geometries); err != nil {
				return err
			}
		}
	}
	if alignUp(4*end, unitSize) != size-s.leaves {
		return fmt.Errorf("vertices end at word %d of %d bytes", end, size-s.leaves)
	}
	return nil
}

// checkInChunk checks the numbers of a record in a chunk of so many vertices and geometries.
func (s *Structure) checkInChunk(record, vertices, geometries uint32) error {
	at, kind := s.recordAt(record), s.leafKind()
	first := s.word(at)
	g := first >> indexedGeometryShift % indexedGeometries
	if kind == leafShortWide {
		g, _ = shortNumbers(kind, s.word(at+4*shortWord))
	} else if max(first&255, first>>8&255, first>>16&255) >= vertices {
		return fmt.Errorf("record %d has corners %#x of a chunk of %d vertices", record, first&0xffffff, vertices)
	}
	if kind != leafIndexed && g >= geometries {
		return fmt.Errorf("record %d has geometry %d of a chunk of %d", record, g, geometries)
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
	case leafShort:
		return instanceIndexed | instanceShort
	case leafShortMany:
		return instanceIndexed | instanceShort | instanceMany
	case leafShortWide:
		return instanceIndexed | instanceShort | instanceWide
	}
	return 0
}

// leafBytes are the bytes of the leaf records in use, in compacted copies those of chunks and their lists.
func (s *Structure) leafBytes() uint64 {
	if isCompacted(s.leafKind()) {
		return s.Bytes - s.leaves
	}
	return uint64(s.Active) * leafSizeOf(s.leafKind())
}
