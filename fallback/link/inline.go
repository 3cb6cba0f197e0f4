package link

import "github.com/everray/everray/fallback/spirv"

// maxInlined bounds the blocks of an entry function: calls of functions that call others twice double with each level.
const maxInlined = 1 << 14

// inlineCuts puts every function that may trace, or end an any hit or intersection shader, into the entry function. Functions without
// such instructions stay functions. SPIR-V for Vulkan has no recursion, so this ends.
func (l *linker) inlineCuts() error {
	for _, s := range l.stages {
		s.irregular = map[spirv.ID]bool{}
		needed := s.cutFunctions()
		for {
			block, at := s.findCall(needed)
			if block < 0 {
				break
			}
			l.inlineCall(s, block, at)
			if len(s.function.Blocks) > maxInlined {
				return s.unsupported("more than %d blocks once functions that trace rays are inlined", maxInlined)
			}
		}
		// Nothing follows a call of a function that always ends the shader.
		s.function.DropUnreachable(l.types.undef)
	}
	return nil
}

// endsRay tells whether an instruction ends an any hit shader early, or an intersection shader if its hit is the last.
func endsRay(op spirv.Op) bool {
	return op == spirv.OpIgnoreIntersectionKHR || op == spirv.OpTerminateRayKHR || op == spirv.OpReportIntersectionKHR
}

// cutFunctions returns the functions that hold such instructions, or call one that does.
func (s *stage) cutFunctions() map[spirv.ID]bool {
	needed := map[spirv.ID]bool{}
	for changed := true; changed; {
		changed = false
		for id, f := range s.functions {
			if needed[id] {
				continue
			}
			for _, b := range f.Blocks {
				for i := range b.Insts {
					in := &b.Insts[i]
					if in.Op.CallsShaders() || endsRay(in.Op) || in.Op == spirv.OpFunctionCall && needed[spirv.ID(in.Operands[0])] {
						needed[id], changed = true, true
					}
				}
			}
		}
	}
	return needed
}

// findCall returns the first call of such a function in the entry function, -1 if there is none.
func (s *stage) findCall(needed map[spirv.ID]bool) (block, at int) {
	for b, blk := range s.function.Blocks {
		for i := range blk.Insts {
			if in := &blk.Insts[i]; in.Op == spirv.OpFunctionCall && needed[spirv.ID(in.Operands[0])] {
				return b, i
			}
		}
	}
	return -1, 0
}

// inlineCall replaces a call in the entry function by the callee's body. A return becomes a branch to what follows the
// call; one from inside a construct is noted as irregular, since a branch out of a construct is not structured.
func (l *linker) inlineCall(s *stage, block, at int) {
	f := s.function
	before := f.Blocks[block]
	call := before.Insts[at]
	callee := s.functions[spirv.ID(call.Operands[0])]
	t := l.types

	after := &spirv.Block{Label: l.out.NewID(), Insts: append([]spirv.Inst(nil), before.Insts[at+1:]...)}
	before.Insts = before.Insts[:at:at]
	f.RenamePhiSources(before.Label, after.Label)
	if _, cont, ok := mergeOf(after); s.irregular[before.Label] || ok && cont != 0 {
		// The merge instruction of a loop moved away from the header that the back edge goes to: no structure any more.
		s.irregular[after.Label] = true
	}

	var result spirv.ID // variable that carries the returned value
	if call.Type != t.void() {
		result = l.addVariable(f, call.Type)
		load := spirv.Inst{Op: spirv.OpLoad, Type: call.Type, Result: call.Result, Operands: []uint32{uint32(result)}}
		after.Insts = append([]spirv.Inst{load}, after.Insts...)
	}

	c := newCloner(l)
	for i := range callee.Params {
		c.ids[callee.Params[i].Result] = spirv.ID(call.Operands[1+i])
	}
	inside := blocksInConstructs(callee)
	var body []*spirv.Block
	for _, b := range callee.Blocks {
		nb := &spirv.Block{Label: c.id(b.Label)}
		for i := range b.Insts {
			in := c.inst(&b.Insts[i])
			switch in.Op {
			case spirv.OpVariable:
				// A variable lives as long as the call: its initial value is stored at each.
				if len(in.Operands) > 1 {
					nb.Insts = append(nb.Insts, spirv.Inst{Op: spirv.OpStore, Operands: []uint32{uint32(in.Result), in.Operands[1]}})
					in.Operands = in.Operands[:1]
				}
				addVariableInst(f, in)
				continue
			case spirv.OpReturnValue:
				nb.Insts = append(nb.Insts, spirv.Inst{Op: spirv.OpStore, Operands: []uint32{uint32(result), in.Operands[0]}})
				fallthrough
			case spirv.OpReturn:
				in = spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(after.Label)}}
				if inside[b.Label] {
					s.irregular[nb.Label] = true
				}
			}
			nb.Insts = append(nb.Insts, in)
		}
		body = append(body, nb)
	}
	before.Insts = append(before.Insts, spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(body[0].Label)}})
	blocks := append([]*spirv.Block(nil), f.Blocks[:block+1]...)
	blocks = append(append(blocks, body...), after)
	f.Blocks = append(blocks, f.Blocks[block+1:]...)
}

// addVariable declares a function variable of the given type.
func (l *linker) addVariable(f *spirv.Function, typ spirv.ID) spirv.ID {
	in := l.newVariable(typ)
	addVariableInst(f, in)
	if class, _ := l.types.pointee(typ); class == spirv.StorageClassPhysicalStorageBuffer {
		l.decorate(in.Result, spirv.DecorationAliasedPointer) // which a variable that holds an address must say, or the contrary
	}
	return in.Result
}

// newVariable returns the declaration of a function variable.
func (l *linker) newVariable(typ spirv.ID) spirv.Inst {
	pointer := l.types.pointer(spirv.StorageClassFunction, typ)
	return spirv.Inst{
		Op: spirv.OpVariable, Type: pointer, Result: l.out.NewID(), Operands: []uint32{uint32(spirv.StorageClassFunction)},
	}
}

// addVariableInst puts a variable where SPIR-V wants it, at the head of the entry block.
func addVariableInst(f *spirv.Function, in spirv.Inst) {
	entry := f.Blocks[0]
	entry.Insts = append([]spirv.Inst{in}, entry.Insts...)
}

// blocksInConstructs returns the labels of blocks that lie inside a construct, headers not counted for their own.
func blocksInConstructs(f *spirv.Function) map[spirv.ID]bool {
	cfg := spirv.NewCFG(f)
	inside := map[spirv.ID]bool{}
	for h, b := range f.Blocks {
		merge, _, ok := mergeOf(b)
		if !ok {
			continue
		}
		for _, c := range constructBlocks(cfg, h, cfg.Index[merge]) {
			if c != h {
				inside[f.Blocks[c].Label] = true
			}
		}
	}
	return inside
}

// mergeOf returns the merge block and, of a loop, the continue target that a block's merge instruction names.
func mergeOf(b *spirv.Block) (merge, cont spirv.ID, ok bool) {
	merge, cont = b.Merges()
	return merge, cont, merge != 0
}

// constructBlocks returns the blocks structurally dominated by header and not by merge, unreachable ones left out.
func constructBlocks(cfg *spirv.CFG, header, merge int) []int {
	var list []int
	for _, b := range cfg.RPO {
		if cfg.StructurallyDominates(header, b) && !cfg.StructurallyDominates(merge, b) {
			list = append(list, b)
		}
	}
	return list
}

// cloner copies instructions, giving results new ids, with the decorations of the old.
type cloner struct {
	l   *linker
	ids map[spirv.ID]spirv.ID
}

func newCloner(l *linker) *cloner { return &cloner{l: l, ids: map[spirv.ID]spirv.ID{}} }

// id returns the copy's id of a label or result, a new one at first sight.
func (c *cloner) id(old spirv.ID) spirv.ID {
	if id, ok := c.ids[old]; ok {
		return id
	}
	id := c.l.out.NewID()
	c.ids[old] = id
	return id
}

// inst copies an instruction. Ids of globals stay.
func (c *cloner) inst(in *spirv.Inst) spirv.Inst {
	n := in.Clone()
	if n.Result != 0 {
		n.Result = c.id(in.Result)
		c.l.copyDecorations(in.Result, n.Result)
	}
	n.EachID(func(p *uint32) {
		if !c.l.isGlobal(spirv.ID(*p)) {
			*p = uint32(c.id(spirv.ID(*p)))
		}
	})
	return n
}
