package host

import (
	"sync"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// taskSize is the most primitives of a task.
const taskSize = 4096

// primitiveRef is an active primitive, or a bundle of such, by its number.
type primitiveRef struct {
	box       inspect.Box
	primitive uint32
}

// treeBuild is one build on its way. It goes through steps, each of which is tasks of its operation:
//
//	measure   the boxes of all primitives, in pieces
//	gather    the active ones, together
//	order     these by Morton codes, in some trees (sort.go)
//	grow      the tree, from the root: what is below a node is one task, or two
//	improve   the tree, by moving nodes (improve.go)
//	write     leaves of several primitives, then nodes and leaf records (write.go)
//
// Some structures have little room for nodes. Where no choice of leaves has few enough, all begins again at order, with a
// tree over bundles.
type treeBuild struct {
	op     *Operation
	number int
	in     *BuildInput
	reader inputReader
	count  uint32 // primitives

	mu        sync.Mutex
	err       error
	errAt     int // piece
	pieces    []buildPiece
	scattered []primitiveRef // active primitives at the beginning of each piece

	bounds inspect.Box // of what is not huge
	huge   bool
	refs   []primitiveRef
	keys   []uint64 // Morton codes: of refs while these are ordered, then of a linear tree's leaves
	bundle int      // primitives of a leaf of the tree: one, or so many that follow each other in refs
	most   uint32   // inner nodes that there is room for
	tree   builtTree
	out    recordWriter
}

// buildPiece is what a task of the first step found.
type buildPiece struct {
	active int
	bounds inspect.Box
	huge   bool
}

func newHostBuild(op *Operation, number int, in *BuildInput, size uint64) *treeBuild {
	b := &treeBuild{op: op, number: number, in: in, bundle: 1}
	b.reader, b.count = newHostReader(in)
	b.most = uint32((size - layout.HeaderSize - uint64(b.count)*layout.LeafSizeOf(b.reader.kind)) / layout.NodeSize)
	return b
}

func (b *treeBuild) begin() { b.op.push(b.measure) }

func (b *treeBuild) size() int { return int(b.count) }

func (b *treeBuild) linear() bool { return b.in.Info.Flags&vk.PreferFastBuild != 0 }

// mostHeight is the depth budget of the tree.
func (b *treeBuild) mostHeight() int {
	if b.in.Info.Type == vk.TopLevel {
		return layout.MostHeightTop
	}
	return layout.MostHeightBottom
}

func (b *treeBuild) measure() {
	b.scattered = make([]primitiveRef, b.count)
	b.pieces = make([]buildPiece, (b.count+taskSize-1)/taskSize)
	b.op.spread(int(b.count), taskSize, b.measurePiece, b.gather)
}

func (b *treeBuild) measurePiece(first, end int) {
	if first == end {
		return
	}
	p := buildPiece{bounds: inspect.NoBox()}
	for i := first; i < end; i++ {
		box, active, err := b.reader.box(uint32(i))
		if err != nil {
			b.stop(first, err)
			return
		}
		if !active {
			continue
		}
		b.scattered[first+p.active] = primitiveRef{box, uint32(i)}
		p.active++
		if isHuge(box) {
			p.huge = true
		} else {
			p.bounds = p.bounds.Union(box)
		}
	}
	b.pieces[first/taskSize] = p
}

// stop notes an error of a piece; that of the first one counts.
func (b *treeBuild) stop(piece int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil || piece < b.errAt {
		b.err, b.errAt = err, piece
	}
}

// gather brings the active primitives together.
func (b *treeBuild) gather() {
	if b.err != nil {
		b.op.fail("build", b.number, b.err)
		b.op.closing()
		return
	}
	active, to := 0, make([]int, len(b.pieces))
	b.bounds = inspect.NoBox()
	for i, p := range b.pieces {
		to[i] = active
		active += p.active
		b.bounds = b.bounds.Union(p.bounds)
		b.huge = b.huge || p.huge
	}
	if b.bounds.Min[0] > b.bounds.Max[0] {
		b.bounds = inspect.Box{} // of nothing, or of what is huge alone
	}
	if active == int(b.count) {
		b.refs, b.scattered = b.scattered, nil
		b.order()
		return
	}
	b.refs = make([]primitiveRef, active)
	b.op.spread(len(b.pieces), 1, func(first, end int) {
		for i := first; i < end; i++ {
			copy(b.refs[to[i]:], b.scattered[i*taskSize:][:b.pieces[i].active])
		}
	}, b.order)
}

// grow makes the tree, over primitives or bundles.
func (b *treeBuild) grow() {
	leaves := b.refs
	if b.bundle > 1 {
		leaves = b.bundles()
	}
	b.tree = newHostTree(leaves)
	if len(leaves) < 2 {
		b.write()
		return
	}
	b.subtree(0, len(leaves), 0, nil, 0)
}

// bundles are the leaves of trees with few nodes. Keys become theirs.
func (b *treeBuild) bundles() []primitiveRef {
	leaves := make([]primitiveRef, (len(b.refs)+b.bundle-1)/b.bundle)
	for i := range leaves {
		leaves[i] = primitiveRef{inspect.NoBox(), uint32(i)}
		for _, r := range b.bundled(uint32(i)) {
			leaves[i].box = leaves[i].box.Union(r.box)
		}
		b.keys[i] = b.keys[i*b.bundle]
	}
	return leaves
}

func (b *treeBuild) bundled(bundle uint32) []primitiveRef {
	first := int(bundle) * b.bundle
	return b.refs[first:min(first+b.bundle, len(b.refs))]
}

// pieceJoin is an inner node that waits for its children.
type pieceJoin struct {
	mu   sync.Mutex
	left int
	node uint32
	up   *pieceJoin // nil: this is the root
	side int        // which child of up
}

// subtree makes the tree of a range, as the child of up, or hands it out in two.
func (b *treeBuild) subtree(first, end, depth int, up *pieceJoin, side int) {
	if end-first <= taskSize {
		b.deliver(b.recurse(first, end, depth), up, side)
		return
	}
	mid := b.split(first, end, depth)
	j := &pieceJoin{left: 2, node: b.tree.inner(mid), up: up, side: side}
	b.op.push(
		func() { b.subtree(first, mid, depth+1, j, 0) },
		func() { b.subtree(mid, end, depth+1, j, 1) },
	)
}

// deliver hands a finished subtree to the node above it. Who brings the second one goes on with that.
func (b *treeBuild) deliver(node uint32, up *pieceJoin, side int) {
	for up != nil {
		b.tree.attach(up.node, node, side)
		up.mu.Lock()
		up.left--
		left := up.left
		up.mu.Unlock()
		if left > 0 {
			return
		}
		b.tree.enclose(up.node)
		node, side, up = up.node, up.side, up.up
	}
	b.tree.root = node
	b.improve()
}

// recurse is subtree in one go.
func (b *treeBuild) recurse(first, end, depth int) uint32 {
	if end-first == 1 {
		return uint32(first)
	}
	mid := b.split(first, end, depth)
	node := b.tree.inner(mid)
	b.tree.attach(node, b.recurse(first, mid, depth+1), 0)
	b.tree.attach(node, b.recurse(mid, end, depth+1), 1)
	b.tree.enclose(node)
	return node
}
