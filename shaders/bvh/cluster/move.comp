#version 460
#extension GL_GOOGLE_include_directive : require
// Moves clusters, templates and bottom levels, one for each workgroup; and writes the indices that templates hold. Where results
// may lie over sources, all go to scratch memory first.
//   push.pass  MOVE_AT_ONCE, or the way of what may overlap
#include "bvh/cluster/command.glsl"
layout(local_size_x = 128) in;

const uint MOVE_AT_ONCE = 0u;
const uint MOVE_AWAY = 1u;
const uint MOVE_BACK = 2u;

// indices writes those of a template, as wide as they were, in the input's order.
void indices(uvec2 from, uvec2 to) {
    uint counts = ErClusterView(from).counts;
    uint count = counts & 511u, bytes = (counts >> ER_CLUSTER_INDEX_SHIFT) & 7u;
    uvec2 triangleAt = erAddress(from, ER_CLUSTER_HEADER_SIZE);
    // A lane writes whole words: it looks for the triangles of their bytes.
    uint words = (3u * count * bytes + 3u) / 4u;
    for (uint w = gl_LocalInvocationIndex; w < words; w += gl_WorkGroupSize.x) {
        uint value = 0u;
        for (uint b = 0u; b < 4u; b += bytes) {
            uint n = (4u * w + b) / bytes; // an index
            for (uint k = 0u; k < count; k++) {
                uint word = ErUintView(triangleAt).v[k];
                if (n < 3u * count && word >> 24 == n / 3u) {
                    value |= ((word >> (8u * (n % 3u))) & 255u) << (8u * b);
                }
            }
        }
        // The last word may have bytes of somebody else.
        uint end = 3u * count * bytes;
        if (4u * w + 4u <= end) {
            ErWordsOut(to).v[w] = value;
        } else {
            uint mask = 0xffffffffu >> (8u * (4u * w + 4u - end));
            ErUintView o = ErUintView(erAddress(to, 4u * w));
            atomicAnd(o.v[0], ~mask);
            atomicOr(o.v[0], value & mask);
        }
    }
}

void main() {
    ErClusterCommand c = erCommand();
    uint k = erGroup();
    if (k >= erOperations(c)) {
        return;
    }
    ErPlace p = erPlaceOf(c, k);
    if (p.bytes == 0u) {
        return;
    }
    ErUintView v = erInfo(c, k);
    uvec2 from = uvec2(v.v[0], v.v[1]), to = p.address;
    if (c.op == ER_OP_INDICES) {
        indices(from, to);
        return;
    }
    if (push.pass != MOVE_AT_ONCE) {
        uint units = p.bytes / ER_PLACE_UNIT;
        if (p.unit > c.pieces || units > c.pieces - p.unit) {
            return; // more than the command said
        }
        uvec2 between = erOffset(erResolved(c, c.scratch, ER_RESOLVE_SCRATCH), p.unit, ER_PLACE_UNIT);
        from = push.pass == MOVE_AWAY ? from : between;
        to = push.pass == MOVE_AWAY ? between : to;
    }
    bool self = c.type == ER_OP_BOTTOM_LEVEL - 1u && push.pass != MOVE_AWAY; // whose header has its own address
    for (uint n = gl_LocalInvocationIndex; n < p.bytes / 16u; n += gl_WorkGroupSize.x) {
        uvec4 q = ErQuads(from).v[n];
        ErQuads(to).v[n] = self && n == 0u ? uvec4(to, q.zw) : q;
    }
}
