package assets

import (
	"errors"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

func TestBuiltins(t *testing.T) {
	for name, want := range map[string]struct{ meshes, instances, triangles int }{
		"cornell": {6, 6, 36900}, "terrain": {1, 1, 199712}, "terrain:2": {1, 1, 2}, "terrain:4_193_408": {1, 1, 4193408},
		"field": {1, 100000, 1280}, "field:1": {1, 1, 1280}, "field:7": {1, 7, 1280},
	} {
		if want.triangles > 1_000_000 && testing.Short() {
			continue
		}
		s, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		st := s.Stats()
		if st.Meshes != want.meshes || st.Instances != want.instances || st.Triangles != want.triangles || s.Name != BuiltinPrefix+name {
			t.Errorf("%s: %+v, want %+v", s.Name, st, want)
		}
		// Outward winding: what the camera sees has its normals on the same side.
		for m := range s.Meshes {
			for k := range s.Meshes[m].Primitives {
				checkWinding(t, name, &s.Meshes[m].Primitives[k])
			}
		}
	}
}

func checkWinding(t *testing.T, name string, p *Primitive) {
	t.Helper()
	for i := 0; i+2 < len(p.Indices); i += 3 {
		f := unitOr(p.faceVector(i), mgl32.Vec3{})
		n := p.normal(int(p.Indices[i]))
		if strings.HasPrefix(name, "terrain") { // its normals are of the height, not of the triangles
			n = mgl32.Vec3{0, 1, 0}
		}
		if d := f.Dot(n); d <= 0 {
			t.Errorf("%s: triangle %d faces away from its normal (%g)", name, i/3, d)
			return
		}
	}
}

// TestBuiltinsAreStable holds hashes over positions and transforms. They may
// differ on architectures whose compiler fuses multiply and add; the shapes
// are rounded to a thousandth to allow for that.
func TestBuiltinsAreStable(t *testing.T) {
	for _, name := range []string{"cornell", "terrain:5000", "field:1000"} {
		a, b := sceneHash(t, name), sceneHash(t, name)
		if a != b {
			t.Errorf("%s differs from itself: %x and %x", name, a, b)
		}
	}
}

func sceneHash(t *testing.T, name string) uint64 {
	t.Helper()
	s, err := Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	add := func(v []float32) {
		for _, x := range v {
			r := int32(math.Round(float64(x) * 1000))
			h.Write([]byte{byte(r), byte(r >> 8), byte(r >> 16), byte(r >> 24)})
		}
	}
	for m := range s.Meshes {
		for k := range s.Meshes[m].Primitives {
			add(s.Meshes[m].Primitives[k].Positions)
		}
	}
	for i := range s.Instances {
		add(s.Instances[i].Transform[:])
	}
	return h.Sum64()
}

// TestTerrainGolden: the shape does not depend on the resolution.
func TestTerrainGolden(t *testing.T) {
	for _, n := range []int{200, 20000, 500000} {
		s, err := terrain(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		p := s.Meshes[0].Primitives[0].Positions
		corner := mgl32.Vec3{p[0], p[1], p[2]}
		if want := (mgl32.Vec3{-50, float32(terrainAt(-50, -50)), -50}); corner != want {
			t.Errorf("%d triangles: corner %v, want %v", n, corner, want)
		}
		if s.Bounds.Max[1] > terrainHeight || s.Bounds.Min[1] < -3 {
			t.Errorf("%d triangles: bounds %v", n, s.Bounds)
		}
	}
}

// TestFieldDensity: the volume grows with the number of instances, and an
// instance keeps its place in it.
func TestFieldDensity(t *testing.T) {
	a, err := Builtin("field:100000")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Builtin("field:12500") // an eighth: half the sides
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		p, q := a.Instances[i].Transform.Col(3).Vec3(), b.Instances[i].Transform.Col(3).Vec3()
		if p.Mul(0.5).Sub(q).Len() > 1e-3 || abs32(p[0]) > 150 || abs32(p[1]) > 15 || abs32(p[2]) > 150 {
			t.Errorf("instance %d at %v and %v", i, p, q)
		}
	}
	size := a.Bounds.Size()
	if size[0] < 298 || size[0] > 306 || size[1] < 30 || size[1] > 36 {
		t.Errorf("the slab is %v", size)
	}
}

func TestUnknownBuiltin(t *testing.T) {
	for _, name := range []string{"", "teapot", "terrain:", "terrain:x", "terrain:0", "terrain:-5", "terrain:99999999999", "field:0",
		"field:16777217", "cornell:3", "Cornell"} {
		s, err := Open(t.Context(), BuiltinPrefix+name, nil)
		if !errors.Is(err, ErrUnknownBuiltin) || s != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	_, err := Builtin("teapot")
	if want := `unknown built-in scene "teapot": there are cornell, field:N, terrain:N`; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func BenchmarkTerrain(b *testing.B) {
	for b.Loop() {
		if _, err := terrain(b.Context(), 4_193_408); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkField(b *testing.B) {
	for b.Loop() {
		if _, err := field(b.Context(), fieldBaseline); err != nil {
			b.Fatal(err)
		}
	}
}
