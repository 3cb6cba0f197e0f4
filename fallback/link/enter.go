package link

import "github.com/everray/everray/fallback/spirv"

// getter is how a built-in is read: a function of the runtime.
type getter struct{ hit, miss string }

// getters lists the built-ins of ray tracing by what they return in hit shaders and in miss shaders.
var getters = map[spirv.BuiltIn]getter{
	spirv.BuiltInWorldRayOriginKHR:      {"rtWorldRayOrigin", "rtWorldRayOrigin"},
	spirv.BuiltInWorldRayDirectionKHR:   {"rtWorldRayDirection", "rtWorldRayDirection"},
	spirv.BuiltInObjectRayOriginKHR:     {hit: "rtObjectRayOrigin"},
	spirv.BuiltInObjectRayDirectionKHR:  {hit: "rtObjectRayDirection"},
	spirv.BuiltInRayTminKHR:             {"rtRayTmin", "rtRayTmin"},
	spirv.BuiltInRayTmaxKHR:             {"rtRayTmaxHit", "rtRayTmaxMiss"},
	spirv.BuiltInIncomingRayFlagsKHR:    {"rtRayFlags", "rtRayFlags"},
	spirv.BuiltInCullMaskKHR:            {"rtCullMask", "rtCullMask"},
	spirv.BuiltInHitKindKHR:             {hit: "rtHitKind"},
	spirv.BuiltInInstanceId:             {hit: "rtInstanceId"},
	spirv.BuiltInInstanceCustomIndexKHR: {hit: "rtInstanceCustomIndex"},
	spirv.BuiltInPrimitiveId:            {hit: "rtPrimitiveId"},
	spirv.BuiltInRayGeometryIndexKHR:    {hit: "rtGeometryIndex"},
	spirv.BuiltInObjectToWorldKHR:       {hit: "rtObjectToWorld"},
	spirv.BuiltInWorldToObjectKHR:       {hit: "rtWorldToObject"},
	spirv.BuiltInHitTNV:                 {hit: "rtRayTmaxHit"},
}

// getter returns the function that reads a built-in in this stage, "" if there is none.
func (s *stage) getter(b spirv.BuiltIn) string {
	g := getters[b]
	switch s.Model {
	case ClosestHit, AnyHit:
		return g.hit
	case Miss:
		return g.miss
	}
	return ""
}

// computeBuiltIns are those of other stages that a compute shader has as well.
var computeBuiltIns = map[spirv.BuiltIn]bool{
	spirv.BuiltInSubgroupSize: true, spirv.BuiltInSubgroupLocalInvocationId: true, spirv.BuiltInSubgroupEqMask: true,
	spirv.BuiltInSubgroupGeMask: true, spirv.BuiltInSubgroupGtMask: true, spirv.BuiltInSubgroupLeMask: true,
	spirv.BuiltInSubgroupLtMask: true, spirv.BuiltInDeviceIndex: true,
}

// checkBuiltIns refuses built-ins that the stage cannot have.
func (s *stage) checkBuiltIns() error {
	for _, id := range sortedIDs(s.uses) {
		r := s.uses[id]
		switch {
		case r.kind != roleBuiltIn, computeBuiltIns[r.builtIn], s.getter(r.builtIn) != "",
			r.builtIn == spirv.BuiltInLaunchIdKHR, r.builtIn == spirv.BuiltInLaunchSizeKHR:
		default:
			return s.unsupported("built-in %d in a %v shader", r.builtIn, s.Model)
		}
	}
	return nil
}

// enter writes what a shader begins with: the variables that it reads before it writes them get their contents.
func (e *emitter) enter() {
	live := e.s.live.in[0]
	for _, x := range e.s.vars.list {
		if !live.anyIn(x.first, x.count) {
			continue
		}
		switch x.role.kind {
		case roleBuiltIn:
			e.enterBuiltIn(x)
		case rolePrivate:
			if x.role.initializer != 0 {
				e.store(e.variable(x), x.role.initializer)
			}
		case roleRecordAddress:
			e.store(e.variable(x), e.loadGlobal("rtRecord"))
		case roleIncomingSlot:
			e.store(e.variable(x), e.loadGlobal("rtPayload"))
		case roleIncoming:
			slot := e.loadGlobal("rtPayload")
			for i := x.first; i < x.first+x.count; i++ {
				if live.has(i) {
					e.restore(i, slot, e.s.vars.offset(i))
				}
			}
		case roleHit:
			e.enterAttributes(x)
		}
	}
}

func (e *emitter) enterBuiltIn(x *variable) {
	if name := e.s.getter(x.role.builtIn); name != "" {
		value := e.call(name)
		e.store(e.variable(x), e.convert(value, e.l.returnType(e.l.symbol(name)), x.typ))
		return
	}
	// One that compute shaders have too.
	input := e.l.inputVariable(x.role.builtIn, x.typ)
	e.store(e.variable(x), e.load(x.typ, input))
}

// enterAttributes fills the hit attributes of a triangle: two floats at the variable's begin.
func (e *emitter) enterAttributes(x *variable) {
	t := e.l.types
	vec2 := t.vector(t.float32(), 2)
	words := e.words(e.call("rtBarycentrics"), vec2)
	for i := x.first; i < x.first+x.count && len(words) > 0; i++ {
		f := e.s.vars.leaves[i]
		for uint32(len(words)) < f.dwords { // more than a triangle has: zero
			words = append(words, e.u32(0))
		}
		e.store(e.pointer(i), e.fromWords(&words, f.typ))
	}
}

// inputVariable returns the module's input variable for a built-in of compute shaders.
func (l *linker) inputVariable(b spirv.BuiltIn, typ spirv.ID) spirv.ID {
	if id, ok := l.inputs[b]; ok {
		return id
	}
	id := l.out.NewID()
	l.types.add(spirv.Inst{Op: spirv.OpVariable, Type: l.types.pointer(spirv.StorageClassInput, typ), Result: id,
		Operands: []uint32{uint32(spirv.StorageClassInput)}})
	l.out.Annotations = append(l.out.Annotations, spirv.Inst{
		Op: spirv.OpDecorate, Operands: []uint32{uint32(id), uint32(spirv.DecorationBuiltIn), uint32(b)}})
	l.inputs[b] = id
	return id
}

// variable returns the pointer of a variable in the state function.
func (e *emitter) variable(x *variable) spirv.ID {
	if x.local {
		return e.ids.id(x.id)
	}
	return x.id
}

// pointer returns the pointer to a leaf.
func (e *emitter) pointer(i int) spirv.ID {
	f := e.s.vars.leaves[i]
	base := e.variable(f.variable)
	if len(f.path) == 0 {
		return base
	}
	operands := []uint32{uint32(base)}
	for _, k := range f.path {
		operands = append(operands, uint32(e.u32(k)))
	}
	return e.value(spirv.OpAccessChain, e.l.types.pointer(f.variable.class, f.typ), operands...)
}

// slot returns the number of a stack slot.
func (e *emitter) slot(base spirv.ID, offset uint32) spirv.ID {
	if offset == 0 {
		return base
	}
	return e.value(spirv.OpIAdd, e.l.types.uint32(), uint32(base), uint32(e.u32(offset)))
}

// save writes a leaf to the stack.
func (e *emitter) save(i int, base spirv.ID, offset uint32) {
	f := e.s.vars.leaves[i]
	for k, w := range e.words(e.load(f.typ, e.pointer(i)), f.typ) {
		e.call("rtStore", e.slot(base, offset+uint32(k)), w)
	}
}

// restore reads a leaf from the stack.
func (e *emitter) restore(i int, base spirv.ID, offset uint32) {
	f := e.s.vars.leaves[i]
	var words []spirv.ID
	for k := uint32(0); k < f.dwords; k++ {
		words = append(words, e.call("rtLoad", e.slot(base, offset+k)))
	}
	e.store(e.pointer(i), e.fromWords(&words, f.typ))
}

// cut leaves the shader: its frame goes to the stack, the ray to the runtime.
func (e *emitter) cut(at *site) {
	t := e.l.types
	f := &at.frame
	size := e.u32(f.size)
	fits := e.call("rtReserve", size)
	pushed, failed := e.l.out.NewID(), e.l.out.NewID()
	e.choose(fits, pushed, failed)

	e.block(pushed)
	base := e.loadGlobal("rtFrame")
	for _, sp := range f.spilled {
		e.save(sp.leaf, base, sp.slot)
	}
	payload := e.payloadSlot(f, base)
	for i := f.payload.first; i < f.payload.first+f.payload.count; i++ {
		e.save(i, payload, e.s.vars.offset(i))
	}
	e.setRay(&at.call)
	e.returnValue(e.call("rtCall", size, e.u32(at.state), payload))

	e.block(failed)
	e.returnValue(t.u32(stateDone))
}

// payloadSlot returns where the payload of a call lies: in the frame, or with whoever passed it in.
func (e *emitter) payloadSlot(f *frame, base spirv.ID) spirv.ID {
	if f.ownPayload {
		return e.slot(base, 1)
	}
	return e.load(e.l.types.uint32(), e.variable(e.s.vars.byID[e.s.incomingSlot]))
}

// setRay hands the operands of a trace call to the runtime.
func (e *emitter) setRay(call *spirv.Inst) {
	word := e.l.types.uint32()
	var args []spirv.ID
	for i, o := range call.Operands[:10] {
		id := spirv.ID(o)
		if !e.l.isGlobal(id) {
			id = e.ids.id(id)
		}
		if i >= 1 && i <= 5 { // flags, mask, offset, stride, miss index: of either sign
			id = e.convert(id, e.s.typeOf(e.l, spirv.ID(o)), word)
		}
		args = append(args, id)
	}
	e.call("rtSetRay", args...)
}

// typeOf returns the type of a value in the entry function or outside.
func (s *stage) typeOf(l *linker, id spirv.ID) spirv.ID {
	if in := l.types.get(id); in != nil {
		return in.Type
	}
	if s.types == nil {
		s.types = map[spirv.ID]spirv.ID{}
		for _, b := range s.function.Blocks {
			for i := range b.Insts {
				s.types[b.Insts[i].Result] = b.Insts[i].Type
			}
		}
	}
	return s.types[id]
}

// resume is the inverse of cut.
func (e *emitter) resume(at *site) {
	f := &at.frame
	e.call("rtResume", e.u32(f.size))
	base := e.loadGlobal("rtFrame")
	for _, sp := range f.spilled {
		e.restore(sp.leaf, base, sp.slot)
	}
	if len(f.reloaded) == 0 {
		return
	}
	payload := e.payloadSlot(f, base)
	for _, i := range f.reloaded {
		e.restore(i, payload, e.s.vars.offset(i))
	}
}

// exit ends the shader: what it may have changed of its payload goes back, and the scheduler learns what is next.
func (e *emitter) exit(op spirv.Op) {
	var slot spirv.ID
	for _, x := range e.s.vars.list {
		if x.role.kind != roleIncoming {
			continue
		}
		for i := x.first; i < x.first+x.count; i++ {
			if !e.s.live.written.has(i) {
				continue
			}
			if slot == 0 {
				slot = e.load(e.l.types.uint32(), e.variable(e.s.vars.byID[e.s.incomingSlot]))
			}
			e.save(i, slot, e.s.vars.offset(i))
		}
	}
	switch {
	case op == spirv.OpIgnoreIntersectionKHR:
		e.returnValue(e.u32(candidateIgnore))
	case op == spirv.OpTerminateRayKHR:
		e.returnValue(e.u32(candidateTerminate))
	case e.s.Model == AnyHit:
		e.returnValue(e.u32(candidateAccept))
	case e.s.Model == Raygen:
		e.returnValue(e.u32(stateDone))
	default:
		e.returnValue(e.call("rtReturn"))
	}
}
