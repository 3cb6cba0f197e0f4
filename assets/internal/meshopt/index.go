package meshopt

import (
	"encoding/binary"
	"fmt"
)

const (
	triangleHeader = 0xe1 // version 1
	sequenceHeader = 0xd1
	auxTable       = 16 // bytes at the end of triangles: the common codes of new triangles
	sequenceTail   = 4
)

// Triangles decodes count indices of triangles (mode TRIANGLES) into little endian integers of stride 2 or 4 bytes.
func Triangles(data []byte, count, stride int) ([]byte, error) {
	if count < 0 || count%3 != 0 || (stride != 2 && stride != 4) {
		return nil, fmt.Errorf("%w: %d indices of %d bytes", ErrInvalid, count, stride)
	}
	codes := count / 3
	if len(data) < 1+codes+auxTable || data[0] != triangleHeader {
		return nil, fmt.Errorf("%w: triangles of %d bytes do not begin as they should", ErrInvalid, len(data))
	}
	end := len(data) - auxTable
	d := triangles{aux: data[end:], in: data[1+codes : end]}
	for i := range d.edges {
		d.edges[i] = [2]uint32{^uint32(0), ^uint32(0)}
		d.vertices[i] = ^uint32(0)
	}
	out := make([]byte, 0, count*stride)
	for i, code := range data[1 : 1+codes] {
		t := d.next(code)
		if d.short {
			return nil, fmt.Errorf("%w: triangle %d is cut short", ErrInvalid, i)
		}
		for _, v := range t {
			out = appendIndex(out, v, stride)
		}
	}
	if len(d.in) != 0 {
		return nil, fmt.Errorf("%w: %d bytes are left behind the triangles", ErrInvalid, len(d.in))
	}
	return out, nil
}

// triangles is the decoder's state: what was used lately.
type triangles struct {
	in, aux  []byte
	short    bool
	edges    [16][2]uint32
	vertices [16]uint32
	edge     int // where the next goes
	vertex   int
	fresh    uint32 // the next index that none has used
	last     uint32 // the one that differences count from
}

// next decodes one triangle. The code's upper half names an edge of late, or says that there is none.
func (d *triangles) next(code byte) [3]uint32 {
	if code < 0xf0 {
		return d.onEdge(int(code>>4), int(code&15))
	}
	var a, b, c uint32
	var fa, fb, fc int
	if code < 0xfe {
		aux := d.aux[code&15]
		fb, fc = int(aux>>4), int(aux&15)
		// In the table 15 is the oldest of the recent vertices, and no free index follows.
		a = d.take()
		b = d.recent(fb)
		c = d.recent(fc)
		d.pushVertex(a, true)
		d.pushVertex(b, fb == 0)
		d.pushVertex(c, fc == 0)
	} else {
		aux := d.byte()
		if code == 0xff {
			fa = 15
		}
		fb, fc = int(aux>>4), int(aux&15)
		if aux == 0 {
			d.fresh = 0
		}
		if fa == 0 {
			a = d.take()
		}
		if fb != 15 {
			b = d.recent(fb)
		}
		if fc != 15 {
			c = d.recent(fc)
		}
		if fa == 15 {
			a = d.free()
		}
		if fb == 15 {
			b = d.free()
		}
		if fc == 15 {
			c = d.free()
		}
		d.pushVertex(a, true)
		d.pushVertex(b, fb == 0 || fb == 15)
		d.pushVertex(c, fc == 0 || fc == 15)
	}
	d.pushEdge(b, a)
	d.pushEdge(c, b)
	d.pushEdge(a, c)
	return [3]uint32{a, b, c}
}

// onEdge decodes a triangle on an edge of late.
func (d *triangles) onEdge(edge, third int) [3]uint32 {
	e := d.edges[(d.edge-1-edge)&15]
	var c uint32
	switch {
	case third == 0:
		c = d.take()
	case third < 13:
		c = d.vertices[(d.vertex-1-third)&15]
	case third == 13:
		d.last--
		c = d.last
	case third == 14:
		d.last++
		c = d.last
	default:
		c = d.free()
	}
	d.pushVertex(c, third == 0 || third >= 13)
	d.pushEdge(c, e[1])
	d.pushEdge(e[0], c)
	return [3]uint32{e[0], e[1], c}
}

func (d *triangles) take() uint32 {
	d.fresh++
	return d.fresh - 1
}

// recent is a vertex of late; 0 is a new one.
func (d *triangles) recent(i int) uint32 {
	if i == 0 {
		return d.take()
	}
	return d.vertices[(d.vertex-i)&15]
}

// free reads an index as a difference to the last such.
func (d *triangles) free() uint32 {
	v, rest, ok := variable(d.in)
	d.in, d.short = rest, d.short || !ok
	d.last += v>>1 ^ -(v & 1)
	return d.last
}

func (d *triangles) byte() byte {
	if len(d.in) == 0 {
		d.short = true
		return 0
	}
	b := d.in[0]
	d.in = d.in[1:]
	return b
}

func (d *triangles) pushVertex(v uint32, keep bool) {
	d.vertices[d.vertex] = v
	if keep {
		d.vertex = (d.vertex + 1) & 15
	}
}

func (d *triangles) pushEdge(a, b uint32) {
	d.edges[d.edge] = [2]uint32{a, b}
	d.edge = (d.edge + 1) & 15
}

// Indices decodes count indices (mode INDICES): differences to one of two indices before.
func Indices(data []byte, count, stride int) ([]byte, error) {
	if count < 0 || (stride != 2 && stride != 4) {
		return nil, fmt.Errorf("%w: %d indices of %d bytes", ErrInvalid, count, stride)
	}
	if len(data) < 1+count+sequenceTail || data[0] != sequenceHeader {
		return nil, fmt.Errorf("%w: indices of %d bytes do not begin as they should", ErrInvalid, len(data))
	}
	in := data[1 : len(data)-sequenceTail]
	out := make([]byte, 0, count*stride)
	var last [2]uint32
	for i := range count {
		v, rest, ok := variable(in)
		if !ok {
			return nil, fmt.Errorf("%w: index %d is cut short", ErrInvalid, i)
		}
		in = rest
		current := v & 1
		v >>= 1
		last[current] += v>>1 ^ -(v & 1)
		out = appendIndex(out, last[current], stride)
	}
	if len(in) != 0 {
		return nil, fmt.Errorf("%w: %d bytes are left behind the indices", ErrInvalid, len(in))
	}
	return out, nil
}

// variable reads a number of up to five bytes, seven bits each, the lowest first.
func variable(in []byte) (v uint32, rest []byte, ok bool) {
	for i := range min(len(in), 5) {
		v |= uint32(in[i]&127) << (7 * i)
		if in[i] < 128 || i == 4 {
			return v, in[i+1:], true
		}
	}
	return 0, nil, false
}

func appendIndex(out []byte, v uint32, stride int) []byte {
	if stride == 2 {
		return binary.LittleEndian.AppendUint16(out, uint16(v))
	}
	return binary.LittleEndian.AppendUint32(out, v)
}
