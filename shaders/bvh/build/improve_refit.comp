#version 460
#extension GL_GOOGLE_include_directive : require
// Makes boxes again after moves, on the ways up from them: the last one whom a node waits for goes on. It also decides, as
// cluster.glsl does, which small subtrees become leaves.
#include "bvh/build/improve.glsl"
layout(local_size_x = 64) in;

bool isLeaf(uint ref) { return (ref & ER_REF_LEAF) != 0u; }

// nodeCost is that of an inner node whose children's costs are known.
float nodeCost(ErBounded c, float below) { return min(erLeafCost(c), ER_COST_NODE * erAreaOf(c) + below); }

// costOf2 is the SAH cost of a subtree of up to two leaves.
float costOf2(ErBuild b, ErBounded c) {
    if (isLeaf(c.ref)) {
        return erLeafCost(c);
    }
    ErNode n = ErTreeNodes(erTreeAt(b, c.ref)).node[0];
    return nodeCost(c, erLeafCost(erChild(n, false)) + erLeafCost(erChild(n, true)));
}

// costOf3 is the SAH cost of a subtree of up to three leaves.
float costOf3(ErBuild b, ErBounded c) {
    if (isLeaf(c.ref)) {
        return erLeafCost(c);
    }
    ErNode n = ErTreeNodes(erTreeAt(b, c.ref)).node[0];
    return nodeCost(c, costOf2(b, erChild(n, false)) + costOf2(b, erChild(n, true)));
}

bool collapses(ErBuild b, ErBounded c0, ErBounded c1, ErBounded both) {
    return both.leaves <= b.collapseLimit && erLeafCost(both) <= ER_COST_NODE * erAreaOf(both) + costOf3(b, c0) + costOf3(b, c1);
}

void climb(ErBuild b, uint node) {
    ErTreePairs parents = ErTreePairs(b.parents);
    while (node != LINK_ROOT) {
        memoryBarrierBuffer();
        bool last = atomicAdd(ErArrivals(b.arrivals).v[node], 0xffffffffu) == 1u;
        memoryBarrierBuffer();
        if (!last) {
            return;
        }
        ErNode n = ErTreeNodes(erTreeAt(b, node)).node[0];
        ErBounded c0 = erChild(n, false), c1 = erChild(n, true), both = erJoin(c0, c1, node);
        uint link = parents.v[node].x & (LINK_SECOND | LINK_NODE);
        parents.v[node].x = link | (collapses(b, c0, c1, both) ? LINK_COLLAPSED : 0u);
        uint up = link & LINK_NODE;
        if (up == LINK_ROOT) {
            return;
        }
        if ((link & LINK_SECOND) != 0u) {
            ErTreeNodes(erTreeAt(b, up)).node[0].xy1 = vec4(both.lo.x, both.hi.x, both.lo.y, both.hi.y);
            ErTreeNodes(erTreeAt(b, up)).node[0].z.zw = vec2(both.lo.z, both.hi.z);
            ErTreeNodes(erTreeAt(b, up)).node[0].leaves.y = both.leaves;
        } else {
            ErTreeNodes(erTreeAt(b, up)).node[0].xy0 = vec4(both.lo.x, both.hi.x, both.lo.y, both.hi.y);
            ErTreeNodes(erTreeAt(b, up)).node[0].z.xy = vec2(both.lo.z, both.hi.z);
            ErTreeNodes(erTreeAt(b, up)).node[0].leaves.x = both.leaves;
        }
        node = up;
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErState state = ErStateView(b.state).state;
    uint count = state.activeCount;
    if (!erMovable(b, count)) {
        return;
    }
    erAreaUnit = erUnitOf(state);
    for (uint k = task.y * ER_TREE_LANES + gl_LocalInvocationIndex; k < ER_MOVE_STARTS * state.moved; k += b.blockCount *
        ER_TREE_LANES) {
        climb(b, erStart(b, k / ER_MOVE_STARTS, k % ER_MOVE_STARTS));
    }
}
