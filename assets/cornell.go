package assets

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// cornell is the Cornell box (Goral et al., SIGGRAPH 1984) with the two blocks
// of its later form, and things in it that a path tracer shows well: a metal
// block, a copper knot and a glazed ball. The room is two units wide, from
// y = 0 to 2, open towards +z.
func cornell(_ context.Context, _ int) (*Scene, error) {
	s := &Scene{Up: mgl32.Vec3{0, 1, 0}}
	const (
		white = iota
		red
		green
		lamp
		silver
		copper
		glaze
	)
	light := matte("lamp", 0.8, 0.8, 0.8)
	light.Emissive = mgl32.Vec3{17, 14.2, 10.4}
	ball := matte("glaze", 0.04, 0.16, 0.50)
	ball.Roughness = 0.06
	s.Materials = []Material{
		matte("white", 0.73, 0.73, 0.71), matte("red", 0.63, 0.06, 0.05), matte("green", 0.12, 0.45, 0.10),
		light, metal("silver", 0.95, 0.94, 0.92, 0.18), metal("copper", 0.95, 0.60, 0.42, 0.16), ball,
	}
	for i := range s.Materials {
		s.Materials[i].DoubleSided = i == red || i == green || i == white
	}
	points, indices := icosphere(5)
	s.Meshes = []Mesh{
		{Name: "room", Primitives: cornellRoom(white, red, green)},
		{Name: "lamp", Primitives: []Primitive{cornellLamp(lamp)}},
		{Name: "tall block", Primitives: []Primitive{block(silver)}},
		{Name: "short block", Primitives: []Primitive{block(white)}},
		{Name: "knot", Primitives: []Primitive{torusKnot(256, 32, 0.12, copper)}},
		{Name: "ball", Primitives: []Primitive{closedSurface(points, indices, glaze)}},
	}
	turn := func(degrees float32) mgl32.Mat4 { return mgl32.HomogRotate3DY(mgl32.DegToRad(degrees)) }
	put := func(mesh int, x, y, z float32, rest ...mgl32.Mat4) {
		m := mgl32.Translate3D(x, y, z)
		for _, r := range rest {
			m = m.Mul4(r)
		}
		s.Instances = append(s.Instances, Instance{Name: s.Meshes[mesh].Name, Mesh: mesh, Transform: m})
	}
	put(0, 0, 0, 0)
	put(1, 0, 0, 0)
	put(2, -0.40, 0.6, -0.36, turn(33), mgl32.Scale3D(0.58, 1.2, 0.58))
	put(3, 0.37, 0.28, 0.26, turn(-17), mgl32.Scale3D(0.58, 0.56, 0.58))
	const knot = 0.36
	put(4, 0.37, 0.56+knot*0.97, 0.26, turn(-28), mgl32.Scale3D(knot, knot, knot))
	const radius = 0.23
	put(5, -0.42, radius, 0.48, mgl32.Scale3D(radius, radius, radius))
	s.ComputeBounds()
	const fov = 39.3 * math.Pi / 180
	s.Cameras = []Camera{lookAt("front", mgl32.Vec3{0, 1, 3.8}, mgl32.Vec3{0, 1, 0}, fov)}
	s.Cameras[0].AspectRatio = 1
	return s, nil
}

// cornellRoom is the box without its front, facing inwards.
func cornellRoom(white, red, green int) []Primitive {
	x, y, z := mgl32.Vec3{2, 0, 0}, mgl32.Vec3{0, 2, 0}, mgl32.Vec3{0, 0, 2}
	w, r, g := Primitive{Material: white}, Primitive{Material: red}, Primitive{Material: green}
	w.quad(mgl32.Vec3{-1, 0, 1}, x, z.Mul(-1)) // floor
	w.quad(mgl32.Vec3{-1, 2, -1}, x, z)        // ceiling
	w.quad(mgl32.Vec3{-1, 0, -1}, x, y)        // back
	r.quad(mgl32.Vec3{-1, 0, 1}, z.Mul(-1), y) // left
	g.quad(mgl32.Vec3{1, 0, -1}, z, y)         // right
	return []Primitive{w, r, g}
}

// cornellLamp hangs a little below the ceiling and shines down.
func cornellLamp(material int) Primitive {
	p := Primitive{Material: material}
	p.quad(mgl32.Vec3{-0.3, 1.99, -0.3}, mgl32.Vec3{0.6, 0, 0}, mgl32.Vec3{0, 0, 0.5})
	return p
}
