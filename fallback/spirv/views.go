package spirv

import "fmt"

//go:generate go run ./gen

// Views give the operands of an instruction by the names that the registry has for them: in.TraceRay().Payload(). They are
// generated from a table, gen/views.txt; what follows is what they share, and what fits no table.

// isNo panics: a view was asked for of an instruction that it is not for.
func (in *Inst) isNo(view string) { panic(fmt.Sprintf("%v is no %s", in.Op, view)) }

// optional returns an operand, 0 if it is absent.
func (in *Inst) optional(at int) uint32 {
	if at < len(in.Operands) {
		return in.Operands[at]
	}
	return 0
}

// text returns the text that begins with an operand.
func (in *Inst) text(at int) string {
	s, _ := DecodeString(in.Operands[at:])
	return s
}

// Target is what a name, a decoration, an execution mode or a group of decorations is about; for the use of a group that group.
func (in *Inst) Target() ID {
	if in.Op == OpDecorationGroup {
		return in.Result
	}
	return in.ID(0)
}

// Decorates returns what an instruction decorates an id or a member of one with, and the literals, ids or texts behind it.
func (in *Inst) Decorates() (d Decoration, literals []uint32, ok bool) {
	at := 1
	switch in.Op {
	case OpMemberDecorate, OpMemberDecorateString:
		at = 2
	case OpDecorate, OpDecorateId, OpDecorateString:
	default:
		return 0, nil, false
	}
	if len(in.Operands) <= at {
		return 0, nil, false
	}
	return Decoration(in.Operands[at]), in.Operands[at+1:], true
}

// InterfaceStart returns the number of the operand that the interface of an OpEntryPoint begins with, behind its name.
func (in *Inst) InterfaceStart() int {
	_, words := DecodeString(in.Operands[2:])
	return 2 + words
}

// Handed is the payload, or the callable data, that an instruction which calls other shaders (CallsShaders) hands them.
func (in *Inst) Handed() ID {
	switch in.Op {
	case OpExecuteCallableKHR:
		return in.ExecuteCallable().CallableData()
	case OpHitObjectTraceRayEXT:
		return in.HitObjectTraceRay().Payload()
	case OpHitObjectTraceReorderExecuteEXT:
		return in.HitObjectTraceReorderExecute().Payload()
	case OpHitObjectExecuteShaderEXT:
		return in.HitObjectExecuteShader().Payload()
	}
	return in.TraceRay().Payload()
}

// Interface are the variables of an OpEntryPoint, behind its name; the words are the instruction's own.
func (v EntryPointView) Interface() []uint32 { return v.in.Operands[v.in.InterfaceStart():] }

// BuiltIn returns the built-in that an instruction decorates a variable with, and whether it is such a one.
func (in *Inst) BuiltIn() (BuiltIn, bool) {
	if in.Op != OpDecorate || in.Decorate().Decoration() != DecorationBuiltIn || len(in.Decorate().Literals()) == 0 {
		return 0, false
	}
	return BuiltIn(in.Decorate().Literal()), true
}

// Literal is the first of a decoration's.
func (v DecorateView) Literal() uint32 { return v.in.Operands[2] }

// Argument returns an argument of a call.
func (v FunctionCallView) Argument(i int) ID { return v.in.ID(1 + i) }

// Word is the value of a constant of one word, or the low word of a longer one.
func (v ConstantView) Word() uint32 { return v.in.Operands[0] }

// Bits is the value of a constant of one word or two.
func (v ConstantView) Bits() uint64 {
	bits := uint64(v.in.Operands[0])
	if len(v.in.Operands) > 1 {
		bits |= uint64(v.in.Operands[1]) << 32
	}
	return bits
}

// SetWord changes the value of a constant of one word.
func (v ConstantView) SetWord(to uint32) { v.in.Operands[0] = to }

// DropInitializer makes a variable one without an initial value, and returns what it was, 0 for none.
func (v VariableView) DropInitializer() ID {
	id := v.Initializer()
	v.in.Operands = v.in.Operands[:1]
	return id
}

// EachTarget visits the label of the default and those of all literals.
func (v SwitchView) EachTarget(visit func(label uint32)) {
	const selector, words = 1, 1 // ahead of the default; of a label
	step := v.in.literalWords() + words
	for at := selector; at < len(v.in.Operands); at += step {
		visit(v.in.Operands[at])
	}
}

// Each visits the targets of a group's decorations.
func (v GroupMemberDecorateView) Each(visit func(structure ID, member uint32)) {
	for list := v.Targets(); len(list) > 1; list = list[2:] {
		visit(ID(list[0]), list[1])
	}
}

// Others are the operands behind the query.
func (v RayQueryView) Others() []uint32 { return v.in.Operands[1:] }

// Reorder are the operands of a reorder behind the object: none, or hint and bits.
func (v HitObjectReorderExecuteShaderView) Reorder() []uint32 { return v.in.Operands[2:] }

// Trace are the operands that a trace call into the object has.
func (v HitObjectTraceReorderExecuteView) Trace() []uint32 { return v.in.Operands[:12:12] }

// Reorder are the operands of a reorder behind the object: none, or hint and bits.
func (v HitObjectTraceReorderExecuteView) Reorder() []uint32 { return v.in.Operands[12:] }

// Ray are the operands that a trace call of the same ray has.
func (v HitObjectTraceRayView) Ray() []uint32 { return v.in.Operands[1:] }

// EachTarget visits the labels that a terminator may branch to, which the visitor may change.
func (in *Inst) EachTarget(visit func(label *uint32)) {
	switch in.Op {
	case OpBranch:
		visit(&in.Operands[0])
	case OpBranchConditional:
		visit(&in.Operands[1])
		visit(&in.Operands[2])
	case OpSwitch:
		first := true // the selector, an id that is no label
		in.EachID(func(p *uint32) {
			if !first {
				visit(p)
			}
			first = false
		})
	}
}

// PhiView gives the sources of OpPhi.
type PhiView struct{ in *Inst }

// Phi returns the view of OpPhi, which the instruction must be.
func (in *Inst) Phi() PhiView {
	if in.Op != OpPhi {
		in.isNo("Phi")
	}
	return PhiView{in}
}

// Sources returns how many values the phi chooses among.
func (v PhiView) Sources() int { return len(v.in.Operands) / 2 }

// Variable returns a source's value.
func (v PhiView) Variable(source int) ID { return v.in.ID(2 * source) }

// Parent returns the block that a source comes from.
func (v PhiView) Parent(source int) ID { return v.in.ID(2*source + 1) }

// RenameParents gives sources other blocks to come from.
func (v PhiView) RenameParents(to func(parent ID) ID) {
	for at := 1; at < len(v.in.Operands); at += 2 {
		v.in.Operands[at] = uint32(to(v.in.ID(at)))
	}
}

// Keep leaves the sources that a function chooses.
func (v PhiView) Keep(keep func(variable, parent ID) bool) {
	var left []uint32
	for i := range v.Sources() {
		if keep(v.Variable(i), v.Parent(i)) {
			left = append(left, v.in.Operands[2*i:2*i+2]...)
		}
	}
	v.in.Operands = left
}
