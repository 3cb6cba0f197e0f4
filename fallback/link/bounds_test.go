package link

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/internal/glsltest"
)

// tracing is a ray generation shader; TYPES, FUNCTIONS and BODY are the test's. %v is a variable of type %t beside the trace.
const tracing = `
OpCapability RayTracingKHR
OpCapability RayQueryKHR
OpExtension "SPV_KHR_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main "main" %rs %payload %v %record
OpDecorate %rs DescriptorSet 0
OpDecorate %rs Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%u0 = OpConstant %uint 0
%f0 = OpConstant %float 0
%v0 = OpConstantComposite %v3 %f0 %f0 %f0
%as = OpTypeAccelerationStructureKHR
%p_as = OpTypePointer UniformConstant %as
%p_payload = OpTypePointer RayPayloadKHR %uint
TYPES
%p_t = OpTypePointer Private %t
%block = OpTypeStruct %t
%p_block = OpTypePointer ShaderRecordBufferKHR %block
%p_bt = OpTypePointer ShaderRecordBufferKHR %t
%rs = OpVariable %p_as UniformConstant
%payload = OpVariable %p_payload RayPayloadKHR
%v = OpVariable %p_t Private
%record = OpVariable %p_block ShaderRecordBufferKHR
FUNCTIONS
%main = OpFunction %void None %fn
%begin = OpLabel
%loaded = OpLoad %as %rs
BODY
OpReturn
OpFunctionEnd
`

const traceInst = "OpTraceRayKHR %loaded %u0 %u0 %u0 %u0 %u0 %v0 %f0 %v0 %f0 %payload\n"

// doubled declares %t as a structure of two of a structure of two and so on.
func doubled(first string, n int) string {
	s := "%s0 = OpTypeStruct " + first + "\n"
	for i := range n {
		s += fmt.Sprintf("%%s%d = OpTypeStruct %%s%d %%s%d\n", i+1, i, i)
	}
	return s + fmt.Sprintf("%%t = OpTypeStruct %%s%d\n", n)
}

// TestHostile links shaders whose cost grows faster than their size where nobody bounds it.
func TestHostile(t *testing.T) {
	keep := "%x = OpLoad %t %v\n" + traceInst + "OpStore %v %x\n"
	functions := ""
	for i := range 40 {
		functions += fmt.Sprintf("%%f_%d = OpFunction %%void None %%fn\n%%l_%d = OpLabel\n%%a_%d = OpFunctionCall %%void %%f_%d\n"+
			"%%b_%d = OpFunctionCall %%void %%f_%d\nOpReturn\nOpFunctionEnd\n", i, i, i, i+1, i, i+1)
	}
	functions += "%f_40 = OpFunction %void None %fn\n%l_40 = OpLabel\n%loaded_40 = OpLoad %as %rs\n" +
		strings.ReplaceAll(traceInst, "%loaded", "%loaded_40") + "OpReturn\nOpFunctionEnd\n"
	many := ""
	for i := range 2000 {
		many += fmt.Sprintf("%%m_%d = OpVariable %%p_t Private\n", i)
	}
	cases := []struct{ name, types, functions, body string }{
		{"empty structures", doubled("", 60), "", keep},
		{"doubling structures", doubled("%uint %uint", 60), "", keep},
		{"alignment of a record", doubled("%uint", 40), "",
			traceInst + "%y = OpAccessChain %p_bt %record %u0\n%z = OpLoad %t %y\nOpStore %v %z\n"},
		{"a huge array", "%big = OpConstant %uint 0x7fffffff\n%t = OpTypeArray %uint %big\n", "", keep},
		{"huge arrays of nothing", "%big = OpConstant %uint 0x7fffffff\n%none = OpTypeStruct\n%t = OpTypeArray %none %big\n", "", keep},
		{"arrays of arrays", "%big = OpConstant %uint 0x7fffffff\n%a1 = OpTypeArray %uint %big\n%a2 = OpTypeArray %a1 %big\n%t = " +
			"OpTypeArray %a2 %big\n", "", keep},
		{"many variables", "%big = OpConstant %uint 16000\n%t = OpTypeArray %uint %big\n", many,
			keep + strings.Repeat("OpCopyMemory %m_0 %m_1\n", 1)},
		{"doubling calls", "%t = OpTypeStruct %uint\n", functions, "%c = OpFunctionCall %void %f_0\n"},
		{"many traces", "%t = OpTypeStruct %uint\n", "", strings.Repeat(traceInst, 4000)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := strings.NewReplacer("TYPES", c.types, "FUNCTIONS", c.functions, "BODY", c.body).Replace(tracing)
			if c.name == "many variables" {
				used, listed := "", ""
				for i := range 2000 {
					used += fmt.Sprintf("OpCopyMemory %%m_%d %%v\n", i)
					listed += fmt.Sprintf(" %%m_%d", i)
				}
				text = strings.Replace(text, "OpCopyMemory %m_0 %m_1\n", used, 1)
				text = strings.Replace(text, "%v %record\n", "%v %record"+listed+"\n", 1)
			}
			code := glsltest.Assemble(t, text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := Link(t.Context(), runtimeModule(t), []Stage{{Kind: Raygen, Code: code}}, Options{})
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			t.Logf("%v, %d MB: %v", took, (after.TotalAlloc-before.TotalAlloc)>>20, err)
			if err != nil && isInternal(err) {
				t.Error(err)
			}
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 20*time.Second || mb > 2000 {
				t.Errorf("took %v and %d MB", took, mb)
			}
		})
	}
}
