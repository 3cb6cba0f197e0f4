package link

import "github.com/everray/everray/fallback/spirv"

// hooks are what the runtime leaves to the linker: functions whose bodies it writes, the sizes of arrays and of the workgroup, the
// entry point.
type hooks struct {
	*linked
	arguments spirv.ID // as of shapedStages
}

// emitConstant replaces the body of a hook by the return of a constant.
func (l *hooks) emitConstant(hook routine, value spirv.ID) {
	f := l.functionByID(hook.id)
	f.Blocks = nil
	c := code{l: l.linked, f: f}
	c.block(l.out.NewID())
	c.returnValue(value)
}

// emitSwitch replaces the body of a hook, of one parameter, by a switch that calls the functions by number. States of one
// function share a case. Any other number is a fault.
func (l *hooks) emitSwitch(hook routine, functions []stateCase) {
	f := l.functionByID(hook.id)
	word := l.types.uint32()
	f.Blocks = nil
	c := code{l: l.linked, f: f}
	c.block(l.out.NewID())
	number := f.Params[0].Result
	if len(functions) == 0 {
		c.returnValue(c.call(c.l.symbols.RtUnknown, number))
		return
	}
	merge, other := l.out.NewID(), l.out.NewID()
	operands := []uint32{uint32(number), uint32(other)}
	labels := map[spirv.ID]spirv.ID{}
	var cases []stateCase
	for _, s := range functions {
		if labels[s.function] == 0 {
			labels[s.function] = l.out.NewID()
			cases = append(cases, s)
		}
	}
	literals := map[spirv.ID][]uint32{}
	for _, s := range functions {
		literals[s.function] = append(literals[s.function], s.number, uint32(labels[s.function]))
	}
	for _, s := range cases { // the literals of one label stand together
		operands = append(operands, literals[s.function]...)
	}
	c.raw(spirv.OpSelectionMerge, uint32(merge), 0)
	c.raw(spirv.OpSwitch, operands...)
	var phi []uint32
	for _, s := range cases {
		c.block(labels[s.function])
		call := []uint32{uint32(s.function)}
		if s.machine {
			call = append(call, uint32(c.value(spirv.OpISub, word, uint32(number), uint32(c.u32(s.first)))))
		}
		next := c.value(spirv.OpFunctionCall, word, call...)
		phi = append(phi, uint32(next), uint32(labels[s.function]))
		c.branch(merge)
	}
	c.block(other)
	phi = append(phi, uint32(c.call(c.l.symbols.RtUnknown, number)), uint32(other))
	c.branch(merge)
	c.block(merge)
	c.returnValue(c.value(spirv.OpPhi, word, phi...))
}

// emitArgument replaces the body of a hook by the read of a member of the push constants.
func (l *hooks) emitArgument(hook routine, member uint32) {
	f := l.functionByID(hook.id)
	f.Blocks = nil
	c := code{l: l.linked, f: f}
	c.block(l.out.NewID())
	typ := f.Def.Type
	pointer := l.types.pointer(spirv.StorageClassPushConstant, typ)
	c.returnValue(c.load(typ, c.value(spirv.OpAccessChain, pointer, uint32(l.arguments), uint32(c.u32(member)))))
}

// forward has a function of the runtime do what another does, without parameters.
func (l *hooks) forward(from, to routine) {
	f := l.functionByID(from.id)
	f.Blocks = nil
	c := code{l: l.linked, f: f}
	c.block(l.out.NewID())
	c.returnValue(c.call(to))
}

// emitKernel makes one of the runtime's functions the whole of the module: its entry point.
func (l *hooks) emitKernel(main routine) {
	entry := &l.out.EntryPoints[0]
	before := entry.EntryPoint().EntryPoint()
	entry.EntryPoint().SetEntryPoint(main.id)
	for i := range l.out.ExecutionModes {
		if mode := l.out.ExecutionModes[i].ExecutionMode(); mode.EntryPoint() == before {
			mode.SetEntryPoint(main.id)
		}
	}
}

// resizeArray gives a global array of the runtime as many elements as the pipeline needs.
func (l *hooks) resizeArray(g global, length uint32) {
	t, id := l.types, g.id
	variable := t.get(id).Clone()
	class, array := t.pointee(variable.Type)
	element := uint32(t.get(array).TypeArray().ElementType())
	t.release(id) // it moves behind its new type
	variable.Type = t.pointer(class, t.declare(spirv.OpTypeArray, 0, element, uint32(t.u32(max(1, length)))))
	t.add(variable)
}

// setLanes sets the size of a workgroup.
func (l *hooks) setLanes(lanes uint32) {
	for i := range l.out.ExecutionModes {
		if in := &l.out.ExecutionModes[i]; in.ExecutionMode().Mode() == spirv.ExecutionModeLocalSize {
			in.ExecutionMode().Literals()[0] = lanes
		}
	}
}
