package inspect

import (
	"math"
)

// The reference tracer: brute force over all primitives in float64. Slow and obviously right.

// Ray is a ray as the kernels of Tracer read it, 32 bytes.
type Ray struct {
	Origin    [3]float32
	TMin      float32
	Direction [3]float32
	TMax      float32
}

// NoInstance is the instance index of a miss.
const NoInstance = ^uint32(0)

// Hit kinds.
const (
	HitFront = 0xFE
	HitBack  = 0xFF
)

// Ray flags, as in SPIR-V.
const (
	RayOpaque              = 1
	RayNoOpaque            = 2
	RayTerminateOnFirstHit = 4
	RaySkipClosestHit      = 8
	RayCullBackFacing      = 16
	RayCullFrontFacing     = 32
	RayCullOpaque          = 64
	RayCullNoOpaque        = 128
	RaySkipTriangles       = 256
	RaySkipAABBs           = 512
)

// Instance flags, as in VkGeometryInstanceFlagBitsKHR.
const (
	InstanceCullDisable   = 1
	InstanceFlipFacing    = 2
	InstanceForceOpaque   = 4
	InstanceForceNoOpaque = 8
)

// ReferenceInstance is one instance of a reference scene, of triangles or of boxes. An instance of neither is inactive.
type ReferenceInstance struct {
	Transform   [12]float32 // object to world, row major
	Mask        uint8
	Flags       uint8
	CustomIndex uint32
	TableOffset uint32
	Triangles   []Triangle
	Boxes       []ProceduralBox
}

// Reference is a scene for the reference tracer.
type Reference []ReferenceInstance

// ReferenceHit is the reference's answer.
type ReferenceHit struct {
	T, U, V     float64
	Primitive   uint32
	Geometry    uint32
	Instance    uint32 // NoInstance: a miss
	CustomIndex uint32
	TableOffset uint32
	Kind        uint8
	// Ambiguous is set when float32 may rightly see something else: the ray passes a triangle's edge within the
	// margin, a hit lies at an end of the interval, or two hits are closer than float32 tells apart.
	Ambiguous bool
}

// Margins of ambiguity, relative: barycentric weights and distances.
const (
	marginEdge     = 1e-4
	marginDistance = 1e-5
)

// Trace finds the closest hit. ignore decides about triangles that are not opaque; nil accepts them.
func (r Reference) Trace(ray Ray, flags uint32, cullMask uint8, ignore func(t Triangle) bool) ReferenceHit {
	best := ReferenceHit{T: math.Inf(1), Instance: NoInstance}
	var candidates []ReferenceHit
	if flags&RaySkipTriangles != 0 {
		return best
	}
	for i, in := range r {
		if in.Mask&cullMask == 0 {
			continue
		}
		inv, ok := invert64(in.Transform)
		if !ok {
			continue
		}
		o, d := transform64(inv, to64(ray.Origin), 1), transform64(inv, to64(ray.Direction), 0)
		for _, t := range in.Triangles {
			h, ok := intersect64(o, d, t)
			if !ok || !visible(h, in, t, flags) || (!opaque(in, t.Opaque, flags) && ignore != nil && ignore(t)) {
				continue
			}
			if in.Flags&InstanceFlipFacing != 0 {
				h.Kind ^= HitFront ^ HitBack
			}
			near := marginDistance * math.Max(1, math.Abs(h.T))
			if h.T < float64(ray.TMin)-near || h.T > float64(ray.TMax)+near {
				continue
			}
			h.Instance, h.CustomIndex, h.TableOffset = uint32(i), in.CustomIndex, in.TableOffset
			h.Primitive, h.Geometry = t.Primitive, t.Geometry
			h.Ambiguous = h.Ambiguous || h.T < float64(ray.TMin)+near || h.T > float64(ray.TMax)-near
			candidates = append(candidates, h)
			inside := math.Min(h.U, math.Min(h.V, 1-h.U-h.V)) >= 0
			if inside && h.T > float64(ray.TMin) && h.T < float64(ray.TMax) && h.T < best.T {
				best = h
			}
		}
	}
	// Anything doubtful up to the closest hit makes the answer doubtful.
	for _, c := range candidates {
		close := c.T <= best.T*(1+marginDistance)+marginDistance
		same := c.Instance == best.Instance && c.Geometry == best.Geometry && c.Primitive == best.Primitive
		if close && (c.Ambiguous || !same) {
			best.Ambiguous = true
		}
	}
	return best
}

// opaque tells whether a primitive is opaque for a ray, from its geometry's flag.
func opaque(in ReferenceInstance, geometry bool, flags uint32) bool {
	switch {
	case flags&RayOpaque != 0:
		return true
	case flags&RayNoOpaque != 0:
		return false
	case in.Flags&InstanceForceOpaque != 0:
		return true
	case in.Flags&InstanceForceNoOpaque != 0:
		return false
	}
	return geometry
}

// culledByOpacity applies the ray flags that cull opaque primitives or all others.
func culledByOpacity(isOpaque bool, flags uint32) bool {
	if isOpaque {
		return flags&RayCullOpaque != 0
	}
	return flags&RayCullNoOpaque != 0
}

// visible applies culling by facing and opacity. h.Kind is still without the instance's flip.
func visible(h ReferenceHit, in ReferenceInstance, t Triangle, flags uint32) bool {
	if culledByOpacity(opaque(in, t.Opaque, flags), flags) {
		return false
	}
	if in.Flags&InstanceCullDisable != 0 {
		return true
	}
	front := (h.Kind == HitFront) != (in.Flags&InstanceFlipFacing != 0)
	if front {
		return flags&RayCullFrontFacing == 0
	}
	return flags&RayCullBackFacing == 0
}

// intersect64 solves o + t*d = v0 + u*e1 + v*e2 and accepts weights a margin below zero, as ambiguous.
func intersect64(o, d [3]float64, t Triangle) (ReferenceHit, bool) {
	v0, e1, e2 := to64(t.V[0]), sub(to64(t.V[1]), to64(t.V[0])), sub(to64(t.V[2]), to64(t.V[0]))
	n := cross(e1, e2)
	det := -dot(d, n)
	if det == 0 {
		return ReferenceHit{}, false
	}
	s := sub(o, v0)
	q := cross(s, d)
	h := ReferenceHit{T: dot(s, n) / det, U: dot(e2, q) / det, V: -dot(e1, q) / det, Kind: HitBack}
	if det > 0 { // the normal by the right-hand rule points against the ray
		h.Kind = HitFront
	}
	least := math.Min(h.U, math.Min(h.V, 1-h.U-h.V))
	if !(least >= -marginEdge) {
		return ReferenceHit{}, false
	}
	h.Ambiguous = least < marginEdge || math.Abs(det) < 1e-6*math.Sqrt(dot(d, d)*dot(n, n))
	return h, true
}

func to64(v [3]float32) [3]float64 { return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])} }
func sub(a, b [3]float64) [3]float64 {
	return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]}
}
func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func transform64(m [12]float64, v [3]float64, w float64) [3]float64 {
	var r [3]float64
	for k := range 3 {
		r[k] = m[4*k]*v[0] + m[4*k+1]*v[1] + m[4*k+2]*v[2] + m[4*k+3]*w
	}
	return r
}

// invert64 inverts an affine transform.
func invert64(t [12]float32) ([12]float64, bool) {
	row := func(k int) [3]float64 {
		return [3]float64{float64(t[4*k]), float64(t[4*k+1]), float64(t[4*k+2])}
	}
	c := [3][3]float64{cross(row(1), row(2)), cross(row(2), row(0)), cross(row(0), row(1))}
	det := dot(row(0), c[0])
	if det == 0 || math.IsNaN(det) {
		return [12]float64{}, false
	}
	var m [12]float64
	for k := range 3 {
		r := [3]float64{c[0][k] / det, c[1][k] / det, c[2][k] / det}
		m[4*k], m[4*k+1], m[4*k+2] = r[0], r[1], r[2]
		m[4*k+3] = -dot(r, [3]float64{float64(t[3]), float64(t[7]), float64(t[11])})
	}
	return m, true
}
