package link

import "github.com/everray/everray/fallback/spirv"

// code appends instructions to a function that is being made.
type code struct {
	l   *linked
	f   *spirv.Function
	cur *spirv.Block
}

// block begins a block with the given label.
func (c *code) block(label spirv.ID) {
	c.cur = &spirv.Block{Label: label}
	c.f.Blocks = append(c.f.Blocks, c.cur)
}

// raw appends an instruction without result.
func (c *code) raw(op spirv.Op, operands ...uint32) {
	c.cur.Insts = append(c.cur.Insts, spirv.Inst{Op: op, Operands: operands})
}

// value appends an instruction and returns its result.
func (c *code) value(op spirv.Op, typ spirv.ID, operands ...uint32) spirv.ID {
	id := c.l.out.NewID()
	c.cur.Insts = append(c.cur.Insts, spirv.Inst{Op: op, Type: typ, Result: id, Operands: operands})
	return id
}

// call calls a function of the runtime.
func (c *code) call(f routine, args ...spirv.ID) spirv.ID {
	operands := []uint32{uint32(f.id)}
	for _, a := range args {
		operands = append(operands, uint32(a))
	}
	return c.value(spirv.OpFunctionCall, f.result, operands...)
}

func (c *code) u32(v uint32) spirv.ID { return c.l.types.u32(v) }

func (c *code) load(typ, pointer spirv.ID) spirv.ID {
	return c.value(spirv.OpLoad, typ, uint32(pointer))
}

func (c *code) store(pointer, value spirv.ID) {
	c.raw(spirv.OpStore, uint32(pointer), uint32(value))
}

// loadGlobal reads a global of the runtime.
func (c *code) loadGlobal(g global) spirv.ID {
	_, typ := c.l.types.pointee(c.l.types.get(g.id).Type)
	return c.load(typ, g.id)
}

func (c *code) branch(to spirv.ID)         { c.raw(spirv.OpBranch, uint32(to)) }
func (c *code) returnValue(value spirv.ID) { c.raw(spirv.OpReturnValue, uint32(value)) }

// choose branches to yes or to no, which is also where both meet.
func (c *code) choose(condition, yes, no spirv.ID) {
	c.raw(spirv.OpSelectionMerge, uint32(no), 0)
	c.raw(spirv.OpBranchConditional, uint32(condition), uint32(yes), uint32(no))
}

// convert reinterprets a value as a type of the same size.
func (c *code) convert(value, from, to spirv.ID) spirv.ID {
	if from == to {
		return value
	}
	return c.value(spirv.OpBitcast, to, uint32(value))
}

// words returns a scalar, vector or address as dwords.
func (c *code) words(value, typ spirv.ID) []spirv.ID {
	t := c.l.types
	def := t.get(typ).Clone()
	word := t.uint32()
	switch def.Op {
	case spirv.OpTypeBool:
		return []spirv.ID{c.value(spirv.OpSelect, word, uint32(value), uint32(c.u32(1)), uint32(c.u32(0)))}
	case spirv.OpTypeVector:
		var list []spirv.ID
		of := def.TypeVector()
		for i := range of.ComponentCount() {
			component := c.value(spirv.OpCompositeExtract, of.ComponentType(), uint32(value), i)
			list = append(list, c.words(component, of.ComponentType())...)
		}
		return list
	case spirv.OpTypePointer:
		return c.words(c.convert(value, typ, t.vector(word, 2)), t.vector(word, 2))
	}
	switch width := def.TypeNumber().Width(); {
	case width == 64:
		return c.words(c.convert(value, typ, t.vector(word, 2)), t.vector(word, 2))
	case width == 32:
		return []spirv.ID{c.convert(value, typ, word)}
	case def.Op == spirv.OpTypeFloat:
		wide := c.value(spirv.OpFConvert, t.float32(), uint32(value))
		return []spirv.ID{c.convert(wide, t.float32(), word)}
	}
	return []spirv.ID{c.value(spirv.OpUConvert, word, uint32(value))}
}

// fromWords is the inverse of words; it takes what it needs from the front of list.
func (c *code) fromWords(list *[]spirv.ID, typ spirv.ID) spirv.ID {
	t := c.l.types
	def := t.get(typ).Clone()
	word := t.uint32()
	take := func() uint32 {
		id := (*list)[0]
		*list = (*list)[1:]
		return uint32(id)
	}
	pair := func() spirv.ID {
		low := take()
		return c.value(spirv.OpCompositeConstruct, t.vector(word, 2), low, take())
	}
	switch def.Op {
	case spirv.OpTypeBool:
		return c.value(spirv.OpINotEqual, typ, take(), uint32(c.u32(0)))
	case spirv.OpTypeVector:
		var components []uint32
		of := def.TypeVector()
		for range of.ComponentCount() {
			components = append(components, uint32(c.fromWords(list, of.ComponentType())))
		}
		return c.value(spirv.OpCompositeConstruct, typ, components...)
	case spirv.OpTypePointer:
		return c.value(spirv.OpBitcast, typ, uint32(pair()))
	}
	switch width := def.TypeNumber().Width(); {
	case width == 64:
		return c.value(spirv.OpBitcast, typ, uint32(pair()))
	case width == 32:
		return c.convert(spirv.ID(take()), word, typ)
	case def.Op == spirv.OpTypeFloat:
		wide := c.convert(spirv.ID(take()), word, t.float32())
		return c.value(spirv.OpFConvert, typ, uint32(wide))
	default:
		narrow := t.declare(spirv.OpTypeInt, 0, width, 0)
		return c.convert(c.value(spirv.OpUConvert, narrow, take()), narrow, typ)
	}
}
