package nlm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// truth is the light of a test's picture: a slope on the left, a lamp in it, and a brighter wall on the right.
func truth(x, y, width int) float32 {
	switch {
	case x >= width/2:
		return 2
	case (x-10)*(x-10)+(y-12)*(y-12) < 9:
		return 20
	}
	return 0.2 + 0.01*float32(x)
}

// noisy is that picture under a texture of stripes, from 48 and 32 samples.
func noisy(width, height int) Picture {
	random := rand.New(rand.NewPCG(7, 9))
	p := Picture{Width: width, Height: height, First: Half{Samples: 48}, Second: Half{Samples: 32}}
	for i := range width * height {
		x, y := i%width, i/width
		albedo, side := float32(0.3+0.5*float64(x/3%2)), float32(0)
		if x >= width/2 {
			side = 1
		}
		for range 3 {
			p.Albedo = append(p.Albedo, albedo)
		}
		p.Normal = append(p.Normal, side, 0, 1-side)
		for _, h := range []*Half{&p.First, &p.Second} {
			light := float64(truth(x, y, width))
			noise := random.NormFloat64() * 1.5 * math.Sqrt(light) / math.Sqrt(float64(h.Samples))
			v := float32(max(light+noise, 0)) * albedo
			h.Color = append(h.Color, v, v, v)
		}
	}
	return p
}

// far is the root of the mean square by which a picture is off, over its light.
func far(p *Picture, color []float32) float64 {
	sum := 0.0
	for i := range p.Width * p.Height {
		d := float64(color[3*i]/p.Albedo[3*i]/truth(i%p.Width, i/p.Width, p.Width)) - 1
		sum += d * d
	}
	return math.Sqrt(sum / float64(p.Width*p.Height))
}

// Most of the noise goes, while stripes, edges and the lamp stay.
func TestDenoise(t *testing.T) {
	p := noisy(80, 50)
	out, err := Denoise(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	plain := make([]float32, len(out))
	for i := range plain {
		plain[i] = 0.6*p.First.Color[i] + 0.4*p.Second.Color[i]
	}
	if before, after := far(&p, plain), far(&p, out); !(after < before/3) {
		t.Errorf("off by %g before, %g after", before, after)
	}
	at := func(x, y int) float64 { return float64(out[3*(y*p.Width+x)]) / float64(p.Albedo[3*(y*p.Width+x)]) }
	for _, c := range [][2]int{{10, 12}, {39, 25}, {40, 25}} {
		want := float64(truth(c[0], c[1], p.Width))
		if got := at(c[0], c[1]); math.Abs(got/want-1) > 0.15 {
			t.Errorf("pixel %v: %g, want %g", c, got, want)
		}
	}
}

// What has no noise stays as it is, to rounding.
func TestCleanStays(t *testing.T) {
	p := noisy(40, 30)
	p.Second.Color = p.First.Color
	out, err := Denoise(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out {
		if math.Abs(float64(v-p.First.Color[i])) > 2e-2*float64(max(p.First.Color[i], 0.1)) {
			t.Fatalf("value %d: %g of %g", i, v, p.First.Color[i])
		}
	}
}

// The bits do not depend on the number of cores; pictures without guides, smaller than the window and with light that is not there
// have finite results.
func TestAnyPicture(t *testing.T) {
	p := noisy(70, 90)
	first, err := Denoise(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.GOMAXPROCS(1)
	second, err := Denoise(t.Context(), p)
	runtime.GOMAXPROCS(before)
	if err != nil || !slices.Equal(first, second) {
		t.Errorf("one core has other bits, %v", err)
	}
	black := Half{Color: make([]float32, 3*5*3), Samples: 1}
	out, err := Denoise(t.Context(), Picture{Width: 5, Height: 3, First: black, Second: black})
	if err != nil || slices.Max(out) != 0 || slices.Min(out) != 0 {
		t.Errorf("black is %v, %v", out, err)
	}
	if _, err := Denoise(t.Context(), Picture{Width: 5, Height: 4, First: black, Second: black}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a wrong size: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Denoise(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkDenoise(b *testing.B) {
	p := noisy(560, 560)
	for b.Loop() {
		if _, err := Denoise(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}
