package link

import "github.com/everray/everray/fallback/spirv"

// liveness finds the leaves whose contents may still be read at points of the entry function: at its begin, and where it
// resumes. It is the usual backward data flow, over leaves in place of registers: a store that covers a leaf ends its life
// upwards, any other use of a pointer into it keeps it alive. Cuts are edges like any other; that is what makes the
// result, at a resume point, the set to be spilled.
//
// Leaves that no access tells apart have one bit together, a cell: a large array that is only copied whole has one. Cells are
// gone through in parts, so that the sets of all blocks never take more than some memory.
type liveness struct {
	l      *linked
	s      *framedStage
	v      *variables
	access map[spirv.ID]access
	cells  []int // the first leaf of each, and the number of leaves
	cell   []int // of each leaf

	written bitset              // leaves that the shader may write
	in      map[int]bitset      // cells alive at the begin of those blocks that count
	globals map[spirv.ID]bitset // cells of globals that a function uses, itself and through calls, of the part at work
	calls   []called            // the functions that the entry function reaches, what they call first
	blocks  [][]event           // what blocks do, from their end to their begin
	exits   bitset              // cells that live at the end of the shader
}

// event is one step of a block: a range of cells dies or comes alive, or a set does.
type event struct {
	first, count int
	kill         bool
	function     spirv.ID // the globals that it uses
	exit         bool     // what is written back at the end
}

// called is a function with the cells of globals that it uses.
type called struct {
	id     spirv.ID
	ranges []event
	calls  []spirv.ID
	next   int // the call to look at
}

// partWords bounds the words of the sets of all blocks at a time.
const partWords = 1 << 22

func (l *cutStages) analyseLiveness(s *framedStage) *liveness {
	a := &liveness{l: l.linked, s: s, v: s.vars, access: map[spirv.ID]access{}, in: map[int]bitset{}}
	a.resolve()
	a.findCells()
	a.findCalls()
	a.findWritten()
	f, cfg := s.function, s.graph.cfg
	a.findExits()
	a.blocks = make([][]event, len(f.Blocks))
	for _, b := range cfg.RPO {
		for i := len(f.Blocks[b].Insts) - 1; i >= 0; i-- {
			l.work(1)
			a.inst(b, &f.Blocks[b].Insts[i])
		}
	}
	cells := len(a.cells) - 1
	a.in[0] = newBitset(cells)
	for _, at := range s.sites {
		a.in[at.resume] = newBitset(cells)
	}
	step := max(1, min((cells+63)/64, partWords/(len(f.Blocks)+len(a.calls))))
	for word := 0; 64*word < cells; word += step {
		a.part(64*word, min(64*step, cells-64*word))
	}
	return a
}

// part does the data flow for a range of cells.
func (a *liveness) part(first, count int) {
	cfg := a.s.graph.cfg
	a.globals = map[spirv.ID]bitset{}
	for _, c := range a.calls {
		set := newBitset(count)
		for _, r := range c.ranges {
			set.addClipped(r.first-first, r.count, count)
		}
		for _, id := range c.calls {
			set.union(a.globals[id])
		}
		a.globals[c.id] = set
		a.l.work(len(set))
	}
	in := make([]bitset, len(cfg.Succs))
	for _, b := range cfg.RPO {
		in[b] = newBitset(count)
	}
	exits := a.exits[first/64:]
	live := newBitset(count)
	for changed := true; changed; {
		changed = false
		for i := len(cfg.RPO) - 1; i >= 0; i-- {
			b := cfg.RPO[i]
			a.l.work(1 + len(live) + len(a.blocks[b]))
			clear(live)
			for _, t := range cfg.Succs[b] {
				live.union(in[t])
			}
			for _, e := range a.blocks[b] {
				switch {
				case e.function != 0:
					live.union(a.globals[e.function])
				case e.exit:
					live.union(exits[:len(live)])
				case e.kill:
					live.removeClipped(e.first-first, e.count, count)
				default:
					live.addClipped(e.first-first, e.count, count)
				}
			}
			if in[b].union(live) {
				changed = true
			}
		}
	}
	for b, set := range a.in {
		copy(set[first/64:], in[b])
	}
}

// at returns the leaves alive at the begin of a block that counts.
func (a *liveness) at(block int) bitset {
	set := newBitset(len(a.v.leaves))
	a.in[block].each(func(c int) {
		for i := a.cells[c]; i < a.cells[c+1]; i++ {
			set.add(i)
		}
	})
	return set
}

// resolve finds what each pointer in the entry function reaches.
func (a *liveness) resolve() {
	for _, x := range a.v.list {
		a.access[x.id] = x.whole()
	}
	for _, b := range a.s.function.Blocks {
		a.l.work(len(b.Insts))
		for i := range b.Insts {
			in := &b.Insts[i]
			switch in.Op {
			case spirv.OpCopyObject:
				if from, ok := a.access[in.CopyObject().Operand()]; ok {
					a.access[in.Result] = from
				}
			case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
				to, ok := a.access[in.AccessChain().Base()]
				if !ok {
					continue
				}
				for _, index := range in.AccessChain().Indexes() {
					to = a.v.index(to, spirv.ID(index))
				}
				a.access[in.Result] = to
			}
		}
	}
}

// findCells divides the leaves where an access begins or ends.
func (a *liveness) findCells() {
	n := len(a.v.leaves)
	begins := newBitset(n + 1)
	begins.add(0)
	begins.add(n)
	for _, x := range a.access {
		begins.add(x.first)
		begins.add(x.first + x.count)
	}
	begins.each(func(i int) { a.cells = append(a.cells, i) })
	a.cell = make([]int, n+1)
	for c := range len(a.cells) - 1 {
		for i := a.cells[c]; i < a.cells[c+1]; i++ {
			a.cell[i] = c
		}
	}
	a.cell[n] = len(a.cells) - 1
}

// of returns the event of a range of leaves.
func (a *liveness) of(first, count int) event {
	c := a.cell[first]
	return event{first: c, count: a.cell[first+count] - c}
}

// inst notes what an instruction of a block does.
func (a *liveness) inst(b int, in *spirv.Inst) {
	add := func(e event) { a.blocks[b] = append(a.blocks[b], e) }
	switch in.Op {
	case spirv.OpVariable, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject:
	case spirv.OpStore:
		if to, ok := a.access[in.Store().Pointer()]; ok && to.exact {
			e := a.of(to.first, to.count)
			e.kill = true
			add(e)
		}
	case spirv.OpFunctionCall:
		callee := in.FunctionCall().Function()
		if begins := callee == a.l.symbols.RqInitialize.id; begins && a.access[in.FunctionCall().Argument(0)].exact {
			to := a.access[in.FunctionCall().Argument(0)]
			e := a.of(to.first, to.count)
			e.kill = true // writes all of a query that matters
			add(e)
			return
		}
		add(event{function: callee})
		a.usePointers(b, in)
	case spirv.OpTraceRayKHR, spirv.OpExecuteCallableKHR, spirv.OpHitObjectTraceRayEXT, spirv.OpHitObjectExecuteShaderEXT,
		spirv.OpHitObjectTraceReorderExecuteEXT:
		// The callee may change the payload, whole; it is given the payload as it is.
		call := *in
		if makesHitObject(in.Op) {
			call = *traceOf(in)
			if to, ok := a.access[in.HitObject().HitObject()]; ok && to.exact { // a new object
				e := a.of(to.first, to.count)
				e.kill = true
				add(e)
			}
		}
		a.usePointers(b, &call)
		if x := a.v.byID[in.Handed()]; x != nil && x.role.kind == roleIncoming {
			if slot := a.v.byID[a.s.incomingSlot]; slot != nil {
				add(a.of(slot.first, slot.count))
			}
		}
	case spirv.OpReportIntersectionKHR: // it hands over the hit attributes
		for _, x := range a.v.byRole[roleHit] {
			add(a.of(x.first, x.count))
		}
	case spirv.OpReturn, spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR:
		add(event{exit: true})
	default:
		a.usePointers(b, in)
	}
}

// findExits: what the shader may have changed of its payload is written back.
func (a *liveness) findExits() {
	a.exits = newBitset(len(a.cells) - 1)
	for _, x := range a.v.byRole[roleIncoming] {
		for i := x.first; i < x.first+x.count; i++ {
			if a.written.has(i) {
				a.exits.add(a.cell[i])
				if slot := a.v.byID[a.s.incomingSlot]; slot != nil {
					e := a.of(slot.first, slot.count)
					a.exits.addRange(e.first, e.count)
				}
			}
		}
	}
}

// useIncomingSlot adds the leaf of the variable that says where the incoming payload is.
func (a *liveness) useIncomingSlot(live bitset) {
	if x := a.v.byID[a.s.incomingSlot]; x != nil {
		live.addRange(x.first, x.count)
	}
}

// usePointers marks what the pointers among an instruction's operands reach.
func (a *liveness) usePointers(b int, in *spirv.Inst) {
	in.EachID(func(p *uint32) {
		if to, ok := a.access[spirv.ID(*p)]; ok {
			a.blocks[b] = append(a.blocks[b], a.of(to.first, to.count))
		}
	})
}

// findCalls lists the functions that the entry function reaches, each behind those that it calls.
func (a *liveness) findCalls() {
	seen := map[spirv.ID]bool{}
	var work []called
	visit := func(id spirv.ID) {
		if seen[id] {
			return
		}
		seen[id] = true
		c := called{id: id}
		if f := a.s.functions[id]; f != nil {
			c.ranges, c.calls = a.usesOf(f)
		}
		work = append(work, c)
	}
	for _, b := range a.s.function.Blocks {
		for i := range b.Insts {
			if in := &b.Insts[i]; in.Op == spirv.OpFunctionCall {
				visit(in.FunctionCall().Function())
			}
			for len(work) > 0 {
				top := &work[len(work)-1]
				if top.next < len(top.calls) {
					top.next++
					visit(top.calls[top.next-1])
					continue
				}
				a.calls = append(a.calls, *top)
				work = work[:len(work)-1]
			}
		}
	}
}

// usesOf returns the globals that a function uses, and the functions that it calls.
func (a *liveness) usesOf(f *spirv.Function) (ranges []event, calls []spirv.ID) {
	for _, b := range f.Blocks {
		a.l.work(len(b.Insts))
		for i := range b.Insts {
			in := &b.Insts[i]
			in.EachID(func(p *uint32) {
				if x := a.v.byID[spirv.ID(*p)]; x != nil && !x.local {
					ranges = append(ranges, a.of(x.first, x.count))
				}
			})
			if in.Op == spirv.OpFunctionCall {
				calls = append(calls, in.FunctionCall().Function())
			}
		}
	}
	return ranges, calls
}

// findWritten collects the leaves that the shader, or what it calls, may write.
func (a *liveness) findWritten() {
	a.written = newBitset(len(a.v.leaves))
	write := func(id spirv.ID) {
		if to, ok := a.access[id]; ok {
			a.written.addRange(to.first, to.count)
		}
	}
	for _, c := range a.calls {
		for _, r := range c.ranges {
			a.written.addRange(a.cells[r.first], a.cells[r.first+r.count]-a.cells[r.first])
		}
	}
	for _, b := range a.s.function.Blocks {
		a.l.work(len(b.Insts))
		for i := range b.Insts {
			in := &b.Insts[i]
			switch in.Op {
			case spirv.OpVariable, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject, spirv.OpLoad:
			case spirv.OpStore:
				write(in.Store().Pointer())
			default:
				in.EachID(func(p *uint32) { write(spirv.ID(*p)) })
			}
		}
	}
}
