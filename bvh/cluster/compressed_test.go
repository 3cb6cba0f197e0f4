package cluster

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/vk"
)

// TestCompressedPositions wants positions to come back within half a step of what they were, and those on steps exactly.
func TestCompressedPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		q := Quanta{Exponent: 100 + rng.Uint32N(40)}
		for k := range q.Bits {
			q.Bits[k] = 1 + rng.Uint32N(16)
		}
		base := [3]float64{rng.Float64()*1e4 - 5e3, rng.Float64()*10 - 5, float64(leastAnchor)}
		in := make([][3]float32, rng.IntN(257))
		for i := range in {
			for k := range 3 {
				steps := math.Floor(base[k]) + rng.Float64()*float64(uint32(1)<<q.Bits[k]-1)
				if i%2 == 0 {
					steps = math.Floor(steps)
				}
				in[i][k] = float32(math.Max(steps, leastAnchor) * q.Scale())
			}
		}
		data, err := CompressPositions(in, q)
		if err != nil {
			t.Fatal(err)
		}
		bits := len(in) * int(q.Bits[0]+q.Bits[1]+q.Bits[2])
		if want := 12 + (bits+31)/32*4; len(data) != want {
			t.Fatalf("%d positions of %v take %d bytes, want %d", len(in), q.Bits, len(data), want)
		}
		out, err := DecompressPositions(data, len(in))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range out {
			for k, x := range p {
				if d := math.Abs(float64(x) - float64(in[i][k])); d > q.Scale()/2 || i%2 == 0 && d != 0 {
					t.Fatalf("position %d of %+v is %v, and was %v", i, q, p, in[i])
				}
			}
		}
	}
}

// TestCompressedBits holds header and stream against the words of the format.
func TestCompressedBits(t *testing.T) {
	// Steps of 1/4: anchors -8, 3 and 100.
	q := Quanta{Exponent: 125, Bits: [3]uint32{1, 3, 16}}
	data, err := CompressPositions([][3]float32{{-2, 0.75, 25}, {-1.75, 1.75, 25.25}}, q)
	if err != nil {
		t.Fatal(err)
	}
	x, y, z := int32(-8), uint32(3), uint32(100)
	want := []uint32{125 | uint32(x)<<8, 0 | 2<<4 | y<<8, 15 | z<<8, 1<<20 | 4<<21 | 1<<24, 0}
	if len(data) != 4*len(want) {
		t.Fatalf("%d bytes, want %d", len(data), 4*len(want))
	}
	for i, w := range want {
		if got := binary.LittleEndian.Uint32(data[4*i:]); got != w {
			t.Errorf("word %d is %#x, want %#x", i, got, w)
		}
	}
	if w := q.Word(); w != 125|2<<12|15<<16 {
		t.Errorf("packed header %#x", w)
	}
}

// TestCompressedRefusals wants what the format cannot hold to be refused.
func TestCompressedRefusals(t *testing.T) {
	good := Quanta{Exponent: 127, Bits: [3]uint32{8, 8, 8}}
	for what, c := range map[string]struct {
		q Quanta
		p [][3]float32
	}{
		"exponent 0": {Quanta{Exponent: 0, Bits: good.Bits}, nil}, "exponent 233": {Quanta{Exponent: 233, Bits: good.Bits}, nil},
		"no bits":       {Quanta{Exponent: 127, Bits: [3]uint32{1, 0, 1}}, nil},
		"17 bits":       {Quanta{Exponent: 127, Bits: [3]uint32{17, 1, 1}}, nil},
		"too far apart": {good, [][3]float32{{0, 0, 0}, {0, 256, 0}}}, "too large": {good, [][3]float32{{1 << 23, 0, 0}}},
		"no number": {good, [][3]float32{{0, 0, float32(math.NaN())}}},
	} {
		if _, err := CompressPositions(c.p, c.q); !errors.Is(err, vk.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	data, err := CompressPositions([][3]float32{{1, 2, 3}}, good)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		data  []byte
		count int
	}{"short": {data[:11], 0}, "more than there are": {data, 2}, "fewer than none": {data, -1}, "exponent": {make([]byte, 16), 0}} {
		if _, err := DecompressPositions(c.data, c.count); !errors.Is(err, vk.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestDXFlags wants flags of DXR 2.0 to become Vulkan's, and what is not there to be refused by name.
func TestDXFlags(t *testing.T) {
	got, err := DXFlags(0x4 | 0x8 | 0x100)
	if err != nil || got != vk.PreferFastTrace|vk.PreferFastBuild|vk.AllowDataAccess {
		t.Errorf("flags %#x: %v", got, err)
	}
	if _, err := DXFlags(0x404); !errors.Is(err, ErrUnsupported) {
		t.Errorf("micromaps: %v", err)
	}
	if _, err := DXFlags(0x1000); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("an unknown flag: %v", err)
	}
}
