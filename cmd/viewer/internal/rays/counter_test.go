package rays

import (
	"errors"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/engine"
)

// oneTriangle is a scene of a triangle in the plane z = 0, around the origin.
func oneTriangle() *assets.Scene {
	return &assets.Scene{
		Name:      "triangle",
		Materials: []assets.Material{assets.DefaultMaterial()},
		Instances: []assets.Instance{{Transform: mgl32.Ident4()}},
		Meshes: []assets.Mesh{{Primitives: []assets.Primitive{{Positions: []float32{-1, -1, 0, 1, -1, 0, 0, 1, 0},
			Indices: []uint32{0, 1, 2}}}}},
	}
}

// One triangle is one instance and one test, whatever the ray, and more rays than a workgroup are all counted.
func TestCounterCountsExactly(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	s, err := accel.Upload(t.Context(), dev, oneTriangle(), accel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Destroy()
	c, err := NewCounter(t.Context(), dev, s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	list := make([]Ray, 3*countLanes+1)
	for i := range list {
		list[i] = Ray{Origin: mgl32.Vec3{0, 0, 5}, Direction: mgl32.Vec3{0, 0, -1}, TMax: Infinity}
	}
	for _, set := range []Set{Primary, AO} {
		got, err := c.Count(t.Context(), set, list)
		if want := (Steps{Primitives: 1, Instances: 1}); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", set, got, err, want)
		}
	}
	if _, err := c.Count(t.Context(), Primary, nil); err == nil {
		t.Error("no rays are counted")
	}
}

// A ray that ends at the first hit has done no more than one that looks for the nearest, and on average less.
func TestOcclusionTakesFewerSteps(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	scene, err := assets.Builtin("field:200")
	if err != nil {
		t.Fatal(err)
	}
	s, err := accel.Upload(t.Context(), dev, scene, accel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Destroy()
	c, err := NewCounter(t.Context(), dev, s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	list := RandomRays(500, BoundsOf(scene))
	nearest, err := c.Count(t.Context(), Random, list)
	if err != nil {
		t.Fatal(err)
	}
	first, err := c.Count(t.Context(), AO, list)
	if err != nil {
		t.Fatal(err)
	}
	if !(first.Nodes < nearest.Nodes && first.Primitives < nearest.Primitives && nearest.Instances > 0) {
		t.Errorf("first hit %+v, nearest %+v", first, nearest)
	}
}

func TestCounterNeedsTheComputeWay(t *testing.T) {
	dev := devtest.Open(t, engine.BackendNative)
	if c, err := NewTopCounter(t.Context(), dev, nil, false); !errors.Is(err, engine.ErrInvalid) || c != nil {
		t.Errorf("got %v, %v", c, err)
	}
}
