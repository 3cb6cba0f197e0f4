package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// quad adds a parallelogram to the primitive, seen from the side from which
// corner, corner+u, corner+u+v goes counter-clockwise.
func (p *Primitive) quad(corner, u, v mgl32.Vec3) {
	base := uint32(p.VertexCount())
	n := u.Cross(v).Normalize()
	t := u.Normalize()
	for i, c := range []mgl32.Vec3{corner, corner.Add(u), corner.Add(u).Add(v), corner.Add(v)} {
		p.Positions = append(p.Positions, c[:]...)
		p.Normals = append(p.Normals, n[:]...)
		p.Tangents = append(p.Tangents, t[0], t[1], t[2], 1)
		// v of the texture runs down the image, so that it stands upright.
		p.UV0 = append(p.UV0, []float32{0, 1, 1, 0}[i], []float32{1, 1, 0, 0}[i])
	}
	p.Indices = append(p.Indices, base, base+1, base+2, base, base+2, base+3)
}

// block is a cube from -0.5 to 0.5 with flat faces.
func block(material int) Primitive {
	p := Primitive{Material: material}
	for axis := range 3 {
		for _, s := range []float32{-1, 1} {
			var n, u mgl32.Vec3
			n[axis] = s
			u[(axis+1)%3] = 1
			v := n.Cross(u)
			p.quad(n.Sub(u).Sub(v).Mul(0.5), u, v)
		}
	}
	return p
}

// icosphere is a unit sphere of 20 * 4^levels triangles with shared vertices:
// an icosahedron, its triangles split in four again and again.
func icosphere(levels int) (points []mgl32.Vec3, indices []uint32) {
	const phi = math.Phi
	for _, s := range [][2]float32{{-1, phi}, {1, phi}, {-1, -phi}, {1, -phi}} {
		points = append(points, mgl32.Vec3{s[0], s[1], 0}, mgl32.Vec3{0, s[0], s[1]}, mgl32.Vec3{s[1], 0, s[0]})
	}
	for i := range points {
		points[i] = points[i].Normalize()
	}
	// The faces are the triples of mutually nearest corners.
	near := func(a, b int) bool { return points[a].Dot(points[b]) > 0.4 }
	for a := range points {
		for b := a + 1; b < len(points); b++ {
			for c := b + 1; c < len(points); c++ {
				if !near(a, b) || !near(b, c) || !near(a, c) {
					continue
				}
				if points[a].Dot(points[b].Cross(points[c])) < 0 {
					indices = append(indices, uint32(a), uint32(c), uint32(b))
				} else {
					indices = append(indices, uint32(a), uint32(b), uint32(c))
				}
			}
		}
	}
	for range levels {
		points, indices = subdivide(points, indices)
	}
	return points, indices
}

func subdivide(points []mgl32.Vec3, indices []uint32) ([]mgl32.Vec3, []uint32) {
	mid := map[[2]uint32]uint32{}
	middle := func(a, b uint32) uint32 {
		key := [2]uint32{min(a, b), max(a, b)}
		k, ok := mid[key]
		if !ok {
			k = uint32(len(points))
			points = append(points, points[a].Add(points[b]).Normalize())
			mid[key] = k
		}
		return k
	}
	out := make([]uint32, 0, 4*len(indices))
	for i := 0; i < len(indices); i += 3 {
		a, b, c := indices[i], indices[i+1], indices[i+2]
		ab, bc, ca := middle(a, b), middle(b, c), middle(c, a)
		out = append(out, a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca)
	}
	return points, out
}

// closedSurface makes a primitive of points with area-weighted normals.
func closedSurface(points []mgl32.Vec3, indices []uint32, material int) Primitive {
	p := Primitive{Indices: indices, Material: material, UV0: make([]float32, 2*len(points))}
	for i, q := range points {
		p.Positions = append(p.Positions, q[:]...)
		d := q.Normalize()
		p.UV0[2*i] = float32(math.Atan2(float64(d[0]), float64(d[2]))/(2*math.Pi) + 0.5)
		p.UV0[2*i+1] = float32(math.Acos(float64(max(-1, min(1, d[1])))) / math.Pi)
	}
	p.Normals = make([]float32, len(p.Positions))
	p.repairNormals() // all zero: all are replaced
	p.arbitraryTangents()
	return p
}

// torusKnot is a tube around the (2, 3) torus knot, which fits into a ball of
// radius one.
func torusKnot(along, around int, radius float32, material int) Primitive {
	p := Primitive{Material: material}
	curve := func(t float64) mgl32.Vec3 {
		r := 2 + math.Cos(3*t)
		v := mgl32.Vec3{float32(r * math.Cos(2*t)), float32(r * math.Sin(2*t)), float32(math.Sin(3 * t))}
		return v.Mul((1 - radius) / 3)
	}
	for i := range along + 1 {
		t := 2 * math.Pi * float64(i%along) / float64(along)
		const h = 1e-2
		c := curve(t)
		forward := curve(t + h).Sub(curve(t - h)).Normalize()
		// The curve never runs through the axis, so outwards is never along it.
		out := c.Sub(forward.Mul(c.Dot(forward))).Normalize()
		side := forward.Cross(out)
		for j := range around + 1 {
			a := 2 * math.Pi * float64(j%around) / float64(around)
			n := out.Mul(float32(math.Cos(a))).Add(side.Mul(float32(math.Sin(a)))).Normalize()
			q := c.Add(n.Mul(radius))
			p.Positions = append(p.Positions, q[:]...)
			p.Normals = append(p.Normals, n[:]...)
			p.UV0 = append(p.UV0, 16*float32(i)/float32(along), float32(j)/float32(around))
		}
	}
	row := uint32(around + 1)
	for i := range uint32(along) {
		for j := range uint32(around) {
			a, b := i*row+j, (i+1)*row+j
			p.Indices = append(p.Indices, a, b, a+1, a+1, b, b+1)
		}
	}
	p.orient()
	p.generateTangents(p.UV0)
	return p
}

// orient turns the triangles round whose winding contradicts their normals.
func (p *Primitive) orient() {
	for i := 0; i+2 < len(p.Indices); i += 3 {
		f := p.faceVector(i)
		n := p.normal(int(p.Indices[i]))
		if f[0]*float64(n[0])+f[1]*float64(n[1])+f[2]*float64(n[2]) < 0 {
			p.Indices[i+1], p.Indices[i+2] = p.Indices[i+2], p.Indices[i+1]
		}
	}
}
