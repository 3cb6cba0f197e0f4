package link

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	// Check and AfterPass are those of Options.
	Check     bool
	AfterPass func(pass string, m *spirv.Module) error
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
	if sh.Entry == "" {
		sh.Entry = "main"
	}
	if sh.Name == "" {
		sh.Name = fmt.Sprintf("%q", sh.Entry)
	}
	j := newJob(ctx, Options{KeepNames: true, Check: sh.Check, AfterPass: sh.AfterPass})
	j.skipHelpers = sh.SkipHelpers && sh.Model == spirv.ExecutionModelFragment
	s := &normalStage{given: given{Stage: Stage{Name: sh.Name, Code: sh.Code, Entry: sh.Entry, Specialization: sh.Specialization}}}
	at, err := j.run("lower ray queries", queryPasses, func() (phase, error) {
		j.at = s
		n, err := normal.Shader(ctx, s.Stage, sh.Model, j.afterNormal())
		if err == nil && n == nil {
			err = errNoQueries
		}
		if err != nil {
			return nil, err
		}
		s.Stage, s.code, s.entry = n.Stage, n.Module, n.Entry
		return &normalStages{job: j, runtime: library, stages: []*normalStage{s}}, nil
	})
	if errors.Is(err, errNoQueries) {
		return sh.Code, nil
	}
	if err != nil {
		return nil, err
	}
	return at.module().Encode(), nil
}

// errNoQueries says that a shader stays as it is.
var errNoQueries = errors.New("no ray queries")

// queryPasses are those of LowerQueries.
var queryPasses = []pass{
	{name: "runtime", run: to((*normalStages).loadQueries)},
	{name: "interface", run: to((*loadedStages).lowerStructures)},
	{name: "merge", run: to((*loweredStages).mergeShader)},
	{name: "queries", run: in((*mergedStages).lowerShaderQueries)},
	{name: "access", run: in((*mergedStages).lowerAccess)},
	{name: "finish", run: in((*mergedStages).finishShader)},
}

// loadQueries decodes a library of ray queries.
func (l *normalStages) loadQueries() (*loadedStages, error) {
	to, err := l.load(l.runtime, resolveQuerySymbols)
	return &loadedStages{linked: to, stages: l.stages}, err
}

// lowerStructures takes descriptors of acceleration structures to storage buffers. The shader's other variables stay.
func (l *loadedStages) lowerStructures() (*loweredStages, error) {
	s := &loweredStage{normalStage: l.stages[0]}
	l.at = s
	s.rewriteTypes(l.job, nil)
	return &loweredStages{linked: l.linked, stages: []*loweredStage{s}}, nil
}

// mergeShader appends the shader to the library and takes its entry point for the library's own.
func (l *loweredStages) mergeShader() (*mergedStages, error) {
	m := l.stages[0].code
	g, err := l.copyStage(l.stages[0])
	if err != nil {
		return nil, err
	}
	l.out.EntryPoints = []spirv.Inst{g.inst(&m.EntryPoints[0])}
	l.out.ExecutionModes = nil
	for i := range m.ExecutionModes {
		l.out.ExecutionModes = append(l.out.ExecutionModes, g.inst(&m.ExecutionModes[i]))
	}
	l.indexOutput()
	return &mergedStages{linked: l.linked, stages: []*mergedStage{g.to}}, nil
}

// lowerShaderQueries lowers the queries of the one shader. Those that were globals are variables of functions then, and in no
// interface.
func (l *mergedStages) lowerShaderQueries() error {
	if err := l.lowerQueries(); err != nil {
		return err
	}
	globals := map[uint32]bool{}
	for i := range l.out.Globals {
		globals[uint32(l.out.Globals[i].Result)] = true
	}
	entry := &l.out.EntryPoints[0]
	n := entry.InterfaceStart()
	listed := slices.DeleteFunc(slices.Clone(entry.EntryPoint().Interface()), func(id uint32) bool { return !globals[id] })
	entry.Operands = append(entry.Operands[:n:n], listed...)
	return nil
}

// finishShader drops what is not reached and completes the header.
func (l *mergedStages) finishShader() error {
	m := l.out
	l.dropFunctions()
	m.Prune(normal.Roots(m)...)
	l.finishHeader()
	return nil
}
