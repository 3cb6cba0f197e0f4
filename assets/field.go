package assets

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

const (
	fieldSeed      = 20261122
	fieldBaseline  = 100_000 // instances in fieldWidth x fieldDepth x fieldWidth
	fieldWidth     = 300.0
	fieldDepth     = 30.0
	fieldLevels    = 3 // 1,280 triangles
	fieldMinRadius = 0.5
	fieldMaxRadius = 1.6
)

// field is n instances of a bumped sphere of 1,280 triangles at random places,
// turned and scaled at random. The baseline is 100,000 of them in a slab of
// 300 x 30 x 300; for other numbers the slab's sides change alike, so that the
// density stays. Instance i is the same for all n but for that scaling.
func field(ctx context.Context, n int) (*Scene, error) {
	grow := float32(math.Cbrt(float64(n) / fieldBaseline))
	s := &Scene{
		Meshes:    []Mesh{{Name: "bumped sphere", Primitives: []Primitive{bumpedSphere(0)}}},
		Instances: make([]Instance, n),
		Up:        mgl32.Vec3{0, 1, 0},
	}
	m := matte("ceramic", 1, 1, 1)
	m.Roughness = 0.35
	s.Materials = []Material{m}
	err := parallel(ctx, n, func(from, to int) {
		for i := from; i < to; i++ {
			s.Instances[i] = Instance{Transform: fieldTransform(i, grow)}
		}
	})
	if err != nil {
		return nil, err
	}
	s.ComputeBounds()
	w := fieldWidth * grow
	// Over the front edge, clear of the largest sphere for any n.
	from := mgl32.Vec3{-0.16 * w, fieldDepth*grow/2 + 0.02*w + 4, w/2 + 4}
	s.Cameras = []Camera{lookAt("edge", from, mgl32.Vec3{0.03 * w, -0.03 * w, 0.1 * w}, 40*math.Pi/180)}
	s.Environment = daylight(s.Up, true)
	return s, nil
}

// fieldTransform places instance i.
func fieldTransform(i int, grow float32) mgl32.Mat4 {
	r := stream(mix(uint64(i) ^ fieldSeed))
	at := mgl32.Vec3{
		r.between(-fieldWidth/2, fieldWidth/2), r.between(-fieldDepth/2, fieldDepth/2), r.between(-fieldWidth/2, fieldWidth/2),
	}.Mul(grow)
	scale := r.between(fieldMinRadius, fieldMaxRadius)
	// A uniform rotation (Shoemake, Graphics Gems III).
	u, a, b := float64(r.unit()), 2*math.Pi*float64(r.unit()), 2*math.Pi*float64(r.unit())
	p, q := math.Sqrt(1-u), math.Sqrt(u)
	rot := mgl32.Quat{W: float32(q * math.Cos(b)),
		V: mgl32.Vec3{float32(p * math.Sin(a)), float32(p * math.Cos(a)), float32(q * math.Sin(b))}}
	return mgl32.Translate3D(at[0], at[1], at[2]).Mul4(rot.Normalize().Mat4()).Mul4(mgl32.Scale3D(scale, scale, scale))
}

// bumpedSphere is an icosphere with hills, coloured by their height.
func bumpedSphere(material int) Primitive {
	points, indices := icosphere(fieldLevels)
	colors := make([]float32, 0, 4*len(points))
	for i, d := range points {
		x, y, z := float64(d[0]), float64(d[1]), float64(d[2])
		bump := 0.7*noise3(2.2*x, 2.2*y, 2.2*z, fieldSeed) + 0.3*noise3(5*x, 5*y, 5*z, fieldSeed^1)
		points[i] = d.Mul(float32(1 + 0.28*bump))
		t := smooth(-0.45, 0.45, bump)
		for k := range 3 {
			colors = append(colors, float32(lerp([]float64{0.02, 0.09, 0.22}[k], []float64{0.80, 0.42, 0.14}[k], t)))
		}
		colors = append(colors, 1)
	}
	p := closedSurface(points, indices, material)
	p.Colors = colors
	return p
}
