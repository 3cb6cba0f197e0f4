package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// inlineCuts puts every function that may trace, or end an any hit or intersection shader, into the entry function. Functions
// without such instructions stay functions. SPIR-V for Vulkan has no recursion, so this ends.
func (l *shapedStages) inlineCuts() error {
	err := each(l.job, l.stages, func(s *shapedStage) error {
		s.irregular = map[spirv.ID]bool{}
		x := &inliner{
			l: l.linked, s: s, needed: s.cutFunctions(l.work), inside: map[spirv.ID]map[spirv.ID]bool{}, ends: map[spirv.ID]spirv.ID{},
		}
		if err := x.run(); err != nil {
			return err
		}
		l.dropInlined(s, x.needed)
		// Nothing follows a call of a function that always ends the shader.
		l.heed()
		s.function.DropUnreachable(l.types.undef)
		l.heed()
		return nil
	})
	l.out.DropStale()
	return err
}

// dropInlined removes the functions that are in the entry function now.
func (l *shapedStages) dropInlined(s *shapedStage, inlined map[spirv.ID]bool) {
	gone := map[*spirv.Function]bool{}
	for id, f := range s.functions {
		if inlined[id] && f != s.function {
			gone[f] = true
			delete(s.functions, id)
		}
	}
	l.out.Functions = slices.DeleteFunc(l.out.Functions, func(f *spirv.Function) bool { return gone[f] })
}

// endsRay tells whether an instruction ends an any hit shader early, or an intersection shader if its hit is the last.
func endsRay(op spirv.Op) bool {
	return op == spirv.OpIgnoreIntersectionKHR || op == spirv.OpTerminateRayKHR || op == spirv.OpReportIntersectionKHR
}

// cutFunctions returns the functions that hold such instructions, or call one that does. It tells how much it has looked at.
func (s *mergedStage) cutFunctions(work func(int)) map[spirv.ID]bool {
	needed, callers := map[spirv.ID]bool{}, map[spirv.ID][]spirv.ID{}
	var found []spirv.ID
	need := func(id spirv.ID) {
		if !needed[id] {
			needed[id] = true
			found = append(found, id)
		}
	}
	for id, f := range s.functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				work(1)
				switch in := &b.Insts[i]; {
				case leaves(in.Op) || endsRay(in.Op):
					need(id)
				case in.Op == spirv.OpFunctionCall:
					callee := in.FunctionCall().Function()
					callers[callee] = append(callers[callee], id)
				}
			}
		}
	}
	for len(found) > 0 {
		id := found[len(found)-1]
		found = found[:len(found)-1]
		for _, c := range callers[id] {
			need(c)
		}
	}
	return needed
}

// inliner puts functions into an entry function: it goes through the blocks once, and through those of a callee in the place of
// the call.
type inliner struct {
	l      *linked
	s      *shapedStage
	needed map[spirv.ID]bool
	// inside holds for each callee the blocks that lie inside a construct.
	inside    map[spirv.ID]map[spirv.ID]bool
	ends      map[spirv.ID]spirv.ID // the block that ends what a block held, where that was split
	variables []spirv.Inst          // to be declared
	made      int                   // instructions and decorations that copies added
}

func (x *inliner) run() error {
	f := x.s.function
	var out []*spirv.Block
	work := [][]*spirv.Block{f.Blocks} // what is still to be gone through, the next last
	for len(work) > 0 {
		top := &work[len(work)-1]
		if len(*top) == 0 {
			work = work[:len(work)-1]
			continue
		}
		b := (*top)[0]
		*top = (*top)[1:]
		out = append(out, b)
		at := slices.IndexFunc(b.Insts, func(in spirv.Inst) bool {
			return in.Op == spirv.OpFunctionCall && x.needed[in.FunctionCall().Function()]
		})
		if at < 0 {
			x.l.work(len(b.Insts))
			continue
		}
		x.l.work(at + 1)
		name := x.s.nameOf(b.Insts[at].FunctionCall().Function())
		body, after := x.call(b, at)
		work = append(work, []*spirv.Block{after}, body)
		if len(out)+len(body) > maxInlined || x.made > maxInlinedInstructions {
			return x.s.unsupported("more than %d blocks or %d instructions once functions that trace rays are inlined, at a call of %s",
				maxInlined, maxInlinedInstructions, name)
		}
	}
	f.Blocks = out
	f.RenamePhiSources(x.ends)
	slices.Reverse(x.variables)
	addVariableInsts(f, x.variables)
	return nil
}

// call ends a block with a branch to a copy of the callee's body, and returns that and the block that goes on. A return becomes
// a branch to the latter; one from inside a construct is noted as irregular, since a branch out of a construct is not structured.
func (x *inliner) call(before *spirv.Block, at int) (body []*spirv.Block, after *spirv.Block) {
	l, s := x.l, x.s
	call := before.Insts[at]
	function := call.FunctionCall().Function()
	callee := s.functions[function]
	rest := before.Insts[at:]
	before.Insts = before.Insts[:at:at]
	after = &spirv.Block{Label: l.out.NewID()}
	x.ends[before.Label] = after.Label
	var result spirv.ID // variable that carries the returned value
	if call.Type != l.types.void() {
		in := l.newVariable(call.Type)
		result = in.Result
		x.variables = append(x.variables, in)
		l.aliased(result, call.Type)
		rest[0] = spirv.Inst{Op: spirv.OpLoad, Type: call.Type, Result: call.Result, Operands: []uint32{uint32(result)}}
	} else {
		rest = rest[1:]
	}
	after.Insts = rest
	if _, cont, ok := mergeOf(after); s.irregular[before.Label] || ok && cont != 0 {
		// The merge instruction of a loop moved away from the header that the back edge goes to: no structure any more.
		s.irregular[after.Label] = true
	}
	c := newCloner(l)
	for i := range callee.Params {
		c.ids[callee.Params[i].Result] = call.FunctionCall().Argument(i)
	}
	inside, known := x.inside[function]
	if !known {
		inside = l.blocksInConstructs(callee)
		x.inside[function] = inside
	}
	annotations := len(l.out.Annotations)
	for _, b := range callee.Blocks {
		nb := &spirv.Block{Label: c.id(b.Label)}
		for i := range b.Insts {
			in := c.inst(&b.Insts[i])
			switch in.Op {
			case spirv.OpVariable:
				// A variable lives as long as the call: its initial value is stored at each.
				if value := in.Variable().DropInitializer(); value != 0 {
					nb.Insts = append(nb.Insts, spirv.Inst{Op: spirv.OpStore, Operands: []uint32{uint32(in.Result), uint32(value)}})
				}
				x.variables = append(x.variables, in)
				continue
			case spirv.OpReturnValue:
				value := in.ReturnValue().Value()
				nb.Insts = append(nb.Insts, spirv.Inst{Op: spirv.OpStore, Operands: []uint32{uint32(result), uint32(value)}})
				fallthrough
			case spirv.OpReturn:
				in = spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(after.Label)}}
				if inside[b.Label] {
					s.irregular[nb.Label] = true
				}
			}
			nb.Insts = append(nb.Insts, in)
		}
		x.made += len(nb.Insts)
		body = append(body, nb)
	}
	x.made += len(l.out.Annotations) - annotations
	before.Insts = append(before.Insts, spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(body[0].Label)}})
	return body, after
}

// aliased gives a variable that holds an address the decoration that it, or the contrary, must have.
func (l *linked) aliased(variable, typ spirv.ID) {
	if class, _ := l.types.pointee(typ); class == spirv.StorageClassPhysicalStorageBuffer {
		l.decorate(variable, spirv.DecorationAliasedPointer)
	}
}

// newVariable returns the declaration of a function variable.
func (l *linked) newVariable(typ spirv.ID) spirv.Inst {
	pointer := l.types.pointer(spirv.StorageClassFunction, typ)
	return spirv.Inst{
		Op: spirv.OpVariable, Type: pointer, Result: l.out.NewID(), Operands: []uint32{uint32(spirv.StorageClassFunction)},
	}
}

// addVariableInsts puts variables where SPIR-V wants them, at the head of the entry block.
func addVariableInsts(f *spirv.Function, list []spirv.Inst) {
	entry := f.Blocks[0]
	entry.Insts = slices.Concat(list, entry.Insts)
}

// blocksInConstructs returns the labels of blocks that lie inside a construct, headers not counted for their own.
func (l *linked) blocksInConstructs(f *spirv.Function) map[spirv.ID]bool {
	cfg := l.cfg(f)
	preorder, parent := cfg.StructuralTree()
	within, inside := make([]bool, len(f.Blocks)), map[spirv.ID]bool{}
	for _, b := range preorder {
		up := f.Blocks[parent[b]]
		if merge, _, ok := mergeOf(up); parent[b] != b {
			within[b] = within[parent[b]] || ok && merge != f.Blocks[b].Label
		}
		if within[b] && cfg.Reachable(b) {
			inside[f.Blocks[b].Label] = true
		}
	}
	return inside
}

// mergeOf returns the merge block and, of a loop, the continue target that a block's merge instruction names.
func mergeOf(b *spirv.Block) (merge, cont spirv.ID, ok bool) {
	merge, cont = b.Merges()
	return merge, cont, merge != 0
}

// cloner copies instructions, giving results new ids, with the decorations of the old.
type cloner struct {
	l   *linked
	ids map[spirv.ID]spirv.ID
}

func newCloner(l *linked) *cloner { return &cloner{l: l, ids: map[spirv.ID]spirv.ID{}} }

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
	c.l.work(1)
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
