package printf

import "github.com/everray/everray/fallback/spirv"

// getters are the instructions of a dialect of hit objects that tell what is in one.
type getters struct{ isHit, isMiss, instance, custom, geometry, primitive, kind, t, record spirv.Op }

var (
	gettersNV = getters{spirv.OpHitObjectIsHitNV, spirv.OpHitObjectIsMissNV, spirv.OpHitObjectGetInstanceIdNV,
		spirv.OpHitObjectGetInstanceCustomIndexNV, spirv.OpHitObjectGetGeometryIndexNV, spirv.OpHitObjectGetPrimitiveIndexNV,
		spirv.OpHitObjectGetHitKindNV, spirv.OpHitObjectGetRayTMaxNV, spirv.OpHitObjectGetShaderBindingTableRecordIndexNV}
	gettersEXT = getters{spirv.OpHitObjectIsHitEXT, spirv.OpHitObjectIsMissEXT, spirv.OpHitObjectGetInstanceIdEXT,
		spirv.OpHitObjectGetInstanceCustomIndexEXT, spirv.OpHitObjectGetGeometryIndexEXT, spirv.OpHitObjectGetPrimitiveIndexEXT,
		spirv.OpHitObjectGetHitKindEXT, spirv.OpHitObjectGetRayTMaxEXT, spirv.OpHitObjectGetShaderBindingTableRecordIndexEXT}
)

// objectStep is an instruction on hit objects as it is told.
type objectStep struct {
	getters *getters
	object  spirv.ID
	// before and after begin the steps ahead of it and behind it; without a text there is no step.
	before, after string
	ray           *ray // what it traces; otherwise the step ahead tells of the object
	payload       spirv.ID
	hinted        hinted
}

// hinted is an instruction that may have a hint: its bits, 0 for none.
type hinted interface {
	Hint() spirv.ID
	Bits() spirv.ID
}

// tracing is an instruction that traces into a hit object.
type tracing interface {
	RayFlags() spirv.ID
	Cullmask() spirv.ID
	SBTRecordOffset() spirv.ID
	SBTRecordStride() spirv.ID
	MissIndex() spirv.ID
	Origin() spirv.ID
	Direction() spirv.ID
	TMin() spirv.ID
	TMax() spirv.ID
	Payload() spirv.ID
}

func (s *objectStep) trace(t tracing) {
	s.ray = &ray{t.RayFlags(), t.Cullmask(), t.SBTRecordOffset(), t.SBTRecordStride(), t.MissIndex(), t.Origin(), t.Direction(),
		t.TMin(), t.TMax()}
	s.payload = t.Payload()
}

const (
	behindRay    = "goes on behind the ray with "
	behindShader = "goes on behind the shader of "
)

// objectStepOf says what an instruction is told as; nil if it is no step.
func objectStepOf(in *spirv.Inst) *objectStep {
	s := &objectStep{getters: &gettersEXT}
	switch in.Op {
	case spirv.OpHitObjectTraceRayNV, spirv.OpHitObjectTraceRayEXT:
		s.before, s.after = "traces: ", behindRay
		s.trace(in.HitObjectTraceRay())
	case spirv.OpHitObjectTraceReorderExecuteEXT:
		s.before, s.after, s.hinted = "traces, reorders and executes: ", behindShader, in.HitObjectTraceReorderExecute()
		s.trace(in.HitObjectTraceReorderExecute())
	case spirv.OpHitObjectExecuteShaderNV, spirv.OpHitObjectExecuteShaderEXT:
		s.before, s.after, s.payload = "executes: ", behindShader, in.HitObjectExecuteShader().Payload()
	case spirv.OpHitObjectReorderExecuteShaderEXT:
		s.before, s.after, s.payload = "reorders and executes: ", behindShader, in.HitObjectReorderExecuteShader().Payload()
		s.hinted = in.HitObjectReorderExecuteShader()
	case spirv.OpReorderThreadWithHitObjectNV, spirv.OpReorderThreadWithHitObjectEXT:
		s.before, s.hinted = "reorders by ", in.ReorderThreadWithHitObject()
	case spirv.OpHitObjectRecordHitNV, spirv.OpHitObjectRecordHitWithIndexNV, spirv.OpHitObjectRecordMissNV,
		spirv.OpHitObjectRecordEmptyNV, spirv.OpHitObjectRecordMissEXT, spirv.OpHitObjectRecordEmptyEXT,
		spirv.OpHitObjectRecordFromQueryEXT:
		s.after = "records "
	case spirv.OpHitObjectSetShaderBindingTableRecordIndexEXT:
		s.after = "changes the record of "
	default:
		return nil
	}
	switch in.Op {
	case spirv.OpHitObjectTraceRayNV, spirv.OpHitObjectExecuteShaderNV, spirv.OpReorderThreadWithHitObjectNV,
		spirv.OpHitObjectRecordHitNV, spirv.OpHitObjectRecordHitWithIndexNV, spirv.OpHitObjectRecordMissNV,
		spirv.OpHitObjectRecordEmptyNV:
		s.getters = &gettersNV
	}
	s.object = in.HitObject().HitObject()
	return s
}

// beforeObject tells what an instruction on a hit object is about to do.
func (w *writer) beforeObject(in *spirv.Inst) {
	s := objectStepOf(in)
	if s == nil || s.before == "" {
		return
	}
	w.step(func(v *values) {
		v.text(s.before)
		if s.ray != nil {
			v.ray(s.ray)
		} else {
			v.object(s.getters, s.object)
		}
		if s.hinted != nil && s.hinted.Bits() != 0 {
			v.hint(", hint ", s.hinted)
		}
		if s.ray == nil && s.payload != 0 {
			v.variable(", payload ", w.global(s.payload))
		}
	})
}

// afterObject tells what an instruction on a hit object has done.
func (w *writer) afterObject(in *spirv.Inst) {
	s := objectStepOf(in)
	if s == nil || s.after == "" {
		return
	}
	w.step(func(v *values) {
		v.text(s.after)
		v.object(s.getters, s.object)
		if s.payload != 0 {
			v.variable(", payload ", w.global(s.payload))
		}
	})
}

// hint adds a hint and its bits.
func (v *values) hint(label string, h hinted) {
	v.value(label, "#x", h.Hint())
	v.value(" of bits ", "u", h.Bits())
}

// object adds what is in a hit object. Where it has no hit most of it is 0.
func (v *values) object(g *getters, object spirv.ID) {
	m := v.w.m
	boolType, unsigned, float := m.TypeBool(), m.TypeInt(32, false), m.TypeFloat(32)
	v.w.declared()
	get := func(label, verb string, op spirv.Op, typ spirv.ID) {
		v.value(label, verb, v.w.emit(op, typ, uint32(object)))
	}
	get("a hit object: hit ", "u", g.isHit, boolType)
	get(", miss ", "u", g.isMiss, boolType)
	get(", instance ", "u", g.instance, unsigned)
	get(" (custom index ", "u", g.custom, unsigned)
	get("), geometry ", "u", g.geometry, unsigned)
	get(", primitive ", "u", g.primitive, unsigned)
	get(", t ", "g", g.t, float)
	get(", kind ", "#x", g.kind, unsigned)
	get(", record ", "u", g.record, unsigned)
}
