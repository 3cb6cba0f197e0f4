#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// 512 KiB of locals for the four lanes that SwiftShader's subgroups have, but for a few bytes: with what its compiler keeps on the
// stack beside them, a frame of more than its limit. It has no error for that: it goes on with a null pointer (and aborts, where
// the locals alone are too many).
layout(local_size_x = 4) in;
layout(buffer_reference, std430) buffer Words { uint words[]; };
layout(push_constant) uniform Push { uvec2 to; uint x; };
const uint size = 32744;
uint odd(uint a, uint b) { return (a & 1u) != 0u ? a * b : a + b; }
void main() {
	uint local[size];
	uint i = gl_GlobalInvocationID.x;
	while (i < size) {
		local[i] = x * i;
		if (local[i / 2] == 7u) {
			i = odd(i, x);
		}
		i++;
	}
	Words(to).words[gl_GlobalInvocationID.x] = local[x % size] + odd(i, x);
}
