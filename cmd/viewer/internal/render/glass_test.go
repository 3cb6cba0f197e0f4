package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
)

// A smooth interface loses nothing, a rougher one more; media of one index lose from both sides the same.
func TestGlassLoss(t *testing.T) {
	for _, eta := range []float64{1 / 1.5, 1.5, 2.4} {
		before := 0.0
		for _, roughness := range []float64{0.1, 0.4, 0.7, 1} {
			loss := glassLoss(0.5, roughness*roughness, eta)
			if loss < before || roughness == 0.1 && loss > 0.001 || roughness == 1 && (loss < 0.05 || loss > 0.6) {
				t.Errorf("index %g, roughness %g: %g is lost, of less roughness %g", eta, roughness, loss, before)
			}
			before = loss
		}
	}
	if a, b := glassLoss(0.3, 0.5, 1), glassLoss(0.3, 0.5, 1+1e-9); math.Abs(a-b) > 1e-6 {
		t.Errorf("%g is lost from one side, %g from the other", a, b)
	}
}

// A prism that disperses bends blue light more than red: seen through it, a thin line of white light is where Snell's law has
// it for each colour.
func TestDispersion(t *testing.T) {
	const ior, dispersion = 1.5, 6.0
	const apex = 30 * math.Pi / 180 // between the faces: light comes in at right angles to the first
	glass, y := matter(1), assets.DefaultLayers()
	glass.Transmission, glass.Roughness, glass.IOR = 1, 0, ior
	y.Thickness, y.Dispersion = 1, dispersion
	glass.Layers = &y
	lamp := matter(0)
	lamp.Emissive = mgl32.Vec3{1, 1, 1}
	// The camera looks along -z through the upright face of a wedge at z = 0, whose back leans; behind is a line along y.
	back := float32(math.Tan(apex))
	u, v := mgl32.Vec3{8, 0, 0}, mgl32.Vec3{0, 8, 0}
	front := rectangle(mgl32.Vec3{-4, -4, 0}, u, v, 0)
	rear := rectangle(mgl32.Vec3{-4, -4, -1 + 4*back}, v, u.Add(mgl32.Vec3{0, 0, -8 * back}), 0)
	const distance, half = 10.0, 0.02
	line := func(x float32) assets.Mesh {
		return rectangle(mgl32.Vec3{x - half, -4, -distance}, mgl32.Vec3{2 * half, 0, 0}, v, 1)
	}
	// bent is where along x the ray through the middle of the picture meets the line's plane.
	bent := func(index float64) float64 {
		out := math.Asin(index * math.Sin(apex))
		return (distance - 1) * math.Tan(out-apex)
	}
	step := (ior - 1) * 0.025 * dispersion
	for colour, index := range []float64{ior - step, ior, ior + step} {
		for other, where := range []float64{bent(ior - step), bent(ior), bent(ior + step)} {
			s := sceneOf([]assets.Material{glass, lamp}, front, rear, line(float32(-where)), line(float32(where)))
			view := camera.Camera{Eye: mgl32.Vec3{0, 0, 5}, Forward: mgl32.Vec3{0, 0, -1}, Up: mgl32.Vec3{0, 1, 0}, Orthographic: true,
				HalfHeight: 1e-4}
			got := mean(t, s, view, 16, Options{Bounces: 8, Clamp: -1, Environment: &assets.Environment{}})
			if seen := got[colour] > 0.3; seen != (colour == other) {
				t.Errorf("index %.4f: colour %d has %.3f at %.3f, its place is %.3f", index, colour, got[colour], where, bent(index))
			}
		}
	}
}
