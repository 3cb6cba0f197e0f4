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

// DerivedView gives the operands of OpAccessChain and the like by their names.
type DerivedView struct{ in *Inst }

// Derived returns the view of OpAccessChain and the like, which the instruction must be.
func (in *Inst) Derived() DerivedView {
	switch in.Op {
	case OpAccessChain,
		OpInBoundsAccessChain,
		OpCopyObject:
	default:
		in.isNo("Derived")
	}
	return DerivedView{in}
}

// Base is operand 0.
func (v DerivedView) Base() ID { return ID(v.in.Operands[0]) }

// SelectView gives the operands of OpSelect by their names.
type SelectView struct{ in *Inst }

// Select returns the view of OpSelect, which the instruction must be.
func (in *Inst) Select() SelectView {
	switch in.Op {
	case OpSelect:
	default:
		in.isNo("Select")
	}
	return SelectView{in}
}

// Condition is operand 0.
func (v SelectView) Condition() ID { return ID(v.in.Operands[0]) }

// Object1 is operand 1.
func (v SelectView) Object1() ID { return ID(v.in.Operands[1]) }

// Object2 is operand 2.
func (v SelectView) Object2() ID { return ID(v.in.Operands[2]) }

// CompositeExtractView gives the operands of OpCompositeExtract by their names.
type CompositeExtractView struct{ in *Inst }

// CompositeExtract returns the view of OpCompositeExtract, which the instruction must be.
func (in *Inst) CompositeExtract() CompositeExtractView {
	switch in.Op {
	case OpCompositeExtract:
	default:
		in.isNo("CompositeExtract")
	}
	return CompositeExtractView{in}
}

// Composite is operand 0.
func (v CompositeExtractView) Composite() ID { return ID(v.in.Operands[0]) }

// Indexes are the words from operand 1 on; they are the instruction's own.
func (v CompositeExtractView) Indexes() []uint32 { return v.in.Operands[1:] }

// CompositeInsertView gives the operands of OpCompositeInsert by their names.
type CompositeInsertView struct{ in *Inst }

// CompositeInsert returns the view of OpCompositeInsert, which the instruction must be.
func (in *Inst) CompositeInsert() CompositeInsertView {
	switch in.Op {
	case OpCompositeInsert:
	default:
		in.isNo("CompositeInsert")
	}
	return CompositeInsertView{in}
}

// Object is operand 0.
func (v CompositeInsertView) Object() ID { return ID(v.in.Operands[0]) }

// Composite is operand 1.
func (v CompositeInsertView) Composite() ID { return ID(v.in.Operands[1]) }

// Indexes are the words from operand 2 on; they are the instruction's own.
func (v CompositeInsertView) Indexes() []uint32 { return v.in.Operands[2:] }

// VectorShuffleView gives the operands of OpVectorShuffle by their names.
type VectorShuffleView struct{ in *Inst }

// VectorShuffle returns the view of OpVectorShuffle, which the instruction must be.
func (in *Inst) VectorShuffle() VectorShuffleView {
	switch in.Op {
	case OpVectorShuffle:
	default:
		in.isNo("VectorShuffle")
	}
	return VectorShuffleView{in}
}

// Vector1 is operand 0.
func (v VectorShuffleView) Vector1() ID { return ID(v.in.Operands[0]) }

// Vector2 is operand 1.
func (v VectorShuffleView) Vector2() ID { return ID(v.in.Operands[1]) }

// Components are the words from operand 2 on; they are the instruction's own.
func (v VectorShuffleView) Components() []uint32 { return v.in.Operands[2:] }

// MatrixTimesVectorView gives the operands of OpMatrixTimesVector by their names.
type MatrixTimesVectorView struct{ in *Inst }

// MatrixTimesVector returns the view of OpMatrixTimesVector, which the instruction must be.
func (in *Inst) MatrixTimesVector() MatrixTimesVectorView {
	switch in.Op {
	case OpMatrixTimesVector:
	default:
		in.isNo("MatrixTimesVector")
	}
	return MatrixTimesVectorView{in}
}

// Matrix is operand 0.
func (v MatrixTimesVectorView) Matrix() ID { return ID(v.in.Operands[0]) }

// Vector is operand 1.
func (v MatrixTimesVectorView) Vector() ID { return ID(v.in.Operands[1]) }

// TimesScalarView gives the operands of OpVectorTimesScalar and the like by their names.
type TimesScalarView struct{ in *Inst }

// TimesScalar returns the view of OpVectorTimesScalar and the like, which the instruction must be.
func (in *Inst) TimesScalar() TimesScalarView {
	switch in.Op {
	case OpVectorTimesScalar,
		OpMatrixTimesScalar:
	default:
		in.isNo("TimesScalar")
	}
	return TimesScalarView{in}
}

// Factor is operand 0.
func (v TimesScalarView) Factor() ID { return ID(v.in.Operands[0]) }

// Scalar is operand 1.
func (v TimesScalarView) Scalar() ID { return ID(v.in.Operands[1]) }

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
