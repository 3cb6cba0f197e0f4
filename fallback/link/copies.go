package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// A state function is written by parts that stand on each other. Each knows those ahead of it in this list, and none behind:
//
//	code       instructions, one behind the other (code.go)
//	copies     the shader's values and variables, as the function has them (this file)
//	spiller    what goes between variables and the stack, or the words of payloads (stack.go)
//	entrance   what a shader begins with: built-ins, payload, hit attributes (enter.go)
//	departure  how it is left and resumed: cuts, calls, reports, its end (calls.go, reorder.go, hitobject_calls.go)
//	emitter    fragments, and the jumps between them (emit.go; machine.go for all states in one function)

// copies gives what a state function is made of the shader's names: values, and variables with their leaves.
type copies struct {
	code
	s   *framedStage
	ids *cloner
}

// operand returns the copy of a value that a call is given.
func (e *copies) operand(id spirv.ID) spirv.ID {
	if e.l.isGlobal(id) {
		return id
	}
	return e.ids.id(id)
}

// unsigned returns the copy of an integer of either sign as a uint.
func (e *copies) unsigned(id spirv.ID) spirv.ID {
	return e.convert(e.operand(id), e.s.typeOf(e.l, id), e.l.types.uint32())
}

// typeOf returns the type of a value in the entry function or outside.
func (s *framedStage) typeOf(l *linked, id spirv.ID) spirv.ID {
	if in := l.types.get(id); in != nil {
		return in.Type
	}
	if s.types == nil {
		s.types = map[spirv.ID]spirv.ID{}
		for _, b := range s.function.Blocks {
			for i := range b.Insts {
				l.work(1)
				s.types[b.Insts[i].Result] = b.Insts[i].Type
			}
		}
	}
	return s.types[id]
}

// variable returns the pointer of a variable in the state function.
func (e *copies) variable(x *variable) spirv.ID {
	if x.local {
		return e.ids.id(x.id)
	}
	return x.id
}

// pointer returns the pointer to a leaf.
func (e *copies) pointer(i int) spirv.ID {
	f := e.s.vars.leaves[i]
	base := e.variable(f.variable)
	if len(f.path) == 0 {
		return base
	}
	operands := []uint32{uint32(base)}
	for _, k := range f.path {
		operands = append(operands, uint32(e.u32(k)))
	}
	return e.value(spirv.OpAccessChain, e.l.types.pointer(f.variable.class, f.typ), operands...)
}

// declareVariables declares, at the head of the function, those of the shader's variables that the code refers to.
func (e *copies) declareVariables() {
	var list []spirv.Inst
	var used []*variable
	for id := range e.ids.ids {
		if x := e.s.vars.byID[id]; x != nil && x.local {
			used = append(used, x)
		}
	}
	slices.SortFunc(used, func(a, b *variable) int { return a.number - b.number })
	for _, x := range used {
		id := e.ids.ids[x.id]
		e.l.copyDecorations(x.id, id)
		list = append(list, spirv.Inst{
			Op: spirv.OpVariable, Type: e.l.types.pointer(x.class, x.typ), Result: id, Operands: []uint32{uint32(x.class)},
		})
	}
	entry := e.f.Blocks[0]
	entry.Insts = append(list, entry.Insts...)
}
