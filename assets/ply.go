package assets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The PLY format ("Polygon File Format", Turk 1994): a header that names elements and their properties, then the elements, as
// text or as numbers of either byte order. Read are vertices with normals, colours and texture coordinates, and faces.

// plyProperty is a property of an element: a number, or a list of them behind its count.
type plyProperty struct {
	name        string
	kind, count byte // of plyKinds; count is 0 where there is no list
}

type plyElement struct {
	name       string
	count      int
	properties []plyProperty
}

// plyKind reads the name of a type: its letter says how it is read.
func plyKind(name string) byte {
	switch name {
	case "char", "int8":
		return 'b'
	case "uchar", "uint8":
		return 'B'
	case "short", "int16":
		return 's'
	case "ushort", "uint16":
		return 'S'
	case "int", "int32":
		return 'i'
	case "uint", "uint32":
		return 'I'
	case "float", "float32":
		return 'f'
	case "double", "float64":
		return 'd'
	}
	return 0
}

func plySize(kind byte) int {
	switch kind {
	case 'b', 'B':
		return 1
	case 's', 'S':
		return 2
	case 'd':
		return 8
	}
	return 4
}

// plyReader reads numbers one after the other.
type plyReader struct {
	data  []byte
	order binary.ByteOrder // nil is text
	short bool             // the file has ended
	bad   bool             // what stands there is no number
}

func (r *plyReader) next(kind byte) float64 {
	if r.order == nil {
		r.data = bytes.TrimLeft(r.data, " \t\r\n")
		end := bytes.IndexAny(r.data, " \t\r\n")
		if end < 0 {
			end = len(r.data)
		}
		r.short = r.short || end == 0
		x, err := strconv.ParseFloat(string(r.data[:end]), 64)
		r.bad = r.bad || err != nil && !isRange(err)
		r.data = r.data[end:]
		return x
	}
	n := plySize(kind)
	if len(r.data) < n {
		r.short, r.data = true, nil
		return 0
	}
	b := r.data[:n]
	r.data = r.data[n:]
	switch kind {
	case 'b':
		return float64(int8(b[0]))
	case 'B':
		return float64(b[0])
	case 's':
		return float64(int16(r.order.Uint16(b)))
	case 'S':
		return float64(r.order.Uint16(b))
	case 'i':
		return float64(int32(r.order.Uint32(b)))
	case 'I':
		return float64(r.order.Uint32(b))
	case 'f':
		return float64(math.Float32frombits(r.order.Uint32(b)))
	}
	return math.Float64frombits(r.order.Uint64(b))
}

func (r *plyReader) err(what string, i int) error {
	switch {
	case r.bad:
		return fmt.Errorf("%w: %s %d: not a number", ErrInvalid, what, i)
	case r.short:
		return fmt.Errorf("%w: the file ends in %s %d", ErrInvalid, what, i)
	}
	return nil
}

// plyHeader reads the header, and returns the elements and what reads them.
func plyHeader(data []byte) ([]plyElement, *plyReader, error) {
	r := &plyReader{}
	var elements []plyElement
	format := ""
	for n := 0; ; n++ {
		if len(data) == 0 || n > 1000 {
			return nil, nil, fmt.Errorf("%w: the header has no end_header", ErrInvalid)
		}
		var line []byte
		line, data = nextLine(data)
		w := strings.Fields(string(line))
		switch {
		case n == 0 || len(w) == 0 || w[0] == "comment" || w[0] == "obj_info":
		case w[0] == "end_header":
			r.data = data
			switch format {
			case "ascii":
			case "binary_little_endian":
				r.order = binary.LittleEndian
			case "binary_big_endian":
				r.order = binary.BigEndian
			default:
				return nil, nil, fmt.Errorf("%w: format %q", ErrInvalid, clip(format))
			}
			return elements, r, nil
		case w[0] == "format" && len(w) >= 2:
			format = w[1]
		case w[0] == "element" && len(w) == 3:
			count, err := strconv.Atoi(w[2])
			if err != nil || count < 0 || count > math.MaxInt32 {
				return nil, nil, fmt.Errorf("%w: header line %d: %q", ErrInvalid, n+1, clip(string(line)))
			}
			elements = append(elements, plyElement{name: w[1], count: count})
		case w[0] == "property" && len(elements) > 0:
			p, ok := plyPropertyOf(w)
			if !ok {
				return nil, nil, fmt.Errorf("%w: header line %d: %q", ErrInvalid, n+1, clip(string(line)))
			}
			e := &elements[len(elements)-1]
			e.properties = append(e.properties, p)
		default:
			return nil, nil, fmt.Errorf("%w: header line %d: %q", ErrInvalid, n+1, clip(string(line)))
		}
	}
}

func plyPropertyOf(w []string) (p plyProperty, ok bool) {
	switch {
	case len(w) == 3:
		p = plyProperty{name: w[2], kind: plyKind(w[1])}
		return p, p.kind != 0
	case len(w) == 5 && w[1] == "list":
		p = plyProperty{name: w[4], kind: plyKind(w[3]), count: plyKind(w[2])}
		return p, p.kind != 0 && p.count != 0
	}
	return p, false
}

func (l *loader) readPLY(data []byte) error {
	elements, r, err := plyHeader(data)
	if err != nil {
		return err
	}
	p := &Primitive{}
	for i := range elements {
		e := &elements[i]
		switch e.name {
		case "vertex":
			err = l.plyVertices(p, e, r)
		case "face":
			err = l.plyFaces(p, e, r)
		default:
			if e.name == "tristrips" {
				l.warn("triangle strips of .ply files are left out")
			}
			err = l.plySkip(e, r)
		}
		if err != nil {
			return err
		}
	}
	l.scene.Materials = append(l.scene.Materials, plainMaterial("default"))
	if p.Colors != nil {
		l.scene.Materials[0].BaseColor = [4]float32{1, 1, 1, 1}
	}
	if len(p.Indices) == 0 && p.VertexCount() > 0 { // a cloud of points
		if p, err = l.cloud(p); err != nil || p == nil {
			return err
		}
	}
	return l.addMesh(l.scene.Name, []*Primitive{p}, true)
}

// cloud shows the vertices of a file without faces as points.
func (l *loader) cloud(p *Primitive) (*Primitive, error) {
	for i := 0; i+2 < len(p.Positions); i += 3 {
		if !allFinite(p.Positions[i : i+3]) {
			return nil, fmt.Errorf("%w: position of vertex %d is not finite", ErrInvalid, i/3)
		}
	}
	t := &thin{positions: p.Positions, colors: p.Colors, points: make([]uint32, p.VertexCount())}
	l.replaceNonFinite(t.colors, 1)
	for i := range t.points {
		t.points[i] = uint32(i)
	}
	return l.thicken(t)
}

// plyRoles are the vertex properties that are read, by name: an array, and the component in it.
func plyRoles() map[string][2]int {
	return map[string][2]int{
		"x": {0, 0}, "y": {0, 1}, "z": {0, 2}, "nx": {1, 0}, "ny": {1, 1}, "nz": {1, 2},
		"red": {2, 0}, "green": {2, 1}, "blue": {2, 2}, "alpha": {2, 3}, "r": {2, 0}, "g": {2, 1}, "b": {2, 2}, "a": {2, 3},
		"diffuse_red": {2, 0}, "diffuse_green": {2, 1}, "diffuse_blue": {2, 2},
		"u": {3, 0}, "v": {3, 1}, "s": {3, 0}, "t": {3, 1}, "texture_u": {3, 0}, "texture_v": {3, 1},
	}
}

func (l *loader) plyVertices(p *Primitive, e *plyElement, r *plyReader) error {
	type column struct {
		array, component int
		scale            float64
	}
	sizes := [4]int{3, 3, 4, 2}
	var have [4]int
	columns := make([]column, len(e.properties))
	roles := plyRoles()
	for i, q := range e.properties {
		columns[i] = column{array: -1, scale: 1}
		role, ok := roles[q.name]
		if !ok || q.count != 0 {
			continue
		}
		columns[i].array, columns[i].component = role[0], role[1]
		have[role[0]]++
		if role[0] == 2 {
			columns[i].scale = map[byte]float64{'B': 255, 'S': math.MaxUint16, 'I': math.MaxUint32, 'b': 127, 's': 32767}[q.kind]
			if columns[i].scale == 0 {
				columns[i].scale = 1
			}
		}
	}
	if have[0] < 3 {
		return fmt.Errorf("%w: vertices without x, y and z", ErrInvalid)
	}
	if len(r.data) < e.count { // each takes a byte at least
		return fmt.Errorf("%w: %d vertices in %d bytes", ErrInvalid, e.count, len(r.data))
	}
	if err := l.src.charge(int64(e.count)*4*(3+3+4+2), "vertices"); err != nil {
		return err
	}
	var arrays [4][]float32
	for i, n := range have {
		if n >= 2 {
			arrays[i] = make([]float32, sizes[i]*e.count)
		}
	}
	for i := range arrays[2] {
		arrays[2][i] = 1
	}
	for v := range e.count {
		for i, q := range e.properties {
			if q.count != 0 {
				for range int(min(max(r.next(q.count), 0), float64(len(r.data)))) {
					r.next(q.kind)
				}
				continue
			}
			x := r.next(q.kind)
			if c := columns[i]; c.array >= 0 && arrays[c.array] != nil {
				arrays[c.array][sizes[c.array]*v+c.component] = float32(x / c.scale)
			}
		}
		if err := r.err("vertex", v); err != nil {
			return err
		}
	}
	for i := range arrays[2] { // colours are those of a screen
		if i%4 != 3 {
			arrays[2][i] = SRGBToLinear(arrays[2][i])
		}
	}
	for i := 1; i < len(arrays[3]); i += 2 {
		arrays[3][i] = 1 - arrays[3][i] // v runs up
	}
	p.Positions, p.Normals, p.Colors, p.UV0 = arrays[0], arrays[1], arrays[2], arrays[3]
	l.replaceNonFinite(p.Normals, 0)
	return l.ctx.Err()
}

func (l *loader) plyFaces(p *Primitive, e *plyElement, r *plyReader) error {
	vertices := float64(p.VertexCount())
	for f := range e.count {
		for _, q := range e.properties {
			n := 1
			if q.count != 0 {
				n = int(min(max(r.next(q.count), 0), float64(len(r.data)))) // an entry takes a byte at least
			}
			if q.count == 0 || q.name != "vertex_indices" && q.name != "vertex_index" {
				for range n {
					r.next(q.kind)
				}
				continue
			}
			if err := l.src.charge(12*int64(n), "faces"); err != nil {
				return err
			}
			var first, last uint32
			for k := range n {
				x := r.next(q.kind)
				if !(x >= 0 && x < vertices) {
					if err := r.err("face", f); err != nil {
						return err
					}
					return fmt.Errorf("%w: face %d: vertex %g of %g", ErrInvalid, f, x, vertices)
				}
				i := uint32(x)
				if k == 0 {
					first = i
				} else if k >= 2 {
					p.Indices = append(p.Indices, first, last, i)
				}
				last = i
			}
		}
		if err := r.err("face", f); err != nil {
			return err
		}
	}
	return l.ctx.Err()
}

// plySkip reads over an element.
func (l *loader) plySkip(e *plyElement, r *plyReader) error {
	if len(e.properties) == 0 {
		return nil
	}
	for i := range e.count {
		for _, q := range e.properties {
			n := 1
			if q.count != 0 {
				n = int(min(max(r.next(q.count), 0), float64(len(r.data))))
			}
			for range n {
				r.next(q.kind)
			}
		}
		if err := r.err(e.name, i); err != nil {
			return err
		}
	}
	return l.ctx.Err()
}
