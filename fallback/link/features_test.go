package link

import (
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
)

const featureHead = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_debug_printf : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[];
layout(set = 0, binding = 1, std430) coherent buffer Result { uint word[]; } results[];
layout(set = 1, binding = 0) uniform texture2D textures[];
layout(set = 1, binding = 1) uniform sampler samplers[];
layout(set = 1, binding = 2, rgba16f) uniform image2D pictures[];
layout(set = 1, binding = 3, r32ui) coherent uniform uimage2D counters;
layout(set = 1, binding = 4) uniform textureBuffer texels;
layout(set = 2, binding = 0, scalar) uniform Small { f16vec3 h; uint8_t b; i16vec2 s; layout(row_major) mat3x4 m; } small[4];
layout(location = 0) rayPayloadEXT vec4 payload;
`

// TestLinkFeatures links shaders that use what bindless renderers do, around a trace in a loop.
func TestLinkFeatures(t *testing.T) {
	trace := "traceRayEXT(scenes[nonuniformEXT(i & 3u)], 0u, 255u, 0u, 0u, 0u, vec3(0), 0.0, vec3(1), 1.0, 0);\n"
	cases := map[string]string{
		"bindless": "vec4 c = texture(nonuniformEXT(sampler2D(textures[i], samplers[i + 1u])), vec2(i));" + trace +
			"payload += c + texture(nonuniformEXT(sampler2D(textures[i], samplers[i + 1u])), c.xy) + texelFetch(texels, int(i));\n",
		"subgroups": "uint s = subgroupAdd(i) + subgroupBallotBitCount(subgroupBallot(i > 2u));" + trace +
			"payload.x += float(s + gl_SubgroupSize + gl_SubgroupInvocationID);\n",
		"clock": "uvec2 a = clockRealtime2x32EXT(); uint64_t b = clockARB();" + trace +
			"payload.x += float(a.x) + float(uint(clockARB() - b));\n",
		"atomics": "uint old = atomicAdd(results[nonuniformEXT(i)].word[3], 1u);" + trace +
			"imageAtomicMax(counters, ivec2(i), old); memoryBarrierBuffer(); atomicExchange(results[i].word[old], 5u);\n",
		"small types": "f16vec3 h = small[i & 3u].h; i16vec2 s = small[1].s; int8_t q = int8_t(i); mat3x4 m = small[2].m;" + trace +
			"payload.xyz += vec3(h) * float(s.x) + float(q) + (vec4(1) * transpose(mat4x3(m))).xyz;\n",
		"images": "imageStore(pictures[nonuniformEXT(i)], ivec2(i), payload);" + trace +
			"payload += imageLoad(pictures[i], ivec2(3)) + vec4(imageSize(counters), 0, 0);\n",
		"printf":  "debugPrintfEXT(\"%u\", i);" + trace,
		"lengths": "uint n = results[i].word.length();" + trace + "payload.x += float(n + results[1].word.length());\n",
	}
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			code := glsltest.Compile(t, "rgen", featureHead+"void main() { payload = vec4(0); for (uint i = 0u; i < 5u; i++) {\n"+body+
				"} results[0].word[0] = uint(payload.x); }")
			linkStrangers(t, []Stage{{Kind: Raygen, Code: code}, {Kind: Raygen, Code: glsltest.Optimize(t, code, "-O")}}, 1)
		})
	}
}

// TestLinkVersions links shaders of every version that SPIR-V has had.
func TestLinkVersions(t *testing.T) {
	code := assembled(t, "spv1.4", "hlsl_library")
	for minor := uint32(0); minor <= 6; minor++ {
		versioned := append([]uint32(nil), code...)
		versioned[1] = 0x10000 | minor<<8
		o := Options{Form: FormMegakernel, MaxDepth: 2}
		r, err := Link(t.Context(), runtimeModule(t), []Stage{{Kind: ClosestHit, Code: versioned}}, o)
		if err != nil {
			t.Errorf("1.%d: %v", minor, err)
			continue
		}
		m, err := spirv.Decode(r.Code)
		if err != nil || m.Version != max(0x10500, versioned[1]) {
			t.Errorf("1.%d: the linked module is of version %#x (%v)", minor, m.Version, err)
		}
	}
}
