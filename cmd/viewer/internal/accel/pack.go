package accel

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// chunkBytes is the size from which a buffer of vertex data is closed and the next begun: large enough that thousands of
// small meshes share an allocation, small enough to find a place in fragmented memory.
const chunkBytes = 64 << 20

// alignment of each array, that of the widest vector shaders read from it.
const alignment = 16

// piece is an array that lies at offset in the chunk, and the address to fill in once the chunk has one.
type piece struct {
	data    []byte
	offset  uint64
	address *vk.DeviceAddress
}

type chunk struct {
	pieces []piece
	size   uint64
}

func (c *chunk) add(address *vk.DeviceAddress, data []byte) {
	if len(data) == 0 {
		return
	}
	c.pieces = append(c.pieces, piece{data: data, offset: c.size, address: address})
	c.size = (c.size + uint64(len(data)) + alignment - 1) &^ (alignment - 1)
}

// uploadVertices uploads the arrays of all primitives, chunk by chunk.
func (s *Scene) uploadVertices(ctx context.Context, dev *engine.Device, o Options) error {
	var total uint64
	var chunks []chunk
	current := chunk{}
	for i := range s.Geometries {
		before := current.size
		s.addPrimitive(&current, &s.Geometries[i], o)
		total += current.size - before
		if current.size >= chunkBytes {
			chunks = append(chunks, current)
			current = chunk{}
		}
	}
	if current.size > 0 {
		chunks = append(chunks, current)
	}
	if memory := dev.Info().DeviceMemory; memory > 0 && total > memory {
		return fmt.Errorf("%w: %s has %d MiB of vertices, %s has %d MiB of memory",
			ErrTooLarge, s.Source.Name, total>>20, dev.Info().Name, memory>>20)
	}
	for i, c := range chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		buffer, err := c.upload(ctx, dev, fmt.Sprintf("vertices %d", i))
		if err != nil {
			return fmt.Errorf("vertices of %s: %w", s.Source.Name, err)
		}
		s.buffers = append(s.buffers, buffer)
		s.Bytes += buffer.Size()
	}
	for i := range s.Geometries {
		if g := &s.Geometries[i]; g.BuildPositions == 0 {
			g.BuildIndices, g.BuildPositions = g.Indices, g.Positions
		}
	}
	return nil
}

func (s *Scene) addPrimitive(c *chunk, g *Geometry, o Options) {
	p := &s.Source.Meshes[g.Mesh].Primitives[g.Primitive]
	c.add(&g.Indices, bytesOf(p.Indices))
	c.add(&g.Positions, bytesOf(p.Positions))
	if p.IsThin() {
		c.add(&g.Indices, bytesOf(p.Ends))
		c.add(&g.Boxes, bytesOf(boxes(p)))
	}
	if p.Shared != nil {
		c.add(&g.BuildIndices, bytesOf(p.Shared.Indices))
		c.add(&g.BuildPositions, bytesOf(p.Shared.Positions))
	}
	if o.Attributes {
		c.add(&g.Normals, bytesOf(p.Normals))
		if s.Source.Materials[p.Material].NeedsTangents() {
			c.add(&g.Tangents, bytesOf(p.Tangents))
		}
		c.add(&g.UV0, bytesOf(p.UV0))
		c.add(&g.UV1, bytesOf(p.UV1))
		c.add(&g.Colors, bytesOf(p.Colors))
	}
	if o.Extra != nil {
		c.add(&g.Extra, bytesOf(o.Extra(g.Mesh, g.Primitive)))
	}
}

// upload copies the chunk into a buffer and fills in the addresses.
func (c *chunk) upload(ctx context.Context, dev *engine.Device, name string) (*vk.Buffer, error) {
	data := make([]byte, c.size)
	for _, p := range c.pieces {
		copy(data[p.offset:], p.data)
	}
	buffer, err := dev.NewBuildInput(ctx, name, data)
	if err != nil {
		return nil, err
	}
	for _, p := range c.pieces {
		*p.address = buffer.Address() + p.offset
	}
	return buffer, nil
}

// bytesOf views numbers as the bytes that the device reads. Both are little endian on every platform with Vulkan.
func bytesOf[T uint32 | float32](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*len(v))
}
