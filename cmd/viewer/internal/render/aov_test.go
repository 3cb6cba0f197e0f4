package render

import (
	"math"
	"testing"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/engine"
)

// What the variables say of each pixel is what the camera sees: positions lie on its rays, at the depth that is told; objects,
// materials and primitives are those of the scene; normals are unit vectors on the camera's side.
func TestAOV(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	scene, err := assets.Builtin("cornell")
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(t.Context(), dev, scene, Options{Integrator: Normals})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Destroy()
	const w, h = 36, 24
	cam, _ := camera.Of(scene.Cameras[0])
	if err := r.Resize(w, h); err != nil {
		t.Fatal(err)
	}
	if err := r.SetCamera(cam); err != nil {
		t.Fatal(err)
	}
	a, err := r.AOV(t.Context(), AOVOptions{Samples: 4, Mattes: true})
	if err != nil {
		t.Fatal(err)
	}
	basis := cam.Basis(float32(w) / h)
	objects := map[uint32]int{}
	for i := range w * h {
		object := a.Object[i]
		objects[object]++
		if object == 0 {
			if a.Depth[i] != 1e10 || a.Material[i] != 0 || a.Primitive[i] != 0 {
				t.Fatalf("pixel %d sees nothing at depth %g", i, a.Depth[i])
			}
			continue
		}
		origin, direction := basis.Ray(i%w, i/w, w, h)
		along := a.Depth[i] / direction.Dot(basis.Forward)
		for k := range 3 {
			if d := origin[k] + along*direction[k] - a.Position[i][k]; math.Abs(float64(d)) > 1e-3 {
				t.Fatalf("pixel %d: position %v, depth %g", i, a.Position[i], a.Depth[i])
			}
		}
		mesh := scene.Meshes[scene.Instances[object-1].Mesh]
		fits := false
		for _, p := range mesh.Primitives {
			fits = fits || uint32(p.Material)+1 == a.Material[i] && a.Primitive[i] >= 1 && int(a.Primitive[i]) <= p.TriangleCount()
		}
		if !fits {
			t.Fatalf("pixel %d: object %d has no material %d with primitive %d", i, object, a.Material[i], a.Primitive[i])
		}
		n := a.Normal[i]
		if l := n[0]*n[0] + n[1]*n[1] + n[2]*n[2]; math.Abs(float64(l)-1) > 1e-3 {
			t.Fatalf("pixel %d: normal %v", i, n)
		}
	}
	if len(objects) < 5 {
		t.Errorf("objects seen: %v", objects)
	}
	checkMattes(t, a, scene)
	checkMotion(t, a, cam)
	if _, err := r.AOV(t.Context(), AOVOptions{}); err == nil {
		t.Error("no samples were accepted")
	}
}

// checkMattes wants shares that add up to no more than all, the object in the middle among them, and edges that are shared.
func checkMattes(t *testing.T, a *AOV, scene *assets.Scene) {
	t.Helper()
	if len(a.Mattes) != 2 || len(a.Mattes[0].Names) != len(scene.Instances) || len(a.Mattes[1].Names) != len(scene.Materials) {
		t.Fatalf("%d mattes", len(a.Mattes))
	}
	shared := 0
	for k, ids := range [][]uint32{a.Object, a.Material} {
		for i, shares := range a.Mattes[k].Pixels {
			sum, middle := float32(0), ids[i] == 0
			for j, s := range shares {
				sum += s.Share
				middle = middle || s.Name == int(ids[i])-1
				if s.Share < 0.25 || j > 0 && s.Share > shares[j-1].Share {
					t.Fatalf("pixel %d: shares %v of 4 samples", i, shares)
				}
			}
			if sum > 1 || !middle || ids[i] == 0 && sum > 0.75 {
				t.Fatalf("pixel %d: shares %v, in the middle is %d", i, shares, ids[i])
			}
			if len(shares) > 1 {
				shared++
			}
		}
	}
	if shared < 10 {
		t.Errorf("%d pixels show more than one thing", shared)
	}
}

// checkMotion moves the camera to the right: what it sees moves to the left, the more the nearer it is; turned by half its field
// of view, what is at infinity in the middle comes from the edge.
func checkMotion(t *testing.T, a *AOV, cam camera.Camera) {
	t.Helper()
	const shift = 0.1
	basis := cam.Basis(float32(a.Width) / float32(a.Height))
	before := cam
	before.Eye = before.Eye.Sub(basis.Right.Normalize().Mul(shift))
	for i, m := range a.Motion(cam, before) {
		want := float32(0) // the sky
		if a.Object[i] > 0 {
			want = -shift / a.Depth[i] / basis.Right.Len() * float32(a.Width) / 2
		}
		if math.Abs(float64(m[0]-want)) > 0.01 || math.Abs(float64(m[1])) > 0.01 {
			t.Fatalf("pixel %d moves by %v, want %g to the right", i, m, want)
		}
	}
	far := &AOV{Width: 3, Height: 1, Object: make([]uint32, 3), Position: make([][3]float32, 3)}
	wide := cam.Basis(3)
	before = cam
	before.Forward = wide.Forward.Add(wide.Right)
	if m := far.Motion(cam, before)[1]; math.Abs(float64(m[0]-1.5)) > 1e-3 || math.Abs(float64(m[1])) > 1e-3 {
		t.Errorf("the horizon moves by %v", m)
	}
	before.Forward = cam.Forward.Mul(-1)
	if m := far.Motion(cam, before)[1]; m != [2]float32{} {
		t.Errorf("what was behind moves by %v", m)
	}
}
