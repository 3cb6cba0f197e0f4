package render

import (
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
)

func TestEncodersWriteWhatTheirSizesSay(t *testing.T) {
	m := []assets.Material{assets.DefaultMaterial(), {NormalTexture: &assets.TextureRef{Texture: 3, Scale: mgl32.Vec2{1, 1}}}}
	if n := len(encodeMaterials(m)); n != 2*materialSize {
		t.Errorf("2 materials are %d bytes", n)
	}
	lights := []assets.Light{{Kind: assets.PointLight, Color: mgl32.Vec3{1, 1, 1}, Intensity: 2}, {Kind: assets.SpotLight}}
	data, n := encodeLights(lights, &assets.Environment{SunIrradiance: mgl32.Vec3{1, 1, 1}, SunDirection: mgl32.Vec3{0, 1, 0}}, 0)
	if n != 2 || len(data) != 2*lightSize { // the spot light is dark
		t.Errorf("%d lights in %d bytes", n, len(data))
	}
}

func TestEmissionWeightsFollowTheTexture(t *testing.T) {
	red := []byte{255, 0, 0, 255, 0, 0, 0, 255} // left red, right black
	scene := &assets.Scene{
		Images:   []assets.Image{{Width: 2, Height: 1, Pixels: red, SRGB: true}},
		Textures: []assets.Texture{{}},
		Materials: []assets.Material{{
			Emissive:        mgl32.Vec3{2, 2, 2},
			EmissiveTexture: &assets.TextureRef{Scale: mgl32.Vec2{1, 1}},
		}},
	}
	p := &assets.Primitive{
		UV0:     []float32{0, 0, 0.4, 0, 0, 1, 0.6, 0, 0.9, 0, 0.6, 1},
		Indices: []uint32{0, 1, 2, 3, 4, 5},
	}
	w := triangleWeights(scene, p)
	if want := float32(2 * 0.2126); w[0] < want*0.99 || w[0] > want*1.01 || w[1] != 0 {
		t.Errorf("weights %v, want %g and 0", w, want)
	}
}

func TestFilm(t *testing.T) {
	f := &Film{Width: 3, Height: 1, Pixels: []float32{2, 4, 8, 4, 0, 0, 0, 0, 1, 1, 1, 3}}
	if c, ok := f.Mean(0); !ok || c != [3]float32{0.5, 1, 2} {
		t.Errorf("mean %v %v", c, ok)
	}
	if n := f.Dropped(4); n != 5 {
		t.Errorf("%d samples dropped, want 5", n)
	}
	img, err := f.Image(Look{Raw: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Pix[:4]; !slices.Equal(got, []uint8{128, 255, 255, 255}) {
		t.Errorf("raw pixel %v", got)
	}
	if img.Pix[4] != 0 || img.Pix[7] != 255 {
		t.Errorf("a pixel without samples is %v", img.Pix[4:8])
	}
}

// Drawn evenly, the entries of an alias table give indices in proportion to the weights.
func TestAliasTable(t *testing.T) {
	weights := []float64{3, 0, 1, 10, 0.5, 0, 2}
	table := newAliasTable(weights)
	got := make([]float64, len(weights))
	for i, e := range table {
		got[i] += float64(e.keep)
		got[e.alias] += 1 - float64(e.keep)
	}
	for i, w := range weights {
		if want := w / 16.5 * float64(len(weights)); got[i] < want-1e-6 || got[i] > want+1e-6 {
			t.Errorf("index %d has %g entries, want %g", i, got[i], want)
		}
	}
}

// Unlit surfaces are shown as they are, also in pixels that they fill only in part.
func TestUnlitByPassesToneMapping(t *testing.T) {
	f := &Film{Width: 3, Height: 1, Pixels: []float32{2, 2, 2, 4, 22, 22, 22, 4, 40, 40, 40, 4},
		Unlit: []float32{2, 2, 2, 4, 2, 2, 2, 2, 0, 0, 0, 0}}
	look := Look{Tone: assets.ToneACES, Exposure: 3}
	img, err := f.Image(look)
	if err != nil {
		t.Fatal(err)
	}
	byte8 := func(v float32) uint8 { return uint8(assets.LinearToSRGB(v)*255 + 0.5) }
	bright := min(look.Tone.Map([3]float32{80, 80, 80})[0], 1)
	for x, want := range []uint8{byte8(0.5), byte8(0.5*bright + 0.5), byte8(bright)} {
		if got := img.NRGBAAt(x, 0).R; got != want {
			t.Errorf("pixel %d is %d, want %d", x, got, want)
		}
	}
}

func TestHalves(t *testing.T) {
	for v, want := range map[float64]uint32{0: 0, 1: 0x3c00, 0.5: 0x3800, 0.75: 0x3a00, 1.0 / (1 << 24): 1, 1.0 / (1 << 14): 0x400,
		0.99999: 0x3c00, 2: 0x4000} {
		if got := halves(v, 0); got != want {
			t.Errorf("%g is %#x, want %#x", v, got, want)
		}
		if got := halves(0, v); got != want<<16 {
			t.Errorf("%g above is %#x", v, got)
		}
	}
}
