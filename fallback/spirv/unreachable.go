package spirv

// DropUnreachable removes the blocks of a function that no path leads to, and what phis expect of them: compilers leave
// them behind instructions that end a shader, and a phi that names one would name nothing once the code around it has
// been taken apart. Merge blocks and continue targets of what stays are kept, empty, as structure asks for them. undef gives
// undefined values of a type, at module scope.
func (fn *Function) DropUnreachable(undef func(typ ID) ID) {
	if len(fn.Blocks) == 0 {
		return
	}
	cfg := NewCFG(fn)
	if len(cfg.RPO) == len(fn.Blocks) {
		return
	}
	ends := map[ID]Inst{} // by label, how a block ends that only structure asks for
	for _, i := range cfg.RPO {
		b := fn.Blocks[i]
		merge, cont := b.Merges()
		if merge != 0 && ends[merge].Op != OpBranch { // a loop's continue target may be a merge block, too
			ends[merge] = Inst{Op: OpUnreachable}
		}
		if cont != 0 {
			ends[cont] = Inst{Op: OpBranch, Operands: []uint32{uint32(b.Label)}}
		}
	}
	var blocks []*Block
	emptied := map[uint32]bool{}
	for i, b := range fn.Blocks {
		end, named := ends[b.Label]
		if !cfg.Reachable(i) {
			if !named {
				continue
			}
			b.Insts = []Inst{end}
			emptied[uint32(b.Label)] = true
		}
		blocks = append(blocks, b)
	}
	fn.Blocks = blocks
	fitPhis(fn, emptied, undef)
}

// fitPhis gives the phis of a function one source for each predecessor: those of others go, those from blocks that were
// emptied are undefined.
func fitPhis(f *Function, emptied map[uint32]bool, undef func(typ ID) ID) {
	preds := map[ID][]uint32{}
	for _, b := range f.Blocks {
		for _, t := range b.Successors() {
			preds[t] = append(preds[t], uint32(b.Label))
		}
	}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			if in.Op != OpPhi {
				continue
			}
			from := map[uint32]uint32{}
			for k := range in.Phi().Sources() {
				from[uint32(in.Phi().Parent(k))] = uint32(in.Phi().Variable(k))
			}
			var sources []uint32
			for _, p := range preds[b.Label] {
				value, ok := from[p]
				if !ok || emptied[p] {
					value = uint32(undef(in.Type))
				}
				sources = append(sources, value, p)
			}
			in.Operands = sources
		}
	}
}
