package assets

import (
	"errors"
	"image"
	"image/color"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/everray/everray/assets/imagediff"
)

func TestSRGBCurve(t *testing.T) {
	for i := range 256 {
		v := float32(i) / 255
		if got := LinearToSRGB(SRGBToLinear(v)); !near(got, v, 1e-5) {
			t.Errorf("%d comes back as %g", i, got*255)
		}
	}
	if !near(SRGBToLinear(0.5), 0.21404114, 1e-6) || LinearToSRGB(7) != 1 || LinearToSRGB(float32(math.NaN())) != 0 {
		t.Error("the curve is not that of IEC 61966-2-1")
	}
}

func TestTonemap(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	f := FloatImage{Width: 5, Height: 1, Channels: 4, Pix: []float32{
		0, 0.21404114, 1, 9, -1, 2, 0.5, 9, nan, 0, 0, 9, 0, inf, 0, 9, 1e30, 1e30, 1e30, 9}}
	if f.NonFinite() != 2 {
		t.Errorf("%d pixels are not finite, want 2", f.NonFinite())
	}
	img, err := f.SRGB(ToneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	magenta := color.NRGBA{255, 0, 255, 255}
	for x, want := range []color.NRGBA{{0, 128, 255, 255}, {0, 255, 188, 255}, magenta, magenta, {255, 255, 255, 255}} {
		if got := img.NRGBAAt(x, 0); got != want {
			t.Errorf("pixel %d is %v, want %v", x, got, want)
		}
	}
	for _, tm := range []ToneMap{ToneClamp, ToneReinhard, ToneACES} {
		if p, err := ParseToneMap(tm.String()); err != nil || p != tm {
			t.Errorf("%v is parsed as %v, %v", tm, p, err)
		}
		last := uint8(0) // brighter never becomes darker
		for i := range 200 {
			g := FloatImage{Width: 1, Height: 1, Pix: []float32{0.05 * float32(i), 0.05 * float32(i), 0.05 * float32(i)}}
			out, err := g.SRGB(ToneOptions{ToneMap: tm, Exposure: 1})
			if err != nil || out.Pix[0] < last {
				t.Fatalf("%v at %d: %v after %d, %v", tm, i, out.Pix, last, err)
			}
			last = out.Pix[0]
		}
		if last < 250 {
			t.Errorf("%v never gets white: %d", tm, last)
		}
	}
	if _, err := ParseToneMap("film"); err == nil {
		t.Error("agx was accepted")
	}
	if _, err := (&FloatImage{Width: 2, Height: 2, Pix: make([]float32, 3)}).SRGB(ToneOptions{}); err == nil {
		t.Error("a picture without its pixels was accepted")
	}
}

func TestPNGRoundTrip(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 17, 5))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "p.png")
	for range 2 { // the second replaces the first
		if err := WritePNG(path, img); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadPNG(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := imagediff.Compare(img, got, imagediff.Options{})
	if err != nil || r.MaxAbs != 0 || r.Differing != 0 || r.RMSE != 0 {
		t.Errorf("%v, %v", r, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
	if err := WritePNG(filepath.Join(dir, "none", "p.png"), img); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if err := WritePNG(filepath.Join(dir, "empty.png"), image.NewNRGBA(image.Rectangle{})); err == nil {
		t.Error("an empty picture was written")
	}
	if _, err := ReadPNG(filepath.Join(dir, "empty.png")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a failed write left a file: %v", err)
	}
}

func TestMipLevels(t *testing.T) {
	im := Image{Width: 5, Height: 3, Pixels: make([]byte, 60), SRGB: true}
	for i := 0; i < 60; i += 4 {
		im.Pixels[i+3] = 255
		if i/4%2 == 0 { // white and black: their mean is 188 in sRGB, 128 as data
			im.Pixels[i], im.Pixels[i+1], im.Pixels[i+2] = 255, 255, 255
		}
	}
	levels := im.MipLevels()
	if len(levels) != 3 || len(levels[1]) != 4*2*1 || len(levels[2]) != 4 {
		t.Fatalf("levels have %d, %d, %d bytes", len(levels[0]), len(levels[1]), len(levels[2]))
	}
	if v := levels[1][0]; v < 187 || v > 189 {
		t.Errorf("sRGB mean is %d", v)
	}
	im.SRGB = false
	if v := im.MipLevels()[1][0]; v != 128 {
		t.Errorf("linear mean is %d", v)
	}
	// Transparent texels do not darken their neighbours.
	leaf := Image{Width: 2, Height: 1, SRGB: true, Pixels: []byte{50, 200, 50, 255, 0, 0, 0, 0}}
	if v := leaf.MipLevels()[1]; v[1] != 200 || v[3] != 128 {
		t.Errorf("a leaf's edge is %v", v)
	}
	if n := len((&Image{Width: 1, Height: 1, Pixels: make([]byte, 4)}).MipLevels()); n != 1 {
		t.Errorf("%d levels for one texel", n)
	}
}

func TestCameraRay(t *testing.T) {
	c := Camera{Position: [3]float32{1, 2, 3}, Target: [3]float32{1, 2, 2}, Up: [3]float32{0, 1, 0}, YFov: math.Pi / 2}
	for _, q := range []struct{ x, y, dx, dy float32 }{{0.5, 0.5, 0, 0}, {1, 0.5, 2, 0}, {0.5, 0, 0, 1}, {0, 1, -2, -1}} {
		o, d := c.Ray(q.x, q.y, 2)
		if o != c.Position || !near(d[0]/-d[2], q.dx, 1e-5) || !near(d[1]/-d[2], q.dy, 1e-5) || !near(d.Len(), 1, 1e-6) {
			t.Errorf("ray through %g, %g is %v", q.x, q.y, d)
		}
	}
	c.Kind, c.XMag, c.YMag = Orthographic, 3, 3
	if o, d := c.Ray(1, 0, 2); o != [3]float32{7, 5, 3} || d != [3]float32{0, 0, -1} {
		t.Errorf("orthographic ray from %v along %v", o, d)
	}
}

func TestRows34(t *testing.T) {
	in := Instance{Transform: [16]float32{1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 1}}
	if got := in.Rows34(); got != [12]float32{1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12} {
		t.Errorf("rows are %v", got)
	}
}
