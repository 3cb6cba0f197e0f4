package normal

import (
	"context"
	"errors"
	"fmt"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/rt"
)

// ErrUnsupported is wrapped by errors about valid SPIR-V that the compute way cannot run.
var ErrUnsupported = errors.New("not supported by the compute way")

// ErrInvalid is wrapped by errors about SPIR-V, or a set of stages, that is not valid.
var ErrInvalid = errors.New("invalid shader")

// Model is the kind of a ray tracing shader, the execution model of its entry point.
type Model = rt.StageKind

// The ray tracing execution models.
const (
	Raygen       = rt.Raygen
	AnyHit       = rt.AnyHit
	ClosestHit   = rt.ClosestHit
	Miss         = rt.Miss
	Intersection = rt.Intersection
	Callable     = rt.Callable
)

// Execution returns the SPIR-V execution model of a stage.
func Execution(m Model) spirv.ExecutionModel {
	return [...]spirv.ExecutionModel{
		spirv.ExecutionModelRayGenerationKHR, spirv.ExecutionModelAnyHitKHR, spirv.ExecutionModelClosestHitKHR,
		spirv.ExecutionModelMissKHR, spirv.ExecutionModelIntersectionKHR, spirv.ExecutionModelCallableKHR,
	}[m]
}

// Stage is one shader: an entry point of a SPIR-V module.
type Stage = rt.Stage

// Unsupported returns an ErrUnsupported that names the shader.
func Unsupported(s *Stage, format string, args ...any) error {
	return fmt.Errorf("shader %s: %s: %w", s.Name, fmt.Sprintf(format, args...), ErrUnsupported)
}

// Invalid returns an ErrInvalid that names the shader.
func Invalid(s *Stage, format string, args ...any) error {
	return fmt.Errorf("shader %s: %s: %w", s.Name, fmt.Sprintf(format, args...), ErrInvalid)
}

// stage is a shader on its way to the normal form.
type stage struct {
	Stage
	ctx    context.Context
	module *spirv.Module
	entry  spirv.ID   // the entry function
	roots  []spirv.ID // what stays although no function uses it
	done   int        // since the last look at the context
}

// look is called by passes as they go, for about each instruction. Now and then it looks whether the context has ended.
func (s *stage) look(n int) error {
	const often = 1 << 14
	if s.done += n; s.done < often {
		return nil
	}
	s.done = 0
	return s.ctx.Err()
}

func (s *stage) unsupported(format string, args ...any) error {
	return Unsupported(&s.Stage, format, args...)
}
func (s *stage) invalid(format string, args ...any) error { return Invalid(&s.Stage, format, args...) }
