#version 460
#extension GL_GOOGLE_include_directive : require
// Makes boxes again after moves, from the leaves up; in the last pass also counts and costs, and decides as cluster.glsl
// which subtrees become leaves. It begins at nodes with two leaves; above, the last thread to arrive at a node goes on.
#include "bvh/improve.glsl"
layout(local_size_x = 64) in;

bool isLeaf(uint ref) { return (ref & ER_REF_LEAF) != 0u; }

float childCost(ErBuild b, ErBounded c) {
    if (isLeaf(c.ref)) {
        return ER_COST_TRIANGLE * float(c.leaves) * erAreaOf(c);
    }
    return uintBitsToFloat(ErArrivals(b.keysB).v[c.ref]);
}

// total is what is known of a finished subtree at the end. It returns the link.
uint total(ErBuild b, uint node, ErBounded c0, ErBounded c1, ErBounded both, uint link) {
    float area = erAreaOf(both);
    float inner = ER_COST_NODE * area + childCost(b, c0) + childCost(b, c1);
    float leaf = ER_COST_TRIANGLE * float(both.leaves) * area;
    bool collapse = both.leaves <= b.collapseLimit && leaf <= inner;
    ErArrivals(b.keysB).v[node] = floatBitsToUint(collapse ? leaf : inner);
    ErArrivals(b.arrivals).v[node] = both.leaves;
    return link | (collapse ? LINK_COLLAPSED : 0u);
}

void climb(ErBuild b, uint node) {
    ErTreeNodes nodes = ErTreeNodes(erNodesAddress(b));
    ErTreePairs parents = ErTreePairs(b.parents);
    bool last = erPass() + 1u == erPasses(b);
    for (;;) {
        ErNode n = nodes.node[node];
        ErBounded c0 = erChild(n, false), c1 = erChild(n, true), both = erJoin(c0, c1, node);
        uint link = parents.v[node].x & (LINK_SECOND | LINK_NODE);
        if (last) {
            parents.v[node].x = total(b, node, c0, c1, both, link);
        }
        uint up = link & LINK_NODE;
        if (up == LINK_ROOT) {
            return;
        }
        if ((link & LINK_SECOND) != 0u) {
            nodes.node[up].xy1 = vec4(both.lo.x, both.hi.x, both.lo.y, both.hi.y);
            nodes.node[up].z.zw = vec2(both.lo.z, both.hi.z);
            nodes.node[up].leaves.y = both.leaves;
        } else {
            nodes.node[up].xy0 = vec4(both.lo.x, both.hi.x, both.lo.y, both.hi.y);
            nodes.node[up].z.xy = vec2(both.lo.z, both.hi.z);
            nodes.node[up].leaves.x = both.leaves;
        }
        uvec2 children = nodes.node[up].children;
        if (!isLeaf(children.x) && !isLeaf(children.y)) {
            memoryBarrierBuffer();
            bool second = atomicAdd(ErArrivals(b.arrivals).v[up], 1u) != 0u;
            memoryBarrierBuffer();
            if (!second) {
                return;
            }
        }
        node = up;
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / ER_TREE_GROUPS];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint count = ErStateView(b.state).state.activeCount;
    uint i = task.y * ER_BLOCK_SIZE + (group % ER_TREE_GROUPS) * ER_TREE_LANES + gl_LocalInvocationIndex;
    if (i + 1u >= count || !erMoves(b, count)) {
        return;
    }
    uvec2 children = ErNodeView(erNodesAddress(b)).node[i].children; // no node changes them here
    if (isLeaf(children.x) && isLeaf(children.y)) {
        climb(b, i);
    }
}
