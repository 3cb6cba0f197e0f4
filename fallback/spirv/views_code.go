// Code generated from gen/views.txt by `go generate ./fallback/spirv`. DO NOT EDIT.

package spirv

// FunctionView gives the operands of OpFunction by their names.
type FunctionView struct{ in *Inst }

// Function returns the view of OpFunction, which the instruction must be.
func (in *Inst) Function() FunctionView {
	if in.Op != OpFunction {
		in.isNo("Function")
	}
	return FunctionView{in}
}

// FunctionType is operand 1.
func (v FunctionView) FunctionType() ID { return ID(v.in.Operands[1]) }

// SetFunctionType changes it.
func (v FunctionView) SetFunctionType(to ID) { v.in.Operands[1] = uint32(to) }

// FunctionCallView gives the operands of OpFunctionCall by their names.
type FunctionCallView struct{ in *Inst }

// FunctionCall returns the view of OpFunctionCall, which the instruction must be.
func (in *Inst) FunctionCall() FunctionCallView {
	if in.Op != OpFunctionCall {
		in.isNo("FunctionCall")
	}
	return FunctionCallView{in}
}

// Function is operand 0.
func (v FunctionCallView) Function() ID { return ID(v.in.Operands[0]) }

// SetFunction changes it.
func (v FunctionCallView) SetFunction(to ID) { v.in.Operands[0] = uint32(to) }

// Arguments are the words from operand 1 on; they are the instruction's own.
func (v FunctionCallView) Arguments() []uint32 { return v.in.Operands[1:] }

// VariableView gives the operands of OpVariable by their names.
type VariableView struct{ in *Inst }

// Variable returns the view of OpVariable, which the instruction must be.
func (in *Inst) Variable() VariableView {
	if in.Op != OpVariable {
		in.isNo("Variable")
	}
	return VariableView{in}
}

// StorageClass is operand 0.
func (v VariableView) StorageClass() StorageClass { return StorageClass(v.in.Operands[0]) }

// SetStorageClass changes it.
func (v VariableView) SetStorageClass(to StorageClass) { v.in.Operands[0] = uint32(to) }

// Initializer may be absent: 0.
func (v VariableView) Initializer() ID { return ID(v.in.optional(1)) }

// LoadView gives the operands of OpLoad by their names.
type LoadView struct{ in *Inst }

// Load returns the view of OpLoad, which the instruction must be.
func (in *Inst) Load() LoadView {
	if in.Op != OpLoad {
		in.isNo("Load")
	}
	return LoadView{in}
}

// Pointer is operand 0.
func (v LoadView) Pointer() ID { return ID(v.in.Operands[0]) }

// SetPointer changes it.
func (v LoadView) SetPointer(to ID) { v.in.Operands[0] = uint32(to) }

// MemoryAccess are the words from operand 1 on; they are the instruction's own.
func (v LoadView) MemoryAccess() []uint32 { return v.in.Operands[1:] }

// StoreView gives the operands of OpStore by their names.
type StoreView struct{ in *Inst }

// Store returns the view of OpStore, which the instruction must be.
func (in *Inst) Store() StoreView {
	if in.Op != OpStore {
		in.isNo("Store")
	}
	return StoreView{in}
}

// Pointer is operand 0.
func (v StoreView) Pointer() ID { return ID(v.in.Operands[0]) }

// Object is operand 1.
func (v StoreView) Object() ID { return ID(v.in.Operands[1]) }

// MemoryAccess are the words from operand 2 on; they are the instruction's own.
func (v StoreView) MemoryAccess() []uint32 { return v.in.Operands[2:] }

// CopyMemoryView gives the operands of OpCopyMemory by their names.
type CopyMemoryView struct{ in *Inst }

// CopyMemory returns the view of OpCopyMemory, which the instruction must be.
func (in *Inst) CopyMemory() CopyMemoryView {
	if in.Op != OpCopyMemory {
		in.isNo("CopyMemory")
	}
	return CopyMemoryView{in}
}

// Target is operand 0.
func (v CopyMemoryView) Target() ID { return ID(v.in.Operands[0]) }

// Source is operand 1.
func (v CopyMemoryView) Source() ID { return ID(v.in.Operands[1]) }

// MemoryAccess are the words from operand 2 on; they are the instruction's own.
func (v CopyMemoryView) MemoryAccess() []uint32 { return v.in.Operands[2:] }

// AccessChainView gives the operands of OpAccessChain and the like by their names.
type AccessChainView struct{ in *Inst }

// AccessChain returns the view of OpAccessChain and the like, which the instruction must be.
func (in *Inst) AccessChain() AccessChainView {
	if in.Op != OpAccessChain && in.Op != OpInBoundsAccessChain {
		in.isNo("AccessChain")
	}
	return AccessChainView{in}
}

// Base is operand 0.
func (v AccessChainView) Base() ID { return ID(v.in.Operands[0]) }

// SetBase changes it.
func (v AccessChainView) SetBase(to ID) { v.in.Operands[0] = uint32(to) }

// Indexes are the words from operand 1 on; they are the instruction's own.
func (v AccessChainView) Indexes() []uint32 { return v.in.Operands[1:] }

// PtrAccessChainView gives the operands of OpPtrAccessChain and the like by their names.
type PtrAccessChainView struct{ in *Inst }

// PtrAccessChain returns the view of OpPtrAccessChain and the like, which the instruction must be.
func (in *Inst) PtrAccessChain() PtrAccessChainView {
	if in.Op != OpPtrAccessChain && in.Op != OpInBoundsPtrAccessChain {
		in.isNo("PtrAccessChain")
	}
	return PtrAccessChainView{in}
}

// Base is operand 0.
func (v PtrAccessChainView) Base() ID { return ID(v.in.Operands[0]) }

// Element is operand 1.
func (v PtrAccessChainView) Element() ID { return ID(v.in.Operands[1]) }

// Indexes are the words from operand 2 on; they are the instruction's own.
func (v PtrAccessChainView) Indexes() []uint32 { return v.in.Operands[2:] }

// CopyObjectView gives the operands of OpCopyObject by their names.
type CopyObjectView struct{ in *Inst }

// CopyObject returns the view of OpCopyObject, which the instruction must be.
func (in *Inst) CopyObject() CopyObjectView {
	if in.Op != OpCopyObject {
		in.isNo("CopyObject")
	}
	return CopyObjectView{in}
}

// Operand is operand 0.
func (v CopyObjectView) Operand() ID { return ID(v.in.Operands[0]) }

// SelectionMergeView gives the operands of OpSelectionMerge by their names.
type SelectionMergeView struct{ in *Inst }

// SelectionMerge returns the view of OpSelectionMerge, which the instruction must be.
func (in *Inst) SelectionMerge() SelectionMergeView {
	if in.Op != OpSelectionMerge {
		in.isNo("SelectionMerge")
	}
	return SelectionMergeView{in}
}

// MergeBlock is operand 0.
func (v SelectionMergeView) MergeBlock() ID { return ID(v.in.Operands[0]) }

// SetMergeBlock changes it.
func (v SelectionMergeView) SetMergeBlock(to ID) { v.in.Operands[0] = uint32(to) }

// LoopMergeView gives the operands of OpLoopMerge by their names.
type LoopMergeView struct{ in *Inst }

// LoopMerge returns the view of OpLoopMerge, which the instruction must be.
func (in *Inst) LoopMerge() LoopMergeView {
	if in.Op != OpLoopMerge {
		in.isNo("LoopMerge")
	}
	return LoopMergeView{in}
}

// MergeBlock is operand 0.
func (v LoopMergeView) MergeBlock() ID { return ID(v.in.Operands[0]) }

// SetMergeBlock changes it.
func (v LoopMergeView) SetMergeBlock(to ID) { v.in.Operands[0] = uint32(to) }

// ContinueTarget is operand 1.
func (v LoopMergeView) ContinueTarget() ID { return ID(v.in.Operands[1]) }

// BranchView gives the operands of OpBranch by their names.
type BranchView struct{ in *Inst }

// Branch returns the view of OpBranch, which the instruction must be.
func (in *Inst) Branch() BranchView {
	if in.Op != OpBranch {
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
	if in.Op != OpBranchConditional {
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
	if in.Op != OpSwitch {
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
	if in.Op != OpReturnValue {
		in.isNo("ReturnValue")
	}
	return ReturnValueView{in}
}

// Value is operand 0.
func (v ReturnValueView) Value() ID { return ID(v.in.Operands[0]) }
