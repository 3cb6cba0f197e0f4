#version 460
#extension GL_GOOGLE_include_directive : require
// First step of order.glsl: copies the nodes, and counts those that end at each leaf.
#include "bvh/build/order.glsl"

const uint GROUPS = ER_BLOCK_SIZE / ER_LANES;

void countChain(ErOrder o, uint top) {
    uvec2 chain = erChain(o, o.dst, top);
    o.counts.v[chain.x] = chain.y + 1u;
}

// clearLeaf clears the counts of a leaf's records from one on.
void clearLeaf(ErOrder o, uint ref, uint from) {
    uint count = erRefCount(ref, o.count);
    for (uint k = from; k < count; k++) {
        o.counts.v[erRefFirst(ref, o.count) + k] = 0u;
    }
}

// countNode counts the chains that a node is above, its first child's, and the root's.
void countNode(ErOrder o, uint slot) {
    uvec2 children = erUnitAt(o.dst, erChildrenUnit(slot)).v[0].xy;
    if (!erOrderUsed(children)) {
        return;
    }
    if ((children.x & ER_REF_LEAF) != 0u) {
        clearLeaf(o, children.x, 0u);
    } else {
        countChain(o, children.x);
    }
    if ((children.y & ER_REF_LEAF) != 0u) {
        clearLeaf(o, children.y, 1u); // the first is the chain's
    }
    if (slot == o.root) {
        countChain(o, slot);
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / GROUPS];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErOrder o = erOrder(b, ErStateView(b.state).state);
    uint lane = gl_LocalInvocationIndex;
    uint first = task.y * ER_BLOCK_SIZE + group % GROUPS * ER_LANES;
    for (uint k = 0u; k < ER_ORDER_UNITS; k++) {
        uint unit = first * ER_ORDER_UNITS + k * ER_LANES + lane;
        if (unit < o.nodeCount * ER_ORDER_UNITS) {
            erOrderCopy(o, unit);
        }
    }
    if (first + lane < o.nodeCount) {
        countNode(o, first + lane);
    }
}
