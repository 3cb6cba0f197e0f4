package normal

import (
	"context"
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// Module is a shader in the normal form.
type Module struct {
	Stage
	Module *spirv.Module
	Entry  spirv.ID // the entry function
}

// AfterPass is called after each pass, if it is not nil, with the stage and its module; an error ends the work. For tests.
type AfterPass func(pass string, s *Stage, m *spirv.Module) error

// pass is one step on the way to the normal form. The order of a table is the order in which they run.
type pass struct {
	name string
	run  func(*stage) error
}

// passes are those of ray tracing shaders. What comes in is a module of the stage's own, with the entry point's functions.
var passes = []pass{
	{"fold", (*stage).fold},
	{"nv", (*stage).lowerNV},
	{"hit objects", (*stage).lowerHitObjects},
	{"unreachable", (*stage).dropUnreachable},
	{"memory model", (*stage).lowerMemoryModel},
	{"hints", (*stage).dropHints},
	{"buffer blocks", (*stage).lowerBufferBlocks},
	{"prune", (*stage).prune},
	{"pointers", (*stage).lowerPointers},
	// What is left is what the linker will have to know.
	{"check", (*stage).checkInstructions},
	{"barriers", (*stage).lowerBarriers},
}

// shaderPasses are those of shaders outside of ray tracing pipelines, whose barriers and pointers are theirs.
var shaderPasses = []pass{
	{"fold", (*stage).foldGiven},
	{"debug information", (*stage).dropDebugInfo},
	{"entry", (*stage).keepEntry},
	{"nv", (*stage).lowerNV},
	{"unreachable", (*stage).dropUnreachable},
	{"memory model", (*stage).lowerMemoryModel},
	{"hints", (*stage).dropHints},
	{"buffer blocks", (*stage).lowerBufferBlocks},
	{"prune", (*stage).prune},
}

// run runs passes on a stage.
func (s *stage) run(ctx context.Context, passes []pass, after AfterPass) (*Module, error) {
	for _, p := range passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := p.run(s); err != nil {
			return nil, err
		}
		if after != nil {
			if err := after(p.name, &s.Stage, s.module); err != nil {
				return nil, fmt.Errorf("shader %s: after pass %s: %w", s.Name, p.name, err)
			}
		}
	}
	return &Module{Stage: s.Stage, Module: s.module, Entry: s.entry}, nil
}

// Stage returns a stage of a ray tracing pipeline in the normal form.
func (y Sources) Stage(ctx context.Context, given Stage, after AfterPass) (*Module, error) {
	s := &stage{Stage: given, ctx: ctx}
	m, err := y.load(ctx, s)
	if err != nil {
		return nil, err
	}
	s.module = m
	if !s.Kind.Valid() {
		return nil, s.invalid("unknown %v", s.Kind)
	}
	if s.entry = findEntry(m, s.Entry, Execution(s.Kind)); s.entry == 0 {
		return nil, s.invalid("module has no %v entry point %q (it has %s)", s.Kind, s.Entry, listEntries(m))
	}
	if err := s.checkModule(); err != nil {
		return nil, err
	}
	if err := s.ownModule(); err != nil {
		return nil, err
	}
	return s.run(ctx, passes, after)
}

// fold makes specialisation constants constants.
func (s *stage) fold() error {
	return s.refused(spirv.FoldSpecConstantsContext(s.ctx, s.module, s.Specialization))
}

// foldGiven does that if there are values for them.
func (s *stage) foldGiven() error {
	if s.Specialization == nil {
		return nil
	}
	return s.fold()
}

// dropUnreachable removes the unreachable blocks of all functions.
func (s *stage) dropUnreachable() error {
	for _, f := range s.module.Functions {
		if err := s.look(16 * len(f.Blocks)); err != nil {
			return err
		}
		f.DropUnreachable(s.module.Undef)
	}
	return nil
}

// prune drops the globals that no function uses.
func (s *stage) prune() error {
	s.module.Prune(s.roots...)
	return nil
}
