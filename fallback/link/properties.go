package link

import (
	"fmt"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// property is something that holds of a link between two passes.
type property string

// The properties.
const (
	structured     property = "control flow of all functions is structured"
	computeClasses property = "no pointer has a storage class of ray tracing"
	merged         property = "all stages' functions are in the output"
	noQueries      property = "there are no ray queries"
	noHitObjects   property = "instructions on hit objects are only those that call or reorder"
	alignedAccess  property = "accesses of physical memory are aligned"
	formed         property = "the form is known"
	inlined        property = "only entry functions hold cuts and what ends a ray"
	passable       property = "hit objects that calls pass are variables"
	stored         property = "no variable of an entry function has an initial value"
	split          property = "a cut is the last but the branch of its block"
	preheaders     property = "a loop is entered by one branch"
	fragmented     property = "entry functions are fragments, no cut is inside a construct that stays"
	localised      property = "globals that only an entry function uses are its variables"
	noPhis         property = "no fragment begins with a phi"
	apart          property = "no value crosses fragments"
	framed         property = "each cut has a frame, whose leaves do not overlap"
	computeOnly    property = "there are no instructions of ray tracing"
	joined         property = "all shaders of the pipeline are parts"
	numbered       property = "states have numbers, each its own, and the runtime's hooks know them"
	complete       property = "the modules are made"
)

// check tells whether a property holds, in any phase in which it may.
type check func(phase) error

// of makes a check of one that looks at a phase, or at what later phases have from it.
func of[T any](look func(T) error) check {
	return func(at phase) error {
		t, ok := at.(T)
		if !ok {
			return fmt.Errorf("%T knows nothing of it", at)
		}
		return look(t)
	}
}

// What later phases have from earlier ones.
type (
	hasMerged interface{ merged() *mergedStages }
	hasShaped interface{ shaped() *shapedStages }
	hasCut    interface{ cut() *cutStages }
	hasParts  interface{ all() *assembly }
	hasLinked interface{ whole() *linked }
)

func (l *linked) whole() *linked              { return l }
func (l *mergedStages) merged() *mergedStages { return l }
func (l *shapedStages) shaped() *shapedStages { return l }
func (l *cutStages) cut() *cutStages          { return l }
func (l *assembly) all() *assembly            { return l }

// checks tell whether a property holds; structured is for the verifier of the module.
var checks = map[property]check{
	computeClasses: checkClasses,
	merged:         of(checkMerged),
	noQueries:      of(checkNoQueries),
	noHitObjects:   of(checkNoHitObjects),
	alignedAccess:  of(checkAligned),
	formed:         checkFormed,
	inlined:        of(checkInlined),
	passable:       of(checkPassable),
	stored:         of(checkStored),
	split:          of(checkSplit),
	preheaders:     of(checkPreheaders),
	fragmented:     of(checkFragments),
	localised:      of(checkLocalised),
	noPhis:         of(checkNoPhis),
	apart:          of(checkApart),
	framed:         of(checkFrames),
	computeOnly:    of(checkComputeOnly),
	joined:         of(checkJoined),
	numbered:       of(checkNumbers),
	complete: of(func(l *completed) error {
		if l.result == nil || len(l.result.Code) == 0 {
			return fmt.Errorf("no module")
		}
		return nil
	}),
}

// checkProperties checks those that hold, and verifies the output and the stages that are still modules of their own.
func checkProperties(at phase, holds map[property]bool) error {
	for p, check := range checks {
		if !holds[p] {
			continue
		}
		if err := check(at); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := spirv.VerifyPartial(at.module(), holds[structured]); err != nil {
		return err
	}
	return eachModule(at, func(m *spirv.Module) error { return spirv.VerifyPartial(m, true) })
}

// eachModule visits the modules that stages still have of their own.
func eachModule(at phase, visit func(*spirv.Module) error) error {
	var list []*normalStage
	switch l := at.(type) {
	case *loadedStages:
		list = l.stages
	case *loweredStages:
		for _, s := range l.stages {
			list = append(list, s.normalStage)
		}
	}
	for _, s := range list {
		if err := visit(s.code); err != nil {
			return fmt.Errorf("shader %s: %w", s.Name, err)
		}
	}
	return nil
}

func checkFormed(at phase) error {
	var f form
	switch l := at.(type) {
	case hasShaped:
		f = l.shaped().form
	case hasParts:
		f = l.all().form
	}
	if f == nil {
		return fmt.Errorf("no form")
	}
	return nil
}

func checkJoined(l hasParts) error {
	p := l.all()
	n := p.own
	for _, y := range p.options.Libraries {
		n += y.Stages()
	}
	if len(p.parts) != n {
		return fmt.Errorf("%d parts of %d shaders", len(p.parts), n)
	}
	return nil
}

func checkClasses(at phase) error {
	look := func(m *spirv.Module, allowed ...spirv.StorageClass) error {
		for i := range m.Globals {
			in := &m.Globals[i]
			if in.Op != spirv.OpTypePointer {
				continue
			}
			class := in.TypePointer().StorageClass()
			if _, lowered := loweredClass[class]; lowered && !slices.Contains(allowed, class) {
				return fmt.Errorf("%v", in)
			}
		}
		return nil
	}
	if err := eachModule(at, func(m *spirv.Module) error { return look(m) }); err != nil {
		return err
	}
	return look(at.module(), spirv.StorageClassInput, spirv.StorageClassPushConstant) // the runtime's own
}

func checkMerged(at hasMerged) error {
	l := at.merged()
	for _, s := range l.stages {
		if s.function == nil || !slices.Contains(l.out.Functions, s.function) {
			return fmt.Errorf("shader %s is not in the output", s.Name)
		}
	}
	return nil
}

// eachEntryInst visits the instructions of all entry functions.
func (l *mergedStages) eachEntryInst(visit func(s *mergedStage, b *spirv.Block, i int) error) error {
	for _, s := range l.stages {
		for _, b := range s.function.Blocks {
			for i := range b.Insts {
				if err := visit(s, b, i); err != nil {
					return fmt.Errorf("shader %s: %v: %w", s.Name, b.Insts[i], err)
				}
			}
		}
	}
	return nil
}

func checkNoQueries(at hasLinked) error {
	l := at.whole()
	var err error
	l.out.EachFunctionInst(func(in *spirv.Inst) {
		if _, query := l.symbols.queryCalls[in.Op]; query {
			err = fmt.Errorf("%v", in)
		}
	})
	return err
}

func checkAligned(at hasLinked) error {
	l := at.whole()
	x := spirv.NewIndex(l.out)
	var err error
	l.out.EachFunctionInst(func(in *spirv.Inst) {
		var pointer spirv.ID
		switch in.Op {
		case spirv.OpLoad:
			pointer = in.Load().Pointer()
		case spirv.OpStore:
			pointer = in.Store().Pointer()
		default:
			return
		}
		p := x.Def(x.TypeOf(pointer))
		if p == nil || p.TypePointer().StorageClass() != spirv.StorageClassPhysicalStorageBuffer {
			return
		}
		if !in.HasAlignment() {
			err = fmt.Errorf("%v", in)
		}
	})
	return err
}

func checkInlined(at hasMerged) error {
	l := at.merged()
	for _, s := range l.stages {
		for _, f := range s.functions {
			for _, b := range f.Blocks {
				for i := range b.Insts {
					op := b.Insts[i].Op
					if f != s.function && (leaves(op) || endsRay(op)) {
						return fmt.Errorf("shader %s: %v in function %d", s.Name, op, f.Def.Result)
					}
				}
			}
		}
	}
	return nil
}

func checkStored(at hasMerged) error {
	l := at.merged()
	return l.eachEntryInst(func(_ *mergedStage, b *spirv.Block, i int) error {
		if in := &b.Insts[i]; in.Op == spirv.OpVariable && in.Variable().Initializer() != 0 {
			return fmt.Errorf("an initial value")
		}
		return nil
	})
}

func checkSplit(at hasShaped) error {
	l := at.shaped()
	return l.eachEntryInst(func(_ *mergedStage, b *spirv.Block, i int) error {
		if op := b.Insts[i].Op; (l.cuts(op) || op == spirv.OpReportIntersectionKHR) &&
			(i != len(b.Insts)-2 || b.Terminator().Op != spirv.OpBranch) {
			return fmt.Errorf("not at the end of its block")
		}
		return nil
	})
}

func checkPreheaders(at hasMerged) error {
	l := at.merged()
	for _, s := range l.stages {
		cfg := spirv.NewCFG(s.function)
		for h, b := range s.function.Blocks {
			if _, cont := b.Merges(); cont == 0 || !cfg.Reachable(h) {
				continue
			}
			outside := 0
			for _, p := range cfg.Preds[h] {
				if cfg.Reachable(p) && !cfg.Dominates(h, p) {
					outside++
				}
			}
			if outside > 1 {
				return fmt.Errorf("shader %s: loop %d is entered from %d blocks", s.Name, b.Label, outside)
			}
		}
	}
	return nil
}
