package bvh

import "math"

// inf is what an empty box begins with.
const inf = math.MaxFloat32

func to64(v [3]float32) [3]float64   { return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])} }
func sub(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func dot(a, b [3]float64) float64    { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
