package rays

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/cmd/viewer/internal/accel"
)

// square is two triangles in the plane z = 0 that share the diagonal from (0,0) to (1,1), and one behind them. Instance 1 is a
// line along x at z = 0, and a point at its end, with a radius of a tenth.
type square struct{}

func (square) Thin(instance, _, primitive uint32) (accel.Thin, bool) {
	t := accel.Thin{From: mgl32.Vec3{1, 0, 0}, To: mgl32.Vec3{1, 0, 0}, Radius: 0.1, ToWorld: mgl32.Ident4()}
	if primitive == 0 {
		t.From = mgl32.Vec3{}
	}
	return t, instance == 1
}

func (square) Triangle(instance, _, primitive uint32) ([3]mgl32.Vec3, bool) {
	if instance != 0 {
		return [3]mgl32.Vec3{}, false
	}
	switch primitive {
	case 0:
		return [3]mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, true
	case 1:
		return [3]mgl32.Vec3{{0, 0, 0}, {1, 1, 0}, {0, 1, 0}}, true
	case 2:
		return [3]mgl32.Vec3{{-9, -9, -1}, {9, -9, -1}, {0, 9, -1}}, true
	case 3:
		return [3]mgl32.Vec3{{-8, -8, 0}, {8, -8, 0}, {0, 8, 0}}, true
	}
	return [3]mgl32.Vec3{}, false
}

func TestCompareReasons(t *testing.T) {
	down := func(x, y float32) Ray {
		return Ray{Origin: mgl32.Vec3{x, y, 1}, Direction: mgl32.Vec3{0, 0, -1}, TMax: Infinity}
	}
	miss := Hit{T: -1}
	hit := func(t float32, primitive uint32) Hit { return Hit{T: t, Primitive: primitive, Kind: 0xFE} }
	back := hit(1, 0)
	back.Kind = 0xFF
	thin := func(t float32, primitive uint32) Hit { return Hit{T: t, Instance: 1, Primitive: primitive} }
	leaves := thin(0.9, 0)
	leaves.Kind = 1
	moved := hit(1, 0)
	moved.Barycentrics = mgl32.Vec2{0.01, 0}
	for _, c := range []struct {
		name string
		ray  Ray
		a, b Hit
		want Reason // empty = no difference
	}{
		{"both miss", down(0.5, 0.2), miss, miss, ""},
		{"same", down(0.5, 0.2), hit(1, 0), hit(1.0000001, 0), ""},
		{"on the diagonal", down(0.5, 0.5), hit(1, 0), hit(1, 1), SharedEdge},
		{"surfaces in each other", down(0.5, 0.2), hit(1, 0), hit(1, 3), Coplanar},
		{"passes the outer edge", down(0.5, 0.00001), hit(1, 0), miss, Grazing},
		{"passes the outer edge, other way", down(0.5, 0.00001), miss, hit(1, 0), Grazing},
		{"hits behind at the edge", down(0.5, 0.00001), hit(1, 0), hit(2, 2), Grazing},
		{"starts on the surface", Ray{Origin: mgl32.Vec3{0.5, 0.2, 0}, Direction: mgl32.Vec3{0, 0, -1}, TMax: Infinity}, hit(0, 0),
			hit(1, 2), RayEnd},
		{"ends on the surface", Ray{Origin: mgl32.Vec3{0.5, 0.2, 1}, Direction: mgl32.Vec3{0, 0, -1}, TMax: 1}, hit(1, 0), miss, RayEnd},
		{"misses squarely", down(0.5, 0.2), hit(1, 0), miss, Lost},
		{"sees through", down(0.5, 0.2), hit(2, 2), hit(1, 0), Lost},
		{"t is off", down(0.5, 0.2), hit(1, 0), hit(1.001, 0), Accuracy},
		{"barycentrics are off", down(0.5, 0.2), hit(1, 0), moved, Accuracy},
		{"other side", down(0.5, 0.2), hit(1, 0), back, Facing},
		{"same on a line", down(0.5, 0), thin(0.9, 0), thin(0.9000001, 0), ""},
		{"t of a line is off", down(0.5, 0), thin(0.9, 0), thin(0.9001, 0), Accuracy},
		{"inside of a line", down(0.5, 0), thin(0.9, 0), leaves, Facing},
		{"misses a line squarely", down(0.5, 0.05), thin(0.9134, 0), miss, Lost},
		{"sees through a line", down(0.5, 0.05), hit(1, 0), thin(0.9134, 0), Lost},
		{"passes a line", down(0.5, 0.09995), thin(0.997, 0), hit(1, 0), Grazing},
		{"a line and the point at its end", down(1, 0), thin(0.9, 0), thin(0.9, 1), SharedEdge},
		{"no such triangle", down(0.5, 0.2), hit(1, 7), hit(1, 0), Lost},
	} {
		reason, same := compareHit(c.ray, c.a, c.b, square{})
		if same != (c.want == "") || reason != c.want {
			t.Errorf("%s: %q, same %v, want %q", c.name, reason, same, c.want)
		}
	}
}

func TestCompareCounts(t *testing.T) {
	r := Ray{Origin: mgl32.Vec3{0.5, 0.2, 1}, Direction: mgl32.Vec3{0, 0, -1}, TMax: Infinity}
	rays := []Ray{r, r, r}
	a := []Hit{{T: 1}, {T: 1}, {T: -1}}
	b := []Hit{{T: 1}, {T: -1}, {T: -1}}
	c := Compare(rays, a, b, square{})
	if c.Rays != 3 || c.Hits != 2 || c.Differ != 1 || c.Reasons[Lost] != 1 || len(c.Examples) != 1 {
		t.Errorf("comparison %+v", c)
	}
}
