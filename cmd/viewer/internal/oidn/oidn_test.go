package oidn

import (
	"errors"
	"math"
	"os/exec"
	"path/filepath"
	"testing"
)

// noisy is a picture of two flat halves, 1 and 4, with a pattern of noise.
func noisy() Picture {
	p := Picture{Width: 32, Height: 16}
	for i := range p.Width * p.Height {
		level, albedo := float32(1), float32(0.2)
		if i%p.Width >= p.Width/2 {
			level, albedo = 4, 0.8
		}
		noise := 1 + 0.5*float32(math.Sin(float64(i*i%97)))
		p.Color = append(p.Color, level*noise, level*noise, level*noise)
		p.Albedo = append(p.Albedo, albedo, albedo, albedo)
		p.Normal = append(p.Normal, 0, 0, 1)
	}
	return p
}

// spread is the standard deviation of the left half's red.
func spread(p Picture, color []float32) float64 {
	var sum, squares, n float64
	for i := range p.Width * p.Height {
		if i%p.Width < p.Width/2 {
			v := float64(color[3*i])
			sum, squares, n = sum+v, squares+v*v, n+1
		}
	}
	return math.Sqrt(max(0, squares/n-sum/n*sum/n))
}

func check(t *testing.T, d *Device) {
	t.Helper()
	p := noisy()
	out, err := d.Denoise(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if before, after := spread(p, p.Color), spread(p, out); !(after < before/2) {
		t.Errorf("noise of %g before, %g after", before, after)
	}
	edge := 8*p.Width + p.Width/2
	if left, right := out[3*(edge-1)], out[3*edge]; right < 2*left {
		t.Errorf("the edge is blurred: %g beside %g", left, right)
	}
	p.Albedo, p.Normal = nil, nil
	if _, err := d.Denoise(t.Context(), p); err != nil {
		t.Errorf("without guides: %v", err)
	}
	p.Width++
	if _, err := d.Denoise(t.Context(), p); !errors.Is(err, ErrInvalid) {
		t.Errorf("a wrong size: %v", err)
	}
}

// Where the library is installed, it is used.
func TestLibrary(t *testing.T) {
	d, err := Open()
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	check(t, d)
}

// Everywhere, a stand-in is called the same way.
func TestCalls(t *testing.T) {
	lib := filepath.Join(t.TempDir(), "libfake.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", lib, filepath.Join("testdata", "fake.c"),
		"-lm").CombinedOutput(); err != nil {
		t.Skipf("no C compiler: %v %s", err, out)
	}
	d, err := open("libmissing-everray.so", lib)
	if err != nil {
		t.Fatal(err)
	}
	check(t, d)
	d.Close()
	d.Close()
	if _, err := open("libm.so.6"); !errors.Is(err, ErrMissing) {
		t.Errorf("a library without the functions: %v", err)
	}
}
