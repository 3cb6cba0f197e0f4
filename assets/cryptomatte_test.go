package assets

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// Hashes that other implementations publish.
func TestMurmur3(t *testing.T) {
	for text, want := range map[string]uint32{
		"": 0, "hello": 0x248bfa47, "hello, world": 0x149bbb7f, "The quick brown fox jumps over the lazy dog": 0x2e4ff723,
	} {
		if got := murmur3([]byte(text)); got != want {
			t.Errorf("%q: %08x, want %08x", text, got, want)
		}
	}
	for i := range 1000 {
		f := math.Float32frombits(matteID(strings.Repeat("x", i%7) + string(rune('a'+i))))
		if f != f || math.IsInf(float64(f), 0) || math.Abs(float64(f)) < 0x1p-126 {
			t.Fatalf("id %d is %g", i, f)
		}
	}
}

// What a reader of Cryptomatte does: it takes the ids from the manifest, and the shares of those ids from all ranks.
func TestAddMatte(t *testing.T) {
	names := []string{"ball", "box <\"1\">", "floor", "ball", "e", "f", "g", "h"}
	m := &Matte{Layer: "CryptoObject", Names: names, Pixels: [][]MatteShare{
		nil,
		{{2, 1}},
		{{1, 0.5}, {0, 0.25}, {2, 0.125}},
		{{7, 0.2}, {6, 0.19}, {5, 0.18}, {4, 0.17}, {2, 0.16}, {1, 0.09}, {0, 0.01}}, // one more than is kept
	}}
	e := &EXR{Width: 2, Height: 2}
	if err := e.AddMatte(m); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := EncodeEXR(&file, e); err != nil {
		t.Fatal(err)
	}
	const manifest = `{"ball":"`
	for _, want := range []string{"MurmurHash3_32", "uint32_to_float32", manifest, `"box <\"1\">":"`} {
		if !bytes.Contains(file.Bytes(), []byte(want)) {
			t.Errorf("the header has no %s", want)
		}
	}
	for key := range e.Attributes {
		if parts := strings.Split(key, "/"); len(parts) != 3 || parts[0] != "cryptomatte" || len(parts[1]) != 7 {
			t.Errorf("attribute %q", key)
		}
	}
	read, err := DecodeEXR(&file)
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Channels) != 12 {
		t.Fatalf("%d channels", len(read.Channels))
	}
	channel := func(name string) []float32 {
		i := slices.IndexFunc(read.Channels, func(c EXRChannel) bool { return c.Name == name })
		if i < 0 {
			t.Fatalf("there is no channel %s", name)
		}
		return read.Channels[i].Floats
	}
	share := func(name string, pixel int) (sum float32) {
		for _, layer := range []string{"CryptoObject00", "CryptoObject01", "CryptoObject02"} {
			for _, pair := range [][2]string{{".R", ".G"}, {".B", ".A"}} {
				if math.Float32bits(channel(layer + pair[0])[pixel]) == matteID(name) {
					sum += channel(layer + pair[1])[pixel]
				}
			}
		}
		return sum
	}
	for _, c := range []struct {
		name  string
		pixel int
		want  float32
	}{{"ball", 0, 0}, {"floor", 1, 1}, {"box <\"1\">", 2, 0.5}, {"ball", 2, 0.25}, {"floor", 2, 0.125}, {"h", 3, 0.2},
		{"box <\"1\">", 3, 0.09}, {"ball", 3, 0}} {
		if got := share(c.name, c.pixel); got != c.want {
			t.Errorf("pixel %d: %s covers %g, want %g", c.pixel, c.name, got, c.want)
		}
	}
	if err := (&EXR{Width: 3, Height: 1}).AddMatte(m); err == nil {
		t.Error("a matte of another size was taken")
	}
}
