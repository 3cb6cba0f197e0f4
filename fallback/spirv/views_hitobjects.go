// Code generated from gen/views.txt by `go generate ./fallback/spirv`. DO NOT EDIT.

package spirv

// HitObjectView gives the operands of OpHitObjectRecordHitNV and the like by their names.
type HitObjectView struct{ in *Inst }

// HitObject returns the view of OpHitObjectRecordHitNV and the like, which the instruction must be.
func (in *Inst) HitObject() HitObjectView {
	switch in.Op {
	case OpHitObjectRecordHitNV,
		OpHitObjectRecordHitWithIndexNV,
		OpHitObjectRecordFromQueryEXT,
		OpHitObjectRecordMissEXT,
		OpHitObjectGetIntersectionTriangleVertexPositionsEXT,
		OpHitObjectGetRayFlagsEXT,
		OpHitObjectSetShaderBindingTableRecordIndexEXT,
		OpHitObjectReorderExecuteShaderEXT,
		OpHitObjectTraceReorderExecuteEXT,
		OpReorderThreadWithHitObjectEXT,
		OpHitObjectTraceRayEXT,
		OpHitObjectRecordEmptyEXT,
		OpHitObjectExecuteShaderEXT,
		OpHitObjectGetCurrentTimeEXT,
		OpHitObjectGetAttributesEXT,
		OpHitObjectGetHitKindEXT,
		OpHitObjectGetPrimitiveIndexEXT,
		OpHitObjectGetGeometryIndexEXT,
		OpHitObjectGetInstanceIdEXT,
		OpHitObjectGetInstanceCustomIndexEXT,
		OpHitObjectGetObjectRayOriginEXT,
		OpHitObjectGetObjectRayDirectionEXT,
		OpHitObjectGetWorldRayDirectionEXT,
		OpHitObjectGetWorldRayOriginEXT,
		OpHitObjectGetObjectToWorldEXT,
		OpHitObjectGetWorldToObjectEXT,
		OpHitObjectGetRayTMaxEXT,
		OpHitObjectGetClusterIdNV,
		OpHitObjectGetRayTMinEXT,
		OpHitObjectGetShaderBindingTableRecordIndexEXT,
		OpHitObjectGetShaderRecordBufferHandleEXT,
		OpHitObjectIsEmptyEXT,
		OpHitObjectIsHitEXT,
		OpHitObjectIsMissEXT,
		OpHitObjectTraceRayNV,
		OpHitObjectExecuteShaderNV,
		OpReorderThreadWithHitObjectNV,
		OpHitObjectRecordMissNV,
		OpHitObjectRecordEmptyNV:
	default:
		in.isNo("HitObject")
	}
	return HitObjectView{in}
}

// HitObject is operand 0.
func (v HitObjectView) HitObject() ID { return ID(v.in.Operands[0]) }

// SetHitObject changes it.
func (v HitObjectView) SetHitObject(to ID) { v.in.Operands[0] = uint32(to) }

// HitObjectTraceRayView gives the operands of OpHitObjectTraceRayEXT and the like by their names.
type HitObjectTraceRayView struct{ in *Inst }

// HitObjectTraceRay returns the view of OpHitObjectTraceRayEXT and the like, which the instruction must be.
func (in *Inst) HitObjectTraceRay() HitObjectTraceRayView {
	switch in.Op {
	case OpHitObjectTraceRayEXT,
		OpHitObjectTraceRayNV:
	default:
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
	switch in.Op {
	case OpHitObjectExecuteShaderEXT,
		OpHitObjectExecuteShaderNV:
	default:
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
	switch in.Op {
	case OpHitObjectRecordEmptyEXT,
		OpHitObjectRecordEmptyNV:
	default:
		in.isNo("HitObjectRecordEmpty")
	}
	return HitObjectRecordEmptyView{in}
}

// HitObject is operand 0.
func (v HitObjectRecordEmptyView) HitObject() ID { return ID(v.in.Operands[0]) }

// HitObjectRecordMissNVView gives the operands of OpHitObjectRecordMissNV by their names.
type HitObjectRecordMissNVView struct{ in *Inst }

// HitObjectRecordMissNV returns the view of OpHitObjectRecordMissNV, which the instruction must be.
func (in *Inst) HitObjectRecordMissNV() HitObjectRecordMissNVView {
	switch in.Op {
	case OpHitObjectRecordMissNV:
	default:
		in.isNo("HitObjectRecordMissNV")
	}
	return HitObjectRecordMissNVView{in}
}

// HitObject is operand 0.
func (v HitObjectRecordMissNVView) HitObject() ID { return ID(v.in.Operands[0]) }

// SBTIndex is operand 1.
func (v HitObjectRecordMissNVView) SBTIndex() ID { return ID(v.in.Operands[1]) }

// Origin is operand 2.
func (v HitObjectRecordMissNVView) Origin() ID { return ID(v.in.Operands[2]) }

// TMin is operand 3.
func (v HitObjectRecordMissNVView) TMin() ID { return ID(v.in.Operands[3]) }

// Direction is operand 4.
func (v HitObjectRecordMissNVView) Direction() ID { return ID(v.in.Operands[4]) }

// TMax is operand 5.
func (v HitObjectRecordMissNVView) TMax() ID { return ID(v.in.Operands[5]) }

// HitObjectReorderExecuteShaderView gives the operands of OpHitObjectReorderExecuteShaderEXT by their names.
type HitObjectReorderExecuteShaderView struct{ in *Inst }

// HitObjectReorderExecuteShader returns the view of OpHitObjectReorderExecuteShaderEXT, which the instruction must be.
func (in *Inst) HitObjectReorderExecuteShader() HitObjectReorderExecuteShaderView {
	switch in.Op {
	case OpHitObjectReorderExecuteShaderEXT:
	default:
		in.isNo("HitObjectReorderExecuteShader")
	}
	return HitObjectReorderExecuteShaderView{in}
}

// HitObject is operand 0.
func (v HitObjectReorderExecuteShaderView) HitObject() ID { return ID(v.in.Operands[0]) }

// Payload is operand 1.
func (v HitObjectReorderExecuteShaderView) Payload() ID { return ID(v.in.Operands[1]) }

// Hint may be absent: 0.
func (v HitObjectReorderExecuteShaderView) Hint() ID { return ID(v.in.optional(2)) }

// Bits may be absent: 0.
func (v HitObjectReorderExecuteShaderView) Bits() ID { return ID(v.in.optional(3)) }

// HitObjectTraceReorderExecuteView gives the operands of OpHitObjectTraceReorderExecuteEXT by their names.
type HitObjectTraceReorderExecuteView struct{ in *Inst }

// HitObjectTraceReorderExecute returns the view of OpHitObjectTraceReorderExecuteEXT, which the instruction must be.
func (in *Inst) HitObjectTraceReorderExecute() HitObjectTraceReorderExecuteView {
	switch in.Op {
	case OpHitObjectTraceReorderExecuteEXT:
	default:
		in.isNo("HitObjectTraceReorderExecute")
	}
	return HitObjectTraceReorderExecuteView{in}
}

// HitObject is operand 0.
func (v HitObjectTraceReorderExecuteView) HitObject() ID { return ID(v.in.Operands[0]) }

// AccelerationStructure is operand 1.
func (v HitObjectTraceReorderExecuteView) AccelerationStructure() ID { return ID(v.in.Operands[1]) }

// RayFlags is operand 2.
func (v HitObjectTraceReorderExecuteView) RayFlags() ID { return ID(v.in.Operands[2]) }

// Cullmask is operand 3.
func (v HitObjectTraceReorderExecuteView) Cullmask() ID { return ID(v.in.Operands[3]) }

// SBTRecordOffset is operand 4.
func (v HitObjectTraceReorderExecuteView) SBTRecordOffset() ID { return ID(v.in.Operands[4]) }

// SBTRecordStride is operand 5.
func (v HitObjectTraceReorderExecuteView) SBTRecordStride() ID { return ID(v.in.Operands[5]) }

// MissIndex is operand 6.
func (v HitObjectTraceReorderExecuteView) MissIndex() ID { return ID(v.in.Operands[6]) }

// Origin is operand 7.
func (v HitObjectTraceReorderExecuteView) Origin() ID { return ID(v.in.Operands[7]) }

// TMin is operand 8.
func (v HitObjectTraceReorderExecuteView) TMin() ID { return ID(v.in.Operands[8]) }

// Direction is operand 9.
func (v HitObjectTraceReorderExecuteView) Direction() ID { return ID(v.in.Operands[9]) }

// TMax is operand 10.
func (v HitObjectTraceReorderExecuteView) TMax() ID { return ID(v.in.Operands[10]) }

// Payload is operand 11.
func (v HitObjectTraceReorderExecuteView) Payload() ID { return ID(v.in.Operands[11]) }

// Hint may be absent: 0.
func (v HitObjectTraceReorderExecuteView) Hint() ID { return ID(v.in.optional(12)) }

// Bits may be absent: 0.
func (v HitObjectTraceReorderExecuteView) Bits() ID { return ID(v.in.optional(13)) }

// HitObjectRecordMissView gives the operands of OpHitObjectRecordMissEXT by their names.
type HitObjectRecordMissView struct{ in *Inst }

// HitObjectRecordMiss returns the view of OpHitObjectRecordMissEXT, which the instruction must be.
func (in *Inst) HitObjectRecordMiss() HitObjectRecordMissView {
	switch in.Op {
	case OpHitObjectRecordMissEXT:
	default:
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
	switch in.Op {
	case OpHitObjectRecordHitNV:
	default:
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
	switch in.Op {
	case OpHitObjectRecordHitWithIndexNV:
	default:
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
	switch in.Op {
	case OpHitObjectRecordFromQueryEXT:
	default:
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
	switch in.Op {
	case OpHitObjectGetAttributesEXT,
		OpHitObjectGetAttributesNV:
	default:
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
	switch in.Op {
	case OpHitObjectSetShaderBindingTableRecordIndexEXT:
	default:
		in.isNo("HitObjectSetRecordIndex")
	}
	return HitObjectSetRecordIndexView{in}
}

// HitObject is operand 0.
func (v HitObjectSetRecordIndexView) HitObject() ID { return ID(v.in.Operands[0]) }

// SBTRecordIndex is operand 1.
func (v HitObjectSetRecordIndexView) SBTRecordIndex() ID { return ID(v.in.Operands[1]) }
