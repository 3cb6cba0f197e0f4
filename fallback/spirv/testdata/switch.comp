#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Data { int64_t wide[64]; int narrow[64]; int16_t small[64]; uint8_t tiny[64]; double d[4]; };
// Switches on 64-bit values are written by hand in switch64.spvasm: GLSL has none.
int classify(int v) {
	switch (v) {
	case 0: return 7;
	case -1:
	case 5: v += 2; // falls through
	case 9: v *= 3; break;
	default: v -= 1;
	}
	return v;
}
void main() {
	uint i = gl_LocalInvocationIndex;
	int r = 0;
	for (int k = 0; k < 8; k++) {
		switch (narrow[i] + k) {
		case 1: continue;
		case 2: r++; break;
		case 3: { for (;;) { r += k; if (r > 10) break; } } break;
		}
		r += classify(k);
		do { r--; } while (r > 20 && narrow[k] != 3);
	}
	narrow[i] = r;
	wide[i] = int64_t(r) << 33 | 0x123456789abL;
	small[i] = int16_t(r) * small[i];
	tiny[i] = uint8_t(wide[i] >> 40);
	d[i & 3] = d[0] * 0.1LF + double(r);
}
