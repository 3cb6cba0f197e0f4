package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Bounds is an axis-aligned box.
type Bounds struct{ Min, Max mgl32.Vec3 }

// EmptyBounds contains nothing; extending it gives what it was extended by.
func EmptyBounds() Bounds {
	inf := float32(math.Inf(1))
	return Bounds{mgl32.Vec3{inf, inf, inf}, mgl32.Vec3{-inf, -inf, -inf}}
}

// IsEmpty tells whether the box contains no point.
func (b Bounds) IsEmpty() bool {
	return !(b.Min[0] <= b.Max[0] && b.Min[1] <= b.Max[1] && b.Min[2] <= b.Max[2])
}

// Center is the middle.
func (b Bounds) Center() mgl32.Vec3 { return b.Min.Mul(0.5).Add(b.Max.Mul(0.5)) }

// Size is the extent along each axis.
func (b Bounds) Size() mgl32.Vec3 { return b.Max.Sub(b.Min) }

// Diagonal is the length between the extreme corners.
func (b Bounds) Diagonal() float32 {
	d := 0.0
	for i := range 3 {
		e := float64(b.Max[i]) - float64(b.Min[i])
		d += e * e
	}
	return float32(math.Sqrt(d))
}

// Extend returns the box that also contains p.
func (b Bounds) Extend(p mgl32.Vec3) Bounds {
	for i := range 3 {
		b.Min[i] = min(b.Min[i], p[i])
		b.Max[i] = max(b.Max[i], p[i])
	}
	return b
}

// Union returns the box around both.
func (b Bounds) Union(o Bounds) Bounds {
	for i := range 3 {
		b.Min[i] = min(b.Min[i], o.Min[i])
		b.Max[i] = max(b.Max[i], o.Max[i])
	}
	return b
}

// Transform returns a box around the transformed box (Arvo, Graphics Gems 1990).
func (b Bounds) Transform(m mgl32.Mat4) Bounds {
	var r Bounds
	for row := range 3 {
		lo, hi := m[12+row], m[12+row]
		for col := range 3 {
			x, y := m[col*4+row]*b.Min[col], m[col*4+row]*b.Max[col]
			lo += min(x, y)
			hi += max(x, y)
		}
		r.Min[row], r.Max[row] = lo, hi
	}
	return r
}

// maxCoordinate is how far from the origin anything may be: products of three
// lengths, as tests of rays against triangles form them, still fit into single
// precision.
const maxCoordinate = 1e12

// reasonable tells whether the box can be worked with.
func (b Bounds) reasonable() bool {
	for i := range 3 {
		if !(abs32(b.Min[i]) <= maxCoordinate && abs32(b.Max[i]) <= maxCoordinate) {
			return false
		}
	}
	return true
}

func isFinite(f float32) bool { return f-f == 0 }

// positionBounds encloses x y z triples.
func positionBounds(p []float32) Bounds {
	b := EmptyBounds()
	for i := 0; i+2 < len(p); i += 3 {
		x, y, z := p[i], p[i+1], p[i+2]
		b.Min[0], b.Max[0] = min(b.Min[0], x), max(b.Max[0], x)
		b.Min[1], b.Max[1] = min(b.Min[1], y), max(b.Max[1], y)
		b.Min[2], b.Max[2] = min(b.Min[2], z), max(b.Max[2], z)
	}
	return b
}

// exactBoundsVertices is up to how many transformed vertices the scene's
// bounds are exact; above it boxes of boxes are good enough and much cheaper.
const exactBoundsVertices = 1 << 22

// ComputeBounds sets the bounds of the meshes and of the scene. The scene's
// are exact up to about four million vertices over all instances; above that
// they enclose the transformed boxes of the meshes.
func (s *Scene) ComputeBounds() {
	verts := make([]int, len(s.Meshes))
	for i := range s.Meshes {
		m := &s.Meshes[i]
		m.Bounds = EmptyBounds()
		for j := range m.Primitives {
			m.Bounds = m.Bounds.Union(m.Primitives[j].bounds())
			verts[i] += m.Primitives[j].VertexCount()
		}
	}
	total := 0
	for i := range s.Instances {
		total += verts[s.Instances[i].Mesh]
	}
	s.Bounds = EmptyBounds()
	for i := range s.Instances {
		in := &s.Instances[i]
		m := &s.Meshes[in.Mesh]
		if total > exactBoundsVertices || in.Transform == mgl32.Ident4() || m.IsThin() {
			s.Bounds = s.Bounds.Union(m.Bounds.Transform(in.Transform))
			continue
		}
		for j := range m.Primitives {
			s.Bounds = s.Bounds.Union(transformedBounds(m.Primitives[j].Positions, in.Transform))
		}
	}
}

func transformedBounds(p []float32, m mgl32.Mat4) Bounds {
	b := EmptyBounds()
	for i := 0; i+2 < len(p); i += 3 {
		b = b.Extend(mgl32.Vec3{
			m[0]*p[i] + m[4]*p[i+1] + m[8]*p[i+2] + m[12],
			m[1]*p[i] + m[5]*p[i+1] + m[9]*p[i+2] + m[13],
			m[2]*p[i] + m[6]*p[i+1] + m[10]*p[i+2] + m[14],
		})
	}
	return b
}
