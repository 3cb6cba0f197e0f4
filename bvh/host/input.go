package host

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// hugeCoordinate is ER_HUGE of build.glsl: where coordinates end.
const hugeCoordinate = 1e37

// everywhere is a box of such coordinates.
var everywhere = inspect.Box{
	Min: [3]float32{-hugeCoordinate, -hugeCoordinate, -hugeCoordinate},
	Max: [3]float32{hugeCoordinate, hugeCoordinate, hugeCoordinate},
}

// inputReader reads a build's input as fetch.glsl does, to the same bits.
type inputReader struct {
	in    *BuildInput
	kind  uint32
	first []uint32 // number of every geometry's first primitive in the build
}

func newHostReader(in *BuildInput) (r inputReader, count uint32) {
	r = inputReader{in: in, kind: layout.LeafKindOf(in.Info), first: make([]uint32, len(in.Ranges))}
	for i, g := range in.Ranges {
		r.first[i] = count
		count += g.PrimitiveCount
	}
	return r, count
}

// find returns geometry, and number in the geometry, of a primitive of the build.
func (r inputReader) find(p uint32) (geometry int, primitive uint32) {
	geometry = sort.Search(len(r.first), func(i int) bool { return r.first[i] > p }) - 1
	return geometry, p - r.first[geometry]
}

// box is a primitive's box. One that is not active has none.
func (r inputReader) box(p uint32) (b inspect.Box, active bool, err error) {
	g, n := r.find(p)
	switch r.kind {
	case layout.LeafInstances:
		b, active, err = r.instanceBox(g, n)
		if err != nil {
			err = fmt.Errorf("%w: instance %d: %w", layout.ErrInvalidBuild, n, err)
		}
		return b, active, err
	case layout.LeafBoxes:
		b, active = r.aabb(g, n)
		return b, active, nil
	}
	v, err := r.triangle(g, n)
	if err != nil {
		return b, false, fmt.Errorf("%w: geometry %d, triangle %d: %w", layout.ErrInvalidBuild, g, n, err)
	}
	b = inspect.Box{Min: v[0], Max: v[0]}
	for _, p := range v {
		for _, c := range p {
			if !(c > -hugeCoordinate && c < hugeCoordinate) {
				return b, false, nil
			}
		}
		b = b.Union(inspect.Box{Min: p, Max: p})
	}
	return b, true, nil
}

func floatAt(b []byte, at uint64) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))
}

func vectorAt(b []byte, at uint64) [3]float32 {
	return [3]float32{floatAt(b, at), floatAt(b, at+4), floatAt(b, at+8)}
}

// triangle returns the vertices, transformed. Indices may point beyond the vertices.
func (r inputReader) triangle(g int, n uint32) (v [3][3]float32, err error) {
	t, at, d := &r.in.Info.Geometries[g].Triangles, r.in.Ranges[g], &r.in.Data[g]
	base := uint64(0)
	if t.IndexType == vk.IndexNone {
		base = uint64(at.PrimitiveOffset)
	}
	for k := range v {
		index := readIndex(t.IndexType, d.Indices, uint64(at.PrimitiveOffset), uint64(n)*3+uint64(k))
		// As on the device, the sum with the first vertex has 32 bits.
		from := base + uint64(index+at.FirstVertex)*t.VertexStride
		if from+vertexSize(t.VertexFormat) > uint64(len(d.Vertices)) {
			return v, fmt.Errorf("vertex %d (and first vertex %d) is beyond the %d bytes of vertices", index, at.FirstVertex,
				len(d.Vertices))
		}
		v[k] = readVertex(layout.FormatWords[t.VertexFormat], d.Vertices[from:])
		if d.Transform != nil {
			v[k] = applyTransform(d.Transform[at.TransformOffset:], v[k])
		}
	}
	return v, nil
}

func readIndex(t vk.IndexType, indices []byte, offset, n uint64) uint32 {
	switch t {
	case vk.IndexUint8:
		return uint32(indices[offset+n])
	case vk.IndexUint16:
		return uint32(binary.LittleEndian.Uint16(indices[offset+2*n:]))
	case vk.IndexUint32:
		return binary.LittleEndian.Uint32(indices[offset+4*n:])
	}
	return uint32(n)
}

func readVertex(format uint32, b []byte) (v [3]float32) {
	for k := range min(uint64(format>>4), 3) {
		switch format & 15 {
		case layout.FormatFloat32:
			v[k] = floatAt(b, 4*k)
		case layout.FormatFloat16:
			v[k] = halfFloat(binary.LittleEndian.Uint16(b[2*k:]))
		case layout.FormatSnorm16:
			v[k] = max(float32(int16(binary.LittleEndian.Uint16(b[2*k:])))/32767, -1)
		case layout.FormatSnorm8:
			v[k] = max(float32(int8(b[k]))/127, -1)
		case layout.FormatFloat64:
			v[k] = float32(math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:])))
		}
	}
	return v
}

// halfFloat widens a float of 16 bits, which float32 holds exactly.
func halfFloat(h uint16) float32 {
	sign, exponent, mantissa := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&0x3ff)
	switch exponent {
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | mantissa<<13)
	case 0:
		f := float32(mantissa) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(f))
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | mantissa<<13)
}

// applyTransform rounds after every operation, as the device does: conversions keep the compiler from fusing them.
func applyTransform(m []byte, v [3]float32) (out [3]float32) {
	for row := range uint64(3) {
		f := func(k uint64) float32 { return floatAt(m, 16*row+4*k) }
		sum := float32(f(0)*v[0]) + float32(f(1)*v[1])
		sum += float32(f(2) * v[2])
		out[row] = sum + f(3)
	}
	return out
}

// aabb reads a box and cuts it off where coordinates end.
func (r inputReader) aabb(g int, n uint32) (b inspect.Box, active bool) {
	at := uint64(r.in.Ranges[g].PrimitiveOffset) + uint64(n)*r.in.Info.Geometries[g].AABBs.Stride
	b = inspect.Box{Min: vectorAt(r.in.Data[g].AABBs, at), Max: vectorAt(r.in.Data[g].AABBs, at+12)}
	return cutFar(b)
}

// cutFar cuts a box off where coordinates end. Without an order of its ends it is none.
func cutFar(b inspect.Box) (inspect.Box, bool) {
	for k := range 3 {
		if !(b.Min[k] <= b.Max[k]) {
			return b, false
		}
		b.Min[k] = min(max(b.Min[k], -hugeCoordinate), hugeCoordinate)
		b.Max[k] = min(max(b.Max[k], -hugeCoordinate), hugeCoordinate)
	}
	return b, true
}

// isHuge tells whether a box reaches to where coordinates end.
func isHuge(b inspect.Box) bool {
	for k := range 3 {
		if b.Min[k] <= -hugeCoordinate || b.Max[k] >= hugeCoordinate {
			return true
		}
	}
	return false
}

// instance reads an instance and the header that it refers to; nil if it has none, or one without primitives.
func (r inputReader) instance(g int, n uint32) (in vk.AccelerationStructureInstance, header []byte, err error) {
	at, d := r.in.Ranges[g], &r.in.Data[g]
	if r.in.Info.Geometries[g].Instances.ArrayOfPointers {
		p := d.Pointers[at.PrimitiveOffset/8+n]
		if p == nil {
			return in, nil, fmt.Errorf("its pointer is nil")
		}
		in = *p
	} else {
		in = layout.ReadInstance(d.Instances[uint64(at.PrimitiveOffset)+uint64(n)*vk.AccelerationStructureInstanceSize:])
	}
	if in.Reference == 0 {
		return in, nil, nil
	}
	header = r.in.BottomLevel(in.Reference)
	if len(header) < layout.HeaderSize {
		return in, nil, fmt.Errorf("BottomLevel returns %d bytes for address %#x, a header has %d", len(header), in.Reference,
			layout.HeaderSize)
	}
	if _, err := inspect.DecodeHeader(header); err != nil {
		return in, nil, fmt.Errorf("structure at %#x: %w", in.Reference, err)
	}
	if binary.LittleEndian.Uint32(header[layout.HeaderRoot:]) == layout.RefNone {
		return in, nil, nil
	}
	return in, header, nil
}

// instanceBox is around the transformed bottom level, as erInstanceBox of fetch.glsl has it.
func (r inputReader) instanceBox(g int, n uint32) (b inspect.Box, active bool, err error) {
	in, structure, err := r.instance(g, n)
	if err != nil || structure == nil {
		return b, false, err
	}
	b = transformBox(&in.Transform, vectorAt(structure, layout.HeaderBoundsMin), vectorAt(structure, layout.HeaderBoundsMax))
	if levels := layout.BoxLevels(r.in.Info.Flags); levels > 0 {
		if closer, ok := cutBox(&in.Transform, structure, levels); ok {
			for k := range 3 {
				b.Min[k], b.Max[k] = max(b.Min[k], closer.Min[k]), min(b.Max[k], closer.Max[k])
			}
		}
	}
	b, active = cutFar(b)
	return b, active, nil
}

// transformBox is erTransformBox of fetch.glsl, to the bit.
func transformBox(rows *[12]float32, lo, hi [3]float32) (b inspect.Box) {
	const rounding = 1.0 / 2097152
	var centre, size [3]float32
	for k := range 3 {
		centre[k] = 0.5*lo[k] + 0.5*hi[k]
		size[k] = max(hi[k]-centre[k], centre[k]-lo[k]) + float32(max(abs32(lo[k]), abs32(hi[k]))*rounding)
	}
	for row := range 3 {
		m := rows[4*row : 4*row+4]
		var c, s float32
		for k := range 3 {
			c += float32(m[k] * centre[k])
			s += float32(abs32(m[k]) * size[k])
		}
		c, s = c+m[3], s+float32(abs32(m[3])*rounding)
		b.Min[row], b.Max[row] = c-s, c+s
		if s > math.MaxFloat32 { // endless
			b.Min[row], b.Max[row] = -s, s
		}
	}
	return b
}

// cutBox is erCutBox of fetch.glsl. It has none of a structure that is a leaf, or of which only the header is here.
func cutBox(rows *[12]float32, structure []byte, levels uint32) (b inspect.Box, ok bool) {
	root := binary.LittleEndian.Uint32(structure[layout.HeaderRoot:])
	nodes := uint64(binary.LittleEndian.Uint32(structure[layout.HeaderNodeCount:]))
	if root&layout.RefLeaf != 0 || uint64(len(structure)) < layout.HeaderSize+nodes*layout.NodeSize {
		return b, false
	}
	b, ok = inspect.NoBox(), true
	var below func(node, level uint32)
	below = func(node, level uint32) {
		if ok = ok && uint64(node) < nodes; !ok {
			return // a broken structure
		}
		at := layout.HeaderSize + uint64(node)*layout.NodeSize
		for child := range uint64(2) {
			ref := binary.LittleEndian.Uint32(structure[at+layout.NodeChild0+4*child:])
			if level > 1 && ref < cluster.RefDirect { // what has this bit alone is a cluster
				below(ref, level-1)
				continue
			}
			xy, z := at+layout.NodeXY0+16*child, at+layout.NodeZ+8*child
			lo := [3]float32{floatAt(structure, xy), floatAt(structure, xy+8), floatAt(structure, z)}
			hi := [3]float32{floatAt(structure, xy+4), floatAt(structure, xy+12), floatAt(structure, z+4)}
			if lo[0] <= hi[0] {
				b = b.Union(transformBox(rows, lo, hi))
			}
		}
	}
	below(root, levels)
	return b, ok
}

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }
