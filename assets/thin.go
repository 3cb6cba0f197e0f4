package assets

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/qmuntal/gltf"
)

// Points and lines have no thickness, and a ray meets nothing of that kind: they are given one, as triangles with round normals,
// so that whatever draws triangles draws them.

// thin are the points or segments of a primitive, in object space.
type thin struct {
	positions, colors []float32 // x y z, and r g b a or nil
	points            []uint32
	segments          [][2]uint32
}

// The sides of a line, and the vertices and triangles of a point (an octahedron) and of a segment (a prism with pointed ends).
const (
	lineSides        = 6
	pointVertices    = 6
	pointTriangles   = 8
	segmentVertices  = 2*lineSides + 2
	segmentTriangles = 4 * lineSides
)

// radius is that of points and lines: a small part of the size, for points no more than their distance on a surface.
func (t *thin) radius() float32 {
	size := float64(positionBounds(t.positions).Diagonal())
	if !(size > 0) {
		size = 1
	}
	if len(t.points) == 0 {
		return float32(size / 800)
	}
	return float32(min(max(0.5*size/math.Sqrt(float64(len(t.points))), size/2000), size/100))
}

// primitive makes triangles; nil where there is nothing to see.
func (l *loader) thicken(t *thin) (*Primitive, error) {
	vertices := int64(len(t.points))*pointVertices + int64(len(t.segments))*segmentVertices
	triangles := int64(len(t.points))*pointTriangles + int64(len(t.segments))*segmentTriangles
	if vertices > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d points and %d lines", ErrTooLarge, len(t.points), len(t.segments))
	}
	if err := l.src.charge(vertices*(3+3+4)*4+triangles*12, "points and lines"); err != nil {
		return nil, err
	}
	r := t.radius()
	b := &thickener{thin: t}
	for _, i := range t.points {
		b.point(i, r)
	}
	for _, s := range t.segments {
		b.segment(s[0], s[1], r)
	}
	if len(b.p.Indices) == 0 {
		return nil, nil
	}
	return &b.p, nil
}

type thickener struct {
	*thin
	p Primitive
}

func (b *thickener) at(i uint32) mgl32.Vec3 {
	return mgl32.Vec3{b.positions[3*i], b.positions[3*i+1], b.positions[3*i+2]}
}

// vertex adds a vertex with the colour of one of the file's.
func (b *thickener) vertex(p, n mgl32.Vec3, of uint32) {
	b.p.Positions = append(b.p.Positions, p[0], p[1], p[2])
	b.p.Normals = append(b.p.Normals, n[0], n[1], n[2])
	if b.colors != nil {
		b.p.Colors = append(b.p.Colors, b.colors[4*of:4*of+4]...)
	}
}

// point is an octahedron.
func (b *thickener) point(i uint32, r float32) {
	first := uint32(b.p.VertexCount())
	center := b.at(i)
	for axis := range 3 {
		for _, sign := range []float32{1, -1} {
			n := mgl32.Vec3{}
			n[axis] = sign
			b.vertex(center.Add(n.Mul(r)), n, i)
		}
	}
	for k := range uint32(8) { // a bit says which end of its axis a corner is
		x, y, z := first+k&1, first+2+k>>1&1, first+4+k>>2&1
		if (k&1+k>>1&1+k>>2&1)%2 == 1 {
			y, z = z, y
		}
		b.p.Indices = append(b.p.Indices, x, y, z)
	}
}

// segment is a prism around the line, with ends that reach beyond it as far as it is thick.
func (b *thickener) segment(i, j uint32, r float32) {
	from, to := b.at(i), b.at(j)
	along := to.Sub(from)
	if !(along.Len() > 0) {
		return
	}
	along = along.Normalize()
	side, front := basis(along)
	first := uint32(b.p.VertexCount())
	for k := range lineSides {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / lineSides)
		n := side.Mul(float32(cos)).Add(front.Mul(float32(sin))).Normalize()
		b.vertex(from.Add(n.Mul(r)), n, i)
		b.vertex(to.Add(n.Mul(r)), n, j)
	}
	b.vertex(from.Sub(along.Mul(r)), along.Mul(-1), i)
	b.vertex(to.Add(along.Mul(r)), along, j)
	start, end := first+2*lineSides, first+2*lineSides+1
	for k := range uint32(lineSides) {
		a, c := first+2*k, first+2*((k+1)%lineSides)
		b.p.Indices = append(b.p.Indices, a, a+1, c, a+1, c+1, c, a, c, start, a+1, end, c+1)
	}
}

// thinPrimitive reads a primitive of points or lines.
func (l *loader) thinPrimitive(sp *gltf.Primitive, position int) (*Primitive, error) {
	positions, _, err := l.read.floats(position, nil, gltf.AccessorVec3)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", gltf.POSITION, err)
	}
	vertices := len(positions) / 3
	t := &thin{positions: positions}
	if c, ok := sp.Attributes[gltf.COLOR_0]; ok {
		colors, n, err := l.read.floats(c, nil, gltf.AccessorVec3, gltf.AccessorVec4)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", gltf.COLOR_0, err)
		}
		l.scaleColors(sp, colors)
		if t.colors = withAlpha(colors, n); len(t.colors) != 4*vertices {
			return nil, fmt.Errorf("%w: %s has %d elements for %d vertices", ErrInvalid, gltf.COLOR_0, len(t.colors)/4, vertices)
		}
		l.replaceNonFinite(t.colors, 1)
	}
	for i := 0; i+2 < len(positions); i += 3 {
		if !allFinite(positions[i : i+3]) {
			return nil, fmt.Errorf("%w: position of vertex %d is not finite", ErrInvalid, i/3)
		}
	}
	indices, err := l.thinIndices(sp, vertices)
	if err != nil {
		return nil, err
	}
	t.connect(sp.Mode, indices)
	p, err := l.thicken(t)
	if err != nil || p == nil {
		return nil, err
	}
	if p.Material, err = l.material(sp.Material); err != nil {
		return nil, err
	}
	return p, l.shading(p)
}

// thinIndices are the file's, or all vertices in turn.
func (l *loader) thinIndices(sp *gltf.Primitive, vertices int) ([]uint32, error) {
	if sp.Indices == nil {
		indices := make([]uint32, vertices)
		for i := range indices {
			indices[i] = uint32(i)
		}
		return indices, nil
	}
	indices, err := l.read.uints(*sp.Indices, gltf.AccessorScalar)
	if err != nil {
		return nil, fmt.Errorf("indices: %w", err)
	}
	for i, k := range indices {
		if int64(k) >= int64(vertices) {
			return nil, fmt.Errorf("%w: index %d is %d, there are %d vertices", ErrInvalid, i, k, vertices)
		}
	}
	return indices, nil
}

// connect makes points or segments of indices.
func (t *thin) connect(mode gltf.PrimitiveMode, indices []uint32) {
	switch mode {
	case gltf.PrimitivePoints:
		t.points = indices
	case gltf.PrimitiveLines:
		for i := 0; i+1 < len(indices); i += 2 {
			t.segments = append(t.segments, [2]uint32{indices[i], indices[i+1]})
		}
	default:
		for i := 1; i < len(indices); i++ {
			t.segments = append(t.segments, [2]uint32{indices[i-1], indices[i]})
		}
		if mode == gltf.PrimitiveLineLoop && len(indices) > 2 {
			t.segments = append(t.segments, [2]uint32{indices[len(indices)-1], indices[0]})
		}
	}
}
