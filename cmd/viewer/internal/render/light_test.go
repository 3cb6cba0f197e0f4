package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/engine"
)

// rectangle spans u and v from a corner, and faces their cross product.
func rectangle(corner, u, v mgl32.Vec3, material int) assets.Mesh {
	n, t := u.Cross(v).Normalize(), u.Normalize()
	p := assets.Primitive{Material: material, Indices: []uint32{0, 1, 2, 0, 2, 3}}
	for i, c := range []mgl32.Vec3{corner, corner.Add(u), corner.Add(u).Add(v), corner.Add(v)} {
		p.Positions = append(p.Positions, c[:]...)
		p.Normals = append(p.Normals, n[:]...)
		p.Tangents = append(p.Tangents, t[0], t[1], t[2], 1)
		p.UV0 = append(p.UV0, float32(i&1), float32(i>>1))
	}
	return assets.Mesh{Primitives: []assets.Primitive{p}}
}

// ball is a sphere of radius 1 about the origin.
func ball(material int) assets.Mesh {
	const rows, columns = 32, 64
	p := assets.Primitive{Material: material}
	for r := range rows + 1 {
		sinT, cosT := math.Sincos(math.Pi * float64(r) / rows)
		for c := range columns + 1 {
			sinP, cosP := math.Sincos(2 * math.Pi * float64(c) / columns)
			n := []float32{float32(sinT * sinP), float32(cosT), float32(sinT * cosP)}
			p.Positions, p.Normals = append(p.Positions, n...), append(p.Normals, n...)
			p.Tangents = append(p.Tangents, float32(cosP), 0, float32(-sinP), 1)
			p.UV0 = append(p.UV0, float32(c)/columns, float32(r)/rows)
		}
	}
	for r := range uint32(rows) {
		for c := range uint32(columns) {
			a, b := r*(columns+1)+c, (r+1)*(columns+1)+c
			p.Indices = append(p.Indices, a, b, a+1, a+1, b, b+1)
		}
	}
	return assets.Mesh{Primitives: []assets.Primitive{p}}
}

func sceneOf(materials []assets.Material, meshes ...assets.Mesh) *assets.Scene {
	s := &assets.Scene{Name: "test", Meshes: meshes, Materials: materials, Up: mgl32.Vec3{0, 1, 0}}
	for i := range meshes {
		s.Instances = append(s.Instances, assets.Instance{Mesh: i, Transform: mgl32.Ident4()})
	}
	s.ComputeBounds()
	return s
}

func matter(color float32) assets.Material {
	m := assets.DefaultMaterial()
	m.BaseColor, m.Metallic = mgl32.Vec4{color, color, color, 1}, 0
	return m
}

// lambert reflects by Lambert's law alone.
func lambert(color float32) assets.Material {
	m, y := matter(color), assets.DefaultLayers()
	y.Specular = 0
	m.Layers = &y
	return m
}

// mean renders a small picture and returns the mean radiance of a colour.
func mean(t *testing.T, s *assets.Scene, c camera.Camera, samples int, o Options) [3]float64 {
	t.Helper()
	dev := devtest.Open(t, engine.BackendNative) // lavapipe compiles for it in the least time
	r, err := New(t.Context(), dev, s, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Destroy()
	const side = 16
	if err := r.Resize(side, side); err != nil {
		t.Fatal(err)
	}
	if err := r.SetCamera(c); err != nil {
		t.Fatal(err)
	}
	if err := r.Render(t.Context(), samples, nil); err != nil {
		t.Fatal(err)
	}
	film, err := r.Film(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var sum [3]float64
	for i := range side * side {
		v, _ := film.Mean(i)
		for k := range sum {
			sum[k] += float64(v[k]) / (side * side)
		}
	}
	return sum
}

// spot is a camera that sees a small part of the floor about the origin from above.
func spot() camera.Camera {
	return camera.Camera{Eye: mgl32.Vec3{0, 0.4, 0}, Forward: mgl32.Vec3{0, -1, 0}, Up: mgl32.Vec3{0, 0, -1}, Orthographic: true,
		HalfHeight: 0.01}
}

// around is an environment of one radiance.
func around(radiance float32) *assets.Environment {
	m := &assets.EnvironmentMap{Width: 8, Height: 4}
	for range m.Width * m.Height * 3 {
		m.Pixels = append(m.Pixels, radiance)
	}
	return &assets.Environment{Map: m}
}

// A rectangle of light over a matt floor: the irradiance has a formula. Light sampling and chance hits share it.
func TestAreaLight(t *testing.T) {
	const radiance, albedo, height, half = 5.0, 0.6, 1.0, 0.5
	lamp := matter(0)
	lamp.Emissive = mgl32.Vec3{radiance, radiance, radiance}
	s := sceneOf([]assets.Material{lambert(albedo), lamp},
		rectangle(mgl32.Vec3{-5, 0, 5}, mgl32.Vec3{10, 0, 0}, mgl32.Vec3{0, 0, -10}, 0),
		rectangle(mgl32.Vec3{-half, height, -half}, mgl32.Vec3{2 * half, 0, 0}, mgl32.Vec3{0, 0, 2 * half}, 1))
	x := half / height
	form := 4 / (2 * math.Pi) * 2 * x / math.Sqrt(1+x*x) * math.Atan(x/math.Sqrt(1+x*x))
	want := radiance * albedo * form
	got := mean(t, s, spot(), 64, Options{Bounces: 4, Clamp: -1, Environment: &assets.Environment{}})
	if math.Abs(got[1]/want-1) > 0.02 {
		t.Errorf("the floor's radiance is %.4f, the formula says %.4f", got[1], want)
	}
}

// Light from all around, equal everywhere, makes matt white and glass, clear and rough, invisible: by light sampling and by chance.
func TestEnvironmentFurnace(t *testing.T) {
	glass, y := matter(1), assets.DefaultLayers()
	glass.Transmission, glass.Roughness, y.Thickness = 1, 0, 1
	glass.Layers = &y
	rough := glass
	rough.Roughness = 0.5
	metal := matter(1)
	metal.Metallic, metal.Roughness = 1, 0.3
	view := camera.Camera{Eye: mgl32.Vec3{0, 0, 5}, Forward: mgl32.Vec3{0, 0, -1}, Up: mgl32.Vec3{0, 1, 0}, Orthographic: true,
		HalfHeight: 1}
	for name, m := range map[string]assets.Material{"white": matter(1), "metal": metal, "glass": glass, "rough glass": rough} {
		got := mean(t, sceneOf([]assets.Material{m}, ball(0)), view, 64, Options{Bounces: 64, Clamp: -1, Environment: around(1)})
		limit := 0.015
		if m.Roughness > 0.3 && m.Transmission > 0 {
			limit = 0.02 // light goes to and fro inside, and the table's steps with it
		}
		if math.Abs(got[0]-1) > limit {
			t.Errorf("%s: %.4f in a white furnace", name, got[0])
		}
	}
}

// A sun shines through a tinted sheet, and through a slab that absorbs along the way.
func TestLightThroughGlass(t *testing.T) {
	sheet, y := matter(1), assets.DefaultLayers()
	sheet.BaseColor = mgl32.Vec4{1, 0.5, 0.25, 1}
	sheet.Transmission, sheet.Roughness = 1, 0
	slab := matter(1)
	slab.Transmission, slab.Roughness = 1, 0
	y.Thickness, y.Attenuation = 1, mgl32.Vec3{0, 1, 2}
	slab.Layers = &y
	over := func(height float32, up bool, material int) assets.Mesh {
		u, v := mgl32.Vec3{10, 0, 0}, mgl32.Vec3{0, 0, -10}
		if !up {
			u, v = v, u
		}
		return rectangle(mgl32.Vec3{0, height, 0}.Sub(u.Mul(0.5)).Sub(v.Mul(0.5)), u, v, material)
	}
	const thickness, passes = 0.5, 0.96 // of each surface, straight on
	sun := []assets.Light{{Kind: assets.DirectionalLight, Direction: mgl32.Vec3{0, -1, 0}, Color: mgl32.Vec3{1, 1, 1},
		Intensity: math.Pi}}
	for _, c := range []struct {
		name     string
		material assets.Material
		above    []assets.Mesh
		want     [3]float64
	}{
		{"sheet", sheet, []assets.Mesh{over(1, true, 1)}, [3]float64{passes, 0.5 * passes, 0.25 * passes}},
		{"slab", slab, []assets.Mesh{over(1+thickness, true, 1), over(1, false, 1)}, [3]float64{passes * passes,
			passes * passes * math.Exp(-thickness), passes * passes * math.Exp(-2*thickness)}},
	} {
		s := sceneOf([]assets.Material{lambert(0.5), c.material}, append([]assets.Mesh{over(0, true, 0)}, c.above...)...)
		s.Lights = sun
		got := mean(t, s, spot(), 16, Options{Bounces: 1, Clamp: -1, Environment: &assets.Environment{}})
		for k, want := range c.want {
			if math.Abs(got[k]-0.5*want) > 0.01 {
				t.Errorf("%s: colour %d is %.4f, want %.4f", c.name, k, got[k], 0.5*want)
			}
		}
	}
}

// In the dark a headlight goes on that waits for it; where there is light it stays off.
func TestHeadlightInTheDark(t *testing.T) {
	floor := rectangle(mgl32.Vec3{-5, 0, 5}, mgl32.Vec3{10, 0, 0}, mgl32.Vec3{0, 0, -10}, 0)
	o := Options{Bounces: 1, Clamp: -1, Headlight: math.Pi, HeadlightAuto: true, Environment: &assets.Environment{}}
	dark := mean(t, sceneOf([]assets.Material{lambert(0.5)}, floor), spot(), 16, o)
	if math.Abs(dark[0]-0.5) > 0.01 {
		t.Errorf("in the dark the floor is %.4f, want 0.5", dark[0])
	}
	o.Environment = around(0.1)
	lit := mean(t, sceneOf([]assets.Material{lambert(0.5)}, floor), spot(), 16, o)
	if math.Abs(lit[0]-0.05) > 0.01 {
		t.Errorf("under a dim sky the floor is %.4f, want 0.05", lit[0])
	}
}
