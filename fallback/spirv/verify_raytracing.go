package spirv

import "slices"

// firstRayOp is the lowest opcode of rayOperands: the others are by far the most, and need not look there.
const firstRayOp = OpTraceRayKHR

// rayOperands tells what the instructions of ray tracing take and give: a letter for the result's type, if there is one, a colon,
// and a letter for each operand.
//
//	a  acceleration structure            u  32-bit integer
//	b  bool                              f  32-bit float
//	v  vector of three floats            w  vector of two floats
//	m  matrix of four such columns       t  array of three vectors of three floats
//	e  array of two vectors of three     d  array of two floats
//	l  64-bit integer or two of 32       k  as u, here a constant
//	p  pointer to a payload              c  pointer to callable data
//	h  pointer to a hit object           q  pointer to a ray query
//	x  pointer to attributes of hit objects
var rayOperands = map[Op]string{
	OpTraceRayKHR:                        ":auuuuuvfvfp",
	OpTraceNV:                            ":auuuuuvfvfk",
	OpTraceMotionNV:                      ":auuuuuvfvffk",
	OpTraceRayMotionNV:                   ":auuuuuvfvffp",
	OpExecuteCallableKHR:                 ":uc",
	OpExecuteCallableNV:                  ":uk",
	OpConvertUToAccelerationStructureKHR: "a:l",
	OpReportIntersectionKHR:              "b:fu",

	OpRayQueryInitializeKHR:                                            ":qauuvfvf",
	OpRayQueryTerminateKHR:                                             ":q",
	OpRayQueryGenerateIntersectionKHR:                                  ":qf",
	OpRayQueryConfirmIntersectionKHR:                                   ":q",
	OpRayQueryProceedKHR:                                               "b:q",
	OpRayQueryGetIntersectionTypeKHR:                                   "u:qk",
	OpRayQueryGetIntersectionTriangleVertexPositionsKHR:                "t:qk",
	OpRayQueryGetIntersectionClusterIdNV:                               "u:qk",
	OpRayQueryGetRayTMinKHR:                                            "f:q",
	OpRayQueryGetRayFlagsKHR:                                           "u:q",
	OpRayQueryGetIntersectionTKHR:                                      "f:qk",
	OpRayQueryGetIntersectionInstanceCustomIndexKHR:                    "u:qk",
	OpRayQueryGetIntersectionInstanceIdKHR:                             "u:qk",
	OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR: "u:qk",
	OpRayQueryGetIntersectionGeometryIndexKHR:                          "u:qk",
	OpRayQueryGetIntersectionPrimitiveIndexKHR:                         "u:qk",
	OpRayQueryGetIntersectionBarycentricsKHR:                           "w:qk",
	OpRayQueryGetIntersectionFrontFaceKHR:                              "b:qk",
	OpRayQueryGetIntersectionCandidateAABBOpaqueKHR:                    "b:q",
	OpRayQueryGetIntersectionObjectRayDirectionKHR:                     "v:qk",
	OpRayQueryGetIntersectionObjectRayOriginKHR:                        "v:qk",
	OpRayQueryGetWorldRayDirectionKHR:                                  "v:q",
	OpRayQueryGetWorldRayOriginKHR:                                     "v:q",
	OpRayQueryGetIntersectionObjectToWorldKHR:                          "m:qk",
	OpRayQueryGetIntersectionWorldToObjectKHR:                          "m:qk",
	OpRayQueryGetIntersectionSpherePositionNV:                          "v:qk",
	OpRayQueryGetIntersectionSphereRadiusNV:                            "f:qk",
	OpRayQueryGetIntersectionLSSPositionsNV:                            "e:qk",
	OpRayQueryGetIntersectionLSSRadiiNV:                                "d:qk",
	OpRayQueryGetIntersectionLSSHitValueNV:                             "f:qk",
	OpRayQueryIsSphereHitNV:                                            "b:qk",
	OpRayQueryIsLSSHitNV:                                               "b:qk",

	OpHitObjectRecordHitMotionNV:                  ":hauuuuuuvfvffx",
	OpHitObjectRecordHitWithIndexMotionNV:         ":hauuuuuvfvffx",
	OpHitObjectRecordMissMotionNV:                 ":huvfvff",
	OpHitObjectGetWorldToObjectNV:                 "m:h",
	OpHitObjectGetObjectToWorldNV:                 "m:h",
	OpHitObjectGetObjectRayDirectionNV:            "v:h",
	OpHitObjectGetObjectRayOriginNV:               "v:h",
	OpHitObjectTraceRayMotionNV:                   ":hauuuuuvfvffp",
	OpHitObjectGetShaderRecordBufferHandleNV:      "l:h",
	OpHitObjectGetShaderBindingTableRecordIndexNV: "u:h",
	OpHitObjectRecordEmptyNV:                      ":h",
	OpHitObjectTraceRayNV:                         ":hauuuuuvfvfp",
	OpHitObjectRecordHitNV:                        ":hauuuuuuvfvfx",
	OpHitObjectRecordHitWithIndexNV:               ":hauuuuuvfvfx",
	OpHitObjectRecordMissNV:                       ":huvfvf",
	OpHitObjectExecuteShaderNV:                    ":hp",
	OpHitObjectGetCurrentTimeNV:                   "f:h",
	OpHitObjectGetAttributesNV:                    ":hx",
	OpHitObjectGetHitKindNV:                       "u:h",
	OpHitObjectGetPrimitiveIndexNV:                "u:h",
	OpHitObjectGetGeometryIndexNV:                 "u:h",
	OpHitObjectGetInstanceIdNV:                    "u:h",
	OpHitObjectGetInstanceCustomIndexNV:           "u:h",
	OpHitObjectGetWorldRayDirectionNV:             "v:h",
	OpHitObjectGetWorldRayOriginNV:                "v:h",
	OpHitObjectGetRayTMaxNV:                       "f:h",
	OpHitObjectGetRayTMinNV:                       "f:h",
	OpHitObjectIsEmptyNV:                          "b:h",
	OpHitObjectIsHitNV:                            "b:h",
	OpHitObjectIsMissNV:                           "b:h",
	OpReorderThreadWithHitObjectNV:                ":huu",
	OpReorderThreadWithHintNV:                     ":uu",

	OpHitObjectRecordFromQueryEXT:                        ":hquxu",
	OpHitObjectRecordMissEXT:                             ":huuvfvf",
	OpHitObjectRecordMissMotionEXT:                       ":huuvfvff",
	OpHitObjectGetIntersectionTriangleVertexPositionsEXT: "t:h",
	OpHitObjectGetRayFlagsEXT:                            "u:h",
	OpHitObjectSetShaderBindingTableRecordIndexEXT:       ":hu",
	OpHitObjectReorderExecuteShaderEXT:                   ":hpuu",
	OpHitObjectTraceReorderExecuteEXT:                    ":hauuuuuvfvfpuu",
	OpHitObjectTraceMotionReorderExecuteEXT:              ":hauuuuuvfvffpuu",
	OpReorderThreadWithHintEXT:                           ":uu",
	OpReorderThreadWithHitObjectEXT:                      ":huu",
	OpHitObjectTraceRayEXT:                               ":hauuuuuvfvfp",
	OpHitObjectTraceRayMotionEXT:                         ":hauuuuuvfvffp",
	OpHitObjectRecordEmptyEXT:                            ":h",
	OpHitObjectExecuteShaderEXT:                          ":hp",
	OpHitObjectGetCurrentTimeEXT:                         "f:h",
	OpHitObjectGetAttributesEXT:                          ":hx",
	OpHitObjectGetHitKindEXT:                             "u:h",
	OpHitObjectGetPrimitiveIndexEXT:                      "u:h",
	OpHitObjectGetGeometryIndexEXT:                       "u:h",
	OpHitObjectGetInstanceIdEXT:                          "u:h",
	OpHitObjectGetInstanceCustomIndexEXT:                 "u:h",
	OpHitObjectGetObjectRayOriginEXT:                     "v:h",
	OpHitObjectGetObjectRayDirectionEXT:                  "v:h",
	OpHitObjectGetWorldRayDirectionEXT:                   "v:h",
	OpHitObjectGetWorldRayOriginEXT:                      "v:h",
	OpHitObjectGetObjectToWorldEXT:                       "m:h",
	OpHitObjectGetWorldToObjectEXT:                       "m:h",
	OpHitObjectGetRayTMaxEXT:                             "f:h",
	OpHitObjectGetClusterIdNV:                            "u:h",
	OpHitObjectGetRayTMinEXT:                             "f:h",
	OpHitObjectGetShaderBindingTableRecordIndexEXT:       "u:h",
	OpHitObjectGetShaderRecordBufferHandleEXT:            "l:h",
	OpHitObjectIsEmptyEXT:                                "b:h",
	OpHitObjectIsHitEXT:                                  "b:h",
	OpHitObjectIsMissEXT:                                 "b:h",
	OpHitObjectGetSpherePositionNV:                       "v:h",
	OpHitObjectGetSphereRadiusNV:                         "f:h",
	OpHitObjectGetLSSPositionsNV:                         "e:h",
	OpHitObjectGetLSSRadiiNV:                             "d:h",
	OpHitObjectIsSphereHitNV:                             "b:h",
	OpHitObjectIsLSSHitNV:                                "b:h",
}

// rayKind is what a letter of rayOperands stands for.
type rayKind struct {
	words string
	fits  func(v *verifier, typ ID) bool
}

var rayKinds = map[byte]rayKind{
	'a': {"an acceleration structure", func(v *verifier, typ ID) bool { return v.x.Op(typ) == OpTypeAccelerationStructureKHR }},
	'u': {"a 32-bit integer", func(v *verifier, typ ID) bool { return v.numbers(typ, OpTypeInt, 1) }},
	'k': {"a constant 32-bit integer", func(v *verifier, typ ID) bool { return v.numbers(typ, OpTypeInt, 1) }},
	'f': {"a 32-bit float", func(v *verifier, typ ID) bool { return v.numbers(typ, OpTypeFloat, 1) }},
	'v': {"a vector of three 32-bit floats", func(v *verifier, typ ID) bool { return v.numbers(typ, OpTypeFloat, 3) }},
	'w': {"a vector of two 32-bit floats", func(v *verifier, typ ID) bool { return v.numbers(typ, OpTypeFloat, 2) }},
	'b': {"bool", func(v *verifier, typ ID) bool { return v.x.Op(typ) == OpTypeBool }},
	'm': {"a matrix of four columns of three 32-bit floats", func(v *verifier, typ ID) bool {
		m := v.x.Def(typ)
		return m != nil && m.Op == OpTypeMatrix && m.TypeMatrix().ColumnCount() == 4 &&
			v.numbers(m.TypeMatrix().ColumnType(), OpTypeFloat, 3)
	}},
	't': {"an array of three vectors of three 32-bit floats", func(v *verifier, typ ID) bool { return v.arrayOf(typ, 3, 3) }},
	'e': {"an array of two vectors of three 32-bit floats", func(v *verifier, typ ID) bool { return v.arrayOf(typ, 2, 3) }},
	'd': {"an array of two 32-bit floats", func(v *verifier, typ ID) bool { return v.arrayOf(typ, 2, 1) }},
	'l': {"a 64-bit integer or a vector of two 32-bit integers", func(v *verifier, typ ID) bool {
		kind, n, width := v.shape(typ)
		return kind == OpTypeInt && n*width == 64
	}},
	'p': {"a pointer to a payload", func(v *verifier, typ ID) bool {
		return v.pointsInto(typ, StorageClassRayPayloadKHR, StorageClassIncomingRayPayloadKHR)
	}},
	'c': {"a pointer to callable data", func(v *verifier, typ ID) bool {
		return v.pointsInto(typ, StorageClassCallableDataKHR, StorageClassIncomingCallableDataKHR)
	}},
	'x': {"a pointer to attributes of hit objects", func(v *verifier, typ ID) bool {
		return v.pointsInto(typ, StorageClassHitObjectAttributeNV, StorageClassHitObjectAttributeEXT)
	}},
	'h': {"a pointer to a hit object", func(v *verifier, typ ID) bool {
		return v.pointsTo(typ, OpTypeHitObjectNV, OpTypeHitObjectEXT)
	}},
	'q': {"a pointer to a ray query", func(v *verifier, typ ID) bool { return v.pointsTo(typ, OpTypeRayQueryKHR) }},
}

// numbers tells whether a type is n numbers of a kind, of 32 bits.
func (v *verifier) numbers(typ ID, kind Op, n uint32) bool {
	k, count, width := v.shape(typ)
	return k == kind && count == n && width == 32
}

// arrayOf tells whether a type is an array of a length whose elements are n 32-bit floats.
func (v *verifier) arrayOf(typ ID, length, n uint32) bool {
	t := v.x.Def(typ)
	if t == nil || t.Op != OpTypeArray || !v.numbers(t.TypeArray().ElementType(), OpTypeFloat, n) {
		return false
	}
	l := v.x.Def(t.TypeArray().Length())
	return l.Op == OpConstant && l.Constant().Word() == length
}

// pointsInto tells whether a type is that of pointers into one of the storage classes.
func (v *verifier) pointsInto(typ ID, classes ...StorageClass) bool {
	class, _, ok := v.pointer(typ)
	return ok && slices.Contains(classes, class)
}

// pointsTo tells whether a type is that of pointers to one of the types.
func (v *verifier) pointsTo(typ ID, types ...Op) bool {
	_, to, ok := v.pointer(typ)
	return ok && slices.Contains(types, v.x.Op(to))
}

// rayTracing checks the types of an instruction of ray tracing; others it lets through.
func (v *verifier) rayTracing(in *Inst) error {
	kinds := rayOperands[in.Op]
	for i := range kinds {
		if kinds[i] != ':' {
			continue
		}
		if k := rayKinds[kinds[0]]; i == 1 && !k.fits(v, in.Type) {
			return v.fail(in, "the result of %v is not %s", in.Op, k.words)
		}
		kinds = kinds[i+1:]
		break
	}
	for i := range min(len(kinds), len(in.Operands)) {
		k := rayKinds[kinds[i]]
		if !k.fits(v, v.typeOf(in, i)) || kinds[i] == 'k' && !v.x.Op(in.ID(i)).IsConstant() {
			return v.fail(in, "operand %d of %v is not %s", i, in.Op, k.words)
		}
	}
	return nil
}
