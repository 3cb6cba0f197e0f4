package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
)

// picked is what a ray hits first.
type picked struct {
	instance, geometry, primitive int
	distance                      float32
	point                         mgl32.Vec3
}

// pick traces one ray against a scene on the CPU, primitive by primitive: for a click of the mouse. Alpha is not looked at.
func pick(ctx context.Context, s *assets.Scene, origin, direction mgl32.Vec3) (best picked, ok bool) {
	best.distance = float32(math.Inf(1))
	for i := range s.Instances {
		if ctx.Err() != nil {
			return best, false
		}
		in := &s.Instances[i]
		mesh := &s.Meshes[in.Mesh]
		inverse := in.Transform.Inv()
		o := inverse.Mul4x1(origin.Vec4(1)).Vec3()
		d := inverse.Mul4x1(direction.Vec4(0)).Vec3() // not of unit length, so that distances stay the world's
		if !meetsBox(mesh.Bounds, o, d, best.distance) {
			continue
		}
		for g := range mesh.Primitives {
			p := &mesh.Primitives[g]
			meets := meetsTriangle
			if p.IsThin() {
				meets = meetsThin
			}
			for k := range p.TriangleCount() + p.ThinCount() {
				if t, hit := meets(p, k, o, d); hit && t < best.distance {
					best = picked{instance: i, geometry: g, primitive: k, distance: t, point: origin.Add(direction.Mul(t))}
					ok = true
				}
			}
		}
	}
	return best, ok
}

func meetsBox(b assets.Bounds, o, d mgl32.Vec3, most float32) bool {
	near, far := float32(0), most
	for a := range 3 {
		if d[a] == 0 {
			if o[a] < b.Min[a] || o[a] > b.Max[a] {
				return false
			}
			continue
		}
		t0, t1 := (b.Min[a]-o[a])/d[a], (b.Max[a]-o[a])/d[a]
		near, far = max(near, min(t0, t1)), min(far, max(t0, t1))
	}
	return near <= far*(1+1e-5)
}

// meetsTriangle is the test of Möller and Trumbore (1997).
func meetsTriangle(p *assets.Primitive, i int, o, d mgl32.Vec3) (t float32, ok bool) {
	var c [3]mgl32.Vec3
	for k := range c {
		v := 3 * p.Indices[3*i+k]
		c[k] = mgl32.Vec3{p.Positions[v], p.Positions[v+1], p.Positions[v+2]}
	}
	e1, e2 := c[1].Sub(c[0]), c[2].Sub(c[0])
	h := d.Cross(e2)
	det := e1.Dot(h)
	if det == 0 {
		return 0, false
	}
	s := o.Sub(c[0])
	u := s.Dot(h) / det
	q := s.Cross(e1)
	v := d.Dot(q) / det
	t = e2.Dot(q) / det
	return t, u >= 0 && v >= 0 && u+v <= 1 && t > 0
}

// describe says what was hit.
func (h picked) describe(s *assets.Scene) []string {
	in := &s.Instances[h.instance]
	mesh := &s.Meshes[in.Mesh]
	m := &s.Materials[mesh.Primitives[h.geometry].Material]
	named := func(what string, i int, name string) string {
		if name == "" {
			return fmt.Sprintf("%-10s %d", what, i)
		}
		return fmt.Sprintf("%-10s %d %q", what, i, name)
	}
	return []string{
		named("object", h.instance, in.Name),
		named("mesh", in.Mesh, mesh.Name),
		fmt.Sprintf("%-10s %d of geometry %d", "primitive", h.primitive, h.geometry),
		named("material", mesh.Primitives[h.geometry].Material, m.Name),
		fmt.Sprintf("%-10s %.4g %.4g %.4g", "point", h.point[0], h.point[1], h.point[2]),
		fmt.Sprintf("%-10s %.4g", "distance", h.distance),
	}
}
