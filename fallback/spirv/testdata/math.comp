#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) coherent volatile buffer B { vec4 v[16]; f16vec4 h[16]; uint u[16]; dmat3 dm; } b[2];
vec4 table[3] = vec4[](vec4(1), vec4(2, 3, 4, 5), vec4(0));
void main() {
	uint i = gl_LocalInvocationIndex;
	int e; float m = frexp(b[0].v[i].x, e);
	uint carry; uint s = uaddCarry(b[1].u[i], 0xffffffffu, carry);
	uint hi, lo; umulExtended(s, carry, hi, lo);
	[[unroll]] for (int k = 0; k < 3; k++) table[k] += fma(b[0].v[k], vec4(m), sin(table[(k + 1) % 3]));
	[[dont_unroll]] while (b[0].u[3] < 5u) { b[0].u[3]++; }
	[[flatten]] if (hi > lo) b[1].u[i] = bitfieldInsert(hi, lo, 3, 5) + bitfieldReverse(findMSB(hi)) + bitCount(lo);
	b[1].h[i] = f16vec4(table[i % 3u]) * float16_t(0.5) + b[0].h[i];
	b[0].v[i] = unpackUnorm4x8(packHalf2x16(vec2(m))) + smoothstep(vec4(0), vec4(1), table[0]) + ldexp(table[1], ivec4(e)) + outerProduct(table[0], table[1])[2];
	b[1].dm = b[0].dm * 2.0LF + transpose(b[0].dm);
	b[0].v[i + 1u].yz = floatBitsToUint(m) > 5u ? b[0].v[i].xx : vec2(notEqual(table[0].xy, table[1].zw));
}
