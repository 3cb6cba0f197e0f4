package bvh

import (
	"encoding/binary"
	"math/rand/v2"
)

// leafSourced stands for triangles with source indices behind, in tests; seedKinds are all forms of leaves.
const (
	leafSourced = leafIndexedWide + 1
	seedKinds   = leafSourced + 1
)

// randomLeaves makes n leaf records of a kind, all that a structure has behind its nodes.
func randomLeaves(rng *rand.Rand, kind uint32, n int) []byte {
	if isIndexed(kind) {
		return randomChunks(rng, kind, n)
	}
	size, room := int(leafSizeOf(kind)), n+rng.IntN(3)
	data := make([]byte, room*size)
	if kind == leafSourced {
		data = make([]byte, alignUp(uint64(room*(size+sourceSize)), unitSize))
		for i := range 3 * n {
			binary.LittleEndian.PutUint32(data[room*size+4*i:], rng.Uint32())
		}
	}
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
		}
	}
	return data
}

func randomChunks(rng *rand.Rand, kind uint32, n int) []byte {
	var words, vertices []uint32
	words32 := indexedWords
	if kind == leafIndexedWide {
		words32 = indexedWideWords
	}
	at := (n+chunkRecords-1)/chunkRecords*chunkWords + n*words32
	for first := 0; first < n; first += chunkRecords {
		count := uint32(1 + rng.IntN(chunkVertices))
		words = append(words, uint32(at+len(vertices)), count)
		for i := first; i < min(first+chunkRecords, n); i++ {
			corner := func() uint32 { return rng.Uint32N(count) }
			words = append(words, corner()|corner()<<8|corner()<<16|uint32(i%2)<<indexedGeometryShift|triangleOpaque, uint32(i))
			if kind == leafIndexedWide {
				words = append(words, uint32(i%2)|triangleOpaque)
			}
		}
		for range 3 * count {
			vertices = append(vertices, rng.Uint32())
		}
	}
	data := uintBytes(append(words, vertices...))
	return append(data, make([]byte, alignUp(uint64(len(data)), unitSize)-uint64(len(data)))...)
}
