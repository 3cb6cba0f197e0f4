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

// movedRef is a reference to a cluster from a bottom level that was elsewhere before. Who is out of reach now is found by its
// record.
uint movedRef(uint reach, uint ref, uvec2 before, uvec2 from, uvec2 to, uint nodes) {
    if ((ref & (ER_REF_LEAF | ER_REF_DIRECT)) != ER_REF_DIRECT) {
        return ref;
    }
    uint carry, borrow;
    uvec2 cluster = uvec2(uaddCarry(before.x, ref << 6, carry), 0u);
    cluster.y = before.y + uint(int(ref << 2) >> 28) + carry;
    cluster = erAddress(cluster, ER_HEADER_SIZE);
    uvec2 at = uvec2(usubBorrow(cluster.x, ER_CLUSTER_HEADER_SIZE, borrow), 0u);
    at.y = cluster.y - borrow;
    uint next = erClusterRef(reach, erAddress(to, ER_HEADER_SIZE), 0u, at);
    if ((next & ER_REF_LEAF) != 0u) {
        uvec2 records = erOffset(from, 4u + nodes, ER_NODE_SIZE);
        uint n = 0u;
        while (n <= nodes && ErQuads(records).v[n].zw != at) {
            n++;
        }
        next = erRecordsRef(n, 1u);
    }
    return next;
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
    uvec2 before = uvec2(0u);
    uint nodes = 0u;
    if (self) {
        before = ErHeaderView(from).selfMagicVersion.xy;
        nodes = ErUintView(erAddress(from, ER_HEADER_NODE_COUNT)).v[0];
    }
    for (uint n = gl_LocalInvocationIndex; n < p.bytes / 16u; n += gl_WorkGroupSize.x) {
        uvec4 q = ErQuads(from).v[n];
        if (self && n == 0u) {
            q.xy = to;
        } else if (self && n % 4u == ER_NODE_CHILD0 / 16u && n / 4u - 4u < nodes) {
            q.x = movedRef(c.reach, q.x, before, from, to, nodes);
            q.y = movedRef(c.reach, q.y, before, from, to, nodes);
        }
        ErQuads(to).v[n] = q;
    }
}
