// Code generated from gen/views.txt by `go generate ./fallback/spirv`. DO NOT EDIT.

package spirv

// TypeIntView gives the operands of OpTypeInt by their names.
type TypeIntView struct{ in *Inst }

// TypeInt returns the view of OpTypeInt, which the instruction must be.
func (in *Inst) TypeInt() TypeIntView {
	switch in.Op {
	case OpTypeInt:
	default:
		in.isNo("TypeInt")
	}
	return TypeIntView{in}
}

// Width is operand 0.
func (v TypeIntView) Width() uint32 { return v.in.Operands[0] }

// Signedness is operand 1.
func (v TypeIntView) Signedness() uint32 { return v.in.Operands[1] }

// TypeNumberView gives the operands of OpTypeInt and the like by their names.
type TypeNumberView struct{ in *Inst }

// TypeNumber returns the view of OpTypeInt and the like, which the instruction must be.
func (in *Inst) TypeNumber() TypeNumberView {
	switch in.Op {
	case OpTypeInt,
		OpTypeFloat:
	default:
		in.isNo("TypeNumber")
	}
	return TypeNumberView{in}
}

// Width is operand 0.
func (v TypeNumberView) Width() uint32 { return v.in.Operands[0] }

// TypeVectorView gives the operands of OpTypeVector by their names.
type TypeVectorView struct{ in *Inst }

// TypeVector returns the view of OpTypeVector, which the instruction must be.
func (in *Inst) TypeVector() TypeVectorView {
	switch in.Op {
	case OpTypeVector:
	default:
		in.isNo("TypeVector")
	}
	return TypeVectorView{in}
}

// ComponentType is operand 0.
func (v TypeVectorView) ComponentType() ID { return ID(v.in.Operands[0]) }

// ComponentCount is operand 1.
func (v TypeVectorView) ComponentCount() uint32 { return v.in.Operands[1] }

// TypeMatrixView gives the operands of OpTypeMatrix by their names.
type TypeMatrixView struct{ in *Inst }

// TypeMatrix returns the view of OpTypeMatrix, which the instruction must be.
func (in *Inst) TypeMatrix() TypeMatrixView {
	switch in.Op {
	case OpTypeMatrix:
	default:
		in.isNo("TypeMatrix")
	}
	return TypeMatrixView{in}
}

// ColumnType is operand 0.
func (v TypeMatrixView) ColumnType() ID { return ID(v.in.Operands[0]) }

// ColumnCount is operand 1.
func (v TypeMatrixView) ColumnCount() uint32 { return v.in.Operands[1] }

// TypeVectorOrMatrixView gives the operands of OpTypeVector and the like by their names.
type TypeVectorOrMatrixView struct{ in *Inst }

// TypeVectorOrMatrix returns the view of OpTypeVector and the like, which the instruction must be.
func (in *Inst) TypeVectorOrMatrix() TypeVectorOrMatrixView {
	switch in.Op {
	case OpTypeVector,
		OpTypeMatrix:
	default:
		in.isNo("TypeVectorOrMatrix")
	}
	return TypeVectorOrMatrixView{in}
}

// PartType is operand 0.
func (v TypeVectorOrMatrixView) PartType() ID { return ID(v.in.Operands[0]) }

// PartCount is operand 1.
func (v TypeVectorOrMatrixView) PartCount() uint32 { return v.in.Operands[1] }

// TypeOfPartsView gives the operands of OpTypeVector and the like by their names.
type TypeOfPartsView struct{ in *Inst }

// TypeOfParts returns the view of OpTypeVector and the like, which the instruction must be.
func (in *Inst) TypeOfParts() TypeOfPartsView {
	switch in.Op {
	case OpTypeVector,
		OpTypeMatrix,
		OpTypeArray,
		OpTypeRuntimeArray,
		OpTypeCooperativeMatrixKHR,
		OpTypeCooperativeMatrixNV:
	default:
		in.isNo("TypeOfParts")
	}
	return TypeOfPartsView{in}
}

// PartType is operand 0.
func (v TypeOfPartsView) PartType() ID { return ID(v.in.Operands[0]) }

// TypeImageView gives the operands of OpTypeImage by their names.
type TypeImageView struct{ in *Inst }

// TypeImage returns the view of OpTypeImage, which the instruction must be.
func (in *Inst) TypeImage() TypeImageView {
	switch in.Op {
	case OpTypeImage:
	default:
		in.isNo("TypeImage")
	}
	return TypeImageView{in}
}

// SampledType is operand 0.
func (v TypeImageView) SampledType() ID { return ID(v.in.Operands[0]) }

// Dim is operand 1.
func (v TypeImageView) Dim() Dim { return Dim(v.in.Operands[1]) }

// Depth is operand 2.
func (v TypeImageView) Depth() uint32 { return v.in.Operands[2] }

// Arrayed is operand 3.
func (v TypeImageView) Arrayed() uint32 { return v.in.Operands[3] }

// MS is operand 4.
func (v TypeImageView) MS() uint32 { return v.in.Operands[4] }

// Sampled is operand 5.
func (v TypeImageView) Sampled() uint32 { return v.in.Operands[5] }

// ImageFormat is operand 6.
func (v TypeImageView) ImageFormat() ImageFormat { return ImageFormat(v.in.Operands[6]) }

// AccessQualifier may be absent: 0.
func (v TypeImageView) AccessQualifier() AccessQualifier { return AccessQualifier(v.in.optional(7)) }

// TypeSampledImageView gives the operands of OpTypeSampledImage by their names.
type TypeSampledImageView struct{ in *Inst }

// TypeSampledImage returns the view of OpTypeSampledImage, which the instruction must be.
func (in *Inst) TypeSampledImage() TypeSampledImageView {
	switch in.Op {
	case OpTypeSampledImage:
	default:
		in.isNo("TypeSampledImage")
	}
	return TypeSampledImageView{in}
}

// ImageType is operand 0.
func (v TypeSampledImageView) ImageType() ID { return ID(v.in.Operands[0]) }

// TypeArrayView gives the operands of OpTypeArray and the like by their names.
type TypeArrayView struct{ in *Inst }

// TypeArray returns the view of OpTypeArray and the like, which the instruction must be.
func (in *Inst) TypeArray() TypeArrayView {
	switch in.Op {
	case OpTypeArray,
		OpTypeRuntimeArray:
	default:
		in.isNo("TypeArray")
	}
	return TypeArrayView{in}
}

// ElementType is operand 0.
func (v TypeArrayView) ElementType() ID { return ID(v.in.Operands[0]) }

// SetElementType changes it.
func (v TypeArrayView) SetElementType(to ID) { v.in.Operands[0] = uint32(to) }

// Length may be absent: 0.
func (v TypeArrayView) Length() ID { return ID(v.in.optional(1)) }

// TypeStructView gives the operands of OpTypeStruct by their names.
type TypeStructView struct{ in *Inst }

// TypeStruct returns the view of OpTypeStruct, which the instruction must be.
func (in *Inst) TypeStruct() TypeStructView {
	switch in.Op {
	case OpTypeStruct:
	default:
		in.isNo("TypeStruct")
	}
	return TypeStructView{in}
}

// Members are the words from operand 0 on; they are the instruction's own.
func (v TypeStructView) Members() []uint32 { return v.in.Operands[0:] }

// TypePointerView gives the operands of OpTypePointer by their names.
type TypePointerView struct{ in *Inst }

// TypePointer returns the view of OpTypePointer, which the instruction must be.
func (in *Inst) TypePointer() TypePointerView {
	switch in.Op {
	case OpTypePointer:
	default:
		in.isNo("TypePointer")
	}
	return TypePointerView{in}
}

// StorageClass is operand 0.
func (v TypePointerView) StorageClass() StorageClass { return StorageClass(v.in.Operands[0]) }

// SetStorageClass changes it.
func (v TypePointerView) SetStorageClass(to StorageClass) { v.in.Operands[0] = uint32(to) }

// Type is operand 1.
func (v TypePointerView) Type() ID { return ID(v.in.Operands[1]) }

// SetType changes it.
func (v TypePointerView) SetType(to ID) { v.in.Operands[1] = uint32(to) }

// TypeFunctionView gives the operands of OpTypeFunction by their names.
type TypeFunctionView struct{ in *Inst }

// TypeFunction returns the view of OpTypeFunction, which the instruction must be.
func (in *Inst) TypeFunction() TypeFunctionView {
	switch in.Op {
	case OpTypeFunction:
	default:
		in.isNo("TypeFunction")
	}
	return TypeFunctionView{in}
}

// ReturnType is operand 0.
func (v TypeFunctionView) ReturnType() ID { return ID(v.in.Operands[0]) }

// Parameters are the words from operand 1 on; they are the instruction's own.
func (v TypeFunctionView) Parameters() []uint32 { return v.in.Operands[1:] }

// TypeForwardPointerView gives the operands of OpTypeForwardPointer by their names.
type TypeForwardPointerView struct{ in *Inst }

// TypeForwardPointer returns the view of OpTypeForwardPointer, which the instruction must be.
func (in *Inst) TypeForwardPointer() TypeForwardPointerView {
	switch in.Op {
	case OpTypeForwardPointer:
	default:
		in.isNo("TypeForwardPointer")
	}
	return TypeForwardPointerView{in}
}

// PointerType is operand 0.
func (v TypeForwardPointerView) PointerType() ID { return ID(v.in.Operands[0]) }

// StorageClass is operand 1.
func (v TypeForwardPointerView) StorageClass() StorageClass { return StorageClass(v.in.Operands[1]) }

// SetStorageClass changes it.
func (v TypeForwardPointerView) SetStorageClass(to StorageClass) { v.in.Operands[1] = uint32(to) }

// ConstantView gives the operands of OpConstant and the like by their names.
type ConstantView struct{ in *Inst }

// Constant returns the view of OpConstant and the like, which the instruction must be.
func (in *Inst) Constant() ConstantView {
	switch in.Op {
	case OpConstant,
		OpSpecConstant:
	default:
		in.isNo("Constant")
	}
	return ConstantView{in}
}

// Value are the words from operand 0 on; they are the instruction's own.
func (v ConstantView) Value() []uint32 { return v.in.Operands[0:] }

// SpecConstantOpView gives the operands of OpSpecConstantOp by their names.
type SpecConstantOpView struct{ in *Inst }

// SpecConstantOp returns the view of OpSpecConstantOp, which the instruction must be.
func (in *Inst) SpecConstantOp() SpecConstantOpView {
	switch in.Op {
	case OpSpecConstantOp:
	default:
		in.isNo("SpecConstantOp")
	}
	return SpecConstantOpView{in}
}

// Opcode is operand 0.
func (v SpecConstantOpView) Opcode() Op { return Op(v.in.Operands[0]) }

// Operands are the words from operand 1 on; they are the instruction's own.
func (v SpecConstantOpView) Operands() []uint32 { return v.in.Operands[1:] }
