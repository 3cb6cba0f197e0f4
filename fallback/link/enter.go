package link

import "github.com/everray/everray/fallback/spirv"

// getter is how a built-in is read: a function of the runtime.
type getter struct{ hit, miss routine }

// makeBuiltIns lists the built-ins of ray tracing by what they return in hit and intersection shaders, and in miss shaders.
func (y *symbols) makeBuiltIns() map[spirv.BuiltIn]getter {
	return map[spirv.BuiltIn]getter{
		spirv.BuiltInWorldRayOriginKHR:      {y.RtWorldRayOrigin, y.RtWorldRayOrigin},
		spirv.BuiltInWorldRayDirectionKHR:   {y.RtWorldRayDirection, y.RtWorldRayDirection},
		spirv.BuiltInObjectRayOriginKHR:     {hit: y.RtObjectRayOrigin},
		spirv.BuiltInObjectRayDirectionKHR:  {hit: y.RtObjectRayDirection},
		spirv.BuiltInRayTminKHR:             {y.RtRayTmin, y.RtRayTmin},
		spirv.BuiltInRayTmaxKHR:             {y.RtRayTmaxHit, y.RtRayTmaxMiss},
		spirv.BuiltInIncomingRayFlagsKHR:    {y.RtRayFlags, y.RtRayFlags},
		spirv.BuiltInCullMaskKHR:            {y.RtCullMask, y.RtCullMask},
		spirv.BuiltInHitKindKHR:             {hit: y.RtHitKind},
		spirv.BuiltInInstanceId:             {hit: y.RtInstanceId},
		spirv.BuiltInInstanceCustomIndexKHR: {hit: y.RtInstanceCustomIndex},
		spirv.BuiltInPrimitiveId:            {hit: y.RtPrimitiveId},
		spirv.BuiltInRayGeometryIndexKHR:    {hit: y.RtGeometryIndex},
		spirv.BuiltInObjectToWorldKHR:       {hit: y.RtObjectToWorld},
		spirv.BuiltInWorldToObjectKHR:       {hit: y.RtWorldToObject},
		spirv.BuiltInHitTNV:                 {hit: y.RtRayTmaxHit},
		spirv.BuiltInClusterIDNV:            {hit: y.RtClusterId},
	}
}

// getter returns the function that reads a built-in in a stage of a model, and whether there is one.
func (y *symbols) getter(model Model, b spirv.BuiltIn) (routine, bool) {
	g, f := y.builtIns[b], routine{}
	switch model {
	case ClosestHit, AnyHit:
		f = g.hit
	case Intersection:
		if b != spirv.BuiltInHitKindKHR && b != spirv.BuiltInClusterIDNV {
			f = g.hit
		}
	case Miss:
		f = g.miss
	}
	return f, f.id != 0
}

// computeBuiltIns are those of other stages that a compute shader has as well.
var computeBuiltIns = map[spirv.BuiltIn]bool{
	spirv.BuiltInSubgroupSize: true, spirv.BuiltInSubgroupLocalInvocationId: true, spirv.BuiltInSubgroupEqMask: true,
	spirv.BuiltInSubgroupGeMask: true, spirv.BuiltInSubgroupGtMask: true, spirv.BuiltInSubgroupLeMask: true,
	spirv.BuiltInSubgroupLtMask: true, spirv.BuiltInDeviceIndex: true,
	spirv.BuiltInWarpsPerSMNV: true, spirv.BuiltInSMCountNV: true, spirv.BuiltInWarpIDNV: true, spirv.BuiltInSMIDNV: true,
}

// checkBuiltIns refuses built-ins that the stage cannot have.
func (l *linked) checkBuiltIns(s *mergedStage) error {
	for _, id := range sortedIDs(s.uses) {
		r := s.uses[id]
		_, read := l.symbols.getter(s.Kind, r.builtIn)
		switch {
		case r.kind != roleBuiltIn, computeBuiltIns[r.builtIn], read,
			r.builtIn == spirv.BuiltInLaunchIdKHR, r.builtIn == spirv.BuiltInLaunchSizeKHR,
			r.builtIn == spirv.BuiltInHitTriangleVertexPositionsKHR && (s.Kind == ClosestHit || s.Kind == AnyHit):
		default:
			return s.unsupported("built-in %v in a %v shader", r.builtIn, s.Kind)
		}
	}
	return nil
}

// entrance writes the begin of a shader.
type entrance struct {
	spiller
	to *assembly
}

// enter writes what a shader begins with: the variables that it reads before it writes them get their contents.
func (e *entrance) enter() {
	live := e.s.live.at(0)
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
			e.store(e.variable(x), e.loadGlobal(e.l.symbols.RtRecord))
		case roleIncomingSlot:
			e.store(e.variable(x), e.loadGlobal(e.l.symbols.RtPayload))
		case roleIncoming:
			e.restore(e.s.vars.of(x, live), e.to.form.incoming(&e.spiller, x))
		case roleHit:
			e.enterAttributes(x)
		}
	}
}

func (e *entrance) enterBuiltIn(x *variable) {
	if f, ok := e.l.symbols.getter(e.s.Kind, x.role.builtIn); ok {
		value := e.call(f)
		e.store(e.variable(x), e.convert(value, f.result, x.typ))
		return
	}
	if x.role.builtIn == spirv.BuiltInHitTriangleVertexPositionsKHR {
		var corners []uint32
		for k := range uint32(3) {
			corners = append(corners, uint32(e.call(e.l.symbols.RtVertex, e.u32(k))))
		}
		e.store(e.variable(x), e.value(spirv.OpCompositeConstruct, x.typ, corners...))
		return
	}
	var global spirv.ID
	switch x.role.builtIn {
	case spirv.BuiltInLaunchIdKHR:
		global = e.l.symbols.RtLaunchId.id
	case spirv.BuiltInLaunchSizeKHR:
		global = e.l.symbols.RtLaunchSize.id
	default: // one that compute shaders have too
		global = e.l.inputVariable(x.role.builtIn, x.typ)
	}
	_, typ := e.l.types.pointee(e.l.types.get(global).Type) // shaders may differ in the sign
	e.store(e.variable(x), e.convert(e.load(typ, global), typ, x.typ))
}

// enterAttributes fills the hit attributes: those of the intersection shader, if the pipeline has any, or of a triangle, two
// floats at the variable's begin. An intersection shader itself begins with none.
func (e *entrance) enterAttributes(x *variable) {
	if e.s.Kind == Intersection {
		return
	}
	t := e.l.types
	var words []spirv.ID
	if !e.to.procedural {
		words = e.words(e.call(e.l.symbols.RtBarycentrics), t.vector(t.float32(), 2))
	}
	for i, n := x.first, uint32(0); i < x.first+x.count; i++ {
		f := e.s.vars.leaves[i]
		for uint32(len(words)) < f.dwords && e.to.procedural && n < maxAttributeWords {
			words = append(words, e.call(e.l.symbols.RtAttribute, e.u32(n)))
			n++
		}
		if len(words) == 0 {
			return
		}
		for uint32(len(words)) < f.dwords { // more than a triangle has: zero
			words = append(words, e.u32(0))
		}
		e.store(e.pointer(i), e.fromWords(&words, f.typ))
	}
}

// inputVariable returns the module's input variable for a built-in of compute shaders.
func (l *linked) inputVariable(b spirv.BuiltIn, typ spirv.ID) spirv.ID {
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
