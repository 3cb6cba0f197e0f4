// The leaves of the tree that is climbed are bundles (bundle.glsl); they become
// leaves of the final tree, or parts of such where bundles are single primitives.
//
// The climb that both tree builders share (Apetrei 2014, "Fast and Simple
// Agglomerative LBVH Construction"): every thread starts at one leaf of the
// sorted order and goes up the radix tree; at each inner node the first of the
// two arrivals ends, the last one goes on with both children done. Nobody
// waits for anybody.
//
// The inner node that separates leaves p and p + 1 has the number p, so node
// numbers need no allocator and builds are reproducible.
#ifndef ER_BVH_TREE_GLSL
#define ER_BVH_TREE_GLSL
#include "bvh/build/bundle.glsl"

layout(buffer_reference, std430, buffer_reference_align = 64) coherent buffer ErTreeNodes { ErNode node[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) coherent buffer ErTreePairs { uvec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer ErArrivals { uint v[]; };

const uint ER_TREE_LANES = 64u;
const uint ER_TREE_GROUPS = ER_BLOCK_SIZE / ER_TREE_LANES; // workgroups per block

// Surface area heuristic: a step through an inner node against one triangle.
const float ER_COST_NODE = 1.0;
layout(constant_id = 0) const float ER_COST_TRIANGLE = 1.0;

struct ErSplit {
    uint left, right; // the range, ends included
    uint node;        // the inner node between its halves
    bool first;       // the other half is still on its way
};

// erKeyDifference orders the borders between neighbours: the greater, the
// higher in the tree. Equal keys are told apart by their position, and if that
// is equal the border on the left is higher.
uvec3 erKeyDifference(ErBuild b, uint i) {
    ErUvec2View keys = ErUvec2View(b.keysA);
    uint p = erBundleFirst(b, i + 1u);
    uvec2 d = keys.v[p - 1u] ^ keys.v[p];
    return uvec3(d.y, d.x, (p - 1u) ^ p);
}

bool erLess(uvec3 a, uvec3 b) {
    return a.x != b.x ? a.x < b.x : (a.y != b.y ? a.y < b.y : a.z < b.z);
}

// erParentOnLeft tells whether the range is the right half of its parent.
bool erParentOnLeft(ErBuild b, uint left, uint right, uint count) {
    if (left == 0u) {
        return false;
    }
    return right == count - 1u || erLess(erKeyDifference(b, left - 1u), erKeyDifference(b, right));
}

// erArrive announces a finished range at its parent. What the thread wrote
// before is visible to the last arriver after.
ErSplit erArrive(uvec2 arrivals, uint left, uint right, bool parentOnLeft) {
    ErSplit s;
    s.node = parentOnLeft ? left - 1u : right;
    memoryBarrierBuffer();
    uint other = atomicExchange(ErArrivals(arrivals).v[s.node], parentOnLeft ? right : left);
    memoryBarrierBuffer();
    s.first = other == ER_NO_BOUND;
    s.left = parentOnLeft ? other : left;
    s.right = parentOnLeft ? right : other;
    return s;
}

void erLeafBox(ErBuild b, float padding, uint bundle, out vec3 lo, out vec3 hi) {
    uint first = erBundleFirst(b, bundle);
    uint end = erBundleFirst(b, bundle + 1u);
    lo = vec3(3.402823e38);
    hi = vec3(-3.402823e38);
    for (uint k = first; k < end; k++) {
        ErBoundsView box = ErBoundsView(erOffset(b.boxes, ErUintView(b.valuesA).v[k], 24u));
        lo = min(lo, vec3(box.v[0], box.v[1], box.v[2]));
        hi = max(hi, vec3(box.v[3], box.v[4], box.v[5]));
    }
    lo -= padding;
    hi += padding;
}

// Areas are in units of the build (erUnitOf): kernels set this before they ask for one.
float erAreaUnit = 1.0;

float erArea(vec3 lo, vec3 hi) {
    vec3 d = (hi - lo) * erAreaUnit;
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

// Clusters that a finished range may keep with PLOC. Ranges of at most so many
// leaves stay as they are until a merge above takes them in.
const uint ER_CLUSTER_LIMIT = 16u;

// Where references have the number of records: kernels set this by erRefShift before they make one.
uint erShift = ER_REF_COUNT_SHIFT;

uint erLeafRef(uint first, uint count) { return erRefOf(first, count, erShift); }
uint erLeafCount(uint ref) { return erRefCount(ref, erShift); }

// erBundleRef is the leaf of one bundle.
uint erBundleRef(ErBuild b, uint bundle) {
    uint first = erBundleFirst(b, bundle);
    return erLeafRef(first, erBundleFirst(b, bundle + 1u) - first);
}

// erTreeAt is the address of a node.
uvec2 erTreeAt(ErBuild b, uint node) { return erOffset(erAddress(b.dst, ER_HEADER_SIZE), node, ER_NODE_SIZE); }

#endif
