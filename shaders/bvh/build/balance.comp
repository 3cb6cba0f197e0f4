#version 460
#extension GL_GOOGLE_include_directive : require
// Balances subtrees that are too deep for the traversal stack. A workgroup does
// one after the other, level by level from below. The nodes stay those of the
// subtree: every gap between two bundles that follow each other in the tree's order
// has its own.
#include "bvh/build/tree.glsl"
#include "bvh/build/balance.glsl"
#include "bvh/common/lanes.glsl"

// bundleAt is the bundle at a position of the tree's order.
uint bundleAt(ErBuild b, uint position) {
    return erMode(b) == ER_MODE_PLOC ? ErUintView(b.keysA).v[erBundleAt(b, position)] : position;
}

// nodeAt is the node of the gap behind a position.
uint nodeAt(ErBuild b, uint position) {
    return erMode(b) == ER_MODE_PLOC ? ErUintView(b.keysA).v[erGapAt(position)] : position;
}

// What lies on one side of a node.
struct Side {
    vec3 lo, hi;
    uint ref, leaves;
};

// positionOf is where a leaf of the balanced subtree begins.
uint positionOf(ErBuild b, ErDeep d, uint leaf) { return d.first + min(leaf * erDeepLeaf(b), d.count); }

// leafSide is a leaf. Records of bundles lie in the sorted order, single ones in the
// tree's.
Side leafSide(ErBuild b, ErState s, uint first, uint end) {
    Side r;
    r.lo = vec3(3.402823e38);
    r.hi = vec3(-3.402823e38);
    float padding = erPadding(erBoundsMin(s), erBoundsMax(s));
    for (uint k = first; k < end; k++) {
        vec3 lo, hi;
        erLeafBox(b, padding, bundleAt(b, k), lo, hi);
        r.lo = min(r.lo, lo);
        r.hi = max(r.hi, hi);
    }
    r.ref = erBundled(b) ? erBundleRef(b, bundleAt(b, first)) : erLeafRef(first, end - first);
    r.leaves = erLeafCount(r.ref);
    return r;
}

// side is what leaves left to right come to.
Side side(ErBuild b, ErState s, ErDeep d, uint left, uint right) {
    if (left == right) {
        return leafSide(b, s, positionOf(b, d, left), positionOf(b, d, left + 1u));
    }
    Side r;
    r.ref = nodeAt(b, positionOf(b, d, ((left + right) >> 1) + 1u) - 1u);
    ErNode n = ErTreeNodes(erTreeAt(b, r.ref)).node[0];
    r.lo = min(vec3(n.xy0.x, n.xy0.z, n.z.x), vec3(n.xy1.x, n.xy1.z, n.z.z));
    r.hi = max(vec3(n.xy0.y, n.xy0.w, n.z.y), vec3(n.xy1.y, n.xy1.w, n.z.w));
    r.leaves = n.leaves.x + n.leaves.y;
    return r;
}

// balanceNode makes a node of a level, counted from the left.
void balanceNode(ErBuild b, ErState s, ErDeep d, uint level, uint number) {
    uint left = 0u, right = (d.count - 1u) / erDeepLeaf(b);
    for (uint k = level; k > 0u && left < right; k--) {
        uint mid = (left + right) >> 1;
        bool second = ((number >> (k - 1u)) & 1u) != 0u;
        left = second ? mid + 1u : left;
        right = second ? right : mid;
    }
    if (left >= right) {
        return; // a leaf, or nothing
    }
    uint mid = (left + right) >> 1;
    Side x = side(b, s, d, left, mid), y = side(b, s, d, mid + 1u, right);
    ErNode n;
    n.xy0 = vec4(x.lo.x, x.hi.x, x.lo.y, x.hi.y);
    n.xy1 = vec4(y.lo.x, y.hi.x, y.lo.y, y.hi.y);
    n.z = vec4(x.lo.z, x.hi.z, y.lo.z, y.hi.z);
    n.children = uvec2(x.ref, y.ref);
    n.leaves = uvec2(x.leaves, y.leaves);
    ErTreeNodes(erTreeAt(b, nodeAt(b, positionOf(b, d, mid + 1u) - 1u))).node[0] = n;
}

// clearNodes blanks the nodes of gaps inside leaves: they must not refer to others.
void clearNodes(ErBuild b, ErDeep d) {
    for (uint k = 1u + gl_LocalInvocationIndex; k < d.count; k += ER_LANES) {
        if (k % erDeepLeaf(b) != 0u) {
            uint node = nodeAt(b, d.first + k - 1u);
            ErTreeNodes(erTreeAt(b, node)).node[0].children = uvec2(ER_REF_NONE);
            ErTreeNodes(erTreeAt(b, node)).node[0].leaves = uvec2(0u);
        }
    }
}

// linkTop makes the tree refer to the new top of a subtree, which may be a leaf.
void linkTop(ErBuild b, ErDeep d) {
    uint last = (d.count - 1u) / erDeepLeaf(b);
    uint top = erLeafRef(d.first, d.count);
    if (last > 0u) {
        top = nodeAt(b, positionOf(b, d, (last >> 1) + 1u) - 1u);
    }
    if ((d.link & LINK_NODE) == LINK_ROOT) {
        ErStateView(b.state).state.root = top;
        return;
    }
    if ((d.link & LINK_SECOND) != 0u) {
        ErTreeNodes(erTreeAt(b, d.link & LINK_NODE)).node[0].children.y = top;
    } else {
        ErTreeNodes(erTreeAt(b, d.link & LINK_NODE)).node[0].children.x = top;
    }
}

// isBelow tells whether a subtree lies in another one's.
bool isBelow(ErBuild b, ErDeep d) {
    uint link = d.link;
    while ((link & LINK_NODE) != LINK_ROOT) {
        uint node = link & LINK_NODE;
        if ((ErUintView(b.arrivals).v[node] & ER_DEEP_LISTED) != 0u) {
            return true;
        }
        link = ErUvec2View(b.parents).v[node].x;
    }
    return false;
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErState s = ErStateView(b.state).state;
    erShift = erRefShift(s.activeCount);
    for (uint k = task.y; k < s.deep; k += b.blockCount) {
        ErDeep d = ErDeepList(b.keysB).entry[k];
        if (isBelow(b, d)) {
            continue;
        }
        clearNodes(b, d);
        for (uint level = erLevels(b, d.count); level > 0u; level--) {
            for (uint number = gl_LocalInvocationIndex; number < 1u << (level - 1u); number += ER_LANES) {
                balanceNode(b, s, d, level - 1u, number);
            }
            memoryBarrierBuffer();
            barrier();
        }
        if (gl_LocalInvocationIndex == 0u) {
            linkTop(b, d);
        }
    }
}
