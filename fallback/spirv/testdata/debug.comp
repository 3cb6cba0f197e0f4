#version 460
// flags: --target-env vulkan1.2 -g
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { uint v[]; };
uint f(uint x, inout uint y) {
	if (x > 3u) { y++; return x * 2u; }
	return x;
}
void main() {
	uint k = 1u;
	for (uint i = 0u; i < 4u; i++) v[i] = f(v[i], k);
	v[5] = k;
}
