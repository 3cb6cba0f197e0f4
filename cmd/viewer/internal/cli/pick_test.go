package cli

import (
	"context"
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
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := pick(ctx, s, origin, direction); ok {
		t.Error("a cancelled search found something")
	}
}
