package link

import "github.com/everray/everray/fallback/spirv"

// dropUnreachable removes the blocks of a function that no path leads to, and what phis expect of them: compilers leave
// them behind instructions that end a shader, and a phi that names one would name nothing once the code around it has
// been taken apart. Merge blocks and continue targets of what stays are kept, empty, as structure asks for them. undef gives
// undefined values of a type, at module scope.
func dropUnreachable(f *spirv.Function, undef func(typ spirv.ID) spirv.ID) {
	if len(f.Blocks) == 0 {
		return
	}
	cfg := spirv.NewCFG(f)
	if len(cfg.RPO) == len(f.Blocks) {
		return
	}
	ends := map[spirv.ID]spirv.Inst{} // by label, how a block ends that only structure asks for
	for _, i := range cfg.RPO {
		b := f.Blocks[i]
		merge, cont := b.Merges()
		if merge != 0 && ends[merge].Op != spirv.OpBranch { // a loop's continue target may be a merge block, too
			ends[merge] = spirv.Inst{Op: spirv.OpUnreachable}
		}
		if cont != 0 {
			ends[cont] = spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(b.Label)}}
		}
	}
	var blocks []*spirv.Block
	emptied := map[uint32]bool{}
	for i, b := range f.Blocks {
		end, named := ends[b.Label]
		if !cfg.Reachable(i) {
			if !named {
				continue
			}
			b.Insts = []spirv.Inst{end}
			emptied[uint32(b.Label)] = true
		}
		blocks = append(blocks, b)
	}
	f.Blocks = blocks
	fitPhis(f, emptied, undef)
}

// fitPhis gives the phis of a function one source for each predecessor: those of others go, those from blocks that were
// emptied are undefined.
func fitPhis(f *spirv.Function, emptied map[uint32]bool, undef func(typ spirv.ID) spirv.ID) {
	preds := map[spirv.ID][]uint32{}
	for _, b := range f.Blocks {
		for _, t := range b.Successors() {
			preds[t] = append(preds[t], uint32(b.Label))
		}
	}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			if in.Op != spirv.OpPhi {
				continue
			}
			from := map[uint32]uint32{}
			for k := 0; k+1 < len(in.Operands); k += 2 {
				from[in.Operands[k+1]] = in.Operands[k]
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
