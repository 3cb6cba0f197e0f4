package fallback

import (
	"cmp"
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/repro"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// Shader is one of a compute or graphics pipeline, not of a ray tracing pipeline.
type Shader struct {
	// Name is for errors; empty takes the entry point's.
	Name string
	// Stage is the one bit of VkShaderStageFlagBits.
	Stage vulkan.ShaderStageFlags
	// Code is the SPIR-V module.
	Code []uint32
	// Entry is the entry point; empty is "main".
	Entry string
	// Driver is the device's VkDriverId, 0 if it is not known. With lavapipe's, helper invocations of fragment shaders find
	// nothing: there they read no memory.
	Driver uint32
	// Target is that of the device. Code has 64-bit integers but for shaders.Any.
	Target shaders.Target
	// Clusters lets queries meet bottom levels over clusters. A module with the capability for them asks for it by that.
	Clusters bool
}

// asksForClusters tells whether a module declares RayTracingClusterAccelerationStructureNV.
func asksForClusters(code []uint32) bool {
	for at := 5; at < len(code); {
		op, n := code[at]&0xffff, int(code[at]>>16)
		if op != uint32(spirv.OpCapability) || n != 2 || at+1 >= len(code) {
			return false // capabilities come first
		}
		if code[at+1] == uint32(spirv.CapabilityRayTracingClusterAccelerationStructureNV) {
			return true
		}
		at += n
	}
	return false
}

// shaderModels are the execution models of compute and graphics stages, by VkShaderStageFlagBits. Task and mesh shaders
// are those of VK_EXT_mesh_shader.
var shaderModels = map[vulkan.ShaderStageFlags]spirv.ExecutionModel{
	0x01: spirv.ExecutionModelVertex, 0x02: spirv.ExecutionModelTessellationControl, 0x04: spirv.ExecutionModelTessellationEvaluation,
	0x08: spirv.ExecutionModelGeometry, 0x10: spirv.ExecutionModelFragment, 0x20: spirv.ExecutionModelGLCompute,
	0x40: spirv.ExecutionModelTaskEXT, 0x80: spirv.ExecutionModelMeshEXT,
}

// ModelOf returns the execution model of a compute or graphics stage, and false for other bits.
func ModelOf(stage vulkan.ShaderStageFlags) (spirv.ExecutionModel, bool) {
	model, ok := shaderModels[stage]
	return model, ok
}

// LowerShader returns a shader with its ray queries done by code of the engine, for any device with buffer device
// addresses: no query, and no descriptor of an acceleration structure, is left in it. The latter are storage buffers, as
// in pipelines; all else that a pipeline sees of the shader stays. Specialisation constants can still be given to the
// result. A shader without ray queries comes back as it is.
//
// Queries of such shaders report no faults: one whose structure is null, or that would need more than the traversal
// stack, leaves out what it cannot see.
func LowerShader(ctx context.Context, s Shader) ([]uint32, error) {
	c, err := s.Reproducer()
	if err != nil {
		return nil, err
	}
	library, err := shaders.Load(shaders.VariantFor("fallback/query.comp", c.Target, c.Flags.AllowClusters))
	if err != nil {
		return nil, err
	}
	code, err := link.LowerQueries(ctx, library, link.Shader{Name: s.Name, Code: s.Code, Entry: s.Entry, Model: c.Model,
		SkipHelpers: c.SkipHelpers})
	if err != nil {
		return nil, internal(err, "", c)
	}
	return code, nil
}

// Reproducer is what LowerShader gives the linker.
func (s *Shader) Reproducer() (*repro.Case, error) {
	model, ok := ModelOf(s.Stage)
	if !ok {
		return nil, fmt.Errorf("shader %q: stage %#x is no compute or graphics stage: %w", s.Name, s.Stage, ErrInvalid)
	}
	return &repro.Case{Name: cmp.Or(s.Name, s.Entry, "main"), Kind: repro.Shader, Way: "compute", Model: model,
		SkipHelpers: s.Driver == vk.DriverLavapipe, Target: s.Target,
		Flags: rt.Flags{AllowClusters: s.Clusters || asksForClusters(s.Code)},
		Set:   repro.Set{Stages: []rt.Stage{{Name: s.Name, Code: s.Code, Entry: s.Entry}}}}, nil
}
