// Boxes of nodes from the leaves up, in the shared memory of a workgroup that has ER_NEAR nodes and two lanes for each, one for
// each child. The including kernel defines ER_NEAR and LANES.
#ifndef ER_BVH_REFIT_SIDES_GLSL
#define ER_BVH_REFIT_SIDES_GLSL
#define ER_BOXES LANES
#include "bvh/refit/boxes.glsl"

// There is a box of each child that has one, and of every node a word: which child of which node here it is, as that
// child's lane, and the bits below.
shared uint sharedWord[ER_NEAR];
const uint SIDE_LANE = 0xfffu;
const uint SIDE_HAS = 1u << 12;  // the parent is here
const uint SIDE_DONE = 1u << 13; // child 0 has its box; twice that: child 1
const uint SIDE_WHOLE = 3u * SIDE_DONE;

// Side is what a lane knows of a child.
struct Side {
    uint node;  // whose child it is
    uint child; // ER_REF_NONE: there is none
    uint slot;  // of a node that is here
    bool done;  // it has its box
    ErBounds box;
};
const Side NO_SIDE = Side(ER_REF_NONE, ER_REF_NONE, ER_REF_NONE, false, ER_NO_BOUNDS);

// The boxes of a node: x and y of child 0 and child 1, then z.
layout(buffer_reference, std430, buffer_reference_align = 64) coherent buffer ErNodeSides {
    vec4 xy[2];
    vec2 z[2];
};
ErNodeSides sidesOf(uvec2 nodes, uint node) { return ErNodeSides(erOffset(nodes, node, ER_NODE_SIZE)); }

// Of a child that has no box yet, minimum and maximum of x in the node. A box of nothing has others, see ER_NO_BOX.
const vec2 NOT_DONE = vec2(3e38, -3e38);

// climbSides goes up from a child that has its box. Where the other child has none yet, whoever makes that goes on.
void climbSides(uint at, ErBounds box) {
    for (;;) {
        keepNear(at, box);
        fenceNear();
        uint before = atomicOr(sharedWord[at / 2u], SIDE_DONE << (at % 2u));
        if ((before & SIDE_WHOLE) == 0u || (before & SIDE_HAS) == 0u) {
            return;
        }
        fenceNear();
        box = erJoin(box, near(at ^ 1u));
        at = before & SIDE_LANE;
    }
}

// beginSides makes ready for raise. A barrier follows.
void beginSides(uint lane) {
    if (lane < ER_NEAR) {
        sharedWord[lane] = 0u;
    }
}

// raise makes boxes as far as it goes.
void raise(uint lane, inout Side s) {
    if (s.slot < ER_NEAR) {
        sharedWord[s.slot] = SIDE_HAS | lane;
    }
    barrier();
    if (s.done) {
        climbSides(lane, s.box);
    }
    barrier();
    if (!s.done && (sharedWord[lane / 2u] & (SIDE_DONE << (lane % 2u))) != 0u) {
        s.box = near(lane);
        s.done = true;
    }
}

// isWhole tells whether both children of a lane's node have their boxes.
bool isWhole(uint lane) { return (sharedWord[lane / 2u] & SIDE_WHOLE) == SIDE_WHOLE; }

// storeSide stores a child's box, or that it has none.
void storeSide(uvec2 nodes, uint lane, Side s) {
    if (s.child != ER_REF_NONE) {
        ErNodeSides of = sidesOf(nodes, s.node);
        of.xy[lane % 2u] = vec4(s.done ? vec2(s.box.lo.x, s.box.hi.x) : NOT_DONE, s.box.lo.y, s.box.hi.y);
        of.z[lane % 2u] = vec2(s.box.lo.z, s.box.hi.z);
    }
}

#endif
