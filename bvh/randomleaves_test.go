package bvh

import (
	"encoding/binary"
	"math/rand/v2"
)

// leafSourced stands for triangles that know which corners have the same source, in tests; seedKinds are all forms of leaves.
const (
	leafSourced = leafShortWide + 1
	seedKinds   = leafSourced + 1
)

// randomLeaves makes n leaf records of a kind, all that a structure has behind its nodes.
func randomLeaves(rng *rand.Rand, kind uint32, n int) []byte {
	if isCompacted(kind) {
		return randomChunks(rng, kind, n)
	}
	size, room := int(leafSizeOf(kind)), n+rng.IntN(3)
	data := make([]byte, room*size)
	put := func(at int, v ...uint32) {
		for k, w := range v {
			binary.LittleEndian.PutUint32(data[at+4*k:], w)
		}
	}
	for i := range n {
		at := i * size
		switch kind {
		case leafBoxes:
			put(at+boxPrimitive, uint32(i))
			put(at+boxGeometry, uint32(i%2)|triangleOpaque)
		case leafInstances:
			put(at+instanceBLAS, 256*uint32(i+1))
			put(at+instanceIndex, uint32(i), 5, 4, 14)
		default:
			put(at+trianglePrimitive, uint32(i), uint32(i%2))
			if kind == leafSourced {
				put(at+triangleCorners, rng.Uint32())
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
	at := int(chunkWordsOf(kind, uint64(n)))
	for first := 0; first < n; first += chunkRecords {
		count := uint32(1 + rng.IntN(chunkVertices))
		geometries := []uint32{}
		if kind == leafIndexedWide || kind == leafShortWide {
			geometries = []uint32{1, 0}
		}
		if !isIndexed(kind) {
			count = 0
		}
		if isListed(kind) {
			words = append(words, uint32(at+len(lists)), count|uint32(len(geometries))<<chunkGeometryShift)
		}
		for i := uint32(first); i < uint32(min(first+chunkRecords, n)); i++ {
			corner := func() uint32 { return rng.Uint32N(count) }
			switch kind {
			case leafShort, leafShortMany, leafShortWide:
				words = append(append(words, randomWords(rng, shortWord)...), i|i%2<<shortShiftOf(kind)|triangleOpaque)
			default:
				words = append(words, corner()|corner()<<8|corner()<<16|i%2<<indexedGeometryShift|triangleOpaque, i)
			}
		}
		lists = append(append(lists, randomWords(rng, 3*int(count))...), geometries...)
	}
	data := uintBytes(append(words, lists...))
	return append(data, make([]byte, alignUp(uint64(len(data)), unitSize)-uint64(len(data)))...)
}
