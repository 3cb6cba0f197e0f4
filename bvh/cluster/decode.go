package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrNotACluster is returned for memory that holds neither a cluster nor a template.
var ErrNotACluster = errors.New("not a cluster of this version")

// ErrInvalid is what Validate's findings wrap.
var ErrInvalid = errors.New("invalid cluster")

// Object is a cluster or a template, read back.
type Object struct {
	Template   bool
	ID         uint32
	Flags      uint32
	Truncate   uint32 // low bits of positions that are cut off
	Fast       bool   // built with PreferFastTrace: a direct cluster, whose triangles have their positions, or a template of some
	IndexBytes uint32 // of an index in the input
	Bytes      uint64
	Bounds     [2][3]float32 // of a cluster, minimum and maximum
	Positions  [][3]float32  // of a cluster, and of a template that has some; of a direct cluster three for each triangle
	Triangles  []Triangle    // in the order of the tree

	vertices int
	root     uint32
	form     uint32
	nodes    []byte
	strayID  bool // a direct cluster's triangle has another
}

// Triangle is one of a cluster's.
type Triangle struct {
	Corners   [3]uint8 // vertices; of what cannot be hit all are 0, and in direct clusters
	Primitive uint32   // number in the input
	Geometry  GeometryWord

	at [3][3]float32 // in a direct cluster
}

// Decode interprets the bytes of a cluster or a template.
func Decode(data []byte) (*Object, error) {
	if len(data) < headerSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrNotACluster, len(data))
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	o := &Object{ID: word(headerID), Flags: word(headerFlags), Bytes: uint64(word(headerBytes)),
		root: word(headerRoot), form: word(headerForm)}
	switch word(headerMagic) {
	case clusterMagic:
	case templateMagic:
		o.Template = true
	default:
		return nil, fmt.Errorf("%w: it begins with %#x", ErrNotACluster, word(headerMagic))
	}
	counts := word(headerCounts)
	triangles, vertices, words := counts&511, counts>>vertexShift&511, counts&hasWords != 0
	o.Truncate, o.IndexBytes, o.vertices = counts>>truncateShift&63, counts>>indexShift&7, int(vertices)
	o.Fast = counts&isFast != 0
	positions, want := vertices, ClusterBytes(triangles, vertices, words, o.Fast)
	if o.Template {
		if counts&hasVertices == 0 {
			positions = 0
		}
		want = TemplateBytes(triangles, positions, words, o.Fast)
	}
	if triangles > Most || vertices > Most || o.Bytes != want || want > uint64(len(data)) {
		return nil, fmt.Errorf("%w: %d triangles and %d vertices take %d bytes, the header says %d of %d", ErrNotACluster, triangles,
			vertices, want, o.Bytes, len(data))
	}
	for k := range 3 {
		o.Bounds[0][k] = math.Float32frombits(word(headerBoundsMin + 4*k))
		o.Bounds[1][k] = math.Float32frombits(word(headerBoundsMax + 4*k))
	}
	at, room := headerSize, int(slots(triangles, o.Fast))
	if !o.Template || o.Fast {
		o.nodes = data[at : at+int(Nodes(triangles, o.Fast))*o.nodeBytes()]
		at += len(o.nodes)
	}
	if o.Fast && !o.Template {
		o.directTriangles(data[at:], int(triangles))
		return o, nil
	}
	for k := range int(triangles) {
		w := word(at + 4*k)
		t := Triangle{Corners: [3]uint8{uint8(w), uint8(w >> 8), uint8(w >> 16)}, Primitive: w >> 24,
			Geometry: GeometryWord(word(headerGeometry))}
		if words {
			t.Geometry = GeometryWord(word(at + 4*room + 4*k))
		}
		o.Triangles = append(o.Triangles, t)
	}
	at += int(rest(uint32(room), 0, words))
	for k := range int(positions) {
		var p [3]float32
		for c := range 3 {
			p[c] = math.Float32frombits(word(at + 12*k + 4*c))
		}
		o.Positions = append(o.Positions, p)
	}
	return o, nil
}

// Corner is the position of a triangle's corner.
func (o *Object) Corner(t Triangle, k int) [3]float32 {
	if o.Fast && !o.Template {
		return t.at[k]
	}
	return o.Positions[t.Corners[k]]
}

// Hittable tells whether a triangle has positions that rays can meet, be it none of an area.
func (o *Object) Hittable(t Triangle) bool {
	if t.Corners[0] == t.Corners[1] && t.Corners[1] == t.Corners[2] && t.at[0] == t.at[1] && t.at[1] == t.at[2] {
		return false
	}
	for k := range 3 {
		for _, x := range o.Corner(t, k) {
			if !(math.Abs(float64(x)) < 1e37) {
				return false
			}
		}
	}
	return true
}

// Validate checks that every triangle is there once, that corners are vertices, that the tree is that of its number of triangles,
// and that boxes contain what is below.
func (o *Object) Validate() error {
	var seen [Most]bool
	for i, t := range o.Triangles {
		if int(t.Primitive) >= len(o.Triangles) || seen[t.Primitive] {
			return fmt.Errorf("%w: triangle %d is number %d of the input, of %d, or there twice", ErrInvalid, i, t.Primitive,
				len(o.Triangles))
		}
		seen[t.Primitive] = true
		// A template's indices are as they were: its instances leave out what has none.
		if m := int(max(t.Corners[0], t.Corners[1], t.Corners[2])); m >= o.vertices && !o.Template {
			return fmt.Errorf("%w: triangle %d has a corner at vertex %d of %d", ErrInvalid, i, m, o.vertices)
		}
	}
	if o.Template {
		if o.Fast {
			return o.visitDirect(0, 0, [2][3]float32{}, new([Most]bool))
		}
		return nil
	}
	n := uint32(len(o.Triangles))
	got, fast := o.form>>formTrianglesShift&formTrianglesMask, o.form&formFast != 0
	if got != n || o.form&formCluster == 0 || fast != o.Fast || o.form&^formMask != 0 {
		return fmt.Errorf("%w: form %#x of %d triangles", ErrInvalid, o.form, n)
	}
	hittable := false
	for _, t := range o.Triangles {
		hittable = hittable || o.Hittable(t)
	}
	if !hittable && o.root == refNone { // triangles that are points have boxes, and so nodes
		return nil
	}
	if o.Fast {
		return o.validateDirect()
	}
	return o.visit(o.root, 0, (n+leafTriangles-1)/leafTriangles, o.Bounds)
}

// Nodes is how many nodes there is room for.
func (o *Object) Nodes() int { return len(o.nodes) / o.nodeBytes() }

// Depth is how many nodes are on the longest path. Where the tree is not by the surface area heuristic it is divided in the middle
// again and again.
func (o *Object) Depth() int {
	if o.Fast {
		return o.directDepth(0, 0)
	}
	return bits.Len32(uint32(o.Nodes()))
}

// visit checks the subtree of leaves [first, end), whose parent has a box for it.
func (o *Object) visit(ref, first, end uint32, box [2][3]float32) error {
	n := uint32(len(o.Triangles))
	if end-first == 1 {
		from, to := first*leafTriangles, min(end*leafTriangles, n)
		if want := refLeaf | (to-from-1)<<refCountShift | from; ref != want {
			return fmt.Errorf("%w: leaf %d has the reference %#x, not %#x", ErrInvalid, first, ref, want)
		}
		for _, t := range o.Triangles[from:to] {
			for k := range 3 {
				if o.Hittable(t) && !inside(box, o.Corner(t, k)) {
					return fmt.Errorf("%w: box %v of leaf %d does not contain %v", ErrInvalid, box, first, o.Corner(t, k))
				}
			}
		}
		return nil
	}
	middle := first + (end-first+1)/2
	if ref != middle-1 {
		return fmt.Errorf("%w: the node of leaves %d to %d is number %d, not %d", ErrInvalid, first, end, ref, middle-1)
	}
	for c := range 2 {
		b, child := o.child(ref, c)
		f, e := first, middle
		if c == 1 {
			f, e = middle, end
		}
		if empty := b[0][0] > b[1][0]; !empty && !(inside(box, b[0]) && inside(box, b[1])) {
			return fmt.Errorf("%w: box %v of node %d is not in its parent's, %v", ErrInvalid, b, ref, box)
		}
		if err := o.visit(child, f, e, b); err != nil {
			return err
		}
	}
	return nil
}

// child is the box and the reference of a node's child.
func (o *Object) child(node uint32, c int) (box [2][3]float32, ref uint32) {
	return childAt(o.nodes[node*nodeSize:], c)
}

func childAt(n []byte, c int) (box [2][3]float32, ref uint32) {
	f := func(at int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(n[at:])) }
	xy, z := 16*c, 32+8*c
	box[0] = [3]float32{f(xy), f(xy + 8), f(z)}
	box[1] = [3]float32{f(xy + 4), f(xy + 12), f(z + 4)}
	return box, binary.LittleEndian.Uint32(n[48+4*c:])
}

func inside(box [2][3]float32, p [3]float32) bool {
	for k := range 3 {
		if !(box[0][k] <= p[k] && p[k] <= box[1][k]) {
			return false
		}
	}
	return true
}

// Record is what a bottom level has of a cluster.
type Record struct {
	Address uint64
	form    uint32
	root    uint32
}

// Triangles is how many triangles the cluster has.
func (r Record) Triangles() uint32 { return r.form >> formTrianglesShift & formTrianglesMask }

// DecodeRecord reads a record of a bottom level, of RecordSize bytes.
func DecodeRecord(b []byte) Record {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	return Record{Address: binary.LittleEndian.Uint64(b[recordAddress:]), form: word(recordForm), root: word(recordRoot)}
}

// Describes tells whether the record is that of a cluster.
func (r Record) Describes(o *Object) bool { return !o.Template && r.form == o.form && r.root == o.root }
