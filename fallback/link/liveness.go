package link

import "github.com/everray/everray/fallback/spirv"

// liveness finds, for each block of the entry function, the leaves whose contents may still be read at its begin.
// It is the usual backward data flow, over leaves in place of registers: a store that covers a leaf ends its life
// upwards, any other use of a pointer into it keeps it alive. Cuts are edges like any other; that is what makes the
// result, at a resume point, the set to be spilled.
type liveness struct {
	l       *linker
	s       *stage
	v       *variables
	access  map[spirv.ID]access
	globals map[spirv.ID]bitset // leaves of globals that a function uses, itself and through calls
	written bitset              // leaves that the shader may write
	in      []bitset            // by block
}

func (l *linker) analyseLiveness(s *stage) *liveness {
	a := &liveness{l: l, s: s, v: s.vars, access: map[spirv.ID]access{}, globals: map[spirv.ID]bitset{}}
	a.resolve()
	a.findWritten()
	f := s.function
	n := len(a.v.leaves)
	a.in = make([]bitset, len(f.Blocks))
	for b := range a.in {
		a.in[b] = newBitset(n)
	}
	cfg := s.graph.cfg
	for changed := true; changed; {
		changed = false
		for i := len(cfg.RPO) - 1; i >= 0; i-- {
			b := cfg.RPO[i]
			live := newBitset(n)
			for _, t := range cfg.Succs[b] {
				live.union(a.in[t])
			}
			a.block(f.Blocks[b], live)
			if a.in[b].union(live) {
				changed = true
			}
		}
	}
	return a
}

// resolve finds what each pointer in the entry function reaches.
func (a *liveness) resolve() {
	for _, x := range a.v.list {
		a.access[x.id] = x.whole()
	}
	for _, b := range a.s.function.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			switch in.Op {
			case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject:
				base, ok := a.access[in.ID(0)]
				if !ok {
					continue
				}
				for _, index := range in.Operands[1:] {
					base = a.v.index(base, spirv.ID(index))
				}
				a.access[in.Result] = base
			}
		}
	}
}

// block turns the set of leaves alive at the end of a block into that at its begin.
func (a *liveness) block(b *spirv.Block, live bitset) {
	for i := len(b.Insts) - 1; i >= 0; i-- {
		a.inst(&b.Insts[i], live)
	}
}

func (a *liveness) inst(in *spirv.Inst, live bitset) {
	switch in.Op {
	case spirv.OpVariable, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject:
	case spirv.OpStore:
		if to, ok := a.access[in.ID(0)]; ok && to.exact {
			live.removeRange(to.first, to.count)
		}
	case spirv.OpFunctionCall:
		if to, ok := a.access[in.ID(min(1, len(in.Operands)-1))]; ok && to.exact && in.ID(0) == a.l.symbol("rqInitialize") {
			live.removeRange(to.first, to.count) // writes all of a query that matters
			return
		}
		live.union(a.globalsOf(in.ID(0)))
		a.usePointers(in, live)
	case spirv.OpTraceRayKHR, spirv.OpExecuteCallableKHR:
		// The callee may change the payload, whole; it is given the payload as it is.
		a.usePointers(in, live)
		if x := a.v.byID[in.ID(len(in.Operands)-1)]; x != nil && x.role.kind == roleIncoming {
			a.useIncomingSlot(live)
		}
	case spirv.OpReportIntersectionKHR:
		a.useAttributes(live)
	case spirv.OpReturn, spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR:
		a.exit(live)
	default:
		a.usePointers(in, live)
	}
}

// exit: what the shader may have changed of its payload is written back.
func (a *liveness) exit(live bitset) {
	for _, x := range a.v.list {
		if x.role.kind != roleIncoming {
			continue
		}
		for i := x.first; i < x.first+x.count; i++ {
			if a.written.has(i) {
				live.add(i)
				a.useIncomingSlot(live)
			}
		}
	}
}

func (a *liveness) useIncomingSlot(live bitset) {
	if x := a.v.byID[a.s.incomingSlot]; x != nil {
		live.addRange(x.first, x.count)
	}
}

// useAttributes: a report hands over the hit attributes.
func (a *liveness) useAttributes(live bitset) {
	for _, x := range a.v.list {
		if x.role.kind == roleHit {
			live.addRange(x.first, x.count)
		}
	}
}

// usePointers marks what the pointers among an instruction's operands reach.
func (a *liveness) usePointers(in *spirv.Inst, live bitset) {
	in.EachID(func(p *uint32) {
		if to, ok := a.access[spirv.ID(*p)]; ok {
			live.addRange(to.first, to.count)
		}
	})
}

// globalsOf returns the leaves of globals that a called function may touch.
func (a *liveness) globalsOf(function spirv.ID) bitset {
	if set, ok := a.globals[function]; ok {
		return set
	}
	set := newBitset(len(a.v.leaves))
	a.globals[function] = set
	f := a.s.functions[function]
	if f == nil {
		return set
	}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			in.EachID(func(p *uint32) {
				if x := a.v.byID[spirv.ID(*p)]; x != nil && !x.local {
					set.addRange(x.first, x.count)
				}
			})
			if in.Op == spirv.OpFunctionCall {
				set.union(a.globalsOf(in.ID(0)))
			}
		}
	}
	return set
}

// findWritten collects the leaves that the shader, or what it calls, may write.
func (a *liveness) findWritten() {
	a.written = newBitset(len(a.v.leaves))
	for _, b := range a.s.function.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			switch in.Op {
			case spirv.OpVariable, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject, spirv.OpLoad:
			case spirv.OpStore:
				if to, ok := a.access[in.ID(0)]; ok {
					a.written.addRange(to.first, to.count)
				}
			case spirv.OpFunctionCall:
				a.written.union(a.globalsOf(in.ID(0)))
				a.usePointers(in, a.written)
			default:
				a.usePointers(in, a.written)
			}
		}
	}
}
