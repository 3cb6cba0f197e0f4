package assets

import (
	"slices"
	"strconv"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// Points and lines of all modes are listed by their ends, with the colours of the file's vertices.
func TestThin(t *testing.T) {
	for mode, want := range [][]uint32{{0, 0, 1, 1, 2, 2, 3, 3}, {0, 1, 2, 3}, {0, 1, 1, 2, 2, 3, 3, 0}, {0, 1, 1, 2, 2, 3}} {
		f := newTriangle(t)
		a := f.addAccessor(floatBytes(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5), 5126, 4, "VEC3", "")
		c := f.addAccessor([]byte{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 9}, 5121, 4, "VEC4", `,"normalized":true`)
		f.set("meshes.0.primitives.0", `{"mode":`+strconv.Itoa(mode)+`,"attributes":{"POSITION":`+strconv.Itoa(a)+`,"COLOR_0":`+
			strconv.Itoa(c)+`}}`)
		s := f.mustLoad()
		p := &s.Meshes[0].Primitives[0]
		if !slices.Equal(p.Ends, want) || p.TriangleCount() != 0 || !(p.Radius > 0) || p.Colors[0] != 1 || p.Colors[5] != 1 {
			t.Errorf("mode %d: ends %v, want %v; radius %g, colours %v", mode, p.Ends, want, p.Radius, p.Colors)
		}
		// The bounds hold what a ray meets.
		r := mgl32.Vec3{p.Radius, p.Radius, p.Radius}
		if b := s.Bounds; b.Min != r.Mul(-1) || b.Max != (mgl32.Vec3{1, 1, 0.5}).Add(r) {
			t.Errorf("mode %d: bounds %v with a radius of %g", mode, b, p.Radius)
		}
	}
	f := newTriangle(t)
	beyond := f.addAccessor([]byte{0, 7}, 5121, 2, "SCALAR", "")
	f.set("meshes.0.primitives.0.mode", "1").set("meshes.0.primitives.0.indices", strconv.Itoa(beyond))
	if _, err := f.load(); err == nil {
		t.Error("an index beyond the vertices was accepted")
	}
	s, err := loadBytes(t, "cloud.ply", []byte("ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n"+
		"property float y\nproperty float z\n"+
		"end_header\n0 0 0\n1 1 1\n"))
	if err != nil || s.Meshes[0].Primitives[0].ThinCount() != 2 || s.Stats().Thin != 2 {
		t.Errorf("a cloud of points: %v", err)
	}
}

// A mesh of triangles and lines becomes two, shown wherever it was; a line without length is left out.
func TestThinAside(t *testing.T) {
	s, err := loadBytes(t, "both.obj", []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\nl 3 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(s.Meshes) != 2 || s.Meshes[0].IsThin() || !s.Meshes[1].IsThin() || len(s.Instances) != 2 || s.Instances[1].Mesh != 1 {
		t.Fatalf("meshes %+v, instances %+v", s.Meshes, s.Instances)
	}
	if n := s.Meshes[1].Primitives[0].ThinCount(); n != 1 {
		t.Errorf("%d lines, want 1", n)
	}
	if w := s.WithoutThin(); len(w.Meshes) != 1 || len(w.Instances) != 1 || w.Validate() != nil || len(s.Instances) != 2 {
		t.Errorf("without lines: %d meshes, %d instances", len(w.Meshes), len(w.Instances))
	}
	s.Meshes[0].Primitives = append(s.Meshes[0].Primitives, s.Meshes[1].Primitives...)
	if s.Validate() == nil {
		t.Error("triangles and lines in one mesh are valid")
	}
}
