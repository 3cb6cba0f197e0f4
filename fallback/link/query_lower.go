package link

import (
	"context"
	"fmt"

	"github.com/everray/everray/fallback/link/normal"
	"github.com/everray/everray/fallback/spirv"
)

// Shader is a shader with ray queries that is not part of a ray tracing pipeline: a compute shader, or one of a graphics
// pipeline.
type Shader struct {
	// Name is used in errors; empty takes the entry point's name.
	Name string
	// Code is the SPIR-V module.
	Code []uint32
	// Entry is the entry point's name; empty means "main".
	Entry string
	// Model chooses among entry points of the same name.
	Model spirv.ExecutionModel
	// Specialization maps constant ids to values, as in Stage. Nil leaves the module's specialisation constants as they
	// are; otherwise all become plain constants.
	Specialization map[uint32][]byte
	// SkipHelpers makes queries of helper invocations of fragment shaders find nothing. Needed on drivers where helper
	// invocations read no memory (lavapipe 25): they would follow zeros through the structure and never end. Elsewhere it
	// would only spoil derivatives of what queries find.
	SkipHelpers bool
}

// LowerQueries returns the shader with ray queries done by functions of the library (shaders/fallback/query.comp), for
// devices that have none. The module keeps the entry point, with its interface and execution modes, descriptor bindings and
// push constants, and loses the other entry points. Descriptors of acceleration structures become storage buffers,
// read only, over the structure, and the addressing model becomes PhysicalStorageBuffer64; the version is at least 1.5.
// A module that neither uses ray queries nor acceleration structures comes back as it is.
//
// A query whose structure is null finds nothing; one that would need more than the traversal stack leaves out what does
// not fit, and nobody is told.
func LowerQueries(ctx context.Context, library []uint32, sh Shader) (code []uint32, err error) {
	l := &linker{runtimeCode: library, options: Options{KeepNames: true}, ctx: ctx, pass: "normalise"}
	defer func() { // as in Link
		if p := recover(); p != nil {
			code, err = nil, l.recovered("lower ray queries", p)
		}
	}()
	if sh.Entry == "" {
		sh.Entry = "main"
	}
	if sh.Name == "" {
		sh.Name = fmt.Sprintf("%q", sh.Entry)
	}
	given := Stage{Name: sh.Name, Code: sh.Code, Entry: sh.Entry, Specialization: sh.Specialization}
	l.at = &stage{Stage: given}
	n, err := normal.Shader(ctx, given, sh.Model, nil)
	if err != nil {
		return nil, fmt.Errorf("lower ray queries: %w", err)
	}
	if n == nil {
		return sh.Code, nil
	}
	s := &stage{Stage: n.Stage, module: n.Module, entry: n.Entry}
	s.rewriteTypes(nil)
	l.stages, l.at = []*stage{s}, s
	l.skipHelpers = sh.SkipHelpers && sh.Model == spirv.ExecutionModelFragment
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"runtime", func() error { return l.load(resolveQuerySymbols) }},
		{"merge", l.mergeShader}, {"queries", l.lowerQueries}, {"access", l.lowerAccess},
		{"finish", l.finishShader},
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.pass = step.name
		if err := step.run(); err != nil {
			return nil, fmt.Errorf("lower ray queries: %w", err)
		}
	}
	return l.out.Encode(), nil
}

// mergeShader appends the shader to the library and takes its entry point for the library's own.
func (l *linker) mergeShader() error {
	s := l.stages[0]
	m := s.module
	g, err := l.copyStage(s)
	if err != nil {
		return err
	}
	l.out.EntryPoints = []spirv.Inst{g.inst(&m.EntryPoints[0])}
	l.out.ExecutionModes = nil
	for i := range m.ExecutionModes {
		l.out.ExecutionModes = append(l.out.ExecutionModes, g.inst(&m.ExecutionModes[i]))
	}
	s.module = nil
	l.indexOutput()
	return nil
}

// finishShader drops what is not reached and completes the header.
func (l *linker) finishShader() error {
	m := l.out
	l.dropFunctions()
	m.Prune(normal.Roots(m)...)
	l.finishHeader()
	return nil
}
