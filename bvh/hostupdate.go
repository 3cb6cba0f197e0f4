package bvh

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/everray/everray/vk"
)

// hostUpdate is one update on its way. It keeps the tree of its source and makes boxes again, as the device does
// (shaders/bvh/refit/refit.glsl), to the same bits but for instances. Its steps are tasks of its operation:
//
//	measure   finds out what the source is, and the boxes of its leaf records in the new input, in pieces
//	copy      the source, if the destination is another structure
//	rewrite   leaf records, in pieces
//	enclose   nodes, from the leaves up: subtrees side by side, then what is above them, and the header
//
// Nothing is written before all of the input has been read without an error.
type hostUpdate struct {
	op     *Operation
	number int
	in     *HostBuildInput
	reader hostReader
	count  uint32 // primitives

	src, dst *Structure
	boxes    []Box // of the source's leaf records
	pieces   []hostPiece
	padding  float32
	cuts     map[uint32]int // subtrees that are tasks
	roots    []hostSubtree

	mu    sync.Mutex
	err   error
	errAt int // piece
}

// hostSubtree is a node with so many leaf records below, and the box that it was found to have.
type hostSubtree struct {
	node, leaves uint32
	depth        int
	box          Box
}

func newHostUpdate(op *Operation, number int, in *HostBuildInput) *hostUpdate {
	u := &hostUpdate{op: op, number: number, in: in, cuts: map[uint32]int{}}
	u.reader, u.count = newHostReader(in)
	return u
}

func (u *hostUpdate) begin() { u.op.push(u.measure) }

func (u *hostUpdate) size() int { return int(u.count) }

// inPlace tells whether the destination is the source.
func (in *HostBuildInput) inPlace() bool {
	return in.Src == nil || len(in.Dst) > 0 && len(in.Src) > 0 && &in.Dst[0] == &in.Src[0]
}

// source is what an update reads.
func (in *HostBuildInput) source() []byte {
	if in.Src == nil {
		return in.Dst
	}
	return in.Src
}

// checkHostUpdate checks what an update asks beyond the rules of a build, but for the source, which may still be written.
func checkHostUpdate(in HostBuildInput) error {
	switch {
	case in.Info.Flags&vk.AllowUpdate == 0:
		return fmt.Errorf("%w: Info.Update needs AllowUpdate in Info.Flags, in this build and in the one that made the source", ErrInvalidBuild)
	case len(in.source()) < headerSize:
		return fmt.Errorf("%w: the source has %d bytes, too few for a structure", ErrInvalidBuild, len(in.source()))
	case len(in.Dst) < headerSize:
		return fmt.Errorf("%w: the destination has %d bytes, too few for a structure", ErrInvalidBuild, len(in.Dst))
	}
	return nil
}

// open reads the source's header, and refuses what is not a structure that the update may be of.
func (u *hostUpdate) open() error {
	s, err := Decode(u.in.source())
	if err != nil {
		return fmt.Errorf("%w: source: %w", ErrInvalidBuild, err)
	}
	kind := s.leafKind()
	if isCompacted(kind) {
		kind = leafTriangles
	}
	info := u.in.Info
	switch {
	case s.Flags&vk.AllowUpdate == 0:
		return fmt.Errorf("%w: the source was built without AllowUpdate", ErrInvalidBuild)
	case s.Flags != info.Flags:
		return fmt.Errorf("%w: Info.Flags is %#x, the source was built with %#x", ErrInvalidBuild, uint32(info.Flags), uint32(s.Flags))
	case s.Type != info.Type, kind != u.reader.kind, s.Geometries != uint32(len(info.Geometries)), s.Primitives != u.count:
		return fmt.Errorf("%w: the source has %d primitives of kind %d in %d geometries, the update %d of kind %d in %d",
			ErrInvalidBuild, s.Primitives, kind, s.Geometries, u.count, u.reader.kind, len(info.Geometries))
	case uint64(len(u.in.Dst)) < s.Bytes:
		return fmt.Errorf("%w: the destination has %d bytes, the source takes %d", ErrInvalidBuild, len(u.in.Dst), s.Bytes)
	case headerSize+uint64(s.word(headerNodeCount))*nodeSize > s.leaves:
		return fmt.Errorf("%w: source: %w: %d nodes before offset %d", ErrInvalidBuild, ErrNotAStructure, s.word(headerNodeCount), s.leaves)
	}
	if err := s.checkLeaves(); err != nil {
		return fmt.Errorf("%w: source: %w: %w", ErrInvalidBuild, ErrNotAStructure, err)
	}
	u.src = s
	return nil
}

// finish ends the update, with an error or none.
func (u *hostUpdate) finish(err error) {
	if err == nil {
		u.op.widen(u.in.Dst, false)
		return
	}
	u.op.fail("build", u.number, err)
	u.op.closing()
}

func (u *hostUpdate) measure() {
	if err := u.open(); err != nil {
		u.finish(err)
		return
	}
	n := int(u.src.Active)
	u.boxes = make([]Box, n)
	u.pieces = make([]hostPiece, (n+hostTask-1)/hostTask)
	u.op.spread(n, hostTask, u.measurePiece, u.copy)
}

func (u *hostUpdate) measurePiece(first, end int) {
	p := hostPiece{bounds: noBox()}
	for i := first; i < end; i++ {
		box, active, err := u.box(uint32(i))
		if err != nil {
			u.stop(first, err)
			return
		}
		if u.boxes[i] = noBox(); !active {
			continue
		}
		u.boxes[i] = box
		p.active++
		if isHuge(box) {
			p.huge = true
		} else {
			p.bounds = p.bounds.union(box)
		}
	}
	if end > first {
		u.pieces[first/hostTask] = p
	}
}

// stop notes an error of a piece; that of the first one counts.
func (u *hostUpdate) stop(piece int, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil || piece < u.errAt {
		u.err, u.errAt = err, piece
	}
}

// find returns geometry and primitive of a leaf record, and whether the input has it: of a source that was built from the
// same counts it has all.
func (u *hostUpdate) find(record uint32) (g int, n uint32, known bool) {
	switch u.reader.kind {
	case leafInstances:
		n = u.src.instanceIndexAt(record)
	case leafBoxes:
		b := u.src.proceduralBox(record)
		g, n = int(b.Geometry), b.Primitive
	default:
		t := u.src.Triangle(record)
		g, n = int(t.Geometry), t.Primitive
	}
	return g, n, g < len(u.in.Ranges) && n < u.in.Ranges[g].PrimitiveCount
}

// box is a record's box in the new input, or the one that it has where the input does not know it.
func (u *hostUpdate) box(record uint32) (b Box, active bool, err error) {
	g, n, known := u.find(record)
	if known {
		return u.reader.box(u.reader.first[g] + n)
	}
	if u.reader.kind == leafInstances {
		return b, false, nil
	}
	b, _ = u.src.leafBox(record)
	return b, b.Min[0] <= b.Max[0], nil
}

// copy makes the destination the source's clone.
func (u *hostUpdate) copy() {
	if u.err != nil {
		u.finish(u.err)
		return
	}
	to := u.in.Dst[:u.src.Bytes]
	dst := *u.src
	dst.data = to
	u.dst = &dst
	const piece = 1 << 20
	n := len(to)
	if u.in.inPlace() {
		n = 0
	}
	u.op.spread(n, piece, func(first, end int) { copy(to[first:end], u.src.data[first:end]) }, u.rewrite)
}

func (u *hostUpdate) rewrite() {
	u.op.spread(int(u.src.Active), hostTask, func(first, end int) {
		if isIndexed(u.src.leafKind()) {
			for k := first; k < end; k += chunkRecords {
				u.rewriteChunk(uint32(k), uint32(min(k+chunkRecords, end)))
			}
			return
		}
		for i := first; i < end; i++ {
			u.rewriteRecord(uint32(i))
		}
	}, u.enclose)
}

func putWord(at []byte, offset int, v uint32) { binary.LittleEndian.PutUint32(at[offset:], v) }

func (u *hostUpdate) rewriteRecord(record uint32) {
	kind := u.reader.kind
	if isCompacted(u.src.leafKind()) {
		u.rewriteShort(record)
		return
	}
	size := leafSizeOf(kind)
	at := u.dst.data[u.dst.leaves+uint64(record)*size:][:size]
	g, n, known := u.find(record)
	active := u.boxes[record].Min[0] <= u.boxes[record].Max[0]
	switch {
	case kind == leafTriangles:
		v, flags := u.triangle(record)
		for k := range v {
			putFloats(at[triangleV0+12*k:], v[k][:]...)
		}
		putWord(at, triangleGeometry, flags)
	case kind == leafBoxes:
		putFloats(at[boxMin:], u.boxes[record].Min[:]...)
		putFloats(at[boxMax:], u.boxes[record].Max[:]...)
	case active && known:
		u.reader.writeInstance(at, g, n)
	default: // no bottom level, and a mask that nothing matches
		binary.LittleEndian.PutUint64(at[instanceBLAS:], 0)
		putWord(at, instanceCustomIndexMask, binary.LittleEndian.Uint32(at[instanceCustomIndexMask:])&0xffffff)
	}
}

// triangle is a record's triangle in the new input, and its word of geometry and flags. One that cannot be hit has no vertices.
func (u *hostUpdate) triangle(record uint32) (v [3][3]float32, flags uint32) {
	g, n, known := u.find(record)
	if !known {
		t := u.src.Triangle(record)
		v, flags = t.V, t.Geometry
		if t.Opaque {
			flags |= triangleOpaque
		}
	} else {
		v, _ = u.reader.triangle(g, n) // read before, without an error
		flags = uint32(g)
		if u.in.Info.Geometries[g].Flags&vk.GeometryOpaque != 0 {
			flags |= triangleOpaque
		}
	}
	if b := u.boxes[record]; b.Min[0] > b.Max[0] {
		return [3][3]float32{}, flags | triangleInactive
	}
	return v, flags
}

// rewriteShort is for short triangles.
func (u *hostUpdate) rewriteShort(record uint32) {
	const flagBits = triangleOpaque | triangleInactive
	at := u.dst.data[u.dst.recordAt(record):]
	v, flags := u.triangle(record)
	for k := range v {
		putFloats(at[12*k:], v[k][:]...)
	}
	putWord(at, 4*shortWord, binary.LittleEndian.Uint32(at[4*shortWord:])&^flagBits|flags&flagBits)
}

// rewriteChunk is for indexed triangles. Corners that share a vertex have the same one in the input; one that only
// inactive triangles use is zero.
func (u *hostUpdate) rewriteChunk(first, end uint32) {
	const flagBits = triangleOpaque | triangleInactive
	var vertices [256][3]float32
	for i := first; i < end; i++ {
		v, flags := u.triangle(i)
		at := u.dst.data[u.dst.recordAt(i):]
		word := binary.LittleEndian.Uint32(at)
		putWord(at, 0, word&^flagBits|flags&flagBits)
		for k := range v {
			if flags&triangleInactive == 0 {
				vertices[word>>(8*k)&255] = v[k]
			}
		}
	}
	chunk := u.dst.chunkAt(first)
	begin, count, _ := u.dst.chunkLists(chunk)
	for k := range count {
		putFloats(u.dst.data[u.dst.leaves+4*begin+12*uint64(k):], vertices[k][:]...)
	}
}

// enclose makes the nodes' boxes.
func (u *hostUpdate) enclose() {
	bounds, huge, active := noBox(), false, 0
	for _, p := range u.pieces {
		bounds, huge, active = bounds.union(p.bounds), huge || p.huge, active+p.active
	}
	if bounds.Min[0] > bounds.Max[0] {
		bounds = Box{} // of nothing, or of what is huge alone
	}
	u.padding = paddingOf(bounds)
	u.header(bounds, huge, active)
	root := hostSubtree{node: u.src.Root, leaves: u.src.Active}
	if u.src.Active == 0 || root.node&refLeaf != 0 {
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
func (u *hostUpdate) cut(t hostSubtree) error {
	if t.node&refLeaf != 0 {
		return nil
	}
	if t.depth == hostCutDepth {
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
func (u *hostUpdate) children(t hostSubtree) (list [2]hostSubtree, err error) {
	if uint64(headerSize)+(uint64(t.node)+1)*nodeSize > u.dst.leaves {
		return list, fmt.Errorf("%w: source: %w: no node %d", ErrInvalidBuild, ErrNotAStructure, t.node)
	}
	_, refs, leaves := u.dst.children(t.node)
	if leaves[0] == 0 || leaves[1] == 0 || uint64(leaves[0])+uint64(leaves[1]) != uint64(t.leaves) || t.depth > StackEntries {
		return list, fmt.Errorf("%w: source: %w: node %d at depth %d with %d and %d leaf records of %d",
			ErrInvalidBuild, ErrNotAStructure, t.node, t.depth, leaves[0], leaves[1], t.leaves)
	}
	for k := range list {
		list[k] = hostSubtree{node: refs[k], leaves: leaves[k], depth: t.depth + 1}
	}
	return list, nil
}

// refit makes the boxes of a subtree, and returns its own. At the top, subtrees are done.
func (u *hostUpdate) refit(t hostSubtree, top bool) (Box, error) {
	if t.node&refLeaf != 0 {
		return u.leaf(t)
	}
	if k, done := u.cuts[t.node]; top && done {
		return u.roots[k].box, nil
	}
	children, err := u.children(t)
	if err != nil {
		return Box{}, err
	}
	own := noBox()
	at := u.dst.data[uint64(headerSize)+uint64(t.node)*nodeSize:]
	for side, c := range children {
		box, err := u.refit(c, top)
		if err != nil {
			return Box{}, err
		}
		xy, z := nodeXY0+side*(nodeXY1-nodeXY0), nodeZ+8*side
		for k, offset := range [3]int{xy, xy + 8, z} {
			putFloats(at[offset:], box.Min[k], box.Max[k])
		}
		own = own.union(box)
	}
	return own, nil
}

// leaf is the padded box of a leaf. What cannot be hit has an inverted box, which unions ignore.
func (u *hostUpdate) leaf(t hostSubtree) (Box, error) {
	first, n := t.node&refIndexMask, t.node>>refCountShift&refCountMask+1
	if n != t.leaves || uint64(first)+uint64(n) > uint64(len(u.boxes)) {
		return Box{}, fmt.Errorf("%w: source: %w: leaf of %d records from %d on, %d are there", ErrInvalidBuild, ErrNotAStructure, n, first, len(u.boxes))
	}
	box := noBox()
	for _, b := range u.boxes[first : first+n] {
		box = box.union(b)
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
func (u *hostUpdate) header(bounds Box, huge bool, active int) {
	switch {
	case huge:
		bounds = Box{Min: [3]float32{-hostHuge, -hostHuge, -hostHuge}, Max: [3]float32{hostHuge, hostHuge, hostHuge}}
	case active > 0:
		for k := range 3 {
			bounds.Min[k] -= u.padding
			bounds.Max[k] += u.padding
		}
	}
	h := u.dst.data[:headerSize]
	binary.LittleEndian.PutUint64(h[headerSelf:], u.in.Address)
	putFloats(h[headerBoundsMin:], bounds.Min[:]...)
	putFloats(h[headerBoundsMax:], bounds.Max[:]...)
}

// paddingOf is erPadding of build.glsl: what boxes grow by on all sides.
func paddingOf(bounds Box) float32 {
	most := float32(0)
	for k := range 3 {
		most = max(most, abs32(bounds.Min[k]), abs32(bounds.Max[k]))
	}
	return max(most*(1.0/8388608), 1e-36)
}
