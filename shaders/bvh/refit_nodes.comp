#version 460
#extension GL_GOOGLE_include_directive : require
// Last step of an update: boxes from the leaves up. A thread takes the leaves
// of one node and climbs: at a node whose other child is a node, too, the first
// of the two arrivals ends, the last one goes on. Nobody waits for anybody.
#include "bvh/refit.glsl"
layout(local_size_x = 64) in;

layout(buffer_reference, std430, buffer_reference_align = 64) buffer ErHeaderOut {
    uvec4 v[16];
};

// recordBounds is the box of a leaf record of the destination.
ErBounds recordBounds(ErBuild b, ErTree t, uint k) {
    uvec2 leaves = erAddressBlocks(b.dst, t.leafBlock);
    switch (t.leafKind) {
    case ER_LEAF_INSTANCES: return erInstanceBounds(ErInstanceView(leaves).instance[k]);
    case ER_LEAF_BOXES:
        ErBox box = ErBoxView(leaves).box[k];
        return ErBounds(box.a.xyz, box.b.xyz);
    }
    return erCornerBounds(erCorners(leaves, k, erLeafForm(t.leafKind)));
}

ErBounds leafBounds(ErBuild b, ErTree t, float padding, uint ref) {
    uint first = ref & ER_REF_INDEX_MASK;
    uint last = min(first + ((ref >> ER_REF_COUNT_SHIFT) & ER_REF_COUNT_MASK) + 1u, t.records);
    ErBounds r = ER_NO_BOUNDS;
    for (uint k = first; k < last; k++) {
        r = erJoin(r, recordBounds(b, t, k));
    }
    if (r.lo.x <= r.hi.x) {
        r.lo -= padding;
        r.hi += padding;
    }
    return r;
}

void storeBounds(ErRefitNodes n, uint node, bool second, ErBounds r) {
    vec4 xy = vec4(r.lo.x, r.hi.x, r.lo.y, r.hi.y);
    if (second) {
        n.node[node].xy1 = xy;
        n.node[node].z.zw = vec2(r.lo.z, r.hi.z);
    } else {
        n.node[node].xy0 = xy;
        n.node[node].z.xy = vec2(r.lo.z, r.hi.z);
    }
}

ErBounds loadBounds(ErRefitNodes n, uint node, bool second) {
    vec4 xy = second ? n.node[node].xy1 : n.node[node].xy0;
    vec2 z = second ? n.node[node].z.zw : n.node[node].z.xy;
    return ErBounds(vec3(xy.x, xy.z, z.x), vec3(xy.y, xy.w, z.y));
}

// parentOf takes a link for true only if the parent says the same.
bool parentOf(ErBuild b, ErTree t, ErRefitNodes n, uint node, out uint parent, out bool second) {
    uint link = ErRefitWords(b.parents).v[node];
    parent = link & LINK_NODE;
    second = (link & LINK_SECOND) != 0u;
    if (parent >= t.nodes) {
        return false;
    }
    uvec2 children = n.node[parent].children;
    return (second ? children.y : children.x) == node;
}

// inTree tells nodes of the tree from those below a leaf, whose ancestors end
// before they have more primitives than a leaf takes.
bool inTree(ErBuild b, ErTree t, ErRefitNodes n, uint node) {
    for (uint k = 0u; k <= ER_REF_COUNT_MASK; k++) {
        uvec2 leaves = n.node[node].leaves;
        if (node == t.root || leaves.x + leaves.y > ER_REF_COUNT_MASK + 1u) {
            return true;
        }
        bool second;
        if (!parentOf(b, t, n, node, node, second)) {
            return false;
        }
    }
    return true;
}

// arriveFirst is true for the first of two children.
bool arriveFirst(ErBuild b, uint node) {
    memoryBarrierBuffer();
    uint before = atomicAdd(ErRefitWords(b.arrivals).v[node], 1u);
    memoryBarrierBuffer();
    return before == 0u;
}

void climb(ErBuild b, ErTree t, float padding, uint node) {
    ErRefitNodes n = ErRefitNodes(erAddress(b.dst, ER_HEADER_SIZE));
    uvec2 children = n.node[node].children;
    bool leaf0 = (children.x & ER_REF_LEAF) != 0u;
    bool leaf1 = (children.y & ER_REF_LEAF) != 0u;
    if ((!leaf0 && !leaf1) || !inTree(b, t, n, node)) {
        return;
    }
    ErBounds own = ER_NO_BOUNDS;
    if (leaf0) {
        own = leafBounds(b, t, padding, children.x);
        storeBounds(n, node, false, own);
    }
    if (leaf1) {
        ErBounds r = leafBounds(b, t, padding, children.y);
        storeBounds(n, node, true, r);
        own = erJoin(own, r);
    }
    if (leaf0 != leaf1) {
        if (arriveFirst(b, node)) {
            return;
        }
        own = erJoin(own, loadBounds(n, node, leaf0));
    }
    bool second;
    uint parent;
    while (parentOf(b, t, n, node, parent, second)) {
        storeBounds(n, parent, second, own);
        if (arriveFirst(b, parent)) {
            return;
        }
        own = erJoin(own, loadBounds(n, parent, !second));
        node = parent;
    }
}

void writeHeader(ErBuild b, ErState s) {
    vec3 lo, hi;
    erHeaderBounds(s, lo, hi);
    ErHeaderOut to = ErHeaderOut(b.dst);
    if (!erInPlace(b)) {
        ErHeaderOut from = ErHeaderOut(b.source);
        to.v[0] = uvec4(b.dst, from.v[0].zw);
        for (uint k = 1u; k < ER_HEADER_SIZE / 16u; k++) {
            to.v[k] = from.v[k];
        }
    }
    to.v[ER_HEADER_BOUNDS_MIN / 16u].xyz = floatBitsToUint(lo);
    to.v[ER_HEADER_BOUNDS_MAX / 16u].xyz = floatBitsToUint(hi);
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / (ER_BLOCK_SIZE / 64u)];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint i = erRefitIndex(task.y, group);
    ErTree t;
    if (!erTree(b, t)) {
        return;
    }
    ErState state = ErStateView(b.state).state;
    if (i < t.nodes) {
        climb(b, t, erPadding(erBoundsMin(state), erBoundsMax(state)), i);
    }
    if (i == 0u) {
        writeHeader(b, state);
    }
}
