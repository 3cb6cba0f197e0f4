package accel

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/vk"
)

// boxBytes is the size of a box that builds read: six float32.
const boxBytes = 24

// boxMargin is by how much of its coordinates a box is larger than what is in it, which rays meet with rounded numbers.
const boxMargin = 1e-6

// boxes are those around points and lines.
func boxes(p *assets.Primitive) []float32 {
	out := make([]float32, 0, 6*p.ThinCount())
	for i := range p.ThinCount() {
		var low, high [3]float32
		a, b := p.Thin(i)
		for k := range 3 {
			margin := p.Radius + boxMargin*float32(max(math.Abs(float64(a[k])), math.Abs(float64(b[k])), float64(p.Radius)))
			low[k], high[k] = min(a[k], b[k])-margin, max(a[k], b[k])+margin
		}
		out = append(append(out, low[:]...), high[:]...)
	}
	return out
}

// ThinRecord is what thin.glsl reads from the hit record of a geometry of points and lines. It begins as the records of
// triangles do.
//
//glsl:viewer/thin.rint Record
type ThinRecord struct {
	Geometry        uint32
	Radius          float32
	Ends, Positions vk.DeviceAddress
}

// ThinRecord returns the data of a geometry's hit record, nil where it is triangles.
func (s *Scene) ThinRecord(geometry int) []byte {
	g := &s.Geometries[geometry]
	p := &s.Source.Meshes[g.Mesh].Primitives[g.Primitive]
	if !p.IsThin() {
		return nil
	}
	return vk.Bytes(&ThinRecord{uint32(geometry), p.Radius, g.Indices, g.Positions})
}

// Thin is a point or a line: what is no further than Radius from the segment between its ends, in the space of its mesh.
type Thin struct {
	From, To mgl32.Vec3
	Radius   float32
	ToWorld  mgl32.Mat4
}

// Thin returns a point or line by the indices that a hit reports; ok is false where they name none.
func (s *Scene) Thin(instance, geometry, primitive uint32) (t Thin, ok bool) {
	if int(instance) >= len(s.Source.Instances) {
		return t, false
	}
	in := &s.Source.Instances[instance]
	mesh := &s.Source.Meshes[in.Mesh]
	if int(geometry) >= len(mesh.Primitives) {
		return t, false
	}
	p := &mesh.Primitives[geometry]
	if int(primitive) >= p.ThinCount() {
		return t, false
	}
	t.From, t.To = p.Thin(int(primitive))
	t.Radius, t.ToWorld = p.Radius, in.Transform
	return t, true
}

// Normal is the direction in which the surface faces at a point of the world on it, not of unit length.
func (t Thin) Normal(at mgl32.Vec3) mgl32.Vec3 {
	inverse := wide(t.ToWorld).Inv()
	p := mgl64.TransformCoordinate(wide3(at), inverse)
	n := p.Sub(t.nearest(p)).Vec4(0)
	n = inverse.Transpose().Mul4x1(n)
	return mgl32.Vec3{float32(n[0]), float32(n[1]), float32(n[2])}
}

// nearest is the point of the segment that is nearest to p.
func (t Thin) nearest(p mgl64.Vec3) mgl64.Vec3 {
	a, along := wide3(t.From), wide3(t.To).Sub(wide3(t.From))
	if l := along.Dot(along); l > 0 {
		return a.Add(along.Mul(min(max(p.Sub(a).Dot(along)/l, 0), 1)))
	}
	return a
}

// Depth is how deep the line of a ray goes into it at most, as a share of its radius: 1 meets the segment, below 0 passes by.
func (t Thin) Depth(origin, direction mgl32.Vec3) float64 {
	inverse := wide(t.ToWorld).Inv()
	o := mgl64.TransformCoordinate(wide3(origin), inverse)
	d := inverse.Mul4x1(wide3(direction).Vec4(0)).Vec3()
	u, w := wide3(t.To).Sub(wide3(t.From)), o.Sub(wide3(t.From))
	// The nearest points of a segment and a line: where both are nearest without the segment's ends, then with them.
	uu, ud, dd, uw, dw := u.Dot(u), u.Dot(d), d.Dot(d), u.Dot(w), d.Dot(w)
	s := 0.0
	if det := uu*dd - ud*ud; det > 1e-12*uu*dd {
		s = min(max((uw*dd-ud*dw)/det, 0), 1)
	}
	at := wide3(t.From).Add(u.Mul(s))
	on := o.Add(d.Mul(at.Sub(o).Dot(d) / dd))
	return 1 - on.Sub(at).Len()/float64(t.Radius)
}

func wide3(v mgl32.Vec3) mgl64.Vec3 { return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])} }

func wide(m mgl32.Mat4) (out mgl64.Mat4) {
	for i, x := range m {
		out[i] = float64(x)
	}
	return out
}
