package assets

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestEnvironmentFiles(t *testing.T) {
	img := &FloatImage{Width: 16, Height: 8}
	for i := range img.Width * img.Height {
		img.Pix = append(img.Pix, float32(i)*0.37, 1e-3*float32(i), 5)
	}
	var packed bytes.Buffer
	if err := EncodeHDR(&packed, img); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "map.HDR")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := LoadEnvironment(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range img.Pix {
		most := max(img.Pix[i/3*3], img.Pix[i/3*3+1], img.Pix[i/3*3+2])
		if !near(m.Pixels[i], want, most/128) {
			t.Fatalf("value %d is %g, want %g", i, m.Pixels[i], want)
		}
	}
	head := "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n"
	plain, err := DecodeHDR(bytes.NewReader([]byte(head + "\x80\x40\x20\x81\x00\x00\x00\x00")))
	if err != nil || plain.Pix[0] != 1 || plain.Pix[1] != 0.5 || plain.Pix[2] != 0.25 || plain.Pix[3] != 0 {
		t.Errorf("a plain row: %v, %v", plain, err)
	}
	for name, bad := range map[string]string{
		"empty": "", "no magic": "RADIANCE\n\n-Y 1 +X 2\n", "no end": "#?RADIANCE\n", "cut": head + "\x80\x40",
		"upside down": "#?R\n\n+Y 1 +X 2\n",
		"huge":        "#?R\n\n-Y 1 +X 99999999\n", "run": "#?R\n\n-Y 1 +X 8\n\x02\x02\x00\x08\xff\x01",
	} {
		if _, err := DecodeHDR(bytes.NewReader([]byte(bad))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := LoadEnvironment(t.Context(), "map.jpg"); !errors.Is(err, ErrUnsupported) {
		t.Errorf("another format: %v", err)
	}
}

// TestEnvironmentOfEXR: colours or grey, and what is no light becomes some or none.
func TestEnvironmentOfEXR(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	load := func(names ...string) (*EnvironmentMap, error) {
		e := &EXR{Width: 2, Height: 1}
		for _, n := range names {
			e.Channels = append(e.Channels, EXRChannel{Name: n, Type: EXRFloat, Floats: map[string][]float32{
				"R": {1e6, -1}, "G": {nan, 0.5}, "B": {inf, -inf}, "Y": {3, 4}, "A": {1, 1}}[n]})
		}
		var b bytes.Buffer
		path := filepath.Join(t.TempDir(), "map.EXR")
		if err := errors.Join(EncodeEXR(&b, e), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		return LoadEnvironment(t.Context(), path)
	}
	for _, c := range []struct {
		names []string
		want  []float32
	}{
		{[]string{"R", "G", "B", "A"}, []float32{1e6, 0, 65504, 0, 0.5, 0}}, {[]string{"Y"}, []float32{3, 3, 3, 4, 4, 4}},
	} {
		if m, err := load(c.names...); err != nil || !slices.Equal(m.Pixels, c.want) {
			t.Errorf("%v: %v, %v, want %v", c.names, m, err, c.want)
		}
	}
	if _, err := load("R", "G", "A"); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without blue: %v", err)
	}
}

// The studio is neutral, and white matter in it is about white.
func TestStudio(t *testing.T) {
	m := Studio()
	var up float64 // irradiance from above
	for y := range m.Height {
		top, bottom := math.Cos(math.Pi*float64(y)/float64(m.Height)), math.Cos(math.Pi*float64(y+1)/float64(m.Height))
		for x := range m.Width {
			p := m.Pixels[3*(y*m.Width+x):]
			if p[0] != p[1] || p[1] != p[2] || !(p[0] > 0) {
				t.Fatalf("texel %d, %d is %v", x, y, p[:3])
			}
			up += float64(p[0]) * max(0, top*top-bottom*bottom) * math.Pi / float64(m.Width)
		}
	}
	if white := up / math.Pi; white < 0.8 || white > 1.6 {
		t.Errorf("a white floor is %.2f times white", white)
	}
}

func TestGroundLiesBelow(t *testing.T) {
	s, err := Builtin("cornell")
	if err != nil {
		t.Fatal(err)
	}
	before := s.Bounds
	s.AddGround()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	p := s.Meshes[len(s.Meshes)-1].Primitives[0]
	if y := p.Positions[1]; y > before.Min[1] || y < before.Min[1]-0.01 || p.Normals[1] != 1 || s.Bounds != before {
		t.Errorf("the ground is at %g, faces %v", y, p.Normals[:3])
	}
}

// PBR Neutral leaves base colours under white light as they are: 0.04 that a dielectric reflects is taken off.
func TestToneMaps(t *testing.T) {
	for _, c := range []float32{0.1, 0.3, 0.6} {
		if got := ToneNeutral.Map([3]float32{c + 0.04, c + 0.04, c + 0.04}); !near(got[0], c, 1e-6) {
			t.Errorf("base colour %g is shown as %g", c, got[0])
		}
	}
	if got := ToneNeutral.Map([3]float32{0.04, 0.04, 0.04}); got[0] > 0.011 {
		t.Errorf("black paint is shown as %g", got[0])
	}
	for _, m := range []ToneMap{ToneClamp, ToneReinhard, ToneACES, ToneNeutral, ToneAgX} {
		before := float32(-1)
		for x := float32(1e-3); x < 100; x *= 1.5 {
			v := m.Map([3]float32{x, x, x})
			if v[0] < before || !near(v[0], v[1], 2e-3) || math.IsNaN(float64(v[0])) {
				t.Errorf("%v: %g becomes %v after %g", m, x, v, before)
			}
			before = v[0]
		}
		if parsed, err := ParseToneMap(m.String()); err != nil || parsed != m {
			t.Errorf("%v: %v", m, err)
		}
	}
}

func TestMaterialLayers(t *testing.T) {
	f := newTriangle(t)
	f.set("materials.0.extensions", `{"KHR_materials_clearcoat":{"clearcoatFactor":0.5,"clearcoatRoughnessFactor":0.25},
	"KHR_materials_volume":{"thicknessFactor":2,"attenuationDistance":2,"attenuationColor":[0.5,1,0.25]},
	"KHR_materials_transmission":{"transmissionFactor":0.75},"KHR_materials_sheen":{"sheenColorFactor":[0.1,0.2,0.3]},
	"KHR_materials_iridescence":{"iridescenceFactor":1,"iridescenceThicknessMinimum":50,"iridescenceThicknessMaximum":500},
	"KHR_materials_specular":{"specularColorFactor":[1,0.5,0]},"KHR_materials_dispersion":{"dispersion":3},
	"KHR_materials_diffuse_transmission":{"diffuseTransmissionFactor":0.25},"KHR_materials_anisotropy":{"anisotropyStrength":0.5}}`)
	f.set("extensionsRequired", `["KHR_materials_clearcoat","KHR_materials_volume"]`)
	m := f.mustLoad().Materials[0]
	y := m.Layers
	if y == nil {
		t.Fatal("no layers")
	}
	if y.Coat != 0.5 || y.CoatRoughness != 0.25 || y.Thickness != 2 || m.Transmission != 0.75 || y.Specular != 1 ||
		y.SpecularColor[1] != 0.5 || y.FilmMin != 500 || y.FilmIOR != 1.3 || y.Dispersion != 3 || y.DiffuseTransmission != 0.25 ||
		y.Anisotropy != 0.5 || y.SheenColor[2] != 0.3 {
		t.Errorf("layers are %+v", y)
	}
	if a := y.Attenuation; !near(a[0], float32(math.Ln2/2), 1e-6) || a[1] != 0 || !near(a[2], float32(math.Ln2), 1e-6) {
		t.Errorf("attenuation is %v", a)
	}
	f.set("materials.0.extensions.KHR_materials_clearcoat.clearcoatFactor", `"much"`)
	if _, err := f.load(); !errors.Is(err, ErrInvalid) {
		t.Errorf("a factor that is no number: %v", err)
	}
	f.set("materials.0.extensions.KHR_materials_clearcoat", `{"clearcoatTexture":{"index":7}}`)
	if _, err := f.load(); !errors.Is(err, ErrInvalid) {
		t.Errorf("a texture that is not there: %v", err)
	}
}

func TestVariants(t *testing.T) {
	f := newTriangle(t)
	f.set("materials.+", `{"name":"other"}`)
	f.set("extensions", `{"KHR_materials_variants":{"variants":[{"name":"day"},{"name":"night"}]}}`)
	f.set("meshes.0.primitives.0.extensions", `{"KHR_materials_variants":{"mappings":[{"material":1,"variants":[1]}]}}`)
	load := func(variant string) (*Scene, error) {
		path := filepath.Join(t.TempDir(), "variants.glb")
		if err := os.WriteFile(path, f.bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return OpenWith(t.Context(), path, LoadOptions{Variant: variant})
	}
	for variant, want := range map[string]string{"": "paint", "day": "paint", "night": "other"} {
		s, err := load(variant)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Materials[s.Meshes[0].Primitives[0].Material].Name; got != want || len(s.Variants) != 2 {
			t.Errorf("variant %q shows %q", variant, got)
		}
	}
	if _, err := load("dusk"); !errors.Is(err, ErrUnknownVariant) {
		t.Errorf("an unknown variant: %v", err)
	}
}
