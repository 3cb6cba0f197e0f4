package inspect

import (
	"fmt"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/internal/layout"
)

// Indexed and short triangles, the forms of leaf records in compacted copies (shaders/bvh/common/layout.glsl). Of indexed ones
// chunks of 64 records have a table of their vertices, so that a vertex is stored once and not for each of the triangles that meet
// there. Short ones have their own vertices, and little else.

// ChunkAt is the offset of the chunk of a record.
func (s *Structure) ChunkAt(index uint32) uint64 {
	record, head := layout.CompactedWords(s.LeafKind())
	return s.Leaves + 4*(uint64(index)/layout.ChunkRecords)*(layout.ChunkRecords*record+head)
}

// RecordAt is the offset of an indexed or short triangle's record.
func (s *Structure) RecordAt(index uint32) uint64 {
	record, head := layout.CompactedWords(s.LeafKind())
	return s.ChunkAt(index) + 4*(head+uint64(index)%layout.ChunkRecords*record)
}

// ChunkLists is what the chunk at an offset says: where its vertices begin, in words from the first chunk, their number,
// and that of the geometries behind them.
func (s *Structure) ChunkLists(chunk uint64) (begin uint64, vertices, geometries uint32) {
	sizes := s.Word(chunk + 4)
	return uint64(s.Word(chunk)), sizes & layout.ChunkVertexMask, sizes >> layout.ChunkGeometryShift
}

// compactedTriangle is Triangle for a structure that checkCompacted finds nothing wrong with.
func (s *Structure) compactedTriangle(index uint32) Triangle {
	if layout.IsIndexed(s.LeafKind()) {
		return s.indexedTriangle(index)
	}
	at := s.RecordAt(index)
	word := s.Word(at + 4*layout.ShortWord)
	t := Triangle{Opaque: word&layout.TriangleOpaque != 0, Inactive: word&layout.TriangleInactive != 0}
	t.Geometry, t.Primitive = layout.ShortNumbers(s.LeafKind(), word)
	if s.LeafKind() == layout.LeafShortWide {
		begin, _, _ := s.ChunkLists(s.ChunkAt(index))
		t.Geometry = s.Word(s.Leaves+4*(begin+uint64(t.Geometry))) & layout.TriangleGeometryMask
	}
	for v := range t.V {
		for k := range t.V[v] {
			t.V[v][k] = s.Float(at + 12*uint64(v) + 4*uint64(k))
		}
	}
	return t
}

// indexedTriangle is for indexed ones. As in other forms an inactive triangle has no vertices.
func (s *Structure) indexedTriangle(index uint32) Triangle {
	at, chunk := s.RecordAt(index), s.ChunkAt(index)
	first := s.Word(at)
	t := Triangle{
		Primitive: s.Word(at + 4),
		Geometry:  first >> layout.IndexedGeometryShift % layout.IndexedGeometries,
		Opaque:    first&layout.TriangleOpaque != 0,
		Inactive:  first&layout.TriangleInactive != 0,
	}
	begin, count, _ := s.ChunkLists(chunk)
	vertices := s.Leaves + 4*begin
	if s.LeafKind() == layout.LeafIndexedWide {
		t.Geometry = s.Word(vertices+12*uint64(count)+4*uint64(t.Geometry)) & layout.TriangleGeometryMask
	}
	for v := range t.V {
		corner := uint64(first >> (8 * v) & 255)
		for k := range t.V[v] {
			if !t.Inactive {
				t.V[v][k] = s.Float(vertices + 12*corner + 4*uint64(k))
			}
		}
	}
	return t
}

// CheckLeaves checks that the leaf records lie in the structure.
func (s *Structure) CheckLeaves() error {
	kind := s.LeafKind()
	if layout.IsCompacted(kind) {
		return s.checkCompacted()
	}
	end := s.Leaves + uint64(s.Active)*layout.LeafSizeOf(kind)
	if kind > layout.LeafInstances && kind != cluster.LeafKind || end > uint64(len(s.Data)) {
		return fmt.Errorf("%d leaf records of kind %d at offset %d of %d bytes", s.Active, kind, s.Leaves, len(s.Data))
	}
	return nil
}

// checkCompacted checks that records, chunks and their lists fill the structure from its leaves to its end, and that no record
// has a corner or a geometry that its chunk does not have.
func (s *Structure) checkCompacted() error {
	size, kind := uint64(len(s.Data)), s.LeafKind()
	words := layout.ChunkWordsOf(kind, uint64(s.Active))
	if s.Leaves > size || words > (size-s.Leaves)/4 {
		return fmt.Errorf("%d triangles of kind %d at offset %d of %d bytes", s.Active, kind, s.Leaves, size)
	}
	end, mostVertices, mostGeometries := words, uint32(0), uint32(0)
	if layout.IsIndexed(kind) {
		mostVertices = layout.ChunkVertices
	}
	if kind != layout.LeafIndexed {
		mostGeometries = layout.IndexedGeometries
	}
	for i := uint32(0); layout.IsListed(kind) && i < s.Active; i += layout.ChunkRecords {
		chunk := s.ChunkAt(i)
		begin, count, geometries := s.ChunkLists(chunk)
		if begin != end || count > mostVertices || geometries > mostGeometries {
			return fmt.Errorf("chunk %d has %d vertices at word %d and %d geometries, the chunk before ends at %d",
				i/layout.ChunkRecords, count, begin, geometries, end)
		}
		if end += 3*uint64(count) + uint64(geometries); 4*end > size-s.Leaves {
			return fmt.Errorf("chunk %d ends at word %d of %d bytes", i/layout.ChunkRecords, end, size-s.Leaves)
		}
		for k := i; k < min(i+layout.ChunkRecords, s.Active); k++ {
			if err := s.checkInChunk(k, count, geometries); err != nil {
				return err
			}
		}
	}
	if layout.AlignUp(4*end, layout.UnitSize) != size-s.Leaves {
		return fmt.Errorf("vertices end at word %d of %d bytes", end, size-s.Leaves)
	}
	return nil
}

// checkInChunk checks the numbers of a record in a chunk of so many vertices and geometries.
func (s *Structure) checkInChunk(record, vertices, geometries uint32) error {
	at, kind := s.RecordAt(record), s.LeafKind()
	first := s.Word(at)
	g := first >> layout.IndexedGeometryShift % layout.IndexedGeometries
	if kind == layout.LeafShortWide {
		g, _ = layout.ShortNumbers(kind, s.Word(at+4*layout.ShortWord))
	} else if max(first&255, first>>8&255, first>>16&255) >= vertices {
		return fmt.Errorf("record %d has corners %#x of a chunk of %d vertices", record, first&0xffffff, vertices)
	}
	if kind != layout.LeafIndexed && g >= geometries {
		return fmt.Errorf("record %d has geometry %d of a chunk of %d", record, g, geometries)
	}
	return nil
}

// leafBytes are the bytes of the leaf records in use, in compacted copies those of chunks and their lists.
func (s *Structure) leafBytes() uint64 {
	if layout.IsCompacted(s.LeafKind()) {
		return s.Bytes - s.Leaves
	}
	return uint64(s.Active) * layout.LeafSizeOf(s.LeafKind())
}
