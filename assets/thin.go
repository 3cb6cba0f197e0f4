package assets

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/qmuntal/gltf"
)

// Points and lines have no thickness, and a ray meets nothing of that kind: they are given one. What draws them meets a sphere
// for a point and a capsule, a tube with round ends, for a line.

// thin are the points or segments of a primitive, in object space.
type thin struct {
	positions, colors []float32 // x y z, and r g b a or nil
	points            []uint32
	segments          [][2]uint32
}

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

// thicken makes a primitive; nil where there is nothing to see. Lines without length are left out.
func (l *loader) thicken(t *thin) (*Primitive, error) {
	count := int64(len(t.points)) + int64(len(t.segments))
	if count > math.MaxUint32/2 {
		return nil, fmt.Errorf("%w: %d points and %d lines", ErrTooLarge, len(t.points), len(t.segments))
	}
	if err := l.src.charge(count*2*4, "points and lines"); err != nil {
		return nil, err
	}
	p := &Primitive{Positions: t.positions, Colors: t.colors, Radius: t.radius()}
	for _, i := range t.points {
		p.Ends = append(p.Ends, i, i)
	}
	for _, s := range t.segments {
		if p.vertex(s[0]) != p.vertex(s[1]) {
			p.Ends = append(p.Ends, s[0], s[1])
		}
	}
	if len(p.Ends) == 0 {
		return nil, nil
	}
	return p, nil
}

// IsThin tells a primitive of points and lines from one of triangles.
func (p *Primitive) IsThin() bool { return len(p.Ends) > 0 }

// ThinCount is the number of points and lines.
func (p *Primitive) ThinCount() int { return len(p.Ends) / 2 }

// Thin returns the ends of a point or line.
func (p *Primitive) Thin(i int) (from, to mgl32.Vec3) {
	return p.vertex(p.Ends[2*i]), p.vertex(p.Ends[2*i+1])
}

func (p *Primitive) vertex(i uint32) mgl32.Vec3 { return mgl32.Vec3(p.Positions[3*i : 3*i+3]) }

// IsThin tells a mesh of points and lines from one of triangles: no mesh has both.
func (m *Mesh) IsThin() bool { return len(m.Primitives) > 0 && m.Primitives[0].IsThin() }

// HasThin tells whether there are points or lines.
func (s *Scene) HasThin() bool {
	for i := range s.Meshes {
		if s.Meshes[i].IsThin() {
			return true
		}
	}
	return false
}

// WithoutThin returns a scene of the triangles alone, which shares all else with s: what cannot use points and lines has that.
func (s *Scene) WithoutThin() *Scene {
	if !s.HasThin() {
		return s
	}
	out := *s
	out.Instances = nil
	for _, in := range s.Instances {
		if !s.Meshes[in.Mesh].IsThin() {
			out.Instances = append(out.Instances, in)
		}
	}
	l := loader{scene: out}
	l.scene.Meshes = slices.Clone(s.Meshes)
	l.dropUnusedMeshes()
	l.scene.ComputeBounds()
	return &l.scene
}

// bounds are those of what a ray meets.
func (p *Primitive) bounds() Bounds {
	b := positionBounds(p.Positions)
	if p.IsThin() {
		b = EmptyBounds() // vertices that nothing uses do not count
		for _, i := range p.Ends {
			b = b.Extend(p.vertex(i))
		}
		r := mgl32.Vec3{p.Radius, p.Radius, p.Radius}
		b.Min, b.Max = b.Min.Sub(r), b.Max.Add(r)
	}
	return b
}

// separateThin gives points and lines meshes of their own, shown by instances of their own: an acceleration structure has
// triangles or boxes.
func (s *Scene) separateThin() {
	apart := map[int]int{}
	for i := range len(s.Meshes) {
		var triangles, thin []Primitive
		for _, p := range s.Meshes[i].Primitives {
			if p.IsThin() {
				thin = append(thin, p)
			} else {
				triangles = append(triangles, p)
			}
		}
		if len(triangles) > 0 && len(thin) > 0 {
			apart[i] = len(s.Meshes)
			s.Meshes = append(s.Meshes, Mesh{Name: s.Meshes[i].Name, Primitives: thin})
			s.Meshes[i].Primitives = triangles
		}
	}
	for i := range len(s.Instances) {
		if mesh, ok := apart[s.Instances[i].Mesh]; ok {
			in := s.Instances[i]
			in.Mesh = mesh
			s.Instances = append(s.Instances, in)
		}
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
	material, err := l.variantMaterial(sp)
	if err != nil {
		return nil, err
	}
	p.Material, err = l.material(material)
	return p, err
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
