// Boxes of nodes from the leaves up, in the shared memory of a workgroup that has ER_NEAR nodes, neighbours in the array. The
// including kernel defines it.
#ifndef ER_BVH_REFIT_NEAR_GLSL
#define ER_BVH_REFIT_NEAR_GLSL
#define ER_BOXES ER_NEAR
#include "bvh/refit/boxes.glsl"

// Of every node there is its box once it is whole, before that the one of its only leaf; and a word: its parent in
// the block, the node whose box here is that of the sibling, and the bits below.
shared uint sharedWord[ER_NEAR];
const uint NEAR_MASK = 0x7ffu;
const uint NEAR_SIBLING_SHIFT = 11u;
const uint NEAR_SECOND = 1u << 22;   // is child 1
const uint NEAR_HAS = 1u << 23;      // the parent is in the block
const uint NEAR_FIRST_DONE = 1u << 24; // child 0 has arrived
const uint NEAR_SECOND_DONE = 1u << 25;
const uint NEAR_DONE = NEAR_FIRST_DONE | NEAR_SECOND_DONE;

// doneLeaves tells which children of a node are leaves, as bits of its word.
uint doneLeaves(uvec2 children) {
    return (isLeaf(children.x) ? NEAR_FIRST_DONE : 0u) | (isLeaf(children.y) ? NEAR_SECOND_DONE : 0u);
}

// climbNear goes up from a node that is whole.
void climbNear(uint at) {
    ErBounds own = near(at);
    uint word = sharedWord[at];
    while ((word & NEAR_HAS) != 0u) {
        at = word & NEAR_MASK;
        fenceNear();
        uint before = atomicOr(sharedWord[at], (word & NEAR_SECOND) != 0u ? NEAR_SECOND_DONE : NEAR_FIRST_DONE);
        if ((before & NEAR_DONE) == 0u) {
            return;
        }
        fenceNear();
        own = erJoin(own, near((word >> NEAR_SIBLING_SHIFT) & NEAR_MASK));
        keepNear(at, own);
        word = before;
    }
}

#endif
