package normal

import (
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
func (y Sources) load(s *stage) (*spirv.Module, error) {
	key := sourceKey{words: len(s.Code)}
	if len(s.Code) > 0 {
		key.first = &s.Code[0]
	}
	if m := y[key]; m != nil {
		return m, nil
	}
	m, err := spirv.DecodeOptions{DropLines: true}.Decode(s.Code)
	if err != nil {
		return nil, fmt.Errorf("shader %s: %w", s.Name, err)
	}
	if err := spirv.Verify(m); err != nil {
		return nil, fmt.Errorf("shader %s: %w: %w", s.Name, ErrInvalid, err)
	}
	if err := m.FlattenDecorationGroups(); err != nil {
		return nil, fmt.Errorf("shader %s: %w: %w", s.Name, ErrInvalid, err)
	}
	dropDebugInfo(m)
	y[key] = m
	return m, nil
}

// ownModule gives the stage a module that it may change: a copy with its entry point and the functions that that calls.
func (s *stage) ownModule() error {
	kept, err := s.reachedFunctions()
	if err != nil {
		return err
	}
	shared := *s.module
	shared.Functions = kept
	all := s.module.Functions
	s.module = shared.Clone()
	m := s.module
	m.ForgetFunctions(all)
	m.EntryPoints = slices.DeleteFunc(m.EntryPoints, func(in spirv.Inst) bool {
		return !isEntry(&in, s.Entry, s.Model.execution()) || in.ID(1) != s.entry
	})[:1]
	m.ExecutionModes = slices.DeleteFunc(m.ExecutionModes, func(in spirv.Inst) bool { return in.ID(0) != s.entry })
	return nil
}
