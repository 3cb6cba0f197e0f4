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

// SetWord changes the value of a constant of one word.
func (v ConstantView) SetWord(to uint32) { v.in.Operands[0] = to }

// DropInitializer makes a variable one without an initial value, and returns what it was, 0 for none.
func (v VariableView) DropInitializer() ID {
	id := v.Initializer()
	v.in.Operands = v.in.Operands[:1]
	return id
}

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
