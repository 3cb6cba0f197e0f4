package draco

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"testing"
)

// free charges nothing.
func free(int64) error { return nil }

func pyramid(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/pyramid.drc") // by Debian's draco_encoder, of an .obj of five vertices
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func newDecoder(t testing.TB) *Decoder {
	t.Helper()
	d, err := NewDecoder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestDecode(t *testing.T) {
	d := newDecoder(t)
	want := []Attribute{{0, Float32, 3}, {1, Float32, 2}}
	m, err := d.Decode(t.Context(), pyramid(t), want, free)
	if err != nil {
		t.Fatal(err)
	}
	if m.Points != 5 || len(m.Indices) != 18 || len(m.Attributes[0]) != 60 || len(m.Attributes[1]) != 40 {
		t.Fatalf("%d points, %d indices", m.Points, len(m.Indices))
	}
	apexes := 0
	for i := range m.Points {
		if y := math.Float32frombits(binary.LittleEndian.Uint32(m.Attributes[0][12*i+4:])); y > 0.999 {
			apexes++
		}
	}
	if apexes != 1 {
		t.Errorf("%d points are on top", apexes)
	}
	for _, i := range m.Indices {
		if i > 4 {
			t.Errorf("index %d of 5 points", i)
		}
	}
	full := errors.New("full")
	for what, c := range map[string]struct {
		want   []Attribute
		charge func(int64) error
		is     error
	}{
		"no such attribute": {[]Attribute{{7, Float32, 3}}, free, ErrInvalid},
		"components":        {[]Attribute{{0, Float32, 4}}, free, ErrInvalid},
		"budget":            {want, func(int64) error { return full }, full},
	} {
		if _, err := d.Decode(t.Context(), pyramid(t), c.want, c.charge); !errors.Is(err, c.is) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Decode(ctx, pyramid(t), want, free); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// FuzzDecode: whatever the bytes are, decoding ends in an error or in a mesh.
func FuzzDecode(f *testing.F) {
	d := newDecoder(f)
	f.Add(pyramid(f))
	// Found in the C++ library: it took seconds and gigabytes.
	f.Add([]byte("DRACO\x02\x02\x01\x01\x00\x00\x00\x05\x06\x01\x05\x00\x00\x02\xaf\x02\x01\x01\x10\xff\x02\x99@\x02" +
		"\xff\x00\x00\x00\x00\x00\x01\x00\t\x03\x00\x00\x02\x01\x03\t\x02\x00\x01\x02\x01\x01" +
		"\x01\x00\x0f\x03i&\xcd\f+\xcd\f\x03\xc1\x95\x9d\x04\x8b\xff?"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := d.Decode(t.Context(), data, []Attribute{{0, Float32, 3}}, free)
		if err != nil {
			if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrTooLarge) && t.Context().Err() == nil {
				t.Fatal(err)
			}
			return
		}
		if len(m.Attributes[0]) != 12*m.Points || len(m.Indices) == 0 {
			t.Fatalf("%d bytes for %d points, %d indices", len(m.Attributes[0]), m.Points, len(m.Indices))
		}
	})
}
