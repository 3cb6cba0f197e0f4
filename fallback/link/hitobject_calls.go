package link

import (
	"fmt"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

const (
	// hitObjectWords is the room of a hit object in a frame, as HO_WORDS: whole quads, the last of the frame.
	hitObjectWords = 28
	// What a call is about, as HO_MODE_....
	modeTrace   = 1
	modeExecute = 2
	modeBoth    = 3
)

// traceOf returns the trace call that a hit object is traced with.
func traceOf(call *spirv.Inst) *spirv.Inst {
	return &spirv.Inst{Op: spirv.OpTraceRayKHR, Operands: traces(call).Ray()}
}

// traces gives the operands of an instruction that traces a hit object: the linker's own that does more have no others (fuse.go).
func traces(call *spirv.Inst) spirv.HitObjectTraceRayView {
	return (&spirv.Inst{Op: spirv.OpHitObjectTraceRayEXT, Operands: call.Operands}).HitObjectTraceRay()
}

// passesHitObject tells whether an instruction that is left after the lowering of hit objects names one.
func passesHitObject(op spirv.Op) bool {
	switch op {
	case spirv.OpHitObjectTraceRayEXT, spirv.OpHitObjectExecuteShaderEXT, spirv.OpHitObjectTraceReorderExecuteEXT:
		return true
	}
	return false
}

// makesHitObject tells whether such an instruction traces a ray that gives a new object.
func makesHitObject(op spirv.Op) bool {
	return passesHitObject(op) && op != spirv.OpHitObjectExecuteShaderEXT
}

// placeHitObjects makes the hit objects of calls variables: elements of arrays and the like go through one.
func (l *shapedStages) placeHitObjects() error {
	return each(l.job, l.stages, func(s *shapedStage) error {
		if !s.hitObjects {
			return nil
		}
		v := l.newVariable(l.hitObjectType()) // one for all: it lives no longer than a call
		through := false
		for _, b := range s.function.Blocks {
			l.work(len(b.Insts))
			var out []spirv.Inst
			for _, in := range b.Insts {
				if !passesHitObject(in.Op) || s.isVariable(in.HitObject().HitObject()) {
					out = append(out, in)
					continue
				}
				through = true
				in = in.Clone()
				object := in.HitObject().HitObject()
				in.HitObject().SetHitObject(v.Result)
				if makesHitObject(in.Op) {
					out = append(append(out, in), l.copyHitObject(object, v.Result)...)
				} else {
					out = append(append(out, l.copyHitObject(v.Result, object)...), in)
				}
			}
			b.Insts = out
		}
		if through {
			addVariableInsts(s.function, []spirv.Inst{v})
		}
		return nil
	})
}

// copyHitObject returns the instructions that do it.
func (l *linked) copyHitObject(to, from spirv.ID) []spirv.Inst {
	load := spirv.Inst{Op: spirv.OpLoad, Type: l.hitObjectType(), Result: l.out.NewID(), Operands: []uint32{uint32(from)}}
	return []spirv.Inst{load, {Op: spirv.OpStore, Operands: []uint32{uint32(to), uint32(load.Result)}}}
}

// isVariable tells whether an id is a variable of the stage: of its entry function, or of the module.
func (s *mergedStage) isVariable(id spirv.ID) bool {
	if _, ok := s.uses[id]; ok {
		return true
	}
	return slices.ContainsFunc(s.function.Blocks[0].Insts, func(in spirv.Inst) bool {
		return in.Op == spirv.OpVariable && in.Result == id
	})
}

// passHitObject finds the variable of a call's hit object, if it has one.
func (f *frame) passHitObject(s *framedStage) error {
	if !passesHitObject(f.call.Op) {
		return nil
	}
	object := f.call.HitObject().HitObject()
	f.hit = s.vars.byID[object]
	if f.hit == nil || s.vars.size(f.hit) > hitObjectWords {
		return s.unsupported("%v whose hit object %s is no variable", f.call.Op, s.nameOf(object))
	}
	return nil
}

// hitPlace is where the hit object of a call is, in the frame.
func (f *frame) hitPlace(stack place) place {
	stack.first = f.hitAt
	return stack
}

// callHitObject traces or executes where that is no cut: the object is in the runtime's words.
func (e *departure) callHitObject(call *spirv.Inst) {
	words := place{words: e.l.symbols.HoWords.id}
	all := e.s.vars.all(e.s.vars.byID[call.HitObject().HitObject()])
	if call.Op == spirv.OpHitObjectExecuteShaderEXT {
		e.save(all, words)
		e.call(e.l.symbols.HoExecute)
		return
	}
	e.setRay(traceOf(call))
	e.call(e.l.symbols.HoTrace)
	e.restore(all, words)
	if call.Op == spirv.OpHitObjectTraceReorderExecuteEXT {
		e.call(e.l.symbols.HoExecute)
	}
}

// useHitObjects has the scheduler know hit objects, if any shader has them: its traversal takes rays and objects, and keeps or
// answers what it finds. Without, nothing of this is in the linked code.
func (l *assembly) useHitObjects() {
	used, records := false, false
	for _, p := range l.parts {
		used, records = used || p.hitObjects, records || p.records
	}
	if !used {
		return
	}
	op := spirv.OpConstantFalse
	if records && l.readsLeaf() {
		op = spirv.OpConstantTrue
	}
	l.emitConstant(l.symbols.HoRecordsHits, l.types.declare(op, l.types.boolean()))
	if !l.form.cuts() {
		return
	}
	from, to := l.symbols.RtTraverse.id, l.symbols.HoTraverse.id
	for _, f := range l.out.Functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				if in := &b.Insts[i]; in.Op == spirv.OpFunctionCall && in.FunctionCall().Function() == from {
					in.FunctionCall().SetFunction(to)
				}
			}
		}
	}
}

// readsLeaf tells whether any shader asks for what only a hit's place in its structure tells. That of a recorded hit is looked for
// through all of the structure, before its shader runs.
func (l *assembly) readsLeaf() bool {
	found := false
	for _, f := range l.out.Functions {
		if f.Def.Result < l.runtimeBound {
			continue
		}
		for _, b := range f.Blocks {
			for i := range b.Insts {
				if in := &b.Insts[i]; in.Op == spirv.OpFunctionCall {
					callee := in.FunctionCall().Function()
					found = found || callee == l.symbols.RtVertex.id || callee == l.symbols.RtClusterId.id
				}
			}
		}
	}
	return found
}

func checkNoHitObjects(at hasLinked) error {
	l := at.whole()
	var err error
	l.out.EachFunctionInst(func(in *spirv.Inst) {
		_, getter := l.symbols.hitGetters[in.Op]
		if getter || hitRecords[in.Op] != nil || in.Op == spirv.OpReorderThreadWithHitObjectEXT {
			err = fmt.Errorf("%v", in)
		}
	})
	return err
}

func checkPassable(at hasMerged) error {
	l := at.merged()
	return l.eachEntryInst(func(s *mergedStage, b *spirv.Block, i int) error {
		if in := &b.Insts[i]; passesHitObject(in.Op) && !s.isVariable(in.HitObject().HitObject()) {
			return fmt.Errorf("a hit object that is no variable")
		}
		return nil
	})
}
