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
	// ToneNeutral is Khronos's PBR Neutral: base colours under grey light come out as they are, and only highlights are
	// compressed.
	ToneNeutral
	// ToneAgX is Sobotka's AgX by the polynomial fit of its contrast curve (Wrensch 2023): soft, colours turn pale where they
	// are bright.
	ToneAgX
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
	case ToneNeutral:
		return "pbr-neutral"
	case ToneAgX:
		return "agx"
	}
	return "unknown"
}

// ParseToneMap reads a name.
func ParseToneMap(name string) (ToneMap, error) {
	for _, t := range []ToneMap{ToneNeutral, ToneAgX, ToneACES, ToneReinhard, ToneClamp} {
		if name == t.String() {
			return t, nil
		}
	}
	return 0, fmt.Errorf("unknown tone mapping %q: want pbr-neutral, agx, aces, reinhard or clamp", name)
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
	case ToneNeutral:
		neutral(px)
	case ToneAgX:
		agx(px)
	}
}

// Map returns what a display is to show for radiance under the operator, linear, 0 to 1 but for what clamps.
func (t ToneMap) Map(radiance [3]float32) [3]float32 {
	t.apply(&radiance)
	return radiance
}

// neutral is the operator of Khronos's specification "PBR Neutral Tone Mapper".
func neutral(px *[3]float32) {
	const start, desaturation, f90 = 0.8 - 0.04, 0.15, 0.04
	low := min(px[0], px[1], px[2])
	offset := float32(f90)
	if low < 2*f90 {
		offset = low - low*low/(4*f90)
	}
	for k := range px {
		px[k] -= offset
	}
	peak := max(px[0], px[1], px[2])
	if peak < start {
		return
	}
	const d = 1 - start
	compressed := 1 - d*d/(peak+d-start)
	g := 1 - 1/(desaturation*(peak-compressed)+1)
	for k := range px {
		px[k] = px[k]*(compressed/peak)*(1-g) + compressed*g
	}
}

// agx maps through AgX's inset, its curve over 16.5 stops, and back.
func agx(px *[3]float32) {
	const least, most = -12.47393, 4.026069
	inset := [9]float32{0.842479062253094, 0.0784335999999992, 0.0792237451477643, 0.0423282422610123, 0.878468636469772,
		0.0791661274605434, 0.0423756549057051, 0.0784336, 0.879142973793104}
	outset := [9]float32{1.19687900512017, -0.0980208811401368, -0.0990297440797205, -0.0528968517574562, 1.15190312990417,
		-0.0989611768448433, -0.0529716355144438, -0.0980434501171241, 1.15107367264116}
	v := rows(&inset, px)
	for k, x := range v {
		x = (min(max(float32(math.Log2(float64(max(x, 1e-10)))), least), most) - least) / (most - least)
		x2 := x * x
		x4 := x2 * x2
		v[k] = 15.5*x4*x2 - 40.14*x4*x + 31.96*x4 - 6.868*x2*x + 0.4298*x2 + 0.1191*x - 0.00232
	}
	v = rows(&outset, &v)
	for k, x := range v { // the curve yields display values
		px[k] = float32(math.Pow(float64(max(x, 0)), 2.2))
	}
}

func rows(m *[9]float32, v *[3]float32) (out [3]float32) {
	for k := range out {
		out[k] = m[3*k]*v[0] + m[3*k+1]*v[1] + m[3*k+2]*v[2]
	}
	return out
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
