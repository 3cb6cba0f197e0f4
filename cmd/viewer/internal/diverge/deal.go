package diverge

import (
	"errors"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
)

// Geometries is the number of geometries, and of hit records.
const Geometries = 16

// Chunk is how many successive triangles of a mesh stay together.
const Chunk = 64

// MaxTriangles is the most triangles of a scene, all instances counted.
const MaxTriangles = 1 << 23

// ErrTooManyTriangles is returned by Deal for scenes of more than MaxTriangles.
var ErrTooManyTriangles = errors.New("too many triangles for the divergence test")

// Deal returns the scene as one mesh in world space, whose triangles are dealt out to the geometries by a hash of their chunk.
func Deal(s *assets.Scene) (*assets.Scene, error) {
	n := 0
	for i := range s.Instances {
		n += s.Meshes[s.Instances[i].Mesh].TriangleCount()
	}
	if n == 0 || n > MaxTriangles {
		return nil, fmt.Errorf("%s: %w: it has %d with all instances, want 1 to %d", s.Name, ErrTooManyTriangles, n, MaxTriangles)
	}
	d := dealer{mesh: assets.Mesh{Name: s.Name, Primitives: make([]assets.Primitive, Geometries)}}
	for i := range s.Instances {
		in := &s.Instances[i]
		for p := range s.Meshes[in.Mesh].Primitives {
			d.deal(&s.Meshes[in.Mesh].Primitives[p], in.Transform)
		}
	}
	// A geometry that got nothing, of a small scene, gets a triangle without area.
	for g := range d.mesh.Primitives {
		if p := &d.mesh.Primitives[g]; len(p.Indices) == 0 {
			p.Positions, p.Indices = make([]float32, 9), []uint32{0, 1, 2}
			for corner := range 3 {
				copy(p.Positions[3*corner:], s.Bounds.Min[:])
			}
		}
	}
	return &assets.Scene{
		Name: s.Name, Meshes: []assets.Mesh{d.mesh}, Instances: []assets.Instance{{Transform: mgl32.Ident4()}},
		Materials: []assets.Material{assets.DefaultMaterial()}, Cameras: s.Cameras, Bounds: s.Bounds, Up: s.Up,
	}, nil
}

// dealer deals out; a chunk's vertices are shared in it.
type dealer struct {
	mesh   assets.Mesh
	chunks uint32
	vertex map[uint32]uint32 // of the source to the geometry's, in this chunk
}

func (d *dealer) deal(p *assets.Primitive, transform mgl32.Mat4) {
	s := p.Surface()
	for from := 0; from < len(s.Indices); from += 3 * Chunk {
		to := &d.mesh.Primitives[hash(d.chunks)%Geometries]
		d.chunks++
		d.vertex = make(map[uint32]uint32, Chunk)
		for _, v := range s.Indices[from:min(from+3*Chunk, len(s.Indices))] {
			at, known := d.vertex[v]
			if !known {
				at = uint32(to.VertexCount())
				d.vertex[v] = at
				w := transform.Mul4x1(mgl32.Vec4{s.Positions[3*v], s.Positions[3*v+1], s.Positions[3*v+2], 1})
				to.Positions = append(to.Positions, w[0], w[1], w[2])
			}
			to.Indices = append(to.Indices, at)
		}
	}
}

// hash mixes the bits of a chunk's number (the finaliser of MurmurHash3, Appleby 2008).
func hash(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}
