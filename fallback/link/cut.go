package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// site is one cut: a place where the shader hands over to the scheduler.
type site struct {
	number int        // among the shader's
	call   spirv.Inst // the trace instruction
	block  int        // ends with the call and a branch to resume
	resume int        // the block that goes on
}

// fragment is code with one entry that runs up to a cut, an exit or a jump.
type fragment struct {
	blocks []int // in an order in which they may be written, the entry first
	last   int   // the block whose terminator ends the fragment
	site   *site // if it ends at a cut
	next   []int // fragments it may jump to
}

// graph is the entry function as fragments.
type graph struct {
	cfg       *spirv.CFG
	fragments []*fragment
	starts    map[int]int  // first block -> fragment
	whole     map[int]bool // blocks of constructs that stay as they are
	of        map[int]int  // any block -> fragment
	owner     []int        // the header of the construct that stays as it is and has the block, -1 if none
}

// storeInitialValues turns initial values of the entry functions' variables into stores.
func (l *shapedStages) storeInitialValues() error {
	return each(l.job, l.stages, func(s *shapedStage) error {
		l.storeInitializers(s.function)
		return nil
	})
}

// splitShaders ends blocks at cuts.
func (l *shapedStages) splitShaders() error {
	return each(l.job, l.stages, func(s *shapedStage) error {
		l.splitAtCuts(s)
		l.noteContinueExits(s)
		return nil
	})
}

func (l *shapedStages) addAllPreheaders() error {
	return each(l.job, l.stages, func(s *shapedStage) error {
		l.addPreheaders(s)
		return nil
	})
}

// buildGraphs divides each entry function into fragments.
func (l *shapedStages) buildGraphs() (*cutStages, error) {
	to := &cutStages{shapedStages: l}
	return to, each(l.job, l.stages, func(s *shapedStage) error {
		l.heed()
		c := l.buildGraph(s)
		c.machine = len(c.sites) > 0 && l.form.machine(c)
		to.stages = append(to.stages, c)
		return nil
	})
}

// cuts tells whether an instruction is a cut in the chosen form.
func (l *shapedStages) cuts(op spirv.Op) bool { return leaves(op) && l.form.cuts() }

// leaves tells whether a shader may be left at an instruction: a call of another, or a reorder, of which only forms that change
// the order of lanes have some left.
func leaves(op spirv.Op) bool { return op.CallsShaders() || op == spirv.OpReorderThreadWithHintEXT }

// storeInitializers turns initial values of function variables into stores, since state functions declare them anew.
func (l *linked) storeInitializers(f *spirv.Function) {
	entry := f.Blocks[0]
	n := 0
	var stores []spirv.Inst
	for n < len(entry.Insts) && entry.Insts[n].Op == spirv.OpVariable {
		in := &entry.Insts[n]
		if value := in.Variable().DropInitializer(); value != 0 {
			stores = append(stores, spirv.Inst{Op: spirv.OpStore, Operands: []uint32{uint32(in.Result), uint32(value)}})
		}
		n++
	}
	rest := append(stores, entry.Insts[n:]...)
	entry.Insts = append(entry.Insts[:n:n], rest...)
}

// splitAtCuts makes every cut, and every report of a hit, the last instruction of its block but for a branch to the rest.
func (l *shapedStages) splitAtCuts(s *shapedStage) {
	f := s.function
	ends := map[spirv.ID]spirv.ID{} // where what a block held ends now
	var blocks []*spirv.Block
	for _, blk := range f.Blocks {
		l.work(len(blk.Insts))
		first, insts := blk.Label, blk.Insts
		_, cont, _ := mergeOf(blk)
		begin := 0
		for i := range insts {
			if op := insts[i].Op; !l.cuts(op) && op != spirv.OpReportIntersectionKHR {
				continue
			}
			rest := &spirv.Block{Label: l.out.NewID()}
			blk.Insts = append(insts[begin:i+1:i+1], spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(rest.Label)}})
			blocks = append(blocks, blk)
			if s.irregular[first] || cont != 0 {
				s.irregular[rest.Label] = true // as in inlineCall
			}
			blk, begin = rest, i+1
			ends[first] = rest.Label
		}
		blk.Insts = insts[begin:]
		blocks = append(blocks, blk)
	}
	f.Blocks = blocks
	f.RenamePhiSources(ends)
}

// noteContinueExits marks blocks of continue constructs that may end the shader: there, structure allows no way out.
func (l *shapedStages) noteContinueExits(s *shapedStage) {
	cfg := l.cfg(s.function)
	preorder, parent := cfg.StructuralTree()
	inside := make([]bool, len(s.function.Blocks)) // a continue construct
	for h, header := range s.function.Blocks {
		if _, cont, ok := mergeOf(header); ok && cont != 0 && cfg.Reachable(h) {
			inside[cfg.Index[cont]] = true
		}
	}
	for _, b := range preorder {
		blk := s.function.Blocks[b]
		if inside[b] = inside[b] || inside[parent[b]]; inside[b] && cfg.Reachable(b) &&
			slices.ContainsFunc(blk.Insts, func(in spirv.Inst) bool { return endsRay(in.Op) }) {
			s.irregular[blk.Label] = true
		}
	}
}

// cutOf returns the cut that ends a block, nil if none does.
func (l *shapedStages) cutOf(b *spirv.Block) *spirv.Inst {
	if n := len(b.Insts); n >= 2 && l.cuts(b.Insts[n-2].Op) {
		return &b.Insts[n-2]
	}
	return nil
}

// addPreheaders gives every loop header a single predecessor outside the loop, so that a loop that is kept whole can be
// entered by a plain branch.
func (l *shapedStages) addPreheaders(s *shapedStage) {
	f := s.function
	cfg := l.cfg(f)
	heads := map[spirv.ID]spirv.ID{} // preheaders by header
	var blocks []*spirv.Block
	for h, header := range f.Blocks {
		l.work(1)
		if _, cont, ok := mergeOf(header); ok && cont != 0 {
			var outside []int
			for _, p := range cfg.Preds[h] {
				if cfg.Reachable(p) && !cfg.Dominates(h, p) {
					outside = append(outside, p)
				}
			}
			if len(outside) > 0 {
				pre := &spirv.Block{Label: l.out.NewID()}
				l.movePhis(f, header, pre, outside)
				for _, p := range outside {
					retarget(f.Blocks[p], header.Label, pre.Label)
				}
				pre.Insts = append(pre.Insts, spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(header.Label)}})
				heads[header.Label] = pre.Label
				blocks = append(blocks, pre)
			}
		}
		blocks = append(blocks, header)
	}
	f.Blocks = blocks
	for _, b := range f.Blocks { // a header may be the merge block of another construct
		if merge, _, ok := mergeOf(b); ok && heads[merge] != 0 {
			b.Merge().Construct().SetMergeBlock(heads[merge])
		}
	}
}

// movePhis gives the preheader the part of the header's phis that comes from outside the loop.
func (l *linked) movePhis(f *spirv.Function, header, pre *spirv.Block, outside []int) {
	from := map[spirv.ID]bool{}
	for _, p := range outside {
		from[f.Blocks[p].Label] = true
	}
	for i := range header.Insts {
		in := &header.Insts[i]
		if in.Op != spirv.OpPhi {
			continue
		}
		var out, in2 []uint32
		for j, phi := 0, in.Phi(); j < phi.Sources(); j++ {
			source := []uint32{uint32(phi.Variable(j)), uint32(phi.Parent(j))}
			if from[phi.Parent(j)] {
				out = append(out, source...)
			} else {
				in2 = append(in2, source...)
			}
		}
		value := out[0]
		if len(out) > 2 {
			phi := spirv.Inst{Op: spirv.OpPhi, Type: in.Type, Result: l.out.NewID(), Operands: out}
			pre.Insts = append(pre.Insts, phi)
			value = uint32(phi.Result)
		}
		in.Operands = append([]uint32{value, uint32(pre.Label)}, in2...)
	}
}

// retarget changes the targets of a block's terminator.
func retarget(b *spirv.Block, from, to spirv.ID) {
	in := &b.Insts[len(b.Insts)-1]
	in.EachTarget(func(p *uint32) {
		if spirv.ID(*p) == from {
			*p = uint32(to)
		}
	})
}

// buildGraph divides the entry function into fragments.
func (l *shapedStages) buildGraph(s *shapedStage) *cutStage {
	f := s.function
	cfg := l.cfg(f)
	g := &graph{cfg: cfg, starts: map[int]int{}, of: map[int]int{}, whole: map[int]bool{}}
	c := &cutStage{shapedStage: s, graph: g}
	kept := l.keptConstructs(s, cfg)
	g.owner = make([]int, len(f.Blocks))
	for b := range g.owner {
		g.owner[b] = -1
	}
	for h, blocks := range kept {
		for _, b := range blocks {
			g.owner[b] = h
		}
	}
	emptyUnreachable(f, g)
	work := []int{0}
	start := func(b int) int {
		if i, ok := g.starts[b]; ok {
			return i
		}
		g.starts[b] = len(g.fragments)
		g.fragments = append(g.fragments, &fragment{})
		work = append(work, b)
		return g.starts[b]
	}
	start(0)
	for done := 1; done < len(work); done++ {
		fr := g.fragments[g.starts[work[done]]]
		l.grow(g, f, fr, work[done], kept)
		slices.Sort(fr.blocks) // the function's own order, in which what dominates comes first
		for _, b := range fr.blocks {
			g.of[b] = g.starts[work[done]]
		}
		last := f.Blocks[fr.last]
		if call := l.cutOf(last); call != nil {
			resume := cfg.Succs[fr.last][0]
			fr.site = &site{number: len(c.sites), call: *call, block: fr.last, resume: resume}
			c.sites = append(c.sites, fr.site)
			start(resume)
			continue
		}
		for _, t := range cfg.Succs[fr.last] {
			fr.next = append(fr.next, start(t))
		}
	}
	return c
}

// keptConstructs finds the outermost constructs that stay as they are: without cut or irregular exit inside, and left
// only to their merge block or out of the function. It returns their blocks by header.
func (l *shapedStages) keptConstructs(s *shapedStage, cfg *spirv.CFG) map[int][]int {
	blocks := s.function.Blocks
	x := l.findExits(s, cfg)
	kept := map[int][]int{}
	inside := make([]bool, len(blocks))
	for i, h := range x.preorder {
		merge, _, ok := mergeOf(blocks[h])
		if !ok || inside[h] || !cfg.Reachable(h) || x.cuts[h] > 0 || x.level[h] < x.depth[h] {
			continue
		}
		m := cfg.Index[merge]
		for at := i; at < i+x.size[h]; {
			b := x.preorder[at]
			if b == m { // it and what it dominates lie behind the construct
				at += x.size[m]
				continue
			}
			if inside[b] = b != h; cfg.Reachable(b) {
				kept[h] = append(kept[h], b)
			}
			at++
		}
	}
	return kept
}

// exits tell of each construct what keeps it from staying as it is. Constructs are subtrees of the tree of structural
// dominance, so what is inside adds up from the leaves: all of them together take one walk.
type exits struct {
	preorder    []int
	depth, size []int // in the tree; blocks of the subtree
	cuts        []int // of a header, cuts and irregular exits in its construct
	// level is, of a header, the least depth of a subtree that a branch from the construct stays in: at least the header's
	// own depth if no branch leaves the construct but to its merge block.
	level []int
}

func (l *shapedStages) findExits(s *shapedStage, cfg *spirv.CFG) *exits {
	f := s.function
	n := len(f.Blocks)
	preorder, parent := cfg.StructuralTree()
	x := &exits{preorder: preorder, depth: make([]int, n), size: make([]int, n), cuts: make([]int, n), level: make([]int, n)}
	for _, b := range preorder {
		if parent[b] != b {
			x.depth[b] = x.depth[parent[b]] + 1
		}
	}
	cuts, level := make([]int, n), make([]int, n) // of whole subtrees
	for b := range n {
		level[b], x.level[b] = n, n
	}
	for i := len(preorder) - 1; i >= 0; i-- {
		b := preorder[i]
		l.work(1)
		own, at := 0, n
		if cfg.Reachable(b) {
			if l.cutOf(f.Blocks[b]) != nil || s.irregular[f.Blocks[b].Label] {
				own = 1
			}
			for _, t := range cfg.Succs[b] {
				if cfg.StructurallyDominates(t, b) { // back to a header
					at = min(at, x.depth[t])
				} else {
					at = min(at, x.depth[parent[t]])
				}
			}
		}
		// What the children have has been added already.
		x.size[b]++
		cuts[b], level[b] = cuts[b]+own, min(level[b], at)
		x.cuts[b], x.level[b] = x.cuts[b]+own, min(x.level[b], at)
		if up := parent[b]; up != b {
			x.size[up] += x.size[b]
			cuts[up], level[up] = cuts[up]+cuts[b], min(level[up], level[b])
			if merge, _, _ := mergeOf(f.Blocks[up]); merge != f.Blocks[b].Label {
				x.cuts[up], x.level[up] = x.cuts[up]+cuts[b], min(x.level[up], level[b])
			}
		}
	}
	return x
}

// emptyUnreachable cuts unreachable blocks off what they branch to, but for those of constructs that stay as they are: a loop
// whose body always leaves it has a continue target that nothing reaches, and once it is taken apart no back edge, from
// which a phi would expect a value.
func emptyUnreachable(f *spirv.Function, g *graph) {
	gone := map[spirv.ID]bool{}
	for b, blk := range f.Blocks {
		if !g.cfg.Reachable(b) && !slices.ContainsFunc(g.cfg.Succs[b], func(t int) bool { return g.owner[t] >= 0 }) {
			gone[blk.Label] = true
			blk.Insts = []spirv.Inst{{Op: spirv.OpUnreachable}}
		}
	}
	for _, blk := range f.Blocks {
		for i := range blk.Insts {
			in := &blk.Insts[i]
			if in.Op != spirv.OpPhi {
				continue
			}
			in.Phi().Keep(func(_, parent spirv.ID) bool { return !gone[parent] })
		}
	}
}

// grow follows the code from block b until it must end: at a cut, an exit, a choice, or a block with other entries.
func (l *shapedStages) grow(g *graph, f *spirv.Function, fr *fragment, b int, kept map[int][]int) {
	for {
		l.work(1)
		if blocks := kept[b]; blocks != nil {
			construct := g.addUnreachable(f, b, slices.Clone(blocks))
			for _, x := range construct {
				g.whole[x] = true
			}
			fr.blocks = append(fr.blocks, construct...)
			merge, _, _ := mergeOf(f.Blocks[b])
			b = g.cfg.Index[merge]
			if !g.cfg.Reachable(b) { // already there
				fr.last = b
				return
			}
			continue
		}
		fr.blocks = append(fr.blocks, b)
		fr.last = b
		blk := f.Blocks[b]
		if l.cutOf(blk) != nil || blk.Insts[len(blk.Insts)-1].Op != spirv.OpBranch {
			return
		}
		t := g.cfg.Succs[b][0]
		if g.entries(t) != 1 || t == 0 {
			return
		}
		b = t
	}
}

// entries counts the edges into a block from outside the construct that it heads, if that stays as it is.
func (g *graph) entries(b int) int {
	n := 0
	for _, p := range g.cfg.Preds[b] {
		if g.cfg.Reachable(p) && (g.owner[b] != b || g.owner[p] != b) {
			n++
		}
	}
	return n
}

// addUnreachable adds merge and continue blocks that are named but never reached: structure asks for them.
func (g *graph) addUnreachable(f *spirv.Function, header int, blocks []int) []int {
	for i := 0; i < len(blocks); i++ {
		merge, cont, ok := mergeOf(f.Blocks[blocks[i]])
		if !ok {
			continue
		}
		for _, label := range []spirv.ID{merge, cont} {
			if label == 0 {
				continue
			}
			if b := g.cfg.Index[label]; !g.cfg.Reachable(b) && g.owner[b] != header {
				g.owner[b] = header
				blocks = append(blocks, b)
			}
		}
	}
	return blocks
}
