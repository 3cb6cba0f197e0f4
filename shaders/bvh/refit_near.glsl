// Boxes of nodes from the leaves up, in the shared memory of a workgroup that has ER_NEAR nodes, neighbours in the array. The
// including kernel defines it.
#ifndef ER_BVH_REFIT_NEAR_GLSL
#define ER_BVH_REFIT_NEAR_GLSL
#include "bvh/refit.glsl"

layout(buffer_reference, std430, buffer_reference_align = 64) buffer ErOwnNodes { ErNode node[]; };

// Of every node: its box once it is whole, before that the one of its only leaf; and a word: its parent in
// the block, the node whose box here is that of the sibling, and the bits below.
shared vec2 sharedX[ER_NEAR];
shared vec2 sharedY[ER_NEAR];
shared vec2 sharedZ[ER_NEAR];
shared uint sharedWord[ER_NEAR];
const uint NEAR_MASK = 0x7ffu;
const uint NEAR_SIBLING_SHIFT = 11u;
const uint NEAR_SECOND = 1u << 22;   // is child 1
const uint NEAR_HAS = 1u << 23;      // the parent is in the block
const uint NEAR_FIRST_DONE = 1u << 24; // child 0 has arrived
const uint NEAR_SECOND_DONE = 1u << 25;
const uint NEAR_DONE = NEAR_FIRST_DONE | NEAR_SECOND_DONE;

void keepNear(uint at, ErBounds r) {
    sharedX[at] = vec2(r.lo.x, r.hi.x);
    sharedY[at] = vec2(r.lo.y, r.hi.y);
    sharedZ[at] = vec2(r.lo.z, r.hi.z);
}

ErBounds near(uint at) {
    return ErBounds(vec3(sharedX[at].x, sharedY[at].x, sharedZ[at].x), vec3(sharedX[at].y, sharedY[at].y, sharedZ[at].y));
}

bool isLeaf(uint ref) { return (ref & ER_REF_LEAF) != 0u; }

// connect tells a node's children of the block about each other.
void connect(uint base, uint at, uvec2 children) {
    uvec2 to = children - base;
    bvec2 here = lessThan(to, uvec2(ER_NEAR));
    if (here.x) {
        uint sibling = isLeaf(children.y) ? at : (here.y ? to.y : 0u);
        atomicOr(sharedWord[to.x], NEAR_HAS | at | sibling << NEAR_SIBLING_SHIFT);
    }
    if (here.y) {
        uint sibling = isLeaf(children.x) ? at : (here.x ? to.x : 0u);
        atomicOr(sharedWord[to.y], NEAR_HAS | NEAR_SECOND | at | sibling << NEAR_SIBLING_SHIFT);
    }
}

// padded is the box of a leaf.
ErBounds padded(ErBounds r, float padding) {
    if (r.lo.x <= r.hi.x) {
        r.lo -= padding;
        r.hi += padding;
    }
    return r;
}

// doneLeaves tells which children of a node are leaves, as bits of its word.
uint doneLeaves(uvec2 children) {
    return (isLeaf(children.x) ? NEAR_FIRST_DONE : 0u) | (isLeaf(children.y) ? NEAR_SECOND_DONE : 0u);
}

// isWhole tells whether a child is a node here with all below it.
bool isWhole(uint base, uint child) {
    uint at = child - base;
    return at < ER_NEAR && (sharedWord[at] & NEAR_DONE) == NEAR_DONE;
}

// climbNear goes up from a node that is whole.
void climbNear(uint at) {
    ErBounds own = near(at);
    for (;;) {
        uint word = sharedWord[at];
        if ((word & NEAR_HAS) == 0u) {
            return;
        }
        at = word & NEAR_MASK;
        memoryBarrierShared();
        uint before = atomicOr(sharedWord[at], (word & NEAR_SECOND) != 0u ? NEAR_SECOND_DONE : NEAR_FIRST_DONE);
        if ((before & NEAR_DONE) == 0u) {
            return;
        }
        memoryBarrierShared();
        own = erJoin(own, near((word >> NEAR_SIBLING_SHIFT) & NEAR_MASK));
        keepNear(at, own);
    }
}

// storeNode stores the boxes of a node's children that are known: those of leaves are given, others are here.
void storeNode(ErBuild b, uint base, uint node, uvec2 children, ErBounds first, ErBounds second) {
    bool has0 = isLeaf(children.x), has1 = isLeaf(children.y);
    if (!has0 && isWhole(base, children.x)) {
        first = near(children.x - base);
        has0 = true;
    }
    if (!has1 && isWhole(base, children.y)) {
        second = near(children.y - base);
        has1 = true;
    }
    ErOwnNodes n = ErOwnNodes(erAddress(b.dst, ER_HEADER_SIZE));
    if (has0) {
        n.node[node].xy0 = vec4(first.lo.x, first.hi.x, first.lo.y, first.hi.y);
    }
    if (has1) {
        n.node[node].xy1 = vec4(second.lo.x, second.hi.x, second.lo.y, second.hi.y);
    }
    if (has0 && has1) {
        n.node[node].z = vec4(first.lo.z, first.hi.z, second.lo.z, second.hi.z);
    } else if (has0) {
        n.node[node].z.xy = vec2(first.lo.z, first.hi.z);
    } else if (has1) {
        n.node[node].z.zw = vec2(second.lo.z, second.hi.z);
    }
}

#endif
