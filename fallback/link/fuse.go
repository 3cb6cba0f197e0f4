package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// Trace, reorder, execute: most shaders do the three one behind the other with the same payload, and that is a trace call, in
// which the wavefront form sorts lanes by their shader anyway. This pass makes one instruction of them (OpHitObjectTraceReorder-
// ExecuteEXT): one cut, and where nobody asks for the object behind it no object at all. What stands between goes behind, if it
// makes no difference to either side; what only said by which hint to reorder goes.

const (
	// maxFuseTries bounds how often a shader is looked at, with fewer pairs each time.
	maxFuseTries = 4
	// maxBetween bounds the blocks between a trace and its execution.
	maxBetween = 64
	// cheapBetween is how many instructions may stand between a reorder and an execution, which will sort lanes itself: then the
	// reorder has no work to make coherent.
	cheapBetween = 64
)

// fuseHitObjects does it for all stages.
func (l *shapedStages) fuseHitObjects() error {
	any := false
	err := each(l.job, l.stages, func(s *shapedStage) error {
		if !s.hitObjects {
			return nil
		}
		any = true
		x := &fuser{l: l, s: s, f: s.function, effects: newEffects(l, s)}
		x.fuse()
		x.dropReorders()
		x.traceAlone()
		return nil
	})
	if any {
		l.out.DropStale()
	}
	return err
}

// fuser works on the entry function of a stage.
type fuser struct {
	l       *shapedStages
	s       *shapedStage
	f       *spirv.Function
	effects *effects
}

// between is what stands between a trace and the execution of its object.
type between struct {
	from, to place2 // the trace, the execution
	blocks   []int  // whole ones
}

// place2 is an instruction's place.
type place2 struct{ block, inst int }

// fuse makes one of traces and executions.
func (x *fuser) fuse() {
	before := x.f.Clone()
	pairs := map[int]bool{} // traces, by their order in the function
	x.eachPair(func(n int, _ between) { pairs[n] = true })
	for range maxFuseTries {
		if len(pairs) == 0 {
			return
		}
		// Without the reorders, what only they wanted is dead.
		x.eachPair(func(n int, r between) {
			if pairs[n] {
				x.dropBetween(r, func(in *spirv.Inst) bool { return in.Op == spirv.OpReorderThreadWithHintEXT })
			}
		})
		x.effects.sweep(x.f)
		found := map[int]between{}
		x.eachPair(func(n int, r between) {
			if pairs[n] && x.mayWait(r) {
				found[n] = r
			}
		})
		if len(found) == len(pairs) {
			x.join(found)
			return
		}
		x.f.Blocks = before.Clone().Blocks
		for n := range pairs {
			if _, ok := found[n]; !ok {
				delete(pairs, n)
			}
		}
	}
	x.f.Blocks = before.Blocks
}

// join makes traces that execute of traces, and drops the executions.
func (x *fuser) join(found map[int]between) {
	gone := map[place2]bool{}
	for _, r := range found {
		in := &x.f.Blocks[r.from.block].Insts[r.from.inst]
		in.Op = spirv.OpHitObjectTraceReorderExecuteEXT
		gone[r.to] = true
	}
	for b, blk := range x.f.Blocks {
		i := -1
		blk.Insts = slices.DeleteFunc(blk.Insts, func(spirv.Inst) bool {
			i++
			return gone[place2{b, i}]
		})
	}
}

// eachPair visits the traces that an execution of the same object with the same payload follows, whichever way is taken.
func (x *fuser) eachPair(visit func(n int, r between)) {
	c := x.l.cfg(x.f)
	n := 0
	var list []between
	var numbers []int
	for b, blk := range x.f.Blocks {
		x.l.work(len(blk.Insts))
		for i := range blk.Insts {
			if blk.Insts[i].Op != spirv.OpHitObjectTraceRayEXT {
				continue
			}
			if r, ok := x.follow(c, place2{b, i}); ok && c.Reachable(b) {
				list, numbers = append(list, r), append(numbers, n)
			}
			n++
		}
	}
	for i, r := range list {
		visit(numbers[i], r)
	}
}

// follow looks for the execution behind a trace.
func (x *fuser) follow(c *spirv.CFG, from place2) (r between, ok bool) {
	trace := &x.f.Blocks[from.block].Insts[from.inst]
	r.from = from
	if at, cut := x.nextCall(from.block, from.inst+1); cut {
		r.to = place2{from.block, at}
		return r, x.executes(trace, r.to)
	}
	inside := map[int]bool{from.block: true}
	end := -1
	work := slices.Clone(c.Succs[from.block])
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == from.block || len(inside) > maxBetween {
			return r, false
		}
		if inside[b] || b == end {
			continue
		}
		x.l.work(len(x.f.Blocks[b].Insts))
		if at, cut := x.nextCall(b, 0); cut {
			if r.to = (place2{b, at}); end >= 0 || !x.executes(trace, r.to) {
				return r, false
			}
			end = b
			continue
		}
		if len(c.Succs[b]) == 0 {
			return r, false
		}
		inside[b] = true
		r.blocks = append(r.blocks, b)
		work = append(work, c.Succs[b]...)
	}
	if end < 0 || len(c.Succs[from.block]) == 0 {
		return r, false
	}
	// Nobody else comes there.
	for _, b := range append(slices.Clone(r.blocks), end) {
		for _, p := range c.Preds[b] {
			if c.Reachable(p) && !inside[p] {
				return r, false
			}
		}
	}
	return r, true
}

// nextCall returns the next instruction of a block at which the shader may be left for another, or ended.
func (x *fuser) nextCall(block, from int) (int, bool) {
	insts := x.f.Blocks[block].Insts
	for i := from; i < len(insts); i++ {
		if op := insts[i].Op; op.CallsShaders() || endsRay(op) {
			return i, true
		}
	}
	return 0, false
}

// executes tells whether an instruction executes what a trace made, with the same payload.
func (x *fuser) executes(trace *spirv.Inst, at place2) bool {
	in := &x.f.Blocks[at.block].Insts[at.inst]
	if in.Op != spirv.OpHitObjectExecuteShaderEXT {
		return false
	}
	execution := in.HitObjectExecuteShader()
	return execution.HitObject() == traces(trace).HitObject() && execution.Payload() == traces(trace).Payload()
}

// eachBetween visits the instructions between.
func (x *fuser) eachBetween(r between, visit func(in *spirv.Inst)) {
	part := func(b, from, to int) {
		for i := from; i < to; i++ {
			visit(&x.f.Blocks[b].Insts[i])
		}
	}
	if r.from.block == r.to.block {
		part(r.from.block, r.from.inst+1, r.to.inst)
		return
	}
	part(r.from.block, r.from.inst+1, len(x.f.Blocks[r.from.block].Insts))
	for _, b := range r.blocks {
		part(b, 0, len(x.f.Blocks[b].Insts))
	}
	part(r.to.block, 0, r.to.inst)
}

// dropBetween makes nothing of instructions between.
func (x *fuser) dropBetween(r between, which func(in *spirv.Inst) bool) {
	x.eachBetween(r, func(in *spirv.Inst) {
		if which(in) {
			*in = spirv.Inst{Op: spirv.OpNop}
		}
	})
}

// mayWait tells whether what is between may as well come behind the execution, which changes its payload and memory.
func (x *fuser) mayWait(r between) bool {
	object := x.effects.root(traces(&x.f.Blocks[r.from.block].Insts[r.from.inst]).HitObject())
	may := true
	x.eachBetween(r, func(in *spirv.Inst) { may = may && x.effects.commutes(in, object) })
	return may
}

// dropReorders drops reorders that an execution follows at once: it sorts lanes by their shaders itself.
func (x *fuser) dropReorders() {
	for _, b := range x.f.Blocks {
		last := -1 // of the block's reorders, where nothing of weight stands behind
		for i := range b.Insts {
			switch op := b.Insts[i].Op; {
			case op == spirv.OpReorderThreadWithHintEXT:
				if last >= 0 { // one order takes the other's place
					b.Insts[last] = spirv.Inst{Op: spirv.OpNop}
				}
				last = i
			case op == spirv.OpHitObjectExecuteShaderEXT && last >= 0 && i-last <= cheapBetween:
				b.Insts[last], last = spirv.Inst{Op: spirv.OpNop}, -1
			case op.CallsShaders(), op == spirv.OpFunctionCall && b.Insts[i].FunctionCall().Function() >= x.l.runtimeBound:
				last = -1
			}
		}
		b.Insts = slices.DeleteFunc(b.Insts, func(in spirv.Inst) bool { return in.Op == spirv.OpNop })
	}
	x.effects.sweep(x.f)
}

// traceAlone makes trace calls of those whose object nobody else looks at.
func (x *fuser) traceAlone() {
	used := map[spirv.ID]bool{}
	for _, f := range x.s.functions {
		for _, b := range f.Blocks {
			x.l.work(len(b.Insts))
			for i := range b.Insts {
				fused := b.Insts[i].Op == spirv.OpHitObjectTraceReorderExecuteEXT
				n := 0
				b.Insts[i].EachID(func(p *uint32) {
					if n++; n > 1 || !fused {
						used[spirv.ID(*p)] = true
					}
				})
			}
		}
	}
	x.s.hitObjects = false
	gone := map[spirv.ID]bool{}
	for _, b := range x.f.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			if in.Op == spirv.OpHitObjectTraceReorderExecuteEXT {
				if object := traces(in).HitObject(); x.s.isVariable(object) && !used[object] {
					gone[object] = true
					*in = *traceOf(in)
				}
			}
			x.s.hitObjects = x.s.hitObjects || passesHitObject(in.Op)
		}
	}
	head := x.f.Blocks[0]
	head.Insts = slices.DeleteFunc(head.Insts, func(in spirv.Inst) bool { return in.Op == spirv.OpVariable && gone[in.Result] })
}
