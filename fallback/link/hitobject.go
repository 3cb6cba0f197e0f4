package link

import (
	"github.com/everray/everray/fallback/spirv"
)

// Hit objects become structures of the runtime (HoObject in shaders/fallback/hitobject.glsl), which live where the objects did: in
// variables, arrays, structures, parameters and results. What is left of their instructions are calls: trace and execute, which
// are cuts as trace calls are. Reorders are left with a key, where the form has an order to change, and else dropped.

// hitGetter is how a property is read: members of the structure, which a function of the runtime makes a result of. Without a
// function the result is the only member, or whether the object is of a kind.
type hitGetter struct {
	function routine
	members  []string
	kind     uint32
}

// What HoObject's kind is.
const (
	hitObjectEmpty = 0
	hitObjectHit   = 1
	hitObjectMiss  = 2
)

func hitMember(name string) hitGetter { return hitGetter{members: []string{name}} }
func hitKindIs(kind uint32) hitGetter { return hitGetter{members: []string{"kind"}, kind: kind + 1} }
func hitCall(function routine, members ...string) hitGetter {
	return hitGetter{function: function, members: members}
}

// makeHitGetters lists the getters. The time has no member: there is no motion.
func (y *symbols) makeHitGetters() map[spirv.Op]hitGetter {
	return map[spirv.Op]hitGetter{
		spirv.OpHitObjectIsEmptyEXT:                                hitKindIs(hitObjectEmpty),
		spirv.OpHitObjectIsHitEXT:                                  hitKindIs(hitObjectHit),
		spirv.OpHitObjectIsMissEXT:                                 hitKindIs(hitObjectMiss),
		spirv.OpHitObjectGetRayFlagsEXT:                            hitMember("flags"),
		spirv.OpHitObjectGetRayTMinEXT:                             hitMember("tMin"),
		spirv.OpHitObjectGetRayTMaxEXT:                             hitMember("t"),
		spirv.OpHitObjectGetWorldRayOriginEXT:                      hitMember("origin"),
		spirv.OpHitObjectGetWorldRayDirectionEXT:                   hitMember("direction"),
		spirv.OpHitObjectGetHitKindEXT:                             hitMember("hitKind"),
		spirv.OpHitObjectGetPrimitiveIndexEXT:                      hitMember("primitive"),
		spirv.OpHitObjectGetGeometryIndexEXT:                       hitMember("geometry"),
		spirv.OpHitObjectGetInstanceIdEXT:                          hitCall(y.HoInstanceId, "instance"),
		spirv.OpHitObjectGetInstanceCustomIndexEXT:                 hitCall(y.HoInstanceCustomIndex, "instance"),
		spirv.OpHitObjectGetObjectToWorldEXT:                       hitCall(y.HoObjectToWorld, "instance"),
		spirv.OpHitObjectGetWorldToObjectEXT:                       hitCall(y.HoWorldToObject, "instance"),
		spirv.OpHitObjectGetObjectRayOriginEXT:                     hitCall(y.HoObjectRayOrigin, "instance", "origin"),
		spirv.OpHitObjectGetObjectRayDirectionEXT:                  hitCall(y.HoObjectRayDirection, "instance", "direction"),
		spirv.OpHitObjectGetShaderBindingTableRecordIndexEXT:       hitCall(y.HoRecordIndex, "record"),
		spirv.OpHitObjectGetShaderRecordBufferHandleEXT:            hitCall(y.HoRecordData, "kind", "record"),
		spirv.OpHitObjectGetIntersectionTriangleVertexPositionsEXT: hitCall(y.HoVertices, "instance", "leaf", "primitive", "geometry"),
		spirv.OpHitObjectGetClusterIdNV:                            hitCall(y.HoClusterId, "instance", "leaf"),
		spirv.OpHitObjectGetCurrentTimeEXT:                         {},
	}
}

// hitRecords lists what changes an object, or reads more of it than members.
var hitRecords = map[spirv.Op]func(h *hitLowering, in *spirv.Inst) error{
	spirv.OpHitObjectRecordEmptyEXT:                      (*hitLowering).recordEmpty,
	spirv.OpHitObjectRecordMissEXT:                       (*hitLowering).recordMiss,
	spirv.OpHitObjectRecordHitNV:                         (*hitLowering).recordHit,
	spirv.OpHitObjectRecordHitWithIndexNV:                (*hitLowering).recordHitWithIndex,
	spirv.OpHitObjectRecordFromQueryEXT:                  (*hitLowering).recordFromQuery,
	spirv.OpHitObjectSetShaderBindingTableRecordIndexEXT: (*hitLowering).setRecordIndex,
	spirv.OpHitObjectGetAttributesEXT:                    (*hitLowering).attributes,
}

// hitObjectType returns the structure that stands for OpTypeHitObjectEXT.
func (l *linked) hitObjectType() spirv.ID { return l.symbols.HoNothing.result }

// lowerHitObjects makes the instructions on hit objects of all stages reads and writes of structures.
func (l *mergedStages) lowerHitObjects() error {
	return each(l.job, l.stages, func(s *mergedStage) error {
		functions := l.functionsOfStage(s)
		if !l.noteHitObjects(s, functions) {
			return nil
		}
		h := &hitLowering{
			code: code{l: l.linked}, s: s, struc: l.hitObjectType(), indices: map[spirv.ID]map[string]uint32{}, holds: map[spirv.ID]bool{},
			hollows: map[spirv.ID]bool{},
		}
		h.emptyGlobals()
		for _, f := range functions {
			if err := h.function(f); err != nil {
				return err
			}
		}
		return nil
	})
}

// noteHitObjects tells whether the stage has any, and notes what it does with them.
func (l *linked) noteHitObjects(s *mergedStage, functions []*spirv.Function) (found bool) {
	reorders := false
	for _, f := range functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				op := b.Insts[i].Op
				l.work(1)
				if op < spirv.OpHitObjectRecordHitMotionNV { // the first of those extensions
					continue
				}
				_, getter := l.symbols.hitGetters[op]
				s.hitObjects = s.hitObjects || getter || hitRecords[op] != nil || passesHitObject(op)
				switch op {
				case spirv.OpReorderThreadWithHintEXT, spirv.OpReorderThreadWithHitObjectEXT:
					reorders = true
				case spirv.OpHitObjectRecordHitNV, spirv.OpHitObjectRecordHitWithIndexNV, spirv.OpHitObjectRecordFromQueryEXT:
					s.records = true
				}
			}
		}
	}
	return s.hitObjects || reorders
}

// memberIndices returns the places of the members of a structure of the runtime by their names.
func (l *linked) memberIndices(struc spirv.ID) map[string]uint32 {
	indices := map[string]uint32{}
	for i := range l.out.Names {
		if in := &l.out.Names[i]; in.Op == spirv.OpMemberName && in.MemberName().Type() == struc {
			indices[in.MemberName().Name()] = in.MemberName().Member()
		}
	}
	return indices
}

// hitLowering rewrites the hit objects of one stage.
type hitLowering struct {
	code
	s       *mergedStage
	struc   spirv.ID                       // the type of an object
	indices map[spirv.ID]map[string]uint32 // of members by name, by structure: of those that were asked for
	types   map[spirv.ID]spirv.ID          // of the values of the function
	holds   map[spirv.ID]bool              // types by whether they are or contain hit objects
	hollows map[spirv.ID]bool              // types by whether they hold no words
}

// contains tells whether a type is a hit object, or contains one.
func (h *hitLowering) contains(typ spirv.ID) bool {
	if typ == h.struc {
		return true
	}
	if known, ok := h.holds[typ]; ok {
		return known
	}
	found := false
	switch in := h.l.types.get(typ); {
	case in == nil:
	case in.Op == spirv.OpTypeArray:
		found = h.contains(in.TypeArray().ElementType())
	case in.Op == spirv.OpTypeStruct:
		for _, member := range in.TypeStruct().Members() {
			found = found || h.contains(spirv.ID(member))
		}
	}
	h.holds[typ] = found
	return found
}

// emptyGlobals makes objects in the module's variables empty at the begin of the shader.
func (h *hitLowering) emptyGlobals() {
	for _, id := range sortedIDs(h.s.uses) {
		r := h.s.uses[id]
		if _, typ := h.l.types.pointee(h.l.types.get(id).Type); r.kind == rolePrivate && r.initializer == 0 && h.contains(typ) {
			r.initializer = h.null(typ)
			h.s.uses[id] = r
		}
	}
}

func (h *hitLowering) null(typ spirv.ID) spirv.ID {
	return h.l.types.declare(spirv.OpConstantNull, typ)
}

func (h *hitLowering) function(f *spirv.Function) error {
	h.f, h.types = f, map[spirv.ID]spirv.ID{}
	for i := range f.Params {
		h.types[f.Params[i].Result] = f.Params[i].Type
	}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			h.types[b.Insts[i].Result] = b.Insts[i].Type
		}
	}
	for n, b := range f.Blocks {
		h.l.work(len(b.Insts))
		h.cur = &spirv.Block{}
		for i := range b.Insts {
			in := b.Insts[i]
			if n == 0 && in.Op != spirv.OpVariable && (i == 0 || b.Insts[i-1].Op == spirv.OpVariable) {
				h.beginQueries(b.Insts[:i])
			}
			if err := h.inst(&in); err != nil {
				return err
			}
		}
		b.Insts = h.cur.Insts
	}
	return nil
}

// beginQueries makes ray queries that an object may be recorded from ones without a hit, up to their begin.
func (h *hitLowering) beginQueries(variables []spirv.Inst) {
	if !h.s.records {
		return
	}
	t, query := h.l.types, h.l.queryType()
	hit, ok := h.membersOf(query)["hit"]
	for i := range variables {
		class, typ := t.pointee(variables[i].Type)
		element, n := t.element(typ, 0)
		if !ok || typ != query && (t.op(typ) != spirv.OpTypeArray || element != query) {
			continue
		}
		pointer := t.pointer(class, t.uint32())
		if typ == query {
			h.store(h.value(spirv.OpAccessChain, pointer, uint32(variables[i].Result), uint32(h.u32(hit))), h.u32(0))
			continue
		}
		for k := range n {
			h.l.work(1)
			h.store(h.value(spirv.OpAccessChain, pointer, uint32(variables[i].Result), uint32(h.u32(k)), uint32(h.u32(hit))), h.u32(0))
		}
	}
}

func (h *hitLowering) inst(in *spirv.Inst) error {
	getter, reads := h.l.symbols.hitGetters[in.Op]
	record := hitRecords[in.Op]
	if reads || record != nil || passesHitObject(in.Op) || in.Op == spirv.OpReorderThreadWithHitObjectEXT {
		if _, typ := h.l.types.pointee(h.typeOf(in.HitObject().HitObject())); typ != h.struc {
			return h.s.invalid("%v on what is no hit object", in.Op)
		}
	}
	switch {
	case reads:
		return h.get(in, getter)
	case record != nil:
		return record(h, in)
	case in.Op == spirv.OpReorderThreadWithHintEXT, in.Op == spirv.OpReorderThreadWithHitObjectEXT:
		return h.reorder(in)
	case in.Op == spirv.OpVariable && in.Variable().Initializer() == 0:
		if _, typ := h.l.types.pointee(in.Type); h.contains(typ) {
			c := in.Clone()
			c.Operands = append(c.Operands, uint32(h.null(typ)))
			in = &c
		}
	}
	h.cur.Insts = append(h.cur.Insts, *in)
	return nil
}

// typeOf returns the type of a value, in the function or global.
func (h *hitLowering) typeOf(id spirv.ID) spirv.ID {
	if t, ok := h.types[id]; ok {
		return t
	}
	if in := h.l.types.get(id); in != nil {
		return in.Type
	}
	return 0
}

// member returns the pointer to a member of the object that a pointer points to, or further in, and its type.
func (h *hitLowering) member(object spirv.ID, name string, path ...uint32) (pointer, typ spirv.ID) {
	t := h.l.types
	class, outer := t.pointee(h.typeOf(object))
	k := h.membersOf(outer)[name]
	typ, _ = t.element(outer, k)
	operands := []uint32{uint32(object), uint32(h.u32(k))}
	for _, i := range path {
		typ, _ = t.element(typ, i)
		operands = append(operands, uint32(h.u32(i)))
	}
	return h.value(spirv.OpAccessChain, t.pointer(class, typ), operands...), typ
}

func (h *hitLowering) membersOf(struc spirv.ID) map[string]uint32 {
	known, ok := h.indices[struc]
	if !ok {
		known = h.l.memberIndices(struc)
		h.indices[struc] = known
	}
	return known
}

// read returns a member's contents.
func (h *hitLowering) read(object spirv.ID, name string, path ...uint32) spirv.ID {
	pointer, typ := h.member(object, name, path...)
	return h.load(typ, pointer)
}

// arguments returns operands as parameters of a function of the runtime want them: integers may differ in their sign.
func (h *hitLowering) arguments(function routine, in *spirv.Inst, operands []spirv.ID) ([]spirv.ID, error) {
	f := h.l.functionByID(function.id)
	var list []spirv.ID
	for i, o := range operands {
		from, to := h.typeOf(o), f.Params[i].Type
		if from != to && !(h.word(from) && h.word(to)) {
			return nil, h.s.invalid("operand of %v is of a wrong type", in.Op)
		}
		list = append(list, h.convert(o, from, to))
	}
	return list, nil
}

func (h *hitLowering) word(typ spirv.ID) bool {
	in := h.l.types.get(typ)
	return in != nil && in.Op == spirv.OpTypeInt && in.TypeNumber().Width() == 32
}
