package assets

import (
	"fmt"
	"math"
)

// unitTolerance is how far normals and tangents may be from unit length and
// from being perpendicular.
const unitTolerance = 1e-3

// Validate checks everything that the package promises of a scene and returns
// the first thing that does not hold, wrapping ErrInvalid or ErrNoGeometry.
// Scenes of this package pass; call it for scenes made by hand.
func (s *Scene) Validate() error {
	if len(s.Instances) == 0 || len(s.Meshes) == 0 {
		return ErrNoGeometry
	}
	if len(s.Cameras) == 0 {
		return fmt.Errorf("%w: scene has no camera", ErrInvalid)
	}
	for i := range s.Meshes {
		if err := s.validateMesh(&s.Meshes[i]); err != nil {
			return fmt.Errorf("mesh %d %q: %w", i, s.Meshes[i].Name, err)
		}
	}
	for i := range s.Instances {
		if err := s.validateInstance(&s.Instances[i]); err != nil {
			return fmt.Errorf("instance %d %q: %w", i, s.Instances[i].Name, err)
		}
	}
	for i := range s.Materials {
		if err := s.validateMaterial(&s.Materials[i]); err != nil {
			return fmt.Errorf("material %d %q: %w", i, s.Materials[i].Name, err)
		}
	}
	for i := range s.Textures {
		if k := s.Textures[i].Image; k < 0 || k >= len(s.Images) {
			return fmt.Errorf("%w: texture %d: image %d of %d", ErrInvalid, i, k, len(s.Images))
		}
	}
	for i := range s.Images {
		im := &s.Images[i]
		if im.Width <= 0 || im.Height <= 0 || len(im.Pixels) != 4*im.Width*im.Height {
			return fmt.Errorf("%w: image %d %q: %d bytes for %dx%d", ErrInvalid, i, im.Name, len(im.Pixels), im.Width, im.Height)
		}
	}
	for i := range s.Cameras {
		if err := validateCamera(&s.Cameras[i]); err != nil {
			return fmt.Errorf("camera %d %q: %w", i, s.Cameras[i].Name, err)
		}
	}
	for i := range s.Lights {
		l := &s.Lights[i]
		if !allFinite(l.Position[:]) || !isUnit(l.Direction[:]) || !allFinite(l.Color[:]) || !isFinite(l.Intensity) ||
			!isFinite(l.Range) {
			return fmt.Errorf("%w: light %d %q is not finite", ErrInvalid, i, l.Name)
		}
	}
	if s.Bounds.IsEmpty() || !s.Bounds.reasonable() {
		return fmt.Errorf("%w: bounds %v", ErrInvalid, s.Bounds)
	}
	if !isUnit(s.Up[:]) {
		return fmt.Errorf("%w: up %v is not a unit vector", ErrInvalid, s.Up)
	}
	return nil
}

func (s *Scene) validateMesh(m *Mesh) error {
	if len(m.Primitives) == 0 {
		return fmt.Errorf("%w: no primitives", ErrInvalid)
	}
	if m.Bounds.IsEmpty() || !m.Bounds.reasonable() {
		return fmt.Errorf("%w: bounds %v (see Scene.ComputeBounds)", ErrInvalid, m.Bounds)
	}
	for i := range m.Primitives {
		p := &m.Primitives[i]
		if p.Material < 0 || p.Material >= len(s.Materials) {
			return fmt.Errorf("%w: primitive %d: material %d of %d", ErrInvalid, i, p.Material, len(s.Materials))
		}
		if p.IsThin() != m.IsThin() {
			return fmt.Errorf("%w: primitive %d: a mesh has triangles, or points and lines", ErrInvalid, i)
		}
		if err := p.validate(); err != nil {
			return fmt.Errorf("primitive %d: %w", i, err)
		}
	}
	return nil
}

func (p *Primitive) validate() error {
	n := p.VertexCount()
	if p.IsThin() {
		return p.validateThin()
	}
	if len(p.Indices) == 0 {
		return ErrNoGeometry
	}
	optional := func(s []float32, k int) bool { return s == nil || len(s) == k*n }
	switch {
	case n == 0 || len(p.Positions) != 3*n || len(p.Normals) != 3*n || len(p.Tangents) != 4*n || len(p.UV0) != 2*n,
		!optional(p.UV1, 2), !optional(p.Colors, 4):
		return fmt.Errorf("%w: attribute lengths %d %d %d %d %d %d do not fit %d vertices", ErrInvalid, len(p.Positions),
			len(p.Normals), len(p.Tangents), len(p.UV0), len(p.UV1), len(p.Colors), n)
	case len(p.Indices)%3 != 0:
		return fmt.Errorf("%w: %d indices are not triangles", ErrInvalid, len(p.Indices))
	}
	for i, k := range p.Indices {
		if int64(k) >= int64(n) {
			return fmt.Errorf("%w: index %d is %d of %d vertices", ErrInvalid, i, k, n)
		}
	}
	for _, a := range [][]float32{p.Positions, p.UV0, p.UV1, p.Colors} {
		if !allFinite(a) {
			return fmt.Errorf("%w: an attribute is not finite", ErrInvalid)
		}
	}
	if err := p.validateShared(); err != nil {
		return err
	}
	for v := range n {
		nrm, tan := p.Normals[3*v:3*v+3], p.Tangents[4*v:4*v+4]
		if !isUnit(nrm) || !isUnit(tan[:3]) || (tan[3] != 1 && tan[3] != -1) {
			return fmt.Errorf("%w: vertex %d: normal %v or tangent %v is not of unit length", ErrInvalid, v, nrm, tan)
		}
		if d := nrm[0]*tan[0] + nrm[1]*tan[1] + nrm[2]*tan[2]; !(abs32(d) < unitTolerance) {
			return fmt.Errorf("%w: vertex %d: normal and tangent are not perpendicular (%g)", ErrInvalid, v, d)
		}
	}
	return nil
}

// validateThin is validate for points and lines.
func (p *Primitive) validateThin() error {
	n := p.VertexCount()
	switch {
	case len(p.Positions) != 3*n || len(p.Ends)%2 != 0 || p.Colors != nil && len(p.Colors) != 4*n:
		return fmt.Errorf("%w: %d ends and %d colours do not fit %d vertices", ErrInvalid, len(p.Ends), len(p.Colors), n)
	case len(p.Indices)+len(p.Normals)+len(p.Tangents)+len(p.UV0)+len(p.UV1) > 0 || p.Shared != nil:
		return fmt.Errorf("%w: points and lines have what only triangles have", ErrInvalid)
	case !(p.Radius > 0) || !isFinite(p.Radius) || !allFinite(p.Positions) || !allFinite(p.Colors):
		return fmt.Errorf("%w: a radius of %g, or an attribute that is not finite", ErrInvalid, p.Radius)
	}
	for i, k := range p.Ends {
		if int64(k) >= int64(n) {
			return fmt.Errorf("%w: end %d is %d of %d vertices", ErrInvalid, i, k, n)
		}
	}
	return nil
}

// validateShared holds the shared vertices against those of each triangle.
func (p *Primitive) validateShared() error {
	if p.Shared == nil {
		return nil
	}
	s := *p.Shared
	if len(s.Positions)%3 != 0 || len(s.Indices) != len(p.Indices) {
		return fmt.Errorf("%w: %d coordinates and %d indices of shared vertices for %d indices", ErrInvalid, len(s.Positions),
			len(s.Indices), len(p.Indices))
	}
	for i, k := range s.Indices {
		if int64(k) >= int64(s.VertexCount()) {
			return fmt.Errorf("%w: shared index %d is %d of %d vertices", ErrInvalid, i, k, s.VertexCount())
		}
		if own := p.Indices[i]; [3]float32(s.Positions[3*k:]) != [3]float32(p.Positions[3*own:]) {
			return fmt.Errorf("%w: corner %d is elsewhere among the shared vertices", ErrInvalid, i)
		}
	}
	return nil
}

func (s *Scene) validateInstance(in *Instance) error {
	if in.Mesh < 0 || in.Mesh >= len(s.Meshes) {
		return fmt.Errorf("%w: mesh %d of %d", ErrInvalid, in.Mesh, len(s.Meshes))
	}
	m := in.Transform
	if !allFinite(m[:]) || m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1 {
		return fmt.Errorf("%w: transform %v is not affine", ErrInvalid, m)
	}
	d := det3(m)
	if d == 0 || (d < 0) != in.Mirrored {
		return fmt.Errorf("%w: determinant %g, mirrored %t", ErrInvalid, d, in.Mirrored)
	}
	return nil
}

func (s *Scene) validateMaterial(m *Material) error {
	for _, t := range m.textureRefs() {
		if t.Texture < 0 || t.Texture >= len(s.Textures) || t.TexCoord < 0 || t.TexCoord > 1 {
			return fmt.Errorf("%w: texture %d of %d, coordinates %d", ErrInvalid, t.Texture, len(s.Textures), t.TexCoord)
		}
	}
	f := []float32{m.Metallic, m.Roughness, m.NormalScale, m.OcclusionStrength, m.AlphaCutoff, m.IOR, m.Transmission}
	if m.Layers != nil {
		f = append(f, m.Layers.factors()...)
	}
	if !allFinite(f) || !allFinite(m.BaseColor[:]) || !allFinite(m.Emissive[:]) {
		return fmt.Errorf("%w: a factor is not finite", ErrInvalid)
	}
	return nil
}

func validateCamera(c *Camera) error {
	f := c.Forward()
	switch {
	case !allFinite(c.Position[:]) || !isUnit(f[:]) || !isUnit(c.Up[:]):
		return fmt.Errorf("%w: position %v, target %v, up %v", ErrInvalid, c.Position, c.Target, c.Up)
	case !(abs32(f.Dot(c.Up)) < unitTolerance):
		return fmt.Errorf("%w: up %v is not perpendicular to the view direction %v", ErrInvalid, c.Up, f)
	case c.Kind == Perspective && !(c.YFov > 0 && c.YFov < math.Pi):
		return fmt.Errorf("%w: field of view of %g radians", ErrInvalid, c.YFov)
	case c.Kind == Orthographic && !(c.XMag != 0 && c.YMag != 0):
		return fmt.Errorf("%w: magnification %g x %g", ErrInvalid, c.XMag, c.YMag)
	}
	return nil
}

func allFinite(f []float32) bool {
	for _, x := range f {
		if !isFinite(x) {
			return false
		}
	}
	return true
}

func isUnit(v []float32) bool {
	l := v[0]*v[0] + v[1]*v[1] + v[2]*v[2]
	return abs32(l-1) < unitTolerance
}

// det3 is the determinant of the linear part, in float64: float32 underflows
// for the small scales that files use.
func det3(m [16]float32) float64 {
	a := func(i int) float64 { return float64(m[i]) }
	return a(0)*(a(5)*a(10)-a(6)*a(9)) - a(4)*(a(1)*a(10)-a(2)*a(9)) + a(8)*(a(1)*a(6)-a(2)*a(5))
}
