#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_debug_printf : require
// A linked list: the pointer type is declared ahead of its structure.
layout(local_size_x = 32) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Node { Node next; uvec3 data; mat3 m; float tail[]; };
layout(push_constant) uniform Push { Node first; uvec2 other; } push;
void main() {
	Node n = push.first;
	uint count = 0u;
	while (uvec2(n) != uvec2(0)) {
		n.data += uvec3(count, 1u, 2u);
		n.m = n.m * n.m;
		n.tail[count] = n.m[1][count % 3u];
		n = n.next;
		if (++count > 100u) return;
	}
	Node other = Node(push.other);
	debugPrintfEXT("count %u", count);
	other.data.x = count + atomicAdd(other.data.y, 1u);
}
