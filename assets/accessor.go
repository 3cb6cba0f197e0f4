package assets

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/qmuntal/gltf"
)

// reader gives checked access to the buffers and accessors of a document.
type reader struct {
	doc     *gltf.Document
	src     *source
	buffers [][]byte         // one per document buffer; nil where it is not loaded yet
	bin     []byte           // the .glb's binary chunk
	views   map[int]elements // buffer views that were compressed
	// given are accessors whose data did not come from a view: those of the primitive that is being read.
	given map[int]elements
}

// buffer returns the bytes of a buffer, reading its file at the first use.
func (r *reader) buffer(i int) ([]byte, error) {
	if i < 0 || i >= len(r.doc.Buffers) {
		return nil, fmt.Errorf("%w: buffer %d of %d", ErrInvalid, i, len(r.doc.Buffers))
	}
	if r.buffers[i] != nil {
		return r.buffers[i], nil
	}
	b := r.doc.Buffers[i]
	var data []byte
	switch {
	case b.URI != "":
		d, err := r.src.resolve(b.URI)
		if err != nil {
			return nil, fmt.Errorf("buffer %d: %w", i, err)
		}
		data = d
	case i == 0 && r.bin != nil:
		data = r.bin
	default:
		return nil, fmt.Errorf("%w: buffer %d has neither a URI nor a binary chunk", ErrInvalid, i)
	}
	if b.ByteLength < 1 || b.ByteLength > len(data) {
		return nil, fmt.Errorf("%w: buffer %d says %d bytes, there are %d", ErrInvalid, i, b.ByteLength, len(data))
	}
	r.buffers[i] = data[:b.ByteLength:b.ByteLength]
	return r.buffers[i], nil
}

// view returns the bytes of a buffer view and its stride (0 is packed).
func (r *reader) view(i int) (data []byte, stride int, err error) {
	if i < 0 || i >= len(r.doc.BufferViews) {
		return nil, 0, fmt.Errorf("%w: bufferView %d of %d", ErrInvalid, i, len(r.doc.BufferViews))
	}
	v := r.doc.BufferViews[i]
	if raw, ok := v.Extensions[meshoptCompression]; ok {
		e, err := r.decompressed(i, raw)
		if err != nil {
			return nil, 0, fmt.Errorf("bufferView %d: %s: %w", i, meshoptCompression, err)
		}
		return e.data, e.stride, nil
	}
	buf, err := r.buffer(v.Buffer)
	if err != nil {
		return nil, 0, fmt.Errorf("bufferView %d: %w", i, err)
	}
	if v.ByteOffset < 0 || v.ByteLength < 1 || v.ByteOffset > len(buf) || v.ByteLength > len(buf)-v.ByteOffset {
		return nil, 0, fmt.Errorf("%w: bufferView %d: bytes %d+%d of a buffer of %d", ErrInvalid, i, v.ByteOffset, v.ByteLength, len(buf))
	}
	end := v.ByteOffset + v.ByteLength
	return buf[v.ByteOffset:end:end], v.ByteStride, nil
}

// elements are count elements of size bytes, stride bytes apart, all in range.
type elements struct {
	data                []byte
	count, size, stride int
}

func (e elements) at(i int) []byte { return e.data[i*e.stride : i*e.stride+e.size] }

// elements checks that so many elements lie inside of the view.
func (r *reader) elements(view, offset, count, size int) (elements, error) {
	data, stride, err := r.view(view)
	if err != nil {
		return elements{}, err
	}
	if stride == 0 {
		stride = size
	}
	if stride < size {
		return elements{}, fmt.Errorf("%w: bufferView %d: stride %d for elements of %d bytes", ErrInvalid, view, stride, size)
	}
	// Written so that nothing overflows whatever the numbers are.
	if offset < 0 || count < 1 || offset > len(data) || size > len(data)-offset || count-1 > (len(data)-offset-size)/stride {
		return elements{}, fmt.Errorf("%w: %d elements of %d bytes, %d apart from byte %d, exceed bufferView %d of %d bytes",
			ErrInvalid, count, size, stride, offset, view, len(data))
	}
	return elements{data[offset:], count, size, stride}, nil
}

func (r *reader) accessor(i int) (*gltf.Accessor, error) {
	if i < 0 || i >= len(r.doc.Accessors) {
		return nil, fmt.Errorf("%w: accessor %d of %d", ErrInvalid, i, len(r.doc.Accessors))
	}
	if a := r.doc.Accessors[i]; a.Count >= 1 && a.Count <= math.MaxUint32 {
		return a, nil
	}
	return nil, fmt.Errorf("%w: accessor %d: count %d", ErrInvalid, i, r.doc.Accessors[i].Count)
}

// count returns an accessor's number of elements without reading them.
func (r *reader) count(i int) (int, error) {
	a, err := r.accessor(i)
	if err != nil {
		return 0, err
	}
	return a.Count, nil
}

// dense returns an accessor's elements, without its sparse part; none where it has zeros.
func (r *reader) dense(i int, a *gltf.Accessor, size int) (elements, error) {
	if e, ok := r.given[i]; ok {
		return e, nil
	}
	if a.BufferView == nil {
		return elements{}, nil
	}
	e, err := r.elements(*a.BufferView, a.ByteOffset, a.Count, size)
	if err != nil {
		return elements{}, fmt.Errorf("accessor %d: %w", i, err)
	}
	return e, nil
}

// floats reads an accessor of one of the given types as floats, normalised
// integers converted. pick, ascending, chooses the elements to read; nil is
// all. It returns the number of components.
func (r *reader) floats(i int, pick []uint32, want ...gltf.AccessorType) ([]float32, int, error) {
	a, err := r.accessor(i)
	if err != nil {
		return nil, 0, err
	}
	if err := wantType(i, a, want); err != nil {
		return nil, 0, err
	}
	count := a.Count
	if pick != nil {
		count = len(pick)
		if int64(pick[count-1]) >= int64(a.Count) {
			return nil, 0, fmt.Errorf("%w: accessor %d: element %d of %d", ErrInvalid, i, pick[count-1], a.Count)
		}
	}
	n, cs := a.Type.Components(), a.ComponentType.ByteSize()
	if err := r.src.charge(int64(count)*int64(n)*4, fmt.Sprintf("accessor %d", i)); err != nil {
		return nil, 0, err
	}
	// Check before allocating: the count may be a lie.
	dense, err := r.dense(i, a, cs*n)
	if err != nil {
		return nil, 0, err
	}
	out := make([]float32, count*n)
	if dense.data != nil {
		for k := range count {
			from := k
			if pick != nil {
				from = int(pick[k])
			}
			decodeFloats(out[k*n:k*n+n], dense.at(from), a.ComponentType, a.Normalized)
		}
	}
	err = r.sparse(a, cs*n, func(k int, b []byte) {
		if pick != nil {
			at, ok := slices.BinarySearch(pick, uint32(k))
			if !ok {
				return
			}
			k = at
		}
		decodeFloats(out[k*n:k*n+n], b, a.ComponentType, a.Normalized)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("accessor %d: %w", i, err)
	}
	return out, n, nil
}

// uints reads an accessor of unsigned integers of one of the given types.
func (r *reader) uints(i int, want ...gltf.AccessorType) ([]uint32, error) {
	a, err := r.accessor(i)
	if err != nil {
		return nil, err
	}
	if err := wantType(i, a, want); err != nil {
		return nil, err
	}
	switch a.ComponentType {
	case gltf.ComponentUbyte, gltf.ComponentUshort, gltf.ComponentUint:
	default:
		return nil, fmt.Errorf("%w: accessor %d: %v where unsigned integers belong", ErrInvalid, i, a.ComponentType)
	}
	n, cs := a.Type.Components(), a.ComponentType.ByteSize()
	if err := r.src.charge(int64(a.Count)*int64(n)*4, fmt.Sprintf("accessor %d", i)); err != nil {
		return nil, err
	}
	dense, err := r.dense(i, a, cs*n)
	if err != nil {
		return nil, err
	}
	out := make([]uint32, a.Count*n)
	if dense.data != nil {
		for k := range a.Count {
			decodeUints(out[k*n:k*n+n], dense.at(k), cs)
		}
	}
	err = r.sparse(a, cs*n, func(k int, b []byte) { decodeUints(out[k*n:k*n+n], b, cs) })
	if err != nil {
		return nil, fmt.Errorf("accessor %d: %w", i, err)
	}
	return out, nil
}

// sparse calls set for each element that the sparse part replaces.
func (r *reader) sparse(a *gltf.Accessor, size int, set func(k int, b []byte)) error {
	s := a.Sparse
	if s == nil {
		return nil
	}
	if s.Count < 1 || s.Count > a.Count {
		return fmt.Errorf("%w: sparse count %d of %d", ErrInvalid, s.Count, a.Count)
	}
	is := s.Indices.ComponentType.ByteSize()
	idx, err := r.elements(s.Indices.BufferView, s.Indices.ByteOffset, s.Count, is)
	if err != nil {
		return fmt.Errorf("sparse indices: %w", err)
	}
	val, err := r.elements(s.Values.BufferView, s.Values.ByteOffset, s.Count, size)
	if err != nil {
		return fmt.Errorf("sparse values: %w", err)
	}
	var k [1]uint32
	for i := range s.Count {
		decodeUints(k[:], idx.at(i), is)
		if int64(k[0]) >= int64(a.Count) {
			return fmt.Errorf("%w: sparse index %d of %d", ErrInvalid, k[0], a.Count)
		}
		set(int(k[0]), val.at(i))
	}
	return nil
}

func wantType(i int, a *gltf.Accessor, want []gltf.AccessorType) error {
	for _, t := range want {
		if a.Type == t {
			return nil
		}
	}
	return fmt.Errorf("%w: accessor %d: type %v, want %v", ErrInvalid, i, a.Type, want)
}

// decodeFloats decodes one element; the formulas for normalised integers are
// those of the specification (3.6.2.2).
func decodeFloats(out []float32, b []byte, c gltf.ComponentType, normalized bool) {
	le := binary.LittleEndian
	scale := float32(1)
	for i := range out {
		switch c {
		case gltf.ComponentFloat:
			out[i] = math.Float32frombits(le.Uint32(b[4*i:]))
			continue
		case gltf.ComponentByte:
			out[i], scale = float32(int8(b[i])), 127
		case gltf.ComponentUbyte:
			out[i], scale = float32(b[i]), 255
		case gltf.ComponentShort:
			out[i], scale = float32(int16(le.Uint16(b[2*i:]))), 32767
		case gltf.ComponentUshort:
			out[i], scale = float32(le.Uint16(b[2*i:])), 65535
		case gltf.ComponentUint:
			out[i], scale = float32(le.Uint32(b[4*i:])), math.MaxUint32
		}
		if normalized {
			out[i] = max(out[i]/scale, -1)
		}
	}
}

func decodeUints(out []uint32, b []byte, size int) {
	for i := range out {
		switch size {
		case 1:
			out[i] = uint32(b[i])
		case 2:
			out[i] = uint32(binary.LittleEndian.Uint16(b[2*i:]))
		default:
			out[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
	}
}
