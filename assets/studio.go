package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// softbox is a lamp of a studio: a rectangle on the sphere, with soft edges, in degrees. Azimuth 0 is the map's front, to the
// right of it above 0.
type softbox struct {
	azimuth, elevation float64
	width, height      float64
	radiance           float32
}

const studioWidth = 512

// Studio is a neutral room to look at things in: grey walls that grow darker downwards, a large softbox to the left of the
// viewer, a weaker one to the right, and a strip of light behind the thing. White matter is about white in it.
func Studio() *EnvironmentMap {
	boxes := []softbox{
		{azimuth: -140, elevation: 50, width: 60, height: 44, radiance: 3},
		{azimuth: 120, elevation: 30, width: 40, height: 50, radiance: 1.2},
		{azimuth: 0, elevation: 58, width: 120, height: 14, radiance: 1.8},
	}
	m := &EnvironmentMap{Width: studioWidth, Height: studioWidth / 2}
	for y := range m.Height {
		elevation := 90 - 180*(float64(y)+0.5)/float64(m.Height)
		for x := range m.Width {
			azimuth := 360*(float64(x)+0.5)/float64(m.Width) - 180
			light := studioWall(elevation)
			for _, b := range boxes {
				light += b.radiance * b.cover(azimuth, elevation)
			}
			m.Pixels = append(m.Pixels, light, light, light)
		}
	}
	return m
}

// studioWall is the room's own light: floor, horizon and ceiling of three greys.
func studioWall(elevation float64) float32 {
	const floor, horizon, ceiling = 0.22, 0.4, 0.45
	t := math.Sin(elevation * math.Pi / 180)
	if t < 0 {
		t = min(1, -3*t)
		return float32(horizon + (floor-horizon)*t*t*(3-2*t))
	}
	return float32(horizon + (ceiling-horizon)*t)
}

// cover is how much of the lamp is in a direction, 0 to 1.
func (b softbox) cover(azimuth, elevation float64) float32 {
	const edge = 4 // degrees over which it fades
	turn := math.Mod(azimuth-b.azimuth+540, 360) - 180
	inside := func(d, size float64) float64 {
		t := min(max((size/2-math.Abs(d))/edge+0.5, 0), 1)
		return t * t * (3 - 2*t)
	}
	return float32(inside(turn*math.Cos(elevation*math.Pi/180), b.width) * inside(elevation-b.elevation, b.height))
}

// Scale returns a map with all its light times a factor.
func (m *EnvironmentMap) Scale(factor float32) *EnvironmentMap {
	if m == nil || factor == 1 {
		return m
	}
	out := &EnvironmentMap{Width: m.Width, Height: m.Height, Pixels: make([]float32, len(m.Pixels))}
	for i, v := range m.Pixels {
		out.Pixels[i] = v * factor
	}
	return out
}

// AddGround puts a large matt plane below everything that the scene shows. The scene's bounds and cameras stay.
func (s *Scene) AddGround() {
	const reach = 40 // diagonals
	up := s.Up
	side, front := basis(up)
	lowest := float32(math.Inf(1))
	for i := range 8 {
		c := mgl32.Vec3{s.Bounds.Min[0], s.Bounds.Min[1], s.Bounds.Min[2]}
		for k := range 3 {
			if i>>k&1 == 1 {
				c[k] = s.Bounds.Max[k]
			}
		}
		lowest = min(lowest, c.Dot(up))
	}
	centre := s.Bounds.Center()
	size := reach * s.Bounds.Diagonal()
	centre = centre.Sub(up.Mul(centre.Dot(up) - lowest + 1e-4*s.Bounds.Diagonal()))
	s.Materials = append(s.Materials, matte("ground", 0.4, 0.4, 0.4))
	p := Primitive{Material: len(s.Materials) - 1}
	a, b := side.Mul(size), front.Mul(size)
	if a.Cross(b).Dot(up) < 0 {
		a, b = b, a
	}
	p.quad(centre.Sub(a.Mul(0.5)).Sub(b.Mul(0.5)), a, b)
	m := Mesh{Name: "ground", Primitives: []Primitive{p}}
	m.Bounds = EmptyBounds()
	for v := range p.VertexCount() {
		m.Bounds = m.Bounds.Extend(mgl32.Vec3(p.Positions[3*v : 3*v+3]))
	}
	s.Meshes = append(s.Meshes, m)
	s.Instances = append(s.Instances, Instance{Name: "ground", Mesh: len(s.Meshes) - 1, Transform: mgl32.Ident4()})
}
