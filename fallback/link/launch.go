package link

import "github.com/everray/everray/fallback/spirv"

// moveLaunch gives indirect launches, and the kernels of the wavefront form, their parameters: the runtime's push constant block
// goes to memory, and the push constants hold its address, and what else a kernel of the wavefront form is told: another address
// and a number. It returns the variable of the push constants.
func (l *linked) moveLaunch() (arguments spirv.ID) {
	t := l.types
	launch := l.symbols.RtLaunch.id
	_, block := t.pointee(t.get(launch).Type)
	moved := l.movePointers()
	physical := t.pointer(spirv.StorageClassPhysicalStorageBuffer, block)

	address := t.vector(t.uint32(), 2)
	holder := l.out.NewID()
	t.add(spirv.Inst{Op: spirv.OpTypeStruct, Result: holder,
		Operands: []uint32{uint32(address), uint32(address), uint32(t.uint32())}})
	l.out.Annotations = append(l.out.Annotations,
		spirv.Inst{Op: spirv.OpDecorate, Operands: []uint32{uint32(holder), uint32(spirv.DecorationBlock)}})
	for member, offset := range []uint32{0, 8, 16} {
		l.out.Annotations = append(l.out.Annotations, spirv.Inst{
			Op: spirv.OpMemberDecorate, Operands: []uint32{uint32(holder), uint32(member), uint32(spirv.DecorationOffset), offset}})
	}
	variable := l.out.NewID()
	t.add(spirv.Inst{Op: spirv.OpVariable, Type: t.pointer(spirv.StorageClassPushConstant, holder), Result: variable,
		Operands: []uint32{uint32(spirv.StorageClassPushConstant)}})
	member := t.pointer(spirv.StorageClassPushConstant, address)

	for _, f := range l.out.Functions {
		for _, b := range f.Blocks {
			var out []spirv.Inst
			chains := map[spirv.ID]bool{}
			for _, in := range b.Insts {
				switch {
				case in.Op == spirv.OpAccessChain && in.AccessChain().Base() == launch:
					chain, word, base := l.out.NewID(), l.out.NewID(), l.out.NewID()
					out = append(out,
						spirv.Inst{Op: spirv.OpAccessChain, Type: member, Result: chain, Operands: []uint32{uint32(variable), uint32(t.u32(0))}},
						spirv.Inst{Op: spirv.OpLoad, Type: address, Result: word, Operands: []uint32{uint32(chain)}},
						spirv.Inst{Op: spirv.OpBitcast, Type: physical, Result: base, Operands: []uint32{uint32(word)}})
					in.AccessChain().SetBase(base)
					in.Type = moved[in.Type]
					chains[in.Result] = true
				case in.Op == spirv.OpLoad && chains[in.Load().Pointer()]:
					in.AddAlignment(4)
				}
				out = append(out, in)
			}
			b.Insts = out
		}
	}
	l.out.Globals = spirv.Filter(l.out.Globals, func(in *spirv.Inst) bool { return in.Result != launch })
	l.out.Names = spirv.Filter(l.out.Names, func(in *spirv.Inst) bool { return in.Annotation().Target() != launch })
	for i, id := range l.out.EntryPoints[0].Operands {
		if spirv.ID(id) == launch {
			l.out.EntryPoints[0].Operands[i] = uint32(variable)
		}
	}
	t.reindex()
	return variable
}

// movePointers declares, for each pointer type into push constants, the one into physical storage.
func (l *linked) movePointers() map[spirv.ID]spirv.ID {
	moved := map[spirv.ID]spirv.ID{}
	for i := range l.out.Globals {
		in := l.out.Globals[i]
		if in.Op == spirv.OpTypePointer && in.TypePointer().StorageClass() == spirv.StorageClassPushConstant {
			moved[in.Result] = l.types.pointer(spirv.StorageClassPhysicalStorageBuffer, in.TypePointer().Type())
		}
	}
	return moved
}
