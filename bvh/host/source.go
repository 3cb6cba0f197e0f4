package host

import (
	"encoding/binary"

	"github.com/everray/everray/bvh/internal/layout"
)

// corners notes in the triangles' records which corners have the same source, as corners.comp does.
func (b *treeBuild) corners() {
	chunks := (len(b.refs) + layout.ChunkRecords - 1) / layout.ChunkRecords
	next, last := b.afterLeaves()
	b.op.spread(chunks, taskSize/layout.ChunkRecords, func(first, end int) {
		for k := first; k < end; k++ {
			b.chunkCorners(k*layout.ChunkRecords, min((k+1)*layout.ChunkRecords, len(b.refs)))
		}
	}, next)
	if last {
		b.op.closing()
	}
}

// cornerPlace is what a corner's vertex is taken from.
type cornerPlace struct{ geometry, index uint32 }

func (b *treeBuild) chunkCorners(first, end int) {
	seen := make(map[cornerPlace]uint32, 3*(end-first))
	for i := first; i < end; i++ {
		at := b.recordAt(uint32(i))
		primitive := uint64(binary.LittleEndian.Uint32(at[layout.TrianglePrimitive:]))
		g := binary.LittleEndian.Uint32(at[layout.TriangleGeometry:]) & layout.TriangleGeometryMask
		t, offset := b.in.Info.Geometries[g].Triangles.IndexType, uint64(b.in.Ranges[g].PrimitiveOffset)
		word := uint32(0)
		for k := range uint64(3) {
			c := cornerPlace{g, readIndex(t, b.in.Data[g].Indices, offset, 3*primitive+k)}
			if _, ok := seen[c]; !ok {
				seen[c] = 3*uint32(i-first) + uint32(k)
			}
			word |= seen[c] << (8 * k)
		}
		binary.LittleEndian.PutUint32(at[layout.TriangleCorners:], word)
	}
}
