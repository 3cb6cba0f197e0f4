package assets

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// TestTriangle is the simplest file: everything that it leaves out is there.
func TestTriangle(t *testing.T) {
	s := newTriangle(t).mustLoad()
	p := s.Meshes[0].Primitives[0]
	for v := range 3 {
		if p.normal(v) != (mgl32.Vec3{0, 0, 1}) {
			t.Errorf("normal %d is %v", v, p.normal(v))
		}
		// Texture coordinates grow with x and y, so v runs up: mirrored for glTF.
		if got := p.Tangents[4*v : 4*v+4]; !slices.Equal(got, []float32{1, 0, 0, -1}) {
			t.Errorf("tangent %d is %v", v, got)
		}
	}
	if m := s.Materials[p.Material]; m.BaseColor != (mgl32.Vec4{0.5, 0.25, 1, 1}) || m.Metallic != 1 || m.IOR != 1.5 {
		t.Errorf("material is %+v", m)
	}
	c := s.Cameras[0]
	if !c.IsGenerated || s.Environment.IsBlack() || s.Environment.SunIrradiance == (mgl32.Vec3{}) {
		t.Errorf("camera %+v, environment %+v", c, s.Environment)
	}
	for i := range 8 { // the framing camera sees all corners
		q := mgl32.Vec4{float32(i & 1), float32(i >> 1 & 1), 0, 1}
		v := c.View().Mul4x1(q)
		lim := -v[2] * float32(math.Tan(float64(c.YFov)/2))
		if v[2] >= 0 || abs32(v[1]) > lim || abs32(v[0]) > lim*framingAspect {
			t.Errorf("corner %v is outside of the picture: %v", q, v)
		}
	}
}

func TestPrimitiveModes(t *testing.T) {
	for _, c := range []struct {
		mode string
		idx  []uint16
		want []uint32
	}{
		{"5", []uint16{0, 1, 2, 3, 4}, []uint32{0, 1, 2, 1, 3, 2, 2, 3, 4}},
		{"5", []uint16{0, 1, 2, 2, 3, 4}, []uint32{0, 1, 2, 2, 4, 3}},
		{"6", []uint16{0, 1, 2, 3}, []uint32{1, 2, 0, 2, 3, 0}},
	} {
		f := newTriangle(t)
		var pos, nrm []float32
		for i := range 5 {
			pos = append(pos, float32(i/2), float32(i%2), float32(i*i))
			nrm = append(nrm, 0, 0, 1) // keeps the vertices shared
		}
		a := f.addAccessor(floatBytes(pos...), 5126, 5, "VEC3", "")
		n := f.addAccessor(floatBytes(nrm...), 5126, 5, "VEC3", "")
		i := f.addAccessor(shortBytes(c.idx...), 5123, len(c.idx), "SCALAR", "")
		f.set("meshes.0.primitives.0", `{"mode":`+c.mode+`,"attributes":{"POSITION":`+strconv.Itoa(a)+`,"NORMAL":`+strconv.Itoa(n)+
			`},"indices":`+strconv.Itoa(i)+`}`)
		s := f.mustLoad()
		if got := s.Meshes[0].Primitives[0].Indices; !slices.Equal(got, c.want) {
			t.Errorf("mode %s of %v: got %v, want %v", c.mode, c.idx, got, c.want)
		}
	}
}

// TestSharedVertices: a primitive that uses a little of a large vertex array
// takes no more than that, and sparse replacements find their way.
func TestSharedVertices(t *testing.T) {
	f := newTriangle(t)
	pos := make([]float32, 3*100)
	for i := range 100 {
		pos[3*i], pos[3*i+1] = float32(i), float32(i*i)
	}
	a := f.addAccessor(floatBytes(pos...), 5126, 100, "VEC3", "")
	iv, vv := f.addView([]byte{50, 90}), f.addView(floatBytes(-1, -2, -3, -4, -5, -6))
	f.set("accessors."+strconv.Itoa(a)+".sparse",
		`{"count":2,"indices":{"bufferView":`+strconv.Itoa(iv)+`,"componentType":5121},"values":{"bufferView":`+strconv.Itoa(vv)+`}}`)
	i := f.addAccessor([]byte{70, 50, 30}, 5121, 3, "SCALAR", "")
	f.set("meshes.0.primitives.0", `{"attributes":{"POSITION":`+strconv.Itoa(a)+`},"indices":`+strconv.Itoa(i)+`}`)
	p := f.mustLoad().Meshes[0].Primitives[0]
	if want := []float32{70, 4900, 0, -1, -2, -3, 30, 900, 0}; !slices.Equal(p.Positions, want) {
		t.Errorf("positions are %v, want %v", p.Positions, want)
	}
}

func TestQuantised(t *testing.T) {
	f := newTriangle(t).set("extensionsRequired", `["KHR_mesh_quantization"]`)
	// Signed bytes, normalised, four bytes apart.
	a := f.addAccessor([]byte{127, 0x81, 0x80, 0, 0, 127, 0, 0, 64, 0, 127, 0}, 5120, 3, "VEC3", `,"normalized":true`)
	f.set("bufferViews."+strconv.Itoa(a)+".byteStride", "4")
	uv := f.addAccessor(shortBytes(0, 65535, 1, 2, 3, 4), 5123, 3, "VEC2", "")
	f.set("meshes.0.primitives.0.attributes", `{"POSITION":`+strconv.Itoa(a)+`,"TEXCOORD_1":`+strconv.Itoa(uv)+`}`)
	p := f.mustLoad().Meshes[0].Primitives[0]
	if want := []float32{1, -1, -1, 0, 1, 0, 64.0 / 127, 0, 1}; !slices.Equal(p.Positions, want) {
		t.Errorf("positions are %v, want %v", p.Positions, want)
	}
	if want := []float32{0, 65535, 1, 2, 3, 4}; !slices.Equal(p.UV1, want) || !slices.Equal(p.UV0, make([]float32, 6)) {
		t.Errorf("texture coordinates are %v and %v", p.UV0, p.UV1)
	}
}

func TestVertexColors(t *testing.T) {
	for _, c := range []struct {
		data       []byte
		component  int
		kind, rest string
	}{
		{floatBytes(1, 0, 0.2, 0, 1, 0, 0, 0, 1), 5126, "VEC3", ""},
		{[]byte{255, 0, 51, 255, 0, 255, 0, 255, 0, 0, 255, 255}, 5121, "VEC4", `,"normalized":true`},
		{shortBytes(65535, 0, 13107, 0, 65535, 0, 0, 0, 65535), 5123, "VEC3", `,"normalized":true`},
	} {
		f := newTriangle(t)
		a := f.addAccessor(c.data, c.component, 3, c.kind, c.rest)
		f.set("meshes.0.primitives.0.attributes.COLOR_0", strconv.Itoa(a))
		p := f.mustLoad().Meshes[0].Primitives[0]
		for i, want := range []float32{1, 0, 0.2, 1, 0, 1, 0, 1, 0, 0, 1, 1} {
			if !near(p.Colors[i], want, 1e-6) {
				t.Errorf("%d %s: colour component %d is %g, want %g", c.component, c.kind, i, p.Colors[i], want)
			}
		}
	}
}

func TestLightsAndCamera(t *testing.T) {
	f := newTriangle(t).set("extensionsUsed", `["KHR_lights_punctual","VENDOR_sparkle"]`)
	f.set("extensions", `{"KHR_lights_punctual":{"lights":[{"type":"directional","color":[1,0.5,0],"intensity":3},
		{"type":"point","range":7},{"type":"spot","spot":{"innerConeAngle":0.1}}]}}`)
	f.set("scenes.0.nodes", "[0,1,2,3]")
	f.set("nodes.+", `{"extensions":{"KHR_lights_punctual":{"light":0}},"rotation":[-0.7071068,0,0,0.7071068],"scale":[5,5,5]}`)
	f.set("nodes.+", `{"extensions":{"KHR_lights_punctual":{"light":1}},"translation":[1,2,3]}`)
	f.set("nodes.+", `{"extensions":{"KHR_lights_punctual":{"light":2}},"camera":0}`)
	f.set("cameras", `[{"name":"cam","type":"perspective","perspective":{"yfov":0.5,"znear":0.1}}]`)
	s := f.mustLoad()
	if len(s.Lights) != 3 || s.Environment.SunIrradiance != (mgl32.Vec3{}) {
		t.Fatalf("lights %+v", s.Lights)
	}
	d, p, sp := s.Lights[0], s.Lights[1], s.Lights[2]
	if d.Kind != DirectionalLight || !near(d.Direction[1], -1, 1e-6) || d.Intensity != 3 || d.Color[1] != 0.5 || d.Range != 0 {
		t.Errorf("directional light is %+v", d)
	}
	if p.Kind != PointLight || p.Position != (mgl32.Vec3{1, 2, 3}) || p.Range != 7 || p.Intensity != 1 {
		t.Errorf("point light is %+v", p)
	}
	if sp.Kind != SpotLight || sp.InnerCone != 0.1 || !near(sp.OuterCone, math.Pi/4, 1e-6) || sp.Direction != (mgl32.Vec3{0, 0, -1}) {
		t.Errorf("spot light is %+v", sp)
	}
	if len(s.Cameras) != 1 || s.Cameras[0].Name != "cam" || s.Cameras[0].AspectRatio != 0 || s.Cameras[0].IsGenerated {
		t.Errorf("cameras are %+v", s.Cameras)
	}
	if !slices.Contains(s.Warnings, "extension VENDOR_sparkle is ignored") {
		t.Errorf("warnings are %q", s.Warnings)
	}
}

func TestMaterialExtensions(t *testing.T) {
	f := newTriangle(t)
	f.set("materials.0.emissiveFactor", "[1,0.5,0]")
	f.set("materials.0.extensions", `{"KHR_materials_emissive_strength":{"emissiveStrength":8},"KHR_materials_unlit":{},`+
		`"KHR_materials_ior":{"ior":1.33}}`)
	f.set("images", `[{"uri":"data:image/png;base64,`+tinyPNG+`"},{"uri":"data:image/webp;base64,`+tinyWebP+`"}]`)
	f.set("textures", `[{"source":0,"extensions":{"EXT_texture_webp":{"source":1}}},{"source":0}]`)
	f.set("materials.0.emissiveTexture", `{"index":0,"texCoord":0,"extensions":{"KHR_texture_transform":{"offset":[0.5,0],`+
		`"rotation":1.5707963,"scale":[2,3],"texCoord":1}}}`)
	f.set("materials.0.occlusionTexture", `{"index":1,"strength":0.25}`)
	f.set("materials.0.pbrMetallicRoughness.baseColorTexture", `{"index":1}`)
	s := f.mustLoad()
	m := s.Materials[0]
	if m.Emissive != (mgl32.Vec3{8, 4, 0}) || !m.Unlit || m.IOR != 1.33 || m.OcclusionStrength != 0.25 || !m.IsEmissive() {
		t.Errorf("material is %+v", m)
	}
	e := m.EmissiveTexture
	if e.TexCoord != 1 {
		t.Errorf("texture transform's coordinate set: %d", e.TexCoord)
	}
	// A quarter turn: u goes to -v, as in the extension's own matrix.
	if got := e.Matrix().Mul3x1(mgl32.Vec3{1, 0, 1}); !near(got[0], 0.5, 1e-5) || !near(got[1], -2, 1e-5) {
		t.Errorf("(1, 0) becomes %v", got)
	}
	base, occl := s.Textures[m.BaseColorTexture.Texture], s.Textures[m.OcclusionTexture.Texture]
	if !s.Images[base.Image].SRGB || s.Images[occl.Image].SRGB || &s.Images[base.Image].Pixels[0] != &s.Images[occl.Image].Pixels[0] {
		t.Error("an image used as colour and as data is not two images with shared pixels")
	}
	if w := s.Images[s.Textures[e.Texture].Image]; w.Width != 1 || w.Height != 1 || len(s.Images) != 3 {
		t.Errorf("the WebP image is %dx%d", w.Width, w.Height)
	}
}

const (
	tinyPNG  = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	tinyWebP = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
)

// TestMirroredTexture: a vertex whose triangles use the texture both ways is
// split, and each side has its own tangent.
func TestMirroredTexture(t *testing.T) {
	p := Primitive{
		Positions: []float32{0, 0, 0, 0, 1, 0, 1, 0, 0, -1, 0, 0},
		Normals:   []float32{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1},
		UV0:       []float32{0, 0, 0, 1, 1, 0, 1, 0}, // u grows away from x = 0
		Indices:   []uint32{0, 2, 1, 0, 1, 3},
	}
	p.generateTangents(p.UV0)
	if p.VertexCount() != 6 {
		t.Fatalf("%d vertices, want 6", p.VertexCount())
	}
	if err := p.validate(); err != nil {
		t.Fatal(err)
	}
	for i, k := range p.Indices {
		want := []float32{1, 0, 0, -1}
		if i >= 3 {
			want = []float32{-1, 0, 0, 1}
		}
		if got := p.Tangents[4*k : 4*k+4]; !slices.Equal(got, want) {
			t.Errorf("index %d: tangent %v, want %v", i, got, want)
		}
	}
}

// TestBadShading: normals, tangents and texture coordinates that make no sense
// are replaced, and the scene says so.
func TestBadShading(t *testing.T) {
	f := newTriangle(t)
	nan := float32(math.NaN())
	n := f.addAccessor(floatBytes(0, 0, 0, nan, 0, 0, 0, 0, 9), 5126, 3, "VEC3", "")
	a := f.addAccessor(floatBytes(0, 0, 0, 0, 0, 0, 5, 0, nan, 1, 0, 1), 5126, 3, "VEC4", "")
	uv := f.addAccessor(floatBytes(nan, 0, 1, 1, 0, nan), 5126, 3, "VEC2", "")
	f.set("meshes.0.primitives.0.attributes",
		`{"POSITION":0,"NORMAL":`+strconv.Itoa(n)+`,"TANGENT":`+strconv.Itoa(a)+`,"TEXCOORD_0":`+strconv.Itoa(uv)+`}`)
	s := f.mustLoad()
	p := s.Meshes[0].Primitives[0]
	for v := range 3 {
		if p.normal(v) != (mgl32.Vec3{0, 0, 1}) {
			t.Errorf("normal %d is %v", v, p.normal(v))
		}
	}
	if len(s.Warnings) != 2 {
		t.Errorf("warnings are %q", s.Warnings)
	}
}

// TestFlatNormalsKeepVertices: flat normals keep the file's vertices beside, where triangles share any.
func TestFlatNormalsKeepVertices(t *testing.T) {
	f := newTriangle(t)
	if p := f.mustLoad().Meshes[0].Primitives[0]; p.Shared != nil || len(p.Surface().Positions) != 9 {
		t.Errorf("one triangle shares %v", p.Shared)
	}
	f.set("meshes.0.primitives.0.attributes",
		`{"POSITION":`+strconv.Itoa(f.addAccessor(floatBytes(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 2), 5126, 4, "VEC3", ""))+`}`)
	f.set("meshes.0.primitives.0.indices", strconv.Itoa(f.addAccessor([]byte{0, 1, 2, 2, 1, 3}, 5121, 6, "SCALAR", "")))
	p := f.mustLoad().Meshes[0].Primitives[0]
	if p.VertexCount() != 6 || p.Shared == nil || p.Surface().VertexCount() != 4 ||
		!slices.Equal(p.Surface().Indices, []uint32{0, 1, 2, 2, 1, 3}) {
		t.Fatalf("%d vertices, shared %+v", p.VertexCount(), p.Shared)
	}
	shared := *p.Shared
	for name, bad := range map[string]Surface{
		"other positions": {slices.Repeat([]float32{7}, 12), shared.Indices},
		"fewer indices":   {shared.Positions, shared.Indices[:3]},
		"no such vertex":  {shared.Positions[:9], shared.Indices},
	} {
		if p.Shared = &bad; p.validate() == nil {
			t.Errorf("%s were accepted", name)
		}
	}
}

// TestSkin moves half of a triangle by a joint.
func TestSkin(t *testing.T) {
	f := newTriangle(t)
	j := f.addAccessor(make([]byte, 12), 5121, 3, "VEC4", "")
	w := f.addAccessor([]byte{255, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0}, 5121, 3, "VEC4", `,"normalized":true`)
	f.set("meshes.0.primitives.0.attributes.JOINTS_0", strconv.Itoa(j)).set("meshes.0.primitives.0.attributes.WEIGHTS_0",
		strconv.Itoa(w))
	f.set("skins", `[{"joints":[1]}]`).set("nodes.0.skin", "0").set("nodes.0.translation", "[99,99,99]")
	f.set("nodes.+", `{"translation":[0,0,5]}`)
	p := f.mustLoad().Meshes[0].Primitives[0]
	if want := []float32{0, 0, 5, 1, 0, 5, 0, 1, 0}; !slices.Equal(p.Positions, want) {
		t.Errorf("positions are %v, want %v", p.Positions, want)
	}
	f.set("meshes.0.primitives.0.attributes.WEIGHTS_0", "")
	if _, err := f.load(); err == nil {
		t.Error("joints without weights were accepted")
	}
}

// TestImageFormats: no kind of PNG loses colour behind transparency.
func TestImageFormats(t *testing.T) {
	free := func(int64, string) error { return nil }
	c := color.NRGBA{200, 100, 50, 3}
	rect := image.Rect(5, 7, 8, 9)
	straight, wide := image.NewNRGBA(rect), image.NewNRGBA64(rect)
	pal := image.NewPaletted(rect, color.Palette{c, color.NRGBA{1, 2, 3, 255}})
	grey := image.NewGray16(rect)
	for y := rect.Min.Y; y < rect.Max.Y; y++ {
		for x := rect.Min.X; x < rect.Max.X; x++ {
			straight.SetNRGBA(x, y, c)
			wide.SetNRGBA64(x, y, color.NRGBA64{200 << 8, 100 << 8, 50 << 8, 3 << 8})
			grey.SetGray16(x, y, color.Gray16{77 << 8})
		}
	}
	for name, img := range map[string]image.Image{"NRGBA": straight, "NRGBA64": wide, "paletted": pal, "grey": grey} {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		got, err := decodeImage(b.Bytes(), free)
		if err != nil {
			t.Fatal(err)
		}
		want := c
		if name == "grey" {
			want = color.NRGBA{77, 77, 77, 255}
		}
		if got.Bounds().Size() != rect.Size() || got.NRGBAAt(2, 1) != want || toNRGBA(img).NRGBAAt(2, 1) != want {
			t.Errorf("%s: got %v, want %v", name, got.NRGBAAt(2, 1), want)
		}
	}
}

// TestImageBomb: a tiny file cannot claim a huge picture.
func TestImageBomb(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	for _, size := range []uint32{8192, 20000, 1 << 30} {
		f := bytes.Clone(b.Bytes())
		for _, at := range []int{16, 20} { // width and height of IHDR
			f[at], f[at+1], f[at+2], f[at+3] = byte(size>>24), byte(size>>16), byte(size>>8), byte(size)
		}
		if _, err := decodeImage(f, func(int64, string) error { t.Error("memory was asked for"); return nil }); err == nil {
			t.Errorf("%d pixels a side were accepted", size)
		}
	}
	if _, err := decodeImage([]byte("RIFF\x00\x00\x00\x00WEBPVP8 junk"), func(int64, string) error { return nil }); err == nil ||
		!strings.Contains(err.Error(), "WebP") {
		t.Errorf("broken WebP: %v", err)
	}
}
