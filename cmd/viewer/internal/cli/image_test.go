package cli

import (
	"encoding/json"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/assets/imagediff"
	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk/vktest"
)

// requireBackend skips tests of a way that this machine does not have; make test forbids that for compute.
func requireBackend(t *testing.T, backend string) {
	t.Helper()
	b, err := engine.ParseBackend(backend)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := engine.Open(t.Context(), engine.Options{Backend: b})
	if err != nil {
		vktest.Missing(t, "no device for "+backend+": "+err.Error())
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
}

// renderImage renders under the validation layer and returns picture and report.
func renderImage(t *testing.T, scene, backend string, args ...string) (*image.NRGBA, renderReport) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "image.png")
	args = append([]string{"render", "--json", "--validation", "--scene", scene, "--backend", backend, "--out", out}, args...)
	code, stdout, stderr := run(t, t.Context(), args...)
	if code != 0 {
		if strings.Contains(stderr, "validation layer") {
			t.Skip(stderr)
		}
		t.Fatalf("%q: %s", args, stderr)
	}
	var report renderReport
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	img, err := assets.ReadPNG(out)
	if err != nil {
		t.Fatal(err)
	}
	return img, report
}

func meanBrightness(img *image.NRGBA) float64 {
	sum := 0
	for i, v := range img.Pix {
		if i%4 != 3 {
			sum += int(v)
		}
	}
	return float64(sum) / float64(len(img.Pix)/4*3)
}

// The same picture both ways: all integrators, and the scenes that test alpha, mirroring and textures.
func TestBothWaysRenderTheSame(t *testing.T) {
	requireBackend(t, "native")
	requireBackend(t, "compute")
	shared := filepath.Join("..", "..", "..", "..", "..", "shared", "scenes")
	thin := filepath.Join(t.TempDir(), "thin.obj")
	if err := os.WriteFile(thin, []byte(thinOBJ), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, scene, integrator string }{
		{"cornell path", "builtin:cornell", "path"},
		{"cornell ao", "builtin:cornell", "ao"},
		{"cornell primary", "builtin:cornell", "primary"},
		{"cornell normals", "builtin:cornell", "normals"},
		{"points and lines path", thin, "path"},
		{"field path", "builtin:field:20", "path"},
		{"alpha path", filepath.Join(shared, "alpha-blend-mode-test", "AlphaBlendModeTest.glb"), "path"},
		{"alpha ao", filepath.Join(shared, "alpha-blend-mode-test", "AlphaBlendModeTest.glb"), "ao"},
		{"mirrored normals", filepath.Join(shared, "negative-scale-test", "NegativeScaleTest.glb"), "normals"},
		{"textures primary", filepath.Join(shared, "texture-settings-test", "TextureSettingsTest.glb"), "primary"},
		{"emissive texture path", filepath.Join(shared, "damaged-helmet", "DamagedHelmet.glb"), "path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.HasPrefix(c.scene, "builtin:") {
				if _, err := os.Stat(c.scene); err != nil {
					t.Skipf("the shared scenes are absent: %v", err)
				}
			}
			args := []string{"--integrator", c.integrator, "--width", "48", "--height", "32", "--spp", "2"}
			native, a := renderImage(t, c.scene, "native", args...)
			compute, b := renderImage(t, c.scene, "compute", args...)
			if a.DroppedSamples+b.DroppedSamples > 0 {
				t.Errorf("samples that are not finite: %d natively, %d by compute", a.DroppedSamples, b.DroppedSamples)
			}
			if m := meanBrightness(native); m < 5 || m > 250 {
				t.Errorf("mean brightness %g: the picture shows nothing", m)
			}
			diff, err := imagediff.Compare(native, compute, imagediff.Options{Tolerance: 2})
			if err != nil {
				t.Fatal(err)
			}
			// Paths part where rounding decides a bounce; a pixel with another path is another sample, not a wrong one.
			if allowed := diff.Pixels / 50; diff.Differing > allowed {
				t.Errorf("%d of %d pixels differ, %d would be rounding", diff.Differing, diff.Pixels, allowed)
			}
			if ratio := float64(a.Rays) / float64(b.Rays); math.Abs(ratio-1) > 0.005 {
				t.Errorf("%d rays natively, %d by compute", a.Rays, b.Rays)
			}
		})
	}
}

// Ray counts are counted, not estimated: where a formula exists it holds exactly.
func TestRayCountsAreExact(t *testing.T) {
	for _, backend := range []string{"native", "compute"} {
		t.Run(backend, func(t *testing.T) {
			requireBackend(t, backend)
			size := []string{"--width", "37", "--height", "23", "--spp", "3"}
			const samples = 37 * 23 * 3
			// Terrain is seen from its front only: one ray per sample.
			_, r := renderImage(t, "builtin:terrain:2000", backend, append(size, "--integrator", "primary")...)
			if r.Rays != samples {
				t.Errorf("primary: %d rays, want %d", r.Rays, samples)
			}
			// Without bounces a path is its camera ray.
			_, r = renderImage(t, "builtin:terrain:2000", backend, append(size, "--bounces", "0")...)
			if r.Rays != samples {
				t.Errorf("path without bounces: %d rays, want %d", r.Rays, samples)
			}
			_, r = renderImage(t, "builtin:terrain:2000", backend, append(size, "--integrator", "ao")...)
			if r.Rays <= samples || r.Rays > 2*samples {
				t.Errorf("ao: %d rays, want more than %d and at most twice that", r.Rays, samples)
			}
		})
	}
}

// A closed white room with a light of its own does not change with the number of samples, and has no black or blown pixels
// where a wall is seen: seams, wrong offsets and wrong handedness would make some.
func TestCornellHasNoHoles(t *testing.T) {
	requireBackend(t, "compute")
	img, report := renderImage(t, "builtin:cornell", "compute", "--width", "40", "--height", "40", "--spp", "16", "--integrator",
		"primary")
	for y := range 40 {
		for x := range 40 {
			p := img.NRGBAAt(x, y)
			if int(p.R)+int(p.G)+int(p.B) < 20 {
				t.Errorf("pixel (%d, %d) is black", x, y)
			}
		}
	}
	left, right := img.NRGBAAt(2, 20), img.NRGBAAt(37, 20)
	if left.R <= left.G || right.G <= right.R {
		t.Errorf("the red wall is not on the left (%v) or the green one not on the right (%v)", left, right)
	}
	if report.Device == "" || report.Driver == "" || report.Reason == "" || report.CompileMS <= 0 || report.BottomBuildMS <= 0 {
		t.Errorf("the report lacks something: %+v", report)
	}
}

func TestVerify(t *testing.T) {
	requireBackend(t, "native")
	requireBackend(t, "compute")
	code, stdout, stderr := run(t, t.Context(), "verify", "--validation", "--scene", "builtin:field:10", "--width", "40", "--height",
		"24", "--rays", "primary,ao,diffuse,random", "--json")
	var v compare.Report
	if err := json.Unmarshal([]byte(stdout), &v); err != nil {
		t.Fatalf("%v in %s%s", err, stdout, stderr)
	}
	if code != 0 || !v.Passed || v.Rays != 4*40*24 || len(v.Sets) != 4 {
		t.Errorf("verify: code %d, %s, %+v", code, stderr, v)
	}
}
