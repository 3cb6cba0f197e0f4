package spirv

import (
	"context"
	"slices"
)

// Successors returns the labels a block's terminator may branch to, each once,
// in order of the operands.
func (b *Block) Successors() []ID {
	t := b.Terminator()
	if t == nil {
		return nil
	}
	var ids []ID
	var seen map[ID]bool // of switches, which may have many
	add := func(w uint32) {
		id := ID(w)
		if seen[id] || seen == nil && slices.Contains(ids, id) {
			return
		}
		ids = append(ids, id)
		if len(ids) == 16 {
			seen = map[ID]bool{}
			for _, id := range ids {
				seen[id] = true
			}
		} else if seen != nil {
			seen[id] = true
		}
	}
	switch {
	case t.Op == OpBranch && len(t.Operands) >= 1:
		add(uint32(t.Branch().TargetLabel()))
	case t.Op == OpBranchConditional && len(t.Operands) >= 3:
		add(uint32(t.BranchConditional().TrueLabel()))
		add(uint32(t.BranchConditional().FalseLabel()))
	case t.Op == OpSwitch && len(t.Operands) >= 2:
		t.Switch().EachTarget(add)
	}
	return ids
}

// Merges returns the labels of a block's merge instruction: merge block and,
// for a loop, continue target. They are 0 where there is none.
func (b *Block) Merges() (merge, cont ID) {
	m := b.Merge()
	if m == nil || len(m.Operands) == 0 {
		return 0, 0
	}
	if m.Op == OpLoopMerge && len(m.Operands) > 1 {
		cont = m.LoopMerge().ContinueTarget()
	}
	return m.Construct().MergeBlock(), cont
}

// CFG is the control flow graph of a function with a body. Blocks go by their
// index in Function.Blocks. It is not updated when the function changes.
type CFG struct {
	Function *Function
	Index    map[ID]int // label to block
	Succs    [][]int    // each successor once; labels that are no block are left out
	Preds    [][]int

	// RPO is a reverse postorder of the reachable blocks, in which the merge
	// block of a construct comes behind all blocks of the construct, and a
	// loop's continue target behind its body.
	RPO []int
	// IDom is the immediate dominator: the block itself for the entry block,
	// -1 for those that cannot be reached.
	IDom []int

	order []int // position in a plain reverse postorder, -1 for those that cannot be reached

	place []int // position in RPO

	// The dominator tree in preorder: pre is a block's place in tree, and its
	// subtree ends ahead of place end.
	tree, pre, end []int

	structural *CFG // made when it is asked for first

	ctx   context.Context // of the making
	steps int
}

// NewCFG computes the graph.
func NewCFG(f *Function) *CFG { return newCFG(context.Background(), f, false) }

// NewCFGContext is NewCFG for functions that may be large: it ends when the
// context does, with its error, and computes the structural graph as well.
func NewCFGContext(ctx context.Context, f *Function) (*CFG, error) {
	c := newCFG(ctx, f, false)
	if ctx.Err() == nil {
		c.structural = newCFG(ctx, f, true)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// ended tells, now and then, whether the graph is not wanted any more.
func (c *CFG) ended() bool {
	c.steps++
	return c.steps%4096 == 0 && c.ctx.Err() != nil
}

// newCFG computes the graph; structural adds an edge from each header to its
// merge block and its continue target, as the rules of structured control flow
// want it.
func newCFG(ctx context.Context, f *Function, structural bool) *CFG {
	n := len(f.Blocks)
	c := &CFG{
		ctx: ctx, Function: f, Index: make(map[ID]int, n),
		Succs: make([][]int, n), Preds: make([][]int, n),
		IDom: make([]int, n), order: make([]int, n),
	}
	for i, b := range f.Blocks {
		c.Index[b.Label] = i
		c.IDom[i], c.order[i] = -1, -1
	}
	for i, b := range f.Blocks {
		if c.ended() {
			return c
		}
		ids := b.Successors()
		plain := len(ids)
		if structural {
			merge, cont := b.Merges()
			ids = append(ids, merge, cont)
		}
		for k, id := range ids {
			to, ok := c.Index[id]
			if !ok || k >= plain && slices.Contains(c.Succs[i], to) { // nowhere, or there already
				continue
			}
			c.Succs[i] = append(c.Succs[i], to)
			c.Preds[to] = append(c.Preds[to], i)
		}
	}
	if n > 0 {
		plain := c.walk(c.walkPlain)
		for i, b := range plain {
			c.order[b] = i
		}
		if c.ctx.Err() != nil {
			return c
		}
		if c.dominators(); c.ctx.Err() != nil {
			return c
		}
		c.numberTree(plain)
		c.RPO = c.walk(c.walkStructured)
		c.place = make([]int, n)
		for i, b := range c.RPO {
			c.place[b] = i
		}
	}
	return c
}

// walk returns a reverse postorder, where next says in which order to go on
// from a block. It does without recursion, as functions may be long.
func (c *CFG) walk(next func(b int) []int) []int {
	type frame struct {
		block int
		next  []int
	}
	seen := make([]bool, len(c.Succs))
	var order []int
	stack := []frame{{0, next(0)}}
	seen[0] = true
	for len(stack) > 0 && !c.ended() {
		top := &stack[len(stack)-1]
		if len(top.next) == 0 {
			order = append(order, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		t := top.next[0]
		top.next = top.next[1:]
		if !seen[t] {
			seen[t] = true
			stack = append(stack, frame{t, next(t)})
		}
	}
	slices.Reverse(order)
	return order
}

// walkPlain lists successors from the last to the first, so that the first
// comes first in the end.
func (c *CFG) walkPlain(b int) []int {
	next := slices.Clone(c.Succs[b])
	slices.Reverse(next)
	return next
}

// walkStructured goes to the merge block and the continue target first, so
// that they come last.
func (c *CFG) walkStructured(b int) []int {
	var next []int
	merge, cont := c.Function.Blocks[b].Merges()
	for _, id := range [...]ID{merge, cont} {
		if t, ok := c.Index[id]; ok && c.Reachable(t) {
			next = append(next, t)
		}
	}
	return append(next, c.walkPlain(b)...)
}

// rank returns a reachable block's position in RPO.
func (c *CFG) rank(b int) int { return c.place[b] }

// Reachable tells whether a path leads from the entry block to block b.
func (c *CFG) Reachable(b int) bool { return c.order[b] >= 0 }

// Dominates tells whether every path to block b passes block a; a block
// dominates itself. It is false if either cannot be reached.
func (c *CFG) Dominates(a, b int) bool {
	return c.order[a] >= 0 && c.order[b] >= 0 && c.pre[a] <= c.pre[b] && c.pre[b] < c.end[a]
}

// StructurallyDominates is Dominates in the graph that has an edge from each
// header to its merge block and its continue target besides: the relation that
// constructs are defined by. It differs from Dominates where one branch of a
// selection leaves a loop: the loop's merge block may be dominated by the
// selection's header, and is no part of the selection.
func (c *CFG) StructurallyDominates(a, b int) bool {
	return c.structuralGraph().Dominates(a, b)
}

// StructuralTree returns the tree of structural dominance of the blocks that
// are reached, or that structure asks for: in preorder, and the parent of each
// block, the block itself for the entry block, -1 for those outside of it. A
// construct is the subtree of its header less that of its merge block, which
// is a child of the header.
func (c *CFG) StructuralTree() (preorder, parent []int) {
	s := c.structuralGraph()
	return s.tree, s.IDom
}

func (c *CFG) structuralGraph() *CFG {
	if c.structural == nil {
		c.structural = newCFG(context.Background(), c.Function, true)
	}
	return c.structural
}

// numberTree numbers the dominator tree in preorder, by the sizes of subtrees:
// a dominator stands ahead of what it dominates in reverse postorder.
func (c *CFG) numberTree(rpo []int) {
	n := len(c.Succs)
	size, next := make([]int, n), make([]int, n)
	c.pre, c.end, c.tree = make([]int, n), make([]int, n), make([]int, len(rpo))
	for i := len(rpo) - 1; i >= 0; i-- {
		b := rpo[i]
		size[b]++
		if i > 0 {
			size[c.IDom[b]] += size[b]
		}
	}
	for i, b := range rpo {
		if i > 0 {
			parent := c.IDom[b]
			c.pre[b] = next[parent]
			next[parent] += size[b]
		}
		c.end[b] = c.pre[b] + size[b]
		next[b] = c.pre[b] + 1
		c.tree[c.pre[b]] = b
	}
}
