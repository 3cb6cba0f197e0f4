package assets

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// glb packs JSON and a binary chunk into a container.
func glb(doc, bin []byte) []byte {
	pad := func(b []byte, with byte) []byte {
		b = bytes.Clone(b)
		for len(b)%4 != 0 {
			b = append(b, with)
		}
		return b
	}
	doc, bin = pad(doc, ' '), pad(bin, 0)
	out := []byte("glTF")
	u32 := func(v int) { out = binary.LittleEndian.AppendUint32(out, uint32(v)) }
	u32(2)
	total := 12 + 8 + len(doc)
	if len(bin) > 0 {
		total += 8 + len(bin)
	}
	u32(total)
	u32(len(doc))
	u32(glbChunkJSON)
	out = append(out, doc...)
	if len(bin) > 0 {
		u32(len(bin))
		u32(glbChunkBIN)
		out = append(out, bin...)
	}
	return out
}

// testFile is a small glTF file under construction.
type testFile struct {
	t   testing.TB
	doc any
	bin []byte
}

// newTriangle is one indexed triangle, in the plane z = 0, seen from +z.
func newTriangle(t testing.TB) *testFile {
	f := &testFile{t: t}
	f.bin = floatBytes(0, 0, 0, 1, 0, 0, 0, 1, 0)          // bytes 0 to 36
	f.bin = append(f.bin, 0, 0, 1, 0, 2, 0, 0, 0)          // indices at 36
	f.bin = append(f.bin, floatBytes(0, 0, 1, 0, 0, 1)...) // texture coordinates at 44
	f.parse(`{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
	"meshes":[{"name":"tri","primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":2},"indices":1,"material":0}]}],
	"materials":[{"name":"paint","pbrMetallicRoughness":{"baseColorFactor":[0.5,0.25,1,1]}}],
	"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
	{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"},
	{"bufferView":2,"componentType":5126,"count":3,"type":"VEC2"}],
	"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6},
	{"buffer":0,"byteOffset":44,"byteLength":24}],
	"buffers":[{"byteLength":68}]}`)
	return f
}

func (f *testFile) parse(text string) {
	f.t.Helper()
	if err := json.Unmarshal([]byte(text), &f.doc); err != nil {
		f.t.Fatal(err)
	}
}

// set replaces what a path such as "accessors.0.count" leads to by JSON;
// an empty text removes it, and "+" as last step appends to a list.
func (f *testFile) set(path, text string) *testFile {
	f.t.Helper()
	var v any
	if text != "" {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			f.t.Fatalf("%s: %v", text, err)
		}
	}
	f.doc = edit(f.doc, strings.Split(path, "."), v, text == "")
	return f
}

func edit(at any, path []string, v any, remove bool) any {
	if len(path) == 0 {
		return v
	}
	key := path[0]
	if list, ok := at.([]any); ok || (at == nil && (key == "+" || key == "0")) {
		if key == "+" {
			return append(list, edit(nil, path[1:], v, remove))
		}
		i, _ := strconv.Atoi(key)
		for len(list) <= i {
			list = append(list, nil)
		}
		list[i] = edit(list[i], path[1:], v, remove)
		return list
	}
	m, _ := at.(map[string]any)
	if m == nil {
		m = map[string]any{}
	}
	if len(path) == 1 && remove {
		delete(m, key)
	} else {
		m[key] = edit(m[key], path[1:], v, remove)
	}
	return m
}

// addView appends bytes to the binary chunk and a view on them.
func (f *testFile) addView(data []byte) (view int) {
	for len(f.bin)%4 != 0 {
		f.bin = append(f.bin, 0)
	}
	at := len(f.bin)
	f.bin = append(f.bin, data...)
	views := f.doc.(map[string]any)["bufferViews"].([]any)
	f.set("bufferViews.+", `{"buffer":0,"byteOffset":`+strconv.Itoa(at)+`,"byteLength":`+strconv.Itoa(len(data))+`}`)
	f.set("buffers.0.byteLength", strconv.Itoa(len(f.bin)))
	return len(views)
}

// addAccessor appends data and an accessor; rest is further JSON members.
func (f *testFile) addAccessor(data []byte, component, count int, kind, rest string) (accessor int) {
	view := f.addView(data)
	accessors := f.doc.(map[string]any)["accessors"].([]any)
	f.set("accessors.+", `{"bufferView":`+strconv.Itoa(view)+`,"componentType":`+strconv.Itoa(component)+
		`,"count":`+strconv.Itoa(count)+`,"type":"`+kind+`"`+rest+`}`)
	return len(accessors)
}

func (f *testFile) bytes() []byte {
	doc, err := json.Marshal(f.doc)
	if err != nil {
		f.t.Fatal(err)
	}
	return glb(doc, f.bin)
}

// load writes the file to a folder of its own and loads it.
func (f *testFile) load() (*Scene, error) {
	return loadBytes(f.t, "test.glb", f.bytes())
}

func (f *testFile) mustLoad() *Scene {
	f.t.Helper()
	s, err := f.load()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		f.t.Fatal(err)
	}
	return s
}

func loadBytes(t testing.TB, name string, data []byte) (*Scene, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(t.Context(), path, nil)
}

func floatBytes(v ...float32) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

func shortBytes(v ...uint16) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

// sharedScene is the path of a scene beside the repository; the test is
// skipped where the folder is not there.
func sharedScene(t testing.TB, name string) string {
	t.Helper()
	root := filepath.Join("..", "..", "shared", "scenes")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("the sample scenes are not here: %v", err)
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

func mustLoadShared(t testing.TB, name string) *Scene {
	t.Helper()
	s, err := Load(t.Context(), sharedScene(t, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(a, b, tolerance float32) bool { return abs32(a-b) <= tolerance }
