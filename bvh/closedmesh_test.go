package bvh

import (
	"math"
	"math/rand/v2"
)

// closedMesh is a closed mesh about the origin, its triangles counter-clockwise seen from outside.
type closedMesh struct {
	name      string
	convex    bool
	positions []float32
	indices   []uint32
	insides   []float32 // points that are inside for certain, well away from the surface
}

// closedMeshes are of the size 1 or so.
func closedMeshes(rng *rand.Rand) []closedMesh {
	sphere, faces := icosphere(4, 1)
	star := make([]float32, len(sphere))
	for i := 0; i < len(star); i += 3 {
		r := 0.5 + rng.Float32()
		for k := range 3 {
			star[i+k] = r * sphere[i+k]
		}
	}
	cube, quads := subdividedCube(16)
	ring, bands := torus(64, 32, 1, 0.4)
	var core []float32 // of the ring
	for range 64 {
		a := rng.Float64() * 2 * math.Pi
		core = append(core, float32(math.Cos(a)), float32(math.Sin(a)), (rng.Float32()-0.5)*0.2)
	}
	return []closedMesh{
		{"sphere", true, sphere, faces, pointsWithin(rng, 0.5)},
		{"cube", true, cube, quads, pointsWithin(rng, 0.5)},
		{"star", false, star, faces, pointsWithin(rng, 0.2)},
		{"torus", false, ring, bands, core},
	}
}

// pointsWithin are points in a ball about the origin, which is the first of them.
func pointsWithin(rng *rand.Rand, radius float32) []float32 {
	points := make([]float32, 3)
	for len(points) < 3*64 {
		p := [3]float32{rng.Float32()*2 - 1, rng.Float32()*2 - 1, rng.Float32()*2 - 1}
		if p[0]*p[0]+p[1]*p[1]+p[2]*p[2] < 1 {
			points = append(points, p[0]*radius, p[1]*radius, p[2]*radius)
		}
	}
	return points
}

// subdividedCube has n by n squares of two triangles on each side; vertices on the cube's edges are shared.
func subdividedCube(n int) (positions []float32, indices []uint32) {
	at := map[[3]int]uint32{}
	vertex := func(p [3]int) uint32 {
		if i, ok := at[p]; ok {
			return i
		}
		at[p] = uint32(len(at))
		for _, c := range p {
			positions = append(positions, float32(2*c-n)/float32(n))
		}
		return at[p]
	}
	for axis := range 3 {
		for side := range 2 {
			for u := range n {
				for v := range n {
					corner := func(du, dv int) uint32 {
						var p [3]int
						p[axis], p[(axis+1)%3], p[(axis+2)%3] = side*n, u+du, v+dv
						return vertex(p)
					}
					a, b, c, d := corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)
					if side == 0 {
						b, d = d, b
					}
					indices = append(indices, a, b, c, a, c, d)
				}
			}
		}
	}
	return positions, indices
}

// torus lies in the plane of x and y.
func torus(around, across int, radius, tube float64) (positions []float32, indices []uint32) {
	for i := range around {
		a := 2 * math.Pi * float64(i) / float64(around)
		for k := range across {
			b := 2 * math.Pi * float64(k) / float64(across)
			r := radius + tube*math.Cos(b)
			positions = append(positions, float32(r*math.Cos(a)), float32(r*math.Sin(a)), float32(tube*math.Sin(b)))
		}
	}
	at := func(i, k int) uint32 { return uint32(i%around*across + k%across) }
	for i := range around {
		for k := range across {
			a, b, c, d := at(i, k), at(i+1, k), at(i+1, k+1), at(i, k+1)
			indices = append(indices, a, b, c, a, c, d)
		}
	}
	return positions, indices
}

// scaled is the mesh times a factor.
func (m closedMesh) scaled(by float64) closedMesh {
	times := func(p []float32) []float32 {
		out := make([]float32, len(p))
		for i, x := range p {
			out[i] = float32(float64(x) * by)
		}
		return out
	}
	m.positions, m.insides = times(m.positions), times(m.insides)
	return m
}

func (m closedMesh) radius() float64 {
	var most float64
	for i := 0; i < len(m.positions); i += 3 {
		p := to64([3]float32(m.positions[i:]))
		most = max(most, math.Sqrt(dot(p, p)))
	}
	return most
}
