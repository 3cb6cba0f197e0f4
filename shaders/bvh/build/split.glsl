// Triangles whose boxes are much larger than they are get several references, each with the box of a part, before a tree is
// built for FAST_TRACE (after Karras and Aila 2013, "Fast Parallel Construction of High-Quality Bounding Volume Hierarchies").
// Planes are those of the octree of the Morton codes, the coarsest first: the tree's upper levels cut there, too.
//
// Only triangles that are much larger than the others are worth it.
//
// Memory for references is known from counts: a fixed share more. A triangle's priority is
//   2^-level * (area of its box - least area of a box around a triangle of this area)^(1/3)
// with the level of the coarsest plane through it. Priorities are sorted into classes, ER_SPLIT_STEPS to a factor of two; a
// histogram tells from which class on there is room for splits, the more the higher the class.
//
// A reference beyond the number of primitives has its box there and its primitive in a list behind ErBuild.source's moves.
// Until Morton codes are made,
//   valuesB   has the class of every primitive
//   arrivals  the histogram, in place of the last class the lowest one that is split, the blocks that are counted, then the
//             number of splits of every block
//   keysA     of every primitive that is split, its first reference among those that are added, and their number
#ifndef ER_BVH_SPLIT_GLSL
#define ER_BVH_SPLIT_GLSL
#include "bvh/common/fetch.glsl"

const uint ER_SPLIT_CLASSES = 256u;
const uint ER_SPLIT_STEPS = 8u;
const uint ER_SPLIT_NEVER = ER_SPLIT_CLASSES - 1u; // the class of what stays whole
const uint ER_SPLIT_MOST = 31u;  // splits of a triangle
const uint ER_SPLIT_BITS = 15u;  // planes of an axis: levels of the octree

const uint ER_SPLIT_PARTS = ER_BLOCK_SIZE / ER_SPLIT_SHARE; // references that a block of primitives has room for

const uint ER_MOVE_BYTES = 16u;  // of ErBuild.source, for each primitive

const uint ER_GEOMETRY_NO_DUPLICATE = 2u; // VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR

// erSplits is how often triangles of a class are split, where those of another are split once.
uint erSplits(uint class_, uint once) {
    if (class_ > once || class_ == ER_SPLIT_NEVER) {
        return 0u;
    }
    return min(uint(exp2(float(once - class_) / float(ER_SPLIT_STEPS)) + 1e-3), ER_SPLIT_MOST);
}

struct ErPart {
    vec3 lo, hi;
};

// Sizes are logarithms of the boxes' areas, in steps of 1/ER_SPLIT_SIZES, as integers: sums do not depend on an order.
const uint ER_SPLIT_SIZES = 16u;
const uint ER_SPLIT_LARGER = 3u * ER_SPLIT_SIZES; // than the mean is what may be split

uint erSize(ErPart p) {
    vec3 d = p.hi - p.lo;
    uint power = floatBitsToUint(max(d.x, max(d.y, d.z))) & 0x7f800000u; // squares may be no numbers
    d *= uintBitsToFloat(0x7f000000u - power);
    uint area = floatBitsToUint(d.x * d.y + d.y * d.z + d.z * d.x);
    return ((area >> 23) + (power >> 22)) * ER_SPLIT_SIZES;
}

struct ErPlane {
    uint level; // the root's is 0
    uint axis;
    float at;
};
const uint ER_NO_PLANE = 99u; // in place of a level

// ErGrid is the octree.
struct ErGrid {
    vec3 lo;
    float cell;
};

ErGrid erGrid(ErState s) {
    vec3 lo = erBoundsMin(s);
    vec3 extent = erBoundsMax(s) - lo;
    return ErGrid(lo, max(extent.x, max(extent.y, extent.z)) / float(1u << ER_SPLIT_BITS));
}

// erCoarsest finds the coarsest plane through a box, of several the one that cuts its longest side.
ErPlane erCoarsest(ErGrid g, ErPart p) {
    const float MOST = float((1u << ER_SPLIT_BITS) - 1u);
    const float BORDER = 1.0 / 64.0; // of a cell: parts end at planes
    uvec3 first = uvec3(clamp((p.lo - g.lo) / g.cell + BORDER, vec3(0.0), vec3(MOST)));
    uvec3 last = uvec3(clamp((p.hi - g.lo) / g.cell - BORDER, vec3(0.0), vec3(MOST)));
    vec3 size = p.hi - p.lo;
    ErPlane best = ErPlane(ER_NO_PLANE, 0u, 0.0);
    float longest = 0.0;
    for (uint k = 0u; k < 3u; k++) {
        if (first[k] >= last[k]) {
            continue;
        }
        uint bit = uint(findMSB(first[k] ^ last[k]));
        uint level = ER_SPLIT_BITS - 1u - bit;
        float at = g.lo[k] + float((last[k] >> bit) << bit) * g.cell;
        if (at > p.lo[k] && at < p.hi[k] && (level < best.level || (level == best.level && size[k] > longest))) {
            best = ErPlane(level, k, at);
            longest = size[k];
        }
    }
    return best;
}

// In arrivals.
const uint ER_SPLIT_ONCE = ER_SPLIT_NEVER; // plus one
const uint ER_SPLIT_COUNTED = ER_SPLIT_CLASSES;
const uint ER_SPLIT_BLOCKS = ER_SPLIT_CLASSES + 1u;

// erSplitsOf is how often a primitive is split.
uint erSplitsOf(ErBuild b, uint primitive) {
    uint once = ErUintView(b.arrivals).v[ER_SPLIT_ONCE];
    return once == 0u ? 0u : erSplits(ErUintView(b.valuesB).v[primitive], once - 1u);
}

// erOwner is the address of an added reference's primitive.
uvec2 erOwner(ErBuild b, uint added) {
    return erOffset(erOffset(b.source, b.primitiveCount, ER_MOVE_BYTES), added, 4u);
}

#endif
