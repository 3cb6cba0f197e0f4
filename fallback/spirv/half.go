package spirv

import "math"

// float returns the value of the bits of a floating-point type.
func (t scalarType) float(bits uint64) float64 {
	switch t.width {
	case 16:
		return float64(halfToFloat(uint16(bits)))
	case 32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// fromFloat returns the bits of the nearest value of a floating-point type.
func (t scalarType) fromFloat(x float64) uint64 {
	switch t.width {
	case 16:
		return uint64(doubleToHalf(x))
	case 32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// halfToFloat widens a binary16 value, which is always exact.
func halfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp, frac := uint32(h>>10&31), uint32(h&0x3ff)
	switch exp {
	case 0: // zero or subnormal: frac * 2^-24
		x := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(x))
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// floatToHalf rounds to the nearest binary16 value, ties to even.
func floatToHalf(x float32) uint16 { return doubleToHalf(float64(x)) }

// doubleToHalf rounds to the nearest binary16 value, ties to even, in a single
// rounding.
func doubleToHalf(x float64) uint16 {
	sign := uint16(math.Float64bits(x) >> 48 & 0x8000)
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return sign | 0x7e00
	case a >= 65520: // half way between the largest value and the next
		return sign | 0x7c00
	case a < 1.0/(1<<14): // subnormal: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(a*(1<<24)))
	}
	frac, exp := math.Frexp(a)                      // a = frac * 2^exp, frac in [0.5, 1)
	m := uint16(math.RoundToEven(frac * (1 << 11))) // 1024 to 2048
	return sign | (uint16(exp+14)<<10 + (m - 1024)) // a carry of m moves on to the exponent
}
