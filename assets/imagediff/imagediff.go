// Package imagediff compares pictures, for tests and for checking one way of
// rendering against another. It works on 8-bit components as they are stored,
// keeps no state and may be called concurrently.
package imagediff

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
)

// ErrSize is the error of pictures of different sizes: nothing can be compared.
var ErrSize = errors.New("pictures differ in size")

// Options for Compare; the zero value counts every difference.
type Options struct {
	// Tolerance is up to which difference of a component two pixels count as
	// equal, 0 to 255.
	Tolerance int
	// IgnoreAlpha leaves the fourth component out.
	IgnoreAlpha bool
}

// Result is what Compare found.
type Result struct {
	Pixels    int
	Differing int         // pixels with a component beyond the tolerance
	MaxAbs    int         // largest difference of any component
	Worst     image.Point // the first pixel with that difference
	RMSE      float64     // over all components, 0 to 255
}

// PSNR is the peak signal-to-noise ratio in decibels, +Inf for equal pictures.
func (r Result) PSNR() float64 { return 20 * math.Log10(255/r.RMSE) }

// String is a line for a log.
func (r Result) String() string {
	return fmt.Sprintf("%d of %d pixels differ, by at most %d (at %d,%d), RMSE %.4f",
		r.Differing, r.Pixels, r.MaxAbs, r.Worst.X, r.Worst.Y, r.RMSE)
}

// Compare compares two pictures of one size; their origins need not agree, and
// Worst counts from the origin of a.
func Compare(a, b image.Image, o Options) (Result, error) {
	ra, rb := a.Bounds(), b.Bounds()
	if ra.Size() != rb.Size() || ra.Empty() {
		return Result{}, fmt.Errorf("%w: %v and %v", ErrSize, ra.Size(), rb.Size())
	}
	r := Result{Pixels: ra.Dx() * ra.Dy(), Worst: ra.Min}
	components := 4
	if o.IgnoreAlpha {
		components = 3
	}
	var square float64
	for y := range ra.Dy() {
		for x := range ra.Dx() {
			p, q := pixel(a, ra.Min.X+x, ra.Min.Y+y), pixel(b, rb.Min.X+x, rb.Min.Y+y)
			worst := 0
			for c := range components {
				d := int(p[c]) - int(q[c])
				square += float64(d * d)
				worst = max(worst, d, -d)
			}
			if worst > o.Tolerance {
				r.Differing++
			}
			if worst > r.MaxAbs {
				r.MaxAbs, r.Worst = worst, image.Pt(ra.Min.X+x, ra.Min.Y+y)
			}
		}
	}
	r.RMSE = math.Sqrt(square / float64(r.Pixels*components))
	return r, nil
}

// Picture shows where two pictures of one size differ: grey where they agree,
// brighter red the more they do not. gain multiplies the differences.
func Picture(a, b image.Image, gain int) (*image.NRGBA, error) {
	ra, rb := a.Bounds(), b.Bounds()
	if ra.Size() != rb.Size() {
		return nil, fmt.Errorf("%w: %v and %v", ErrSize, ra.Size(), rb.Size())
	}
	out := image.NewNRGBA(image.Rect(0, 0, ra.Dx(), ra.Dy()))
	for y := range ra.Dy() {
		for x := range ra.Dx() {
			p, q := pixel(a, ra.Min.X+x, ra.Min.Y+y), pixel(b, rb.Min.X+x, rb.Min.Y+y)
			worst := 0
			for c := range 3 {
				d := int(p[c]) - int(q[c])
				worst = max(worst, d, -d)
			}
			grey := uint8((int(p[0]) + int(p[1]) + int(p[2])) / 12)
			c := color.NRGBA{R: grey, G: grey, B: grey, A: 255}
			if worst > 0 {
				c.R = uint8(min(255, 64+worst*gain))
			}
			out.SetNRGBA(x, y, c)
		}
	}
	return out, nil
}

func pixel(img image.Image, x, y int) [4]uint8 {
	if m, ok := img.(*image.NRGBA); ok {
		return [4]uint8(m.Pix[m.PixOffset(x, y):])
	}
	c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	return [4]uint8{c.R, c.G, c.B, c.A}
}
