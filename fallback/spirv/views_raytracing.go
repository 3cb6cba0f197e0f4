// Code generated from gen/views.txt by `go generate ./fallback/spirv`. DO NOT EDIT.

package spirv

// TraceRayView gives the operands of OpTraceRayKHR by their names.
type TraceRayView struct{ in *Inst }

// TraceRay returns the view of OpTraceRayKHR, which the instruction must be.
func (in *Inst) TraceRay() TraceRayView {
	if in.Op != OpTraceRayKHR {
		in.isNo("TraceRay")
	}
	return TraceRayView{in}
}

// Accel is operand 0.
func (v TraceRayView) Accel() ID { return ID(v.in.Operands[0]) }

// RayFlags is operand 1.
func (v TraceRayView) RayFlags() ID { return ID(v.in.Operands[1]) }

// CullMask is operand 2.
func (v TraceRayView) CullMask() ID { return ID(v.in.Operands[2]) }

// SBTOffset is operand 3.
func (v TraceRayView) SBTOffset() ID { return ID(v.in.Operands[3]) }

// SBTStride is operand 4.
func (v TraceRayView) SBTStride() ID { return ID(v.in.Operands[4]) }

// MissIndex is operand 5.
func (v TraceRayView) MissIndex() ID { return ID(v.in.Operands[5]) }

// RayOrigin is operand 6.
func (v TraceRayView) RayOrigin() ID { return ID(v.in.Operands[6]) }

// RayTmin is operand 7.
func (v TraceRayView) RayTmin() ID { return ID(v.in.Operands[7]) }

// RayDirection is operand 8.
func (v TraceRayView) RayDirection() ID { return ID(v.in.Operands[8]) }

// RayTmax is operand 9.
func (v TraceRayView) RayTmax() ID { return ID(v.in.Operands[9]) }

// Payload is operand 10.
func (v TraceRayView) Payload() ID { return ID(v.in.Operands[10]) }

// ExecuteCallableView gives the operands of OpExecuteCallableKHR by their names.
type ExecuteCallableView struct{ in *Inst }

// ExecuteCallable returns the view of OpExecuteCallableKHR, which the instruction must be.
func (in *Inst) ExecuteCallable() ExecuteCallableView {
	if in.Op != OpExecuteCallableKHR {
		in.isNo("ExecuteCallable")
	}
	return ExecuteCallableView{in}
}

// SBTIndex is operand 0.
func (v ExecuteCallableView) SBTIndex() ID { return ID(v.in.Operands[0]) }

// CallableData is operand 1.
func (v ExecuteCallableView) CallableData() ID { return ID(v.in.Operands[1]) }

// ReportIntersectionView gives the operands of OpReportIntersectionKHR by their names.
type ReportIntersectionView struct{ in *Inst }

// ReportIntersection returns the view of OpReportIntersectionKHR, which the instruction must be.
func (in *Inst) ReportIntersection() ReportIntersectionView {
	if in.Op != OpReportIntersectionKHR {
		in.isNo("ReportIntersection")
	}
	return ReportIntersectionView{in}
}

// Hit is operand 0.
func (v ReportIntersectionView) Hit() ID { return ID(v.in.Operands[0]) }

// HitKind is operand 1.
func (v ReportIntersectionView) HitKind() ID { return ID(v.in.Operands[1]) }

// ConvertUToAccelerationStructureView gives the operands of OpConvertUToAccelerationStructureKHR by their names.
type ConvertUToAccelerationStructureView struct{ in *Inst }

// ConvertUToAccelerationStructure returns the view of OpConvertUToAccelerationStructureKHR, which the instruction must be.
func (in *Inst) ConvertUToAccelerationStructure() ConvertUToAccelerationStructureView {
	if in.Op != OpConvertUToAccelerationStructureKHR {
		in.isNo("ConvertUToAccelerationStructure")
	}
	return ConvertUToAccelerationStructureView{in}
}

// Accel is operand 0.
func (v ConvertUToAccelerationStructureView) Accel() ID { return ID(v.in.Operands[0]) }

// RayQueryInitializeView gives the operands of OpRayQueryInitializeKHR by their names.
type RayQueryInitializeView struct{ in *Inst }

// RayQueryInitialize returns the view of OpRayQueryInitializeKHR, which the instruction must be.
func (in *Inst) RayQueryInitialize() RayQueryInitializeView {
	if in.Op != OpRayQueryInitializeKHR {
		in.isNo("RayQueryInitialize")
	}
	return RayQueryInitializeView{in}
}

// RayQuery is operand 0.
func (v RayQueryInitializeView) RayQuery() ID { return ID(v.in.Operands[0]) }

// Accel is operand 1.
func (v RayQueryInitializeView) Accel() ID { return ID(v.in.Operands[1]) }

// RayFlags is operand 2.
func (v RayQueryInitializeView) RayFlags() ID { return ID(v.in.Operands[2]) }

// CullMask is operand 3.
func (v RayQueryInitializeView) CullMask() ID { return ID(v.in.Operands[3]) }

// RayOrigin is operand 4.
func (v RayQueryInitializeView) RayOrigin() ID { return ID(v.in.Operands[4]) }

// RayTMin is operand 5.
func (v RayQueryInitializeView) RayTMin() ID { return ID(v.in.Operands[5]) }

// RayDirection is operand 6.
func (v RayQueryInitializeView) RayDirection() ID { return ID(v.in.Operands[6]) }

// RayTMax is operand 7.
func (v RayQueryInitializeView) RayTMax() ID { return ID(v.in.Operands[7]) }

// HitObjectTraceRayView gives the operands of OpHitObjectTraceRayEXT and the like by their names.
type HitObjectTraceRayView struct{ in *Inst }

// HitObjectTraceRay returns the view of OpHitObjectTraceRayEXT and the like, which the instruction must be.
func (in *Inst) HitObjectTraceRay() HitObjectTraceRayView {
	if in.Op != OpHitObjectTraceRayEXT && in.Op != OpHitObjectTraceRayNV {
		in.isNo("HitObjectTraceRay")
	}
	return HitObjectTraceRayView{in}
}

// HitObject is operand 0.
func (v HitObjectTraceRayView) HitObject() ID { return ID(v.in.Operands[0]) }

// SetHitObject changes it.
func (v HitObjectTraceRayView) SetHitObject(to ID) { v.in.Operands[0] = uint32(to) }

// AccelerationStructure is operand 1.
func (v HitObjectTraceRayView) AccelerationStructure() ID { return ID(v.in.Operands[1]) }

// RayFlags is operand 2.
func (v HitObjectTraceRayView) RayFlags() ID { return ID(v.in.Operands[2]) }

// Cullmask is operand 3.
func (v HitObjectTraceRayView) Cullmask() ID { return ID(v.in.Operands[3]) }

// SBTRecordOffset is operand 4.
func (v HitObjectTraceRayView) SBTRecordOffset() ID { return ID(v.in.Operands[4]) }

// SBTRecordStride is operand 5.
func (v HitObjectTraceRayView) SBTRecordStride() ID { return ID(v.in.Operands[5]) }

// MissIndex is operand 6.
func (v HitObjectTraceRayView) MissIndex() ID { return ID(v.in.Operands[6]) }

// Origin is operand 7.
func (v HitObjectTraceRayView) Origin() ID { return ID(v.in.Operands[7]) }

// TMin is operand 8.
func (v HitObjectTraceRayView) TMin() ID { return ID(v.in.Operands[8]) }

// Direction is operand 9.
func (v HitObjectTraceRayView) Direction() ID { return ID(v.in.Operands[9]) }

// TMax is operand 10.
func (v HitObjectTraceRayView) TMax() ID { return ID(v.in.Operands[10]) }

// Payload is operand 11.
func (v HitObjectTraceRayView) Payload() ID { return ID(v.in.Operands[11]) }

// HitObjectExecuteShaderView gives the operands of OpHitObjectExecuteShaderEXT and the like by their names.
type HitObjectExecuteShaderView struct{ in *Inst }

// HitObjectExecuteShader returns the view of OpHitObjectExecuteShaderEXT and the like, which the instruction must be.
func (in *Inst) HitObjectExecuteShader() HitObjectExecuteShaderView {
	if in.Op != OpHitObjectExecuteShaderEXT && in.Op != OpHitObjectExecuteShaderNV {
		in.isNo("HitObjectExecuteShader")
	}
	return HitObjectExecuteShaderView{in}
}

// HitObject is operand 0.
func (v HitObjectExecuteShaderView) HitObject() ID { return ID(v.in.Operands[0]) }

// SetHitObject changes it.
func (v HitObjectExecuteShaderView) SetHitObject(to ID) { v.in.Operands[0] = uint32(to) }

// Payload is operand 1.
func (v HitObjectExecuteShaderView) Payload() ID { return ID(v.in.Operands[1]) }

// HitObjectRecordEmptyView gives the operands of OpHitObjectRecordEmptyEXT and the like by their names.
type HitObjectRecordEmptyView struct{ in *Inst }

// HitObjectRecordEmpty returns the view of OpHitObjectRecordEmptyEXT and the like, which the instruction must be.
func (in *Inst) HitObjectRecordEmpty() HitObjectRecordEmptyView {
	if in.Op != OpHitObjectRecordEmptyEXT && in.Op != OpHitObjectRecordEmptyNV {
		in.isNo("HitObjectRecordEmpty")
	}
	return HitObjectRecordEmptyView{in}
}

// HitObject is operand 0.
func (v HitObjectRecordEmptyView) HitObject() ID { return ID(v.in.Operands[0]) }

// HitObjectRecordMissView gives the operands of OpHitObjectRecordMissEXT by their names.
type HitObjectRecordMissView struct{ in *Inst }

// HitObjectRecordMiss returns the view of OpHitObjectRecordMissEXT, which the instruction must be.
func (in *Inst) HitObjectRecordMiss() HitObjectRecordMissView {
	if in.Op != OpHitObjectRecordMissEXT {
		in.isNo("HitObjectRecordMiss")
	}
	return HitObjectRecordMissView{in}
}

// HitObject is operand 0.
func (v HitObjectRecordMissView) HitObject() ID { return ID(v.in.Operands[0]) }

// RayFlags is operand 1.
func (v HitObjectRecordMissView) RayFlags() ID { return ID(v.in.Operands[1]) }

// MissIndex is operand 2.
func (v HitObjectRecordMissView) MissIndex() ID { return ID(v.in.Operands[2]) }

// Origin is operand 3.
func (v HitObjectRecordMissView) Origin() ID { return ID(v.in.Operands[3]) }

// TMin is operand 4.
func (v HitObjectRecordMissView) TMin() ID { return ID(v.in.Operands[4]) }

// Direction is operand 5.
func (v HitObjectRecordMissView) Direction() ID { return ID(v.in.Operands[5]) }

// TMax is operand 6.
func (v HitObjectRecordMissView) TMax() ID { return ID(v.in.Operands[6]) }

// HitObjectRecordHitView gives the operands of OpHitObjectRecordHitNV by their names.
type HitObjectRecordHitView struct{ in *Inst }

// HitObjectRecordHit returns the view of OpHitObjectRecordHitNV, which the instruction must be.
func (in *Inst) HitObjectRecordHit() HitObjectRecordHitView {
	if in.Op != OpHitObjectRecordHitNV {
		in.isNo("HitObjectRecordHit")
	}
	return HitObjectRecordHitView{in}
}

// HitObject is operand 0.
func (v HitObjectRecordHitView) HitObject() ID { return ID(v.in.Operands[0]) }

// AccelerationStructure is operand 1.
func (v HitObjectRecordHitView) AccelerationStructure() ID { return ID(v.in.Operands[1]) }

// InstanceId is operand 2.
func (v HitObjectRecordHitView) InstanceId() ID { return ID(v.in.Operands[2]) }

// PrimitiveId is operand 3.
func (v HitObjectRecordHitView) PrimitiveId() ID { return ID(v.in.Operands[3]) }

// GeometryIndex is operand 4.
func (v HitObjectRecordHitView) GeometryIndex() ID { return ID(v.in.Operands[4]) }

// HitKind is operand 5.
func (v HitObjectRecordHitView) HitKind() ID { return ID(v.in.Operands[5]) }

// SBTRecordOffset is operand 6.
func (v HitObjectRecordHitView) SBTRecordOffset() ID { return ID(v.in.Operands[6]) }

// SBTRecordStride is operand 7.
func (v HitObjectRecordHitView) SBTRecordStride() ID { return ID(v.in.Operands[7]) }

// Origin is operand 8.
func (v HitObjectRecordHitView) Origin() ID { return ID(v.in.Operands[8]) }

// TMin is operand 9.
func (v HitObjectRecordHitView) TMin() ID { return ID(v.in.Operands[9]) }

// Direction is operand 10.
func (v HitObjectRecordHitView) Direction() ID { return ID(v.in.Operands[10]) }

// TMax is operand 11.
func (v HitObjectRecordHitView) TMax() ID { return ID(v.in.Operands[11]) }

// HitObjectAttributes is operand 12.
func (v HitObjectRecordHitView) HitObjectAttributes() ID { return ID(v.in.Operands[12]) }

// HitObjectRecordHitWithIndexView gives the operands of OpHitObjectRecordHitWithIndexNV by their names.
type HitObjectRecordHitWithIndexView struct{ in *Inst }

// HitObjectRecordHitWithIndex returns the view of OpHitObjectRecordHitWithIndexNV, which the instruction must be.
func (in *Inst) HitObjectRecordHitWithIndex() HitObjectRecordHitWithIndexView {
	if in.Op != OpHitObjectRecordHitWithIndexNV {
		in.isNo("HitObjectRecordHitWithIndex")
	}
	return HitObjectRecordHitWithIndexView{in}
}

// HitObject is operand 0.
func (v HitObjectRecordHitWithIndexView) HitObject() ID { return ID(v.in.Operands[0]) }

// AccelerationStructure is operand 1.
func (v HitObjectRecordHitWithIndexView) AccelerationStructure() ID { return ID(v.in.Operands[1]) }

// InstanceId is operand 2.
func (v HitObjectRecordHitWithIndexView) InstanceId() ID { return ID(v.in.Operands[2]) }

// PrimitiveId is operand 3.
func (v HitObjectRecordHitWithIndexView) PrimitiveId() ID { return ID(v.in.Operands[3]) }

// GeometryIndex is operand 4.
func (v HitObjectRecordHitWithIndexView) GeometryIndex() ID { return ID(v.in.Operands[4]) }

// HitKind is operand 5.
func (v HitObjectRecordHitWithIndexView) HitKind() ID { return ID(v.in.Operands[5]) }

// SBTRecordIndex is operand 6.
func (v HitObjectRecordHitWithIndexView) SBTRecordIndex() ID { return ID(v.in.Operands[6]) }

// Origin is operand 7.
func (v HitObjectRecordHitWithIndexView) Origin() ID { return ID(v.in.Operands[7]) }

// TMin is operand 8.
func (v HitObjectRecordHitWithIndexView) TMin() ID { return ID(v.in.Operands[8]) }

// Direction is operand 9.
func (v HitObjectRecordHitWithIndexView) Direction() ID { return ID(v.in.Operands[9]) }

// TMax is operand 10.
func (v HitObjectRecordHitWithIndexView) TMax() ID { return ID(v.in.Operands[10]) }

// HitObjectAttributes is operand 11.
func (v HitObjectRecordHitWithIndexView) HitObjectAttributes() ID { return ID(v.in.Operands[11]) }

// HitObjectRecordFromQueryView gives the operands of OpHitObjectRecordFromQueryEXT by their names.
type HitObjectRecordFromQueryView struct{ in *Inst }

// HitObjectRecordFromQuery returns the view of OpHitObjectRecordFromQueryEXT, which the instruction must be.
func (in *Inst) HitObjectRecordFromQuery() HitObjectRecordFromQueryView {
	if in.Op != OpHitObjectRecordFromQueryEXT {
		in.isNo("HitObjectRecordFromQuery")
	}
	return HitObjectRecordFromQueryView{in}
}

// HitObject is operand 0.
func (v HitObjectRecordFromQueryView) HitObject() ID { return ID(v.in.Operands[0]) }

// RayQuery is operand 1.
func (v HitObjectRecordFromQueryView) RayQuery() ID { return ID(v.in.Operands[1]) }

// SBTRecordIndex is operand 2.
func (v HitObjectRecordFromQueryView) SBTRecordIndex() ID { return ID(v.in.Operands[2]) }

// HitObjectAttributes is operand 3.
func (v HitObjectRecordFromQueryView) HitObjectAttributes() ID { return ID(v.in.Operands[3]) }

// HitKind may be absent: 0.
func (v HitObjectRecordFromQueryView) HitKind() ID { return ID(v.in.optional(4)) }

// HitObjectGetAttributesView gives the operands of OpHitObjectGetAttributesEXT and the like by their names.
type HitObjectGetAttributesView struct{ in *Inst }

// HitObjectGetAttributes returns the view of OpHitObjectGetAttributesEXT and the like, which the instruction must be.
func (in *Inst) HitObjectGetAttributes() HitObjectGetAttributesView {
	if in.Op != OpHitObjectGetAttributesEXT && in.Op != OpHitObjectGetAttributesNV {
		in.isNo("HitObjectGetAttributes")
	}
	return HitObjectGetAttributesView{in}
}

// HitObject is operand 0.
func (v HitObjectGetAttributesView) HitObject() ID { return ID(v.in.Operands[0]) }

// HitObjectAttribute is operand 1.
func (v HitObjectGetAttributesView) HitObjectAttribute() ID { return ID(v.in.Operands[1]) }

// SetHitObjectAttribute changes it.
func (v HitObjectGetAttributesView) SetHitObjectAttribute(to ID) { v.in.Operands[1] = uint32(to) }

// HitObjectSetRecordIndexView gives the operands of OpHitObjectSetShaderBindingTableRecordIndexEXT by their names.
type HitObjectSetRecordIndexView struct{ in *Inst }

// HitObjectSetRecordIndex returns the view of OpHitObjectSetShaderBindingTableRecordIndexEXT, which the instruction must be.
func (in *Inst) HitObjectSetRecordIndex() HitObjectSetRecordIndexView {
	if in.Op != OpHitObjectSetShaderBindingTableRecordIndexEXT {
		in.isNo("HitObjectSetRecordIndex")
	}
	return HitObjectSetRecordIndexView{in}
}

// HitObject is operand 0.
func (v HitObjectSetRecordIndexView) HitObject() ID { return ID(v.in.Operands[0]) }

// SBTRecordIndex is operand 1.
func (v HitObjectSetRecordIndexView) SBTRecordIndex() ID { return ID(v.in.Operands[1]) }

// ReorderThreadWithHintView gives the operands of OpReorderThreadWithHintEXT and the like by their names.
type ReorderThreadWithHintView struct{ in *Inst }

// ReorderThreadWithHint returns the view of OpReorderThreadWithHintEXT and the like, which the instruction must be.
func (in *Inst) ReorderThreadWithHint() ReorderThreadWithHintView {
	if in.Op != OpReorderThreadWithHintEXT && in.Op != OpReorderThreadWithHintNV {
		in.isNo("ReorderThreadWithHint")
	}
	return ReorderThreadWithHintView{in}
}

// Hint is operand 0.
func (v ReorderThreadWithHintView) Hint() ID { return ID(v.in.Operands[0]) }

// Bits is operand 1.
func (v ReorderThreadWithHintView) Bits() ID { return ID(v.in.Operands[1]) }

// ReorderThreadWithHitObjectView gives the operands of OpReorderThreadWithHitObjectEXT and the like by their names.
type ReorderThreadWithHitObjectView struct{ in *Inst }

// ReorderThreadWithHitObject returns the view of OpReorderThreadWithHitObjectEXT and the like, which the instruction must be.
func (in *Inst) ReorderThreadWithHitObject() ReorderThreadWithHitObjectView {
	if in.Op != OpReorderThreadWithHitObjectEXT && in.Op != OpReorderThreadWithHitObjectNV {
		in.isNo("ReorderThreadWithHitObject")
	}
	return ReorderThreadWithHitObjectView{in}
}

// HitObject is operand 0.
func (v ReorderThreadWithHitObjectView) HitObject() ID { return ID(v.in.Operands[0]) }

// Hint may be absent: 0.
func (v ReorderThreadWithHitObjectView) Hint() ID { return ID(v.in.optional(1)) }

// Bits may be absent: 0.
func (v ReorderThreadWithHitObjectView) Bits() ID { return ID(v.in.optional(2)) }
