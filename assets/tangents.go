package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Tangents after Mikkelsen, "Simulation of Wrinkled Surfaces Revisited" (2008),
// the method behind MikkTSpace that the glTF specification names. As there, a
// triangle's tangent is the direction of growing u, it is projected into each
// corner's normal plane and weighted by the corner's angle; vertices of equal
// position, normal and texture coordinates count as one; and the two sides of a
// mirrored texture are never mixed: a vertex that both use is split.
//
// Departures: triangles that meet in a vertex are averaged whether or not they
// also share an edge; triangles without area in texture space are skipped
// instead of taking a neighbour's tangent; sums are in another order, so
// results differ in the last bits.
//
// glTF's v runs down the image and its normal maps' y runs up, so the sign of
// the bitangent is the opposite of that of the texture-space area.

// tangentBuilder holds the sums of one primitive.
type tangentBuilder struct {
	p    *Primitive
	uv   []float32
	weld []uint32        // vertex -> first vertex equal to it
	sum  [2][][3]float32 // per texture side: tangent sums of welded vertices
	side []uint8         // per vertex: bit s set where a triangle of side s uses it
}

// generateTangents replaces the tangents by ones that fit the texture
// coordinates; without them (nil) the direction is arbitrary, the vectors unit
// and perpendicular. It may split vertices.
func (p *Primitive) generateTangents(uv []float32) {
	if uv == nil {
		p.arbitraryTangents()
		return
	}
	n := p.VertexCount()
	b := &tangentBuilder{p: p, uv: uv, side: make([]uint8, n)}
	b.sum[0], b.sum[1] = make([][3]float32, n), make([][3]float32, n)
	b.weldVertices()
	for i := 0; i+2 < len(p.Indices); i += 3 {
		b.addTriangle(i)
	}
	b.finish()
}

func (p *Primitive) arbitraryTangents() {
	n := p.VertexCount()
	p.Tangents = make([]float32, 4*n)
	for v := range n {
		p.setTangent(v, perpendicular(p.normal(v)), 1)
	}
}

func (p *Primitive) normal(v int) mgl32.Vec3 {
	return mgl32.Vec3{p.Normals[3*v], p.Normals[3*v+1], p.Normals[3*v+2]}
}

func (p *Primitive) setTangent(v int, t mgl32.Vec3, w float32) {
	p.Tangents[4*v], p.Tangents[4*v+1], p.Tangents[4*v+2], p.Tangents[4*v+3] = t[0], t[1], t[2], w
}

// perpendicular is a unit vector perpendicular to n (Duff et al., "Building an
// Orthonormal Basis, Revisited", JCGT 2017).
func perpendicular(n mgl32.Vec3) mgl32.Vec3 {
	sign := float32(math.Copysign(1, float64(n[2])))
	a := -1 / (sign + n[2])
	return mgl32.Vec3{1 + sign*n[0]*n[0]*a, sign * n[0] * n[1] * a, -sign * n[0]}
}

// weldVertices finds equal vertices, which exporters split for other reasons.
func (b *tangentBuilder) weldVertices() {
	n := b.p.VertexCount()
	b.weld = make([]uint32, n)
	first := make(map[[8]float32]uint32, n)
	for v := range n {
		p, m := b.p.Positions[3*v:], b.p.Normals[3*v:]
		key := [8]float32{p[0], p[1], p[2], m[0], m[1], m[2], b.uv[2*v], b.uv[2*v+1]}
		k, ok := first[key]
		if !ok {
			k = uint32(v)
			first[key] = k
		}
		b.weld[v] = k
	}
}

func (b *tangentBuilder) addTriangle(i int) {
	idx := b.p.Indices[i : i+3]
	p0, p1, p2 := b.p.corner(i), b.p.corner(i+1), b.p.corner(i+2)
	u0, v0 := float64(b.uv[2*idx[0]]), float64(b.uv[2*idx[0]+1])
	s1, t1 := float64(b.uv[2*idx[1]])-u0, float64(b.uv[2*idx[1]+1])-v0
	s2, t2 := float64(b.uv[2*idx[2]])-u0, float64(b.uv[2*idx[2]+1])-v0
	area := s1*t2 - s2*t1
	if area == 0 || math.IsNaN(area) || math.IsInf(area, 0) {
		return
	}
	side, sign := 0, 1.0
	if area < 0 {
		side, sign = 1, -1
	}
	var d [3]float64
	for k := range 3 {
		d[k] = sign * (t2*(p1[k]-p0[k]) - t1*(p2[k]-p0[k]))
	}
	t := unitOr(d, mgl32.Vec3{})
	if t == (mgl32.Vec3{}) {
		return
	}
	pts := [3][3]float64{p0, p1, p2}
	for k, v := range idx {
		b.side[v] |= 1 << side
		n := b.p.normal(int(v))
		w := cornerAngle(n, pts[k], pts[(k+1)%3], pts[(k+2)%3])
		q := t.Sub(n.Mul(n.Dot(t)))
		l := q.Len()
		if !(l > 1e-6) {
			continue
		}
		s := &b.sum[side][b.weld[v]]
		for a := range 3 {
			s[a] += q[a] / l * w
		}
	}
}

// cornerAngle is the angle at a between the edges to b and c, both projected
// into the plane of normal n.
func cornerAngle(n mgl32.Vec3, a, b, c [3]float64) float32 {
	project := func(to [3]float64) mgl32.Vec3 {
		e := unitOr([3]float64{to[0] - a[0], to[1] - a[1], to[2] - a[2]}, mgl32.Vec3{})
		e = e.Sub(n.Mul(n.Dot(e)))
		return unitOr([3]float64{float64(e[0]), float64(e[1]), float64(e[2])}, mgl32.Vec3{})
	}
	return float32(math.Acos(float64(max(-1, min(1, project(b).Dot(project(c)))))))
}

// finish splits the vertices that both sides use and writes the tangents.
func (b *tangentBuilder) finish() {
	p := b.p
	n := p.VertexCount()
	split := map[uint32]uint32{} // vertex -> its copy for side 1
	var from []uint32            // what the copies are copies of
	for v := range n {
		if b.side[v] == 3 {
			split[uint32(v)] = uint32(n + len(from))
			from = append(from, uint32(v))
		}
	}
	if len(from) > 0 {
		b.splitVertices(split, from)
	}
	p.Tangents = make([]float32, 4*(n+len(from)))
	for v := range n + len(from) {
		src, side := v, 0
		if v >= n {
			src, side = int(from[v-n]), 1
		} else if b.side[v] == 2 {
			side = 1
		}
		w := float32(-1)
		if side == 1 {
			w = 1
		}
		if b.side[src] == 0 {
			w = 1 // no triangle says anything
		}
		s := b.sum[side][b.weld[src]]
		t, ok := orthonormalTangent(mgl32.Vec3(s), p.normal(v))
		if !ok {
			t = perpendicular(p.normal(v))
		}
		p.setTangent(v, t, w)
	}
}

func (b *tangentBuilder) splitVertices(split map[uint32]uint32, from []uint32) {
	p := b.p
	for i := 0; i+2 < len(p.Indices); i += 3 {
		if b.triangleSide(i) != 1 {
			continue
		}
		for k := i; k < i+3; k++ {
			if c, ok := split[p.Indices[k]]; ok {
				p.Indices[k] = c
			}
		}
	}
	grow := func(a []float32, n int) []float32 {
		if a == nil {
			return nil
		}
		return append(a, expand(a, n, from)...)
	}
	p.Positions, p.Normals = grow(p.Positions, 3), grow(p.Normals, 3)
	p.UV0, p.UV1, p.Colors = grow(p.UV0, 2), grow(p.UV1, 2), grow(p.Colors, 4)
}

// triangleSide is 1 for mirrored texture coordinates, else 0.
func (b *tangentBuilder) triangleSide(i int) int {
	idx := b.p.Indices[i : i+3]
	u0, v0 := float64(b.uv[2*idx[0]]), float64(b.uv[2*idx[0]+1])
	s1, t1 := float64(b.uv[2*idx[1]])-u0, float64(b.uv[2*idx[1]+1])-v0
	s2, t2 := float64(b.uv[2*idx[2]])-u0, float64(b.uv[2*idx[2]+1])-v0
	if s1*t2-s2*t1 < 0 {
		return 1
	}
	return 0
}

// orthonormalTangent is t made perpendicular to n and of unit length; false
// where it has no direction then.
func orthonormalTangent(t, n mgl32.Vec3) (mgl32.Vec3, bool) {
	u := unitOr([3]float64{float64(t[0]), float64(t[1]), float64(t[2])}, mgl32.Vec3{})
	u = u.Sub(n.Mul(n.Dot(u)))
	if l := u.Len(); !(l > 1e-4) {
		return mgl32.Vec3{}, false
	}
	u = u.Normalize()
	u = u.Sub(n.Mul(n.Dot(u))).Normalize() // again: the first leaves rounding behind
	return u, allFinite(u[:])
}

// repairTangents makes the file's tangents unit and perpendicular to the
// normals, and replaces those that have no direction.
func (p *Primitive) repairTangents() {
	for v := range p.VertexCount() {
		t := mgl32.Vec3{p.Tangents[4*v], p.Tangents[4*v+1], p.Tangents[4*v+2]}
		w := float32(1)
		if p.Tangents[4*v+3] < 0 {
			w = -1
		}
		u, ok := orthonormalTangent(t, p.normal(v))
		if !ok {
			u = perpendicular(p.normal(v))
		}
		p.setTangent(v, u, w)
	}
}
