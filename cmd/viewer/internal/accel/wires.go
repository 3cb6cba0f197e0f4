package accel

import (
	"context"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/engine"
)

// Wire is a box of a tree in the world: corner i has the greater x, y and z where bits 0, 1 and 2 of i are set.
type Wire [8]mgl32.Vec3

// Edges are the pairs of corners of a Wire that an edge joins.
func Edges() (edges [][2]int) {
	for i := range 8 {
		for axis := range 3 {
			if j := i | 1<<axis; j != i {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	return edges
}

// Wires returns boxes of the bottom levels' nodes, level steps below their roots, of all instances. There are about most of them
// at most: large scenes get fewer levels, and at last fewer instances. The structures are read back from the device: by compute
// only (engine.ErrUnsupported else), and not while they are built.
func (s *Scene) Wires(ctx context.Context, dev *engine.Device, level, most int) ([]Wire, error) {
	instances := s.Source.Instances
	each := max(most/max(len(instances), 1), 1)
	meshes := map[int][]inspect.Box{}
	var wires []Wire
	for i := range instances {
		in := &instances[i]
		boxes, ok := meshes[in.Mesh]
		if !ok {
			b, err := s.meshBoxes(ctx, dev, in.Mesh, level, each)
			if err != nil {
				return nil, fmt.Errorf("boxes of mesh %d: %w", in.Mesh, err)
			}
			boxes, meshes[in.Mesh] = b, b
		}
		for _, b := range boxes {
			wires = append(wires, wireOf(b, in.Transform))
		}
		if len(wires) >= most {
			break
		}
	}
	return wires, nil
}

func (s *Scene) meshBoxes(ctx context.Context, dev *engine.Device, mesh, level, most int) ([]inspect.Box, error) {
	if s.bottom[mesh] == nil {
		return nil, nil
	}
	read, err := dev.Decode(ctx, s.bottom[mesh])
	if err != nil {
		return nil, err
	}
	return read.Level(level, most), nil
}

func wireOf(b inspect.Box, m mgl32.Mat4) (w Wire) {
	ends := [2][3]float32{b.Min, b.Max}
	for i := range w {
		w[i] = m.Mul4x1(mgl32.Vec4{ends[i&1][0], ends[i>>1&1][1], ends[i>>2&1][2], 1}).Vec3()
	}
	return w
}
