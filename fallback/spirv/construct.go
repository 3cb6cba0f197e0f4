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
// loop, the continue target.
func (c *CFG) Constructs() []Construct {
	s := newCFG(c.Function, true)
	var list []Construct
	for _, h := range c.RPO {
		block := c.Function.Blocks[h]
		m := block.Merge()
		if m == nil {
			continue
		}
		mergeID, contID := block.Merges()
		k := Construct{Header: h, Merge: -1, Continue: -1, Parent: -1}
		if i, ok := c.Index[mergeID]; ok {
			k.Merge = i
		}
		switch {
		case m.Op == OpLoopMerge:
			k.Kind = ConstructLoop
			if i, ok := c.Index[contID]; ok {
				k.Continue = i
			}
		case block.Terminator().Op == OpSwitch:
			k.Kind = ConstructSwitch
		}
		c.fill(s, &k)
		list = append(list, k)
	}
	nest(list, len(c.Succs))
	return list
}

// fill collects a construct's blocks by dominance in the structural graph s.
func (c *CFG) fill(s *CFG, k *Construct) {
	under := func(a, b int) bool { return a >= 0 && s.Dominates(a, b) }
	for _, b := range s.tree[s.pre[k.Header]:s.end[k.Header]] {
		switch {
		case !c.Reachable(b) || under(k.Merge, b):
		case k.Continue != k.Header && under(k.Continue, b):
			k.ContinueBlocks = append(k.ContinueBlocks, b)
		default:
			k.Blocks = append(k.Blocks, b)
		}
	}
	byPlace := func(a, b int) int { return c.rank(a) - c.rank(b) }
	slices.SortFunc(k.Blocks, byPlace)
	slices.SortFunc(k.ContinueBlocks, byPlace)
}

// nest sets Parent: of the constructs that hold a header, the one whose header
// came last is the innermost, as headers come in reverse postorder.
func nest(list []Construct, blocks int) {
	inner := make([]int, blocks)
	for i := range inner {
		inner[i] = -1
	}
	for i := range list {
		k := &list[i]
		k.Parent = inner[k.Header]
		for _, b := range k.Blocks {
			inner[b] = i
		}
		for _, b := range k.ContinueBlocks {
			inner[b] = i
		}
	}
}
