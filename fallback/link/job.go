package link

import (
	"context"

	"github.com/everray/everray/fallback/link/normal"
	"github.com/everray/everray/fallback/spirv"
)

// job is what all phases of a link share: what was asked for, and how far it is.
type job struct {
	options Options
	library bool // a library is being made
	// kernelsOnly: what is made is the kernels that shade with a library's shaders.
	kernelsOnly bool
	// skipHelpers is Shader.SkipHelpers, where helpers may be.
	skipHelpers bool

	ctx        context.Context
	pass       string        // at work
	at         shader        // the shader at work, nil if it is none
	function   spirv.ID      // of it
	inst       *spirv.Inst   // of that
	grows      *spirv.Module // the module that is being made, whose size is watched
	done, look int           // see limits.go
}

// shader is a stage in any phase, for messages.
type shader interface {
	title() string
	nameOf(id spirv.ID) string
	unsupported(format string, args ...any) error
}

// given is a stage as it was given.
type given struct {
	Stage
	index int
}

func (s *given) title() string { return s.Name }

func (s *given) unsupported(format string, args ...any) error {
	return normal.Unsupported(&s.Stage, format, args...)
}

func (s *given) invalid(format string, args ...any) error {
	return normal.Invalid(&s.Stage, format, args...)
}

// each runs a part of a pass for every stage and notes which one is at work.
func each[S shader](j *job, stages []S, do func(S) error) error {
	for _, s := range stages {
		j.at, j.function, j.inst = s, 0, nil
		j.work(1)
		if err := do(s); err != nil {
			return err
		}
	}
	j.at, j.function, j.inst = nil, 0, nil
	return nil
}
