package link

import "github.com/everray/everray/fallback/spirv"

// emitMachine writes one function for all states of a stage. It takes the state's place among the stage's, 0 for its begin: a
// switch restores what the state needs and says which fragment comes first, a loop over a switch of all fragments does the rest.
func (l *assembly) emitMachine(s *framedStage) spirv.ID {
	return l.stateFunction(s, 1, func(e *emitter) {
		e.pc = e.newPC()
		e.begin(e.f.Params[0].Result)
		e.turn()
	})
}

// begin restores what a state needs.
func (e *emitter) begin(state spirv.ID) {
	merge, first := e.l.out.NewID(), e.l.out.NewID()
	operands := []uint32{uint32(state), uint32(first)}
	labels := make([]spirv.ID, len(e.s.sites))
	for i := range e.s.sites {
		labels[i] = e.l.out.NewID()
		operands = append(operands, uint32(i+1), uint32(labels[i]))
	}
	e.raw(spirv.OpSelectionMerge, uint32(merge), 0)
	e.raw(spirv.OpSwitch, operands...)
	e.block(first)
	e.enter()
	e.store(e.pc, e.u32(0))
	e.branch(merge)
	for i, f := range e.s.frames {
		e.block(labels[i])
		e.resume(f)
		e.store(e.pc, e.u32(uint32(e.s.graph.starts[f.site.resume])))
		e.branch(merge)
	}
	e.block(merge)
}

// turn writes the loop over all fragments.
func (e *emitter) turn() {
	header, body, cont, exit, merge := e.l.out.NewID(), e.l.out.NewID(), e.l.out.NewID(), e.l.out.NewID(), e.l.out.NewID()
	e.branch(header)
	e.block(header)
	e.raw(spirv.OpLoopMerge, uint32(exit), uint32(cont), 0)
	e.branch(body)
	e.block(body)
	fragments := e.s.graph.fragments
	pc := e.load(e.l.types.uint32(), e.pc)
	operands := []uint32{uint32(pc), uint32(merge)}
	labels := make([]spirv.ID, len(fragments))
	for i := range fragments {
		labels[i] = e.l.out.NewID()
		operands = append(operands, uint32(i), uint32(labels[i]))
	}
	e.raw(spirv.OpSelectionMerge, uint32(merge), 0)
	e.raw(spirv.OpSwitch, operands...)
	for i, fr := range fragments {
		e.block(labels[i])
		e.after = merge
		e.fragment(fr)
	}
	e.block(merge)
	e.branch(cont)
	e.block(cont)
	e.branch(header)
	e.block(exit) // never reached: the fragments return
	e.raw(spirv.OpUnreachable)
}
