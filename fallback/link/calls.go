package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// maxAttributeWords is the room for hit attributes, as RT_ATTRIBUTE_WORDS.
const maxAttributeWords = 8

// MaxAttributeBytes is the size of the largest hit attributes, as maxRayHitAttributeSize.
const MaxAttributeBytes = 4 * maxAttributeWords

// procedural tells whether hit attributes may come from intersection shaders, those of other libraries included.
func (l *framedStages) procedural() bool {
	if l.library || len(l.options.Libraries) > 0 {
		return true
	}
	for _, s := range l.stages {
		if s.Kind == Intersection || s.records {
			return true
		}
	}
	return false
}

// departure writes how a shader is left and resumed.
type departure struct{ entrance }

// cuts tells whether an instruction is a cut.
func (e *departure) cuts(op spirv.Op) bool { return leaves(op) && e.to.form.cuts() }

// cut leaves the shader: its frame goes to the stack, the call to the runtime.
func (e *departure) cut(f *frame) {
	if f.call.Op == spirv.OpReorderThreadWithHintEXT {
		e.reorder(f)
		return
	}
	size := e.u32(f.size / quadSlots)
	reserve := e.l.symbols.RtReserveTrace
	if f.call.Op == spirv.OpExecuteCallableKHR {
		reserve = e.l.symbols.RtReserve
	}
	fits := e.call(reserve, size)
	base := e.loadGlobal(e.l.symbols.RtFrame)
	payload := e.payloadQuad(f, base)
	pushed, called := e.l.out.NewID(), e.l.out.NewID()
	e.choose(fits, pushed, called)

	e.block(pushed)
	stack := e.stack(base)
	if e.s.Kind == Raygen { // it returns to nobody
		e.save(f.spilled, stack)
	} else {
		e.save(f.spilled, stack, e.loadGlobal(e.l.symbols.RtReturnTo))
	}
	if changed := slices.DeleteFunc(slices.Clone(f.home),
		func(sp spill) bool { return !e.s.live.written.has(sp.leaf) }); len(changed) > 0 {
		e.save(changed, e.home())
	}
	e.save(e.s.vars.all(f.payload), e.payloadPlace(f, stack))
	if f.call.Op == spirv.OpHitObjectExecuteShaderEXT {
		e.save(e.s.vars.all(f.hit), f.hitPlace(stack))
	}
	e.branch(called)

	e.block(called)
	switch f.call.Op {
	case spirv.OpExecuteCallableKHR:
		index := e.unsigned(f.call.ExecuteCallable().SBTIndex())
		e.returnValue(e.call(e.l.symbols.RtCallShader, fits, size, f.constant, payload, index))
		return
	case spirv.OpHitObjectExecuteShaderEXT:
		payload = e.call(e.l.symbols.HoMode, payload, e.u32(modeExecute))
	case spirv.OpHitObjectTraceRayEXT:
		payload = e.call(e.l.symbols.HoMode, payload, e.u32(modeTrace))
		e.setRay(traceOf(&f.call))
	case spirv.OpHitObjectTraceReorderExecuteEXT:
		payload = e.call(e.l.symbols.HoMode, payload, e.u32(modeBoth))
		e.setRay(traceOf(&f.call))
	default:
		e.setRay(&f.call)
	}
	e.returnValue(e.call(e.l.symbols.RtCall, fits, size, f.constant, payload))
}

// payloadQuad returns the stack quad that the payload of a call begins with: in the frame, or with whoever passed it in.
func (e *departure) payloadQuad(f *frame, base spirv.ID) spirv.ID {
	if f.ownPayload {
		return e.value(spirv.OpIAdd, e.l.types.uint32(), uint32(base), uint32(e.u32(f.payloadAt/quadSlots)))
	}
	return e.incomingQuad()
}

// payloadPlace is the same as a place.
func (e *departure) payloadPlace(f *frame, stack place) place {
	if f.ownPayload {
		stack.first = f.payloadAt
		return stack
	}
	return e.home()
}

// setRay hands the operands of a trace call to the runtime.
func (e *departure) setRay(call *spirv.Inst) {
	ray := call.TraceRay()
	structure := spirv.ID(0)
	if e.cuts(call.Op) {
		structure = e.structureOf(ray.Accel())
	}
	if structure == 0 {
		structure = e.operand(ray.Accel())
	} else {
		structure = e.value(spirv.OpCompositeConstruct, e.l.types.vector(e.l.types.uint32(), 2), uint32(structure),
			uint32(e.u32(scheduled)))
	}
	args := []spirv.ID{structure}
	for _, id := range []spirv.ID{ray.RayFlags(), ray.CullMask(), ray.SBTOffset(), ray.SBTStride(), ray.MissIndex()} {
		args = append(args, e.unsigned(id))
	}
	for _, id := range []spirv.ID{ray.RayOrigin(), ray.RayTmin(), ray.RayDirection(), ray.RayTmax()} {
		args = append(args, e.operand(id))
	}
	e.call(e.l.symbols.RtSetRay, args...)
}

// resume is the inverse of cut.
func (e *departure) resume(f *frame) {
	e.call(e.l.symbols.RtResume, e.u32(f.size/quadSlots))
	stack := e.stack(e.loadGlobal(e.l.symbols.RtFrame))
	if e.s.Kind == Raygen {
		e.restore(f.spilled, stack)
	} else {
		e.restore(f.spilled, stack, e.l.symbols.RtReturnTo.id)
	}
	if len(f.home) > 0 {
		e.restore(f.home, e.home())
	}
	if len(f.reloaded) > 0 {
		e.restore(f.reloaded, e.payloadPlace(f, stack))
	}
	for _, x := range f.renewed {
		e.enterBuiltIn(x)
	}
	if len(f.found) > 0 {
		e.restore(f.found, f.hitPlace(stack))
	}
}

// report hands a hit of an intersection shader to the runtime, with the attributes as they are, and ends the shader if no
// other hit can count.
func (e *departure) report(in *spirv.Inst) {
	n := uint32(0)
	for _, x := range e.s.vars.byRole[roleHit] {
		for i := x.first; i < x.first+x.count; i++ {
			f := e.s.vars.leaves[i]
			for _, w := range e.words(e.load(f.typ, e.pointer(i)), f.typ) {
				e.call(e.l.symbols.RtSetAttribute, e.u32(n), w)
				n++
			}
		}
	}
	verdict := e.call(e.l.symbols.RtReport, e.operand(in.ReportIntersection().Hit()), e.unsigned(in.ReportIntersection().HitKind()))
	boolean := e.l.types.boolean()
	e.cur.Insts = append(e.cur.Insts, spirv.Inst{
		Op: spirv.OpINotEqual, Type: boolean, Result: e.ids.id(in.Result),
		Operands: []uint32{uint32(verdict), uint32(e.u32(reportRefused))}})
	end, on := e.l.out.NewID(), e.l.out.NewID()
	e.choose(e.value(spirv.OpIEqual, boolean, uint32(verdict), uint32(e.u32(reportEnd))), end, on)
	e.block(end)
	e.returnValue(e.u32(stateDone))
	e.block(on)
	// The closest hit so far is nearer now.
	for _, x := range e.s.vars.byRole[roleBuiltIn] {
		if x.role.builtIn == spirv.BuiltInRayTmaxKHR || x.role.builtIn == spirv.BuiltInHitTNV {
			e.enterBuiltIn(x)
		}
	}
}

// exit ends the shader: what it may have changed of its payload goes back, and the scheduler learns what is next.
func (e *departure) exit(op spirv.Op) {
	for _, x := range e.s.vars.byRole[roleIncoming] {
		list := e.s.vars.of(x, e.s.live.written)
		if len(list) > 0 {
			e.save(list, e.to.form.outgoing(&e.spiller, x))
		}
	}
	e.returnValue(e.exitValue(op))
}

// exitValue is what a state function, or any hit or intersection function, returns.
func (e *departure) exitValue(op spirv.Op) spirv.ID {
	switch {
	case op == spirv.OpIgnoreIntersectionKHR:
		return e.u32(candidateIgnore)
	case op == spirv.OpTerminateRayKHR:
		return e.u32(candidateTerminate)
	case e.s.Kind == AnyHit:
		return e.u32(candidateAccept)
	case e.s.Kind == Raygen, e.s.Kind == Intersection:
		return e.u32(stateDone)
	}
	return e.to.form.next(&e.copies)
}
