package clusters

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// Mesh is triangles with vertices that they share.
type Mesh struct {
	Positions []float32
	Indices   []uint32
}

// Of puts all triangles of a scene into one mesh, in world space. Vertices at the same place are one.
func Of(scene *assets.Scene) *Mesh {
	m := &Mesh{}
	places := map[[3]uint32]uint32{}
	for i := range scene.Instances {
		in := &scene.Instances[i]
		for p := range scene.Meshes[in.Mesh].Primitives {
			s := scene.Meshes[in.Mesh].Primitives[p].Surface()
			numbers := make([]uint32, len(s.Positions)/3)
			for v := range numbers {
				at := mgl32.TransformCoordinate(mgl32.Vec3{s.Positions[3*v], s.Positions[3*v+1], s.Positions[3*v+2]}, in.Transform)
				key := [3]uint32{math.Float32bits(at[0]), math.Float32bits(at[1]), math.Float32bits(at[2])}
				n, known := places[key]
				if !known {
					n = uint32(len(m.Positions) / 3)
					places[key] = n
					m.Positions = append(m.Positions, at[:]...)
				}
				numbers[v] = n
			}
			for _, v := range s.Indices {
				m.Indices = append(m.Indices, numbers[v])
			}
		}
	}
	return m
}

// Triangles is how many there are.
func (m *Mesh) Triangles() int { return len(m.Indices) / 3 }

// Cut is a mesh that is cut into clusters, in the device's memory.
type Cut struct {
	Mesh   *Mesh
	Pieces []engine.ClusterPiece
	// Args build the clusters, whose ids are 0 and on.
	Args []engine.ClusterBuildTriangles
	// Input is that of a command that builds them all.
	Input engine.ClusterInput

	// Corners are the vertices of all pieces, one after the other, and At where they are in the device's memory.
	Corners []float32
	At      vk.DeviceAddress

	buffers []*vk.Buffer
}

// NewCut cuts a mesh into clusters of up to so many triangles and vertices, and uploads them.
func NewCut(ctx context.Context, dev *engine.Device, m *Mesh, triangles, vertices int) (c *Cut, err error) {
	c = &Cut{Mesh: m, Pieces: engine.CutIntoClusters(m.Positions, m.Indices, triangles, vertices)}
	var indices []byte
	for _, p := range c.Pieces {
		for _, v := range p.Vertices {
			c.Corners = append(c.Corners, m.Positions[3*v:3*v+3]...)
		}
		indices = append(indices, p.Indices...)
	}
	at, err := c.upload(ctx, dev, "cluster vertices", Bytes(c.Corners))
	if err != nil {
		return nil, err
	}
	c.At = at
	indexAt, err := c.upload(ctx, dev, "cluster indices", indices)
	if err != nil {
		c.Destroy()
		return nil, err
	}
	c.Input = engine.ClusterInput{MaxCount: uint32(len(c.Pieces)), Op: engine.ClusterOpClusters,
		VertexFormat: vulkan.FormatR32g32b32Sfloat}
	for i, p := range c.Pieces {
		n, v := uint32(len(p.Triangles)), uint32(len(p.Vertices))
		c.Args = append(c.Args, engine.ClusterBuildTriangles{ID: uint32(i), Counts: engine.NewClusterCounts(n, v, 0, 1),
			Geometry: engine.NewClusterGeometry(0, engine.ClusterOpaque), Indices: indexAt, Vertices: at})
		at, indexAt = at+12*uint64(v), indexAt+3*uint64(n)
		c.Input.MaxTriangles, c.Input.MaxVertices = max(c.Input.MaxTriangles, n), max(c.Input.MaxVertices, v)
		c.Input.MaxTotalTriangles += n
		c.Input.MaxTotalVertices += v
	}
	return c, nil
}

func (c *Cut) upload(ctx context.Context, dev *engine.Device, name string, data []byte) (vk.DeviceAddress, error) {
	b, err := dev.NewBuildInput(ctx, name, data)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	c.buffers = append(c.buffers, b)
	return b.Address(), nil
}

// Destroy releases the buffers.
func (c *Cut) Destroy() {
	if c == nil {
		return
	}
	for _, b := range c.buffers {
		b.Destroy()
	}
	c.buffers = nil
}

// Bytes views numbers as the bytes that the device reads.
func Bytes[T uint32 | uint64 | float32](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}
