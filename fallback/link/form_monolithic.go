package link

import (
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// monolithic is FormMonolithic.
type monolithic struct{}

// obstacle: only ray generation shaders trace, one deep, and callable shaders call no others.
func (monolithic) obstacle(l *linker) error {
	var obstacle error
	if l.library || len(l.options.Libraries) > 0 {
		obstacle = fmt.Errorf("monolithic form of a pipeline with libraries: %w", ErrUnsupported)
	}
	if l.options.MaxDepth != 1 {
		obstacle = fmt.Errorf("monolithic form with a maximum recursion depth of %d, want 1: %w", l.options.MaxDepth, ErrUnsupported)
	}
	l.eachShaderCall(func(s *stage, op spirv.Op) {
		switch {
		case op != spirv.OpExecuteCallableKHR && s.Kind != Raygen:
			obstacle = s.unsupported("monolithic form of a pipeline whose %v shaders trace rays", s.Kind)
		case op == spirv.OpExecuteCallableKHR && s.Kind == Callable:
			obstacle = s.unsupported("monolithic form of a pipeline whose callable shaders call others")
		}
	})
	return obstacle
}

// traceCalls counts those of all stages.
func (l *linker) traceCalls() int {
	n := 0
	l.eachShaderCall(func(_ *stage, op spirv.Op) {
		if op != spirv.OpExecuteCallableKHR {
			n++
		}
	})
	return n
}

// eachShaderCall visits the calls of other shaders, of all stages.
func (l *linker) eachShaderCall(visit func(s *stage, op spirv.Op)) {
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

func (monolithic) cuts() bool          { return false }
func (monolithic) machine(*stage) bool { return false }
func (monolithic) begin(l *linker)     { l.declareWords() }

func (monolithic) incoming(e *emitter, x *variable) place { return e.l.wordsOf(x) }
func (monolithic) outgoing(e *emitter, x *variable) place { return e.l.wordsOf(x) }

func (monolithic) next(e *emitter) spirv.ID { return e.u32(stateDone) }

func (monolithic) dispatch(l *linker) error {
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
	l.widen()
	return nil
}

func (monolithic) finish(l *linker) (*Result, error) {
	l.finishModule()
	return l.makeResult(FormMonolithic), nil
}

// call: the payload goes to words that the callee reads, and comes back from there.
func (monolithic) call(e *emitter, call *spirv.Inst) {
	x := e.s.vars.byID[payloadOf(call)]
	words := e.l.wordsOf(x)
	e.save(e.s.vars.all(x), words)
	switch call.Op {
	case spirv.OpExecuteCallableKHR:
		e.call(e.l.symbols.RtCallable, e.unsigned(call.ExecuteCallable().SBTIndex()))
	case spirv.OpHitObjectTraceRayEXT, spirv.OpHitObjectExecuteShaderEXT:
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
func (l *linker) wordsOf(x *variable) place { return place{words: l.words[x.role.callable]} }

// declareWords declares the words of the monolithic form, as many as the largest payload has.
func (l *linker) declareWords() {
	t := l.types
	l.words = map[bool]spirv.ID{}
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
		l.words[callable] = id
	}
}
