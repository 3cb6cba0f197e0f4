package rays

import (
	"math"

	"github.com/everray/everray/cmd/viewer/internal/accel"
)

// grazingDepth is how deep a ray's line may go into a point or line, as a share of its radius, and count as grazing it: there both
// the nearest point and the square root for the distance lose digits.
const grazingDepth = 1e-3

// thinTolerance is how far t may be off at a point or line.
func thinTolerance(r Ray, h Hit, t accel.Thin) float64 {
	at := r.Origin.Add(r.Direction.Mul(h.T))
	cosine := math.Abs(float64(t.Normal(at).Normalize().Dot(r.Direction.Normalize())))
	size := float64(h.T)
	for k := range 3 {
		size = max(size, math.Abs(float64(r.Origin[k])), math.Abs(float64(at[k])))
	}
	return positionTolerance * size / max(cosine, grazingCosine)
}

// compareThin compares two hits of one point or line.
func compareThin(r Ray, a, b Hit, t accel.Thin) (Reason, bool) {
	switch {
	case a.Kind != b.Kind:
		return Facing, false
	case math.Abs(float64(a.T)-float64(b.T)) > thinTolerance(r, a, t):
		return Accuracy, false
	}
	return "", true
}

// overThin compares hits of two primitives, where the nearer one is a point or line; ok is false where it is not. Lines of a
// path share the ball at their common end.
func overThin(r Ray, a, b Hit, shapes Shapes) (_ Reason, ok bool) {
	if b.T < a.T {
		a, b = b, a
	}
	t, ok := shapes.Thin(a.Instance, a.Geometry, a.Primitive)
	if !ok {
		return "", false
	}
	if float64(b.T)-float64(a.T) > thinTolerance(r, a, t) {
		return lostThin(r, a, t), true
	}
	if _, both := shapes.Thin(b.Instance, b.Geometry, b.Primitive); both {
		return SharedEdge, true
	}
	return Coplanar, true
}

// lostThin judges a hit of a point or line that only one way has.
func lostThin(r Ray, h Hit, t accel.Thin) Reason {
	if ends := math.Min(float64(h.T)-float64(r.TMin), float64(r.TMax)-float64(h.T)); ends <= thinTolerance(r, h, t) {
		return RayEnd
	}
	if t.Depth(r.Origin, r.Direction) < grazingDepth {
		return Grazing
	}
	return Lost
}
