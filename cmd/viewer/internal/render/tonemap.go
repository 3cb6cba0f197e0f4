package render

import (
	"fmt"
	"image"
	"math"

	"github.com/everray/everray/assets"
)

// Look says how accumulated values become pixels. The zero value clamps and encodes as sRGB.
type Look struct {
	Tone assets.ToneMap
	// Exposure in stops.
	Exposure float32
	// Raw leaves the values as they are: normals are not light.
	Raw bool
}

// Look returns how the integrator's values are shown: only path yields radiance, which needs tone mapping.
func (i Integrator) Look(tone assets.ToneMap, exposure float32) Look {
	switch i {
	case Path:
		return Look{Tone: tone, Exposure: exposure}
	case Normals:
		return Look{Raw: true}
	}
	return Look{}
}

// display returns the constant of tonemap.comp.
func (l Look) display() uint32 {
	const raw = 255
	if l.Raw {
		return raw
	}
	return uint32(l.Tone)
}

// Film is an accumulated image: sums of samples and, in the fourth component, their number.
type Film struct {
	Width, Height int
	Pixels        []float32 // four per pixel, rows from the top
	// Unlit is the part of Pixels that is to be shown as it is, laid out alike; nil is none.
	Unlit []float32
	// Guides are sums of albedos, and behind all of them of normals, laid out alike; nil without Options.Guides.
	Guides []float32
}

// Mean returns the mean radiance of a pixel, and whether it has any sample.
func (f *Film) Mean(pixel int) ([3]float32, bool) {
	p := f.Pixels[4*pixel : 4*pixel+4]
	if p[3] == 0 {
		return [3]float32{}, false
	}
	return [3]float32{p[0] / p[3], p[1] / p[3], p[2] / p[3]}, true
}

// IsBlack tells whether no pixel has any light.
func (f *Film) IsBlack() bool {
	for i, v := range f.Pixels {
		if i%4 != 3 && v > 0 {
			return false
		}
	}
	return true
}

// Dropped counts the samples that were not finite and so were left out, of an image of that many samples per pixel.
func (f *Film) Dropped(samples int) uint64 {
	var n uint64
	for i := 3; i < len(f.Pixels); i += 4 {
		if d := float64(samples) - float64(f.Pixels[i]); d > 0 {
			n += uint64(d)
		}
	}
	return n
}

// Image returns the film as 8-bit pixels. Unlit surfaces by-pass exposure and tone mapping, also in pixels that show them in
// some of their samples.
func (f *Film) Image(look Look) (*image.NRGBA, error) {
	mean := assets.FloatImage{Width: f.Width, Height: f.Height, Pix: make([]float32, 0, 3*f.Width*f.Height)}
	gain := float32(math.Exp2(float64(look.Exposure)))
	for i := range f.Width * f.Height {
		mean.Pix = append(mean.Pix, f.display(i, look, gain)...)
	}
	out, err := mean.SRGB(assets.ToneOptions{})
	if err != nil {
		return nil, fmt.Errorf("tone mapping: %w", err)
	}
	return out, nil
}

// display returns a pixel's linear display values.
func (f *Film) display(pixel int, look Look, gain float32) []float32 {
	c, _ := f.Mean(pixel)
	if look.Raw { // encoding follows
		for k, v := range c {
			c[k] = assets.SRGBToLinear(min(max(v, 0), 1))
		}
		return c[:]
	}
	sum, shown := f.Pixels[4*pixel:4*pixel+4], [4]float32{}
	if f.Unlit != nil {
		shown = [4]float32(f.Unlit[4*pixel:])
	}
	if lit := sum[3] - shown[3]; lit > 0 {
		for k := range c {
			c[k] = max(sum[k]-shown[k], 0) / lit * gain
		}
		c = look.Tone.Map(c)
		for k := range c {
			c[k] = (min(c[k], 1)*lit + shown[k]) / sum[3]
		}
	}
	return c[:]
}
