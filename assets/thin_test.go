package assets

import (
	"strconv"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// TestThin: points and lines of all modes become closed surfaces around them, facing outwards, in their own colours.
func TestThin(t *testing.T) {
	for mode, want := range []struct{ points, segments int }{{4, 0}, {0, 2}, {0, 4}, {0, 3}} {
		f := newTriangle(t)
		a := f.addAccessor(floatBytes(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5), 5126, 4, "VEC3", "")
		c := f.addAccessor([]byte{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 9}, 5121, 4, "VEC4", `,"normalized":true`)
		f.set("meshes.0.primitives.0", `{"mode":`+strconv.Itoa(mode)+`,"attributes":{"POSITION":`+strconv.Itoa(a)+`,"COLOR_0":`+
			strconv.Itoa(c)+`}}`)
		s := f.mustLoad()
		p := &s.Meshes[0].Primitives[0]
		n := want.points*pointTriangles + want.segments*segmentTriangles
		if p.TriangleCount() != n || p.Colors[0] != 1 || p.Colors[1] != 0 {
			t.Errorf("mode %d: %d triangles, want %d", mode, p.TriangleCount(), n)
		}
		edges := map[[2]uint32]int{}
		for i := 0; i < len(p.Indices); i += 3 {
			face := p.faceVector(i)
			out := mgl32.Vec3{}
			for k := range 3 {
				out = out.Add(p.normal(int(p.Indices[i+k])))
				from, to := p.Indices[i+k], p.Indices[i+(k+1)%3]
				edges[[2]uint32{from, to}]++
			}
			if float64(out[0])*face[0]+float64(out[1])*face[1]+float64(out[2])*face[2] <= 0 {
				t.Fatalf("mode %d: triangle %d faces inwards", mode, i/3)
			}
		}
		for e, n := range edges { // closed: each edge once in each direction
			if n != 1 || edges[[2]uint32{e[1], e[0]}] != 1 {
				t.Fatalf("mode %d: edge %v is there %d times", mode, e, n)
			}
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
	if err != nil || s.Meshes[0].TriangleCount() != 2*pointTriangles {
		t.Errorf("a cloud of points: %v", err)
	}
}
