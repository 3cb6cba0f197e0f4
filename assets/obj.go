package assets

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// objReader reads Wavefront .obj files: polygons with texture coordinates and normals, objects, groups, materials and colours
// of vertices, points and lines. Polygons become fans. Free-form surfaces are left out with a warning.
type objReader struct {
	l                  *loader
	positions, normals []float32
	coords, colors     []float32
	materials          map[string]int
	material           int
	object             string
	smooth             bool
	parts              []*objPart // of the object that is being read
	byMaterial         map[int]*objPart
	part               *objPart
	corners            []objCorner // of the face that is being read
	line               int
}

// objCorner is a corner of a face: its position, texture coordinate and normal, -1 where there is none.
type objCorner [3]int32

// objPart are the faces of one object with one material.
type objPart struct {
	material int
	p        Primitive
	vertices map[objCorner]uint32
	noUV     bool
	noNormal bool
	thin     objThin
}

// objVertexBytes is what a vertex takes here, its place in a map included.
const objVertexBytes = 128

func (l *loader) readOBJ(data []byte) error {
	r := &objReader{l: l, materials: map[string]int{}, material: -1}
	for len(data) > 0 {
		var line []byte
		line, data = nextLine(data)
		r.line++
		for bytes.HasSuffix(line, []byte{'\\'}) && len(data) > 0 { // goes on
			var more []byte
			more, data = nextLine(data)
			r.line++
			line = append(append(bytes.Clone(line[:len(line)-1]), ' '), more...)
		}
		if err := r.statement(line); err != nil {
			return fmt.Errorf("line %d: %w", r.line, err)
		}
		if r.line%(1<<16) == 0 {
			if err := l.ctx.Err(); err != nil {
				return err
			}
		}
	}
	return r.endObject()
}

// nextLine splits off a line, without its end.
func nextLine(data []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(data, []byte{'\n'})
	return bytes.TrimRight(line, " \t\r"), rest
}

// word splits off a word.
func word(line []byte) (first, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	i := bytes.IndexAny(line, " \t")
	if i < 0 {
		return line, nil
	}
	return line[:i], bytes.TrimLeft(line[i:], " \t")
}

func (r *objReader) statement(line []byte) (err error) {
	key, rest := word(line)
	switch string(key) {
	case "v":
		return r.vertex(rest)
	case "vn":
		r.normals, err = r.numbers(r.normals, rest, 3, 3)
	case "vt":
		if r.coords, err = r.numbers(r.coords, rest, 1, 2); err == nil {
			r.coords[len(r.coords)-1] = 1 - r.coords[len(r.coords)-1] // v runs up
		}
	case "f", "fo":
		return r.face(rest)
	case "o", "g":
		if err := r.endObject(); err != nil {
			return err
		}
		r.object = string(rest)
	case "s":
		r.smooth = string(rest) != "off" && string(rest) != "0"
	case "usemtl":
		return r.use(string(rest))
	case "mtllib":
		return r.library(string(rest))
	case "l", "p":
		return r.thinElement(rest, key[0] == 'p')
	case "curv", "curv2", "surf":
		r.l.warn("free-form curves and surfaces are left out")
	}
	return err
}

// numbers appends the numbers of a line: least must be there, and what is missing up to most is 0.
func (r *objReader) numbers(to []float32, line []byte, least, most int) ([]float32, error) {
	if err := r.l.src.charge(4*int64(most), "vertices"); err != nil {
		return nil, err
	}
	for i := range most {
		var w []byte
		w, line = word(line)
		if len(w) == 0 && i >= least {
			to = append(to, 0)
			continue
		}
		x, err := strconv.ParseFloat(string(w), 32)
		if err != nil && !isRange(err) {
			return nil, fmt.Errorf("%w: %q is not a number", ErrInvalid, clip(string(w)))
		}
		to = append(to, float32(x))
	}
	return to, nil
}

// isRange tells whether a number is only too large: infinite, which is judged later.
func isRange(err error) bool {
	return errors.Is(err, strconv.ErrRange)
}

// vertex reads a position, which a colour may follow.
func (r *objReader) vertex(line []byte) (err error) {
	words := len(bytes.Fields(line))
	if r.positions, err = r.numbers(r.positions, line, 3, 3); err != nil || words < 6 {
		return err
	}
	for range 3 {
		_, line = word(line)
	}
	if missing := len(r.positions) - 3 - len(r.colors); missing > 0 { // the first that has one
		if err := r.l.src.charge(4*int64(missing), "colours"); err != nil {
			return err
		}
		for range missing {
			r.colors = append(r.colors, 1)
		}
	}
	r.colors, err = r.numbers(r.colors, line, 3, 3)
	return err
}

// face reads a polygon.
func (r *objReader) face(line []byte) error {
	r.corners = r.corners[:0]
	for {
		var w []byte
		if w, line = word(line); len(w) == 0 {
			break
		}
		c, err := r.corner(w)
		if err != nil {
			return err
		}
		r.corners = append(r.corners, c)
	}
	if len(r.corners) < 3 {
		r.l.warn("faces of less than three corners are left out")
		return nil
	}
	if r.part == nil {
		r.openPart()
	}
	if err := r.l.src.charge(int64(len(r.corners))*(objVertexBytes+12), "faces"); err != nil {
		return err
	}
	first := r.part.vertex(r, r.corners[0])
	last := r.part.vertex(r, r.corners[1])
	for _, c := range r.corners[2:] {
		next := r.part.vertex(r, c)
		r.part.p.Indices = append(r.part.p.Indices, first, last, next)
		last = next
	}
	return nil
}

// corner reads "position/coordinate/normal"; numbers count from 1, negative ones from the end.
func (r *objReader) corner(w []byte) (c objCorner, err error) {
	have := [3]int{len(r.positions) / 3, len(r.coords) / 2, len(r.normals) / 3}
	for i := range c {
		c[i] = -1
		var part []byte
		part, w, _ = bytes.Cut(w, []byte{'/'})
		if len(part) == 0 {
			if i == 0 {
				return c, fmt.Errorf("%w: a corner without a position", ErrInvalid)
			}
			continue
		}
		n, err := strconv.ParseInt(string(part), 10, 32)
		if n < 0 {
			n += int64(have[i]) + 1
		}
		if err != nil || n < 1 || n > int64(have[i]) || n > math.MaxInt32 {
			return c, fmt.Errorf("%w: corner %q: there are %d positions, %d texture coordinates and %d normals so far", ErrInvalid,
				clip(string(part)), have[0], have[1], have[2])
		}
		c[i] = int32(n - 1)
	}
	return c, nil
}

// vertex returns the number of a corner's vertex, making it at its first use.
func (t *objPart) vertex(r *objReader, c objCorner) uint32 {
	if i, ok := t.vertices[c]; ok {
		return i
	}
	i := uint32(len(t.vertices))
	t.vertices[c] = i
	p := &t.p
	p.Positions = append(p.Positions, r.positions[3*c[0]:3*c[0]+3]...)
	uv, n, rgb := [2]float32{}, [3]float32{}, [3]float32{1, 1, 1}
	if c[1] >= 0 {
		uv = [2]float32(r.coords[2*c[1]:])
	} else {
		t.noUV = true
	}
	if c[2] >= 0 {
		n = [3]float32(r.normals[3*c[2]:])
	} else {
		t.noNormal = true
	}
	if at := 3 * int(c[0]); at+3 <= len(r.colors) {
		rgb = [3]float32(r.colors[at:])
	}
	p.UV0 = append(p.UV0, uv[:]...)
	p.Normals = append(p.Normals, n[:]...)
	p.Colors = append(p.Colors, rgb[0], rgb[1], rgb[2], 1)
	return i
}

// openPart finds or makes the part of the object for the material in use.
func (r *objReader) openPart() {
	if r.material < 0 {
		r.material = len(r.l.scene.Materials)
		r.l.scene.Materials = append(r.l.scene.Materials, plainMaterial("default"))
	}
	if r.byMaterial == nil {
		r.byMaterial = map[int]*objPart{}
	}
	if r.part = r.byMaterial[r.material]; r.part == nil {
		r.part = &objPart{material: r.material, vertices: map[objCorner]uint32{}}
		r.parts = append(r.parts, r.part)
		r.byMaterial[r.material] = r.part
	}
}

// endObject makes a mesh of what was read.
func (r *objReader) endObject() error {
	var list []*Primitive
	for _, t := range r.parts {
		p := &t.p
		p.Material = t.material
		if t.noNormal {
			p.Normals = nil
		}
		if r.colors == nil {
			p.Colors = nil
		}
		if t.noUV && !hasCoordinates(p.UV0) {
			p.UV0 = nil
		}
		if p.Normals != nil {
			r.l.replaceNonFinite(p.Normals, 0)
		}
		list = append(list, p)
		thin, err := t.thin.primitive(r, t.material)
		if err != nil {
			return err
		}
		if thin != nil {
			list = append(list, thin)
		}
	}
	smooth := r.smooth
	r.parts, r.part, r.byMaterial = nil, nil, nil
	return r.l.addMesh(r.object, list, smooth)
}

func hasCoordinates(uv []float32) bool {
	for _, x := range uv {
		if x != 0 {
			return true
		}
	}
	return false
}

// use changes the material.
func (r *objReader) use(name string) error {
	i, ok := r.materials[name]
	if !ok {
		r.l.warn("material %q is not in the material library: grey stands for it", clip(name))
		i = len(r.l.scene.Materials)
		r.l.scene.Materials = append(r.l.scene.Materials, plainMaterial(clip(name)))
		r.materials[name] = i
	}
	r.material, r.part = i, nil
	if err := r.l.src.charge(512, "materials"); err != nil {
		return err
	}
	r.openPart()
	return nil
}
