// Push constants of updates: fewer than the 128 bytes that every device has.
#ifndef ER_BVH_REFIT_PUSH_GLSL
#define ER_BVH_REFIT_PUSH_GLSL
#define ER_OWN_PUSH
#include "bvh/common/build.glsl"

layout(push_constant, std430) uniform ErPush {
    // As those of build.glsl.
    uvec2 builds; // zero: the update is alone, has one geometry at most, and what follows is all of it
    uvec2 tasks;
    uvec2 exchange;
    uvec2 sums;
    uint taskCount;
    uint pass;

    uvec2 dst;
    uvec2 source;
    uvec2 scratch; // behind the state
    uvec2 vertices, indices, transform; // of the geometry, and so on
    uint stride;
    uint forms; // indexBytes, format, kind, boxLevels: a byte each
    uint flags;
    uint primitives;
    uint firstVertex;
    uint type; // and from bit 8 on the number of geometries
    uint count;
    uint room;
} push;

bool erIsAlone() { return (push.builds.x | push.builds.y) == 0u; }

ErGeometry erPushGeometry() {
    uint f = push.forms;
    return ErGeometry(push.vertices, push.indices, push.transform, push.stride, f & 0xffu, push.flags, 0u, push.primitives,
        push.firstVertex, (f >> 8) & 0xffu, (f >> 16) & 0xffu, f >> 24, 0u);
}

// erArrivals and erCounts are the words that refit/nodes.comp finds zero, of an update of so many primitives: for groups, and for
// blocks and groups.
uint erArrivals(uint n) { return n / 512u + 32u; }
uint erCounts(uint n) { return n / 32u + 64u; }

// erParts is the workgroups of refit/leaves.comp, each of which keeps the bounds of its part if the update is alone: nobody
// has to make the state ready for them. erPartBounds has the eight words of each, erPartReach how far they reach.
const uint ER_PART = 128u;
uint erParts(uint n) { return (max(n, 1u) + ER_PART - 1u) / ER_PART; }

// erPushBuild has the parts of the scratch memory as updateScratchOf in update.go has them.
ErBuild erPushBuild() {
    uint n = push.count;
    ErBuild b;
    b.dst = push.dst;
    b.source = push.source;
    b.geometries = uvec2(0u);
    b.state = uvec2(0u);
    b.valuesA = push.scratch; // erUpdateLists
    b.boxes = erOffset(b.valuesA, n, 16u);
    b.parents = erOffset(b.boxes, n, 24u); // erUpdateCounts
    b.valuesB = erOffset(b.parents, erCounts(n), 4u); // erUpdateArrivals
    b.keysB = erOffset(b.valuesB, erArrivals(n), 4u); // erPartReach
    b.keysA = erOffset(b.keysB, erParts(n), 4u); // erPartBounds
    b.type = push.type & 0xffu;
    b.geometryCount = push.type >> 8;
    b.primitiveCount = n;
    b.inputs = n;
    b.room = push.room;
    return b;
}

#endif
