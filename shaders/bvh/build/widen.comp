#version 460
#extension GL_GOOGLE_include_directive : require
// Makes wide nodes, an invocation each: of an inner node's children it opens the one with the largest surface, until there
// are four. bvh/hostwiden.go does the same, bit for bit.
#include "bvh/common/build.glsl"
#include "bvh/common/wide_layout.glsl"
layout(local_size_x = 64) in;

// What bvh/widen.go says of a structure. Its nodes are tasks by blocks of ER_BLOCK_SIZE.
struct ErWiden {
    uvec2 structure;
    uint room;  // bytes / 16 that it may take
    uint block; // | WIDEN_NEW
};
const uint WIDEN_NEW = 0x80000000u; // it has none yet, and gets them if there is room

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErWidenTasks { ErWiden task[]; };
layout(buffer_reference, std430, buffer_reference_align = 64) writeonly buffer ErWideOut { uvec4 v[]; };

struct Child {
    vec3 lo, hi;
    uint ref;
};

// noChild is a box of infinities, which no ray meets.
Child noChild() {
    float infinity = uintBitsToFloat(0x7f800000u);
    return Child(vec3(infinity), vec3(-infinity), ER_REF_EMPTY);
}

Child childOf(ErNode n, uint k) {
    vec4 xy = k == 0u ? n.xy0 : n.xy1;
    vec2 z = k == 0u ? n.z.xy : n.z.zw;
    return Child(vec3(xy.x, xy.z, z.x), vec3(xy.y, xy.w, z.y), k == 0u ? n.children.x : n.children.y);
}

// unitOf is a power of two that makes a structure's boxes neither large nor small, for products: of the largest coordinate of
// its bounds. It makes nothing larger where something reaches to ER_HUGE.
float unitOf(uvec2 structure) {
    ErHeaderView h = ErHeaderView(structure);
    vec3 m = max(abs(h.boundsMinNodes.xyz), abs(h.boundsMax.xyz));
    float largest = max(m.x, max(m.y, m.z));
    return largest >= ER_HUGE ? 1.0 : uintBitsToFloat(0x7f000000u - (floatBitsToUint(largest) & 0x7f800000u));
}

// priceOf is the surface of a child that may be opened, or less than any.
float priceOf(Child c, uint nodes, float unit) {
    precise vec3 d = (c.hi - c.lo) * unit;
    precise float xy = d.x * d.y;
    precise float yz = d.y * d.z;
    precise float zx = d.z * d.x;
    precise float sum = xy + yz;
    precise float area = sum + zx;
    return c.ref >= nodes ? -1.0 : (c.lo.x > c.hi.x ? 0.0 : area);
}

void widen(uvec2 structure, uvec2 wide, uint slot, uint nodes) {
    float unit = unitOf(structure);
    ErNodeView tree = ErNodeView(erAddress(structure, ER_HEADER_SIZE));
    ErNode n = tree.node[slot];
    Child child[ER_WIDE_CHILDREN];
    bool used = (n.children.x & n.children.y) != ER_REF_NONE;
    child[0] = used ? childOf(n, 0u) : noChild();
    child[1] = used ? childOf(n, 1u) : noChild();
    child[2] = noChild();
    child[3] = noChild();
    for (uint count = 2u; count < ER_WIDE_CHILDREN; count++) {
        uint largest = 0u;
        for (uint k = 1u; k < count; k++) {
            largest = priceOf(child[k], nodes, unit) > priceOf(child[largest], nodes, unit) ? k : largest;
        }
        if (!(priceOf(child[largest], nodes, unit) >= 0.0)) {
            break;
        }
        n = tree.node[child[largest].ref];
        child[largest] = childOf(n, 0u);
        child[count] = childOf(n, 1u);
    }
    ErWideOut o = ErWideOut(erOffset(wide, slot, ER_WIDE_SIZE));
    for (uint axis = 0u; axis < 3u; axis++) {
        o.v[2u * axis] = floatBitsToUint(vec4(child[0].lo[axis], child[1].lo[axis], child[2].lo[axis], child[3].lo[axis]));
        o.v[2u * axis + 1u] = floatBitsToUint(vec4(child[0].hi[axis], child[1].hi[axis], child[2].hi[axis], child[3].hi[axis]));
    }
    o.v[6] = uvec4(child[0].ref, child[1].ref, child[2].ref, child[3].ref);
    o.v[7] = uvec4(0u);
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    ErWiden task = ErWidenTasks(push.tasks).task[group];
    bool asked = (task.block & WIDEN_NEW) != 0u;
    ErUintView header = ErUintView(task.structure);
    if (header.v[ER_HEADER_MAGIC / 4u] != ER_AS_MAGIC || header.v[ER_HEADER_VERSION / 4u] != ER_AS_VERSION ||
        (!asked && header.v[ER_HEADER_WIDE / 4u] == 0u)) {
        return; // of an update that did nothing: whatever it is
    }
    uint slots = header.v[ER_HEADER_NODE_COUNT / 4u];
    uint low = header.v[ER_HEADER_TOTAL_SIZE / 4u], high = header.v[ER_HEADER_TOTAL_SIZE / 4u + 1u];
    uint at = (low >> 6) + ((low & 63u) != 0u ? 1u : 0u) + (high << 26);
    const uint PER_NODE = ER_WIDE_SIZE / 64u;
    uint room = task.room / 4u;
    bool fits = (high >> 6) == 0u && at <= room && slots <= (room - at) / PER_NODE;
    uint nodes = min(slots, max(header.v[ER_HEADER_ACTIVE_COUNT / 4u], 1u) - 1u); // those beyond are not of the tree
    for (uint k = gl_LocalInvocationIndex; k < ER_BLOCK_SIZE && fits; k += gl_WorkGroupSize.x) {
        uint slot = (task.block & ~WIDEN_NEW) * ER_BLOCK_SIZE + k;
        if (slot < nodes) {
            widen(task.structure, erAddressBlocks(task.structure, at), slot, nodes);
        }
    }
    if ((task.block & ~WIDEN_NEW) == 0u && gl_LocalInvocationIndex == 0u) {
        header.v[ER_HEADER_WIDE / 4u] = fits && slots > 0u ? at : 0u;
    }
}
