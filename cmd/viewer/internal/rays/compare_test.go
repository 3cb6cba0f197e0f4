package rays

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// square is two triangles in the plane z = 0 that share the diagonal from (0,0) to (1,1), and one behind them.
func square(_, _, primitive uint32) ([3]mgl32.Vec3, bool) {
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
		{"no such triangle", down(0.5, 0.2), hit(1, 7), hit(1, 0), Lost},
	} {
		reason, same := compareHit(c.ray, c.a, c.b, square)
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
	c := Compare(rays, a, b, square)
	if c.Rays != 3 || c.Hits != 2 || c.Differ != 1 || c.Reasons[Lost] != 1 || len(c.Examples) != 1 {
		t.Errorf("comparison %+v", c)
	}
}
