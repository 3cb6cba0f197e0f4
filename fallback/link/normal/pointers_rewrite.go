package normal

import "github.com/everray/everray/fallback/spirv"

// rewrite makes the pointers values.
func (p *pointerLowering) rewrite() error {
	p.width = 1
	for _, at := range p.places {
		p.width = max(p.width, at.indices)
	}
	p.word, p.value = p.m.TypeInt(32, false), p.m.NewID()
	p.defs[p.word] = p.defOf(p.word)
	functions := p.m.Functions
	for _, f := range functions {
		f.Def.Type = p.valueType(f.Def.Type)
		for i := range f.Params {
			f.Params[i].Type = p.valueType(f.Params[i].Type)
		}
		for _, b := range f.Blocks {
			p.out = nil
			for i := range b.Insts {
				if err := p.inst(b.Insts[i]); err != nil {
					return err
				}
				p.packStatic(b.Insts[i].Result)
			}
			b.Insts = p.out
		}
	}
	p.m.Functions = append(p.m.Functions, p.made...)
	p.globals()
	p.m.Annotations = spirv.Filter(p.m.Annotations, func(in *spirv.Inst) bool {
		_, buffer := p.points(in.Annotation().Target())
		_, static := p.static[in.Annotation().Target()]
		return !buffer || static
	})
	p.m.ShareTypes() // those of pointers that are values now
	return nil
}

// valueType returns the type that a value has now.
func (p *pointerLowering) valueType(typ spirv.ID) spirv.ID {
	if p.pointers[typ] != 0 {
		return p.value
	}
	return typ
}

// globals changes the types that hold pointers. What stands for pointers comes first, for all others to use.
func (p *pointerLowering) globals() {
	members := make([]uint32, 1+p.width)
	for i := range members {
		members[i] = uint32(p.word)
	}
	front := []spirv.Inst{p.defOf(p.word), {Op: spirv.OpTypeStruct, Result: p.value, Operands: members}}
	var variables []spirv.Inst
	for _, in := range p.m.Globals {
		if packed := p.packed[in.Result]; packed != 0 {
			at, _ := p.staticPlace(p.static[in.Result])
			parts := []uint32{uint32(p.u32(uint32(p.number(at))))}
			for range p.width {
				parts = append(parts, uint32(p.u32(0)))
			}
			variables = append(variables, spirv.Inst{Op: spirv.OpConstantComposite, Type: p.value, Result: packed, Operands: parts})
		}
	}
	front = append(append(front, p.front...), variables...)
	for _, in := range p.m.Globals {
		if in.Result == p.word {
			continue
		}
		switch in.Op {
		case spirv.OpTypePointer:
			if p.pointers[in.Result] == 0 {
				in.TypePointer().SetType(p.valueType(in.TypePointer().Type()))
			}
		case spirv.OpTypeArray, spirv.OpTypeStruct, spirv.OpTypeFunction:
			for i := range in.Operands {
				in.Operands[i] = uint32(p.valueType(in.ID(i)))
			}
		case spirv.OpConstantNull, spirv.OpUndef:
			in.Type = p.valueType(in.Type)
		case spirv.OpVariable:
			p.packOperands(&in)
		}
		front = append(front, in)
	}
	p.m.Globals = front
}

func (p *pointerLowering) defOf(id spirv.ID) spirv.Inst {
	for i := range p.m.Globals {
		if p.m.Globals[i].Result == id {
			return p.m.Globals[i]
		}
	}
	return spirv.Inst{}
}

// u32 returns a constant that stands ahead of all types that are not ours.
func (p *pointerLowering) u32(v uint32) spirv.ID {
	if id, ok := p.constants[v]; ok {
		return id
	}
	id := p.m.NewID()
	p.constants[v] = id
	p.front = append(p.front, spirv.Inst{Op: spirv.OpConstant, Type: p.word, Result: id, Operands: []uint32{v}})
	return id
}

func (p *pointerLowering) emit(op spirv.Op, typ spirv.ID, operands ...uint32) spirv.ID {
	id := p.m.NewID()
	p.out = append(p.out, spirv.Inst{Op: op, Type: typ, Result: id, Operands: operands})
	return id
}

// packStatic makes the value of a static pointer, behind the pointer.
func (p *pointerLowering) packStatic(id spirv.ID) {
	c, ok := p.static[id]
	if !ok || p.packed[id] == 0 {
		return
	}
	at, carried := p.staticPlace(c)
	in := spirv.Inst{Op: spirv.OpCompositeConstruct, Type: p.value, Result: p.packed[id],
		Operands: []uint32{uint32(p.u32(uint32(p.number(at))))}}
	for k := range p.width {
		index := p.u32(0)
		if k < len(carried) {
			index = p.index(carried[len(carried)-1-k])
		}
		in.Operands = append(in.Operands, uint32(index))
	}
	p.out = append(p.out, in)
}

// index returns an index as a uint.
func (p *pointerLowering) index(id spirv.ID) spirv.ID {
	if n, ok := p.integer(id); ok {
		return p.u32(n)
	}
	return p.convert(id, p.typeOf(id), p.word)
}

// convert takes an integer to a type of another width or sign.
func (p *pointerLowering) convert(id, from, to spirv.ID) spirv.ID {
	if from == to {
		return id
	}
	a, b := p.defs[from], p.defs[to]
	op := spirv.OpUConvert
	switch {
	case a.Op != spirv.OpTypeInt || b.Op != spirv.OpTypeInt: // not valid, for others to say
		return id
	case a.TypeInt().Width() == b.TypeInt().Width():
		op = spirv.OpBitcast
	case a.TypeInt().Signedness() == 1 || b.TypeInt().Signedness() == 1:
		op = spirv.OpSConvert
	}
	return p.emit(op, to, uint32(id))
}

// packOperands replaces static pointers by their values.
func (p *pointerLowering) packOperands(in *spirv.Inst) {
	in.EachID(func(w *uint32) {
		if v := p.packed[spirv.ID(*w)]; v != 0 {
			*w = uint32(v)
		}
	})
}

// inst writes what stands for an instruction.
func (p *pointerLowering) inst(in spirv.Inst) error {
	if _, ok := p.static[in.Result]; ok {
		p.out = append(p.out, in)
		return nil
	}
	in = in.Clone()
	switch in.Op {
	case spirv.OpPhi, spirv.OpSelect, spirv.OpCopyObject, spirv.OpCopyLogical, spirv.OpCompositeConstruct, spirv.OpCompositeInsert,
		spirv.OpCompositeExtract, spirv.OpFunctionCall, spirv.OpReturnValue, spirv.OpUndef, spirv.OpVariable:
		p.packOperands(&in)
		in.Type = p.valueType(in.Type)
		p.out = append(p.out, in)
		return nil
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		if p.pointers[in.Type] != 0 {
			p.chain(&in)
			return nil
		}
	case spirv.OpPtrEqual, spirv.OpPtrNotEqual, spirv.OpPtrDiff:
		return p.compare(&in)
	case spirv.OpCopyMemory:
		return p.copyMemory(in)
	case spirv.OpStore:
		if v := p.packed[in.Store().Object()]; v != 0 {
			in.Store().SetObject(v)
		}
	}
	return p.access(in)
}

// valueOf returns the value of a pointer, static or not.
func (p *pointerLowering) valueOf(id spirv.ID) spirv.ID {
	if v := p.packed[id]; v != 0 {
		return v
	}
	return id
}

func (p *pointerLowering) part(value spirv.ID, i int) spirv.ID {
	return p.emit(spirv.OpCompositeExtract, p.word, uint32(value), uint32(i))
}

// chain writes an access chain from a variable pointer. Of a value the last index comes first, so that one more moves
// the others up whatever the place.
func (p *pointerLowering) chain(in *spirv.Inst) {
	base := p.valueOf(chainBase(in))
	from := p.placesOf(chainBase(in))
	number := p.part(base, 0)
	var last spirv.ID // the last index so far, if an element was added
	if in.Op == spirv.OpPtrAccessChain || in.Op == spirv.OpInBoundsPtrAccessChain {
		if n, constant := p.integer(in.PtrAccessChain().Element()); !constant || n != 0 {
			element := p.onlyElements(number, from, p.index(in.PtrAccessChain().Element()))
			last = p.emit(spirv.OpIAdd, p.word, uint32(p.part(base, 1)), uint32(element))
		}
	}
	to, carried := number, []spirv.ID(nil)
	for i, n := range from {
		at, indices := p.walk(p.places[n-1], chainIndices(in))
		next := p.u32(uint32(p.number(at)))
		if carried = indices; i == 0 && len(from) == 1 {
			to = next
			continue
		}
		hit := p.emit(spirv.OpIEqual, p.m.TypeBool(), uint32(number), uint32(p.u32(uint32(n))))
		to = p.emit(spirv.OpSelect, p.word, uint32(hit), uint32(next), uint32(to))
	}
	parts := []uint32{uint32(to)}
	for k := len(carried) - 1; k >= 0; k-- {
		parts = append(parts, uint32(p.index(carried[k])))
	}
	for k := 1; len(parts) <= p.width; k++ {
		if k == 1 && last != 0 {
			parts = append(parts, uint32(last))
		} else {
			parts = append(parts, uint32(p.part(base, k)))
		}
	}
	p.out = append(p.out, spirv.Inst{Op: spirv.OpCompositeConstruct, Type: p.value, Result: in.Result, Operands: parts})
}

// onlyElements returns the element that is added to a pointer, 0 for places that are no elements of an array.
func (p *pointerLowering) onlyElements(number spirv.ID, from []int, element spirv.ID) spirv.ID {
	for _, n := range from {
		if !p.places[n-1].element {
			other := p.emit(spirv.OpIEqual, p.m.TypeBool(), uint32(number), uint32(p.u32(uint32(n))))
			element = p.emit(spirv.OpSelect, p.word, uint32(other), uint32(p.u32(0)), uint32(element))
		}
	}
	return element
}

// compare writes a comparison of pointers, or the difference of two into one array.
func (p *pointerLowering) compare(in *spirv.Inst) error {
	first, second := in.PtrCompare().Operand1(), in.PtrCompare().Operand2()
	for _, id := range []spirv.ID{first, second} {
		if _, buffer := p.points(id); !buffer {
			return p.s.invalid("%v of pointers that are not into storage buffers", in.Op)
		}
	}
	a, b := p.valueOf(first), p.valueOf(second)
	if in.Op == spirv.OpPtrDiff {
		difference := p.emit(spirv.OpISub, p.word, uint32(p.part(a, 1)), uint32(p.part(b, 1)))
		signed := p.m.TypeInt(32, true) // which the difference is, whatever the type
		p.defs[signed] = p.defOf(signed)
		difference = p.emit(spirv.OpBitcast, signed, uint32(difference))
		p.out = append(p.out, spirv.Inst{Op: spirv.OpCopyObject, Type: in.Type, Result: in.Result,
			Operands: []uint32{uint32(p.convert(difference, signed, in.Type))}})
		return nil
	}
	same, join := spirv.OpIEqual, spirv.OpLogicalAnd
	if in.Op == spirv.OpPtrNotEqual {
		same, join = spirv.OpINotEqual, spirv.OpLogicalOr
	}
	var all spirv.ID
	for k := range p.width + 1 {
		one := p.emit(same, in.Type, uint32(p.part(a, k)), uint32(p.part(b, k)))
		if all != 0 {
			one = p.emit(join, in.Type, uint32(all), uint32(one))
		}
		all = one
	}
	p.out[len(p.out)-1].Result = in.Result
	return nil
}

// copyMemory writes a copy through variable pointers as a load and a store.
func (p *pointerLowering) copyMemory(in spirv.Inst) error {
	target, source := in.CopyMemory().Target(), in.CopyMemory().Source()
	if !p.variable(target) && !p.variable(source) {
		p.out = append(p.out, in)
		return nil
	}
	to, from := in.CopyMemory().MemoryAccess(), in.CopyMemory().MemoryAccess()
	if n := spirv.MemoryAccessWords(to); n < len(to) { // since SPIR-V 1.4 each may have its own
		to, from = to[:n], to[n:]
	}
	typ, ok := p.points(source)
	if !ok {
		pointer := p.defs[p.typeOf(source)]
		typ = pointer.TypePointer().Type()
	}
	load := spirv.Inst{Op: spirv.OpLoad, Type: typ, Result: p.m.NewID(), Operands: append([]uint32{uint32(source)}, from...)}
	p.types[load.Result] = typ
	if err := p.access(load); err != nil {
		return err
	}
	return p.access(spirv.Inst{Op: spirv.OpStore, Operands: append([]uint32{uint32(target), uint32(load.Result)}, to...)})
}

// variable tells whether a value is a pointer into a storage buffer that is not static.
func (p *pointerLowering) variable(id spirv.ID) bool {
	_, buffer := p.points(id)
	_, static := p.static[id]
	return buffer && !static
}

// access writes an instruction that reads or writes through pointers.
func (p *pointerLowering) access(in spirv.Inst) error {
	at := -1
	for k := range in.Operands {
		in.EachID(func(w *uint32) {
			if w == &in.Operands[k] && p.variable(spirv.ID(*w)) && (in.Op != spirv.OpStore || k == 0) {
				at = k
			}
		})
	}
	in.Type = p.valueType(in.Type)
	if at < 0 {
		p.out = append(p.out, in)
		return nil
	}
	switch places := p.placesOf(in.ID(at)); len(places) {
	case 0: // null, wherever it comes from
		if in.Result != 0 {
			p.out = append(p.out, spirv.Inst{Op: spirv.OpUndef, Type: in.Type, Result: in.Result})
		}
	case 1:
		in.Operands[at] = uint32(p.pointer(p.places[places[0]-1], in.ID(at)))
		p.out = append(p.out, in)
	default:
		p.call(&in, at, places)
	}
	return nil
}

// pointer makes the pointer to a place from its value.
func (p *pointerLowering) pointer(at pointed, value spirv.ID) spirv.ID {
	if len(at.path) == 0 {
		return at.root
	}
	operands, k := []uint32{uint32(at.root)}, at.indices
	for _, s := range at.path {
		if s.index {
			operands = append(operands, uint32(p.part(value, k)))
			k--
		} else {
			operands = append(operands, uint32(p.u32(s.number)))
		}
	}
	id := p.emit(spirv.OpAccessChain, p.m.TypePointer(spirv.StorageClassStorageBuffer, at.typ), operands...)
	if at.path[0].index && p.nonUniform {
		p.m.Decorate(id, spirv.DecorationNonUniform)
	}
	return id
}
