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

// SetAddressingModel changes it.
func (v MemoryModelView) SetAddressingModel(to AddressingModel) { v.in.Operands[0] = uint32(to) }

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

// GroupDecorateView gives the operands of OpGroupDecorate by their names.
type GroupDecorateView struct{ in *Inst }

// GroupDecorate returns the view of OpGroupDecorate, which the instruction must be.
func (in *Inst) GroupDecorate() GroupDecorateView {
	switch in.Op {
	case OpGroupDecorate:
	default:
		in.isNo("GroupDecorate")
	}
	return GroupDecorateView{in}
}

// DecorationGroup is operand 0.
func (v GroupDecorateView) DecorationGroup() ID { return ID(v.in.Operands[0]) }

// Targets are the words from operand 1 on; they are the instruction's own.
func (v GroupDecorateView) Targets() []uint32 { return v.in.Operands[1:] }

// GroupMemberDecorateView gives the operands of OpGroupMemberDecorate by their names.
type GroupMemberDecorateView struct{ in *Inst }

// GroupMemberDecorate returns the view of OpGroupMemberDecorate, which the instruction must be.
func (in *Inst) GroupMemberDecorate() GroupMemberDecorateView {
	switch in.Op {
	case OpGroupMemberDecorate:
	default:
		in.isNo("GroupMemberDecorate")
	}
	return GroupMemberDecorateView{in}
}

// DecorationGroup is operand 0.
func (v GroupMemberDecorateView) DecorationGroup() ID { return ID(v.in.Operands[0]) }

// Targets are the words from operand 1 on; they are the instruction's own.
func (v GroupMemberDecorateView) Targets() []uint32 { return v.in.Operands[1:] }

// GroupView gives the operands of OpGroupDecorate and the like by their names.
type GroupView struct{ in *Inst }

// Group returns the view of OpGroupDecorate and the like, which the instruction must be.
func (in *Inst) Group() GroupView {
	switch in.Op {
	case OpGroupDecorate,
		OpGroupMemberDecorate:
	default:
		in.isNo("Group")
	}
	return GroupView{in}
}

// DecorationGroup is operand 0.
func (v GroupView) DecorationGroup() ID { return ID(v.in.Operands[0]) }
