package link

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
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
	glsl := pipelineOf(t, &glsltest.Compiler{}, shapes.All()[0])
	cases := []struct {
		name   string
		depth  uint32
		stages []Stage
	}{
		{"HLSL library", 2, []Stage{
			{Kind: Raygen, Code: library, Entry: "rayGen"}, {Kind: Raygen, Code: library, Entry: "rayGen2"},
			{Kind: Miss, Code: library, Entry: "main"}, {Kind: Miss, Code: library, Entry: "missShadow"},
			{Kind: ClosestHit, Code: library, Entry: "main"}, {Kind: AnyHit, Code: library, Entry: "main"},
		}},
		{"HLSL library optimised", 2, []Stage{
			{Kind: Raygen, Code: glsltest.Optimize(t, library, "--legalize-hlsl", "-O", "--strip-nonsemantic"), Entry: "rayGen"},
			{Kind: AnyHit, Code: glsltest.Optimize(t, library, "-Os"), Entry: "main"},
			{Kind: ClosestHit, Code: glsltest.Optimize(t, library, "--legalize-hlsl"), Entry: "main"},
		}},
		{"rust", 1, append([]Stage{{Kind: Raygen, Code: assembled(t, "spv1.5", "rust_raygen"), Entry: "shaders::ray_gen"}},
			glsl[1:]...)},
		{"slang", 1, append([]Stage{{Kind: Raygen, Code: assembled(t, "spv1.5", "slang_raygen")}}, glsl[1:]...)},
		{"variable pointers", 1, []Stage{{Kind: Raygen, Code: assembled(t, "spv1.4", "pointers_raygen")},
			{Kind: Raygen, Code: assembled(t, "spv1.4", "pointers_odd")}}},
		{"SPIR-V 1.0", 1, []Stage{
			{Kind: Raygen, Code: old, Specialization: map[uint32][]byte{7: {2, 0, 0, 0}}}, {Kind: AnyHit, Code: old},
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
				{Kind: Raygen, Code: compile("rgen", s.Raygen)}, {Kind: Miss, Code: compile("rmiss", shapes.Miss)},
				{Kind: ClosestHit, Code: compile("rchit", shapes.ClosestHit)}, {Kind: AnyHit, Code: compile("rahit", s.AnyHit)},
			}, 1)
		})
	}
	for i, s := range shapes.Callables() {
		if !sweep && i%6 != 0 {
			continue
		}
		t.Run("callable-"+s.Name, func(t *testing.T) {
			linkStrangers(t, []Stage{
				{Kind: Raygen, Code: glsltest.CompileAs(t, "rgen", glsltest.NVIDIA(s.Raygen), "--target-env", "vulkan1.0")},
				{Kind: Callable, Code: glsltest.CompileAs(t, "rcall", glsltest.NVIDIA(shapes.Called), "--target-env", "vulkan1.0")},
				{Kind: Callable, Code: glsltest.CompileAs(t, "rcall", glsltest.NVIDIA(shapes.OtherCalled), "--target-env", "vulkan1.0")},
			}, 1)
		})
	}
}

// TestNormalise checks what no instruction or decoration of the old forms may survive.
func TestNormalise(t *testing.T) {
	library, old, rust := assembled(t, "spv1.4", "hlsl_library"), assembled(t, "spv1.0", "old_storage"),
		assembled(t, "spv1.5", "rust_raygen")
	r := linkStrangers(t, []Stage{
		{Kind: Raygen, Code: old, Specialization: map[uint32][]byte{7: {2, 0, 0, 0}}}, {Kind: AnyHit, Code: old},
		{Kind: Raygen, Code: rust, Entry: "shaders::ray_gen"}, {Kind: Raygen, Code: library, Entry: "rayGen"},
	}, 1)
	m, err := spirv.Decode(r.Code)
	if err != nil {
		t.Fatal(err)
	}
	text := spirv.Disassemble(m)
	for _, gone := range []string{"BufferBlock", "GroupDecorate", "Vulkan\n", "VulkanMemoryModel", "MakePointer", "UserSemantic",
		"UserType",
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
	_, err := Link(t.Context(), runtimeModule(t), []Stage{{Name: "mine", Kind: Raygen, Code: old}}, Options{})
	if err == nil || !strings.Contains(err.Error(), "mine") || !strings.Contains(err.Error(), "location 0") {
		t.Errorf("a trace whose payload is nowhere: got %v", err)
	}
}

// manyEntries is a library of n closest hit shaders over one set of helpers.
func manyEntries(t testing.TB, n int) []uint32 {
	t.Helper()
	head, body := "", ""
	for i := range n {
		head += fmt.Sprintf("OpEntryPoint ClosestHitKHR %%e_%d \"hit%d\" %%p %%t\n", i, i)
		body += fmt.Sprintf("%%e_%d = OpFunction %%void None %%fn\n%%l_%d = OpLabel\n%%c_%d = OpFunctionCall %%void "+
			"%%h_%d\nOpReturn\nOpFunctionEnd\n", i, i, i, i%20)
	}
	for i := range 20 {
		body += fmt.Sprintf("%%h_%d = OpFunction %%void None %%fn\n%%hl_%d = OpLabel\n%%hx_%d_0 = OpLoad %%float %%t\n", i, i, i)
		for k := range 200 {
			body += fmt.Sprintf("%%hx_%d_%d = OpFMul %%float %%hx_%d_%d %%f_%d\n", i, k+1, i, k, (i+k)%200)
		}
		body += fmt.Sprintf("OpStore %%p %%hx_%d_200\nOpReturn\nOpFunctionEnd\n", i)
	}
	constants := ""
	for k := range 200 {
		constants += fmt.Sprintf("%%f_%d = OpConstant %%float %d.5\n", k, k)
	}
	return glsltest.Assemble(t, "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"+
		head+
		"OpDecorate %t BuiltIn RayTmaxKHR\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n"+
		"%p_in = OpTypePointer Input %float\n%p_p = OpTypePointer IncomingRayPayloadKHR %float\n"+constants+
		"%t = OpVariable %p_in Input\n%p = OpVariable %p_p IncomingRayPayloadKHR\n"+body)
}

// TestLinkManyEntries links 200 entry points of one module, which is decoded once, and checks that stages do not see what
// others make of it.
func TestLinkManyEntries(t *testing.T) {
	code := manyEntries(t, 200)
	var stages []Stage
	for i := range 200 {
		stages = append(stages, Stage{Kind: ClosestHit, Code: code, Entry: fmt.Sprintf("hit%d", i)})
	}
	start := time.Now()
	r, err := Link(t.Context(), runtimeModule(t), stages, Options{Form: FormMegakernel, MaxDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	glsltest.Validate(t, r.Code)
	start = time.Now()
	all, err := normalise(newJob(t.Context(), Options{}), nil, stages)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d words: linked in %v, of which %v to select", len(code), took, time.Since(start))
	alone, err := normalise(newJob(t.Context(), Options{}), nil, stages[137:138])
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(all.stages[137].code.Encode(), alone.stages[0].code.Encode()) {
		t.Error("a stage's module depends on the stages before it")
	}
}
