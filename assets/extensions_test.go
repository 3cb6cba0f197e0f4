package assets

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// TestMissingTexture: a picture that is not there, outside of the folder or broken is replaced by a marked placeholder, and a
// warning names the path.
func TestMissingTexture(t *testing.T) {
	for _, c := range []struct{ name, uri, says string }{
		{"not there", "textures/wood.png", `there is no file "`},
		{"outside", "../wood.png", "leads outside"},
		{"elsewhere", "https://example.org/wood.png", "only files beside the scene"},
		{"broken", "data:image/png;base64,iVBORw0KGgoAAAA=", "PNG does not decode"},
		{"of no format", "data:,hello", "neither PNG"},
	} {
		f := newTriangle(t)
		f.set("images", `[{"uri":"`+c.uri+`"}]`).set("textures", `[{"source":0}]`)
		f.set("materials.0.pbrMetallicRoughness.baseColorTexture", `{"index":0}`)
		f.set("materials.0.normalTexture", `{"index":0}`).set("materials.0.occlusionTexture", `{"index":0}`)
		f.set("materials.0.emissiveTexture", `{"index":0}`).set("materials.0.emissiveFactor", "[1,1,1]")
		s := f.mustLoad()
		if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], c.says) {
			t.Errorf("%s: warnings are %q", c.name, s.Warnings)
		}
		m := s.Materials[0]
		if m.NormalTexture != nil || m.EmissiveTexture != nil || m.IsEmissive() {
			t.Errorf("%s: the material uses what is not there: %+v", c.name, m)
		}
		base := s.Images[s.Textures[m.BaseColorTexture.Texture].Image]
		other := s.Images[s.Textures[m.OcclusionTexture.Texture].Image]
		if !base.Missing || !slices.Equal(base.Pixels[:4], []byte{255, 0, 255, 255}) || !other.Missing ||
			!slices.Equal(other.Pixels, []byte{255, 255, 255, 255}) {
			t.Errorf("%s: the placeholders are %v and %v", c.name, base.Pixels[:4], other.Pixels[:4])
		}
	}
	f := newTriangle(t)
	f.set("images", `[{"uri":"textures/wood.png"}]`).set("textures", `[{"source":0}]`)
	f.set("materials.0.normalTexture", `{"index":0}`)
	path := filepath.Join(t.TempDir(), "s.glb")
	if err := os.WriteFile(path, f.bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(t.Context(), path, nil)
	if want := filepath.Join(filepath.Dir(path), "textures", "wood.png"); err != nil || !strings.Contains(s.Warnings[0], want) {
		t.Errorf("%v: the warning %q does not name %s", err, s.Warnings, want)
	}
}

// TestInstancing: a node's mesh many times, with normalised rotations; what cannot be inverted is left out.
func TestInstancing(t *testing.T) {
	f := newTriangle(t).set("extensionsRequired", `["EXT_mesh_gpu_instancing"]`)
	at := f.addAccessor(floatBytes(1, 0, 0, 0, 2, 0, 0, 0, 3), 5126, 3, "VEC3", "")
	turn := f.addAccessor(shortBytes(0, 0, 0, 32767, 0, 0, 23170, 23170, 0, 0, 0, 32767), 5122, 3, "VEC4", `,"normalized":true`)
	size := f.addAccessor(floatBytes(1, 1, 1, -2, 2, 2, 1, 0, 1), 5126, 3, "VEC3", "")
	ext := `{"TRANSLATION":` + strconv.Itoa(at) + `,"ROTATION":` + strconv.Itoa(turn) + `,"SCALE":` + strconv.Itoa(size)
	f.set("nodes.0.translation", "[10,0,0]").set("nodes.0.extensions", `{"EXT_mesh_gpu_instancing":{"attributes":`+ext+`}}}`)
	s := f.mustLoad()
	if len(s.Instances) != 2 || len(s.Meshes) != 1 || len(s.Warnings) != 1 {
		t.Fatalf("%d instances, %d meshes, warnings %q", len(s.Instances), len(s.Meshes), s.Warnings)
	}
	if in := s.Instances[0]; in.Transform != mgl32.Translate3D(11, 0, 0) || in.Mirrored {
		t.Errorf("first: %v", in)
	}
	// A quarter turn around z takes the mirrored and doubled x axis to -y.
	in := s.Instances[1]
	p := in.Transform.Mul4x1(mgl32.Vec4{1, 0, 0, 1})
	if !in.Mirrored || !near(p[0], 10, 1e-3) || !near(p[1], 0, 1e-3) {
		t.Errorf("second: (1,0,0) is at %v, mirrored %v", p, in.Mirrored)
	}
	f.set("accessors."+strconv.Itoa(at)+".count", "2")
	if _, err := f.load(); err == nil || !strings.Contains(err.Error(), "others have") {
		t.Errorf("counts that differ: %v", err)
	}
}

// packed is a triangle's three elements as EXT_meshopt_compression's attributes, each byte's group with all its bits.
func packed(data []byte, stride int) []byte {
	out := []byte{0xa0}
	for k := range stride {
		out = append(out, 3)
		var group [16]byte
		last := byte(0)
		for i := range len(data) / stride {
			d := int8(data[i*stride+k] - last)
			last = data[i*stride+k]
			group[i] = byte(d<<1) ^ byte(d>>7)
		}
		out = append(out, group[:]...)
	}
	return append(out, make([]byte, max(stride, 32))...)
}

// TestMeshopt: a compressed view, with a fallback buffer that has no data.
func TestMeshopt(t *testing.T) {
	f := newTriangle(t).set("extensionsRequired", `["EXT_meshopt_compression"]`)
	want := []float32{0, 0, 0, 5, 0, 0, 0, 7, 1}
	enc := packed(floatBytes(want...), 12)
	view := f.addView(enc)
	views := f.doc.(map[string]any)["bufferViews"].([]any)
	from := views[view].(map[string]any)["byteOffset"]
	f.set("buffers.+", `{"byteLength":36,"extensions":{"EXT_meshopt_compression":{"fallback":true}}}`)
	ext := func(filter string) string {
		at, err := json.Marshal(from)
		if err != nil {
			t.Fatal(err)
		}
		return `{"EXT_meshopt_compression":{"buffer":0,"byteOffset":` + string(at) + `,"byteLength":` + strconv.Itoa(len(enc)) +
			`,"byteStride":12,"count":3,"mode":"ATTRIBUTES","filter":"` + filter + `"}}`
	}
	f.set("bufferViews.0", `{"buffer":1,"byteLength":36}`).set("bufferViews.0.extensions", ext("NONE"))
	if p := f.mustLoad().Meshes[0].Primitives[0]; !slices.Equal(p.Positions, want) {
		t.Errorf("positions are %v, want %v", p.Positions, want)
	}
	f.set("bufferViews.0.extensions", ext("OCTAHEDRAL"))
	if _, err := f.load(); err == nil || !strings.Contains(err.Error(), "OCTAHEDRAL") {
		t.Errorf("a filter that does not fit: %v", err)
	}
}

// pyramid is a file whose geometry is internal/draco/testdata/pyramid.drc alone: made by Debian's draco_encoder of an .obj of
// five vertices.
func pyramid(t testing.TB) *testFile {
	data, err := os.ReadFile("internal/draco/testdata/pyramid.drc")
	if err != nil {
		t.Fatal(err)
	}
	f := newTriangle(t).set("extensionsRequired", `["KHR_draco_mesh_compression"]`)
	view := f.addView(data)
	f.set("accessors", `[{"componentType":5126,"count":5,"type":"VEC3"},{"componentType":5123,"count":18,"type":"SCALAR"},
		{"componentType":5126,"count":5,"type":"VEC2"}]`)
	f.set("meshes.0.primitives.0.extensions", `{"KHR_draco_mesh_compression":{"bufferView":`+strconv.Itoa(view)+
		`,"attributes":{"POSITION":0,"TEXCOORD_0":1}}}`)
	return f
}

func TestDraco(t *testing.T) {
	f := pyramid(t)
	s := f.mustLoad()
	p := s.Meshes[0].Primitives[0]
	if p.TriangleCount() != 6 || p.Surface().VertexCount() != 5 || !near(s.Bounds.Max[1], 1, 1e-3) ||
		!near(s.Bounds.Size()[0], 1, 1e-3) {
		t.Errorf("%d triangles of %d vertices within %v", p.TriangleCount(), p.Surface().VertexCount(), s.Bounds)
	}
	for v := range p.VertexCount() { // the file says u = x, v = z
		if u := p.UV0[2*v : 2*v+2]; !near(u[0], p.Positions[3*v], 1e-2) || !near(u[1], p.Positions[3*v+2], 1e-2) {
			t.Errorf("vertex %d at %v has texture coordinates %v", v, p.Positions[3*v:3*v+3], u)
		}
	}
	for what, edit := range map[string]func(*testFile){
		"4 points":   func(f *testFile) { f.set("accessors.0.count", "4") },
		"12 indices": func(f *testFile) { f.set("accessors.1.count", "12") },
		"no attribute": func(f *testFile) {
			f.set("meshes.0.primitives.0.extensions.KHR_draco_mesh_compression.attributes.POSITION", "9")
		},
		"four numbers": func(f *testFile) { f.set("accessors.0.type", `"VEC4"`) },
		"cut short":    func(f *testFile) { f.set("bufferViews.3.byteLength", "40") },
	} {
		f := pyramid(t)
		edit(f)
		if _, err := f.load(); err == nil || !strings.Contains(err.Error(), "KHR_draco_mesh_compression") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestIntegerColors: colours that the file forgot to call normalised.
func TestIntegerColors(t *testing.T) {
	f := newTriangle(t)
	a := f.addAccessor([]byte{255, 0, 51, 255, 0, 255, 0, 255, 0, 0, 255, 255}, 5121, 3, "VEC4", "")
	f.set("meshes.0.primitives.0.attributes.COLOR_0", strconv.Itoa(a))
	if p := f.mustLoad().Meshes[0].Primitives[0]; !near(p.Colors[0], 1, 1e-6) || !near(p.Colors[2], 0.2, 1e-6) {
		t.Errorf("colours are %v", p.Colors)
	}
}

// TestBasis: a texture in a KTX2 file, and one that has a PNG to fall back to, which has lost less.
func TestBasis(t *testing.T) {
	data, err := os.ReadFile("internal/ktx2/testdata/etc1s_alpha.ktx2")
	if err != nil {
		t.Fatal(err)
	}
	f := newTriangle(t).set("extensionsRequired", `["KHR_texture_basisu"]`)
	view := f.addView(data)
	f.set("images", `[{"bufferView":`+strconv.Itoa(view)+`,"mimeType":"image/ktx2"},{"uri":"data:image/png;base64,`+tinyPNG+`"}]`)
	f.set("textures", `[{"extensions":{"KHR_texture_basisu":{"source":0}}},
		{"source":1,"extensions":{"KHR_texture_basisu":{"source":0}}}]`)
	f.set("materials.0.pbrMetallicRoughness.baseColorTexture", `{"index":0}`).set("materials.0.occlusionTexture", `{"index":1}`)
	s := f.mustLoad()
	m := s.Materials[0]
	color, data1 := s.Images[s.Textures[m.BaseColorTexture.Texture].Image], s.Images[s.Textures[m.OcclusionTexture.Texture].Image]
	if color.Width != 20 || color.Height != 12 || color.Missing || !color.SRGB || data1.Width != 1 || len(s.Warnings) != 0 {
		t.Errorf("%d x %d and %d x %d pixels, warnings %q", color.Width, color.Height, data1.Width, data1.Height, s.Warnings)
	}
	f.set("bufferViews."+strconv.Itoa(view)+".byteLength", "200")
	if s := f.mustLoad(); len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "KTX2") {
		t.Errorf("cut short: warnings %q", s.Warnings)
	}
}
