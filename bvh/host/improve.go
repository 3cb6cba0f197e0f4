package host

import (
	"cmp"
	"math"
	"slices"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

const (
	// searchesOfTask is how many searches of improve.go a task does.
	searchesOfTask = 256
	// How often nodes move, and what share of them may at a time: the largest, which cost most.
	improvePasses   = 4
	fastTracePasses = 12
	movingShare     = 0.1
)

// subtreeMove is a better place for a node: beside the target.
type subtreeMove struct {
	node, target uint32
	gain         float64
}

// improve moves nodes to better places, a few times. Searches see the tree as it was before the pass and run side by
// side; what they found is done in one order, and left alone where something moved before.
func (b *treeBuild) improve() {
	passes := improvePasses
	switch {
	case b.linear():
		passes = 0
	case b.in.Info.Flags&vk.PreferFastTrace != 0:
		passes = fastTracePasses
	}
	b.improvePass(passes)
}

func (b *treeBuild) improvePass(left int) {
	var moves []subtreeMove
	if left > 0 {
		moves = b.tree.largest(movingShare)
	}
	if len(moves) == 0 {
		b.keys = nil
		b.write()
		return
	}
	b.op.spread(len(moves), searchesOfTask, func(first, end int) {
		for i := first; i < end; i++ {
			moves[i].target, moves[i].gain = b.tree.betterPlace(moves[i].node)
		}
	}, func() {
		if b.tree.apply(moves, b.mostHeight()) == 0 {
			left = 1
		}
		b.improvePass(left - 1)
	})
}

// areaClass orders areas coarsely. A float32 does not hold all areas of boxes.
func areaClass(area float64) int { return int(math.Float64bits(area) >> 48) }

// largest are about a share of all nodes that may move: those of the greatest area.
func (t *builtTree) largest(share float64) []subtreeMove {
	movable := func(node uint32) bool { return node != t.root && t.parent[node] != t.root }
	var classes [1 << 15]int
	for node := range uint32(len(t.parent)) {
		classes[areaClass(t.box(node).Area())]++
	}
	wanted, least := int(share*float64(len(t.parent)))+1, len(classes)
	for n := 0; least > 0 && n < wanted; {
		least--
		n += classes[least]
	}
	var out []subtreeMove
	for node := range uint32(len(t.parent)) {
		if movable(node) && areaClass(t.box(node).Area()) >= least {
			out = append(out, subtreeMove{node: node})
		}
	}
	return out
}

// betterPlace finds the node beside which another saves most area, of all inner nodes together. No gain: it stays.
func (t *builtTree) betterPlace(node uint32) (target uint32, gain float64) {
	type visit struct {
		node  uint32
		saved float64 // up to here
	}
	var stack [layout.StackEntries + 2]visit
	box := *t.box(node)
	area := box.Area()
	pivot := t.parent[node]
	sibling, _ := t.sibling(node)
	saved := t.box(pivot).Area() // its parent goes
	rest := *t.box(sibling)      // what is left of the pivot without the node
	for {
		stack[0] = visit{sibling, saved}
		for n := 1; n > 0; {
			n--
			v := stack[n]
			if v.saved-area <= gain {
				continue
			}
			there := t.box(v.node)
			both := there.Union(box).Area()
			if v.saved-both > gain {
				target, gain = v.node, v.saved-both
			}
			if !t.isLeaf(v.node) {
				below := v.saved - (both - there.Area())
				c := t.children(v.node)
				stack[n], stack[n+1] = visit{c[1], below}, visit{c[0], below}
				n += 2
			}
		}
		if pivot == t.root {
			return target, gain
		}
		if pivot != t.parent[node] { // which shrinks when the node leaves it for the other side of one above
			saved += t.box(pivot).Area() - rest.Area()
		}
		sibling, _ = t.sibling(pivot)
		pivot = t.parent[pivot]
		rest = rest.Union(*t.box(sibling))
	}
}

// apply makes moves, the most useful first, and returns how many could be made.
func (t *builtTree) apply(moves []subtreeMove, mostHeight int) (made int) {
	moves = slices.DeleteFunc(moves, func(m subtreeMove) bool { return m.gain <= 0 })
	slices.SortFunc(moves, func(a, b subtreeMove) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.node, b.node))
	})
	touched := make([]bool, len(t.parent))
	for _, m := range moves {
		parent := t.parent[m.node]
		if parent == t.root || m.target == t.root {
			continue // since another move
		}
		sibling, _ := t.sibling(m.node)
		near := [...]uint32{m.node, m.target, sibling, parent, t.parent[parent], t.parent[m.target]}
		if slices.ContainsFunc(near[:], func(n uint32) bool { return touched[n] }) || !t.move(m.node, m.target, mostHeight) {
			continue
		}
		for _, n := range near {
			touched[n] = true
		}
		made++
	}
	return made
}
