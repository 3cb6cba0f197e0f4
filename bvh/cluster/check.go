package cluster

import (
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// What the device finds wrong it gives a size of 0, and no reason. Check judges the same on the host, as far as it knows: not what
// lies behind addresses.

// Check says why the device would have no cluster of these arguments, in a command for clusters or templates.
func (a BuildTriangles) Check(in Input) error {
	word := uint32(a.Counts)
	return checker{in: in, id: a.ID, triangles: word & 511, vertices: word >> 9 & 511, indexBytes: word >> 24 & 15,
		indexStride: a.IndexStride, vertexStride: a.VertexStride, wordStride: a.GeometryWordStride, indices: a.Indices,
		positions: a.Vertices, words: a.GeometryWords, micromaps: a.MicromapArray | a.MicromapIndices}.check()
}

// Check says why the device would have no cluster of these arguments, in a command for clusters or templates.
func (a DXBuildTriangles) Check(in Input) error {
	c := checker{in: in, id: a.ID, triangles: uint32(a.Triangles), vertices: uint32(a.Vertices), indexBytes: in.IndexBytes,
		indexStride: a.IndexStride, vertexStride: a.VertexStride, wordStride: a.GeometryWordStride, indices: a.Indices,
		positions: a.VertexData, words: a.GeometryWords, micromaps: a.MicromapArray | a.MicromapIndices}
	switch {
	case a.Truncate > 32:
		return fmt.Errorf("%w: Truncate is %d, a position has 32 bits", vk.ErrInvalid, a.Truncate)
	case a.GeometryIndices != 0 && a.GeometryWords == 0:
		return fmt.Errorf("%w: GeometryIndices without GeometryWords", vk.ErrInvalid)
	case a.GeometryIndices != 0 && in.GeometryIndexBytes == 0:
		return fmt.Errorf("%w: GeometryIndices, and Input.GeometryIndexBytes is 0", vk.ErrInvalid)
	case a.GeometryIndices != 0 && a.GeometryIndices%uint64(in.GeometryIndexBytes) != 0:
		return fmt.Errorf("%w: GeometryIndices %#x of %d bytes each", vk.ErrInvalid, a.GeometryIndices, in.GeometryIndexBytes)
	}
	return c.check()
}

// Check says the same of a template, whose instances' quanta it judges, too.
func (a DXBuildTemplate) Check(in Input) error {
	if in.InstanceFormat == Compressed1 {
		if e := a.Bounds & 255; e < 1 || e > mostExponent {
			return fmt.Errorf("%w: exponent %d of compressed positions, want 1 to %d", vk.ErrInvalid, e, mostExponent)
		}
	}
	return a.DXBuildTriangles.Check(in)
}

// checker has what both dialects have.
type checker struct {
	in                                    Input
	id, triangles, vertices, indexBytes   uint32
	indexStride, vertexStride, wordStride uint16
	indices, positions, words, micromaps  uint64
}

func (c checker) check() error {
	component, stride := ComponentBytes(c.in.VertexFormat), uint64(c.vertexStride)
	if c.in.VertexFormat == Compressed1 {
		stride = 0 // not read
	}
	width := c.indexBytes == 1 || c.indexBytes == 2 || c.indexBytes == 4
	switch {
	case c.micromaps != 0:
		return fmt.Errorf("%w: opacity micromaps (MicromapArray, MicromapIndices)", ErrUnsupported)
	case c.id == NoID:
		return fmt.Errorf("%w: ID is that of what is no cluster's", vk.ErrInvalid)
	case c.triangles > c.in.MaxTriangles || c.vertices > c.in.MaxVertices:
		return fmt.Errorf("%w: %d triangles and %d vertices, the command says %d and %d at most", vk.ErrInvalid, c.triangles, c.vertices,
			c.in.MaxTriangles, c.in.MaxVertices)
	case !width:
		return fmt.Errorf("%w: indices of %d bytes, want 1, 2 or 4", vk.ErrInvalid, c.indexBytes)
	case c.triangles > 0 && (c.vertices == 0 || c.indices == 0):
		return fmt.Errorf("%w: %d triangles without vertices or indices", vk.ErrInvalid, c.triangles)
	case c.triangles > 0 && c.positions == 0 && c.in.Op != BuildTemplates:
		return fmt.Errorf("%w: %d triangles without positions", vk.ErrInvalid, c.triangles)
	case (c.indices|uint64(c.indexStride))%uint64(c.indexBytes) != 0:
		return fmt.Errorf("%w: indices of %d bytes at %#x, stride %d", vk.ErrInvalid, c.indexBytes, c.indices, c.indexStride)
	case (c.positions|stride)%component != 0:
		return fmt.Errorf("%w: vertices at %#x, stride %d, want multiples of %d", vk.ErrInvalid, c.positions, stride, component)
	case (c.words|uint64(c.wordStride))%4 != 0:
		return fmt.Errorf("%w: geometry words at %#x, stride %d, want multiples of 4", vk.ErrInvalid, c.words, c.wordStride)
	}
	return nil
}

// ComponentBytes is what addresses and strides of vertices are multiples of: the bytes of a component, and of Compressed1 4.
func ComponentBytes(f vulkan.Format) uint64 {
	switch f {
	case vulkan.FormatR8g8Snorm, vulkan.FormatR8g8b8Snorm, vulkan.FormatR8g8b8a8Snorm:
		return 1
	case vulkan.FormatR16g16Sfloat, vulkan.FormatR16g16b16Sfloat, vulkan.FormatR16g16b16a16Sfloat, vulkan.FormatR16g16Snorm,
		vulkan.FormatR16g16b16Snorm, vulkan.FormatR16g16b16a16Snorm:
		return 2
	case vulkan.FormatR64g64Sfloat, vulkan.FormatR64g64b64Sfloat, vulkan.FormatR64g64b64a64Sfloat:
		return 8
	}
	return 4
}
