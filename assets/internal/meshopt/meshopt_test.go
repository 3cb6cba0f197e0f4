package meshopt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
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

// What the reference encoder wrote decodes to what the reference decoder gives (testdata/make.cpp.txt).
func TestReference(t *testing.T) {
	for _, c := range []struct {
		name          string
		decode        func(data []byte, count, stride int) ([]byte, error)
		count, stride int
		filter        string
	}{
		{"attributes", Attributes, 700, 12, ""},
		{"triangles", Triangles, 2505, 4, ""},
		{"cached", Triangles, 2505, 4, ""},
		{"sequence", Indices, 500, 4, ""},
		{"oct8", nil, 200, 4, "OCTAHEDRAL"},
		{"oct16", nil, 200, 8, "OCTAHEDRAL"},
		{"quat", nil, 200, 8, "QUATERNION"},
		{"exp", nil, 200, 12, "EXPONENTIAL"},
	} {
		in, want := read(t, c.name+".enc"), read(t, c.name+".raw")
		got := in
		if c.decode != nil {
			var err error
			if got, err = c.decode(in, c.count, c.stride); err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			for n := range in { // cut anywhere
				if _, err := c.decode(in[:n], c.count, c.stride); !errors.Is(err, ErrInvalid) {
					t.Fatalf("%s, cut to %d bytes: %v", c.name, n, err)
				}
			}
			if _, err := c.decode(in, c.count-3, c.stride); c.name == "sequence" && !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: what is left behind the elements was accepted: %v", c.name, err)
			}
		}
		if err := Filter(c.filter, got, c.stride); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.name == "quat" { // the reference has code for each kind of processor, and they differ in the last bit
			for i := 0; i < len(got); i += 2 {
				d := int16(binary.LittleEndian.Uint16(got[i:])) - int16(binary.LittleEndian.Uint16(want[i:]))
				if d < -1 || d > 1 {
					t.Fatalf("quat: component %d is %d away from the reference", i/2, d)
				}
			}
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: differs from the reference", c.name)
		}
	}
}

func TestRefused(t *testing.T) {
	if err := Filter("SQUARE", nil, 4); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	if err := Filter("QUATERNION", make([]byte, 16), 16); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	for _, stride := range []int{0, 3, 6, 260, -4} {
		if _, err := Attributes(read(t, "attributes.enc"), 700, stride); !errors.Is(err, ErrInvalid) {
			t.Errorf("stride %d: %v", stride, err)
		}
	}
	if _, err := Triangles(read(t, "triangles.enc"), 2504, 4); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

// FuzzDecode: whatever the bytes are, decoding ends in an error or in the size that was asked for.
func FuzzDecode(f *testing.F) {
	for i, name := range []string{"attributes", "triangles", "sequence"} {
		f.Add(read(f, name+".enc"), byte(i), uint16(600), byte(12))
	}
	f.Fuzz(func(t *testing.T, data []byte, mode byte, count uint16, stride byte) {
		decode := []func([]byte, int, int) ([]byte, error){Attributes, Triangles, Indices}[mode%3]
		out, err := decode(data, int(count), int(stride))
		if err == nil && len(out) != int(count)*int(stride) {
			t.Fatalf("%d bytes for %d of %d", len(out), count, stride)
		}
		for _, name := range []string{"OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"} {
			if err := Filter(name, out, int(stride)); err != nil && !errors.Is(err, ErrInvalid) {
				t.Fatal(err)
			}
		}
	})
}
