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
	a, err := r.AOV(t.Context(), 4)
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
	if _, err := r.AOV(t.Context(), 0); err == nil {
		t.Error("no samples were accepted")
	}
}
