package imagediff

import (
	"errors"
	"image"
	"image/color"
	"math"
	"testing"
)

func TestCompare(t *testing.T) {
	a := image.NewNRGBA(image.Rect(0, 0, 4, 2))
	b := image.NewNRGBA(image.Rect(10, 10, 14, 12))
	b.SetNRGBA(12, 11, color.NRGBA{3, 0, 4, 0})
	b.SetNRGBA(13, 11, color.NRGBA{0, 1, 0, 200})
	r, err := Compare(a, b, Options{IgnoreAlpha: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.MaxAbs != 4 || r.Worst != image.Pt(2, 1) || r.Differing != 2 || r.Pixels != 8 || math.Abs(r.RMSE-math.Sqrt(26.0/24)) > 1e-12 {
		t.Errorf("got %v", r)
	}
	if r, _ := Compare(a, b, Options{Tolerance: 3}); r.Differing != 2 || r.MaxAbs != 200 || r.Worst != image.Pt(3, 1) {
		t.Errorf("with alpha: %v", r)
	}
	if r, _ := Compare(a, a, Options{}); r.Differing != 0 || !math.IsInf(r.PSNR(), 1) {
		t.Errorf("with itself: %v", r)
	}
	if _, err := Compare(a, image.NewNRGBA(image.Rect(0, 0, 2, 4)), Options{}); !errors.Is(err, ErrSize) {
		t.Errorf("sizes: %v", err)
	}
	if _, err := Compare(&image.NRGBA{}, &image.NRGBA{}, Options{}); !errors.Is(err, ErrSize) {
		t.Errorf("empty: %v", err)
	}
	grey := image.NewGray(image.Rect(0, 0, 4, 2))
	if r, err := Compare(a, grey, Options{IgnoreAlpha: true}); err != nil || r.MaxAbs != 0 {
		t.Errorf("other kinds of image: %v, %v", r, err)
	}
}

func TestPicture(t *testing.T) {
	a, b := image.NewNRGBA(image.Rect(0, 0, 2, 1)), image.NewNRGBA(image.Rect(0, 0, 2, 1))
	b.SetNRGBA(1, 0, color.NRGBA{10, 0, 0, 255})
	p, err := Picture(a, b, 4)
	if err != nil {
		t.Fatal(err)
	}
	if p.NRGBAAt(0, 0) != (color.NRGBA{0, 0, 0, 255}) || p.NRGBAAt(1, 0).R != 104 {
		t.Errorf("got %v", p.Pix)
	}
	if _, err := Picture(a, image.NewNRGBA(image.Rect(0, 0, 1, 1)), 1); !errors.Is(err, ErrSize) {
		t.Errorf("sizes: %v", err)
	}
}
