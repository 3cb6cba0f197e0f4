//go:build !headless

package cli

import (
	"bytes"
	"context"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/window"
	"github.com/everray/everray/window/windowtest"
	"github.com/go-gl/mathgl/mgl32"
)

// The window shows the scene: the screenshot has the red wall left, the green wall right and the lamp above.
func TestViewShowsTheScene(t *testing.T) {
	requireBackend(t, "compute")
	windowtest.StartDisplay(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	type result struct {
		code   int
		stderr string
	}
	done := make(chan result, 1)
	go func() {
		var out, errs bytes.Buffer
		code := Main(ctx, []string{"view", "--scene", "builtin:cornell", "--width", "120", "--height", "120", "--backend", "compute",
			"--integrator", "primary", "--validation"}, &out, &errs)
		done <- result{code, errs.String()}
	}()
	deadline := time.After(90 * time.Second)
	for shown := false; !shown; {
		select {
		case r := <-done:
			if strings.Contains(r.stderr, "validation layer") {
				t.Skip(r.stderr)
			}
			t.Fatalf("view ended: code %d, %s", r.code, r.stderr)
		case <-deadline:
			t.Fatal("the scene did not appear on the screen")
		case <-time.After(500 * time.Millisecond):
			shown = showsCornell(windowtest.Screenshot(t))
		}
	}
	cancel()
	if r := <-done; r.code != 0 {
		t.Errorf("code %d, %s", r.code, r.stderr)
	}
}

// The window has no scale: heat is render's.
func TestViewRefusesHeat(t *testing.T) {
	code, stdout, stderr := run(t, t.Context(), "view", "--scene", "builtin:cornell", "--integrator", "heat")
	if code != codeUsage || stdout != "" || !strings.Contains(stderr, "viewer render") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func showsCornell(img image.Image) bool {
	at := func(x, y int) (r, g, b uint32) { r, g, b, _ = img.At(x, y).RGBA(); return r >> 8, g >> 8, b >> 8 }
	r1, g1, _ := at(5, 60)
	r2, g2, _ := at(114, 60)
	r3, g3, b3 := at(60, 18)
	return r1 > g1+40 && g2 > r2+20 && r3 > 200 && g3 > 200 && b3 > 200
}

func TestViewWithoutDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	code, stdout, stderr := run(t, t.Context(), "view", "--scene", "builtin:cornell")
	if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "display") {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestViewQuitsAfterFrames(t *testing.T) {
	requireBackend(t, "compute")
	windowtest.StartDisplay(t)
	code, _, stderr := run(t, t.Context(), "view", "--scene", "builtin:cornell", "--width", "64", "--height", "48", "--frames", "3",
		"--integrator", "normals")
	if code != 0 {
		t.Errorf("code %d, %s", code, stderr)
	}
}

func TestInputMovesTheCamera(t *testing.T) {
	start := camera.LookAt(mgl32.Vec3{0, 0, 5}, mgl32.Vec3{}, mgl32.Vec3{0, 1, 0}, 1)
	for _, c := range []struct {
		name string
		in   window.Input
		want func(eye mgl32.Vec3) bool
	}{
		{"nothing", window.Input{}, func(e mgl32.Vec3) bool { return e.Sub(start.Eye).Len() < 1e-4 }},
		{"drag right turns the scene right", window.Input{OrbitX: 50}, func(e mgl32.Vec3) bool { return e.X() < -0.5 }},
		{"drag down looks from above", window.Input{OrbitY: 50}, func(e mgl32.Vec3) bool { return e.Y() > 0.5 }},
		{"pan right shifts the scene right", window.Input{PanX: 50}, func(e mgl32.Vec3) bool { return e.X() < -0.1 }},
		{"wheel up is nearer", window.Input{Wheel: 2}, func(e mgl32.Vec3) bool { return e.Z() < 4.2 && e.Z() > 3.9 }},
		{"forward", window.Input{Forward: 1}, func(e mgl32.Vec3) bool { return e.Z() < 4.95 }},
		{"right", window.Input{Right: 1}, func(e mgl32.Vec3) bool { return e.X() > 0.05 }},
	} {
		v := &viewer{orbit: camera.NewOrbit(start, 5)}
		if moved := v.move(c.in, 50*time.Millisecond); moved != c.in.Moved() {
			t.Errorf("%s: moved %v", c.name, moved)
		}
		if eye := v.orbit.Camera().Eye; !c.want(eye) {
			t.Errorf("%s: the eye is at %v", c.name, eye)
		}
	}
}
