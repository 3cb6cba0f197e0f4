// Code generated from gen/views.txt by `go generate ./fallback/spirv`. DO NOT EDIT.

package spirv

// ConstructView gives the operands of OpSelectionMerge and the like by their names.
type ConstructView struct{ in *Inst }

// Construct returns the view of OpSelectionMerge and the like, which the instruction must be.
func (in *Inst) Construct() ConstructView {
	switch in.Op {
	case OpSelectionMerge,
		OpLoopMerge:
	default:
		in.isNo("Construct")
	}
	return ConstructView{in}
}

// MergeBlock is operand 0.
func (v ConstructView) MergeBlock() ID { return ID(v.in.Operands[0]) }

// SetMergeBlock changes it.
func (v ConstructView) SetMergeBlock(to ID) { v.in.Operands[0] = uint32(to) }

// LoopMergeView gives the operands of OpLoopMerge by their names.
type LoopMergeView struct{ in *Inst }

// LoopMerge returns the view of OpLoopMerge, which the instruction must be.
func (in *Inst) LoopMerge() LoopMergeView {
	switch in.Op {
	case OpLoopMerge:
	default:
		in.isNo("LoopMerge")
	}
	return LoopMergeView{in}
}

// MergeBlock is operand 0.
func (v LoopMergeView) MergeBlock() ID { return ID(v.in.Operands[0]) }

// ContinueTarget is operand 1.
func (v LoopMergeView) ContinueTarget() ID { return ID(v.in.Operands[1]) }

// BranchView gives the operands of OpBranch by their names.
type BranchView struct{ in *Inst }

// Branch returns the view of OpBranch, which the instruction must be.
func (in *Inst) Branch() BranchView {
	switch in.Op {
	case OpBranch:
	default:
		in.isNo("Branch")
	}
	return BranchView{in}
}

// TargetLabel is operand 0.
func (v BranchView) TargetLabel() ID { return ID(v.in.Operands[0]) }

// SetTargetLabel changes it.
func (v BranchView) SetTargetLabel(to ID) { v.in.Operands[0] = uint32(to) }

// BranchConditionalView gives the operands of OpBranchConditional by their names.
type BranchConditionalView struct{ in *Inst }

// BranchConditional returns the view of OpBranchConditional, which the instruction must be.
func (in *Inst) BranchConditional() BranchConditionalView {
	switch in.Op {
	case OpBranchConditional:
	default:
		in.isNo("BranchConditional")
	}
	return BranchConditionalView{in}
}

// Condition is operand 0.
func (v BranchConditionalView) Condition() ID { return ID(v.in.Operands[0]) }

// TrueLabel is operand 1.
func (v BranchConditionalView) TrueLabel() ID { return ID(v.in.Operands[1]) }

// SetTrueLabel changes it.
func (v BranchConditionalView) SetTrueLabel(to ID) { v.in.Operands[1] = uint32(to) }

// FalseLabel is operand 2.
func (v BranchConditionalView) FalseLabel() ID { return ID(v.in.Operands[2]) }

// SetFalseLabel changes it.
func (v BranchConditionalView) SetFalseLabel(to ID) { v.in.Operands[2] = uint32(to) }

// SwitchView gives the operands of OpSwitch by their names.
type SwitchView struct{ in *Inst }

// Switch returns the view of OpSwitch, which the instruction must be.
func (in *Inst) Switch() SwitchView {
	switch in.Op {
	case OpSwitch:
	default:
		in.isNo("Switch")
	}
	return SwitchView{in}
}

// Selector is operand 0.
func (v SwitchView) Selector() ID { return ID(v.in.Operands[0]) }

// SetSelector changes it.
func (v SwitchView) SetSelector(to ID) { v.in.Operands[0] = uint32(to) }

// Default is operand 1.
func (v SwitchView) Default() ID { return ID(v.in.Operands[1]) }

// ReturnValueView gives the operands of OpReturnValue by their names.
type ReturnValueView struct{ in *Inst }

// ReturnValue returns the view of OpReturnValue, which the instruction must be.
func (in *Inst) ReturnValue() ReturnValueView {
	switch in.Op {
	case OpReturnValue:
	default:
		in.isNo("ReturnValue")
	}
	return ReturnValueView{in}
}

// Value is operand 0.
func (v ReturnValueView) Value() ID { return ID(v.in.Operands[0]) }
