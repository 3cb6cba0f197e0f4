package assets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

const testOBJ = `# two objects
mtllib colours.mtl
o square
v 0 0 0
v 1 0 0 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 1
usemtl red
f 1/1/1 2/2/1 3/3/1 \
 4/4/1
usemtl glow
f 1 2 3
o corner
s off
usemtl nowhere
f -4 -2 -1
l 1 2
`

const testMTL = `newmtl red
Kd 0.5 0.25
Ns 0
d 0.5
map_Kd -s 2 2 2 textures\wood.png
newmtl glow
Ke 3 2 1
Pm 1
Pr 0.25
Ni 1.33
`

func TestOBJ(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"scene.OBJ": testOBJ, "colours.mtl": testMTL} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(t.Context(), filepath.Join(dir, "scene.OBJ"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(s.Meshes) != 3 || len(s.Instances) != 3 || len(s.Meshes[0].Primitives) != 2 || s.Meshes[1].Name != "corner" {
		t.Fatalf("%d meshes, %d instances, first %+v", len(s.Meshes), len(s.Instances), s.Meshes[0])
	}
	sq, glow, corner := s.Meshes[0].Primitives[0], s.Meshes[0].Primitives[1], s.Meshes[1].Primitives[0]
	if !slices.Equal(sq.Indices, []uint32{0, 1, 2, 0, 2, 3}) || !slices.Equal(sq.UV0[:4], []float32{0, 1, 1, 1}) ||
		!slices.Equal(sq.Colors[:8], []float32{1, 1, 1, 1, 1, 0, 0, 1}) || sq.normal(0) != (mgl32.Vec3{0, 0, 1}) {
		t.Errorf("square: %+v", sq)
	}
	if corner.TriangleCount() != 1 || corner.Positions[3] != 1 || corner.Positions[4] != 1 {
		t.Errorf("corner: %+v", corner)
	}
	red, shine := s.Materials[sq.Material], s.Materials[glow.Material]
	if red.AlphaMode != AlphaBlend || red.BaseColor != (mgl32.Vec4{1, 1, 1, 0.5}) || red.Roughness != 1 || !red.DoubleSided ||
		!s.Images[s.Textures[red.BaseColorTexture.Texture].Image].Missing {
		t.Errorf("red: %+v", red)
	}
	if shine.Emissive != (mgl32.Vec3{3, 2, 1}) || shine.Metallic != 1 || shine.Roughness != 0.25 || shine.IOR != 1.33 {
		t.Errorf("glow: %+v", shine)
	}
	said := strings.Join(s.Warnings, "\n")
	for _, want := range []string{`"nowhere" is not in the material library`,
		filepath.Join(dir, "textures", "wood.png")} {
		if !strings.Contains(said, want) {
			t.Errorf("the warnings %q do not say %q", said, want)
		}
	}
}

// Points and lines are given a thickness, and keep the material and the colours of their vertices. What a file of nothing else
// shows are they.
func TestOBJPointsAndLines(t *testing.T) {
	const text = "usemtl thread\nv 0 0 0 1 0 0\nv 10 0 0 0 1 0\nv 10 10 0 0 0 1\nv 0 10 0\nl 1/1 2 3\nl -1\np 4 1\n"
	path := filepath.Join(t.TempDir(), "thin.obj")
	// "1/1" names a texture coordinate.
	if err := os.WriteFile(path, []byte("vt 0 0\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(s.Meshes) != 1 || len(s.Meshes[0].Primitives) != 1 {
		t.Fatalf("meshes %+v", s.Meshes)
	}
	p := s.Meshes[0].Primitives[0]
	if p.ThinCount() != 4 || s.Materials[p.Material].Name != "thread" {
		t.Errorf("%d points and lines of %q, want 4 of thread", p.ThinCount(), s.Materials[p.Material].Name)
	}
	// Each vertex has its colour.
	for i := range p.VertexCount() {
		at, c := p.Positions[3*i:3*i+3], p.Colors[4*i:4*i+4]
		corner := map[[3]float32][2]float32{{1, 0, 0}: {0, 0}, {0, 1, 0}: {10, 0}, {0, 0, 1}: {10, 10}, {1, 1, 1}: {0, 10}}
		near, ok := corner[[3]float32(c)]
		if !ok || [3]float32(at) != [3]float32{near[0], near[1], 0} {
			t.Fatalf("vertex %d at %v has colour %v", i, at, c)
		}
	}
	for text, want := range map[string]string{"v 0 0 0\np 2\n": "1 positions", "v 0 0 0\nv nan 0 0\nl 1 2\n": "not finite"} {
		if _, err := loadText(t, text); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func loadText(t *testing.T, text string) (*Scene, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "text.obj")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(t.Context(), path, nil)
}

func TestBadOBJ(t *testing.T) {
	for text, want := range map[string]error{
		"":                                      ErrNoGeometry,
		"v 0 0 0\nf 1 1\n":                      ErrNoGeometry,
		"v 0 0 0\nf 1 2 3\n":                    ErrInvalid,
		"v 0 0 0\nf 1 1 0\n":                    ErrInvalid,
		"v 0 0 0\nf 1/1 1/1 1/1\n":              ErrInvalid,
		"v 0 0\nf 1 1 1\n":                      ErrInvalid,
		"vn 0 x 0\n":                            ErrInvalid,
		"v 0 x 0\n":                             ErrInvalid,
		"v 0 0 0\nv 1 0 0\nv 0 1e99 0\nf 1 2 3": ErrInvalid,
		"v 0 0 nan\nf 1 1 1":                    ErrInvalid,
		"v 0 0 0\nf // 1 1":                     ErrInvalid,
		"v 0 0 0\nf 1 1 99999999999":            ErrInvalid,
	} {
		if _, err := loadBytes(t, "bad.obj", []byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	s, err := loadBytes(t, "s.obj", []byte("mtllib ../secret.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"))
	if err != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "outside") {
		t.Errorf("%v, %v", err, s)
	}
}

const plyHead = `comment a pyramid's side
element vertex 3
property float x
property float y
property double z
property uchar red
property uchar green
property uchar blue
property list uchar short extra
element face 1
property uchar flags
property list uchar int vertex_indices
element edge 1
property int a
end_header
`

// plyBinary is the same file in numbers.
func plyBinary(order binary.AppendByteOrder) []byte {
	var b []byte
	f := func(x float32) { b = order.AppendUint32(b, math.Float32bits(x)) }
	for i := range 3 {
		f(float32(i & 1))
		f(float32(i >> 1))
		b = order.AppendUint64(b, math.Float64bits(0.5))
		b = append(b, 255, 188, 0, byte(i))
		for range i {
			b = order.AppendUint16(b, 7)
		}
	}
	b = append(b, 9, 3)
	for i := range 3 {
		b = order.AppendUint32(b, uint32(i))
	}
	return order.AppendUint32(b, 1)
}

func TestPLY(t *testing.T) {
	text := "0 0 0.5 255 188 0 0\n1 0 0.5 255 188 0 1 7\n0 1 0.5 255 188 0 2 7 7\n9 3 0 1 2\n1\n"
	for name, data := range map[string][]byte{
		"ascii":                []byte(text),
		"binary_little_endian": plyBinary(binary.LittleEndian),
		"binary_big_endian":    plyBinary(binary.BigEndian),
	} {
		file := append([]byte("ply\nformat "+name+" 1.0\n"+plyHead), data...)
		s, err := loadBytes(t, "s.ply", file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p := s.Meshes[0].Primitives[0]
		at := []float32{0, 0, 0.5, 1, 0, 0.5, 0, 1, 0.5}
		if err := s.Validate(); err != nil || p.TriangleCount() != 1 || !slices.Equal(p.Positions, at) ||
			p.Colors[0] != 1 || !near(p.Colors[1], 0.503, 1e-2) || p.Colors[2] != 0 || p.normal(0) != (mgl32.Vec3{0, 0, 1}) {
			t.Errorf("%s: %v, %+v", name, err, p)
		}
		for n := range len(file) - 1 { // cut anywhere; text may lose its last digit
			if _, err := loadBytes(t, "cut.ply", file[:n]); !errors.Is(err, ErrInvalid) && !(name == "ascii" && n > len(file)-4) {
				t.Fatalf("%s, cut to %d of %d bytes: %v", name, n, len(file), err)
			}
		}
		if name == "ascii" {
			bad := bytes.Replace(file, []byte("3 0 1 2"), []byte("3 0 1 3"), 1)
			if _, err := loadBytes(t, "bad.ply", bad); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "face 0") {
				t.Errorf("vertex 3 of 3: %v", err)
			}
		}
	}
}

// FuzzForeign: whatever the bytes are, an error or a valid scene.
func FuzzForeign(f *testing.F) {
	f.Add([]byte(testOBJ))
	f.Add(append([]byte("ply\nformat binary_big_endian 1.0\n"+plyHead), plyBinary(binary.BigEndian)...))
	f.Add([]byte("ply\nformat ascii 1.0\n" + plyHead +
		"0 0 0.5 255 188 0 0\n1 0 0.5 255 188 0 1 7\n0 1 0.5 255 188 0 2 7 7\n9 3 0 1 2\n1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 16 << 20
		src := &source{files: map[string][]byte{"colours.mtl": []byte(testMTL)}, fixed: limit}
		s, err := loadData(t.Context(), src, "fuzz.obj", data, LoadOptions{})
		if err == nil {
			err = s.Validate()
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
