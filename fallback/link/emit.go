package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// The states that the runtime itself knows, see runtime.comp.
const (
	stateDone     = 0
	firstShade    = 3          // entries of hit and miss shaders
	stateCall     = 0xFFFF     // what they must stay below
	scheduled     = 0xFFFFFFFF // RT_STRUCTURE
	firstContinue = 0x10000    // entries of ray generation and callable shaders, and resume points
)

// flagSkipClosestHit is the ray flag SkipClosestHitShader.
const flagSkipClosestHit = 8

// What an any hit shader returns, as ER_CANDIDATE_... in traverse.glsl.
const (
	candidateAccept    = 0
	candidateIgnore    = 1
	candidateTerminate = 2
)

// What rtReport answers, as RT_REPORT_... in runtime.comp.
const (
	reportRefused = 0
	reportEnd     = 2
)

// emitStates writes the state functions of all stages.
func (l *framedStages) emitStates() (*assembly, error) {
	l.form.begin(l)
	to := &assembly{
		hooks: hooks{l.linked, l.arguments}, form: l.form, size: l.size, own: len(l.stages), procedural: l.procedural(),
	}
	if err := each(l.job, l.stages, to.emitStage); err != nil {
		return nil, err
	}
	to.dropEntries(l.stages)
	return to, nil
}

// emitStage writes the state functions of a stage.
func (l *assembly) emitStage(s *framedStage) error {
	if n := len(s.sites) + len(s.graph.fragments); n > maxCases && s.machine || len(s.sites) > maxCases {
		return s.unsupported("%d calls and %d pieces of code between them, more than the %d cases of a switch",
			len(s.sites), len(s.graph.fragments), maxCases)
	}
	p := part{name: s.Name, model: s.Kind, frame: l.frameSize(s), machine: s.machine, records: s.records}
	p.hitObjects = s.hitObjects && (!l.form.cuts() || slices.ContainsFunc(s.frames, func(f *frame) bool { return f.hit != nil }))
	for _, f := range s.frames {
		f.constant = l.stateConstant()
		p.calls = p.calls || f.call.Op == spirv.OpExecuteCallableKHR
		if f.call.Op == spirv.OpReorderThreadWithHintEXT {
			p.reorders = true
		} else if f.call.Op != spirv.OpExecuteCallableKHR {
			rays := l.rayBits(&f.call)
			p.skips = p.skips || rays.flags.mask&rays.flags.value&rayFlagSkipClosestHit != 0
			p.rays = p.rays.meet(rays, p.traces)
			p.traces = true
		}
	}
	p.sites = s.reportCalls()
	p.chain = s.longestChain()
	if s.machine {
		p.entry = l.emitMachine(s)
	} else {
		p.entry = l.emitState(s, nil)
	}
	for _, f := range s.frames {
		r := resumption{function: p.entry, constant: f.constant}
		if !s.machine {
			r.function = l.emitState(s, f)
		}
		p.resumptions = append(p.resumptions, r)
	}
	l.parts = append(l.parts, p)
	return nil
}

// stateConstant declares the constant with the number of a state, which is known only when all shaders of the pipeline are.
func (l *linked) stateConstant() spirv.ID {
	id := l.out.NewID()
	l.types.add(spirv.Inst{Op: spirv.OpConstant, Type: l.types.uint32(), Result: id, Operands: []uint32{0}})
	return id
}

// dropEntries removes the entry functions that the state functions were made of.
func (l *assembly) dropEntries(stages []*framedStage) {
	l.heed()
	entries := map[*spirv.Function]bool{}
	for _, s := range stages {
		entries[s.function] = true
	}
	l.out.Functions = slices.DeleteFunc(l.out.Functions, func(f *spirv.Function) bool { return entries[f] })
	l.out.DropStale()
}

// emitter writes one state function.
type emitter struct {
	departure
	pc    spirv.ID // variable with the number of the fragment that runs next, 0 if there is but one fragment
	after spirv.ID // where fragments go on that jump to another
}

// stateFunction writes a state function of a stage, which takes so many words, and returns its id.
func (l *assembly) stateFunction(s *framedStage, words int, body func(e *emitter)) spirv.ID {
	t := l.types
	word := t.uint32()
	id := l.out.NewID()
	f := &spirv.Function{}
	for range words {
		f.Params = append(f.Params, spirv.Inst{Op: spirv.OpFunctionParameter, Type: word, Result: l.out.NewID()})
	}
	f.Def = spirv.Inst{Op: spirv.OpFunction, Type: word, Result: id,
		Operands: []uint32{0, uint32(t.function(word, slices.Repeat([]spirv.ID{word}, words)...))}}
	c := copies{code: code{l: l.linked, f: f}, s: s, ids: newCloner(l.linked)}
	e := &emitter{departure: departure{entrance{spiller: spiller{c}, to: l}}}
	e.block(l.out.NewID())
	body(e)
	e.declareVariables()
	l.out.Functions = append(l.out.Functions, f)
	l.outer[id] = true
	return id
}

// emitState writes the state function that begins the stage, or that resumes behind a cut, and returns its id.
func (l *assembly) emitState(s *framedStage, from *frame) spirv.ID {
	return l.stateFunction(s, 0, func(e *emitter) {
		start := 0 // the fragment to begin with
		if from == nil {
			e.enter()
		} else {
			start = s.graph.starts[from.resume]
			e.resume(from)
		}
		order, loop := s.graph.reachable(start)
		switch {
		case len(order) == 1:
			e.fragment(s.graph.fragments[start])
		case loop:
			e.loop(start, order)
		default:
			e.sequence(order)
		}
	})
}

// reachable returns the fragments that can run after start without a cut, in reverse postorder, and whether they form
// a loop.
func (g *graph) reachable(start int) (order []int, loop bool) {
	type step struct{ fragment, next int }
	const open, closed = 1, 2
	state := map[int]int{start: open}
	work := []step{{start, len(g.fragments[start].next)}}
	for len(work) > 0 {
		top := &work[len(work)-1]
		if top.next == 0 {
			state[top.fragment] = closed
			order = append(order, top.fragment)
			work = work[:len(work)-1]
			continue
		}
		top.next--
		switch to := g.fragments[top.fragment].next[top.next]; state[to] {
		case 0:
			state[to] = open
			work = append(work, step{to, len(g.fragments[to].next)})
		case open:
			loop = true
		}
	}
	slices.Reverse(order)
	return order, loop
}

// sequence writes fragments that form no loop: each in a selection of its own but the first, which always runs, and the
// last, which runs if nothing else did.
func (e *emitter) sequence(order []int) {
	e.pc = e.newPC()
	for k, i := range order {
		last := k == len(order)-1
		if k > 0 && !last {
			e.guard(i)
		} else if !last {
			e.after = e.l.out.NewID()
		}
		e.fragment(e.s.graph.fragments[i])
		if !last {
			e.block(e.after)
		}
	}
}

// loop writes fragments that form a loop as one loop over selections in reverse postorder, so that one turn of it is
// one turn of theirs.
func (e *emitter) loop(start int, order []int) {
	e.pc = e.newPC()
	e.store(e.pc, e.u32(uint32(start)))
	header, body, cont, exit := e.l.out.NewID(), e.l.out.NewID(), e.l.out.NewID(), e.l.out.NewID()
	e.branch(header)
	e.block(header)
	e.raw(spirv.OpLoopMerge, uint32(exit), uint32(cont), 0)
	e.branch(body)
	e.block(body)
	for _, i := range order {
		e.guard(i)
		e.fragment(e.s.graph.fragments[i])
		e.block(e.after)
	}
	e.branch(cont)
	e.block(cont)
	e.branch(header)
	e.block(exit) // never reached: the fragments return
	e.raw(spirv.OpUnreachable)
}

// newPC returns the variable that holds the number of the fragment to run.
func (e *emitter) newPC() spirv.ID {
	in := e.l.newVariable(e.l.types.uint32())
	e.f.Blocks[0].Insts = append([]spirv.Inst{in}, e.f.Blocks[0].Insts...)
	return in.Result
}

// guard begins a selection that fragment i runs in, up to e.after.
func (e *emitter) guard(i int) {
	word := e.l.types.uint32()
	code := e.l.out.NewID()
	e.after = e.l.out.NewID()
	pc := e.load(word, e.pc)
	hit := e.value(spirv.OpIEqual, e.l.types.boolean(), uint32(pc), uint32(e.u32(uint32(i))))
	e.choose(hit, code, e.after)
	e.block(code)
}

// fragment copies a fragment into the current block and those that follow.
func (e *emitter) fragment(fr *fragment) {
	blocks := e.s.function.Blocks
	e.l.work(16) // the guard, the jump
	// Fragments are entered from what was just written, so their first block is the current one.
	e.ids.ids[blocks[fr.blocks[0]].Label] = e.cur.Label
	for k, b := range fr.blocks {
		if k > 0 {
			e.block(e.ids.id(blocks[b].Label))
		}
		insts := blocks[b].Insts
		if b == fr.last {
			e.last(fr, insts)
			continue
		}
		for i := range insts {
			if insts[i].Op.IsMerge() && !e.s.graph.whole[b] {
				continue // the construct was taken apart
			}
			e.inst(&insts[i])
		}
	}
}

// inst copies one instruction; exits of the shader become returns to the scheduler.
func (e *emitter) inst(in *spirv.Inst) {
	e.l.work(1)
	e.l.inst = in
	switch in.Op {
	case spirv.OpVariable:
	case spirv.OpReturn, spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR:
		e.exit(in.Op)
	case spirv.OpReportIntersectionKHR:
		e.report(in)
	default:
		if in.Op.CallsShaders() { // where it is no cut
			e.to.form.call(&e.departure, in)
			return
		}
		e.cur.Insts = append(e.cur.Insts, e.ids.inst(in))
	}
}

// last copies the block that ends a fragment. Its merge instruction goes: the construct was taken apart.
func (e *emitter) last(fr *fragment, insts []spirv.Inst) {
	end := &insts[len(insts)-1]
	body := insts[:len(insts)-1]
	if n := len(body); n > 0 && (body[n-1].Op.IsMerge() || fr.site != nil) {
		body = body[:n-1]
	}
	for i := range body {
		e.inst(&body[i])
	}
	switch {
	case fr.site != nil:
		e.cut(e.s.frames[fr.site.number])
	case end.Op == spirv.OpBranch:
		e.store(e.pc, e.u32(uint32(fr.next[0])))
		e.branch(e.after)
	case end.Op == spirv.OpBranchConditional:
		e.jumpConditional(end)
	case end.Op == spirv.OpSwitch:
		e.jumpSwitch(end)
	default:
		e.inst(end)
	}
}

// fragmentOf returns the number of the fragment that begins with a label.
func (e *emitter) fragmentOf(label spirv.ID) spirv.ID {
	g := e.s.graph
	return e.u32(uint32(g.starts[g.cfg.Index[label]]))
}

func (e *emitter) jumpConditional(end *spirv.Inst) {
	choice := end.BranchConditional()
	condition := choice.Condition()
	if !e.l.isGlobal(condition) {
		condition = e.ids.id(condition)
	}
	yes, no := e.fragmentOf(choice.TrueLabel()), e.fragmentOf(choice.FalseLabel())
	e.store(e.pc, e.value(spirv.OpSelect, e.l.types.uint32(), uint32(condition), uint32(yes), uint32(no)))
	e.branch(e.after)
}

// jumpSwitch keeps the switch, with cases that only choose the next fragment.
func (e *emitter) jumpSwitch(end *spirv.Inst) {
	in := end.Clone()
	var cases []spirv.ID // labels
	var targets []spirv.ID
	byTarget := map[uint32]spirv.ID{}
	if selector := in.Switch().Selector(); !e.l.isGlobal(selector) {
		in.Switch().SetSelector(e.ids.id(selector))
	}
	in.EachTarget(func(p *uint32) {
		label, ok := byTarget[*p]
		if !ok {
			label = e.l.out.NewID()
			byTarget[*p] = label
			cases, targets = append(cases, label), append(targets, e.fragmentOf(spirv.ID(*p)))
		}
		*p = uint32(label)
	})
	merge := e.l.out.NewID()
	e.raw(spirv.OpSelectionMerge, uint32(merge), 0)
	e.cur.Insts = append(e.cur.Insts, in)
	for i, label := range cases {
		e.block(label)
		e.store(e.pc, targets[i])
		e.branch(merge)
	}
	e.block(merge)
	e.branch(e.after)
}
