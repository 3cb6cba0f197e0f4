#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// Counts the lanes of a subgroup, without a word of the size that the device says they have.
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer Words { uint words[]; };
layout(push_constant) uniform Push { uvec2 to; };
void main() {
	uint lanes = subgroupAdd(1u);
	if (gl_LocalInvocationIndex == 0u) {
		Words(to).words[0] = lanes;
	}
}
