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

// checks tell whether a property holds; structured is for the verifier of the module.
var checks = map[property]func(*linker) error{
	computeClasses: checkClasses,
	merged:         checkMerged,
	noQueries:      checkNoQueries,
	noHitObjects:   checkNoHitObjects,
	alignedAccess:  checkAligned,
	formed: func(l *linker) error {
		if l.form == nil {
			return fmt.Errorf("no form")
		}
		return nil
	},
	inlined:     checkInlined,
	passable:    checkPassable,
	stored:      checkStored,
	split:       checkSplit,
	preheaders:  checkPreheaders,
	fragmented:  checkFragments,
	localised:   checkLocalised,
	noPhis:      checkNoPhis,
	apart:       checkApart,
	framed:      checkFrames,
	computeOnly: checkComputeOnly,
	joined: func(l *linker) error {
		n := len(l.stages)
		for _, y := range l.options.Libraries {
			n += y.Stages()
		}
		if len(l.parts) != n {
			return fmt.Errorf("%d parts of %d shaders", len(l.parts), n)
		}
		return nil
	},
	numbered: checkNumbers,
	complete: func(l *linker) error {
		if l.result == nil || len(l.result.Code) == 0 {
			return fmt.Errorf("no module")
		}
		return nil
	},
}

// checkProperties checks those that hold, and verifies the output and the stages that are still modules of their own.
func (l *linker) checkProperties(holds map[property]bool) error {
	for p, check := range checks {
		if !holds[p] {
			continue
		}
		if err := check(l); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := spirv.VerifyPartial(l.out, holds[structured]); err != nil {
		return err
	}
	for _, s := range l.stages {
		if s.module == nil {
			continue
		}
		if err := spirv.VerifyPartial(s.module, true); err != nil {
			return fmt.Errorf("shader %s: %w", s.Name, err)
		}
	}
	return nil
}

func checkClasses(l *linker) error {
	check := func(m *spirv.Module, allowed ...spirv.StorageClass) error {
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
	for _, s := range l.stages {
		if s.module != nil {
			if err := check(s.module); err != nil {
				return fmt.Errorf("shader %s: %w", s.Name, err)
			}
		}
	}
	return check(l.out, spirv.StorageClassInput, spirv.StorageClassPushConstant) // the runtime's own
}

func checkMerged(l *linker) error {
	for _, s := range l.stages {
		if s.module != nil || s.function == nil || !slices.Contains(l.out.Functions, s.function) {
			return fmt.Errorf("shader %s is not in the output", s.Name)
		}
	}
	return nil
}

// eachEntryInst visits the instructions of all entry functions.
func (l *linker) eachEntryInst(visit func(s *stage, b *spirv.Block, i int) error) error {
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

func checkNoQueries(l *linker) error {
	var err error
	l.out.EachFunctionInst(func(in *spirv.Inst) {
		if _, query := l.symbols.queryCalls[in.Op]; query {
			err = fmt.Errorf("%v", in)
		}
	})
	return err
}

func checkAligned(l *linker) error {
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

func checkInlined(l *linker) error {
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

func checkStored(l *linker) error {
	return l.eachEntryInst(func(_ *stage, b *spirv.Block, i int) error {
		if in := &b.Insts[i]; in.Op == spirv.OpVariable && in.Variable().Initializer() != 0 {
			return fmt.Errorf("an initial value")
		}
		return nil
	})
}

func checkSplit(l *linker) error {
	return l.eachEntryInst(func(_ *stage, b *spirv.Block, i int) error {
		if op := b.Insts[i].Op; (l.cuts(op) || op == spirv.OpReportIntersectionKHR) &&
			(i != len(b.Insts)-2 || b.Terminator().Op != spirv.OpBranch) {
			return fmt.Errorf("not at the end of its block")
		}
		return nil
	})
}

func checkPreheaders(l *linker) error {
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
