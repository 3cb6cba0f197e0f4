package link

import "github.com/everray/everray/fallback/spirv"

// lowerAccess rewrites what the new storage classes ask of code: push constants and shader records are reached through
// addresses, physical pointers are accessed with an alignment, and acceleration structures are loaded as addresses.
func (l *mergedStages) lowerAccess() error {
	return each(l.job, l.stages, func(s *mergedStage) error {
		a := &accessLowering{l: l, s: s, types: map[spirv.ID]spirv.ID{}}
		if s.has(roleRecord) {
			a.record = l.recordAddress(s)
		}
		for _, f := range l.functionsOfStage(s) {
			a.function(f)
		}
		return nil
	})
}

// functionsOfStage returns a stage's functions in the order of the module.
func (l *mergedStages) functionsOfStage(s *mergedStage) []*spirv.Function {
	var list []*spirv.Function
	for _, f := range l.out.Functions {
		if s.functions[f.Def.Result] == f {
			list = append(list, f)
		}
	}
	return list
}

// recordAddress declares the stage's variable for the address of its record data. The runtime's global changes with
// every shader that runs, so each shader keeps its own.
func (l *mergedStages) recordAddress(s *mergedStage) spirv.ID {
	t := l.types
	address := t.vector(t.uint32(), 2)
	id := l.out.NewID()
	pointer := t.pointer(spirv.StorageClassPrivate, address)
	t.add(spirv.Inst{Op: spirv.OpVariable, Type: pointer, Result: id, Operands: []uint32{uint32(spirv.StorageClassPrivate)}})
	s.uses[id] = role{kind: roleRecordAddress}
	return id
}

type accessLowering struct {
	l      *mergedStages
	s      *mergedStage
	record spirv.ID              // the variable with the record's address
	types  map[spirv.ID]spirv.ID // of the values of the function
	out    []spirv.Inst
}

func (a *accessLowering) function(f *spirv.Function) {
	for i := range f.Params {
		p := &f.Params[i]
		a.types[p.Result] = p.Type
		if class, _ := a.l.types.pointee(p.Type); class == spirv.StorageClassPhysicalStorageBuffer {
			a.l.decorateOnce(p.Result, spirv.DecorationAliasedPointer, spirv.DecorationRestrictPointer, spirv.DecorationAliased,
				spirv.DecorationRestrict)
		}
	}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			a.l.work(1)
			if in := &b.Insts[i]; in.Result != 0 {
				a.types[in.Result] = in.Type
			}
		}
	}
	for _, b := range f.Blocks {
		a.out = make([]spirv.Inst, 0, len(b.Insts))
		for i := range b.Insts {
			a.l.work(1)
			a.inst(b.Insts[i])
		}
		b.Insts = a.out
	}
}

// decorateOnce gives a pointer parameter the decoration Aliased, unless it has one of the four that say how it may alias.
func (l *linked) decorateOnce(id spirv.ID, any ...spirv.Decoration) {
	for i := range l.out.Annotations {
		in := &l.out.Annotations[i]
		if in.Op != spirv.OpDecorate || in.Decorate().Target() != id {
			continue
		}
		for _, d := range any {
			if in.Decorate().Decoration() == d {
				return
			}
		}
	}
	l.out.Annotations = append(l.out.Annotations,
		spirv.Inst{Op: spirv.OpDecorate, Operands: []uint32{uint32(id), uint32(spirv.DecorationAliased)}})
}

// typeOf returns the type of a value, in the function or global.
func (a *accessLowering) typeOf(id spirv.ID) spirv.ID {
	if t, ok := a.types[id]; ok {
		return t
	}
	if in := a.l.types.get(id); in != nil {
		return in.Type
	}
	return 0
}

func (a *accessLowering) emit(op spirv.Op, typ spirv.ID, operands ...uint32) spirv.ID {
	id := a.l.out.NewID()
	a.types[id] = typ
	a.out = append(a.out, spirv.Inst{Op: op, Type: typ, Result: id, Operands: operands})
	return id
}

func (a *accessLowering) inst(in spirv.Inst) {
	in.EachID(func(p *uint32) {
		if r, ok := a.s.uses[spirv.ID(*p)]; ok && (r.kind == rolePush || r.kind == roleRecord) {
			*p = uint32(a.base(spirv.ID(*p), r))
		}
	})
	switch in.Op {
	case spirv.OpLoad:
		a.align(&in, in.Load().Pointer())
	case spirv.OpStore:
		a.align(&in, in.Store().Pointer())
	case spirv.OpCopyMemory:
		a.align(&in, in.CopyMemory().Target())
		a.align(&in, in.CopyMemory().Source())
	case spirv.OpConvertUToAccelerationStructureKHR:
		same := a.typeOf(in.ConvertUToAccelerationStructure().Accel()) == in.Type
		if in.Op = spirv.OpBitcast; same {
			in.Op = spirv.OpCopyObject
		}
	}
	a.out = append(a.out, in)
}

// align has an access of physical memory state its alignment.
func (a *accessLowering) align(in *spirv.Inst, pointer spirv.ID) {
	if class, pointee := a.l.types.pointee(a.typeOf(pointer)); class == spirv.StorageClassPhysicalStorageBuffer {
		in.AddAlignment(a.l.types.scalarAlignment(pointee))
	}
}

// base emits the pointer that stands for a variable of push constants or record data.
func (a *accessLowering) base(variable spirv.ID, r role) spirv.ID {
	address := a.l.symbols.RtPushAddress.id
	if r.kind == roleRecord {
		address = a.record
	}
	t := a.l.types
	value := a.emit(spirv.OpLoad, t.vector(t.uint32(), 2), uint32(address))
	return a.emit(spirv.OpBitcast, t.get(variable).Type, uint32(value))
}

// decorate adds a decoration without operands.
func (l *linked) decorate(id spirv.ID, d spirv.Decoration) {
	in := spirv.Inst{Op: spirv.OpDecorate, Operands: []uint32{uint32(id), uint32(d)}}
	l.out.Annotations = append(l.out.Annotations, in)
	l.decorations[id] = append(l.decorations[id], in)
}
