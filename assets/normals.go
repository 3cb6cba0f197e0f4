package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// unshare gives every triangle its own vertices.
func (p *Primitive) unshare() {
	p.Positions = expand(p.Positions, 3, p.Indices)
	p.Normals = expand(p.Normals, 3, p.Indices)
	p.Tangents = expand(p.Tangents, 4, p.Indices)
	p.UV0 = expand(p.UV0, 2, p.Indices)
	p.UV1 = expand(p.UV1, 2, p.Indices)
	p.Colors = expand(p.Colors, 4, p.Indices)
	idx := make([]uint32, len(p.Indices))
	for i := range idx {
		idx[i] = uint32(i)
	}
	p.Indices = idx
}

// expand gathers the elements of n floats that the indices name.
func expand(src []float32, n int, indices []uint32) []float32 {
	if src == nil {
		return nil
	}
	out := make([]float32, n*len(indices))
	for i, k := range indices {
		copy(out[n*i:n*i+n], src[n*int(k):n*int(k)+n])
	}
	return out
}

// flatNormals makes the normals that the specification asks for where a file
// has none: each triangle's own. Shared vertices have to be split for that, and
// are kept beside.
func (p *Primitive) flatNormals() {
	p.Normals, p.Tangents = nil, nil
	if p.VertexCount() < len(p.Indices) {
		p.Shared = &Surface{Positions: p.Positions, Indices: p.Indices}
	}
	p.unshare()
	p.Normals = make([]float32, len(p.Positions))
	for i := 0; i+2 < len(p.Indices); i += 3 {
		n := unitOr(p.faceVector(i), mgl32.Vec3{0, 0, 1})
		for k := i; k < i+3; k++ {
			copy(p.Normals[3*k:], n[:])
		}
	}
}

// faceVector is the normal of the triangle at index i, twice its area long;
// in float64, so that tiny triangles keep their direction.
func (p *Primitive) faceVector(i int) [3]float64 {
	a, b, c := p.corner(i), p.corner(i+1), p.corner(i+2)
	ux, uy, uz := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	vx, vy, vz := c[0]-a[0], c[1]-a[1], c[2]-a[2]
	return [3]float64{uy*vz - uz*vy, uz*vx - ux*vz, ux*vy - uy*vx}
}

func (p *Primitive) corner(i int) [3]float64 {
	q := p.Positions[3*int(p.Indices[i]):]
	return [3]float64{float64(q[0]), float64(q[1]), float64(q[2])}
}

// unitOr normalises, or returns the fallback for what has no direction.
func unitOr(v [3]float64, fallback mgl32.Vec3) mgl32.Vec3 {
	l := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	if !(l > 0) || math.IsInf(l, 0) {
		return fallback
	}
	return mgl32.Vec3{float32(v[0] / l), float32(v[1] / l), float32(v[2] / l)}
}

// repairNormals normalises the file's normals. Those without a direction (zero
// or not finite) become the area-weighted mean of the triangles around; it
// returns how many.
func (p *Primitive) repairNormals() (replaced int) {
	var bad []bool
	for v := range p.VertexCount() {
		n := p.Normals[3*v : 3*v+3]
		u := unitOr([3]float64{float64(n[0]), float64(n[1]), float64(n[2])}, mgl32.Vec3{})
		if u == (mgl32.Vec3{}) || !allFinite(u[:]) {
			if bad == nil {
				bad = make([]bool, p.VertexCount())
			}
			bad[v] = true
			replaced++
		}
		copy(n, u[:])
	}
	if replaced == 0 {
		return 0
	}
	sum := make(map[uint32][3]float64, replaced)
	for i := 0; i+2 < len(p.Indices); i += 3 {
		var f [3]float64
		known := false
		for _, v := range p.Indices[i : i+3] {
			if !bad[v] {
				continue
			}
			if !known {
				f, known = p.faceVector(i), true
			}
			s := sum[v]
			sum[v] = [3]float64{s[0] + f[0], s[1] + f[1], s[2] + f[2]}
		}
	}
	for v, b := range bad {
		if b {
			u := unitOr(sum[uint32(v)], mgl32.Vec3{0, 0, 1})
			copy(p.Normals[3*v:], u[:])
		}
	}
	return replaced
}
