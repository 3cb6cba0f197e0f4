package assets

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// halfValue is what a half says, by its definition.
func halfValue(h uint16) float64 {
	s, e, m := float64(1), int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		s = -1
	}
	switch e {
	case 31:
		if m != 0 {
			return math.NaN()
		}
		return s * math.Inf(1)
	case 0:
		return s * math.Ldexp(m, -24)
	}
	return s * math.Ldexp(1024+m, e-25)
}

// Every half is itself, and what lies between two goes to the nearer, to the even one from the middle.
func TestHalf(t *testing.T) {
	for h := range 0x7c00 {
		lo, hi := halfValue(uint16(h)), halfValue(uint16(h+1))
		if got := halfOf(float32(lo)); got != uint16(h) {
			t.Fatalf("%g is %#x, want %#x", lo, got, h)
		}
		if got := halfOf(-float32(lo)); got != uint16(h)|0x8000 {
			t.Fatalf("%g is %#x", -lo, got)
		}
		if h == 0x7bff {
			hi = 65536
		}
		mid := float32((lo + hi) / 2)
		even := uint16(h + h&1)
		if got := halfOf(mid); got != even {
			t.Fatalf("%g, the middle, is %#x, want %#x", mid, got, even)
		}
		below, above := halfOf(math.Nextafter32(mid, 0)), halfOf(math.Nextafter32(mid, 1e30))
		if below != uint16(h) || above != uint16(h+1) {
			t.Fatalf("beside %g: %#x, %#x, want %#x and one more", mid, below, above, h)
		}
	}
	if h := halfOf(float32(math.NaN())); !math.IsNaN(halfValue(h)) {
		t.Errorf("NaN is %#x", h)
	}
}

// testEXR has all types, long names, rows that do not fill a chunk, and data that does not compress.
func testEXR() *EXR {
	e := &EXR{Width: 13, Height: 37, Attributes: map[string]string{"comments": "a test"}}
	n := e.Width * e.Height
	r, g, id := EXRChannel{Name: "R", Type: EXRHalf}, EXRChannel{Name: "a.layer.whose.name.is.rather.long.indeed", Type: EXRFloat},
		EXRChannel{Name: "id", Type: EXRUint}
	seed := uint32(1)
	for i := range n {
		seed = seed*1664525 + 1013904223
		r.Floats = append(r.Floats, float32(i)/8)
		g.Floats = append(g.Floats, math.Float32frombits(seed&0x7f7fffff))
		id.Uints = append(id.Uints, seed)
	}
	e.Channels = []EXRChannel{r, id, g}
	return e
}

// readEXRRows undoes the chunks of a file, by the format's description.
func readEXRRows(t *testing.T, file []byte, e *EXR, rowBytes int) []byte {
	t.Helper()
	le := binary.LittleEndian
	chunks := (e.Height + 15) / 16
	table := bytes.Index(file, []byte("a test\x00")) + len("a test\x00")
	var out []byte
	for i := range chunks {
		at := int(le.Uint64(file[table+8*i:]))
		y, size := int(le.Uint32(file[at:])), int(le.Uint32(file[at+4:]))
		raw := min(16, e.Height-y) * rowBytes
		data := file[at+8 : at+8+size]
		if y != 16*i {
			t.Fatalf("chunk %d begins at row %d", i, y)
		}
		if size == raw {
			out = append(out, data...)
			continue
		}
		z, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(z)
		if err != nil || len(b) != raw {
			t.Fatalf("chunk %d: %d bytes, want %d: %v", i, len(b), raw, err)
		}
		for k := 1; k < len(b); k++ {
			b[k] = b[k-1] + b[k] - 128
		}
		for k := range b {
			out = append(out, b[k/2+k%2*((len(b)+1)/2)])
		}
	}
	return out
}

func TestEXR(t *testing.T) {
	e := testEXR()
	path := filepath.Join(t.TempDir(), "t.exr")
	if err := WriteFile(path, func(w io.Writer) error { return EncodeEXR(w, e) }); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	row := e.Width * (2 + 4 + 4)
	rows := readEXRRows(t, file, e, row)
	for y := range e.Height {
		for x := range e.Width {
			i := y*e.Width + x
			// By name: "R" comes before "a...", and that before "id".
			at := rows[y*row:]
			half := halfValue(binary.LittleEndian.Uint16(at[2*x:]))
			float := math.Float32frombits(binary.LittleEndian.Uint32(at[2*e.Width+4*x:]))
			id := binary.LittleEndian.Uint32(at[6*e.Width+4*x:])
			if half != float64(e.Channels[0].Floats[i]) || float != e.Channels[2].Floats[i] || id != e.Channels[1].Uints[i] {
				t.Fatalf("pixel %d,%d: %g %g %d", x, y, half, float, id)
			}
		}
	}
	if tool, err := exec.LookPath("exrinfo"); err == nil { // OpenEXR's own reader, where it is installed
		out, err := exec.Command(tool, "-v", path).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "rather.long.indeed") {
			t.Errorf("exrinfo: %v: %s", err, out)
		}
	}
	for what, bad := range map[string]*EXR{
		"no pixels": {Channels: e.Channels}, "no channels": {Width: 1, Height: 1},
		"too few":  {Width: 14, Height: 37, Channels: e.Channels},
		"the same": {Width: 13, Height: 37, Channels: []EXRChannel{e.Channels[0], e.Channels[0]}},
	} {
		if EncodeEXR(io.Discard, bad) == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

func TestHDR(t *testing.T) {
	const w, h = 300, 3
	f := &FloatImage{Width: w, Height: h}
	for i := range w * h {
		v := float32(0.25)
		if i%97 > 40 {
			v = float32(i) * 0.37
		}
		f.Pix = append(f.Pix, v, v/2, 1e-3)
	}
	f.Pix[0] = float32(math.NaN())
	var b bytes.Buffer
	if err := EncodeHDR(&b, f); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(&b)
	for range 4 {
		if _, err := r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	for y := range h {
		var head [4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil || head != [4]byte{2, 2, 1, 44} {
			t.Fatalf("row %d begins with %v: %v", y, head, err)
		}
		var planes [4][]byte
		for k := range planes {
			for len(planes[k]) < w {
				n, _ := r.ReadByte()
				if n > 128 {
					v, _ := r.ReadByte()
					planes[k] = append(planes[k], bytes.Repeat([]byte{v}, int(n-128))...)
					continue
				}
				lit := make([]byte, n)
				if _, err := io.ReadFull(r, lit); err != nil || n == 0 {
					t.Fatalf("row %d: %v", y, err)
				}
				planes[k] = append(planes[k], lit...)
			}
		}
		for x := range w {
			want := f.Pix[3*(y*w+x):]
			got := math.Ldexp(float64(planes[0][x]), int(planes[3][x])-136)
			if x+y > 0 && math.Abs(got-float64(want[0])) > float64(want[0])/128+1e-6 {
				t.Fatalf("pixel %d,%d: %g, want %g", x, y, got, want[0])
			}
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("bytes are left: %v", err)
	}
}
