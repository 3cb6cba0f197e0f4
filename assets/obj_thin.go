package assets

import "fmt"

// objThin are the points and lines of one object with one material.
type objThin struct {
	thin
	vertices map[int32]uint32 // by position
}

// thinElement reads "p 1 2 3", points, or "l 1 2 3", a line from each to the next. Texture coordinates have no use on them.
func (r *objReader) thinElement(line []byte, points bool) error {
	if r.part == nil {
		r.openPart()
	}
	t := &r.part.thin
	var before uint32
	for n := 0; ; n++ {
		var w []byte
		if w, line = word(line); len(w) == 0 {
			return nil
		}
		c, err := r.corner(w)
		if err != nil {
			return err
		}
		if err := r.l.src.charge(objVertexBytes+8, "points and lines"); err != nil {
			return err
		}
		i := t.vertex(r, c[0])
		switch {
		case points:
			t.points = append(t.points, i)
		case n > 0:
			t.segments = append(t.segments, [2]uint32{before, i})
		}
		before = i
	}
}

// vertex returns the number of a position's vertex, making it at its first use.
func (t *objThin) vertex(r *objReader, position int32) uint32 {
	if i, ok := t.vertices[position]; ok {
		return i
	}
	if t.vertices == nil {
		t.vertices = map[int32]uint32{}
	}
	i := uint32(len(t.vertices))
	t.vertices[position] = i
	t.positions = append(t.positions, r.positions[3*position:3*position+3]...)
	rgb := [3]float32{1, 1, 1}
	if at := 3 * int(position); at+3 <= len(r.colors) {
		rgb = [3]float32(r.colors[at:])
	}
	t.colors = append(t.colors, rgb[0], rgb[1], rgb[2], 1)
	return i
}

// primitive gives them a thickness; nil where there are none.
func (t *objThin) primitive(r *objReader, material int) (*Primitive, error) {
	if len(t.points)+len(t.segments) == 0 {
		return nil, nil
	}
	for i := 0; i+2 < len(t.positions); i += 3 {
		if !allFinite(t.positions[i : i+3]) {
			return nil, fmt.Errorf("%w: a point or line of %q has a position that is not finite", ErrInvalid, clip(r.object))
		}
	}
	if r.colors == nil {
		t.colors = nil
	}
	r.l.replaceNonFinite(t.colors, 1)
	p, err := r.l.thicken(&t.thin)
	if p != nil {
		p.Material = material
	}
	return p, err
}
