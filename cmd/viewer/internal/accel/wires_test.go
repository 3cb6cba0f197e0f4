package accel

import (
	"errors"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/engine"
)

func around(w Wire) assets.Bounds {
	b := assets.Bounds{Min: w[0], Max: w[0]}
	for _, c := range w {
		for k := range 3 {
			b.Min[k], b.Max[k] = min(b.Min[k], c[k]), max(b.Max[k], c[k])
		}
	}
	return b
}

// TestWires: level 0 is a box around each instance, each further level lies within the one above and has more boxes, until the
// leaves; the most is kept.
func TestWires(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	scene, err := assets.Builtin("cornell")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Upload(t.Context(), dev, scene, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Destroy()
	roots, err := s.Wires(t.Context(), dev, 0, 1000)
	if err != nil || len(roots) != len(scene.Instances) {
		t.Fatalf("%d boxes at level 0, %v, want one for each of %d instances", len(roots), err, len(scene.Instances))
	}
	for i, w := range roots {
		in := scene.Instances[i]
		p := scene.Meshes[in.Mesh].Primitives[0]
		v := in.Transform.Mul4x1(mgl32.Vec4{p.Positions[0], p.Positions[1], p.Positions[2], 1}).Vec3()
		b := around(w)
		for k := range 3 {
			if v[k] < b.Min[k]-1e-3 || v[k] > b.Max[k]+1e-3 {
				t.Errorf("instance %d: vertex %v is outside of %v", i, v, b)
			}
		}
	}
	above := roots
	for level := 1; level < 4; level++ {
		wires, err := s.Wires(t.Context(), dev, level, 1000)
		if err != nil || len(wires) < len(above) || level == 1 && len(wires) == len(above) {
			t.Fatalf("level %d: %d boxes, %v, above %d", level, len(wires), err, len(above))
		}
		for _, w := range wires {
			if !within(around(w), above) {
				t.Errorf("level %d: %v is in no box of the level above", level, w)
			}
		}
		above = wires
	}
	if few, err := s.Wires(t.Context(), dev, 30, len(roots)); err != nil || len(few) > len(roots) {
		t.Errorf("%d boxes, %v, at most %d wanted", len(few), err, len(roots))
	}
	native := devtest.Open(t, engine.BackendNative)
	n, err := Upload(t.Context(), native, scene, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Destroy()
	if _, err := n.Wires(t.Context(), native, 0, 10); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("natively: %v", err)
	}
}

func within(b assets.Bounds, wires []Wire) bool {
	for _, w := range wires {
		a, inside := around(w), true
		for k := range 3 {
			inside = inside && a.Min[k] <= b.Min[k] && b.Max[k] <= a.Max[k]
		}
		if inside {
			return true
		}
	}
	return false
}
