package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// queryCall is the function of shaders/fallback/query.glsl that stands for an instruction.
type queryCall struct {
	routine
	// reads and writes tell what it does with the query. Initialize does not read it.
	reads, writes bool
}

func queryGetter(f routine) queryCall { return queryCall{f, true, false} }

// makeQueryCalls maps the instructions of SPV_KHR_ray_query to functions. Operands follow the query, in their order.
func (y *querySymbols) makeQueryCalls() map[spirv.Op]queryCall {
	return map[spirv.Op]queryCall{
		spirv.OpRayQueryInitializeKHR:                         {y.RqInitialize, false, true},
		spirv.OpRayQueryProceedKHR:                            {y.RqProceed, true, true},
		spirv.OpRayQueryTerminateKHR:                          {y.RqTerminate, true, true},
		spirv.OpRayQueryConfirmIntersectionKHR:                {y.RqConfirmIntersection, true, true},
		spirv.OpRayQueryGenerateIntersectionKHR:               {y.RqGenerateIntersection, true, true},
		spirv.OpRayQueryGetRayTMinKHR:                         queryGetter(y.RqGetRayTMin),
		spirv.OpRayQueryGetRayFlagsKHR:                        queryGetter(y.RqGetRayFlags),
		spirv.OpRayQueryGetWorldRayOriginKHR:                  queryGetter(y.RqGetWorldRayOrigin),
		spirv.OpRayQueryGetWorldRayDirectionKHR:               queryGetter(y.RqGetWorldRayDirection),
		spirv.OpRayQueryGetIntersectionTypeKHR:                queryGetter(y.RqGetIntersectionType),
		spirv.OpRayQueryGetIntersectionTKHR:                   queryGetter(y.RqGetIntersectionT),
		spirv.OpRayQueryGetIntersectionInstanceCustomIndexKHR: queryGetter(y.RqGetIntersectionInstanceCustomIndex),
		spirv.OpRayQueryGetIntersectionInstanceIdKHR:          queryGetter(y.RqGetIntersectionInstanceId),
		spirv.OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR: queryGetter(
			y.RqGetIntersectionInstanceShaderBindingTableRecordOffset),
		spirv.OpRayQueryGetIntersectionGeometryIndexKHR:           queryGetter(y.RqGetIntersectionGeometryIndex),
		spirv.OpRayQueryGetIntersectionPrimitiveIndexKHR:          queryGetter(y.RqGetIntersectionPrimitiveIndex),
		spirv.OpRayQueryGetIntersectionBarycentricsKHR:            queryGetter(y.RqGetIntersectionBarycentrics),
		spirv.OpRayQueryGetIntersectionFrontFaceKHR:               queryGetter(y.RqGetIntersectionFrontFace),
		spirv.OpRayQueryGetIntersectionCandidateAABBOpaqueKHR:     queryGetter(y.RqGetIntersectionCandidateAABBOpaque),
		spirv.OpRayQueryGetIntersectionObjectRayDirectionKHR:      queryGetter(y.RqGetIntersectionObjectRayDirection),
		spirv.OpRayQueryGetIntersectionObjectRayOriginKHR:         queryGetter(y.RqGetIntersectionObjectRayOrigin),
		spirv.OpRayQueryGetIntersectionObjectToWorldKHR:           queryGetter(y.RqGetIntersectionObjectToWorld),
		spirv.OpRayQueryGetIntersectionWorldToObjectKHR:           queryGetter(y.RqGetIntersectionWorldToObject),
		spirv.OpRayQueryGetIntersectionClusterIdNV:                queryGetter(y.RqGetIntersectionClusterId),
		spirv.OpRayQueryGetIntersectionTriangleVertexPositionsKHR: queryGetter(y.RqGetIntersectionTriangleVertexPositions),
	}
}

// lowerQueries replaces the ray queries of all stages by calls of the runtime's functions.
func (l *mergedStages) lowerQueries() error {
	return each(l.job, l.stages, l.lowerStageQueries)
}

// lowerStageQueries makes the stage's queries variables of functions, and the instructions calls. Compilers declare
// queries as variables of the module, wherever the source does.
func (l *mergedStages) lowerStageQueries(s *mergedStage) error {
	q := &queryLowering{accessLowering: accessLowering{l: l, s: s}, struc: l.queryType(), holds: map[spirv.ID]bool{}}
	q.functions = l.functionsOfStage(s)
	q.placeGlobals()
	q.structures, q.addresses = map[spirv.ID]bool{}, map[spirv.ID]spirv.ID{}
	for _, f := range q.functions {
		q.retype(f)
	}
	for _, f := range q.functions {
		if err := q.function(f); err != nil {
			return err
		}
	}
	return nil
}

// queryType returns the structure that stands for OpTypeRayQueryKHR.
func (l *linked) queryType() spirv.ID {
	if f := l.functionByID(l.symbols.RqProceed.id); f != nil && len(f.Params) > 0 {
		_, typ := l.types.pointee(f.Params[0].Type)
		return typ
	}
	return 0
}

// queryLowering rewrites the queries of one stage.
type queryLowering struct {
	accessLowering
	struc      spirv.ID // the type of a query
	functions  []*spirv.Function
	holds      map[spirv.ID]bool // types by whether they are or contain queries
	structures map[spirv.ID]bool // parameters that were pointers to an acceleration structure's descriptor, now its address

	addresses map[spirv.ID]spirv.ID // access chains to the address in such a descriptor, and the parameter

	// callers are the functions by what they call; nil before somebody asks.
	callers map[spirv.ID][]*spirv.Function

	f *spirv.Function
	// objects are the variables and parameters of the function: the pointers that a call may pass.
	objects map[spirv.ID]bool
	// spare is the variable that stands in for queries that cannot be passed, 0 if there is none yet.
	spare spirv.ID
	added []spirv.Inst // variables to declare
}

// queries tells whether a type is a query, or contains one.
func (q *queryLowering) queries(typ spirv.ID) bool {
	if typ == q.struc {
		return typ != 0
	}
	if known, ok := q.holds[typ]; ok {
		return known
	}
	found := false
	switch in := q.l.types.get(typ); {
	case in == nil:
	case in.Op == spirv.OpTypeArray:
		found = q.queries(in.TypeArray().ElementType())
	case in.Op == spirv.OpTypeStruct:
		for _, member := range in.TypeStruct().Members() {
			found = found || q.queries(spirv.ID(member))
		}
	}
	q.holds[typ] = found
	return found
}

// local returns the type of a pointer to queries in a function, and whether typ is one to queries in the module.
func (q *queryLowering) local(typ spirv.ID) (spirv.ID, bool) {
	class, pointee := q.l.types.pointee(typ)
	if class != spirv.StorageClassPrivate || !q.queries(pointee) {
		return typ, false
	}
	return q.l.types.pointer(spirv.StorageClassFunction, pointee), true
}

// retype makes pointers to queries those into functions, and descriptors of acceleration structures that are passed to
// the function their addresses: a pointer to a storage buffer cannot be passed.
func (q *queryLowering) retype(f *spirv.Function) {
	t := q.l.types
	var params []spirv.ID
	for i := range f.Params {
		p := &f.Params[i]
		p.Type, _ = q.local(p.Type)
		if class, pointee := t.pointee(p.Type); class == spirv.StorageClassStorageBuffer && pointee == q.s.struc {
			p.Type = t.vector(t.uint32(), 2)
			q.structures[p.Result] = true
		}
		params = append(params, p.Type)
	}
	f.Def.Function().SetFunctionType(t.function(f.Def.Type, params...))
	for _, b := range f.Blocks {
		for i := range b.Insts {
			q.l.work(1)
			in := &b.Insts[i]
			if class, _ := t.pointee(in.Type); class == spirv.StorageClassPrivate {
				in.Type, _ = q.local(in.Type)
			}
		}
	}
}

func (q *queryLowering) function(f *spirv.Function) error {
	q.f, q.types, q.objects, q.spare, q.added = f, map[spirv.ID]spirv.ID{}, map[spirv.ID]bool{}, 0, nil
	for i := range f.Params {
		q.types[f.Params[i].Result], q.objects[f.Params[i].Result] = f.Params[i].Type, true
	}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			q.l.work(1)
			if in := &b.Insts[i]; in.Result != 0 {
				q.types[in.Result] = in.Type
				q.objects[in.Result] = in.Op == spirv.OpVariable
			}
		}
	}
	for _, b := range f.Blocks {
		q.out = make([]spirv.Inst, 0, len(b.Insts))
		for i := range b.Insts {
			q.l.work(1)
			if err := q.inst(b.Insts[i]); err != nil {
				return err
			}
		}
		b.Insts = q.out
	}
	slices.Reverse(q.added)
	addVariableInsts(f, q.added)
	return nil
}

func (q *queryLowering) inst(in spirv.Inst) error {
	if c, ok := q.l.symbols.queryCalls[in.Op]; ok {
		return q.call(in, c)
	}
	switch {
	case in.Op == spirv.OpAccessChain && q.structures[in.AccessChain().Base()]:
		// to the address in the descriptor, which the parameter is now
		q.addresses[in.Result] = in.AccessChain().Base()
		return nil
	case in.Op == spirv.OpLoad && q.addresses[in.Load().Pointer()] != 0:
		parameter := q.addresses[in.Load().Pointer()]
		in = spirv.Inst{Op: spirv.OpCopyObject, Type: q.types[parameter], Result: in.Result, Operands: []uint32{uint32(parameter)}}
	case in.Op == spirv.OpFunctionCall:
		q.userCall(in)
		return nil
	}
	q.out = append(q.out, in)
	return nil
}

// call replaces an instruction by a call.
func (q *queryLowering) call(in spirv.Inst, c queryCall) error {
	query := in.RayQuery().RayQuery()
	class, pointee := q.l.types.pointee(q.typeOf(query))
	if pointee != q.struc || class != spirv.StorageClassFunction {
		return q.s.invalid("%v on what is no ray query", in.Op)
	}
	argument := query
	if !q.objects[query] {
		if q.spare == 0 {
			q.spare = q.variable(q.struc)
		}
		argument = q.spare
		if c.reads {
			q.copy(argument, query, q.struc)
		}
	}
	if q.l.skipHelpers && in.Op == spirv.OpRayQueryProceedKHR {
		q.abandon(argument)
	}
	f := q.l.functionByID(c.id)
	call := spirv.Inst{Op: spirv.OpFunctionCall, Type: f.Def.Type, Operands: []uint32{uint32(f.Def.Result), uint32(argument)}}
	if len(f.Params) != len(in.Operands) {
		return q.s.invalid("%v with %d operands", in.Op, len(in.Operands))
	}
	for i, o := range in.RayQuery().Others() {
		value, ok := q.convert(spirv.ID(o), q.typeOf(spirv.ID(o)), f.Params[i+1].Type)
		if !ok {
			return q.s.invalid("operand %d of %v is of a wrong type", i+1, in.Op)
		}
		call.Operands = append(call.Operands, uint32(value))
	}
	if in.Result != 0 && in.Type == call.Type {
		call.Result = in.Result
	} else {
		call.Result = q.l.out.NewID()
	}
	q.out = append(q.out, call)
	if in.Result != call.Result && in.Result != 0 && !q.result(in, call) {
		return q.s.invalid("result of %v is of a wrong type", in.Op)
	}
	if argument != query && c.writes {
		q.copy(query, argument, q.struc)
	}
	return nil
}

// abandon ends the query if the invocation is a helper. Those that become helpers on the way are known to an instruction
// only.
func (q *queryLowering) abandon(query spirv.ID) {
	t := q.l.types
	var helper spirv.ID
	if q.l.out.HasCapability(spirv.CapabilityDemoteToHelperInvocation) {
		helper = q.emit(spirv.OpIsHelperInvocationEXT, t.boolean())
	} else {
		helper = q.emit(spirv.OpLoad, t.boolean(), uint32(q.l.builtInVariable(spirv.BuiltInHelperInvocation, t.boolean())))
	}
	q.emit(spirv.OpFunctionCall, t.void(), uint32(q.l.symbols.RqAbandon.id), uint32(query), uint32(helper))
}

// builtInVariable returns the shader's input variable for a built-in, which it may have already.
func (l *linked) builtInVariable(b spirv.BuiltIn, typ spirv.ID) spirv.ID {
	for i := range l.out.Annotations {
		in := &l.out.Annotations[i]
		if have, ok := in.BuiltIn(); ok && have == b && l.types.op(in.Decorate().Target()) == spirv.OpVariable {
			return in.Decorate().Target()
		}
	}
	return l.inputVariable(b, typ)
}

// convert returns a value as one of type to: integers of 32 bits may differ in their sign.
func (q *queryLowering) convert(value, from, to spirv.ID) (spirv.ID, bool) {
	if from == to {
		return value, true
	}
	if !q.word(from) || !q.word(to) {
		return 0, false
	}
	return q.emit(spirv.OpBitcast, to, uint32(value)), true
}

func (q *queryLowering) word(typ spirv.ID) bool {
	in := q.l.types.get(typ)
	return in != nil && in.Op == spirv.OpTypeInt && in.TypeNumber().Width() == 32
}

// result gives in's id to the value of a call of another type: an integer of the other sign, or an array of the columns.
func (q *queryLowering) result(in, call spirv.Inst) bool {
	t := q.l.types
	if q.word(in.Type) && q.word(call.Type) {
		q.out = append(q.out, spirv.Inst{Op: spirv.OpBitcast, Type: in.Type, Result: in.Result, Operands: []uint32{uint32(call.Result)}})
		return true
	}
	column, n := t.element(call.Type, 0)
	element, m := t.element(in.Type, 0)
	if t.op(call.Type) != spirv.OpTypeMatrix || t.op(in.Type) != spirv.OpTypeArray || column != element || n != m {
		return false
	}
	array := spirv.Inst{Op: spirv.OpCompositeConstruct, Type: in.Type, Result: in.Result}
	for i := uint32(0); i < n; i++ {
		array.Operands = append(array.Operands, uint32(q.emit(spirv.OpCompositeExtract, column, uint32(call.Result), i)))
	}
	q.out = append(q.out, array)
	return true
}

// userCall passes queries on: only variables and parameters can be passed, so that elements of arrays are copied there
// and back. Descriptors of acceleration structures are loaded.
func (q *queryLowering) userCall(in spirv.Inst) {
	t := q.l.types
	in = in.Clone()
	type object struct{ variable, query, typ spirv.ID }
	var back []object
	callee, arguments := q.s.functions[in.FunctionCall().Function()], in.FunctionCall().Arguments()
	for i, o := range arguments {
		id := spirv.ID(o)
		class, pointee := t.pointee(q.typeOf(id))
		switch {
		case class == spirv.StorageClassFunction && q.queries(pointee) && !q.objects[id]:
			v := q.variable(pointee)
			q.copy(v, id, pointee)
			back = append(back, object{v, id, pointee})
			arguments[i] = uint32(v)
		case callee != nil && i < len(callee.Params) && q.structures[callee.Params[i].Result] && class == spirv.StorageClassStorageBuffer:
			word := t.vector(t.uint32(), 2)
			member := q.emit(spirv.OpAccessChain, t.pointer(spirv.StorageClassStorageBuffer, word), o, uint32(t.u32(0)))
			arguments[i] = uint32(q.emit(spirv.OpLoad, word, uint32(member)))
		}
	}
	q.out = append(q.out, in)
	for _, b := range back {
		q.copy(b.query, b.variable, b.typ)
	}
}

// variable declares a variable of the function.
func (q *queryLowering) variable(typ spirv.ID) spirv.ID {
	in := q.l.newVariable(typ)
	q.added = append(q.added, in)
	q.types[in.Result], q.objects[in.Result] = in.Type, true
	return in.Result
}

func (q *queryLowering) copy(to, from, typ spirv.ID) {
	value := q.emit(spirv.OpLoad, typ, uint32(from))
	q.out = append(q.out, spirv.Inst{Op: spirv.OpStore, Operands: []uint32{uint32(to), uint32(value)}})
}
