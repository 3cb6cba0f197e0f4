package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// structure is a descriptor of an acceleration structure that trace calls name. The scheduler reads it, in one place for all
// of them: a read of a descriptor is much code in some drivers, and its number is a constant where its contents are not.
type structure struct {
	constant spirv.ID // holds its number in the code
	pointer  spirv.ID // type of the pointer to the address in the descriptor
	chain    []uint32 // operands of the access chain that makes it, all of them global
	// set and binding are the descriptor's: each stage has a variable of its own for it.
	set, binding uint32
}

// key is the same for those that are the same descriptor.
func (y *structure) key() string {
	in := spirv.Inst{Type: spirv.ID(y.set), Operands: append([]uint32{y.binding}, y.chain[1:]...)}
	return keyOf(&in, "")
}

// structureOf returns the constant for the descriptor that the acceleration structure of a trace call is read from, 0 if it
// comes from elsewhere, or from an array of descriptors by an index that is no constant.
func (e *departure) structureOf(accel spirv.ID) spirv.ID {
	load := e.s.definition(e.l, accel)
	if load == nil || load.Op != spirv.OpLoad {
		return 0
	}
	access := e.s.definition(e.l, load.Load().Pointer())
	if access == nil || access.Op != spirv.OpAccessChain {
		return 0
	}
	class, _ := e.l.types.pointee(access.Type)
	for _, id := range access.Operands {
		if class != spirv.StorageClassStorageBuffer || !e.l.isGlobal(spirv.ID(id)) {
			return 0
		}
	}
	y := structure{pointer: access.Type, chain: slices.Clone(access.Operands)}
	for _, in := range e.l.decorations[access.AccessChain().Base()] {
		switch in.Decorate().Decoration() {
		case spirv.DecorationDescriptorSet:
			y.set = in.Decorate().Literal()
		case spirv.DecorationBinding:
			y.binding = in.Decorate().Literal()
		}
	}
	key := y.key()
	if id := e.to.known[key]; id != 0 {
		return id
	}
	y.constant = e.l.stateConstant()
	e.to.structures = append(e.to.structures, y)
	if e.to.known == nil {
		e.to.known = map[string]spirv.ID{}
	}
	e.to.known[key] = y.constant
	return y.constant
}

// definition returns the load or access chain of the entry function that makes a value, nil if none does.
func (s *framedStage) definition(l *linked, id spirv.ID) *spirv.Inst {
	if s.definitions == nil {
		s.definitions = map[spirv.ID]*spirv.Inst{}
		for _, b := range s.function.Blocks {
			for i := range b.Insts {
				l.work(1)
				if in := &b.Insts[i]; in.Op == spirv.OpLoad || in.Op == spirv.OpAccessChain {
					s.definitions[in.Result] = in
				}
			}
		}
	}
	return s.definitions[id]
}

// emitStructures numbers the descriptors and writes the body of the hook that reads them.
func (l *assembly) emitStructures() {
	var list []structure
	numbers := map[string]int{}
	for _, y := range l.structures {
		// Those of libraries may be among the pipeline's own.
		i, known := numbers[y.key()]
		if !known {
			i = len(list)
			numbers[y.key()] = i
			list = append(list, y)
		}
		l.types.get(y.constant).Constant().SetWord(uint32(i))
	}
	f := l.functionByID(l.symbols.RtStructure.id)
	f.Blocks = nil
	c := code{l: l.linked, f: f}
	c.block(l.out.NewID())
	address := f.Def.Type
	read := func(y structure) spirv.ID {
		return c.load(address, c.value(spirv.OpAccessChain, y.pointer, y.chain...))
	}
	if len(list) == 0 {
		c.returnValue(l.types.declare(spirv.OpConstantNull, address))
		return
	}
	// The last of them is the default.
	last := list[len(list)-1]
	merge, other := l.out.NewID(), l.out.NewID()
	operands := []uint32{uint32(f.Params[0].Result), uint32(other)}
	labels := make([]spirv.ID, len(list)-1)
	for i := range labels {
		labels[i] = l.out.NewID()
		operands = append(operands, uint32(i), uint32(labels[i]))
	}
	if len(labels) == 0 {
		c.returnValue(read(last))
		return
	}
	c.raw(spirv.OpSelectionMerge, uint32(merge), 0)
	c.raw(spirv.OpSwitch, operands...)
	var phi []uint32
	for i, label := range labels {
		c.block(label)
		phi = append(phi, uint32(read(list[i])), uint32(label))
		c.branch(merge)
	}
	c.block(other)
	phi = append(phi, uint32(read(last)), uint32(other))
	c.branch(merge)
	c.block(merge)
	c.returnValue(c.value(spirv.OpPhi, address, phi...))
}
