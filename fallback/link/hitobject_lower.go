package link

import "github.com/everray/everray/fallback/spirv"

// get replaces a getter.
func (h *hitLowering) get(in *spirv.Inst, g hitGetter) error {
	t := h.l.types
	var args []spirv.ID
	for _, m := range g.members {
		args = append(args, h.read(in.ID(0), m))
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
func (h *hitLowering) record(function routine, in *spirv.Inst, operands []uint32) error {
	args, err := h.arguments(function, in, operands)
	if err == nil {
		h.store(in.ID(0), h.call(function, args...))
	}
	return err
}

func (h *hitLowering) recordEmpty(in *spirv.Inst) error {
	h.store(in.ID(0), h.null(h.struc))
	return nil
}

func (h *hitLowering) recordMiss(in *spirv.Inst) error {
	return h.record(h.l.symbols.HoRecordMiss, in, in.Operands[1:])
}

func (h *hitLowering) recordHit(in *spirv.Inst) error {
	function := h.l.symbols.HoRecordHit
	if in.Op == spirv.OpHitObjectRecordHitWithIndexNV {
		function = h.l.symbols.HoRecordHitWithIndex
	}
	last := len(in.Operands) - 1
	if err := h.record(function, in, in.Operands[1:last]); err != nil {
		return err
	}
	never := h.l.types.declare(spirv.OpConstantFalse, h.l.types.boolean())
	return h.giveAttributes(in, in.ID(last), never)
}

// recordFromQuery reads the hit that a query has committed from the query's structure.
func (h *hitLowering) recordFromQuery(in *spirv.Inst) error {
	t, query := h.l.types, in.ID(1)
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
	numbers := []uint32{in.Operands[2], uint32(h.u32(0))} // the record, and the kind of a hit in a box, which older modules lack
	if len(in.Operands) > 4 {
		numbers[1] = in.Operands[4]
	}
	for _, n := range numbers {
		typ := h.typeOf(spirv.ID(n))
		if !h.word(typ) {
			return h.s.invalid("operand of %v is of a wrong type", in.Op)
		}
		args = append(args, h.convert(spirv.ID(n), typ, t.uint32()))
	}
	h.store(in.ID(0), h.call(h.l.symbols.HoFromQuery, args...))
	triangle := h.value(spirv.OpIEqual, t.boolean(), uint32(kind), uint32(h.u32(1)))
	return h.giveAttributes(in, in.ID(3), triangle)
}

// giveAttributes adds the attributes that a hit was recorded with, but where the hit has its own.
func (h *hitLowering) giveAttributes(in *spirv.Inst, from, own spirv.ID) error {
	_, typ := h.l.types.pointee(h.typeOf(from))
	if typ == 0 {
		return h.s.invalid("%v with attributes that are no variable", in.Op)
	}
	words := h.flatten(h.load(typ, from), typ)
	kind := h.read(in.ID(0), "kind")
	for i := range uint32(min(len(words), maxAttributeWords)) {
		pointer, word := h.member(in.ID(0), "attributes", i)
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
		part, _ := t.element(typ, i)
		list = append(list, h.flatten(h.value(spirv.OpCompositeExtract, part, uint32(value), i), part)...)
	}
	return list
}

// attributes writes those of an object to a variable.
func (h *hitLowering) attributes(in *spirv.Inst) error {
	_, typ := h.l.types.pointee(h.typeOf(in.ID(1)))
	if typ == 0 {
		return h.s.invalid("%v into what is no variable", in.Op)
	}
	next := uint32(0)
	h.store(in.ID(1), h.unflatten(in.ID(0), typ, &next))
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
	if *next >= maxAttributeWords {
		return h.null(typ)
	}
	var parts []uint32
	_, n := t.element(typ, 0)
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
		n := in.Operands[1]
		return n * h.size(in.ID(0))
	case spirv.OpTypeInt, spirv.OpTypeFloat:
		return (in.Operands[0] + 31) / 32
	case spirv.OpTypePointer:
		return 2
	}
	return 1
}

func (h *hitLowering) setRecordIndex(in *spirv.Inst) error {
	kind := h.read(in.ID(0), "kind")
	typ := h.typeOf(in.ID(1))
	if !h.word(typ) {
		return h.s.invalid("operand of %v is of a wrong type", in.Op)
	}
	pointer, word := h.member(in.ID(0), "record")
	h.store(pointer, h.call(h.l.symbols.HoSetRecord, kind, h.convert(in.ID(1), typ, word)))
	return nil
}
