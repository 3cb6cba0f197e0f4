package normal

import (
	"context"

	"github.com/everray/everray/fallback/spirv"
)

// queryModels are the execution models of shaders outside of ray tracing pipelines.
var queryModels = map[spirv.ExecutionModel]bool{
	spirv.ExecutionModelVertex: true, spirv.ExecutionModelTessellationControl: true, spirv.ExecutionModelTessellationEvaluation: true,
	spirv.ExecutionModelGeometry: true, spirv.ExecutionModelFragment: true, spirv.ExecutionModelGLCompute: true,
	spirv.ExecutionModelTaskEXT: true, spirv.ExecutionModelMeshEXT: true, spirv.ExecutionModelTaskNV: true,
	spirv.ExecutionModelMeshNV: true,
}

// Shader returns a shader outside of ray tracing pipelines, of an execution model of its own, in the normal form: with the entry
// point, its interface and execution modes, and without the others. Specialisation constants stay where there are no values.
// Nil: the module neither uses ray queries nor acceleration structures.
func Shader(ctx context.Context, given Stage, model spirv.ExecutionModel, after AfterPass) (*Module, error) {
	s := &stage{Stage: given, ctx: ctx}
	m, err := s.decode(ctx)
	if err != nil {
		return nil, err
	}
	s.module = m
	if !queryModels[model] {
		return nil, s.invalid("execution model %v is that of no compute or graphics shader", model)
	}
	if s.entry = findEntry(m, s.Entry, model); s.entry == 0 {
		return nil, s.invalid("module has no entry point %q of model %v (it has %s)", s.Entry, model, listEntries(m))
	}
	if !usesQueries(m) {
		return nil, nil
	}
	if err := s.verify(ctx, m); err != nil {
		return nil, err
	}
	if a := m.MemoryModel.MemoryModel().AddressingModel(); a != spirv.AddressingModelLogical &&
		a != spirv.AddressingModelPhysicalStorageBuffer64 {
		return nil, s.unsupported("addressing model %v", a)
	}
	m.EntryPoints = spirv.Filter(m.EntryPoints, func(in *spirv.Inst) bool {
		return isEntry(in, s.Entry, model) && in.EntryPoint().EntryPoint() == s.entry
	})
	return s.run(ctx, shaderPasses, after)
}

// usesQueries tells whether a module has anything of ray tracing.
func usesQueries(m *spirv.Module) bool {
	for _, c := range []spirv.Capability{spirv.CapabilityRayQueryKHR, spirv.CapabilityRayQueryProvisionalKHR,
		spirv.CapabilityRayTracingKHR,
		spirv.CapabilityRayTraversalPrimitiveCullingKHR, spirv.CapabilityRayTracingPositionFetchKHR,
		spirv.CapabilityRayQueryPositionFetchKHR} {
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

// keepEntry drops the execution modes of other entry points, and the functions that the entry function does not call.
func (s *stage) keepEntry() error {
	m := s.module
	m.EntryPoints = m.EntryPoints[:1]
	m.ExecutionModes = spirv.Filter(m.ExecutionModes, func(in *spirv.Inst) bool { return in.ExecutionMode().EntryPoint() == s.entry })
	s.roots = Roots(m)
	all := m.Functions
	kept, err := s.reachedFunctions()
	if err != nil {
		return err
	}
	m.Functions = kept
	m.ForgetFunctions(all)
	return nil
}

// Roots returns what has to stay of a shader although no function uses it: the interface, and the size of workgroups.
func Roots(m *spirv.Module) []spirv.ID {
	var roots []spirv.ID
	keep := func(p *uint32) { roots = append(roots, spirv.ID(*p)) }
	m.EntryPoints[0].EachID(keep)
	for i := range m.ExecutionModes {
		m.ExecutionModes[i].EachID(keep)
	}
	for i := range m.Annotations {
		in := &m.Annotations[i]
		if b, ok := in.BuiltIn(); ok && b == spirv.BuiltInWorkgroupSize {
			roots = append(roots, in.Decorate().Target())
		}
	}
	return roots
}
