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

// isSourced tells whether a build's triangles know which corners have the same source, for a compaction to know which
// vertices will move together.
func isSourced(info vk.BuildInfo) bool {
	return leafKindOf(info) == leafTriangles && info.Flags&sourcedFlags == sourcedFlags
}

// chunkAt is the offset of the chunk of a record.
func (s *Structure) chunkAt(index uint32) uint64 {
	return s.leaves + 4*(uint64(index)/chunkRecords)*(chunkRecords*indexedWords+chunkWords)
}

// indexedAt is the offset of an indexed triangle's record.
func (s *Structure) indexedAt(index uint32) uint64 {
	return s.chunkAt(index) + 4*(chunkWords+uint64(index)%chunkRecords*indexedWords)
}

// chunkLists is what the chunk at an offset says: where its vertices begin, in words from the first chunk, their number,
// and that of the geometries behind them.
func (s *Structure) chunkLists(chunk uint64) (begin uint64, vertices, geometries uint32) {
	sizes := s.word(chunk + 4)
	return uint64(s.word(chunk)), sizes & chunkVertexMask, sizes >> chunkGeometryShift
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
	if isIndexed(kind) {
		return s.checkIndexed()
	}
	if end := s.leaves + uint64(s.Active)*leafSizeOf(kind); kind > leafInstances || end > uint64(len(s.data)) {
		return fmt.Errorf("%d leaf records of kind %d at offset %d of %d bytes", s.Active, kind, s.leaves, len(s.data))
	}
	return nil
}

// checkIndexed checks that chunks and their lists fill the structure from its leaves to its end, and that no record has a
// corner or a geometry that its chunk does not have.
func (s *Structure) checkIndexed() error {
	size := uint64(len(s.data))
	words := (uint64(s.Active)+chunkRecords-1)/chunkRecords*chunkWords + uint64(s.Active)*indexedWords
	if s.leaves > size || words > (size-s.leaves)/4 {
		return fmt.Errorf("%d indexed triangles at offset %d of %d bytes", s.Active, s.leaves, size)
	}
	end, mostGeometries := words, uint32(0)
	wide := s.leafKind() == leafIndexedWide
	if wide {
		mostGeometries = indexedGeometries
	}
	for i := uint32(0); i < s.Active; i += chunkRecords {
		chunk := s.chunkAt(i)
		begin, count, geometries := s.chunkLists(chunk)
		if begin != end || count > chunkVertices || geometries > mostGeometries {
			return fmt.Errorf("chunk %d has %d vertices at word %d and %d geometries, the chunk before ends at %d", i/chunkRecords, count, begin, geometries, end)
		}
		if end += 3*uint64(count) + uint64(geometries); 4*end > size-s.leaves {
			return fmt.Errorf("chunk %d ends at word %d of %d bytes", i/chunkRecords, end, size-s.leaves)
		}
		for k := i; k < min(i+chunkRecords, s.Active); k++ {
			first := s.word(s.indexedAt(k))
			if max(first&255, first>>8&255, first>>16&255) >= count {
				return fmt.Errorf("record %d has corners %#x of a chunk of %d vertices", k, first&0xffffff, count)
			}
			if g := first >> indexedGeometryShift % indexedGeometries; wide && g >= geometries {
				return fmt.Errorf("record %d has geometry %d of a chunk of %d", k, g, geometries)
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

// leafBytes are the bytes of the leaf records in use, with indexed triangles those of chunks and their lists.
func (s *Structure) leafBytes() uint64 {
	if isIndexed(s.leafKind()) {
		return s.Bytes - s.leaves
	}
	return uint64(s.Active) * leafSizeOf(s.leafKind())
}
