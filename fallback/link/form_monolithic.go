package link

import (
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// monolithic is FormMonolithic.
type monolithic struct {
	words map[bool]spirv.ID // the variables that carry payloads (false) and callable data (true)
	tiles uint32            // of a workgroup, 0 for what the runtime has
}

// obstacle: only ray generation shaders trace, one deep, and callable shaders call no others.
func (*monolithic) obstacle(l *mergedStages) error {
	var obstacle error
	if l.library || len(l.options.Libraries) > 0 {
		obstacle = fmt.Errorf("monolithic form of a pipeline with libraries: %w", ErrUnsupported)
	}
	if l.options.MaxDepth != 1 {
		obstacle = fmt.Errorf("monolithic form with a maximum recursion depth of %d, want 1: %w", l.options.MaxDepth, ErrUnsupported)
	}
	l.eachShaderCall(func(s *mergedStage, op spirv.Op) {
		switch {
		case op != spirv.OpExecuteCallableKHR && s.Kind != Raygen:
			obstacle = s.unsupported("monolithic form of a pipeline whose %v shaders trace rays", s.Kind)
		case op == spirv.OpExecuteCallableKHR && s.Kind == Callable:
			obstacle = s.unsupported("monolithic form of a pipeline whose callable shaders call others")
		}
	})
	return obstacle
}

// traceCalls counts those of all stages. One that makes a hit object and one that executes it are one.
func (l *mergedStages) traceCalls() int {
	traces, executions := 0, 0
	l.eachShaderCall(func(_ *mergedStage, op spirv.Op) {
		switch op {
		case spirv.OpExecuteCallableKHR:
		case spirv.OpHitObjectExecuteShaderEXT:
			executions++
		default:
			traces++
		}
	})
	return max(traces, executions)
}

// eachShaderCall visits the calls of other shaders, of all stages.
func (l *mergedStages) eachShaderCall(visit func(s *mergedStage, op spirv.Op)) {
	for _, s := range l.stages {
		for _, f := range s.functions {
			for _, b := range f.Blocks {
				for i := range b.Insts {
					if op := b.Insts[i].Op; op.CallsShaders() {
						visit(s, op)
					}
				}
			}
		}
	}
}

func (*monolithic) cuts() bool             { return false }
func (*monolithic) machine(*cutStage) bool { return false }

func (f *monolithic) begin(l *framedStages) {
	f.declareWords(l)
	f.tiles = l.widest()
}

func (f *monolithic) incoming(_ *spiller, x *variable) place { return f.wordsOf(x) }
func (f *monolithic) outgoing(_ *spiller, x *variable) place { return f.wordsOf(x) }

func (*monolithic) next(e *copies) spirv.ID { return e.u32(stateDone) }

func (f *monolithic) dispatch(l *assembly) error {
	if err := l.numberStates(); err != nil {
		return err
	}
	c := l.stateCases()
	l.emitStructures() // none: calls name theirs
	l.emitSwitch(l.symbols.RtShade, c.shades)
	l.emitSwitch(l.symbols.RtSchedule, c.raygens)
	l.emitSwitch(l.symbols.RtShadeMiss, c.misses)
	l.emitSwitch(l.symbols.RtRunCallable, c.callables)
	l.emitSwitch(l.symbols.RtContinue, c.raygens)
	l.emitTraversalHooks(c)
	l.emitRaygen()
	l.emitKernel(l.symbols.RtWhole)
	if f.tiles > 0 {
		l.emitConstant(l.symbols.RtTiles, l.types.u32(f.tiles))
		l.setLanes(tileLanes * f.tiles)
	}
	return nil
}

func (*monolithic) finish(l *assembly) (*Result, error) {
	l.finishModule()
	return l.makeResult(FormMonolithic), nil
}

// call: the payload goes to words that the callee reads, and comes back from there.
func (f *monolithic) call(e *departure, call *spirv.Inst) {
	x := e.s.vars.byID[call.Handed()]
	words := f.wordsOf(x)
	e.save(e.s.vars.all(x), words)
	switch call.Op {
	case spirv.OpExecuteCallableKHR:
		e.call(e.l.symbols.RtCallable, e.unsigned(call.ExecuteCallable().SBTIndex()))
	case spirv.OpHitObjectTraceRayEXT, spirv.OpHitObjectExecuteShaderEXT, spirv.OpHitObjectTraceReorderExecuteEXT:
		e.callHitObject(call)
	default:
		e.setRay(call)
		if flags, constant := e.l.types.constantU32(call.TraceRay().RayFlags()); constant && flags&flagSkipClosestHit != 0 {
			e.call(e.l.symbols.RtTraceMiss)
		} else {
			e.call(e.l.symbols.RtTrace)
		}
	}
	e.restore(e.s.vars.all(x), words)
}

// wordsOf returns the place of payloads, or of callable data, in the monolithic form.
func (f *monolithic) wordsOf(x *variable) place { return place{words: f.words[x.role.callable]} }

// declareWords declares the words of the monolithic form, as many as the largest payload has.
func (f *monolithic) declareWords(l *framedStages) {
	t := l.types
	f.words = map[bool]spirv.ID{}
	for _, callable := range []bool{false, true} {
		size := uint32(0)
		for _, s := range l.stages {
			for _, x := range s.vars.list {
				if (x.role.kind == rolePayload || x.role.kind == roleIncoming) && x.role.callable == callable {
					size = max(size, s.vars.size(x))
				}
			}
		}
		if size == 0 {
			continue
		}
		array := t.declare(spirv.OpTypeArray, 0, uint32(t.uint32()), uint32(t.u32(size)))
		id := l.out.NewID()
		t.add(spirv.Inst{Op: spirv.OpVariable, Type: t.pointer(spirv.StorageClassPrivate, array), Result: id,
			Operands: []uint32{uint32(spirv.StorageClassPrivate)}})
		f.words[callable] = id
	}
}
