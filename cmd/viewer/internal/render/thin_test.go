package render

import (
	"errors"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/engine"
)

// thinScene is a line from red to blue and a green point in front of a wall. Their instance is stretched, turned and mirrored.
func thinScene() *assets.Scene {
	wall := assets.Primitive{Positions: []float32{-9, -9, -3, 9, -9, -3, 0, 9, -3}, Normals: []float32{0, 0, 1, 0, 0, 1, 0, 0, 1},
		Tangents: []float32{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}, UV0: make([]float32, 6), Indices: []uint32{0, 1, 2}}
	thin := assets.Primitive{Positions: []float32{-0.5, 0, 0, 0.5, 0.2, 0.1, 0.1, -0.6, 0}, Radius: 0.2,
		Colors: []float32{1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1}, Ends: []uint32{0, 1, 2, 2}}
	to := mgl32.HomogRotate3DZ(0.4).Mul4(mgl32.HomogRotate3DY(0.3)).Mul4(mgl32.Scale3D(-1, 1.5, 0.7))
	s := &assets.Scene{Name: "thin", Up: mgl32.Vec3{0, 1, 0},
		Materials: []assets.Material{{BaseColor: [4]float32{1, 1, 1, 1}, Roughness: 1, IOR: 1.5}},
		Meshes:    []assets.Mesh{{Primitives: []assets.Primitive{wall}}, {Primitives: []assets.Primitive{thin}}},
		Instances: []assets.Instance{{Mesh: 0, Transform: mgl32.Ident4()}, {Mesh: 1, Transform: to, Mirrored: true}},
	}
	s.ComputeBounds()
	return s
}

// Points and lines are met where they are, in their vertices' colours, with normals across them, by both ways.
func TestThin(t *testing.T) {
	scene := thinScene()
	cam := camera.LookAt(mgl32.Vec3{0.3, 0.4, 4}, mgl32.Vec3{}, mgl32.Vec3{0, 1, 0}, 0.7)
	for _, backend := range []engine.Backend{engine.BackendCompute, engine.BackendNative} {
		t.Run(backend.String(), func(t *testing.T) {
			dev := devtest.Open(t, backend)
			r, err := New(t.Context(), dev, scene, Options{Integrator: Primary})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Destroy()
			const w, h = 64, 48
			if err := r.Resize(w, h); err != nil {
				t.Fatal(err)
			}
			if err := r.SetCamera(cam); err != nil {
				t.Fatal(err)
			}
			a, err := r.AOV(t.Context(), AOVOptions{Samples: 1})
			if err != nil {
				t.Fatal(err)
			}
			seen := map[uint32]int{}
			for i := range w * h {
				deepest := -1.0
				origin, direction := cam.Basis(float32(w)/h).Ray(i%w, i/w, w, h)
				for k := range uint32(2) {
					thin, _ := r.scene.Thin(1, 0, k)
					deepest = max(deepest, thin.Depth(origin, direction))
				}
				if hit := a.Object[i] == 2; hit != (deepest > 0) && math.Abs(deepest) > 0.01 {
					t.Fatalf("pixel %d: hit %v, where the ray goes %g of the radius deep", i, hit, deepest)
				}
				if a.Object[i] == 2 {
					seen[a.Primitive[i]]++
					checkThin(t, r.scene, a, i, direction)
				}
			}
			if seen[1] < 50 || seen[2] < 50 || len(seen) != 2 {
				t.Errorf("primitives seen: %v", seen)
			}
		})
	}
}

// Of a point that is half there, half of the samples see what is behind, by both ways.
func TestThinAlpha(t *testing.T) {
	scene := thinScene()
	scene.Materials = append(scene.Materials, scene.Materials[0])
	scene.Materials[1].AlphaMode, scene.Materials[1].BaseColor[3] = assets.AlphaBlend, 0.5
	scene.Meshes[1].Primitives[0].Material = 1
	for _, backend := range []engine.Backend{engine.BackendCompute, engine.BackendNative} {
		t.Run(backend.String(), func(t *testing.T) {
			r, err := New(t.Context(), devtest.Open(t, backend), scene, Options{Integrator: Primary})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Destroy()
			const w, h, samples = 16, 12, 256
			// Straight at the point, which covers the picture.
			at := mgl32.TransformCoordinate(mgl32.Vec3{0.1, -0.6, 0}, scene.Instances[1].Transform)
			cam := camera.LookAt(at.Add(mgl32.Vec3{0, 0, 2}), at, mgl32.Vec3{0, 1, 0}, 0.05)
			if err := errors.Join(r.Resize(w, h), r.SetCamera(cam), r.Render(t.Context(), samples, nil)); err != nil {
				t.Fatal(err)
			}
			film, err := r.Film(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			red, green := 0.0, 0.0
			for i := range w * h { // the point is green, the wall white
				c, _ := film.Mean(i)
				red, green = red+float64(c[0])/(w*h), green+float64(c[1])/(w*h)
			}
			if share := red / green; math.Abs(share-0.5) > 0.05 {
				t.Errorf("%.3f of the light is the wall's, want a half", share)
			}
		})
	}
}

// checkThin holds one pixel's variables against the point or line that it sees.
func checkThin(t *testing.T, s *accel.Scene, a *AOV, i int, direction mgl32.Vec3) {
	t.Helper()
	thin, _ := s.Thin(1, 0, a.Primitive[i]-1)
	at := mgl32.TransformCoordinate(mgl32.Vec3(a.Position[i]), thin.ToWorld.Inv())
	axis, along := thin.To.Sub(thin.From), float32(0)
	want := [3]float32{0, 1, 0}
	if l := axis.Dot(axis); l > 0 {
		along = min(max(at.Sub(thin.From).Dot(axis)/l, 0), 1)
		want = [3]float32{1 - along, 0, along}
	}
	if d := at.Sub(thin.From.Add(axis.Mul(along))).Len(); math.Abs(float64(d-thin.Radius)) > 1e-4 {
		t.Fatalf("pixel %d: %g from a line with a radius of %g", i, d, thin.Radius)
	}
	for k, c := range a.Albedo[i] {
		if math.Abs(float64(c-want[k])) > 1e-3 {
			t.Fatalf("pixel %d: colour %v, want %v", i, a.Albedo[i], want)
		}
	}
	normal := mgl32.Vec3(a.Normal[i])
	if towards := thin.Normal(mgl32.Vec3(a.Position[i])).Normalize(); normal.Dot(towards) < 0.999 && -normal.Dot(direction) > 0.05 {
		t.Fatalf("pixel %d: normal %v, want %v", i, normal, towards)
	}
	if normal.Dot(direction) > 0 {
		t.Fatalf("pixel %d: normal %v faces away from a ray along %v", i, normal, direction)
	}
}
