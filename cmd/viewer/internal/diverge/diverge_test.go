package diverge

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
)

// corners are all triangles of a scene in world space, sorted.
func corners(s *assets.Scene) [][3]mgl32.Vec3 {
	var out [][3]mgl32.Vec3
	for i := range s.Instances {
		in := &s.Instances[i]
		for _, p := range s.Meshes[in.Mesh].Primitives {
			for t := 0; t < len(p.Indices); t += 3 {
				var tri [3]mgl32.Vec3
				for k, v := range p.Indices[t : t+3] {
					tri[k] = in.Transform.Mul4x1(mgl32.Vec4{p.Positions[3*v], p.Positions[3*v+1], p.Positions[3*v+2], 1}).Vec3()
				}
				out = append(out, tri)
			}
		}
	}
	slices.SortFunc(out, func(a, b [3]mgl32.Vec3) int {
		for k := range a {
			for axis := range a[k] {
				if a[k][axis] != b[k][axis] {
					if a[k][axis] < b[k][axis] {
						return -1
					}
					return 1
				}
			}
		}
		return 0
	})
	return out
}

func TestDealKeepsAllTriangles(t *testing.T) {
	for _, name := range []string{"terrain:20000", "field:9", "cornell"} {
		scene, err := assets.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		dealt, err := Deal(scene)
		if err != nil {
			t.Fatal(err)
		}
		mesh := &dealt.Meshes[0]
		if len(dealt.Meshes) != 1 || len(mesh.Primitives) != Geometries {
			t.Fatalf("%s: %d meshes, %d geometries", name, len(dealt.Meshes), len(mesh.Primitives))
		}
		want, got := corners(scene), corners(dealt)
		// Geometries of small scenes that got nothing have a triangle without area.
		got = slices.DeleteFunc(got, func(tri [3]mgl32.Vec3) bool { return tri[0] == tri[1] && tri[1] == tri[2] })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d triangles, want %d", name, len(got), len(want))
		}
		share := float64(len(want)) / Geometries
		for g := range mesh.Primitives {
			p := &mesh.Primitives[g]
			if n := float64(p.TriangleCount()); share > 10*Chunk && (n < share/2 || n > 2*share) {
				t.Errorf("%s: geometry %d has %g of %d triangles", name, g, n, len(want))
			}
			for _, v := range p.Indices {
				if int(v) >= p.VertexCount() {
					t.Fatalf("%s: geometry %d: vertex %d of %d", name, g, v, p.VertexCount())
				}
			}
		}
	}
}

func TestDealRefuses(t *testing.T) {
	scene, err := assets.Builtin("field:100000")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*assets.Scene{scene, {Name: "nothing"}} {
		if d, err := Deal(s); !errors.Is(err, ErrTooManyTriangles) || d != nil {
			t.Errorf("%s: %v, %v", s.Name, d, err)
		}
	}
}

func TestParseKinds(t *testing.T) {
	got, err := ParseKinds([]string{"Light1", "mixed16", " light1"})
	if err != nil || len(got) != 2 || got[0].Name != "light1" || got[1].Name != "mixed16" {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range [][]string{nil, {"mixed17"}, {""}} {
		if got, err := ParseKinds(bad); !errors.Is(err, ErrUnknownKind) {
			t.Errorf("%q: %v, %v", bad, got, err)
		}
	}
}

func TestCompare(t *testing.T) {
	same := func() []Path {
		out := make([]Path, 1000)
		for i := range out {
			out[i] = Path{mgl32.Vec3{0.5, 0.25, 1}, 3}
		}
		return out
	}
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		change func(p []Path)
		differ int
		fine   bool
	}{
		{"equal", func([]Path) {}, 0, true},
		{"rounding", func(p []Path) { p[3].Radiance[0] += 1e-5 }, 0, true},
		{"one more ray", func(p []Path) { p[3].Rays++ }, 1, true},
		{"a few other paths", func(p []Path) { p[3].Radiance[0], p[4].Radiance[1] = 0.4, 0.35 }, 2, true},
		{"many other paths", func(p []Path) {
			for i := range 20 {
				p[i].Radiance = mgl32.Vec3{0.5, 1, 0.25}
			}
		}, 20, false},
		{"darker", func(p []Path) {
			for i := range p {
				p[i].Radiance = p[i].Radiance.Mul(0.998)
			}
		}, 1000, false},
		{"darker in one", func(p []Path) { p[0].Radiance = mgl32.Vec3{} }, 1, false},
		{"not a number", func(p []Path) { p[7].Radiance[2] = nan }, 1, false},
	} {
		image := same()
		if c.name == "darker in one" {
			image = image[:100]
		}
		reference := same()[:len(image)]
		c.change(image)
		got := Compare(image, reference)
		if err := got.Verdict(); got.Differ != c.differ || got.Paths != len(image) || (err == nil) != c.fine || err != nil &&
			!errors.Is(err, ErrDiffer) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// All kinds and forms see the same paths as the driver's own ray tracing, and heavy shaders see what light ones do not.
func TestWaysAgree(t *testing.T) {
	scene, err := assets.Builtin("terrain:3000")
	if err != nil {
		t.Fatal(err)
	}
	dealt, err := Deal(scene)
	if err != nil {
		t.Fatal(err)
	}
	cam, _ := camera.Of(scene.Cameras[0])
	const width, height = 16, 10
	o := Options{Rays: rays.PrimaryRays(cam.Basis(float32(width)/height), width, height), Width: width, Height: height, Steps: 3}
	native, err := NewPaths(t.Context(), devtest.Open(t, engine.BackendNative), dealt, o)
	if err != nil {
		t.Fatal(err)
	}
	defer native.Destroy()
	compute, err := NewPaths(t.Context(), devtest.Open(t, engine.BackendCompute), dealt, o)
	if err != nil {
		t.Fatal(err)
	}
	defer compute.Destroy()
	image := func(p *Paths, k Kind, form engine.LinkForm) []Path {
		tr, err := p.NewTracer(t.Context(), k, form)
		if err != nil {
			t.Fatalf("%s, %s: %v", k.Name, form, err)
		}
		defer tr.Destroy()
		out, err := tr.Image(t.Context())
		if err != nil {
			t.Fatalf("%s, %s: %v", k.Name, form, err)
		}
		return out
	}
	images := map[string][]Path{}
	for _, k := range Kinds() {
		if k.Name == "heavy16" || k.AnyHit && k.Name != "anymixed16" { // each native pipeline of 16 shaders takes seconds
			continue
		}
		reference := image(native, k, engine.FormAuto)
		images[k.Name] = reference
		forms := []engine.LinkForm{engine.FormMonolithic}
		if k.Name == "mixed16" {
			forms = append(forms, engine.FormMegakernel, engine.FormBlocks, engine.FormWavefront, engine.FormSorted)
		}
		if k.AnyHit {
			forms = []engine.LinkForm{engine.FormSuspended}
		}
		least := uint64(3 * width * height / 2) // rays
		if k.AnyHit {                           // which lets half of them through
			least = 5 * width * height / 4
		}
		for _, form := range forms {
			plain := image(compute, k, form)
			c := Compare(plain, reference)
			if err := c.Verdict(); err != nil || c.Rays < least {
				t.Errorf("%s, %s: %+v, %v", k.Name, form, c, err)
			}
			if k.Name != "mixed16" && form != engine.FormSuspended {
				continue
			}
			// Hit objects and reorders change nothing, not a bit.
			sorted := k
			sorted.Reorder = true
			if c := Compare(image(compute, sorted, form), plain); c.Differ > 0 || c.Mean != c.MeanReference {
				t.Errorf("%s, %s with hit objects: %+v", k.Name, form, c)
			}
		}
	}
	for _, other := range []string{"light16", "light1"} {
		if c := Compare(images["mixed16"], images[other]); c.Differ < width*height/4 {
			t.Errorf("mixed16 and %s: %+v", other, c)
		}
	}
}
