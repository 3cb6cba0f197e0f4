package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// megakernel is FormMegakernel: a function for each point to resume at, and a scheduler.
type megakernel struct{}

func (megakernel) obstacle(*mergedStages) error { return nil }
func (megakernel) cuts() bool                   { return true }
func (megakernel) machine(*cutStage) bool       { return false }
func (megakernel) begin(*framedStages)          {}

// incoming: the runtime knows where the payload of the shader that begins is. What it is at its end, the shader has kept.
func (megakernel) incoming(e *spiller, _ *variable) place {
	return e.stack(e.loadGlobal(e.l.symbols.RtPayload))
}
func (megakernel) outgoing(e *spiller, _ *variable) place { return e.home() }

// call: all calls are cuts.
func (megakernel) call(*departure, *spirv.Inst) {}

func (megakernel) next(e *copies) spirv.ID {
	if e.s.Kind == Callable {
		return e.call(e.l.symbols.RtReturnCallable)
	}
	return e.call(e.l.symbols.RtReturn)
}

func (megakernel) dispatch(l *assembly) error {
	if err := l.numberStates(); err != nil {
		return err
	}
	c := l.stateCases()
	l.emitStructures()
	l.emitSwitch(l.symbols.RtShade, c.shades)
	l.emitSwitch(l.symbols.RtContinue, c.goOn)
	l.emitTraversalHooks(c)
	l.emitRaygen()
	l.emitAgreement(func(*part) bool { return true })
	l.emitKernel(l.symbols.RtWhole)
	return nil
}

func (megakernel) finish(l *assembly) (*Result, error) {
	form := FormMegakernel
	if slices.ContainsFunc(l.parts, func(p part) bool { return p.machine }) {
		form = FormBlocks // of libraries, or of stages that are past the budget
	}
	l.finishModule()
	return l.makeResult(form), nil
}
