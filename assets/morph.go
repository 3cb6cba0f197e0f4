package assets

import (
	"fmt"

	"github.com/qmuntal/gltf"
)

// morphWeights are the weights of a node's mesh: the node's own, or the mesh's defaults (specification 3.7.2.2). key tells
// the first apart from the second, since only they make a mesh of their own; -1 is none.
func (l *loader) morphWeights(node int) (key int) {
	if len(l.doc.Nodes[node].Weights) > 0 {
		return node
	}
	return -1
}

// weights returns what morphWeights means.
func (l *loader) weights(key meshKey) []float64 {
	if key.morph >= 0 {
		return l.doc.Nodes[key.morph].Weights
	}
	return l.doc.Meshes[key.mesh].Weights
}

// poseMorph adds the morph targets' displacements by their weights, to positions, normals and tangents. It comes before
// the skin, as the specification says.
func (l *loader) poseMorph(p *Primitive, sp *gltf.Primitive, pick []uint32, weights []float64) error {
	for t, target := range sp.Targets {
		if t >= len(weights) || weights[t] == 0 {
			continue
		}
		for _, a := range []struct {
			name   string
			to     []float32
			stride int
		}{{gltf.POSITION, p.Positions, 3}, {gltf.NORMAL, p.Normals, 3}, {gltf.TANGENT, p.Tangents, 4}} {
			i, ok := target[a.name]
			if !ok || a.to == nil {
				continue
			}
			d, _, err := l.read.floats(i, pick, gltf.AccessorVec3)
			if err != nil {
				return fmt.Errorf("morph target %d: %s: %w", t, a.name, err)
			}
			if len(d)/3 != len(a.to)/a.stride {
				return fmt.Errorf("%w: morph target %d: %s has %d elements for %d vertices", ErrInvalid, t, a.name, len(d)/3,
					len(a.to)/a.stride)
			}
			for v := range len(d) / 3 {
				for k := range 3 {
					a.to[v*a.stride+k] += float32(weights[t] * float64(d[3*v+k]))
				}
			}
		}
	}
	return nil
}
