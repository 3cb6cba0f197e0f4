package link

import (
	"context"
	"fmt"

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
	defer func() { // as in Link
		if p := recover(); p != nil {
			code, err = nil, fmt.Errorf("lower ray queries: internal error, please report it with the shader: %v: %w", p, ErrInvalid)
		}
	}()
	if sh.Entry == "" {
		sh.Entry = "main"
	}
	if sh.Name == "" {
		sh.Name = fmt.Sprintf("%q", sh.Entry)
	}
	s := &stage{Stage: Stage{Name: sh.Name, Code: sh.Code, Entry: sh.Entry, Specialization: sh.Specialization}}
	l := &linker{runtimeCode: library, stages: []*stage{s}, options: Options{KeepNames: true}}
	l.skipHelpers = sh.SkipHelpers && sh.Model == spirv.ExecutionModelFragment
	needed, err := l.selectShader(s, sh.Model)
	if err != nil {
		return nil, fmt.Errorf("lower ray queries: %w", err)
	}
	if !needed {
		return sh.Code, nil
	}
	for _, step := range []func() error{l.loadRuntime, l.mergeShader, l.lowerQueries, l.lowerAccess, l.finishShader} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, fmt.Errorf("lower ray queries: %w", err)
		}
	}
	return l.out.Encode(), nil
}

// queryModels are the execution models of shaders outside of ray tracing pipelines.
var queryModels = map[spirv.ExecutionModel]bool{
	spirv.ExecutionModelVertex: true, spirv.ExecutionModelTessellationControl: true, spirv.ExecutionModelTessellationEvaluation: true,
	spirv.ExecutionModelGeometry: true, spirv.ExecutionModelFragment: true, spirv.ExecutionModelGLCompute: true,
	spirv.ExecutionModelTaskEXT: true, spirv.ExecutionModelMeshEXT: true, spirv.ExecutionModelTaskNV: true, spirv.ExecutionModelMeshNV: true,
}

// selectShader decodes the shader and drops what its entry point does not reach. False: there is nothing to do.
func (l *linker) selectShader(s *stage, model spirv.ExecutionModel) (bool, error) {
	m, err := spirv.DecodeOptions{DropLines: true}.Decode(s.Code)
	if err != nil {
		return false, fmt.Errorf("shader %s: %w", s.Name, err)
	}
	s.module = m
	if !queryModels[model] {
		return false, s.invalid("execution model %d is that of no compute or graphics shader", model)
	}
	if s.entry = findEntry(m, s.Entry, model); s.entry == 0 {
		return false, s.invalid("module has no entry point %q of model %d (it has %s)", s.Entry, model, listEntries(m))
	}
	if !usesQueries(m) {
		return false, nil
	}
	if err := spirv.Verify(m); err != nil {
		return false, fmt.Errorf("shader %s: %w: %w", s.Name, ErrInvalid, err)
	}
	if a := spirv.AddressingModel(m.MemoryModel.Operands[0]); a != spirv.AddressingModelLogical && a != spirv.AddressingModelPhysicalStorageBuffer64 {
		return false, s.unsupported("addressing model %d", a)
	}
	if err := m.FlattenDecorationGroups(); err != nil {
		return false, fmt.Errorf("shader %s: %w", s.Name, err)
	}
	if s.Specialization != nil {
		if err := spirv.FoldSpecConstants(m, s.Specialization); err != nil {
			return false, fmt.Errorf("shader %s: specialisation constants: %w", s.Name, err)
		}
	}
	dropDebugInfo(m)
	keepEntry(m, s.entry, s.Entry, model)
	if err := s.prune(shaderRoots(m)...); err != nil {
		return false, err
	}
	s.rewriteTypes(nil)
	return true, nil
}

// usesQueries tells whether a module has anything of ray tracing.
func usesQueries(m *spirv.Module) bool {
	for _, c := range []spirv.Capability{spirv.CapabilityRayQueryKHR, spirv.CapabilityRayQueryProvisionalKHR, spirv.CapabilityRayTracingKHR,
		spirv.CapabilityRayTraversalPrimitiveCullingKHR, spirv.CapabilityRayTracingPositionFetchKHR, spirv.CapabilityRayQueryPositionFetchKHR} {
		if m.HasCapability(c) {
			return true
		}
	}
	for i := range m.Globals {
		if op := m.Globals[i].Op; op == spirv.OpTypeRayQueryKHR || op == spirv.OpTypeAccelerationStructureKHR {
			return true
		}
	}
	return false
}

// keepEntry drops the other entry points and their execution modes.
func keepEntry(m *spirv.Module, entry spirv.ID, name string, model spirv.ExecutionModel) {
	m.EntryPoints = filter(m.EntryPoints, func(in *spirv.Inst) bool {
		n, _ := spirv.DecodeString(in.Operands[2:])
		return spirv.ExecutionModel(in.Operands[0]) == model && in.ID(1) == entry && n == name
	})
	m.EntryPoints = m.EntryPoints[:1]
	m.ExecutionModes = filter(m.ExecutionModes, func(in *spirv.Inst) bool { return in.ID(0) == entry })
}

// shaderRoots returns what has to stay although no function uses it: the interface, and the size of workgroups.
func shaderRoots(m *spirv.Module) []spirv.ID {
	var roots []spirv.ID
	keep := func(p *uint32) { roots = append(roots, spirv.ID(*p)) }
	m.EntryPoints[0].EachID(keep)
	for i := range m.ExecutionModes {
		m.ExecutionModes[i].EachID(keep)
	}
	for i := range m.Annotations {
		in := &m.Annotations[i]
		if in.Op == spirv.OpDecorate && spirv.Decoration(in.Operands[1]) == spirv.DecorationBuiltIn && len(in.Operands) > 2 &&
			spirv.BuiltIn(in.Operands[2]) == spirv.BuiltInWorkgroupSize {
			roots = append(roots, in.ID(0))
		}
	}
	return roots
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
	pruneGlobals(m, shaderRoots(m))
	l.finishHeader()
	return nil
}
