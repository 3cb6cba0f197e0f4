package rays

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/everray/everray/cmd/viewer/internal/accel"
)

// Hit is what verify.rgen writes per ray: 32 bytes. T < 0 is a miss.
//
//glsl:viewer/verify.rgen Hit
type Hit struct {
	T            float32
	Instance     uint32
	Geometry     uint32
	Primitive    uint32
	Barycentrics mgl32.Vec2
	Kind         uint32
	CustomIndex  uint32
}

// Missed reports a miss.
func (h Hit) Missed() bool { return h.T < 0 }

func (h Hit) sameTriangle(o Hit) bool {
	return h.Instance == o.Instance && h.Geometry == o.Geometry && h.Primitive == o.Primitive
}

// Reason says why two hits of one ray differ.
type Reason string

// The reasons, from harmless to wrong.
const (
	// SharedEdge: both ways hit at the same distance, different triangles that touch: a ray along their common edge.
	SharedEdge Reason = "shared edge"
	// Coplanar: the same distance, triangles that do not touch: surfaces that lie in each other.
	Coplanar Reason = "coplanar surfaces"
	// RayEnd: one way hit a surface within rounding of where the ray begins or ends, and the other did not.
	RayEnd Reason = "at the ray's end"
	// Grazing: one way hit a triangle within rounding of its edge, or almost edge-on, and the other passed by.
	Grazing Reason = "grazing"
	// Accuracy: the same triangle, but t or the barycentrics differ by more than rounding explains.
	Accuracy Reason = "t or barycentrics"
	// Facing: the same triangle, seen from different sides.
	Facing Reason = "hit kind"
	// Lost: one way hit a triangle squarely and the other did not. This is a bug of one of them.
	Lost Reason = "lost hit"
)

// Reasons lists all reasons in order.
func Reasons() []Reason {
	return []Reason{SharedEdge, Coplanar, RayEnd, Grazing, Accuracy, Facing, Lost}
}

// Tolerances of the comparison. Distances scale with the numbers that the intersection is computed from: the largest
// coordinate of origin and triangle, and t.
const (
	// positionTolerance is the error of a hit's position in units of that scale: 32 ULP.
	positionTolerance = 32 * 1.2e-7
	// edgeTolerance is how close to an edge, in barycentrics or in the scale above, a ray may graze a triangle.
	edgeTolerance = 1e-4
	// grazingCosine is the angle below which a triangle counts as seen edge-on.
	grazingCosine = 1e-3
)

// Shapes looks up what hits name: a triangle in world space, or a point or line. Of indices that name none ok is false.
// accel.Scene does.
type Shapes interface {
	Triangle(instance, geometry, primitive uint32) (p [3]mgl32.Vec3, ok bool)
	Thin(instance, geometry, primitive uint32) (t accel.Thin, ok bool)
}

// Difference is one ray on which two ways disagree.
type Difference struct {
	Ray    int    `json:"ray"`
	Reason Reason `json:"reason"`
	A, B   Hit    `json:"-"`
}

// String describes the difference in one line.
func (d Difference) String() string {
	return fmt.Sprintf("ray %d: %s: %s | %s", d.Ray, d.Reason, d.A, d.B)
}

// String describes the hit.
func (h Hit) String() string {
	if h.Missed() {
		return "miss"
	}
	return fmt.Sprintf("t %.9g instance %d geometry %d primitive %d barycentrics (%.7g, %.7g) kind %#x",
		h.T, h.Instance, h.Geometry, h.Primitive, h.Barycentrics[0], h.Barycentrics[1], h.Kind)
}

// Comparison counts the differences of a ray set.
type Comparison struct {
	Rays     int
	Hits     int // of the first way
	Differ   int
	Reasons  map[Reason]int
	Examples []Difference // the first few of every reason
}

// examplesPerReason bounds Comparison.Examples.
const examplesPerReason = 4

// Compare compares the hits of the same rays. Both slices are as long as rays.
func Compare(rays []Ray, a, b []Hit, shapes Shapes) Comparison {
	c := Comparison{Rays: len(rays), Reasons: map[Reason]int{}}
	for i, r := range rays {
		if !a[i].Missed() {
			c.Hits++
		}
		reason, same := compareHit(r, a[i], b[i], shapes)
		if same {
			continue
		}
		c.Differ++
		if c.Reasons[reason]++; c.Reasons[reason] <= examplesPerReason {
			c.Examples = append(c.Examples, Difference{Ray: i, Reason: reason, A: a[i], B: b[i]})
		}
	}
	return c
}

func compareHit(r Ray, a, b Hit, shapes Shapes) (Reason, bool) {
	if a.Missed() && b.Missed() {
		return "", true
	}
	if a.Missed() || b.Missed() {
		h := a
		if a.Missed() {
			h = b
		}
		return lostOrGrazing(r, h, shapes), false
	}
	if t, ok := shapes.Thin(a.Instance, a.Geometry, a.Primitive); ok && a.sameTriangle(b) {
		return compareThin(r, a, b, t)
	}
	if reason, ok := overThin(r, a, b, shapes); ok {
		return reason, false
	}
	p, ok := shapes.Triangle(a.Instance, a.Geometry, a.Primitive)
	q, ok2 := shapes.Triangle(b.Instance, b.Geometry, b.Primitive)
	if !ok || !ok2 {
		return Lost, false
	}
	if a.sameTriangle(b) {
		switch {
		case a.Kind != b.Kind:
			return Facing, false
		case !sameValues(r, a, b, p):
			return Accuracy, false
		}
		return "", true
	}
	if math.Abs(float64(a.T)-float64(b.T)) <= max(distanceTolerance(r, a, p), distanceTolerance(r, b, q)) {
		if touch(p, q) {
			return SharedEdge, false
		}
		return Coplanar, false
	}
	// One way saw through the nearer triangle.
	nearer := a
	if b.T < a.T {
		nearer = b
	}
	return lostOrGrazing(r, nearer, shapes), false
}

// scale is the size of the numbers that a hit is computed from.
func scale(r Ray, t float32, p [3]mgl32.Vec3) float64 {
	s := float64(t)
	for _, v := range [...]mgl32.Vec3{r.Origin, p[0], p[1], p[2]} {
		for _, x := range v {
			s = max(s, math.Abs(float64(x)))
		}
	}
	return s
}

func cosine(r Ray, p [3]mgl32.Vec3) float64 {
	n := wide(p[1]).Sub(wide(p[0])).Cross(wide(p[2]).Sub(wide(p[0])))
	if n.Len() == 0 {
		return 0
	}
	return math.Abs(n.Normalize().Dot(wide(r.Direction).Normalize()))
}

// distanceTolerance is how far t may be off: an error of position shows in t divided by the cosine.
func distanceTolerance(r Ray, h Hit, p [3]mgl32.Vec3) float64 {
	return positionTolerance * scale(r, h.T, p) / max(cosine(r, p), grazingCosine)
}

func sameValues(r Ray, a, b Hit, p [3]mgl32.Vec3) bool {
	tolerance := distanceTolerance(r, a, p)
	if math.Abs(float64(a.T)-float64(b.T)) > tolerance {
		return false
	}
	// Barycentrics are compared as the distance by which they move the point.
	du := float64(a.Barycentrics[0]) - float64(b.Barycentrics[0])
	dv := float64(a.Barycentrics[1]) - float64(b.Barycentrics[1])
	move := wide(p[1]).Sub(wide(p[0])).Mul(du).Add(wide(p[2]).Sub(wide(p[0])).Mul(dv))
	return move.Len() <= tolerance
}

// lostOrGrazing judges a hit that only one way has, in float64.
func lostOrGrazing(r Ray, h Hit, shapes Shapes) Reason {
	if t, ok := shapes.Thin(h.Instance, h.Geometry, h.Primitive); ok {
		return lostThin(r, h, t)
	}
	p, ok := shapes.Triangle(h.Instance, h.Geometry, h.Primitive)
	if !ok {
		return Lost
	}
	if ends := math.Min(float64(h.T)-float64(r.TMin), float64(r.TMax)-float64(h.T)); ends <= distanceTolerance(r, h, p) {
		return RayEnd
	}
	if cosine(r, p) < grazingCosine {
		return Grazing
	}
	b, _, ok := intersect(r, p)
	if !ok {
		return Grazing // a triangle without area
	}
	inside := min(b[0], b[1], b[2])
	// The distance to the nearest edge in the world, roughly: barycentric times the triangle's size.
	size := max(wide(p[1]).Sub(wide(p[0])).Len(), wide(p[2]).Sub(wide(p[0])).Len(), wide(p[2]).Sub(wide(p[1])).Len())
	if inside < edgeTolerance || inside*size < positionTolerance*scale(r, h.T, p)/max(cosine(r, p), grazingCosine) {
		return Grazing
	}
	return Lost
}

// intersect solves the ray's plane hit and barycentrics in float64.
func intersect(r Ray, p [3]mgl32.Vec3) (b [3]float64, t float64, ok bool) {
	e1, e2 := wide(p[1]).Sub(wide(p[0])), wide(p[2]).Sub(wide(p[0]))
	d := wide(r.Direction)
	q := d.Cross(e2)
	det := e1.Dot(q)
	if det == 0 {
		return b, 0, false
	}
	s := wide(r.Origin).Sub(wide(p[0]))
	w := s.Cross(e1)
	u, v := s.Dot(q)/det, d.Dot(w)/det
	return [3]float64{1 - u - v, u, v}, e2.Dot(w) / det, true
}

// touch reports whether two triangles have a corner in common.
func touch(p, q [3]mgl32.Vec3) bool {
	for _, v := range p {
		for _, w := range q {
			if v == w {
				return true
			}
		}
	}
	return false
}

func wide(v mgl32.Vec3) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])}
}
