package link

import (
	"slices"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/shaders"
)

// TestModulesNeedNoFeatures: the plain runtime, with the simplest shader, asks for no more than every device must have.
func TestModulesNeedNoFeatures(t *testing.T) {
	code := glsltest.Compile(t, "rgen", "#version 460\n#extension GL_EXT_ray_tracing : require\n"+
		"layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;\nlayout(location = 0) rayPayloadEXT vec4 payload;\n"+
		"void main() { traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(0), 0.0, vec3(1), 1.0, 0); }\n")
	want := []spirv.Capability{spirv.CapabilityShader, spirv.CapabilityPhysicalStorageBufferAddresses}
	for _, form := range []Form{FormMonolithic, FormMegakernel, FormBlocks} {
		for _, indirect := range []bool{false, true} {
			r, err := Link(t.Context(), runtimeModule(t), []Stage{{Kind: Raygen, Code: code}},
				Options{Form: form, MaxDepth: 1, Indirect: indirect})
			if err != nil {
				t.Fatal(err)
			}
			if got := capabilitiesOf(t, r.Code); !slices.Equal(got, want) {
				t.Errorf("%v, indirect %v: capabilities %v, want %v", form, indirect, got, want)
			}
		}
	}
}

// TestUnusedCapabilitiesGo: a shader declares what it does not use, or what is gone once it is linked.
func TestUnusedCapabilitiesGo(t *testing.T) {
	m, err := spirv.Decode(glsltest.Compile(t, "rgen", "#version 460\n#extension GL_EXT_ray_tracing : require\nvoid main() {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for c := range needs {
		m.AddCapability(c)
	}
	code := m.Encode()
	r, err := Link(t.Context(), runtimeModule(t), []Stage{{Kind: Raygen, Code: code}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	glsltest.Validate(t, r.Code)
	for _, c := range capabilitiesOf(t, r.Code) {
		if needs[c] != nil {
			t.Errorf("capability %d is still declared", c)
		}
	}
	barrier := glsltest.Compile(t, "rgen", "#version 460\n#extension GL_EXT_ray_tracing : require\n"+
		"#extension GL_KHR_shader_subgroup_basic : require\nvoid main() { subgroupMemoryBarrier(); }\n")
	if r, err = Link(t.Context(), runtimeModule(t), []Stage{{Kind: Raygen, Code: barrier}}, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := capabilitiesOf(t, r.Code); slices.Contains(got, spirv.CapabilityGroupNonUniform) {
		t.Errorf("a barrier of subgroups left %v", got)
	}
}

// TestVariants: only those whose devices are asked for it use 64-bit integers.
func TestVariants(t *testing.T) {
	for target, want := range map[shaders.Target]bool{shaders.Any: false, shaders.Long: true, shaders.SIMD: true} {
		for _, name := range []string{"fallback/runtime.comp", "fallback/query.comp", "bvh/trace/trace.comp", "viewer/bare.comp"} {
			code, err := shaders.Load(shaders.Variant(name, target))
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Contains(capabilitiesOf(t, code), spirv.CapabilityInt64); got != want {
				t.Errorf("%s: Int64 is %v, want %v", shaders.Variant(name, target), got, want)
			}
		}
	}
}

func capabilitiesOf(t *testing.T, code []uint32) []spirv.Capability {
	t.Helper()
	m, err := spirv.Decode(code)
	if err != nil {
		t.Fatal(err)
	}
	var out []spirv.Capability
	for i := range m.Capabilities {
		out = append(out, spirv.Capability(m.Capabilities[i].Operands[0]))
	}
	slices.Sort(out)
	return out
}
