package bvh

import "encoding/binary"

// Source indices of a build on the host, behind all leaf records, as leaves.comp writes them.

// placeSources finds their place, when that of the records is known.
func (b *hostBuild) placeSources() {
	if sourcesOf(b.in.Info, uint64(b.count)) > 0 {
		b.out.sources = b.out.start + uint64(b.count)*b.out.record
	}
}

// writeSources keeps the source indices of a triangle's corners.
func (b *hostBuild) writeSources(record uint32, r hostRef) {
	if b.out.sources == 0 {
		return
	}
	g, n := b.reader.find(r.primitive)
	t, offset := b.in.Info.Geometries[g].Triangles.IndexType, uint64(b.in.Ranges[g].PrimitiveOffset)
	at := b.in.Dst[b.out.sources+uint64(record)*sourceSize:]
	for k := range uint64(3) {
		binary.LittleEndian.PutUint32(at[4*k:], hostIndex(t, b.in.Data[g].Indices, offset, 3*uint64(n)+k))
	}
}

// blankSources clears those of primitives that are not active, and what is behind.
func (b *hostBuild) blankSources() {
	start := b.out.start + uint64(b.count)*b.out.record
	end := alignUp(start+sourcesOf(b.in.Info, uint64(b.count)), unitSize)
	if end > start {
		clear(b.in.Dst[start+uint64(len(b.refs))*sourceSize : end])
	}
}
