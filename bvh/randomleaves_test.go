package bvh

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/everray/everray/bvh/internal/layout"
)

// leafSourced stands for triangles that know which corners have the same source, in tests; seedKinds are all forms of leaves.
const (
	leafSourced = layout.LeafShortWide + 1
	seedKinds   = leafSourced + 1
)

// randomLeaves makes n leaf records of a kind, all that a structure has behind its nodes.
func randomLeaves(rng *rand.Rand, kind uint32, n int) []byte {
	if layout.IsCompacted(kind) {
		return randomChunks(rng, kind, n)
	}
	form := kind
	if kind == leafSourced { // the number of another form: of clusters
		form = layout.LeafTriangles
	}
	size, room := int(layout.LeafSizeOf(form)), n+rng.IntN(3)
	data := make([]byte, room*size)
	put := func(at int, v ...uint32) {
		for k, w := range v {
			binary.LittleEndian.PutUint32(data[at+4*k:], w)
		}
	}
	for i := range n {
		at := i * size
		switch kind {
		case layout.LeafBoxes:
			put(at+layout.BoxPrimitive, uint32(i))
			put(at+layout.BoxGeometry, uint32(i%2)|layout.TriangleOpaque)
		case layout.LeafInstances:
			put(at+layout.InstanceBLAS, 256*uint32(i+1))
			put(at+layout.InstanceIndex, uint32(i), 5, 4, 14)
		default:
			put(at+layout.TrianglePrimitive, uint32(i), uint32(i%2))
			if kind == leafSourced {
				put(at+layout.TriangleCorners, rng.Uint32())
			}
		}
	}
	return data
}

func randomWords(rng *rand.Rand, n int) (words []uint32) {
	for range n {
		words = append(words, rng.Uint32())
	}
	return words
}

// randomChunks is randomLeaves for the forms of compacted copies.
func randomChunks(rng *rand.Rand, kind uint32, n int) []byte {
	var words, lists []uint32
	at := int(layout.ChunkWordsOf(kind, uint64(n)))
	for first := 0; first < n; first += layout.ChunkRecords {
		count := uint32(1 + rng.IntN(layout.ChunkVertices))
		geometries := []uint32{}
		if kind == layout.LeafIndexedWide || kind == layout.LeafShortWide {
			geometries = []uint32{1, 0}
		}
		if !layout.IsIndexed(kind) {
			count = 0
		}
		if layout.IsListed(kind) {
			words = append(words, uint32(at+len(lists)), count|uint32(len(geometries))<<layout.ChunkGeometryShift)
		}
		for i := uint32(first); i < uint32(min(first+layout.ChunkRecords, n)); i++ {
			corner := func() uint32 { return rng.Uint32N(count) }
			switch kind {
			case layout.LeafShort, layout.LeafShortMany, layout.LeafShortWide:
				words = append(append(words, randomWords(rng, layout.ShortWord)...), i|i%2<<layout.ShortShiftOf(kind)|layout.TriangleOpaque)
			default:
				words = append(words, corner()|corner()<<8|corner()<<16|i%2<<layout.IndexedGeometryShift|layout.TriangleOpaque, i)
			}
		}
		lists = append(append(lists, randomWords(rng, 3*int(count))...), geometries...)
	}
	data := uintBytes(append(words, lists...))
	return append(data, make([]byte, layout.AlignUp(uint64(len(data)), layout.UnitSize)-uint64(len(data)))...)
}
