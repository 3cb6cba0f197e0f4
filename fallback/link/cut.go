package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// site is one cut: a place where the shader hands over to the scheduler.
type site struct {
	call    spirv.Inst // the trace instruction
	block   int        // ends with the call and a branch to resume
	resume  int        // the block that goes on
	payload spirv.ID   // variable that is passed
	// constant will hold the number of the state that resumes.
	constant spirv.ID
	frame    frame
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
}

// cutShaders ends blocks at cuts and divides each entry function into fragments.
func (l *linker) cutShaders() error {
	for _, s := range l.stages {
		l.storeInitializers(s.function)
		l.splitAtCuts(s)
		s.noteContinueExits()
		l.addPreheaders(s)
		if err := l.buildGraph(s); err != nil {
			return err
		}
	}
	for _, s := range l.stages {
		s.blocks = len(s.sites) > 0 && l.form.machine(s)
	}
	return nil
}

// cuts tells whether an instruction is a cut in the chosen form.
func (l *linker) cuts(op spirv.Op) bool { return op.CallsShaders() && l.form.cuts() }

// storeInitializers turns initial values of function variables into stores, since state functions declare them anew.
func (l *linker) storeInitializers(f *spirv.Function) {
	entry := f.Blocks[0]
	n := 0
	var stores []spirv.Inst
	for n < len(entry.Insts) && entry.Insts[n].Op == spirv.OpVariable {
		in := &entry.Insts[n]
		if len(in.Operands) > 1 {
			stores = append(stores, spirv.Inst{Op: spirv.OpStore, Operands: []uint32{uint32(in.Result), in.Operands[1]}})
			in.Operands = in.Operands[:1]
		}
		n++
	}
	rest := append(stores, entry.Insts[n:]...)
	entry.Insts = append(entry.Insts[:n:n], rest...)
}

// splitAtCuts makes every cut, and every report of a hit, the last instruction of its block but for a branch to the rest.
func (l *linker) splitAtCuts(s *stage) {
	f := s.function
	for b := 0; b < len(f.Blocks); b++ {
		blk := f.Blocks[b]
		for i := range blk.Insts {
			if op := blk.Insts[i].Op; !l.cuts(op) && op != spirv.OpReportIntersectionKHR {
				continue
			}
			rest := &spirv.Block{Label: l.out.NewID(), Insts: append([]spirv.Inst(nil), blk.Insts[i+1:]...)}
			blk.Insts = append(blk.Insts[:i+1:i+1], spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(rest.Label)}})
			f.RenamePhiSources(blk.Label, rest.Label)
			if _, cont, ok := mergeOf(rest); s.irregular[blk.Label] || ok && cont != 0 {
				s.irregular[rest.Label] = true // as in inlineCall
			}
			f.Blocks = append(f.Blocks[:b+1:b+1], append([]*spirv.Block{rest}, f.Blocks[b+1:]...)...)
			break
		}
	}
}

// noteContinueExits marks blocks of continue constructs that may end the shader: there, structure allows no way out.
func (s *stage) noteContinueExits() {
	cfg := spirv.NewCFG(s.function)
	for h, header := range s.function.Blocks {
		_, cont, ok := mergeOf(header)
		if !ok || cont == 0 || !cfg.Reachable(h) {
			continue
		}
		for b, blk := range s.function.Blocks {
			if !cfg.Reachable(b) || !cfg.StructurallyDominates(cfg.Index[cont], b) {
				continue
			}
			for i := range blk.Insts {
				if endsRay(blk.Insts[i].Op) {
					s.irregular[blk.Label] = true
				}
			}
		}
	}
}

// cutOf returns the cut that ends a block, nil if none does.
func (l *linker) cutOf(b *spirv.Block) *spirv.Inst {
	if n := len(b.Insts); n >= 2 && l.cuts(b.Insts[n-2].Op) {
		return &b.Insts[n-2]
	}
	return nil
}

// addPreheaders gives every loop header a single predecessor outside the loop, so that a loop that is kept whole can be
// entered by a plain branch.
func (l *linker) addPreheaders(s *stage) {
	f := s.function
	for h := 0; h < len(f.Blocks); h++ {
		header := f.Blocks[h]
		if n := len(header.Insts); n < 2 || header.Insts[n-2].Op != spirv.OpLoopMerge {
			continue
		}
		cfg := spirv.NewCFG(f)
		var outside []int
		for _, p := range cfg.Preds[h] {
			if cfg.Reachable(p) && !cfg.Dominates(h, p) {
				outside = append(outside, p)
			}
		}
		if len(outside) == 0 {
			continue
		}
		pre := &spirv.Block{Label: l.out.NewID()}
		l.movePhis(f, header, pre, outside)
		for _, p := range outside {
			retarget(f.Blocks[p], header.Label, pre.Label)
		}
		retargetMerges(f, header.Label, pre.Label)
		pre.Insts = append(pre.Insts, spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(header.Label)}})
		f.Blocks = append(f.Blocks[:h:h], append([]*spirv.Block{pre}, f.Blocks[h:]...)...)
		h++
	}
}

// movePhis gives the preheader the part of the header's phis that comes from outside the loop.
func (l *linker) movePhis(f *spirv.Function, header, pre *spirv.Block, outside []int) {
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
		for j := 0; j < len(in.Operands); j += 2 {
			if from[spirv.ID(in.Operands[j+1])] {
				out = append(out, in.Operands[j], in.Operands[j+1])
			} else {
				in2 = append(in2, in.Operands[j], in.Operands[j+1])
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
	eachTarget(in, func(p *uint32) {
		if spirv.ID(*p) == from {
			*p = uint32(to)
		}
	})
}

// retargetMerges changes the merge block that merge instructions name.
func retargetMerges(f *spirv.Function, from, to spirv.ID) {
	for _, b := range f.Blocks {
		if merge, _, ok := mergeOf(b); ok && merge == from {
			b.Insts[len(b.Insts)-2].Operands[0] = uint32(to)
		}
	}
}

// eachTarget visits the labels that a terminator may branch to.
func eachTarget(in *spirv.Inst, visit func(*uint32)) {
	switch in.Op {
	case spirv.OpBranch:
		visit(&in.Operands[0])
	case spirv.OpBranchConditional:
		visit(&in.Operands[1])
		visit(&in.Operands[2])
	case spirv.OpSwitch:
		first := true // the selector, an id that is no label
		in.EachID(func(p *uint32) {
			if !first {
				visit(p)
			}
			first = false
		})
	}
}

// buildGraph divides the entry function into fragments.
func (l *linker) buildGraph(s *stage) error {
	f := s.function
	cfg := spirv.NewCFG(f)
	g := &graph{cfg: cfg, starts: map[int]int{}, of: map[int]int{}, whole: map[int]bool{}}
	s.graph = g
	kept := l.keptConstructs(s, cfg)
	emptyUnreachable(f, cfg, kept)
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
			fr.site = &site{call: *call, block: fr.last, resume: resume}
			s.sites = append(s.sites, fr.site)
			start(resume)
			continue
		}
		for _, t := range cfg.Succs[fr.last] {
			fr.next = append(fr.next, start(t))
		}
	}
	return nil
}

// keptConstructs finds the outermost constructs that stay as they are: without cut or irregular exit inside, and left
// only to their merge block or out of the function. It returns their blocks by header.
func (l *linker) keptConstructs(s *stage, cfg *spirv.CFG) map[int][]int {
	f := s.function
	kept := map[int][]int{}
	inside := map[int]bool{}
	for _, h := range cfg.RPO {
		merge, _, ok := mergeOf(f.Blocks[h])
		if !ok || inside[h] {
			continue
		}
		blocks := constructBlocks(cfg, h, cfg.Index[merge])
		if !l.closed(s, cfg, blocks, cfg.Index[merge]) {
			continue
		}
		kept[h] = blocks
		for _, b := range blocks {
			if b != h {
				inside[b] = true
			}
		}
	}
	return kept
}

// emptyUnreachable cuts unreachable blocks off what they branch to, but for those of constructs that stay as they are: a loop
// whose body always leaves it has a continue target that nothing reaches, and once it is taken apart no back edge, from
// which a phi would expect a value.
func emptyUnreachable(f *spirv.Function, cfg *spirv.CFG, kept map[int][]int) {
	whole := make([]bool, len(f.Blocks))
	for _, blocks := range kept {
		for _, b := range blocks {
			whole[b] = true
		}
	}
	gone := map[spirv.ID]bool{}
	for b, blk := range f.Blocks {
		if !cfg.Reachable(b) && !slices.ContainsFunc(cfg.Succs[b], func(t int) bool { return whole[t] }) {
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
			var sources []uint32
			for k := 0; k+1 < len(in.Operands); k += 2 {
				if !gone[in.ID(k+1)] {
					sources = append(sources, in.Operands[k], in.Operands[k+1])
				}
			}
			in.Operands = sources
		}
	}
}

func (l *linker) closed(s *stage, cfg *spirv.CFG, blocks []int, merge int) bool {
	in := map[int]bool{merge: true}
	for _, b := range blocks {
		in[b] = true
	}
	for _, b := range blocks {
		blk := s.function.Blocks[b]
		if l.cutOf(blk) != nil || s.irregular[blk.Label] {
			return false
		}
		for _, t := range cfg.Succs[b] {
			if !in[t] {
				return false
			}
		}
	}
	return true
}

// grow follows the code from block b until it must end: at a cut, an exit, a choice, or a block with other entries.
func (l *linker) grow(g *graph, f *spirv.Function, fr *fragment, b int, kept map[int][]int) {
	for {
		if blocks := kept[b]; blocks != nil {
			construct := g.addUnreachable(f, slices.Clone(blocks))
			for _, x := range construct {
				g.whole[x] = true
			}
			fr.blocks = append(fr.blocks, construct...)
			merge, _, _ := mergeOf(f.Blocks[b])
			b = g.cfg.Index[merge]
			if slices.Contains(fr.blocks, b) { // an unreachable merge block, already there
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
		if g.entries(t, kept[t]) != 1 || t == 0 {
			return
		}
		b = t
	}
}

// entries counts the edges into a block from outside the construct that it heads.
func (g *graph) entries(b int, construct []int) int {
	n := 0
	for _, p := range g.cfg.Preds[b] {
		if g.cfg.Reachable(p) && !slices.Contains(construct, p) {
			n++
		}
	}
	return n
}

// addUnreachable adds merge and continue blocks that are named but never reached: structure asks for them.
func (g *graph) addUnreachable(f *spirv.Function, blocks []int) []int {
	for i := 0; i < len(blocks); i++ {
		merge, cont, ok := mergeOf(f.Blocks[blocks[i]])
		if !ok {
			continue
		}
		for _, label := range []spirv.ID{merge, cont} {
			if label == 0 {
				continue
			}
			if b := g.cfg.Index[label]; !g.cfg.Reachable(b) && !slices.Contains(blocks, b) {
				blocks = append(blocks, b)
			}
		}
	}
	return blocks
}
