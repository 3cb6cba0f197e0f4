package meshopt

import (
	"errors"
	"fmt"
)

// ErrInvalid is wrapped by all errors.
var ErrInvalid = errors.New("invalid meshopt data")

const (
	vertexHeader = 0xa0 // version 0
	groupSize    = 16   // elements whose bytes share a bit width
	blockBytes   = 8192 // of decoded data, that a block has at most
	blockMost    = 256  // elements that a block has at most
	tailLeast    = 32   // bytes at the end, of which the last are the first element's predecessor
	maxStride    = 256
)

// Attributes decodes count elements of stride bytes (mode ATTRIBUTES): blocks, in which each byte of the elements is stored
// apart, as differences to the element before.
func Attributes(data []byte, count, stride int) ([]byte, error) {
	if count < 0 || stride < 4 || stride > maxStride || stride%4 != 0 {
		return nil, fmt.Errorf("%w: %d elements of %d bytes", ErrInvalid, count, stride)
	}
	tail := max(stride, tailLeast)
	if len(data) < 1+tail || data[0] != vertexHeader {
		return nil, fmt.Errorf("%w: attributes of %d bytes do not begin as they should", ErrInvalid, len(data))
	}
	last := append([]byte(nil), data[len(data)-stride:]...)
	in := data[1 : len(data)-tail]
	out := make([]byte, count*stride)
	perBlock := min(blockBytes/stride&^(groupSize-1), blockMost)
	for at := 0; at < count; at += perBlock {
		n := min(perBlock, count-at)
		rest, err := vertexBlock(out[at*stride:(at+n)*stride], in, last, n)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", at, err)
		}
		in = rest
		copy(last, out[(at+n-1)*stride:])
	}
	if len(in) != 0 {
		return nil, fmt.Errorf("%w: %d bytes are left behind the attributes", ErrInvalid, len(in))
	}
	return out, nil
}

// vertexBlock decodes n elements, and returns what follows.
func vertexBlock(out, in, last []byte, n int) ([]byte, error) {
	var deltas [blockMost]byte
	stride := len(last)
	groups := (n + groupSize - 1) / groupSize
	header := (groups + 3) / 4
	for k := range stride {
		if len(in) < header {
			return nil, fmt.Errorf("%w: cut short", ErrInvalid)
		}
		widths := in[:header]
		in = in[header:]
		for g := range groups {
			size, err := vertexGroup((*[groupSize]byte)(deltas[g*groupSize:]), in, widths[g/4]>>(g%4*2)&3)
			if err != nil {
				return nil, err
			}
			in = in[size:]
		}
		p := last[k]
		for i := range n {
			p += deltas[i]>>1 ^ -(deltas[i] & 1)
			out[i*stride+k] = p
		}
	}
	return in, nil
}

// vertexGroup decodes 16 bytes of a width of 0, 2, 4 or 8 bits each, and returns how many bytes they took. A value of all
// ones says that the byte follows behind the group.
func vertexGroup(out *[groupSize]byte, in []byte, width byte) (int, error) {
	switch width {
	case 0:
		*out = [groupSize]byte{}
		return 0, nil
	case 3:
		if len(in) < groupSize {
			return 0, fmt.Errorf("%w: cut short", ErrInvalid)
		}
		copy(out[:], in)
		return groupSize, nil
	}
	bits := int(width) * 2
	per := 8 / bits
	ones := byte(1)<<bits - 1
	next := groupSize / per
	if len(in) < next {
		return 0, fmt.Errorf("%w: cut short", ErrInvalid)
	}
	for i := range out {
		v := in[i/per] >> (8 - bits - i%per*bits) & ones
		if v == ones {
			if next >= len(in) {
				return 0, fmt.Errorf("%w: cut short", ErrInvalid)
			}
			v = in[next]
			next++
		}
		out[i] = v
	}
	return next, nil
}
