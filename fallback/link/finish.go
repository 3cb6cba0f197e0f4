package link

import (
	"cmp"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// stateCase is one case of a hook's switch.
type stateCase struct {
	number   uint32
	function spirv.ID
	machine  bool   // the function runs several states and takes the place among them as its argument
	first    uint32 // the number of the state in place 0
}

// stateCases are the cases of the runtime's hooks, in the order of the pipeline's shaders.
type stateCases struct {
	raygens, callables []stateCase
	goOn               []stateCase // both, and the points to resume at
	hits, misses       []stateCase
	shades             []stateCase // both
	anyHits            []stateCase
	intersections      []stateCase
}

// stateCases collects the cases of all shaders.
func (l *assembly) stateCases() stateCases { return l.stateCasesOf(func(int) bool { return true }) }

// stateCasesOf collects the cases of some shaders, by the numbers of their parts.
func (l *assembly) stateCasesOf(some func(part int) bool) stateCases {
	var c stateCases
	for i := range l.parts {
		if !some(i) {
			continue
		}
		p := &l.parts[i]
		entry := stateCase{p.number, p.entry, p.machine, p.number}
		var lists []*[]stateCase
		switch p.model {
		case Raygen:
			lists = []*[]stateCase{&c.raygens, &c.goOn}
		case Callable:
			lists = []*[]stateCase{&c.callables, &c.goOn}
		case ClosestHit:
			lists = []*[]stateCase{&c.hits, &c.shades}
		case Miss:
			lists = []*[]stateCase{&c.misses, &c.shades}
		case AnyHit:
			lists = []*[]stateCase{&c.anyHits}
		case Intersection:
			lists = []*[]stateCase{&c.intersections}
		}
		for _, list := range lists {
			*list = append(*list, entry)
		}
		for _, r := range p.resumptions {
			c.goOn = append(c.goOn, stateCase{r.number, r.function, p.machine, p.resumptions[0].number - 1})
		}
	}
	return c
}

// emitDispatch writes the bodies of the runtime's hooks.
func (l *assembly) emitDispatch() error {
	l.useHitObjects()
	if err := l.form.dispatch(l); err != nil {
		return err
	}
	l.out.DropStale()
	l.listInterface()
	return nil
}

// emitTraversalHooks writes the hooks by which traversal asks shaders, and what the pipeline can do without.
func (l *assembly) emitTraversalHooks(c stateCases) {
	l.emitSwitch(l.symbols.RtAnyHit, c.anyHits)
	if len(c.anyHits) == 0 {
		// Nobody to ask: traversal need not keep what any hit shaders could want to see.
		l.emitConstant(l.symbols.ErCandidate, l.types.u32(candidateAccept))
	}
	l.emitSwitch(l.symbols.RtIntersection, c.intersections)
	l.emitConstants(slices.ContainsFunc(l.parts, func(p part) bool { return p.model == Intersection }))
}

// emitConstants says what the pipeline can do without.
func (l *assembly) emitConstants(intersections bool) {
	flags := l.options.Flags
	for _, c := range []struct {
		hook  routine
		value bool
	}{
		{l.symbols.RtIndirect, l.options.Indirect},
		{l.symbols.RtNullAnyHit, !flags.NoNullAnyHit},
		{l.symbols.RtNullIntersection, !flags.NoNullIntersection},
		{l.symbols.ErUsesTriangles, !flags.SkipTriangles},
		{l.symbols.ErUsesBoxes, !flags.SkipAABBs && intersections},
		{l.symbols.RtUsesAttributes, l.procedural},
		{l.symbols.RtCallsShaders, l.callsShaders()},
	} {
		op := spirv.OpConstantFalse
		if c.value {
			op = spirv.OpConstantTrue
		}
		l.emitConstant(c.hook, l.types.declare(op, l.types.boolean()))
	}
}

// emitRaygen spares lanes the ray generation record's handle where there is no choice. Records of indirect launches nobody
// has checked.
func (l *assembly) emitRaygen() {
	if l.options.Indirect {
		return
	}
	only, n := uint32(0), 0
	for i := range l.parts {
		if l.parts[i].model == Raygen {
			only = l.parts[i].number
			n++
		}
	}
	if n == 1 {
		l.emitConstant(l.symbols.RtFirst, l.types.u32(only))
		l.emitConstant(l.symbols.RtFirstIsKnown, l.types.declare(spirv.OpConstantTrue, l.types.boolean()))
	}
}

// callsShaders tells whether any shader may call callable ones, or is left at a reorder: for states that are not those of a trace.
func (l *assembly) callsShaders() bool {
	return slices.ContainsFunc(l.parts, func(p part) bool { return p.calls || p.reorders })
}

func (l *linked) functionByID(id spirv.ID) *spirv.Function {
	for _, f := range l.out.Functions {
		if f.Def.Result == id {
			return f
		}
	}
	return nil
}

// finish makes the form's modules.
func (l *assembly) finish() (*completed, error) {
	result, err := l.form.finish(l)
	return &completed{assembly: l, result: result}, err
}

// finishModule drops what is not reached from the entry point and completes the header.
func (l *assembly) finishModule() {
	l.dropFunctions()
	l.heed()
	l.out.Prune()
	l.heed()
	l.finishHeader()
	l.heed()
}

// makeResult encodes the module, which is complete, and tells what callers need to know of it.
func (l *assembly) makeResult(form Form) *Result {
	result := &Result{Code: l.out.Encode(), Form: form}
	for i, p := range l.parts {
		result.Entries = append(result.Entries, p.number)
		result.Frames = append(result.Frames, p.frame)
		if p.model != AnyHit && p.model != Intersection {
			result.Owners = append(result.Owners, Owner{p.number, uint32(i)})
		}
		for _, c := range p.sites {
			c.Stage = uint32(i)
			result.Calls = append(result.Calls, c)
		}
		for _, r := range p.resumptions {
			result.Owners = append(result.Owners, Owner{r.number, uint32(i)})
		}
	}
	result.States = len(result.Owners)
	slices.SortFunc(result.Owners, func(a, b Owner) int { return cmp.Compare(a.State, b.State) })
	return result
}

// finishHeader completes interface, capabilities, extensions and version.
func (l *linked) finishHeader() {
	m := l.out
	l.types.reindex()
	l.listInterface()
	dropCapabilities(m)
	m.Version = max(m.Version, 0x10500)
	m.DebugStrings = nil
}

// listInterface lists all globals, as the interface of the entry point does since SPIR-V 1.4, as far as it uses them.
func (l *linked) listInterface() {
	entry := &l.out.EntryPoints[0]
	n := entry.InterfaceStart()
	entry.Operands = entry.Operands[:n:n]
	for i := range l.out.Globals {
		if l.out.Globals[i].Op == spirv.OpVariable {
			entry.Operands = append(entry.Operands, uint32(l.out.Globals[i].Result))
		}
	}
}

// dropFunctions keeps the functions that the entry point reaches.
func (l *linked) dropFunctions() {
	byID := map[spirv.ID]*spirv.Function{}
	for _, f := range l.out.Functions {
		l.work(1)
		byID[f.Def.Result] = f
	}
	reached := map[spirv.ID]bool{}
	work := []spirv.ID{l.out.EntryPoints[0].EntryPoint().EntryPoint()}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[id] {
			continue
		}
		reached[id] = true
		for _, b := range byID[id].Blocks {
			l.work(len(b.Insts))
			for i := range b.Insts {
				if b.Insts[i].Op == spirv.OpFunctionCall {
					work = append(work, b.Insts[i].FunctionCall().Function())
				}
			}
		}
	}
	var kept []*spirv.Function
	for _, f := range l.out.Functions {
		if reached[f.Def.Result] {
			kept = append(kept, f)
		}
	}
	l.out.Functions = kept
	l.out.ExecutionModes = spirv.Filter(l.out.ExecutionModes, func(in *spirv.Inst) bool {
		return reached[in.ExecutionMode().EntryPoint()]
	})
}
