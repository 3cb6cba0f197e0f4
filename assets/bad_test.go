package assets

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestBadInput: what is wrong with each file ends in one error of the right
// kind that names the part.
func TestBadInput(t *testing.T) {
	set := func(path, text string) func(*testFile) {
		return func(f *testFile) { f.set(path, text) }
	}
	const huge = "4611686018427387904"
	for _, c := range []struct {
		name string
		edit func(*testFile)
		want error
		text string
	}{
		{"version 1", set("asset.version", `"1.0"`), ErrUnsupported, `"1.0"`},
		{"newer minimum", set("asset.minVersion", `"2.1"`), ErrUnsupported, `"2.1"`},
		{"required extensions", set("extensionsRequired", `["VENDOR_sparkle","KHR_materials_unlit","VENDOR_glow"]`), ErrUnsupported,
			"VENDOR_sparkle, VENDOR_glow"},
		{"null node", set("nodes.0", "null"), ErrInvalid, "node 0 is null"},
		{"null primitive", set("meshes.0.primitives.0", "null"), ErrInvalid, `mesh 0 "tri"`},
		{"cycle", func(f *testFile) { f.set("nodes.0.children", "[1]").set("nodes.+", `{"children":[0]}`) }, ErrInvalid, "node"},
		{"ring beside the scene", func(f *testFile) { f.set("nodes.+", `{"children":[2]}`).set("nodes.+", `{"children":[1]}`) },
			ErrInvalid, "own ancestor"},
		{"own child", set("nodes.0.children", "[0]"), ErrInvalid, "node 0"},
		{"two parents", func(f *testFile) {
			f.set("nodes.0.children", "[1,2]").set("nodes.+", `{"children":[2]}`).set("nodes.+", `{}`)
		}, ErrInvalid, "node 2 is a child of"},
		{"child out of range", set("nodes.0.children", "[7]"), ErrInvalid, "child 7 of 1"},
		{"scene out of range", set("scene", "3"), ErrInvalid, "scene 3"},
		{"scene's node out of range", set("scenes.0.nodes", "[-1]"), ErrInvalid, "node -1"},
		{"projective matrix", set("nodes.0.matrix", "[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]"), ErrInvalid, "not affine"},
		{"transform overflows", set("nodes.0.translation", "[1e300,0,0]"), ErrInvalid, "overflows"},
		{"bounds overflow", set("nodes.0.scale", "[3e38,3e38,3e38]"), ErrInvalid, "bounds"},
		{"mesh out of range", set("nodes.0.mesh", "1"), ErrInvalid, "mesh 1 of 1"},
		{"skin out of range", set("nodes.0.skin", "0"), ErrInvalid, "skin 0"},
		{"material out of range", set("meshes.0.primitives.0.material", "1"), ErrInvalid, "material 1"},
		{"unknown mode", set("meshes.0.primitives.0.mode", "7"), ErrInvalid, "mode 7"},
		{"accessor out of range", set("meshes.0.primitives.0.attributes.POSITION", "9"), ErrInvalid, "accessor 9 of 3"},
		{"negative accessor", set("meshes.0.primitives.0.indices", "-1"), ErrInvalid, "accessor -1"},
		{"component type", set("accessors.0.componentType", "5124"), ErrInvalid, "5124"},
		{"no component type", set("accessors.0.componentType", ""), ErrInvalid, "accessor 0"},
		{"accessor type", set("accessors.0.type", `"VEC2"`), ErrInvalid, "accessor 0"},
		{"accessor kind", set("accessors.0.type", `"VEC5"`), ErrInvalid, "VEC5"},
		{"float indices", set("accessors.1.componentType", "5126"), ErrInvalid, "accessor 1"},
		{"count 0", set("accessors.0.count", "0"), ErrInvalid, "count 0"},
		{"count -1", set("accessors.0.count", "-1"), ErrInvalid, "count -1"},
		{"count beyond view", set("accessors.0.count", "4"), ErrInvalid, "bufferView 0"},
		{"huge count", set("accessors.0.count", "4294967295"), ErrInvalid, "bufferView 0"},
		{"huger count", set("accessors.0.count", huge), ErrInvalid, "count"},
		{"huge count without data", func(f *testFile) {
			f.set("accessors.0.count", "4000000000").set("accessors.0.bufferView", "")
		}, ErrInvalid, "TEXCOORD_0 has 3 elements"},
		{"huge count without indices", func(f *testFile) {
			f.set("accessors.0.count", "3000000000").set("meshes.0.primitives.0.indices", "")
		}, ErrInvalid, "bufferView 0"},
		{"huge count without data and indices", func(f *testFile) {
			f.set("accessors.0.count", "3000000000").set("accessors.0.bufferView", "").set("meshes.0.primitives.0.indices", "")
		}, ErrTooLarge, "vertices"},
		{"accessor offset", set("accessors.0.byteOffset", huge), ErrInvalid, "bufferView 0"},
		{"negative offset", set("accessors.0.byteOffset", "-4"), ErrInvalid, "bufferView 0"},
		{"view out of range", set("accessors.0.bufferView", "5"), ErrInvalid, "bufferView 5 of 3"},
		{"view's buffer", set("bufferViews.0.buffer", "2"), ErrInvalid, "buffer 2 of 1"},
		{"view's offset", set("bufferViews.0.byteOffset", huge), ErrInvalid, "bufferView 0"},
		{"view's length", set("bufferViews.0.byteLength", "9000000000000000000"), ErrInvalid, "bufferView 0"},
		{"view's stride", set("bufferViews.0.byteStride", "4"), ErrInvalid, "stride 4"},
		{"negative stride", set("bufferViews.0.byteStride", "-12"), ErrInvalid, "stride -12"},
		{"huge stride", set("bufferViews.0.byteStride", "9000000000000000000"), ErrInvalid, "bufferView 0"},
		{"buffer longer than the chunk", set("buffers.0.byteLength", "5000000000"), ErrInvalid, "buffer 0"},
		{"negative buffer", set("buffers.0.byteLength", "-1"), ErrInvalid, "buffer 0"},
		{"second buffer without data", set("bufferViews.0.buffer", "1"), ErrInvalid, "buffer 1"},
		{"index out of range", func(f *testFile) { f.bin[36] = 3 }, ErrInvalid, "index 0 is 3"},
		{"two indices", set("accessors.1.count", "2"), ErrInvalid, "2 vertices do not make triangles"},
		{"attribute count", set("accessors.2.count", "2"), ErrInvalid, "TEXCOORD_0 has 2 elements for 3"},
		{"NaN position", func(f *testFile) {
			binary.LittleEndian.PutUint32(f.bin[12:], math.Float32bits(float32(math.NaN())))
		}, ErrInvalid, `mesh 0 "tri" primitive 0: invalid scene file: position of vertex 1`},
		{"infinite position", func(f *testFile) {
			binary.LittleEndian.PutUint32(f.bin[24:], math.Float32bits(float32(math.Inf(-1))))
		}, ErrInvalid, "vertex 2"},
		{"no nodes", set("scenes.0.nodes", "[]"), ErrNoGeometry, "1 meshes"},
		{"scale of zero", set("nodes.0.scale", "[0,0,0]"), ErrNoGeometry, ""},
		{"sparse index", set("accessors.0.sparse",
			`{"count":1,"indices":{"bufferView":1,"byteOffset":4,"componentType":5123},`+
				`"values":{"bufferView":0}}`), nil, ""},
		{"sparse index out of range", func(f *testFile) {
			f.bin[40] = 9
			f.set("meshes.0.primitives.0.indices", "")
			f.set("accessors.0.sparse", `{"count":1,"indices":{"bufferView":1,"byteOffset":4,"componentType":5123},`+
				`"values":{"bufferView":0}}`)
		}, ErrInvalid, "sparse index 9 of 3"},
		{"sparse count", set("accessors.0.sparse",
			`{"count":9,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":0}}`), ErrInvalid, "sparse count 9"},
		{"alpha mode", set("materials.0.alphaMode", `"CUTOUT"`), ErrInvalid, "CUTOUT"},
		{"texture out of range", set("materials.0.pbrMetallicRoughness.baseColorTexture", `{"index":0}`), ErrInvalid,
			`material 0 "paint": base colour texture`},
		{"camera out of range", set("nodes.0.camera", "0"), ErrInvalid, "camera 0 of 0"},
		{"camera of no kind", func(f *testFile) { f.set("nodes.0.camera", "0").set("cameras", `[{}]`) }, ErrInvalid, "camera 0"},
		{"field of view", func(f *testFile) {
			f.set("nodes.0.camera", "0").set("cameras", `[{"perspective":{"yfov":4,"znear":1}}]`)
		}, ErrInvalid, "field of view"},
		{"light out of range", set("nodes.0.extensions", `{"KHR_lights_punctual":{"light":2}}`), ErrInvalid, "light 2"},
		{"emissive overflows", func(f *testFile) {
			f.set("materials.0.emissiveFactor", "[1,1,1]").set("materials.0.extensions",
				`{"KHR_materials_emissive_strength":{"emissiveStrength":1e200}}`)
		}, ErrInvalid, "out of range"},
		{"JSON type", set("nodes", `{"a":1}`), ErrInvalid, "JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newTriangle(t)
			c.edit(f)
			s, err := f.load()
			if c.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			checkError(t, s, err, c.want, c.text)
		})
	}
}

func checkError(t *testing.T, s *Scene, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || s != nil {
		t.Fatalf("got %v, want %v", err, want)
	}
	if m := err.Error(); !strings.Contains(m, text) || !strings.Contains(m, "load scene") || strings.Contains(m, "\n") {
		t.Errorf("%q does not say %q", m, text)
	}
}

// TestBadContainer: truncated and mislabelled files.
func TestBadContainer(t *testing.T) {
	good := newTriangle(t).bytes()
	if _, err := loadBytes(t, "good.glb", good); err != nil {
		t.Fatal(err)
	}
	patch := func(at int, v uint32) []byte {
		b := append([]byte(nil), good...)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for name, data := range map[string][]byte{
		"empty": {}, "text": []byte("hello"), "html": []byte("<html>"), "json list": []byte("[]"), "json cut": []byte(`{"asset":`),
		"bare object": []byte("{}"), "version": patch(4, 1), "total short": patch(8, 100), "total long": patch(8, 1<<31),
		"json chunk long": patch(12, 1<<31), "json chunk wraps": patch(12, 0xFFFFFFFF), "json chunk short": patch(12, 10),
		"json chunk kind": patch(16, 7), "trailing bytes": append(append([]byte(nil), good...), 1, 2, 3),
	} {
		s, err := loadBytes(t, "bad.glb", data)
		if name == "bare object" {
			if !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.Is(err, ErrInvalid) || s != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range good { // cut anywhere
		if _, err := loadBytes(t, "cut.glb", good[:n]); !errors.Is(err, ErrInvalid) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

// TestBadPaths: what is not there, is not a file, or lies outside of the folder.
func TestBadPaths(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.bin")
	inner := filepath.Join(dir, "scene")
	for _, err := range []error{
		os.WriteFile(secret, make([]byte, 68), 0o600), os.Mkdir(inner, 0o700),
		os.Symlink(secret, filepath.Join(inner, "link.bin")), syscall.Mkfifo(filepath.Join(inner, "pipe.bin"), 0o600),
		os.WriteFile(filepath.Join(inner, "short.bin"), make([]byte, 60), 0o600),
		os.WriteFile(filepath.Join(inner, "with space.bin"), newTriangle(t).bin, 0o600),
	} {
		if err != nil {
			t.Skipf("cannot prepare the files: %v", err)
		}
	}
	load := func(uri string) error {
		f := newTriangle(t).set("buffers.0.uri", `"`+uri+`"`)
		path := filepath.Join(inner, "s.glb")
		if err := os.WriteFile(path, f.bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(t.Context(), path, nil)
		return err
	}
	if err := load("with%20space.bin"); err != nil {
		t.Error(err)
	}
	for uri, want := range map[string]error{
		"../secret.bin": ErrInvalid, "%2e%2e/secret.bin": ErrInvalid, "a/../../secret.bin": ErrInvalid, secret: ErrInvalid,
		"file://" + secret: ErrUnsupported, "http://localhost/x.bin": ErrUnsupported, "//host/x": ErrUnsupported,
		"link.bin": nil, "pipe.bin": nil, "missing.bin": fs.ErrNotExist, "short.bin": ErrInvalid, ".": nil, "%zz": ErrInvalid,
		"data:;base64,!!": ErrInvalid, "data:nocomma": ErrInvalid, "..\\\\secret.bin": nil,
	} {
		if err := load(uri); err == nil || (want != nil && !errors.Is(err, want)) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if _, err := Load(t.Context(), inner, nil); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("folder: %v", err)
	}
	if _, err := Load(t.Context(), filepath.Join(dir, "no.glb"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Load(t.Context(), filepath.Join(inner, "pipe.bin"), nil); err == nil {
		t.Error("a pipe was read")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "s.glb")
	if err := os.WriteFile(path, newTriangle(t).bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(ctx, path, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("load: %v", err)
	}
	if _, err := BuiltinContext(ctx, "terrain"); !errors.Is(err, context.Canceled) {
		t.Errorf("terrain: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	if _, err := Load(ctx, path, func(int, int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("load, cancelled under way: %v", err)
	}
}

// TestMemoryLimit: the caller's limit holds, and many uses of one accessor
// cannot get around the default one.
func TestMemoryLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.glb")
	if err := os.WriteFile(path, newTriangle(t).bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := LoadWith(t.Context(), path, LoadOptions{MaxBytes: 100})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("limit of 100 bytes: %v", err)
	}
	f := newTriangle(t)
	big := f.addAccessor(make([]byte, 3<<20), 5121, 3<<20, "SCALAR", "")
	if big != 3 {
		t.Fatal(big)
	}
	var prims []string
	for range 2000 {
		prims = append(prims, `{"attributes":{"POSITION":0},"indices":3}`)
	}
	f.set("meshes.0.primitives", "["+strings.Join(prims, ",")+"]")
	if _, err := f.load(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("many large primitives: %v", err)
	}
}
