package assets

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestDecodeEXR reads what OpenEXR wrote, in each compression (testdata/exr/make.cpp has the same formulas).
func TestDecodeEXR(t *testing.T) {
	const width, height = 21, 70
	for _, name := range []string{"none", "rle", "zips", "zip", "piz", "piz-few"} {
		data, err := os.ReadFile(filepath.Join("testdata", "exr", name+".exr"))
		if err != nil {
			t.Fatal(err)
		}
		e, err := DecodeEXR(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		channels := 5
		if name == "piz-few" {
			channels = 3
		}
		if e.Width != width || e.Height != height || len(e.Channels) != channels {
			t.Fatalf("%s: %d channels of %d x %d", name, len(e.Channels), e.Width, e.Height)
		}
		half := func(f float32) float32 { return float32(halfValue(halfOf(f))) }
		wrong := 0
		for i := range width * height {
			x, y := float32(i%width), float32(i/width)
			g, b := y*x-300, 1e-7*y
			if i/width%7 == 0 {
				g = 0
			}
			if x > 10 {
				b = 0.5
			}
			want := map[string]float32{"R": half(x / 4), "G": half(g), "B": half(b), "Z": (1 + x*x*y) / 3}
			for _, c := range e.Channels {
				if c.Name == "id" && c.Uints[i] != uint32(i)*2654435761 || c.Name != "id" && c.Floats[i] != want[c.Name] {
					wrong++
				}
			}
		}
		if wrong > 0 {
			t.Errorf("%s: %d of %d values differ", name, wrong, channels*width*height)
		}
		for n := 0; n < len(data); n += 1 + len(data)/97 {
			if _, err := DecodeEXR(bytes.NewReader(data[:n])); !errors.Is(err, ErrInvalid) {
				t.Fatalf("%s: %d of %d bytes: %v", name, n, len(data), err)
			}
		}
	}
}

// TestEXRRoundTrip writes and reads.
func TestEXRRoundTrip(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {5, 16}, {7, 33}} {
		n := size[0] * size[1]
		e := &EXR{Width: size[0], Height: size[1], Attributes: map[string]string{"comments": "both ways"}}
		id, depth, red := make([]uint32, n), make([]float32, n), make([]float32, n)
		for i := range n {
			id[i], depth[i], red[i] = uint32(i*i), float32(i)*1.1, float32(i)
		}
		depth[0], red[n-1] = float32(math.Inf(1)), -0.25
		e.Channels = []EXRChannel{{Name: "R", Type: EXRHalf, Floats: red}, {Name: "depth.Z", Type: EXRFloat, Floats: depth},
			{Name: strings.Repeat("long", 20), Type: EXRUint, Uints: id}}
		var b bytes.Buffer
		if err := EncodeEXR(&b, e); err != nil {
			t.Fatal(err)
		}
		got, err := DecodeEXR(&b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, e) {
			t.Errorf("%d x %d: read %+v, wrote %+v", size[0], size[1], got, e)
		}
	}
}

// TestHalfBack: every half that is a number has its value.
func TestHalfBack(t *testing.T) {
	for h := range 1 << 16 {
		want, got := halfValue(uint16(h)), float64(floatOfHalf(uint16(h)))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != (h>>15 == 1) && got == 0 {
			t.Fatalf("%#x is %g, want %g", h, got, want)
		}
	}
}

// FuzzDecodeEXR: an error or a picture, whatever the file.
func FuzzDecodeEXR(f *testing.F) {
	for _, name := range []string{"none", "rle", "zips", "zip", "piz", "piz-few"} {
		data, err := os.ReadFile(filepath.Join("testdata", "exr", name+".exr"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := DecodeEXR(bytes.NewReader(data))
		if err != nil {
			return
		}
		if err := e.check(); err != nil {
			t.Error(err)
		}
	})
}
