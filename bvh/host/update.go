package host

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// treeUpdate is one update on its way. It keeps the tree of its source and makes boxes again, as the device does
// (shaders/bvh/refit/refit.glsl), to the same bits but for instances. Its steps are tasks of its operation:
//
//	measure   finds out what the source is, and the boxes of its leaf records in the new input, in pieces
//	copy      the source, if the destination is another structure
//	rewrite   leaf records, in pieces
//	enclose   nodes, from the leaves up: subtrees side by side, then what is above them, and the header
//
// Nothing is written before all of the input has been read without an error.
type treeUpdate struct {
	op     *Operation
	number int
	in     *BuildInput
	reader inputReader
	count  uint32 // primitives

	src, dst *inspect.Structure
	boxes    []inspect.Box // of the source's leaf records
	pieces   []buildPiece
	padding  float32
	cuts     map[uint32]int // subtrees that are tasks
	roots    []updateSubtree

	mu    sync.Mutex
	err   error
	errAt int // piece
}

// updateSubtree is a node with so many leaf records below, and the box that it was found to have.
type updateSubtree struct {
	node, leaves uint32
	depth        int
	box          inspect.Box
}

func newHostUpdate(op *Operation, number int, in *BuildInput) *treeUpdate {
	u := &treeUpdate{op: op, number: number, in: in, cuts: map[uint32]int{}}
	u.reader, u.count = newHostReader(in)
	return u
}

func (u *treeUpdate) begin() { u.op.push(u.measure) }

func (u *treeUpdate) size() int { return int(u.count) }

// inPlace tells whether the destination is the source.
func (in *BuildInput) inPlace() bool {
	return in.Src == nil || len(in.Dst) > 0 && len(in.Src) > 0 && &in.Dst[0] == &in.Src[0]
}

// source is what an update reads.
func (in *BuildInput) source() []byte {
	if in.Src == nil {
		return in.Dst
	}
	return in.Src
}

// checkHostUpdate checks what an update asks beyond the rules of a build, but for the source, which may still be written.
func checkHostUpdate(in BuildInput) error {
	switch {
	case in.Info.Flags&vk.AllowUpdate == 0:
		return fmt.Errorf("%w: Info.Update needs AllowUpdate in Info.Flags, in this build and in the one that made the source",
			layout.ErrInvalidBuild)
	case len(in.source()) < layout.HeaderSize:
		return fmt.Errorf("%w: the source has %d bytes, too few for a structure", layout.ErrInvalidBuild, len(in.source()))
	case len(in.Dst) < layout.HeaderSize:
		return fmt.Errorf("%w: the destination has %d bytes, too few for a structure", layout.ErrInvalidBuild, len(in.Dst))
	}
	return nil
}

// open reads the source's header, and refuses what is not a structure that the update may be of.
func (u *treeUpdate) open() error {
	s, err := inspect.Decode(u.in.source())
	if err != nil {
		return fmt.Errorf("%w: source: %w", layout.ErrInvalidBuild, err)
	}
	kind := s.LeafKind()
	if layout.IsCompacted(kind) {
		kind = layout.LeafTriangles
	}
	info := u.in.Info
	switch {
	case s.Flags&vk.AllowUpdate == 0:
		return fmt.Errorf("%w: the source was built without AllowUpdate", layout.ErrInvalidBuild)
	case s.Flags != info.Flags:
		return fmt.Errorf("%w: Info.Flags is %#x, the source was built with %#x", layout.ErrInvalidBuild, uint32(info.Flags),
			uint32(s.Flags))
	case s.Type != info.Type, kind != u.reader.kind, s.Geometries != uint32(len(info.Geometries)), s.Primitives != u.count:
		return fmt.Errorf("%w: the source has %d primitives of kind %d in %d geometries, the update %d of kind %d in %d",
			layout.ErrInvalidBuild, s.Primitives, kind, s.Geometries, u.count, u.reader.kind, len(info.Geometries))
	case uint64(len(u.in.Dst)) < s.Bytes:
		return fmt.Errorf("%w: the destination has %d bytes, the source takes %d", layout.ErrInvalidBuild, len(u.in.Dst), s.Bytes)
	case layout.HeaderSize+uint64(s.Word(layout.HeaderNodeCount))*layout.NodeSize > s.Leaves:
		return fmt.Errorf("%w: source: %w: %d nodes before offset %d", layout.ErrInvalidBuild, inspect.ErrNotAStructure,
			s.Word(layout.HeaderNodeCount), s.Leaves)
	}
	if err := s.CheckLeaves(); err != nil {
		return fmt.Errorf("%w: source: %w: %w", layout.ErrInvalidBuild, inspect.ErrNotAStructure, err)
	}
	u.src = s
	return nil
}

// finish ends the update, with an error or none.
func (u *treeUpdate) finish(err error) {
	if err == nil {
		u.op.widen(u.in.Dst, false)
		return
	}
	u.op.fail("build", u.number, err)
	u.op.closing()
}

func (u *treeUpdate) measure() {
	if err := u.open(); err != nil {
		u.finish(err)
		return
	}
	n := int(u.src.Active)
	u.boxes = make([]inspect.Box, n)
	u.pieces = make([]buildPiece, (n+taskSize-1)/taskSize)
	u.op.spread(n, taskSize, u.measurePiece, u.copy)
}

func (u *treeUpdate) measurePiece(first, end int) {
	p := buildPiece{bounds: inspect.NoBox()}
	for i := first; i < end; i++ {
		box, active, err := u.box(uint32(i))
		if err != nil {
			u.stop(first, err)
			return
		}
		if u.boxes[i] = inspect.NoBox(); !active {
			continue
		}
		u.boxes[i] = box
		p.active++
		if isHuge(box) {
			p.huge = true
		} else {
			p.bounds = p.bounds.Union(box)
		}
	}
	if end > first {
		u.pieces[first/taskSize] = p
	}
}

// stop notes an error of a piece; that of the first one counts.
func (u *treeUpdate) stop(piece int, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil || piece < u.errAt {
		u.err, u.errAt = err, piece
	}
}

// find returns geometry and primitive of a leaf record, and whether the input has it: of a source that was built from the
// same counts it has all.
func (u *treeUpdate) find(record uint32) (g int, n uint32, known bool) {
	switch u.reader.kind {
	case layout.LeafInstances:
		n = u.src.InstanceIndexAt(record)
	case layout.LeafBoxes:
		b := u.src.ProceduralBox(record)
		g, n = int(b.Geometry), b.Primitive
	default:
		t := u.src.Triangle(record)
		g, n = int(t.Geometry), t.Primitive
	}
	return g, n, g < len(u.in.Ranges) && n < u.in.Ranges[g].PrimitiveCount
}

// box is a record's box in the new input, or the one that it has where the input does not know it.
func (u *treeUpdate) box(record uint32) (b inspect.Box, active bool, err error) {
	g, n, known := u.find(record)
	if known {
		return u.reader.box(u.reader.first[g] + n)
	}
	if u.reader.kind == layout.LeafInstances {
		return b, false, nil
	}
	b, _ = u.src.LeafBox(record)
	return b, b.Min[0] <= b.Max[0], nil
}

// copy makes the destination the source's clone.
func (u *treeUpdate) copy() {
	if u.err != nil {
		u.finish(u.err)
		return
	}
	to := u.in.Dst[:u.src.Bytes]
	dst := *u.src
	dst.Data = to
	u.dst = &dst
	const piece = 1 << 20
	n := len(to)
	if u.in.inPlace() {
		n = 0
	}
	u.op.spread(n, piece, func(first, end int) { copy(to[first:end], u.src.Data[first:end]) }, u.rewrite)
}

func (u *treeUpdate) rewrite() {
	u.op.spread(int(u.src.Active), taskSize, func(first, end int) {
		if layout.IsIndexed(u.src.LeafKind()) {
			for k := first; k < end; k += layout.ChunkRecords {
				u.rewriteChunk(uint32(k), uint32(min(k+layout.ChunkRecords, end)))
			}
			return
		}
		for i := first; i < end; i++ {
			u.rewriteRecord(uint32(i))
		}
	}, u.enclose)
}

func (u *treeUpdate) rewriteRecord(record uint32) {
	kind := u.reader.kind
	if layout.IsCompacted(u.src.LeafKind()) {
		u.rewriteShort(record)
		return
	}
	size := layout.LeafSizeOf(kind)
	at := u.dst.Data[u.dst.Leaves+uint64(record)*size:][:size]
	g, n, known := u.find(record)
	active := u.boxes[record].Min[0] <= u.boxes[record].Max[0]
	switch {
	case kind == layout.LeafTriangles:
		v, flags := u.triangle(record)
		for k := range v {
			layout.PutFloats(at[layout.TriangleV0+12*k:], v[k][:]...)
		}
		layout.PutWord(at, layout.TriangleGeometry, flags)
	case kind == layout.LeafBoxes:
		layout.PutFloats(at[layout.BoxMin:], u.boxes[record].Min[:]...)
		layout.PutFloats(at[layout.BoxMax:], u.boxes[record].Max[:]...)
	case active && known:
		u.reader.writeInstance(at, g, n)
	default: // no bottom level, and a mask that nothing matches
		binary.LittleEndian.PutUint64(at[layout.InstanceBLAS:], 0)
		layout.PutWord(at, layout.InstanceCustomIndexMask, binary.LittleEndian.Uint32(at[layout.InstanceCustomIndexMask:])&0xffffff)
	}
}

// triangle is a record's triangle in the new input, and its word of geometry and flags. One that cannot be hit has no vertices.
func (u *treeUpdate) triangle(record uint32) (v [3][3]float32, flags uint32) {
	g, n, known := u.find(record)
	if !known {
		t := u.src.Triangle(record)
		v, flags = t.V, t.Geometry
		if t.Opaque {
			flags |= layout.TriangleOpaque
		}
	} else {
		v, _ = u.reader.triangle(g, n) // read before, without an error
		flags = uint32(g)
		if u.in.Info.Geometries[g].Flags&vk.GeometryOpaque != 0 {
			flags |= layout.TriangleOpaque
		}
	}
	if b := u.boxes[record]; b.Min[0] > b.Max[0] {
		return [3][3]float32{}, flags | layout.TriangleInactive
	}
	return v, flags
}

// rewriteShort is for short triangles.
func (u *treeUpdate) rewriteShort(record uint32) {
	const flagBits = layout.TriangleOpaque | layout.TriangleInactive
	at := u.dst.Data[u.dst.RecordAt(record):]
	v, flags := u.triangle(record)
	for k := range v {
		layout.PutFloats(at[12*k:], v[k][:]...)
	}
	layout.PutWord(at, 4*layout.ShortWord, binary.LittleEndian.Uint32(at[4*layout.ShortWord:])&^flagBits|flags&flagBits)
}

// rewriteChunk is for indexed triangles. Corners that share a vertex have the same one in the input; one that only
// inactive triangles use is zero.
func (u *treeUpdate) rewriteChunk(first, end uint32) {
	const flagBits = layout.TriangleOpaque | layout.TriangleInactive
	var vertices [256][3]float32
	for i := first; i < end; i++ {
		v, flags := u.triangle(i)
		at := u.dst.Data[u.dst.RecordAt(i):]
		word := binary.LittleEndian.Uint32(at)
		layout.PutWord(at, 0, word&^flagBits|flags&flagBits)
		for k := range v {
			if flags&layout.TriangleInactive == 0 {
				vertices[word>>(8*k)&255] = v[k]
			}
		}
	}
	chunk := u.dst.ChunkAt(first)
	begin, count, _ := u.dst.ChunkLists(chunk)
	for k := range count {
		layout.PutFloats(u.dst.Data[u.dst.Leaves+4*begin+12*uint64(k):], vertices[k][:]...)
	}
}

// enclose makes the nodes' boxes.
func (u *treeUpdate) enclose() {
	bounds, huge, active := inspect.NoBox(), false, 0
	for _, p := range u.pieces {
		bounds, huge, active = bounds.Union(p.bounds), huge || p.huge, active+p.active
	}
	if bounds.Min[0] > bounds.Max[0] {
		bounds = inspect.Box{} // of nothing, or of what is huge alone
	}
	u.padding = paddingOf(bounds)
	u.header(bounds, huge, active)
	root := updateSubtree{node: u.src.Root, leaves: u.src.Active}
	if u.src.Active == 0 || root.node&layout.RefLeaf != 0 {
		u.finish(nil)
		return
	}
	if err := u.cut(root); err != nil {
		u.finish(err)
		return
	}
	u.op.spread(len(u.roots), 1, func(first, end int) {
		for i := first; i < end; i++ {
			box, err := u.refit(u.roots[i], false)
			u.roots[i].box = box
			if err != nil {
				u.stop(i, err)
			}
		}
	}, func() {
		err := u.err
		if err == nil {
			_, err = u.refit(root, true)
		}
		u.finish(err)
	})
}

// cut finds the subtrees that are tasks.
func (u *treeUpdate) cut(t updateSubtree) error {
	if t.node&layout.RefLeaf != 0 {
		return nil
	}
	if t.depth == cutDepth {
		u.cuts[t.node] = len(u.roots)
		u.roots = append(u.roots, t)
		return nil
	}
	children, err := u.children(t)
	for _, c := range children {
		if err == nil {
			err = u.cut(c)
		}
	}
	return err
}

// children checks an inner node: numbers of leaf records fall on the way down, so that there is an end of it.
func (u *treeUpdate) children(t updateSubtree) (list [2]updateSubtree, err error) {
	if uint64(layout.HeaderSize)+(uint64(t.node)+1)*layout.NodeSize > u.dst.Leaves {
		return list, fmt.Errorf("%w: source: %w: no node %d", layout.ErrInvalidBuild, inspect.ErrNotAStructure, t.node)
	}
	_, refs, leaves := u.dst.Children(t.node)
	if leaves[0] == 0 || leaves[1] == 0 || uint64(leaves[0])+uint64(leaves[1]) != uint64(t.leaves) || t.depth > layout.StackEntries {
		return list, fmt.Errorf("%w: source: %w: node %d at depth %d with %d and %d leaf records of %d",
			layout.ErrInvalidBuild, inspect.ErrNotAStructure, t.node, t.depth, leaves[0], leaves[1], t.leaves)
	}
	for k := range list {
		list[k] = updateSubtree{node: refs[k], leaves: leaves[k], depth: t.depth + 1}
	}
	return list, nil
}

// refit makes the boxes of a subtree, and returns its own. At the top, subtrees are done.
func (u *treeUpdate) refit(t updateSubtree, top bool) (inspect.Box, error) {
	if t.node&layout.RefLeaf != 0 {
		return u.leaf(t)
	}
	if k, done := u.cuts[t.node]; top && done {
		return u.roots[k].box, nil
	}
	children, err := u.children(t)
	if err != nil {
		return inspect.Box{}, err
	}
	own := inspect.NoBox()
	at := u.dst.Data[uint64(layout.HeaderSize)+uint64(t.node)*layout.NodeSize:]
	for side, c := range children {
		box, err := u.refit(c, top)
		if err != nil {
			return inspect.Box{}, err
		}
		xy, z := layout.NodeXY0+side*(layout.NodeXY1-layout.NodeXY0), layout.NodeZ+8*side
		for k, offset := range [3]int{xy, xy + 8, z} {
			layout.PutFloats(at[offset:], box.Min[k], box.Max[k])
		}
		own = own.Union(box)
	}
	return own, nil
}

// leaf is the padded box of a leaf. What cannot be hit has an inverted box, which unions ignore.
func (u *treeUpdate) leaf(t updateSubtree) (inspect.Box, error) {
	first, n := layout.LeafRange(t.node, uint32(len(u.boxes)))
	if n != t.leaves || uint64(first)+uint64(n) > uint64(len(u.boxes)) {
		return inspect.Box{}, fmt.Errorf("%w: source: %w: leaf of %d records from %d on, %d are there", layout.ErrInvalidBuild,
			inspect.ErrNotAStructure, n, first, len(u.boxes))
	}
	box := inspect.NoBox()
	for _, b := range u.boxes[first : first+n] {
		box = box.Union(b)
	}
	if box.Min[0] <= box.Max[0] {
		for k := range 3 {
			box.Min[k] -= u.padding
			box.Max[k] += u.padding
		}
	}
	return box, nil
}

// header gives the destination its address and bounds.
func (u *treeUpdate) header(bounds inspect.Box, huge bool, active int) {
	switch {
	case huge:
		bounds = everywhere
	case active > 0:
		for k := range 3 {
			bounds.Min[k] -= u.padding
			bounds.Max[k] += u.padding
		}
	}
	h := u.dst.Data[:layout.HeaderSize]
	binary.LittleEndian.PutUint64(h[layout.HeaderSelf:], u.in.Address)
	layout.PutFloats(h[layout.HeaderBoundsMin:], bounds.Min[:]...)
	layout.PutFloats(h[layout.HeaderBoundsMax:], bounds.Max[:]...)
}

// paddingOf is erPadding of build.glsl: what boxes grow by on all sides.
func paddingOf(bounds inspect.Box) float32 {
	most := float32(0)
	for k := range 3 {
		most = max(most, abs32(bounds.Min[k]), abs32(bounds.Max[k]))
	}
	return max(most*(1.0/8388608), 1e-36)
}
