package fallback_test

import (
	"testing"

	"github.com/everray/everray/fallback"
	"github.com/everray/everray/internal/glsltest"
)

// wideRaygen keeps a structure across a trace whose arrays have lengths, and whose members and elements are named by
// constants of 64, 16 and 8 bits. Its launch id is signed, and it chooses by 64 bits around a second trace.
const wideRaygen = `
OpCapability RayTracingKHR
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpExtension "SPV_KHR_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main "main" %id %scene %buf %p
OpDecorate %id BuiltIn LaunchIdKHR
OpDecorate %scene DescriptorSet 0
OpDecorate %scene Binding 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 1
OpDecorate %Buf Block
OpMemberDecorate %Buf 0 Offset 0
OpDecorate %words ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%short = OpTypeInt 16 1
%byte = OpTypeInt 8 0
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%v3int = OpTypeVector %int 3
%v3float = OpTypeVector %float 3
%u0 = OpConstant %uint 0
%u3 = OpConstant %uint 3
%u5 = OpConstant %uint 5
%u7 = OpConstant %uint 7
%u11 = OpConstant %uint 11
%u255 = OpConstant %uint 255
%l0 = OpConstant %ulong 0
%l1 = OpConstant %ulong 1
%l2 = OpConstant %ulong 2
%l3 = OpConstant %ulong 3
%l4 = OpConstant %ulong 4
%l32 = OpConstant %ulong 32
%s1 = OpConstant %short 1
%s2 = OpConstant %short 2
%b3 = OpConstant %byte 3
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%zero = OpConstantNull %v3float
%dir = OpConstantComposite %v3float %f0 %f0 %f1
%words = OpTypeRuntimeArray %uint
%Buf = OpTypeStruct %words
%sBuf = OpTypePointer StorageBuffer %Buf
%sUint = OpTypePointer StorageBuffer %uint
%four = OpTypeArray %uint %l4
%two = OpTypeArray %uint %s2
%State = OpTypeStruct %uint %four %two
%fState = OpTypePointer Function %State
%fUint = OpTypePointer Function %uint
%as = OpTypeAccelerationStructureKHR
%uAs = OpTypePointer UniformConstant %as
%inV = OpTypePointer Input %v3int
%rUint = OpTypePointer RayPayloadKHR %uint
%scene = OpVariable %uAs UniformConstant
%buf = OpVariable %sBuf StorageBuffer
%id = OpVariable %inV Input
%p = OpVariable %rUint RayPayloadKHR
%main = OpFunction %void None %fn
%1 = OpLabel
%v = OpVariable %fState Function
%launch = OpLoad %v3int %id
%nInt = OpCompositeExtract %int %launch 0
%n = OpBitcast %uint %nInt
%n3 = OpIMul %uint %n %u3
%n5 = OpIMul %uint %n %u5
%n7 = OpIMul %uint %n %u7
%m0 = OpAccessChain %fUint %v %l0
OpStore %m0 %n
%m1 = OpAccessChain %fUint %v %l1 %b3
OpStore %m1 %n3
%m2 = OpAccessChain %fUint %v %l2 %s1
OpStore %m2 %n5
%m3 = OpAccessChain %fUint %v %l1 %l1
OpStore %m3 %n7
OpStore %p %n
%sc = OpLoad %as %scene
OpTraceRayKHR %sc %u0 %u255 %u0 %u0 %u0 %zero %f0 %dir %f1 %p
%r0 = OpLoad %uint %m0
%c1 = OpAccessChain %fUint %v %s1 %l3
%r1 = OpLoad %uint %c1
%r2 = OpLoad %uint %m2
%r3 = OpLoad %uint %m3
%r4 = OpLoad %uint %p
%a1 = OpIMul %uint %r1 %u11
%a2 = OpIAdd %uint %r0 %a1
%a3 = OpIAdd %uint %a2 %r2
%a4 = OpIMul %uint %r3 %u255
%a5 = OpIAdd %uint %a3 %a4
%a6 = OpIAdd %uint %a5 %r4
%at = OpAccessChain %sUint %buf %u0 %n
OpStore %at %a6
%wide = OpUConvert %ulong %n
%high = OpShiftLeftLogical %ulong %wide %l32
OpSelectionMerge %end None
OpSwitch %high %end 21474836480 %five 12884901888 %three
%five = OpLabel
%again = OpLoad %as %scene
OpTraceRayKHR %again %u0 %u255 %u0 %u0 %u0 %zero %f0 %dir %f1 %p
OpBranch %three
%three = OpLabel
%r5 = OpLoad %uint %p
%a7 = OpIAdd %uint %r5 %a6
OpStore %at %a7
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`

func TestWideIndices(t *testing.T) {
	contents := [][]uint32{make([]uint32, nullLanes), {0}, {0}}
	r := newNullRig(t, contents...)
	raygen := fallback.Stage{Kind: fallback.Raygen, Code: glsltest.Assemble(t, wideRaygen)}
	for _, form := range allForms {
		got := r.run(t, form, contents, raygen, fallback.Stage{Kind: fallback.Miss, Code: glsltest.Compile(t, "rmiss", pointersMiss)})
		for k, w := range got[0] {
			n := uint32(k)
			want := n + 3*n*11 + 5*n + 7*n*255 + 3*n + 1
			switch n {
			case 5:
				want += 3*(3*n+1) + 1
			case 3:
				want += 3*n + 1
			}
			if w != want {
				t.Fatalf("%v: lane %d got %d, want %d", form, k, w, want)
			}
		}
	}
}
