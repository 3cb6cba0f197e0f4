package assets

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/qmuntal/gltf"
)

// maxInfluenceSets is how many sets of four joints are read; the specification
// leaves the number open, files have one or two.
const maxInfluenceSets = 4

// poseSkin moves positions, normals and tangents by the weighted sum of the
// joint matrices (linear blend skinning, specification 3.7.3.3).
func (l *loader) poseSkin(p *Primitive, sp *gltf.Primitive, pick []uint32, pose []mgl64.Mat4) error {
	blend, err := l.blendMatrices(p, sp, pick, pose)
	if err != nil || blend == nil {
		return err
	}
	for v := range p.VertexCount() {
		m := blend(v)
		q := m.Mul4x1(widen3(p.Positions[3*v:]).Vec4(1))
		store3(p.Positions[3*v:], q.Vec3())
		if p.Normals != nil {
			store3(p.Normals[3*v:], cofactor(m).Mul3x1(widen3(p.Normals[3*v:])))
		}
		if p.Tangents != nil {
			store3(p.Tangents[4*v:], m.Mat3().Mul3x1(widen3(p.Tangents[4*v:])))
			if m.Mat3().Det() < 0 {
				p.Tangents[4*v+3] = -p.Tangents[4*v+3]
			}
		}
	}
	return nil
}

// blendMatrices reads joints and weights and returns the function from a
// vertex to its matrix; nil where the primitive has no joints.
func (l *loader) blendMatrices(p *Primitive, sp *gltf.Primitive, pick []uint32, pose []mgl64.Mat4) (func(v int) mgl64.Mat4, error) {
	type set struct{ joints, weights []float32 }
	var sets []set
	for k := range maxInfluenceSets {
		jn, wn := fmt.Sprintf("JOINTS_%d", k), fmt.Sprintf("WEIGHTS_%d", k)
		ji, ok := sp.Attributes[jn]
		if !ok {
			break
		}
		joints, _, err := l.read.floats(ji, pick, gltf.AccessorVec4)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", jn, err)
		}
		wi, ok := sp.Attributes[wn]
		if !ok {
			return nil, fmt.Errorf("%w: %s without %s", ErrInvalid, jn, wn)
		}
		weights, _, err := l.read.floats(wi, pick, gltf.AccessorVec4)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", wn, err)
		}
		if n := 4 * p.VertexCount(); len(joints) != n || len(weights) != n {
			return nil, fmt.Errorf("%w: %s has %d and %s %d elements for %d vertices", ErrInvalid, jn, len(joints)/4, wn, len(weights)/4,
				n/4)
		}
		for i, j := range joints {
			if !(j >= 0 && j < float32(len(pose))) || !(weights[i] >= 0) {
				return nil, fmt.Errorf("%w: vertex %d: joint %g of %d, weight %g", ErrInvalid, i/4, j, len(pose), weights[i])
			}
		}
		sets = append(sets, set{joints, weights})
	}
	if len(sets) == 0 {
		l.warn("primitives without joints are not moved by their skin")
		return nil, nil
	}
	return func(v int) mgl64.Mat4 {
		var m mgl64.Mat4
		total := 0.0
		for _, s := range sets {
			for i := 4 * v; i < 4*v+4; i++ {
				if w := float64(s.weights[i]); w > 0 {
					m = m.Add(pose[int(s.joints[i])].Mul(w))
					total += w
				}
			}
		}
		if total == 0 {
			return mgl64.Ident4()
		}
		return m.Mul(1 / total)
	}, nil
}

// cofactor is the matrix for normals: the inverse transpose times the
// determinant's magnitude, which exists for singular matrices too.
func cofactor(m mgl64.Mat4) mgl64.Mat3 {
	a, b, c := m.Col(0).Vec3(), m.Col(1).Vec3(), m.Col(2).Vec3()
	x, y, z := b.Cross(c), c.Cross(a), a.Cross(b)
	if a.Dot(x) < 0 {
		x, y, z = x.Mul(-1), y.Mul(-1), z.Mul(-1)
	}
	return mgl64.Mat3FromCols(x, y, z)
}

func widen3(s []float32) mgl64.Vec3 {
	return mgl64.Vec3{float64(s[0]), float64(s[1]), float64(s[2])}
}

func store3(s []float32, v mgl64.Vec3) {
	s[0], s[1], s[2] = float32(v[0]), float32(v[1]), float32(v[2])
}
