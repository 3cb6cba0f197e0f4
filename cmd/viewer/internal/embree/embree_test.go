package embree

import (
	"errors"
	"testing"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/rays"

	"github.com/go-gl/mathgl/mgl32"
)

func open(t *testing.T) *Device {
	t.Helper()
	d, err := Open()
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// quads is a scene of two meshes of two geometries: unit squares of two triangles each, in the planes z = 0 and z = -1.
func quads(instances ...assets.Instance) *assets.Scene {
	s := &assets.Scene{Name: "quads", Instances: instances}
	for range 2 {
		var m assets.Mesh
		for z := range 2 {
			depth := -float32(z)
			m.Primitives = append(m.Primitives, assets.Primitive{
				Positions: []float32{0, 0, depth, 1, 0, depth, 1, 1, depth, 0, 1, depth}, Indices: []uint32{0, 1, 2, 0, 2, 3},
			})
		}
		s.Meshes = append(s.Meshes, m)
	}
	return s
}

func at(x, y, z float32) assets.Instance {
	return assets.Instance{Mesh: 1, Transform: mgl32.Translate3D(x, y, z).Mul4(mgl32.Scale3D(2, 2, 2))}
}

func TestIndicesAndDistances(t *testing.T) {
	d := open(t)
	down := func(x, y, z, tMin, tMax float32) rays.Ray {
		return rays.Ray{Origin: mgl32.Vec3{x, y, z}, Direction: mgl32.Vec3{0, 0, -1}, TMin: tMin, TMax: tMax}
	}
	for _, c := range []struct {
		name  string
		scene *assets.Scene
		ray   rays.Ray
		want  rays.Hit // T < 0: a miss
	}{
		{"alone, first geometry", quads(assets.Instance{Transform: mgl32.Ident4()}), down(0.75, 0.25, 3, 0, 10), rays.Hit{T: 3}},
		{"alone, second triangle", quads(assets.Instance{Transform: mgl32.Ident4()}), down(0.25, 0.75, 3, 0, 10),
			rays.Hit{T: 3, Primitive: 1}},
		{"alone, behind the first", quads(assets.Instance{Transform: mgl32.Ident4()}), down(0.25, 0.75, 3, 3.5, 10),
			rays.Hit{T: 4, Geometry: 1, Primitive: 1}},
		{"alone, too short", quads(assets.Instance{Transform: mgl32.Ident4()}), down(0.25, 0.75, 3, 0, 2.5), rays.Hit{T: -1}},
		{"alone, beside", quads(assets.Instance{Transform: mgl32.Ident4()}), down(1.25, 0.75, 3, 0, 10), rays.Hit{T: -1}},
		{"moved", quads(at(10, 0, 0)), down(11.5, 0.5, 3, 0, 10), rays.Hit{T: 3}},
		{"second instance", quads(at(0, 0, 0), at(10, 0, 0)), down(10.5, 1.5, 3, 3.5, 10),
			rays.Hit{T: 5, Instance: 1, Geometry: 1, Primitive: 1}},
	} {
		s, err := d.NewScene(t.Context(), c.scene)
		if err != nil {
			t.Fatal(err)
		}
		hits, occluded := make([]rays.Hit, 1), []uint32{7}
		s.Closest([]rays.Ray{c.ray}, hits, 2)
		s.Occluded([]rays.Ray{c.ray}, occluded, 1)
		s.Destroy()
		h := hits[0]
		if c.want.T < 0 {
			if !h.Missed() || occluded[0] != 0 {
				t.Errorf("%s: %v, occluded %d", c.name, h, occluded[0])
			}
			continue
		}
		if h.T != c.want.T || h.Instance != c.want.Instance || h.Geometry != c.want.Geometry || h.Primitive != c.want.Primitive ||
			occluded[0] != 1 {
			t.Errorf("%s: %v, occluded %d, want %v", c.name, h, occluded[0], c.want)
		}
	}
}

// Every ray is traced once, whatever the number of threads and chunks.
func TestAllRaysAreTraced(t *testing.T) {
	d := open(t)
	scene, err := assets.Builtin("field:20")
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewScene(t.Context(), scene)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Destroy()
	list := rays.RandomRays(3*chunk+17, rays.BoundsOf(scene))
	one, many := make([]rays.Hit, len(list)), make([]rays.Hit, len(list))
	s.Closest(list, one, 1)
	s.Closest(list, many, 5)
	occluded := make([]uint32, len(list))
	s.Occluded(list, occluded, 3)
	met := 0
	for i := range list {
		if one[i] != many[i] || one[i].Missed() != (occluded[i] == 0) {
			t.Fatalf("ray %d: %v, %v, occluded %d", i, one[i], many[i], occluded[i])
		}
		met += int(occluded[i])
	}
	if met == 0 || met == len(list) {
		t.Errorf("%d of %d rays met something", met, len(list))
	}
}

func TestVersion(t *testing.T) {
	d := open(t)
	if v := d.Version(); v[0] != '3' {
		t.Errorf("version %s", v)
	}
}
