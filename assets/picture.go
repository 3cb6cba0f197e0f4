package assets

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
)

// FloatImage is a rendered picture: linear Rec. 709, rows from the top.
type FloatImage struct {
	Width, Height int
	// Channels is 3 or 4 floats a pixel; 0 is 3. A fourth is skipped.
	Channels int
	Pix      []float32
}

// ToneMap is how radiance becomes what a display can show.
type ToneMap int

const (
	// ToneClamp cuts off at 1: exact where nothing is brighter, and the choice
	// for comparing pictures.
	ToneClamp ToneMap = iota
	// ToneReinhard is Reinhard et al. 2002, equation 4, on luminance, with the
	// white point at 4: soft highlights, colours kept.
	ToneReinhard
	// ToneACES is Narkowicz's fit of the ACES filmic curve (2015), per channel:
	// contrast, highlights that turn white.
	ToneACES
)

// String names the operator as ParseToneMap reads it.
func (t ToneMap) String() string {
	switch t {
	case ToneClamp:
		return "clamp"
	case ToneReinhard:
		return "reinhard"
	case ToneACES:
		return "aces"
	}
	return "unknown"
}

// ParseToneMap reads a name.
func ParseToneMap(name string) (ToneMap, error) {
	for _, t := range []ToneMap{ToneClamp, ToneReinhard, ToneACES} {
		if name == t.String() {
			return t, nil
		}
	}
	return 0, fmt.Errorf("unknown tone mapping %q: want clamp, reinhard or aces", name)
}

// ToneOptions are for FloatImage.SRGB; the zero value clamps.
type ToneOptions struct {
	ToneMap ToneMap
	// Exposure in stops: the picture is multiplied by 2 to its power first.
	Exposure float32
}

// NonFinite counts the pixels with a component that is NaN or infinite: a
// renderer's fault that a test should look for.
func (f *FloatImage) NonFinite() int {
	n, c := 0, f.channels()
	for i := 0; i+c <= len(f.Pix); i += c {
		if !allFinite(f.Pix[i : i+3]) {
			n++
		}
	}
	return n
}

func (f *FloatImage) channels() int {
	if f.Channels == 4 {
		return 4
	}
	return 3
}

// SRGB converts to 8 bits. Pixels that are not finite become magenta, so that
// they are seen.
func (f *FloatImage) SRGB(o ToneOptions) (*image.NRGBA, error) {
	c := f.channels()
	if f.Width < 1 || f.Height < 1 || len(f.Pix) != c*f.Width*f.Height {
		return nil, fmt.Errorf("picture of %dx%d pixels of %d channels has %d floats", f.Width, f.Height, c, len(f.Pix))
	}
	out := image.NewNRGBA(image.Rect(0, 0, f.Width, f.Height))
	gain := float32(math.Exp2(float64(o.Exposure)))
	for i := range f.Width * f.Height {
		dst := out.Pix[4*i : 4*i+4]
		dst[3] = 255
		px := [3]float32(f.Pix[c*i : c*i+3])
		if !allFinite(px[:]) {
			dst[0], dst[1], dst[2] = 255, 0, 255
			continue
		}
		for k := range px {
			px[k] = max(0, px[k]*gain)
		}
		o.ToneMap.apply(&px)
		for k, v := range px {
			dst[k] = uint8(LinearToSRGB(v)*255 + 0.5)
		}
	}
	return out, nil
}

func (t ToneMap) apply(px *[3]float32) {
	switch t {
	case ToneReinhard:
		const white = 4
		l := 0.2126*px[0] + 0.7152*px[1] + 0.0722*px[2]
		s := (1 + l/(white*white)) / (1 + l)
		for k := range px {
			px[k] *= s
		}
	case ToneACES:
		for k, x := range px {
			if x > 1e4 { // the quotient below would overflow
				x = 1e4
			}
			px[k] = x * (2.51*x + 0.03) / (x*(2.43*x+0.59) + 0.14)
		}
	}
}

// EncodePNG writes an image as PNG.
func EncodePNG(w io.Writer, img image.Image) error {
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	return e.Encode(w, img)
}

// WritePNG writes an image as a PNG file, as WriteFile does.
func WritePNG(path string, img image.Image) error {
	return WriteFile(path, func(w io.Writer) error { return EncodePNG(w, img) })
}

// WriteFile writes a file that appears whole or not at all: it is written beside and then renamed.
func WriteFile(path string, write func(w io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".everray-*.tmp")
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // the error that led here is the one to report
			err = fmt.Errorf("write %q: %w", path, err)
		}
	}()
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	const mode = 0o644 // CreateTemp's is private
	if err := f.Chmod(mode); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// ReadPNG reads a PNG file as 8 bits with straight alpha, for comparisons.
func ReadPNG(path string) (*image.NRGBA, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read picture: %w", err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("read picture %q: %w", path, err)
	}
	return toNRGBA(img), nil
}
