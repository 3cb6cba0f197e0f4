package spirv

import "slices"

// ConstructKind tells constructs of structured control flow apart.
type ConstructKind uint8

// Kinds of constructs.
const (
	ConstructSelection ConstructKind = iota // if
	ConstructSwitch
	ConstructLoop
)

// Construct is what a merge instruction declares. Blocks go by their index in
// Function.Blocks, lists are in the order of CFG.RPO, and hold reachable
// blocks only.
type Construct struct {
	Kind     ConstructKind
	Header   int
	Merge    int
	Continue int // -1 for selections
	// Blocks are those of the construct, the header first. Blocks of
	// constructs inside belong to it; of a loop the continue construct does
	// not, nor does the merge block.
	Blocks []int
	// ContinueBlocks are those of a loop's continue construct, empty if the
	// continue target is the header or cannot be reached.
	ContinueBlocks []int
	// Parent is the index of the innermost construct around this one in the
	// list that Constructs returns, -1 for the outermost.
	Parent int
}

// Constructs lists the constructs of the reachable headers, outer ones ahead of
// those inside, by the definition of the SPIR-V specification 2.11.2: blocks
// structurally dominated by the header and not by the merge block or, of a
// loop, the continue target. The lists of nested constructs repeat blocks, so
// that all take memory in proportion to blocks times depth.
func (c *CFG) Constructs() []Construct {
	st := c.structure()
	for i := range st.list {
		st.fill(&st.list[i])
	}
	return st.list
}

// structure is the structured control flow of a function, in memory linear in
// its blocks.
type structure struct {
	c, s  *CFG        // s is the structural graph
	list  []Construct // without their blocks
	inner []int       // the innermost construct of each block, -1 if none
	loops []int       // of each construct, the innermost loop that is it or around it, -1 if none
	// switches is the same for switches that are inside of that loop.
	switches []int
}

// structure finds the constructs, and which one each block is in.
func (c *CFG) structure() *structure {
	st := &structure{c: c, s: c.structuralGraph(), inner: make([]int, len(c.Succs))}
	header := make([]int, len(c.Succs)) // construct of each header
	for i := range header {
		header[i], st.inner[i] = -1, -1
	}
	for _, b := range c.RPO {
		// The block is in the constructs of its dominator, and in that which
		// its dominator heads, less those that end ahead of it.
		k := -1
		if p := st.s.IDom[b]; p != b {
			if k = header[p]; k < 0 {
				k = st.inner[p]
			}
		}
		for k >= 0 && !st.has(&st.list[k], b) {
			k = st.list[k].Parent
		}
		st.inner[b] = k
		if m := c.Function.Blocks[b].Merge(); m != nil {
			header[b] = len(st.list)
			st.list = append(st.list, c.construct(b, k))
			st.within(k)
		}
	}
	for b, k := range header { // a header belongs to its own construct
		if k >= 0 {
			st.inner[b] = k
		}
	}
	return st
}

// within notes what is around the construct that was listed last, whose parent
// is k.
func (st *structure) within(k int) {
	me, loop, choice := len(st.list)-1, -1, -1
	if k >= 0 {
		loop, choice = st.loops[k], st.switches[k]
	}
	switch st.list[me].Kind {
	case ConstructLoop:
		loop, choice = me, -1
	case ConstructSwitch:
		choice = me
	}
	st.loops, st.switches = append(st.loops, loop), append(st.switches, choice)
}

// construct describes the construct of a header.
func (c *CFG) construct(b, parent int) Construct {
	block := c.Function.Blocks[b]
	mergeID, contID := block.Merges()
	k := Construct{Header: b, Merge: -1, Continue: -1, Parent: parent}
	if i, ok := c.Index[mergeID]; ok {
		k.Merge = i
	}
	switch {
	case block.Merge().Op == OpLoopMerge:
		k.Kind = ConstructLoop
		if i, ok := c.Index[contID]; ok {
			k.Continue = i
		}
	case block.Terminator().Op == OpSwitch:
		k.Kind = ConstructSwitch
	}
	return k
}

// has tells whether a reachable block is in a construct or, of a loop, in its
// continue construct.
func (st *structure) has(k *Construct, b int) bool {
	return st.s.Dominates(k.Header, b) && !(k.Merge >= 0 && st.s.Dominates(k.Merge, b))
}

// fill lists a construct's blocks.
func (st *structure) fill(k *Construct) {
	for _, b := range st.s.tree[st.s.pre[k.Header]:st.s.end[k.Header]] {
		switch {
		case !st.c.Reachable(b) || !st.has(k, b):
		case k.Continue >= 0 && k.Continue != k.Header && st.s.Dominates(k.Continue, b):
			k.ContinueBlocks = append(k.ContinueBlocks, b)
		default:
			k.Blocks = append(k.Blocks, b)
		}
	}
	byRank := func(a, b int) int { return st.c.rank(a) - st.c.rank(b) }
	slices.SortFunc(k.Blocks, byRank)
	slices.SortFunc(k.ContinueBlocks, byRank)
}
