package fallback_test

import (
	"testing"

	"github.com/everray/everray/fallback"
	"github.com/everray/everray/internal/glsltest"
)

const zerosRaygen = `#version 460
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Result { uint word[]; } result;
layout(set = 0, binding = 2, std430) buffer Data { float value[]; } data;
layout(location = 0) rayPayloadEXT float p;
void main() {
    p = data.value[gl_LaunchIDEXT.x & 1u];
    traceRayEXT(scene, 0u, 0xFFu, 0u, 0u, 0u, vec3(0.0), 0.0, vec3(1.0), 1.0, 0);
    result.word[gl_LaunchIDEXT.x] = floatBitsToUint(p);
}
`

// zerosMiss multiplies the payload with zero, which keeps its sign if signs of zeros are to be preserved, and compilers
// make plain zero if not.
const zerosMiss = `
OpCapability RayTracingKHR
OpCapability SignedZeroInfNanPreserve
OpExtension "SPV_KHR_ray_tracing"
OpExtension "SPV_KHR_float_controls"
OpMemoryModel Logical GLSL450
OpEntryPoint MissKHR %main "main" %p
OpExecutionMode %main SignedZeroInfNanPreserve 32
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%zero = OpConstant %float 0
%in = OpTypePointer IncomingRayPayloadKHR %float
%p = OpVariable %in IncomingRayPayloadKHR
%main = OpFunction %void None %fn
%1 = OpLabel
%2 = OpLoad %float %p
%3 = OpFMul %float %2 %zero
OpStore %p %3
OpReturn
OpFunctionEnd
`

func TestFloatControls(t *testing.T) {
	contents := [][]uint32{make([]uint32, nullLanes), {1 << 31, 0x3f800000}, {0}}
	r := newNullRig(t, contents...)
	for _, form := range []fallback.Form{fallback.FormMonolithic, fallback.FormMegakernel} {
		got := r.run(t, form, contents, fallback.Stage{Kind: fallback.Raygen, Code: glsltest.Compile(t, "rgen", zerosRaygen)},
			fallback.Stage{Kind: fallback.Miss, Code: glsltest.Assemble(t, zerosMiss)})
		for k, w := range got[0] {
			if want := contents[1][k&1] & (1 << 31); w != want {
				t.Fatalf("%v: lane %d got %#x, want %#x", form, k, w, want)
			}
		}
	}
}
