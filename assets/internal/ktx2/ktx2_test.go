package ktx2

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const width, height = 20, 12

// What the reference encoder made of a picture decodes to what the reference transcoder gives (testdata/make.mjs.txt).
func TestDecode(t *testing.T) {
	for name, want := range map[string]string{
		"etc1s": "etc1s", "etc1s_alpha": "etc1s_alpha", "uastc": "uastc", "uastc_alpha": "uastc_alpha", "uastc_zstd": "uastc_alpha",
		"many": "many", "many_etc1s": "many_etc1s", // all kinds of blocks, 64 x 64
	} {
		data := read(t, name+".ktx2")
		cfg, err := DecodeConfig(data)
		if small := !strings.HasPrefix(name, "many"); err != nil || small && (cfg.Width != width || cfg.Height != height) {
			t.Errorf("%s: %d x %d, %v", name, cfg.Width, cfg.Height, err)
		}
		img, err := Decode(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(img.Pix, read(t, want+".raw")) {
			t.Errorf("%s: differs from the reference", name)
		}
	}
}

// A file cut anywhere is refused, or the same: what lies behind is smaller levels.
func TestCut(t *testing.T) {
	for _, name := range []string{"etc1s_alpha", "uastc", "uastc_zstd"} {
		data := read(t, name+".ktx2")
		for n := range data {
			if _, err := Decode(data[:n]); err != nil && !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrUnsupported) {
				t.Fatalf("%s, cut to %d bytes: %v", name, n, err)
			}
		}
	}
}

// Every mode of UASTC decodes to bytes, whatever follows it, and the reserved one is refused.
func TestModes(t *testing.T) {
	d := uastcDecoder{modes: uastcModes(), ranges: endpointRanges()}
	codes := map[uint32]bool{}
	for i, m := range d.modes {
		if codes[m.code] {
			t.Errorf("mode %d has the code of another", i)
		}
		codes[m.code] = true
		bits := m.codeBits + m.hintBits + 16*m.planes*m.weightBits
		if i != modeSolid && (bits > 128 || 2*m.components*m.subsets > 18) {
			t.Errorf("mode %d takes %d bits", i, bits)
		}
	}
	for r := range d.ranges { // the ends of each range are black and white
		k := d.ranges[r]
		top := max(2*k.trits, 4*k.quints)
		if k.bits == 0 || top > 0 {
			continue
		}
		if a, b := endpointByte(k, 0, 0), endpointByte(k, 1<<k.bits-1, 0); a != 0 || b != 255 {
			t.Errorf("range %d goes from %d to %d", r, a, b)
		}
	}
}

// FuzzDecode: whatever the bytes are, an error or a picture of the size that the header says.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"etc1s", "etc1s_alpha", "uastc", "uastc_zstd"} {
		f.Add(read(f, name+".ktx2"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := DecodeConfig(data)
		if err != nil || cfg.Width > 512 || cfg.Height > 512 {
			return
		}
		img, err := Decode(data)
		if err != nil {
			if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrUnsupported) {
				t.Fatal(err)
			}
			return
		}
		if img.Rect.Dx() != cfg.Width || img.Rect.Dy() != cfg.Height {
			t.Fatalf("%v, not %d x %d", img.Rect, cfg.Width, cfg.Height)
		}
	})
}
