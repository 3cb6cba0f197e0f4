// Code generated from gen/views.txt by `go generate ./fallback/spirv`. DO NOT EDIT.

package spirv

// FunctionView gives the operands of OpFunction by their names.
type FunctionView struct{ in *Inst }

// Function returns the view of OpFunction, which the instruction must be.
func (in *Inst) Function() FunctionView {
	switch in.Op {
	case OpFunction:
	default:
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
	switch in.Op {
	case OpFunctionCall:
	default:
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
	switch in.Op {
	case OpVariable:
	default:
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
	switch in.Op {
	case OpLoad:
	default:
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
	switch in.Op {
	case OpStore:
	default:
		in.isNo("Store")
	}
	return StoreView{in}
}

// Pointer is operand 0.
func (v StoreView) Pointer() ID { return ID(v.in.Operands[0]) }

// Object is operand 1.
func (v StoreView) Object() ID { return ID(v.in.Operands[1]) }

// SetObject changes it.
func (v StoreView) SetObject(to ID) { v.in.Operands[1] = uint32(to) }

// MemoryAccess are the words from operand 2 on; they are the instruction's own.
func (v StoreView) MemoryAccess() []uint32 { return v.in.Operands[2:] }

// CopyMemoryView gives the operands of OpCopyMemory by their names.
type CopyMemoryView struct{ in *Inst }

// CopyMemory returns the view of OpCopyMemory, which the instruction must be.
func (in *Inst) CopyMemory() CopyMemoryView {
	switch in.Op {
	case OpCopyMemory:
	default:
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
	switch in.Op {
	case OpAccessChain,
		OpInBoundsAccessChain:
	default:
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
	switch in.Op {
	case OpPtrAccessChain,
		OpInBoundsPtrAccessChain:
	default:
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
	switch in.Op {
	case OpCopyObject:
	default:
		in.isNo("CopyObject")
	}
	return CopyObjectView{in}
}

// Operand is operand 0.
func (v CopyObjectView) Operand() ID { return ID(v.in.Operands[0]) }

// PtrCompareView gives the operands of OpPtrEqual and the like by their names.
type PtrCompareView struct{ in *Inst }

// PtrCompare returns the view of OpPtrEqual and the like, which the instruction must be.
func (in *Inst) PtrCompare() PtrCompareView {
	switch in.Op {
	case OpPtrEqual,
		OpPtrNotEqual,
		OpPtrDiff:
	default:
		in.isNo("PtrCompare")
	}
	return PtrCompareView{in}
}

// Operand1 is operand 0.
func (v PtrCompareView) Operand1() ID { return ID(v.in.Operands[0]) }

// Operand2 is operand 1.
func (v PtrCompareView) Operand2() ID { return ID(v.in.Operands[1]) }

// ExtInstView gives the operands of OpExtInst by their names.
type ExtInstView struct{ in *Inst }

// ExtInst returns the view of OpExtInst, which the instruction must be.
func (in *Inst) ExtInst() ExtInstView {
	switch in.Op {
	case OpExtInst:
	default:
		in.isNo("ExtInst")
	}
	return ExtInstView{in}
}

// Set is operand 0.
func (v ExtInstView) Set() ID { return ID(v.in.Operands[0]) }

// Instruction is operand 1.
func (v ExtInstView) Instruction() uint32 { return v.in.Operands[1] }

// Operands are the words from operand 2 on; they are the instruction's own.
func (v ExtInstView) Operands() []uint32 { return v.in.Operands[2:] }

// ControlBarrierView gives the operands of OpControlBarrier by their names.
type ControlBarrierView struct{ in *Inst }

// ControlBarrier returns the view of OpControlBarrier, which the instruction must be.
func (in *Inst) ControlBarrier() ControlBarrierView {
	switch in.Op {
	case OpControlBarrier:
	default:
		in.isNo("ControlBarrier")
	}
	return ControlBarrierView{in}
}

// Execution is operand 0.
func (v ControlBarrierView) Execution() ID { return ID(v.in.Operands[0]) }

// Memory is operand 1.
func (v ControlBarrierView) Memory() ID { return ID(v.in.Operands[1]) }

// Semantics is operand 2.
func (v ControlBarrierView) Semantics() ID { return ID(v.in.Operands[2]) }

// ImageAccessView gives the operands of OpImageRead and the like by their names.
type ImageAccessView struct{ in *Inst }

// ImageAccess returns the view of OpImageRead and the like, which the instruction must be.
func (in *Inst) ImageAccess() ImageAccessView {
	switch in.Op {
	case OpImageRead,
		OpImageSparseRead,
		OpImageWrite:
	default:
		in.isNo("ImageAccess")
	}
	return ImageAccessView{in}
}

// Image is operand 0.
func (v ImageAccessView) Image() ID { return ID(v.in.Operands[0]) }

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

// BinaryView gives the operands of OpIAdd and the like by their names.
type BinaryView struct{ in *Inst }

// Binary returns the view of OpIAdd and the like, which the instruction must be.
func (in *Inst) Binary() BinaryView {
	switch in.Op {
	case OpIAdd,
		OpULessThan,
		OpULessThanEqual,
		OpSLessThan,
		OpSLessThanEqual:
	default:
		in.isNo("Binary")
	}
	return BinaryView{in}
}

// Operand1 is operand 0.
func (v BinaryView) Operand1() ID { return ID(v.in.Operands[0]) }

// Operand2 is operand 1.
func (v BinaryView) Operand2() ID { return ID(v.in.Operands[1]) }
