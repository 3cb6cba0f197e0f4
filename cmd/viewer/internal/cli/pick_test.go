package cli

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
)

// The ray through the middle of the Cornell box's picture meets the tall block; one past the box nothing.
func TestPick(t *testing.T) {
	s, err := assets.Builtin("cornell")
	if err != nil {
		t.Fatal(err)
	}
	c, _ := camera.Of(s.Cameras[0])
	origin, direction := c.Basis(1).Ray(50, 50, 101, 101)
	h, ok := pick(t.Context(), s, origin, direction)
	said := strings.Join(h.describe(s), "\n")
	if !ok || !strings.Contains(said, `"tall block"`) || !strings.Contains(said, `"silver"`) ||
		h.point.Sub(origin.Add(direction.Mul(h.distance))).Len() > 1e-4 {
		t.Errorf("%v, %s", h, said)
	}
	if _, ok := pick(t.Context(), s, mgl32.Vec3{0, 100, 0}, mgl32.Vec3{0, 1, 0}); ok {
		t.Error("something is above the box")
	}
	// An instance's own transform counts.
	in := &s.Instances[h.instance]
	in.Transform = mgl32.Translate3D(0, 0, 0.25).Mul4(in.Transform)
	moved, ok := pick(t.Context(), s, origin, direction)
	if !ok || moved.distance < h.distance-0.26 || moved.distance > h.distance-0.24 {
		t.Errorf("a quarter nearer: %v after %v", moved, h)
	}
	checkPickThin(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := pick(ctx, s, origin, direction); ok {
		t.Error("a cancelled search found something")
	}
}

// thinOBJ is a floor with a bent line over it and points in two colours.
const thinOBJ = `v -1 0 -1
v 1 0 -1
v 1 0 1
v -1 0 1
f 1 4 3 2
v -0.8 0.1 0 1 0 0
v 0 0.6 0.4 0 1 0
v 0.8 0.1 0 0 0 1
l 5 6 7
v -0.4 0.5 0.5 1 1 0
v 0.4 0.3 0.6 0 1 1
p 8 9
`

// checkPickThin meets a point in its middle, a line on its way, and passes both.
func checkPickThin(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "thin.obj")
	if err := os.WriteFile(path, []byte(thinOBJ), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := assets.Load(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Meshes[1].Primitives[0].Radius
	for _, c := range []struct {
		at        mgl32.Vec3
		primitive int
	}{{mgl32.Vec3{-0.4, 0.5, 0.5}, 0}, {mgl32.Vec3{-0.4, 0.35, 0.2}, 2}, {mgl32.Vec3{0.4, 0.35, 0.2}, 3}} {
		h, ok := pick(t.Context(), s, c.at.Add(mgl32.Vec3{0, 0, 3}), mgl32.Vec3{0, 0, -1})
		if !ok || h.instance != 1 || h.primitive != c.primitive || math.Abs(float64(h.distance-3+r)) > 0.5*float64(r) {
			t.Errorf("at %v: %v %+v, want primitive %d", c.at, ok, h, c.primitive)
		}
		if h, ok := pick(t.Context(), s, c.at.Add(mgl32.Vec3{0, 0.1, 3}), mgl32.Vec3{0, 0, -1}); ok {
			t.Errorf("above %v: %+v", c.at, h)
		}
	}
}
