package assets

import "math"

// mix is the finaliser of SplitMix64 (Steele et al., OOPSLA 2014): a hash of
// 64 bits.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

// stream is a SplitMix64 generator.
type stream uint64

// unit returns the next number from 0 to 1, 1 excluded.
func (s *stream) unit() float32 {
	*s += 0x9E3779B97F4A7C15
	return float32(mix(uint64(*s))>>40) / (1 << 24)
}

// between returns the next number from a to b.
func (s *stream) between(a, b float32) float32 { return a + (b-a)*s.unit() }

// lattice is the value, -1 to 1, at a point of the integer grid.
func lattice(x, y, z int64, seed uint64) float64 {
	h := mix(uint64(x)*0x9E3779B97F4A7C15 ^ uint64(y)*0xC2B2AE3D27D4EB4F ^ uint64(z)*0x165667B19E3779F9 ^ seed)
	return float64(h>>11)/(1<<52) - 1
}

func fade(t float64) float64 { return t * t * t * (t*(t*6-15) + 10) }

func lerp(a, b, t float64) float64 { return a + (b-a)*t }

// noise2 is value noise of two dimensions, -1 to 1, with continuous second
// derivatives (Perlin's fade of 2002).
func noise2(x, y float64, seed uint64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	ix, iy := int64(fx), int64(fy)
	u, v := fade(x-fx), fade(y-fy)
	return lerp(
		lerp(lattice(ix, iy, 0, seed), lattice(ix+1, iy, 0, seed), u),
		lerp(lattice(ix, iy+1, 0, seed), lattice(ix+1, iy+1, 0, seed), u), v)
}

// noise3 is value noise of three dimensions.
func noise3(x, y, z float64, seed uint64) float64 {
	fx, fy, fz := math.Floor(x), math.Floor(y), math.Floor(z)
	ix, iy, iz := int64(fx), int64(fy), int64(fz)
	u, v, w := fade(x-fx), fade(y-fy), fade(z-fz)
	plane := func(k int64) float64 {
		return lerp(
			lerp(lattice(ix, iy, k, seed), lattice(ix+1, iy, k, seed), u),
			lerp(lattice(ix, iy+1, k, seed), lattice(ix+1, iy+1, k, seed), u), v)
	}
	return lerp(plane(iz), plane(iz+1), w)
}
