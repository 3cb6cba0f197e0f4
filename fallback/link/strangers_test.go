package link

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/internal/glsltest"
	"github.com/everray/everray/fallback/internal/shapes"
	"github.com/everray/everray/fallback/spirv"
)

// strangers_test links what other compilers than glslang 12 make, or other users write. The modules of testdata are
// written by hand after what DXC, Slang, rust-gpu and older glslang emit.

// linkStrangers links the stages in every form that can run them and validates the result.
func linkStrangers(t *testing.T, stages []Stage, depth uint32) *Result {
	t.Helper()
	var last *Result
	for _, form := range []Form{FormMonolithic, FormMegakernel, FormBlocks} {
		o := verified
		o.Form, o.MaxDepth = form, depth
		r, err := Link(t.Context(), runtimeModule(t), stages, o)
		if form == FormMonolithic && errors.Is(err, ErrUnsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", form, err)
		}
		if r.Code[1] > 0x10500 {
			glsltest.ValidateNewest(t, r.Code)
		} else {
			glsltest.Validate(t, r.Code)
		}
		last = r
	}
	return last
}

func assembled(t testing.TB, version, name string) []uint32 {
	t.Helper()
	return glsltest.AssembleFile(t, version, filepath.Join("testdata", name+".spvasm"))
}

func TestLinkStrangers(t *testing.T) {
	library := assembled(t, "spv1.4", "hlsl_library")
	old := assembled(t, "spv1.0", "old_storage")
	glsl := pipelineOf(t, shapes.All()[0])
	cases := []struct {
		name   string
		depth  uint32
		stages []Stage
	}{
		{"HLSL library", 2, []Stage{
			{Model: Raygen, Code: library, Entry: "rayGen"}, {Model: Raygen, Code: library, Entry: "rayGen2"},
			{Model: Miss, Code: library, Entry: "main"}, {Model: Miss, Code: library, Entry: "missShadow"},
			{Model: ClosestHit, Code: library, Entry: "main"}, {Model: AnyHit, Code: library, Entry: "main"},
		}},
		{"HLSL library optimised", 2, []Stage{
			{Model: Raygen, Code: glsltest.Optimize(t, library, "--legalize-hlsl", "-O", "--strip-nonsemantic"), Entry: "rayGen"},
			{Model: AnyHit, Code: glsltest.Optimize(t, library, "-Os"), Entry: "main"},
			{Model: ClosestHit, Code: glsltest.Optimize(t, library, "--legalize-hlsl"), Entry: "main"},
		}},
		{"rust", 1, append([]Stage{{Model: Raygen, Code: assembled(t, "spv1.5", "rust_raygen"), Entry: "shaders::ray_gen"}}, glsl[1:]...)},
		{"slang", 1, append([]Stage{{Model: Raygen, Code: assembled(t, "spv1.5", "slang_raygen")}}, glsl[1:]...)},
		{"SPIR-V 1.0", 1, []Stage{
			{Model: Raygen, Code: old, Specialization: map[uint32][]byte{7: {2, 0, 0, 0}}}, {Model: AnyHit, Code: old},
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { linkStrangers(t, c.stages, c.depth) })
	}
}

// TestLinkNV links shapes (all of them with EVERRAY_SWEEP=1) as GLSL of NVIDIA's extension, for SPIR-V 1.0 and 1.3.
func TestLinkNV(t *testing.T) {
	targets := []string{"vulkan1.0", "spirv1.3"}
	sweep := os.Getenv("EVERRAY_SWEEP") != ""
	for i, s := range shapes.All() {
		if strings.Contains(s.AnyHit, "gl_GeometryIndexEXT") || s.Depth > 1 { // NVIDIA's extension does not have it
			continue
		}
		if !sweep && i%5 != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			compile := func(stage, source string) []uint32 {
				code := glsltest.CompileAs(t, stage, glsltest.NVIDIA(source), "--target-env", targets[i%2])
				if i%3 == 0 {
					code = glsltest.Optimize(t, code, "-O")
				}
				return code
			}
			linkStrangers(t, []Stage{
				{Model: Raygen, Code: compile("rgen", s.Raygen)}, {Model: Miss, Code: compile("rmiss", shapes.Miss)},
				{Model: ClosestHit, Code: compile("rchit", shapes.ClosestHit)}, {Model: AnyHit, Code: compile("rahit", s.AnyHit)},
			}, 1)
		})
	}
	for i, s := range shapes.Callables() {
		if !sweep && i%6 != 0 {
			continue
		}
		t.Run("callable-"+s.Name, func(t *testing.T) {
			linkStrangers(t, []Stage{
				{Model: Raygen, Code: glsltest.CompileAs(t, "rgen", glsltest.NVIDIA(s.Raygen), "--target-env", "vulkan1.0")},
				{Model: Callable, Code: glsltest.CompileAs(t, "rcall", glsltest.NVIDIA(shapes.Called), "--target-env", "vulkan1.0")},
				{Model: Callable, Code: glsltest.CompileAs(t, "rcall", glsltest.NVIDIA(shapes.OtherCalled), "--target-env", "vulkan1.0")},
			}, 1)
		})
	}
}

// TestNormalise checks what no instruction or decoration of the old forms may survive.
func TestNormalise(t *testing.T) {
	library, old, rust := assembled(t, "spv1.4", "hlsl_library"), assembled(t, "spv1.0", "old_storage"), assembled(t, "spv1.5", "rust_raygen")
	r := linkStrangers(t, []Stage{
		{Model: Raygen, Code: old, Specialization: map[uint32][]byte{7: {2, 0, 0, 0}}}, {Model: AnyHit, Code: old},
		{Model: Raygen, Code: rust, Entry: "shaders::ray_gen"}, {Model: Raygen, Code: library, Entry: "rayGen"},
	}, 1)
	m, err := spirv.Decode(r.Code)
	if err != nil {
		t.Fatal(err)
	}
	text := spirv.Disassemble(m)
	for _, gone := range []string{"BufferBlock", "GroupDecorate", "Vulkan\n", "VulkanMemoryModel", "MakePointer", "UserSemantic", "UserType",
		"CounterBuffer", "DebugInfo", "TraceNV", "IgnoreIntersection", "TerminateRay", "OpPhi %uint %any_dead"} {
		if strings.Contains(text, gone) {
			t.Errorf("the linked module still has %s", gone)
		}
	}
	for _, in := range m.Annotations {
		if in.Op == spirv.OpDecorate && spirv.Decoration(in.Operands[1]) == spirv.DecorationBinding && in.Operands[2] == 2 {
			return
		}
	}
	t.Error("bindings that were given by groups are lost")
}

func TestNVErrors(t *testing.T) {
	old := assembled(t, "spv1.0", "old_storage")
	_, err := Link(t.Context(), runtimeModule(t), []Stage{{Name: "mine", Model: Raygen, Code: old}}, Options{})
	if err == nil || !strings.Contains(err.Error(), "mine") || !strings.Contains(err.Error(), "location 0") {
		t.Errorf("a trace whose payload is nowhere: got %v", err)
	}
}
