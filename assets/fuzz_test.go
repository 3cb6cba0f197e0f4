package assets

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"
)

// richFile uses much of the format.
func richFile(t testing.TB) *testFile {
	rich := newTriangle(t)
	rich.set("images", `[{"uri":"data:image/png;base64,`+tinyPNG+`"},{"uri":"data:image/webp;base64,`+tinyWebP+`"}]`)
	rich.set("textures", `[{"source":0,"sampler":0},{"extensions":{"EXT_texture_webp":{"source":1}}}]`)
	rich.set("samplers", `[{"wrapS":33071,"minFilter":9728}]`)
	rich.set("materials.0.normalTexture", `{"index":0,"scale":2}`).set("materials.0.emissiveTexture", `{"index":1}`)
	rich.set("materials.0.alphaMode", `"MASK"`)
	rich.set("extensions", `{"KHR_lights_punctual":{"lights":[{"type":"spot","spot":{}}]}}`)
	rich.set("nodes.0.children", "[1]").set("nodes.0.scale", "[-1,2,3]")
	rich.set("nodes.+", `{"camera":0,"extensions":{"KHR_lights_punctual":{"light":0}},"rotation":[0,1,0,1],"mesh":0,"skin":0}`)
	rich.set("cameras", `[{"perspective":{"yfov":1,"znear":0.1}}]`).set("skins", `[{"joints":[0,1]}]`)
	rich.addAccessor([]byte{0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0}, 5121, 3, "VEC4", "")
	rich.addAccessor([]byte{200, 55, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0}, 5121, 3, "VEC4", `,"normalized":true`)
	rich.addAccessor(shortBytes(0, 1, 2, 0, 1), 5123, 5, "SCALAR", "")
	iv, vv := rich.addView([]byte{2, 0, 0, 0}), rich.addView(floatBytes(1, 2, 3))
	if iv != 6 || vv != 7 {
		t.Fatal(iv, vv)
	}
	rich.set("accessors.0.sparse", `{"count":1,"indices":{"bufferView":6,"componentType":5121},"values":{"bufferView":7}}`)
	rich.set("meshes.0.primitives.+", `{"attributes":{"POSITION":0,"JOINTS_0":3,"WEIGHTS_0":4,"COLOR_0":4},"indices":5,"mode":5}`)
	return rich
}

// FuzzLoad: whatever the bytes are, loading ends in an error or in a scene
// that keeps all promises. Seeds are small files that use much of the format.
func FuzzLoad(f *testing.F) {
	f.Add(newTriangle(f).bytes())
	rich := richFile(f)
	if _, err := rich.load(); err != nil {
		f.Fatal(err)
	}
	f.Add(rich.bytes())
	f.Add([]byte(`{"asset":{"version":"2.0"},"nodes":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) { checkLoad(t, nil, data) })
}

// checkLoad loads bytes; what loads must be valid.
func checkLoad(t *testing.T, root *os.Root, data []byte) (loaded bool) {
	t.Helper()
	const limit = 16 << 20 // keeps rounds short
	src := &source{root: root, files: map[string][]byte{}, fixed: limit}
	s, err := loadData(t.Context(), src, "fuzz", data, LoadOptions{})
	if (s == nil) != (err != nil) {
		t.Fatalf("scene %v and error %v", s, err)
	}
	if err != nil {
		return false
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	for i := range s.Images {
		s.Images[i].MipLevels()
	}
	return true
}

// TestMutated is the part of fuzzing that knows the format: numbers of the
// JSON are replaced by awkward ones, members removed, and bytes of the binary
// chunk changed, by a fixed seed.
func TestMutated(t *testing.T) {
	seed := richFile(t)
	text, err := json.Marshal(seed.doc)
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"0", "-1", "1", "2", "3", "5", "255", "65536", "4294967295", "4294967296", "9007199254740993",
		"-9000000000000000000", "1e308", "0.5", "null", "[]", "{}", `""`, "true"}
	numbers := regexp.MustCompile(`-?[0-9][0-9.e+-]*|"[A-Za-z0-9_]+":`).FindAllIndex(text, -1)
	r := rand.New(rand.NewPCG(1, 2))
	rounds, loaded := 5000, 0
	if testing.Short() {
		rounds = 1000
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for range rounds {
		doc, bin := bytes.Clone(text), bytes.Clone(seed.bin)
		for range 1 + r.IntN(3) { // from the end, so that places stay
			at := numbers[r.IntN(len(numbers))]
			if at[1] > len(doc) || !bytes.Equal(doc[:at[1]], text[:at[1]]) {
				continue
			}
			by := values[r.IntN(len(values))]
			if text[at[0]] == '"' {
				by = `"x":` // the member is gone
			}
			doc = append(append(bytes.Clone(doc[:at[0]]), by...), doc[at[1]:]...)
		}
		for range r.IntN(3) {
			bin[r.IntN(len(bin))] = byte(r.Uint32())
		}
		if checkLoad(t, root, glb(doc, bin)) {
			loaded++
		}
	}
	if loaded < rounds/100 {
		t.Errorf("only %d of %d mutated files load: the mutations are too wild to test much", loaded, rounds)
	}
	t.Logf("%d of %d mutated files load", loaded, rounds)
}
