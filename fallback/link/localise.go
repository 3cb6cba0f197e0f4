package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// localise makes globals that only the entry function uses its variables, in all stages.
func (l *cutStages) localise() error {
	return each(l.job, l.stages, func(s *cutStage) error {
		l.localiseGlobals(s)
		return nil
	})
}

// localiseGlobals makes the stage's private globals variables of the entry function, where no other function uses them.
// A global is alive throughout the scheduler's loop as far as a driver can tell; a function's variable is not.
func (l *cutStages) localiseGlobals(s *cutStage) {
	if s.has(roleIncoming) && l.form.cuts() { // otherwise payloads are in registers
		id := l.out.NewID()
		l.types.add(spirv.Inst{Op: spirv.OpVariable, Type: l.types.pointer(spirv.StorageClassPrivate, l.types.uint32()), Result: id,
			Operands: []uint32{uint32(spirv.StorageClassPrivate)}})
		s.uses[id] = role{kind: roleIncomingSlot}
		s.incomingSlot = id
	}
	shared := s.sharedGlobals(l.work)
	local := map[spirv.ID]bool{} // pointers that change to the function's storage class
	var variables []spirv.Inst
	for _, id := range sortedIDs(s.uses) {
		if !s.uses[id].stored() || shared[id] {
			continue
		}
		_, typ := l.types.pointee(l.types.get(id).Type)
		in := l.newVariable(typ)
		// The id moves from the global to the variable, so that every use stays as it is.
		l.types.release(id)
		in.Result = id
		variables = append(variables, in)
		local[id] = true
	}
	slices.Reverse(variables)
	addVariableInsts(s.function, variables)
	for _, b := range s.function.Blocks {
		l.work(len(b.Insts))
		for i := range b.Insts {
			in := &b.Insts[i]
			switch in.Op {
			case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject:
				if local[baseOf(in)] {
					_, typ := l.types.pointee(in.Type)
					in.Type = l.types.pointer(spirv.StorageClassFunction, typ)
					local[in.Result] = true
				}
			}
		}
	}
}

// baseOf returns the pointer that an access chain or a copy begins with.
func baseOf(in *spirv.Inst) spirv.ID {
	if in.Op == spirv.OpCopyObject {
		return in.CopyObject().Operand()
	}
	return in.AccessChain().Base()
}

// has tells whether the stage has a variable of this role.
func (s *mergedStage) has(kind roleKind) bool {
	for _, r := range s.uses {
		if r.kind == kind {
			return true
		}
	}
	return false
}

// sharedGlobals returns the globals that functions beside the entry function use, or that go to one as a pointer. It tells how
// much it has looked at.
func (s *mergedStage) sharedGlobals(work func(int)) map[spirv.ID]bool {
	shared := map[spirv.ID]bool{}
	for _, f := range s.functions {
		if f == s.function {
			continue
		}
		for _, b := range f.Blocks {
			for i := range b.Insts {
				work(1)
				b.Insts[i].EachID(func(p *uint32) {
					if _, ok := s.uses[spirv.ID(*p)]; ok {
						shared[spirv.ID(*p)] = true
					}
				})
			}
		}
	}
	bases := map[spirv.ID]spirv.ID{}
	base := func(id spirv.ID) spirv.ID {
		if b, ok := bases[id]; ok {
			return b
		}
		return id
	}
	for _, b := range s.function.Blocks {
		for i := range b.Insts {
			work(1)
			in := &b.Insts[i]
			switch in.Op {
			case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject:
				bases[in.Result] = base(baseOf(in))
			case spirv.OpFunctionCall:
				for _, arg := range in.FunctionCall().Arguments() {
					if id := base(spirv.ID(arg)); s.uses[id].stored() {
						shared[id] = true
					}
				}
			}
		}
	}
	return shared
}
