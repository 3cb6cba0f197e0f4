package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// Compressed1 is DXR 2.0's vertex format of that name, no format of Vulkan's: for each cluster a header and a stream of bits.
// CompressPositions makes it.
const Compressed1 vulkan.Format = 0x7fff0001

// ErrUnsupported is wrapped by errors about what is valid and not there: opacity micromaps.
var ErrUnsupported = errors.New("clusters: not supported")

const (
	quantaBytes  = 12
	mostExponent = 232
	mostBits     = 16
	leastAnchor  = -1 << 23
	mostAnchor   = 1<<23 - 1
)

// Quanta say how Compressed1 divides space: a position is an integer times Scale, and those of a cluster are no farther from
// the least of them than Bits say.
type Quanta struct {
	Exponent uint32    // 1 to 232
	Bits     [3]uint32 // of x, y and z, 1 to 16
}

// Scale is the distance between two positions.
func (q Quanta) Scale() float64 { return math.Ldexp(1, int(q.Exponent)-127) }

// Word is what a template has of them: DXBuildTemplate.Bounds.
func (q Quanta) Word() uint64 {
	return uint64(q.Exponent | (q.Bits[0]-1)<<8 | (q.Bits[1]-1)<<12 | (q.Bits[2]-1)<<16)
}

func (q Quanta) check() error {
	if q.Exponent < 1 || q.Exponent > mostExponent {
		return fmt.Errorf("%w: exponent %d of compressed positions, want 1 to %d", vk.ErrInvalid, q.Exponent, mostExponent)
	}
	for _, b := range q.Bits {
		if b < 1 || b > mostBits {
			return fmt.Errorf("%w: %d bits of compressed positions, want 1 to %d", vk.ErrInvalid, b, mostBits)
		}
	}
	return nil
}

// CompressPositions quantises a cluster's positions: header and stream. It fails where they reach farther than Bits count, or are
// too large for Exponent.
func CompressPositions(positions [][3]float32, q Quanta) ([]byte, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	steps := make([][3]int32, len(positions))
	anchor := [3]int32{mostAnchor, mostAnchor, mostAnchor}
	for i, p := range positions {
		for k, x := range p {
			n := math.Floor(float64(x)/q.Scale() + 0.5) // exact: a division by a power of two, and 53 bits
			if !(n >= leastAnchor && n <= mostAnchor) {
				return nil, fmt.Errorf("%w: position %v is beyond 24 bits of %g", vk.ErrInvalid, p, q.Scale())
			}
			steps[i][k] = int32(n)
			anchor[k] = min(anchor[k], int32(n))
		}
	}
	out := binary.LittleEndian.AppendUint32(nil, q.Exponent|uint32(anchor[0])<<8)
	out = binary.LittleEndian.AppendUint32(out, q.Bits[0]-1|(q.Bits[1]-1)<<4|uint32(anchor[1])<<8)
	out = binary.LittleEndian.AppendUint32(out, q.Bits[2]-1|uint32(anchor[2])<<8)
	var word uint64
	filled := uint32(0)
	for i, s := range steps {
		for k, n := range s {
			offset := uint32(n - anchor[k])
			if offset>>q.Bits[k] != 0 {
				return nil, fmt.Errorf("%w: position %v is %d steps from the least, beyond %d bits", vk.ErrInvalid, positions[i], offset,
					q.Bits[k])
			}
			word |= uint64(offset) << filled
			for filled += q.Bits[k]; filled >= 8; filled -= 8 {
				out = append(out, byte(word))
				word >>= 8
			}
		}
	}
	if filled > 0 {
		out = append(out, byte(word))
	}
	for len(out)%4 != 0 { // devices read words
		out = append(out, 0)
	}
	return out, nil
}

// DecompressPositions is its inverse, of so many positions.
func DecompressPositions(data []byte, count int) ([][3]float32, error) {
	if len(data) < quantaBytes {
		return nil, fmt.Errorf("%w: %d bytes of compressed positions, the header takes %d", vk.ErrInvalid, len(data), quantaBytes)
	}
	var w [3]uint32
	for k := range w {
		w[k] = binary.LittleEndian.Uint32(data[4*k:])
	}
	q := Quanta{Exponent: w[0] & 255, Bits: [3]uint32{w[1]&15 + 1, w[1]>>4&15 + 1, w[2]&15 + 1}}
	if err := q.check(); err != nil {
		return nil, err
	}
	each := int(q.Bits[0] + q.Bits[1] + q.Bits[2])
	if have := 8 * (len(data) - quantaBytes); count < 0 || count > have/each {
		return nil, fmt.Errorf("%w: %d compressed positions of %d bits in %d", vk.ErrInvalid, count, each, have)
	}
	at := 8 * quantaBytes
	out := make([][3]float32, count)
	for i := range out {
		for k := range 3 {
			offset := int32(0)
			for b := range int(q.Bits[k]) {
				offset |= int32(data[at/8]>>(at%8)&1) << b
				at++
			}
			out[i][k] = float32(float64(int32(w[k])>>8+offset) * q.Scale())
		}
	}
	return out, nil
}
