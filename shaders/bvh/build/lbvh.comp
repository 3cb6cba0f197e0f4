#version 460
#extension GL_GOOGLE_include_directive : require
// Linear BVH: the radix tree of the Morton codes itself (Karras 2012), built
// bottom up. Small subtrees become leaves of several triangles where the
// surface area heuristic says so; their triangles are neighbours already.
#include "bvh/build/tree.glsl"
#include "bvh/common/link.glsl"
layout(local_size_x = 64) in;

// A finished subtree.
struct Subtree {
    vec3 lo, hi;
    uint ref;
    uint height;
    float cost;
};

// publish puts a subtree where its parent will have it. Costs and heights wait
// in the parent's pair and in the words of the leaf counts. A node's own pair then
// takes its link, for build/balance.comp.
void publish(ErBuild b, uint node, bool second, Subtree s) {
    ErTreeNodes n = ErTreeNodes(erTreeAt(b, node));
    if ((s.ref & ER_REF_LEAF) == 0u) {
        ErTreePairs(b.parents).v[s.ref].x = node | (second ? LINK_SECOND : 0u);
    }
    if (second) {
        n.node[0].xy1 = vec4(s.lo.x, s.hi.x, s.lo.y, s.hi.y);
        n.node[0].z.zw = vec2(s.lo.z, s.hi.z);
        n.node[0].children.y = s.ref;
        n.node[0].leaves.y = s.height;
        ErTreePairs(b.parents).v[node].y = floatBitsToUint(s.cost);
    } else {
        n.node[0].xy0 = vec4(s.lo.x, s.hi.x, s.lo.y, s.hi.y);
        n.node[0].z.xy = vec2(s.lo.z, s.hi.z);
        n.node[0].children.x = s.ref;
        n.node[0].leaves.x = s.height;
        ErTreePairs(b.parents).v[node].x = floatBitsToUint(s.cost);
    }
}

Subtree published(ErBuild b, uint node, bool second) {
    ErTreeNodes n = ErTreeNodes(erTreeAt(b, node));
    vec4 xy = second ? n.node[0].xy1 : n.node[0].xy0;
    vec4 zz = n.node[0].z;
    vec2 z = second ? zz.zw : zz.xy;
    uvec2 refs = n.node[0].children;
    uvec2 heights = n.node[0].leaves;
    uvec2 costs = ErTreePairs(b.parents).v[node];
    Subtree s;
    s.lo = vec3(xy.x, xy.z, z.x);
    s.hi = vec3(xy.y, xy.w, z.y);
    s.ref = second ? refs.y : refs.x;
    s.height = second ? heights.y : heights.x;
    s.cost = uintBitsToFloat(second ? costs.y : costs.x);
    return s;
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / ER_TREE_GROUPS];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErStateView state = ErStateView(b.state);
    uint count = erBundles(b, state.state);
    uint i = task.y * ER_BLOCK_SIZE + (group % ER_TREE_GROUPS) * ER_TREE_LANES + gl_LocalInvocationIndex;
    if (i >= count) {
        return;
    }
    float padding = erPadding(erBoundsMin(state.state), erBoundsMax(state.state));
    erAreaUnit = erUnitOf(state.state);
    erShift = erRefShift(state.state.activeCount);
    Subtree s;
    erLeafBox(b, padding, i, s.lo, s.hi);
    s.ref = erBundleRef(b, i);
    s.height = 0u;
    s.cost = ER_COST_TRIANGLE * float(erLeafCount(s.ref)) * erArea(s.lo, s.hi);
    uint left = i, right = i;
    while (right - left + 1u < count) {
        bool second = erParentOnLeft(b, left, right, count);
        publish(b, second ? left - 1u : right, second, s);
        ErSplit up = erArrive(b.arrivals, left, right, second);
        if (up.first) {
            return;
        }
        Subtree o = published(b, up.node, !second);
        left = up.left;
        right = up.right;
        uvec3 at = uvec3(erBundleFirst(b, left), erBundleFirst(b, up.node + 1u), erBundleFirst(b, right + 1u));
        uint leaves = at.z - at.x;
        s.lo = min(s.lo, o.lo);
        s.hi = max(s.hi, o.hi);
        float area = erArea(s.lo, s.hi);
        float inner = ER_COST_NODE * area + s.cost + o.cost;
        float leaf = ER_COST_TRIANGLE * float(leaves) * area;
        bool collapse = leaves <= b.collapseLimit && leaf <= inner;
        s.ref = collapse ? erLeafRef(at.x, leaves) : up.node;
        s.height = collapse ? 0u : max(s.height, o.height) + 1u;
        s.cost = collapse ? leaf : inner;
        if (collapse) { // nobody is to take the node for one of the tree's
            ErTreeNodes(erTreeAt(b, up.node)).node[0].children = uvec2(ER_REF_NONE);
        }
        ErTreeNodes(erTreeAt(b, up.node)).node[0].leaves =
            uvec2(at.y - at.x, at.z - at.y);
    }
    if ((s.ref & ER_REF_LEAF) == 0u) {
        ErTreePairs(b.parents).v[s.ref].x = LINK_ROOT;
    }
    state.state.root = s.ref;
    state.state.height = s.height;
}
