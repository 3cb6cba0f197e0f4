package rays

import (
	"context"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/camera"
)

// Maker makes the ray sets of one scene, camera and size. The primary hits, from which ao and diffuse start, are traced once.
type Maker struct {
	Scene         *assets.Scene
	Camera        camera.Camera
	Width, Height int

	primary []Ray
	points  []Point
}

// BoundsOf returns a scene's bounds.
func BoundsOf(s *assets.Scene) Bounds { return Bounds{Low: s.Bounds.Min, High: s.Bounds.Max} }

// Make returns a set. verify is a Verify tracer of either way.
func (m *Maker) Make(ctx context.Context, set Set, verify *Tracer, scene *accel.Scene) ([]Ray, error) {
	if m.primary == nil {
		m.primary = PrimaryRays(m.Camera.Basis(float32(m.Width)/float32(m.Height)), m.Width, m.Height)
	}
	switch set {
	case Primary:
		return m.primary, nil
	case Random:
		return RandomRays(m.Width*m.Height, BoundsOf(m.Scene)), nil
	}
	if m.points == nil {
		if err := verify.SetRays(ctx, m.primary, m.Width, m.Height); err != nil {
			return nil, err
		}
		if _, err := verify.Trace(ctx, 1); err != nil {
			return nil, err
		}
		hits, err := verify.Hits(ctx)
		if err != nil {
			return nil, fmt.Errorf("primary hits: %w", err)
		}
		m.points = Points(m.primary, hits, scene)
	}
	return Secondary(set, m.points, m.Width, m.Height, BoundsOf(m.Scene))
}

// Points turns hits into points with normals on the rays' side.
func Points(rays []Ray, hits []Hit, shapes Shapes) []Point {
	out := make([]Point, len(hits))
	for i, h := range hits {
		if h.Missed() {
			continue
		}
		if t, ok := shapes.Thin(h.Instance, h.Geometry, h.Primitive); ok {
			at := rays[i].Origin.Add(rays[i].Direction.Mul(h.T))
			out[i] = Point{Position: at, Normal: t.Normal(at).Normalize()}
			continue
		}
		p, ok := shapes.Triangle(h.Instance, h.Geometry, h.Primitive)
		if !ok {
			continue
		}
		n := p[1].Sub(p[0]).Cross(p[2].Sub(p[0]))
		length := n.Len()
		if !(length > 0) {
			continue
		}
		n = n.Mul(1 / length)
		if n.Dot(rays[i].Direction) > 0 {
			n = n.Mul(-1)
		}
		b := mgl32.Vec3{1 - h.Barycentrics[0] - h.Barycentrics[1], h.Barycentrics[0], h.Barycentrics[1]}
		out[i] = Point{Position: p[0].Mul(b[0]).Add(p[1].Mul(b[1])).Add(p[2].Mul(b[2])), Normal: n}
	}
	return out
}
