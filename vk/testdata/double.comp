#version 460
// Multiplies words by FACTOR, from one device address to another.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint FACTOR = 2;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Push { uvec2 src; uvec2 dst; uint count; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i < count) Words(dst).words[i] = Words(src).words[i] * FACTOR;
}
