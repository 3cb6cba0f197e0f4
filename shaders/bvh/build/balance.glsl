// The list between leaves.comp and build/balance.comp, in the place of the keys that were
// sorted.
//
// Whether a subtree may stay follows from its depth plus the height that it would
// have if it was balanced. On a way from the root to a leaf this grows by one a
// step at most, from less than the height allowed: a leaf that is too deep lies
// below a node where the sum is just that. The lowest such node is the top of what
// is balanced, unless it lies in another one's subtree.
#ifndef ER_BVH_DEEP_GLSL
#define ER_BVH_DEEP_GLSL
#include "bvh/build/bundle.glsl"
#include "bvh/common/link.glsl"

struct ErDeep {
    uint node;  // the top
    uint first; // position of its first bundle, and their number
    uint count;
    uint link;  // of the top
};

// Each has two bundles or more: the list fits.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer ErDeepList { ErDeep entry[]; };

// In the arrivals of a node, which nobody asks for any more.
const uint ER_DEEP_LISTED = 0x80000000u;

// What PLOC leaves in the place of the sorted keys: of every position in the tree's
// order the node of the gap behind it, and the bundle.
uint erGapAt(uint position) { return position; }
uint erBundleAt(ErBuild b, uint position) { return b.primitiveCount + position; }

// erDeepLeaf is how many bundles a leaf of a balanced subtree takes.
uint erDeepLeaf(ErBuild b) { return erBundled(b) ? 1u : b.collapseLimit; }

// erLevels is the height of a balanced tree over so many bundles.
uint erLevels(ErBuild b, uint count) { return uint(findMSB((count - 1u) / erDeepLeaf(b)) + 1); }

// erListDeep lists a subtree unless it is there already.
void erListDeep(ErBuild b, ErDeep d) {
    uint before = atomicOr(ErUintView(b.arrivals).v[d.node], ER_DEEP_LISTED);
    if ((before & ER_DEEP_LISTED) == 0u) {
        uint at = atomicAdd(ErStateView(b.state).state.deep, 1u);
        ErDeepList(b.keysB).entry[at] = d;
    }
}

#endif
