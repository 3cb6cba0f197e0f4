package normal

import "github.com/everray/everray/fallback/spirv"

// hitObjectOps maps the instructions of SPV_NV_shader_invocation_reorder to those of the EXT extension that do the same. Only NV
// records hits, and only its misses come without ray flags.
var hitObjectOps = map[spirv.Op]spirv.Op{
	spirv.OpHitObjectTraceRayNV:                         spirv.OpHitObjectTraceRayEXT,
	spirv.OpHitObjectRecordEmptyNV:                      spirv.OpHitObjectRecordEmptyEXT,
	spirv.OpHitObjectRecordMissNV:                       spirv.OpHitObjectRecordMissEXT,
	spirv.OpHitObjectExecuteShaderNV:                    spirv.OpHitObjectExecuteShaderEXT,
	spirv.OpHitObjectGetWorldToObjectNV:                 spirv.OpHitObjectGetWorldToObjectEXT,
	spirv.OpHitObjectGetObjectToWorldNV:                 spirv.OpHitObjectGetObjectToWorldEXT,
	spirv.OpHitObjectGetObjectRayDirectionNV:            spirv.OpHitObjectGetObjectRayDirectionEXT,
	spirv.OpHitObjectGetObjectRayOriginNV:               spirv.OpHitObjectGetObjectRayOriginEXT,
	spirv.OpHitObjectGetShaderRecordBufferHandleNV:      spirv.OpHitObjectGetShaderRecordBufferHandleEXT,
	spirv.OpHitObjectGetShaderBindingTableRecordIndexNV: spirv.OpHitObjectGetShaderBindingTableRecordIndexEXT,
	spirv.OpHitObjectGetCurrentTimeNV:                   spirv.OpHitObjectGetCurrentTimeEXT,
	spirv.OpHitObjectGetAttributesNV:                    spirv.OpHitObjectGetAttributesEXT,
	spirv.OpHitObjectGetHitKindNV:                       spirv.OpHitObjectGetHitKindEXT,
	spirv.OpHitObjectGetPrimitiveIndexNV:                spirv.OpHitObjectGetPrimitiveIndexEXT,
	spirv.OpHitObjectGetGeometryIndexNV:                 spirv.OpHitObjectGetGeometryIndexEXT,
	spirv.OpHitObjectGetInstanceIdNV:                    spirv.OpHitObjectGetInstanceIdEXT,
	spirv.OpHitObjectGetInstanceCustomIndexNV:           spirv.OpHitObjectGetInstanceCustomIndexEXT,
	spirv.OpHitObjectGetWorldRayDirectionNV:             spirv.OpHitObjectGetWorldRayDirectionEXT,
	spirv.OpHitObjectGetWorldRayOriginNV:                spirv.OpHitObjectGetWorldRayOriginEXT,
	spirv.OpHitObjectGetRayTMaxNV:                       spirv.OpHitObjectGetRayTMaxEXT,
	spirv.OpHitObjectGetRayTMinNV:                       spirv.OpHitObjectGetRayTMinEXT,
	spirv.OpHitObjectIsEmptyNV:                          spirv.OpHitObjectIsEmptyEXT,
	spirv.OpHitObjectIsHitNV:                            spirv.OpHitObjectIsHitEXT,
	spirv.OpHitObjectIsMissNV:                           spirv.OpHitObjectIsMissEXT,
	spirv.OpReorderThreadWithHitObjectNV:                spirv.OpReorderThreadWithHitObjectEXT,
	spirv.OpReorderThreadWithHintNV:                     spirv.OpReorderThreadWithHintEXT,
}

// lowerHitObjects makes hit objects, attributes and instructions of NV those of EXT, and takes instructions that do several things
// apart: trace, reorder, execute.
func (s *stage) lowerHitObjects() error {
	if !s.hasHitObjects() {
		return nil
	}
	m := s.module
	for i := range m.Globals {
		switch in := &m.Globals[i]; in.Op {
		case spirv.OpTypeHitObjectNV:
			in.Op = spirv.OpTypeHitObjectEXT
		case spirv.OpTypePointer:
			in.TypePointer().SetStorageClass(extAttributes(in.TypePointer().StorageClass()))
		case spirv.OpVariable:
			in.Variable().SetStorageClass(extAttributes(in.Variable().StorageClass()))
		case spirv.OpTypeForwardPointer:
			in.TypeForwardPointer().SetStorageClass(extAttributes(in.TypeForwardPointer().StorageClass()))
		}
	}
	m.ShareTypes()
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			var out []spirv.Inst
			for i := range b.Insts {
				in := &b.Insts[i]
				if in.Op == spirv.OpVariable {
					in.Variable().SetStorageClass(extAttributes(in.Variable().StorageClass()))
				}
				out = s.hitObjectInst(out, in)
			}
			b.Insts = out
		}
	}
	return nil
}

// hasHitObjects tells whether the module has anything of these extensions.
func (s *stage) hasHitObjects() bool {
	return s.module.HasCapability(spirv.CapabilityShaderInvocationReorderNV) ||
		s.module.HasCapability(spirv.CapabilityShaderInvocationReorderEXT)
}

// extAttributes returns the storage class that a class is by EXT's name.
func extAttributes(class spirv.StorageClass) spirv.StorageClass {
	if class == spirv.StorageClassHitObjectAttributeNV {
		return spirv.StorageClassHitObjectAttributeEXT
	}
	return class
}

// hitObjectInst appends what stands for an instruction.
func (s *stage) hitObjectInst(out []spirv.Inst, in *spirv.Inst) []spirv.Inst {
	reorder := func(object spirv.ID, rest []uint32) spirv.Inst { // with the hint that follows
		return spirv.Inst{Op: spirv.OpReorderThreadWithHitObjectEXT, Operands: append([]uint32{uint32(object)}, rest...)}
	}
	execute := func(object, payload spirv.ID) spirv.Inst {
		return spirv.Inst{Op: spirv.OpHitObjectExecuteShaderEXT, Operands: []uint32{uint32(object), uint32(payload)}}
	}
	switch in.Op {
	case spirv.OpHitObjectRecordMissNV:
		v, flags := in.HitObjectRecordMissNV(), s.module.ConstantU32(0)
		var operands []uint32
		for _, id := range []spirv.ID{v.HitObject(), flags, v.SBTIndex(), v.Origin(), v.TMin(), v.Direction(), v.TMax()} {
			operands = append(operands, uint32(id))
		}
		return append(out, spirv.Inst{Op: spirv.OpHitObjectRecordMissEXT, Operands: operands})
	case spirv.OpHitObjectReorderExecuteShaderEXT:
		v := in.HitObjectReorderExecuteShader()
		return append(out, reorder(v.HitObject(), v.Reorder()), execute(v.HitObject(), v.Payload()))
	case spirv.OpHitObjectTraceReorderExecuteEXT:
		v := in.HitObjectTraceReorderExecute()
		trace := spirv.Inst{Op: spirv.OpHitObjectTraceRayEXT, Operands: v.Trace()}
		return append(out, trace, reorder(v.HitObject(), v.Reorder()), execute(v.HitObject(), v.Payload()))
	}
	c := *in
	if op, ok := hitObjectOps[in.Op]; ok {
		c.Op = op
	}
	return append(out, c)
}
