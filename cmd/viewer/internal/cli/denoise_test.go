package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// The built-in denoiser needs no library: pictures come nearer to one of many samples, and the summary says what they went through.
func TestDenoiseBuiltin(t *testing.T) {
	const scene = "builtin:cornell"
	size := []string{"--width", "64", "--height", "64", "--clamp", "1"}
	reference, _ := renderImage(t, scene, "compute", append(size, "--spp", "256")...)
	noisy, _ := renderImage(t, scene, "compute", append(size, "--spp", "16")...)
	clean, report := renderImage(t, scene, "compute", append(size, "--spp", "16", "--denoise=builtin")...)
	if report.Denoiser != denoiseBuiltin || report.Samples != 16 {
		t.Errorf("%d samples, denoised by %q", report.Samples, report.Denoiser)
	}
	off := func(pix []uint8) float64 {
		sum := 0.0
		for i, v := range pix {
			d := float64(v) - float64(reference.Pix[i])
			sum += d * d
		}
		return math.Sqrt(sum / float64(len(pix)))
	}
	if before, after := off(noisy.Pix), off(clean.Pix); !(after < 0.8*before) {
		t.Errorf("off by %g before, %g after", before, after)
	}
}

// One sample cannot be denoised: it is kept, and the command says so. Other names, and integrators without noise, are refused.
func TestDenoiseRefused(t *testing.T) {
	out := t.TempDir() + "/one.png"
	args := []string{"render", "--scene", "builtin:cornell", "--backend", "compute", "--width", "8", "--height", "8", "-o", out}
	code, stdout, stderr := run(t, t.Context(), append(args, "--spp", "1", "--denoise=builtin")...)
	if code != 0 || !strings.Contains(stderr, "one sample per pixel is too little") || strings.Contains(stdout, "denoised") {
		t.Errorf("one sample: %d, %s%s", code, stdout, stderr)
	}
	if _, err := assets.ReadPNG(out); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ flags, want string }{
		{"--denoise=best", "want auto, oidn or builtin"}, {"--denoise --integrator ao", "--denoise is for --integrator path"},
	} {
		code, _, stderr := run(t, t.Context(), append(args, strings.Fields(c.flags)...)...)
		if code != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %d, %s", c.flags, code, stderr)
		}
	}
}

// Of the films that are kept, the one nearest to the half of all samples is used.
func TestHalves(t *testing.T) {
	for _, c := range []struct{ spp, want int }{{1, 0}, {2, 1}, {3, 1}, {16, 8}, {24, 8}, {64, 32}, {90, 32}, {100, 64}, {127, 64}} {
		var h halves
		for have := h.next(0, c.spp); have < c.spp; have = h.next(have, c.spp) {
			h.keep(&render.Film{Width: 1, Height: 1, Pixels: []float32{0, 0, 0, float32(have)}}, have)
		}
		got := 0
		if f := h.nearest(c.spp); f != nil {
			got = int(f.Pixels[3])
		}
		if got != c.want {
			t.Errorf("%d samples: the first half has %d, want %d", c.spp, got, c.want)
		}
	}
}
