package normal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// sourceKey tells modules apart by where they lie, so that nobody has to read them to find out.
type sourceKey struct {
	first *uint32
	words int
}

// Sources holds modules that were decoded and verified, for all stages that are entry points of one. They are not changed.
type Sources map[sourceKey]*spirv.Module

// load returns the module of a stage, less what is only for tools. Libraries with many entry points pay for it once.
func (y Sources) load(ctx context.Context, s *stage) (*spirv.Module, error) {
	key := sourceKey{words: len(s.Code)}
	if len(s.Code) > 0 {
		key.first = &s.Code[0]
	}
	if m := y[key]; m != nil {
		return m, nil
	}
	m, err := s.decode(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.verify(ctx, m); err != nil {
		return nil, err
	}
	dropDebugInfo(m)
	y[key] = m
	return m, nil
}

// maxWords bounds a shader's module, in words of 4 bytes.
const maxWords = 1 << 22

// maxBlocks bounds the blocks of one function.
const maxBlocks = 1 << 16

// decode decodes the stage's module.
func (s *stage) decode(ctx context.Context) (*spirv.Module, error) {
	if len(s.Code) > maxWords {
		return nil, s.unsupported("module of %d MiB, more than %d", len(s.Code)>>18, maxWords>>18)
	}
	m, err := spirv.DecodeOptions{DropLines: true, Context: ctx}.Decode(s.Code)
	if err != nil {
		return nil, s.refused(err)
	}
	for _, f := range m.Functions {
		if len(f.Blocks) > maxBlocks {
			return nil, s.unsupported("function %s of %d blocks, more than %d", m.NameOf(f.Def.Result), len(f.Blocks), maxBlocks)
		}
	}
	return m, nil
}

// verify verifies it, and spreads groups of decorations.
func (s *stage) verify(ctx context.Context, m *spirv.Module) error {
	if err := spirv.VerifyContext(ctx, m); err != nil {
		return s.refused(err)
	}
	return s.refused(m.FlattenDecorationGroups())
}

// refused makes an error of package spirv about the module one that names the shader, and wraps ErrUnsupported or ErrInvalid.
func (s *stage) refused(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, spirv.ErrUnsupported), errors.Is(err, spirv.ErrUnknownInstruction):
		return fmt.Errorf("shader %s: %w: %w", s.Name, ErrUnsupported, err)
	}
	return fmt.Errorf("shader %s: %w: %w", s.Name, ErrInvalid, err)
}

// ownModule gives the stage a module that it may change: a copy with its entry point and the functions that that calls.
func (s *stage) ownModule() error {
	kept, err := s.reachedFunctions()
	if err != nil {
		return err
	}
	shared := *s.module
	shared.Functions = nil
	m := shared.Clone()
	for i, f := range kept {
		if i%256 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		m.Functions = append(m.Functions, f.Clone())
	}
	m.ForgetFunctions(s.module.Functions)
	s.module = m
	m.EntryPoints = slices.DeleteFunc(m.EntryPoints, func(in spirv.Inst) bool {
		return !isEntry(&in, s.Entry, Execution(s.Kind)) || in.EntryPoint().EntryPoint() != s.entry
	})[:1]
	m.ExecutionModes = slices.DeleteFunc(m.ExecutionModes, func(in spirv.Inst) bool {
		return in.ExecutionMode().EntryPoint() != s.entry
	})
	return nil
}
