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
