#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Src { uint src[]; };
layout(set = 0, binding = 1) writeonly buffer Dst { uint dst[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i < dst.length()) dst[i] = src[i];
}
