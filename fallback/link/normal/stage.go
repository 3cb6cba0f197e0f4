package normal

import (
	"errors"
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// ErrUnsupported is wrapped by errors about valid SPIR-V that the compute way cannot run.
var ErrUnsupported = errors.New("not supported by the compute way")

// ErrInvalid is wrapped by errors about SPIR-V, or a set of stages, that is not valid.
var ErrInvalid = errors.New("invalid shader")

// Model is the kind of a ray tracing shader, the execution model of its entry point.
type Model int

// The ray tracing execution models.
const (
	Raygen Model = iota
	AnyHit
	ClosestHit
	Miss
	Intersection
	Callable
)

var modelNames = [...]string{"ray generation", "any hit", "closest hit", "miss", "intersection", "callable"}

func (m Model) String() string {
	if m < 0 || int(m) >= len(modelNames) {
		return fmt.Sprintf("shader model %d", int(m))
	}
	return modelNames[m]
}

// execution returns the SPIR-V execution model.
func (m Model) execution() spirv.ExecutionModel {
	return [...]spirv.ExecutionModel{
		spirv.ExecutionModelRayGenerationKHR, spirv.ExecutionModelAnyHitKHR, spirv.ExecutionModelClosestHitKHR,
		spirv.ExecutionModelMissKHR, spirv.ExecutionModelIntersectionKHR, spirv.ExecutionModelCallableKHR,
	}[m]
}

// Stage is one shader: an entry point of a SPIR-V module.
type Stage struct {
	// Name is used in errors.
	Name string
	// Code is the SPIR-V module.
	Code []uint32
	// Entry is the entry point's name.
	Entry string
	// Model chooses among entry points of the same name.
	Model Model
	// Specialization maps constant ids to values, little endian, 4 bytes for 32-bit types and booleans.
	Specialization map[uint32][]byte
}

// Unsupported returns an ErrUnsupported that names the shader.
func (s *Stage) Unsupported(format string, args ...any) error {
	return fmt.Errorf("shader %s: %s: %w", s.Name, fmt.Sprintf(format, args...), ErrUnsupported)
}

// Invalid returns an ErrInvalid that names the shader.
func (s *Stage) Invalid(format string, args ...any) error {
	return fmt.Errorf("shader %s: %s: %w", s.Name, fmt.Sprintf(format, args...), ErrInvalid)
}

// stage is a shader on its way to the normal form.
type stage struct {
	Stage
	module *spirv.Module
	entry  spirv.ID   // the entry function
	roots  []spirv.ID // what stays although no function uses it
}

func (s *stage) unsupported(format string, args ...any) error { return s.Unsupported(format, args...) }
func (s *stage) invalid(format string, args ...any) error     { return s.Invalid(format, args...) }
