package meshopt

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Filter undoes a filter in place. Names are those of the extension; "" and "NONE" change nothing.
func Filter(name string, data []byte, stride int) error {
	switch {
	case name == "" || name == "NONE":
		return nil
	case name == "OCTAHEDRAL" && stride == 4:
		each(data, stride, octahedral8)
	case name == "OCTAHEDRAL" && stride == 8:
		each(data, stride, octahedral16)
	case name == "QUATERNION" && stride == 8:
		each(data, stride, quaternion)
	case name == "EXPONENTIAL" && stride > 0 && stride%4 == 0:
		each(data, 4, exponential)
	default:
		return fmt.Errorf("%w: filter %q for elements of %d bytes", ErrInvalid, name, stride)
	}
	return nil
}

func each(data []byte, size int, f func(b []byte)) {
	for ; len(data) >= size; data = data[size:] {
		f(data[:size])
	}
}

// unfold turns the two coordinates of an octahedron's unfolded surface, and the value that stands for 1, into a unit vector
// times most.
func unfold(x, y, one, most float32) (a, b, c int32) {
	z := one - abs(x) - abs(y)
	t := min(z, 0)
	x += sign(x, t)
	y += sign(y, t)
	l := float32(math.Sqrt(float64(x*x + y*y + z*z)))
	if l == 0 {
		return 0, 0, 0
	}
	s := most / l
	return round(x * s), round(y * s), round(z * s)
}

func octahedral8(b []byte) {
	x, y, z := unfold(float32(int8(b[0])), float32(int8(b[1])), float32(int8(b[2])), math.MaxInt8)
	b[0], b[1], b[2] = byte(x), byte(y), byte(z)
}

func octahedral16(b []byte) {
	x, y, z := unfold(short(b, 0), short(b, 1), short(b, 2), math.MaxInt16)
	putShort(b, 0, x)
	putShort(b, 1, y)
	putShort(b, 2, z)
}

// quaternion: three components, and in the fourth the scale with the number of the largest, which is left out, in its two
// low bits.
func quaternion(b []byte) {
	w := binary.LittleEndian.Uint16(b[6:])
	scale := float32(1/math.Sqrt2) / float32(int16(w|3))
	x, y, z := short(b, 0)*scale, short(b, 1)*scale, short(b, 2)*scale
	rest := float32(math.Sqrt(max(0, float64(1-x*x-y*y-z*z))))
	at := int(w & 3)
	for i, v := range [4]float32{rest, x, y, z} {
		putShort(b, (at+i)&3, round(v*math.MaxInt16))
	}
}

// exponential: 24 bits of mantissa and 8 of exponent.
func exponential(b []byte) {
	v := int32(binary.LittleEndian.Uint32(b))
	f := math.Ldexp(float64(v<<8>>8), int(v>>24))
	binary.LittleEndian.PutUint32(b, math.Float32bits(float32(f)))
}

func short(b []byte, i int) float32 { return float32(int16(binary.LittleEndian.Uint16(b[2*i:]))) }

func putShort(b []byte, i int, v int32) { binary.LittleEndian.PutUint16(b[2*i:], uint16(v)) }

func abs(x float32) float32 { return max(x, -x) }

// sign returns t with the sign that x has.
func sign(x, t float32) float32 {
	if x >= 0 {
		return t
	}
	return -t
}

// round rounds halves away from zero.
func round(x float32) int32 {
	if x >= 0 {
		return int32(x + 0.5)
	}
	return int32(x - 0.5)
}
