package rays

import (
	"errors"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/cmd/viewer/internal/camera"
)

func TestSizesMatchTheShaders(t *testing.T) {
	if s := unsafe.Sizeof(Ray{}); s != 32 {
		t.Errorf("a ray has %d bytes, ray_io.glsl says 32", s)
	}
	if s := unsafe.Sizeof(Hit{}); s != 32 {
		t.Errorf("a hit has %d bytes, verify_hit.glsl says 32", s)
	}
}

func TestParseSets(t *testing.T) {
	got, err := ParseSets([]string{"ao", " Primary", "ao"})
	if err != nil || !slices.Equal(got, []Set{AO, Primary}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range [][]string{nil, {""}, {"shadow"}} {
		if _, err := ParseSets(bad); !errors.Is(err, ErrUnknownSet) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTileOrderIsAPermutation(t *testing.T) {
	order := tileOrder(13, 7)
	slices.Sort(order)
	for i, v := range order {
		if i != v {
			t.Fatalf("pixel %d is missing or double", i)
		}
	}
	if len(order) != 13*7 {
		t.Fatalf("%d pixels", len(order))
	}
}

func TestSecondaryRays(t *testing.T) {
	const w, h = 16, 8
	points := make([]Point, w*h)
	n := mgl32.Vec3{0, 0, 1}
	for i := range points {
		if i%3 == 0 {
			points[i] = Point{Position: mgl32.Vec3{float32(i), 0, 0}, Normal: n}
		}
	}
	bounds := Bounds{High: mgl32.Vec3{3, 4, 0}}
	for _, s := range []Set{AO, Diffuse} {
		rays, err := Secondary(s, points, w, h, bounds)
		if err != nil {
			t.Fatal(err)
		}
		var z float64
		for i, r := range rays {
			if r.Direction.Dot(n) <= 0 || math.Abs(float64(r.Direction.Len())-1) > 1e-5 {
				t.Fatalf("%s ray %d leaves along %v", s, i, r.Direction)
			}
			if r.Origin[2] <= 0 {
				t.Fatalf("%s ray %d starts on the surface", s, i)
			}
			if want := float32(1.25); s == AO && r.TMax != want {
				t.Fatalf("ao ray %d ends at %g, want %g", i, r.TMax, want)
			}
			z += float64(r.Direction.Z())
		}
		if mean := z / float64(len(rays)); math.Abs(mean-2.0/3) > 0.06 {
			t.Errorf("%s: mean cosine %g, want 2/3", s, mean)
		}
	}
	if _, err := Secondary(AO, make([]Point, w*h), w, h, bounds); !errors.Is(err, ErrNothingHit) {
		t.Errorf("no hits: %v", err)
	}
}

func TestRandomRaysCrossTheBox(t *testing.T) {
	b := Bounds{Low: mgl32.Vec3{-1, -2, -3}, High: mgl32.Vec3{1, 2, 3}}
	for i, r := range RandomRays(1000, b) {
		if math.Abs(float64(r.Direction.Len())-1) > 1e-5 {
			t.Fatalf("ray %d: direction %v", i, r.Direction)
		}
		onFace := false
		for axis := range 3 {
			onFace = onFace || math.Abs(math.Abs(float64(r.Origin[axis]))-1.1*float64(b.High[axis])) < 1e-5
		}
		if !onFace {
			t.Fatalf("ray %d starts at %v, not on the grown box", i, r.Origin)
		}
	}
}

func TestPrimaryRaysAreRowMajor(t *testing.T) {
	c := camera.LookAt(mgl32.Vec3{0, 0, 5}, mgl32.Vec3{}, mgl32.Vec3{0, 1, 0}, 1)
	rays := PrimaryRays(c.Basis(2), 4, 2)
	if len(rays) != 8 || rays[0].Direction.X() >= rays[1].Direction.X() || rays[0].Direction.Y() <= rays[4].Direction.Y() {
		t.Errorf("rays %v", rays)
	}
}
