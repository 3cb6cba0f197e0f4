package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// get replaces a getter.
func (h *hitLowering) get(in *spirv.Inst, g hitGetter) error {
	t := h.l.types
	var args []spirv.ID
	for _, m := range g.members {
		args = append(args, h.read(in.HitObject().HitObject(), m))
	}
	var value, typ spirv.ID
	switch {
	case g.function.id != 0:
		value, typ = h.call(g.function, args...), g.function.result
	case len(args) == 0: // the time
		value, typ = h.null(t.float32()), t.float32()
	case g.kind != 0:
		value, typ = h.value(spirv.OpIEqual, t.boolean(), uint32(args[0]), uint32(h.u32(g.kind-1))), t.boolean()
	default:
		value = args[0]
		typ, _ = t.element(h.struc, h.membersOf(h.struc)[g.members[0]])
	}
	return h.result(in, value, typ)
}

// result gives an instruction's id to a value, which may be an integer of the other sign, or a matrix where columns are wanted.
func (h *hitLowering) result(in *spirv.Inst, value, typ spirv.ID) error {
	t := h.l.types
	put := func(op spirv.Op, operands ...uint32) {
		h.cur.Insts = append(h.cur.Insts, spirv.Inst{Op: op, Type: in.Type, Result: in.Result, Operands: operands})
	}
	if in.Type == typ {
		put(spirv.OpCopyObject, uint32(value))
		return nil
	}
	if h.word(in.Type) && h.word(typ) {
		put(spirv.OpBitcast, uint32(value))
		return nil
	}
	column, n := t.element(typ, 0)
	element, m := t.element(in.Type, 0)
	if t.op(typ) != spirv.OpTypeMatrix || t.op(in.Type) != spirv.OpTypeArray || column != element || n != m {
		return h.s.invalid("result of %v is of a wrong type", in.Op)
	}
	var columns []uint32
	for i := range n {
		columns = append(columns, uint32(h.value(spirv.OpCompositeExtract, column, uint32(value), i)))
	}
	put(spirv.OpCompositeConstruct, columns...)
	return nil
}

// record stores what a function of the runtime makes of operands.
func (h *hitLowering) record(function routine, in *spirv.Inst, operands ...spirv.ID) error {
	args, err := h.arguments(function, in, operands)
	if err == nil {
		h.store(in.HitObject().HitObject(), h.call(function, args...))
	}
	return err
}

func (h *hitLowering) recordEmpty(in *spirv.Inst) error {
	h.store(in.HitObject().HitObject(), h.null(h.struc))
	return nil
}

func (h *hitLowering) recordMiss(in *spirv.Inst) error {
	v := in.HitObjectRecordMiss()
	return h.record(h.l.symbols.HoRecordMiss, in, v.RayFlags(), v.MissIndex(), v.Origin(), v.TMin(), v.Direction(), v.TMax())
}

func (h *hitLowering) recordHit(in *spirv.Inst) error {
	v := in.HitObjectRecordHit()
	if err := h.record(h.l.symbols.HoRecordHit, in, v.AccelerationStructure(), v.InstanceId(), v.PrimitiveId(), v.GeometryIndex(),
		v.HitKind(), v.SBTRecordOffset(), v.SBTRecordStride(), v.Origin(), v.TMin(), v.Direction(), v.TMax()); err != nil {
		return err
	}
	return h.giveAttributes(in, v.HitObjectAttributes(), h.never())
}

func (h *hitLowering) recordHitWithIndex(in *spirv.Inst) error {
	v := in.HitObjectRecordHitWithIndex()
	if err := h.record(h.l.symbols.HoRecordHitWithIndex, in, v.AccelerationStructure(), v.InstanceId(), v.PrimitiveId(),
		v.GeometryIndex(), v.HitKind(), v.SBTRecordIndex(), v.Origin(), v.TMin(), v.Direction(), v.TMax()); err != nil {
		return err
	}
	return h.giveAttributes(in, v.HitObjectAttributes(), h.never())
}

func (h *hitLowering) never() spirv.ID {
	return h.l.types.declare(spirv.OpConstantFalse, h.l.types.boolean())
}

// recordFromQuery reads the hit that a query has committed from the query's structure.
func (h *hitLowering) recordFromQuery(in *spirv.Inst) error {
	t, v := h.l.types, in.HitObjectRecordFromQuery()
	query := v.RayQuery()
	if _, typ := t.pointee(h.typeOf(query)); typ != h.l.queryType() {
		return h.s.invalid("%v from what is no ray query", in.Op)
	}
	args := []spirv.ID{h.read(query, "hit")}
	kind := args[0]
	for _, m := range []string{"tlas", "flags", "cullMask", "origin", "tMin", "direction"} {
		args = append(args, h.read(query, m))
	}
	_, struc := t.pointee(h.typeOf(query))
	committed, _ := t.element(struc, h.membersOf(struc)["committed"])
	for _, m := range []string{"t", "v", "w", "instance", "leaf", "kind"} {
		args = append(args, h.read(query, "committed", h.membersOf(committed)[m]))
	}
	boxKind := h.u32(0) // the kind of a hit in a box, which older modules lack
	if kind := v.HitKind(); kind != 0 {
		boxKind = kind
	}
	for _, n := range []spirv.ID{v.SBTRecordIndex(), boxKind} {
		typ := h.typeOf(n)
		if !h.word(typ) {
			return h.s.invalid("operand of %v is of a wrong type", in.Op)
		}
		args = append(args, h.convert(n, typ, t.uint32()))
	}
	h.store(v.HitObject(), h.call(h.l.symbols.HoFromQuery, args...))
	triangle := h.value(spirv.OpIEqual, t.boolean(), uint32(kind), uint32(h.u32(1)))
	return h.giveAttributes(in, v.HitObjectAttributes(), triangle)
}

// giveAttributes adds the attributes that a hit was recorded with, but where the hit has its own.
func (h *hitLowering) giveAttributes(in *spirv.Inst, from, own spirv.ID) error {
	_, typ := h.l.types.pointee(h.typeOf(from))
	if typ == 0 {
		return h.s.invalid("%v with attributes that are no variable", in.Op)
	}
	words := h.flatten(h.load(typ, from), typ)
	object := in.HitObject().HitObject()
	kind := h.read(object, "kind")
	for i := range uint32(min(len(words), maxAttributeWords)) {
		pointer, word := h.member(object, "attributes", i)
		h.store(pointer, h.call(h.l.symbols.HoAttribute, kind, own, h.load(word, pointer), words[i]))
	}
	return nil
}

// flatten returns a value as dwords, as far as there is room for attributes.
func (h *hitLowering) flatten(value, typ spirv.ID) []spirv.ID {
	t := h.l.types
	switch t.op(typ) {
	case spirv.OpTypeStruct, spirv.OpTypeArray, spirv.OpTypeMatrix:
	default:
		return h.words(value, typ)
	}
	var list []spirv.ID
	_, n := t.element(typ, 0)
	for i := uint32(0); i < n && len(list) < maxAttributeWords; i++ {
		h.l.work(1)
		part, _ := t.element(typ, i)
		if h.hollow(part) {
			continue
		}
		list = append(list, h.flatten(h.value(spirv.OpCompositeExtract, part, uint32(value), i), part)...)
	}
	return list
}

// hollow tells whether a type holds no words: structures of nothing, however many. Of those no number fills the room, and small
// modules may have any.
func (h *hitLowering) hollow(typ spirv.ID) bool {
	if known, ok := h.hollows[typ]; ok {
		return known
	}
	hollow := false
	switch in := h.l.types.get(typ); {
	case in == nil:
	case in.Op == spirv.OpTypeArray:
		hollow = h.hollow(in.TypeArray().ElementType())
	case in.Op == spirv.OpTypeStruct:
		hollow = !slices.ContainsFunc(in.TypeStruct().Members(), func(m uint32) bool { return !h.hollow(spirv.ID(m)) })
	}
	h.hollows[typ] = hollow
	return hollow
}

// attributes writes those of an object to a variable.
func (h *hitLowering) attributes(in *spirv.Inst) error {
	v := in.HitObjectGetAttributes()
	_, typ := h.l.types.pointee(h.typeOf(v.HitObjectAttribute()))
	if typ == 0 {
		return h.s.invalid("%v into what is no variable", in.Op)
	}
	next := uint32(0)
	h.store(v.HitObjectAttribute(), h.unflatten(v.HitObject(), typ, &next))
	return nil
}

// unflatten is the inverse of flatten, from an object's attributes; what is more than there are is zero.
func (h *hitLowering) unflatten(object, typ spirv.ID, next *uint32) spirv.ID {
	t := h.l.types
	switch t.op(typ) {
	case spirv.OpTypeStruct, spirv.OpTypeArray, spirv.OpTypeMatrix:
	default:
		n := h.size(typ)
		if *next+n > maxAttributeWords {
			*next = maxAttributeWords
			return h.null(typ)
		}
		var words []spirv.ID
		for i := range n {
			words = append(words, h.read(object, "attributes", *next+i))
		}
		*next += n
		return h.fromWords(&words, typ)
	}
	if *next >= maxAttributeWords || h.hollow(typ) {
		return h.null(typ)
	}
	var parts []uint32
	_, n := t.element(typ, 0)
	if n > maxCases {
		panic(stop{h.s.unsupported("hit attributes of %d parts", n)})
	}
	for i := range n {
		h.l.work(1)
		part, _ := t.element(typ, i)
		parts = append(parts, uint32(h.unflatten(object, part, next)))
	}
	return h.value(spirv.OpCompositeConstruct, typ, parts...)
}

// size returns the dwords of a scalar, vector or address.
func (h *hitLowering) size(typ spirv.ID) uint32 {
	in := h.l.types.get(typ)
	switch in.Op {
	case spirv.OpTypeVector:
		return in.TypeVector().ComponentCount() * h.size(in.TypeVector().ComponentType())
	case spirv.OpTypeInt, spirv.OpTypeFloat:
		return (in.TypeNumber().Width() + 31) / 32
	case spirv.OpTypePointer:
		return 2
	}
	return 1
}

func (h *hitLowering) setRecordIndex(in *spirv.Inst) error {
	v := in.HitObjectSetRecordIndex()
	kind := h.read(v.HitObject(), "kind")
	typ := h.typeOf(v.SBTRecordIndex())
	if !h.word(typ) {
		return h.s.invalid("operand of %v is of a wrong type", in.Op)
	}
	pointer, word := h.member(v.HitObject(), "record")
	h.store(pointer, h.call(h.l.symbols.HoSetRecord, kind, h.convert(v.SBTRecordIndex(), typ, word)))
	return nil
}
