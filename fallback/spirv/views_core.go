// Code generated from gen/views.txt by `go generate ./fallback/spirv`. DO NOT EDIT.

package spirv

// NameView gives the operands of OpName by their names.
type NameView struct{ in *Inst }

// Name returns the view of OpName, which the instruction must be.
func (in *Inst) Name() NameView {
	switch in.Op {
	case OpName:
	default:
		in.isNo("Name")
	}
	return NameView{in}
}

// Target is operand 0.
func (v NameView) Target() ID { return ID(v.in.Operands[0]) }

// Name is a text.
func (v NameView) Name() string { return v.in.text(1) }

// MemberNameView gives the operands of OpMemberName by their names.
type MemberNameView struct{ in *Inst }

// MemberName returns the view of OpMemberName, which the instruction must be.
func (in *Inst) MemberName() MemberNameView {
	switch in.Op {
	case OpMemberName:
	default:
		in.isNo("MemberName")
	}
	return MemberNameView{in}
}

// Type is operand 0.
func (v MemberNameView) Type() ID { return ID(v.in.Operands[0]) }

// Member is operand 1.
func (v MemberNameView) Member() uint32 { return v.in.Operands[1] }

// Name is a text.
func (v MemberNameView) Name() string { return v.in.text(2) }

// EntryPointView gives the operands of OpEntryPoint by their names.
type EntryPointView struct{ in *Inst }

// EntryPoint returns the view of OpEntryPoint, which the instruction must be.
func (in *Inst) EntryPoint() EntryPointView {
	switch in.Op {
	case OpEntryPoint:
	default:
		in.isNo("EntryPoint")
	}
	return EntryPointView{in}
}

// ExecutionModel is operand 0.
func (v EntryPointView) ExecutionModel() ExecutionModel { return ExecutionModel(v.in.Operands[0]) }

// EntryPoint is operand 1.
func (v EntryPointView) EntryPoint() ID { return ID(v.in.Operands[1]) }

// SetEntryPoint changes it.
func (v EntryPointView) SetEntryPoint(to ID) { v.in.Operands[1] = uint32(to) }

// Name is a text.
func (v EntryPointView) Name() string { return v.in.text(2) }

// ExecutionModeView gives the operands of OpExecutionMode and the like by their names.
type ExecutionModeView struct{ in *Inst }

// ExecutionMode returns the view of OpExecutionMode and the like, which the instruction must be.
func (in *Inst) ExecutionMode() ExecutionModeView {
	switch in.Op {
	case OpExecutionMode,
		OpExecutionModeId:
	default:
		in.isNo("ExecutionMode")
	}
	return ExecutionModeView{in}
}

// EntryPoint is operand 0.
func (v ExecutionModeView) EntryPoint() ID { return ID(v.in.Operands[0]) }

// SetEntryPoint changes it.
func (v ExecutionModeView) SetEntryPoint(to ID) { v.in.Operands[0] = uint32(to) }

// Mode is operand 1.
func (v ExecutionModeView) Mode() ExecutionMode { return ExecutionMode(v.in.Operands[1]) }

// Literals are the words from operand 2 on; they are the instruction's own.
func (v ExecutionModeView) Literals() []uint32 { return v.in.Operands[2:] }

// ExtInstImportView gives the operands of OpExtInstImport and the like by their names.
type ExtInstImportView struct{ in *Inst }

// ExtInstImport returns the view of OpExtInstImport and the like, which the instruction must be.
func (in *Inst) ExtInstImport() ExtInstImportView {
	switch in.Op {
	case OpExtInstImport,
		OpExtension:
	default:
		in.isNo("ExtInstImport")
	}
	return ExtInstImportView{in}
}

// Name is a text.
func (v ExtInstImportView) Name() string { return v.in.text(0) }

// CapabilityView gives the operands of OpCapability by their names.
type CapabilityView struct{ in *Inst }

// Capability returns the view of OpCapability, which the instruction must be.
func (in *Inst) Capability() CapabilityView {
	switch in.Op {
	case OpCapability:
	default:
		in.isNo("Capability")
	}
	return CapabilityView{in}
}

// Capability is operand 0.
func (v CapabilityView) Capability() Capability { return Capability(v.in.Operands[0]) }

// MemoryModelView gives the operands of OpMemoryModel by their names.
type MemoryModelView struct{ in *Inst }

// MemoryModel returns the view of OpMemoryModel, which the instruction must be.
func (in *Inst) MemoryModel() MemoryModelView {
	switch in.Op {
	case OpMemoryModel:
	default:
		in.isNo("MemoryModel")
	}
	return MemoryModelView{in}
}

// AddressingModel is operand 0.
func (v MemoryModelView) AddressingModel() AddressingModel { return AddressingModel(v.in.Operands[0]) }

// MemoryModel is operand 1.
func (v MemoryModelView) MemoryModel() MemoryModel { return MemoryModel(v.in.Operands[1]) }

// SetMemoryModel changes it.
func (v MemoryModelView) SetMemoryModel(to MemoryModel) { v.in.Operands[1] = uint32(to) }

// AnnotationView gives the operands of OpDecorate and the like by their names.
type AnnotationView struct{ in *Inst }

// Annotation returns the view of OpDecorate and the like, which the instruction must be.
func (in *Inst) Annotation() AnnotationView {
	switch in.Op {
	case OpDecorate,
		OpDecorateId,
		OpDecorateString,
		OpMemberDecorate,
		OpMemberDecorateString,
		OpName,
		OpMemberName:
	default:
		in.isNo("Annotation")
	}
	return AnnotationView{in}
}

// Target is operand 0.
func (v AnnotationView) Target() ID { return ID(v.in.Operands[0]) }

// SetTarget changes it.
func (v AnnotationView) SetTarget(to ID) { v.in.Operands[0] = uint32(to) }

// DecorateView gives the operands of OpDecorate and the like by their names.
type DecorateView struct{ in *Inst }

// Decorate returns the view of OpDecorate and the like, which the instruction must be.
func (in *Inst) Decorate() DecorateView {
	switch in.Op {
	case OpDecorate,
		OpDecorateId,
		OpDecorateString:
	default:
		in.isNo("Decorate")
	}
	return DecorateView{in}
}

// Target is operand 0.
func (v DecorateView) Target() ID { return ID(v.in.Operands[0]) }

// SetTarget changes it.
func (v DecorateView) SetTarget(to ID) { v.in.Operands[0] = uint32(to) }

// Decoration is operand 1.
func (v DecorateView) Decoration() Decoration { return Decoration(v.in.Operands[1]) }

// SetDecoration changes it.
func (v DecorateView) SetDecoration(to Decoration) { v.in.Operands[1] = uint32(to) }

// Literals are the words from operand 2 on; they are the instruction's own.
func (v DecorateView) Literals() []uint32 { return v.in.Operands[2:] }

// MemberDecorateView gives the operands of OpMemberDecorate and the like by their names.
type MemberDecorateView struct{ in *Inst }

// MemberDecorate returns the view of OpMemberDecorate and the like, which the instruction must be.
func (in *Inst) MemberDecorate() MemberDecorateView {
	switch in.Op {
	case OpMemberDecorate,
		OpMemberDecorateString:
	default:
		in.isNo("MemberDecorate")
	}
	return MemberDecorateView{in}
}

// StructureType is operand 0.
func (v MemberDecorateView) StructureType() ID { return ID(v.in.Operands[0]) }

// Member is operand 1.
func (v MemberDecorateView) Member() uint32 { return v.in.Operands[1] }

// Decoration is operand 2.
func (v MemberDecorateView) Decoration() Decoration { return Decoration(v.in.Operands[2]) }

// Literals are the words from operand 3 on; they are the instruction's own.
func (v MemberDecorateView) Literals() []uint32 { return v.in.Operands[3:] }

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

// ConstantView gives the operands of OpConstant by their names.
type ConstantView struct{ in *Inst }

// Constant returns the view of OpConstant, which the instruction must be.
func (in *Inst) Constant() ConstantView {
	switch in.Op {
	case OpConstant:
	default:
		in.isNo("Constant")
	}
	return ConstantView{in}
}

// Value are the words from operand 0 on; they are the instruction's own.
func (v ConstantView) Value() []uint32 { return v.in.Operands[0:] }
