#version 460
#extension GL_ARB_sparse_texture2 : require
#extension GL_ARB_sparse_texture_clamp : require
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_KHR_memory_scope_semantics : enable
layout(location = 0) in vec3 uv;
layout(location = 1) flat in ivec4 at;
layout(location = 0) out vec4 color;
layout(binding = 0) uniform sampler2D s2;
layout(binding = 1) uniform sampler2DShadow shadow;
layout(binding = 2) uniform samplerCube cube;
layout(binding = 3) uniform sampler2DMS ms;
layout(binding = 4) uniform isamplerBuffer texels;
layout(binding = 5) uniform texture2DArray layers;
layout(binding = 6) uniform sampler point;
layout(binding = 7, r32ui) uniform coherent uimage2D counter;
layout(binding = 8, rgba8) uniform readonly image3D volume;
layout(binding = 9, r32f) uniform imageBuffer line;
layout(input_attachment_index = 0, binding = 10) uniform subpassInput subpass;
void main() {
	color = texture(s2, uv.xy, 0.5) + textureLodOffset(s2, uv.xy, 2.0, ivec2(1, -1));
	color += textureGrad(cube, uv, dFdx(uv), dFdyFine(uv)) + textureProj(s2, uv);
	color.x += texture(shadow, uv) + textureGradOffset(s2, uv.xy, uv.xy, uv.yz, ivec2(3)).x;
	color += textureGather(s2, uv.xy, 1) + textureGatherOffsets(s2, uv.xy, ivec2[4](ivec2(0), ivec2(1), ivec2(2), ivec2(3)), 2);
	color += textureGatherOffset(s2, uv.xy, at.xy, 0) + texelFetch(ms, at.xy, at.z) + vec4(texelFetch(texels, at.x));
	color += texelFetch(layers, at.xyz, 0) + texture(sampler2DArray(layers, point), uv, 0.25);
	vec4 texel;
	int code = sparseTextureARB(s2, uv.xy, texel);
	if (sparseTexelsResidentARB(code)) color += texel;
	color += textureClampARB(s2, uv.xy, 0.5);
	color.y += float(imageAtomicAdd(counter, at.xy, 3u) + imageAtomicCompSwap(counter, at.xy, 1u, 2u) + imageLoad(counter, at.xy).x);
	color += imageLoad(volume, at.xyz) + subpassLoad(subpass);
	imageStore(line, at.x, color);
	color.xy += vec2(textureSize(s2, 1) + textureSize(ms)) + textureQueryLod(s2, uv.xy) + vec2(textureQueryLevels(cube), imageSize(volume).x);
	if (fwidth(uv.x) > 0.5) discard;
	color = mix(color, interpolateAtCentroid(uv).xyzz, isnan(color));
}
