// Code generated from gen/views.txt by `go generate ./fallback/spirv`. DO NOT EDIT.

package spirv

// TraceRayView gives the operands of OpTraceRayKHR and the like by their names.
type TraceRayView struct{ in *Inst }

// TraceRay returns the view of OpTraceRayKHR and the like, which the instruction must be.
func (in *Inst) TraceRay() TraceRayView {
	switch in.Op {
	case OpTraceRayKHR,
		OpTraceNV:
	default:
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

// SetPayload changes it.
func (v TraceRayView) SetPayload(to ID) { v.in.Operands[10] = uint32(to) }

// ExecuteCallableView gives the operands of OpExecuteCallableKHR and the like by their names.
type ExecuteCallableView struct{ in *Inst }

// ExecuteCallable returns the view of OpExecuteCallableKHR and the like, which the instruction must be.
func (in *Inst) ExecuteCallable() ExecuteCallableView {
	switch in.Op {
	case OpExecuteCallableKHR,
		OpExecuteCallableNV:
	default:
		in.isNo("ExecuteCallable")
	}
	return ExecuteCallableView{in}
}

// SBTIndex is operand 0.
func (v ExecuteCallableView) SBTIndex() ID { return ID(v.in.Operands[0]) }

// CallableData is operand 1.
func (v ExecuteCallableView) CallableData() ID { return ID(v.in.Operands[1]) }

// SetCallableData changes it.
func (v ExecuteCallableView) SetCallableData(to ID) { v.in.Operands[1] = uint32(to) }

// ReportIntersectionView gives the operands of OpReportIntersectionKHR by their names.
type ReportIntersectionView struct{ in *Inst }

// ReportIntersection returns the view of OpReportIntersectionKHR, which the instruction must be.
func (in *Inst) ReportIntersection() ReportIntersectionView {
	switch in.Op {
	case OpReportIntersectionKHR:
	default:
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
	switch in.Op {
	case OpConvertUToAccelerationStructureKHR:
	default:
		in.isNo("ConvertUToAccelerationStructure")
	}
	return ConvertUToAccelerationStructureView{in}
}

// Accel is operand 0.
func (v ConvertUToAccelerationStructureView) Accel() ID { return ID(v.in.Operands[0]) }

// RayQueryView gives the operands of OpRayQueryInitializeKHR and the like by their names.
type RayQueryView struct{ in *Inst }

// RayQuery returns the view of OpRayQueryInitializeKHR and the like, which the instruction must be.
func (in *Inst) RayQuery() RayQueryView {
	switch in.Op {
	case OpRayQueryInitializeKHR,
		OpRayQueryTerminateKHR,
		OpRayQueryGenerateIntersectionKHR,
		OpRayQueryConfirmIntersectionKHR,
		OpRayQueryProceedKHR,
		OpRayQueryGetIntersectionTypeKHR,
		OpRayQueryGetIntersectionTriangleVertexPositionsKHR,
		OpRayQueryGetIntersectionClusterIdNV,
		OpRayQueryGetRayTMinKHR,
		OpRayQueryGetRayFlagsKHR,
		OpRayQueryGetIntersectionTKHR,
		OpRayQueryGetIntersectionInstanceCustomIndexKHR,
		OpRayQueryGetIntersectionInstanceIdKHR,
		OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR,
		OpRayQueryGetIntersectionGeometryIndexKHR,
		OpRayQueryGetIntersectionPrimitiveIndexKHR,
		OpRayQueryGetIntersectionBarycentricsKHR,
		OpRayQueryGetIntersectionFrontFaceKHR,
		OpRayQueryGetIntersectionCandidateAABBOpaqueKHR,
		OpRayQueryGetIntersectionObjectRayDirectionKHR,
		OpRayQueryGetIntersectionObjectRayOriginKHR,
		OpRayQueryGetWorldRayDirectionKHR,
		OpRayQueryGetWorldRayOriginKHR,
		OpRayQueryGetIntersectionObjectToWorldKHR,
		OpRayQueryGetIntersectionWorldToObjectKHR:
	default:
		in.isNo("RayQuery")
	}
	return RayQueryView{in}
}

// RayQuery is operand 0.
func (v RayQueryView) RayQuery() ID { return ID(v.in.Operands[0]) }

// RayQueryInitializeView gives the operands of OpRayQueryInitializeKHR by their names.
type RayQueryInitializeView struct{ in *Inst }

// RayQueryInitialize returns the view of OpRayQueryInitializeKHR, which the instruction must be.
func (in *Inst) RayQueryInitialize() RayQueryInitializeView {
	switch in.Op {
	case OpRayQueryInitializeKHR:
	default:
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

// ReorderThreadWithHintView gives the operands of OpReorderThreadWithHintEXT and the like by their names.
type ReorderThreadWithHintView struct{ in *Inst }

// ReorderThreadWithHint returns the view of OpReorderThreadWithHintEXT and the like, which the instruction must be.
func (in *Inst) ReorderThreadWithHint() ReorderThreadWithHintView {
	switch in.Op {
	case OpReorderThreadWithHintEXT,
		OpReorderThreadWithHintNV:
	default:
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
	switch in.Op {
	case OpReorderThreadWithHitObjectEXT,
		OpReorderThreadWithHitObjectNV:
	default:
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
