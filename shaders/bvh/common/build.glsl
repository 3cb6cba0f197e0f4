// What all build kernels share: descriptions of builds and tasks written by the
// host (bvh/batch.go), views of the scratch memory, and small arithmetic.
//
// Every kernel runs over a whole batch. The host cuts the batch into tasks; a
// workgroup finds its build through its task.
#ifndef ER_BVH_BUILD_GLSL
#define ER_BVH_BUILD_GLSL
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

#include "bvh/common/layout.glsl"
#include "bvh/common/access.glsl"

// Primitives per task: one block of the radix sort.
const uint ER_BLOCK_SIZE = 1024u;
// Builds of more are sorted in several dispatches.
const uint ER_SORT_BLOCKS = 2u;
const uint ER_NO_BOUND = 0xffffffffu;

// One build, ER_BUILD_SIZE bytes; written by batch.go.
const uint ER_BUILD_SIZE = 128u;
struct ErBuild {
    uvec2 dst;
    uvec2 geometries; // of ErGeometry
    uvec2 state;      // of ErState; the parts of the scratch memory follow
    uvec2 boxes;      // 6 floats per primitive
    uvec2 keysA;      // uvec2 per primitive: Morton code, low word first
    uvec2 keysB;
    uvec2 valuesA;    // uint per primitive
    uvec2 valuesB;
    uvec2 parents;    // uvec2 per primitive, see tree.glsl
    uvec2 arrivals;   // uint per primitive
    uint type;
    uint flags;
    uint geometryCount;
    uint primitiveCount; // of the tree: those of the input, and room for what splits add (split.glsl)
    uint firstBlock;  // of the batch's histograms: a tile (sort.glsl)
    uint blockCount;
    uint room;        // of an update: bytes / 16 that source and destination may take
    uint inputs;      // primitives of the input
    uint collapseLimit; // most triangles in a leaf
    uint mode;        // see erMode and what follows it
    uvec2 source;     // of an update: the structure to update from; of a build: see improve.glsl
};
// An update keeps other things in its scratch memory. Its record has their addresses in place of a build's.
uvec2 erPartBounds(ErBuild b) { return b.keysA; }      // eight words of each part, see ER_PART
uvec2 erPartReach(ErBuild b) { return b.keysB; }       // how far each part reaches
uvec2 erUpdateLists(ErBuild b) { return b.valuesA; }   // of nodes that wait, see refit/groups.glsl
uvec2 erUpdateArrivals(ErBuild b) { return b.valuesB; } // of groups
uvec2 erUpdateCounts(ErBuild b) { return b.parents; }  // of blocks and groups
const uint ER_MODE_LBVH = 0u;
const uint ER_MODE_PLOC = 1u;

// Bytes of ErBuild.mode.
uint erMode(ErBuild b) { return b.mode & 0xffu; }
bool erBundled(ErBuild b) { return (b.mode & 0xff00u) != 0u; }
bool erMaySplit(ErBuild b) { return (b.mode & 0xff0000u) != 0u; }
uint erMostHeight(ErBuild b) { return b.mode >> 24; } // see build/balance.comp

// Triangles of builds of more than ER_SPLIT_LEAST may be split, which adds a reference to so many primitives at most.
const uint ER_SPLIT_LEAST = 4096u;
const uint ER_SPLIT_SHARE = 16u;
uint erSplitSlots(uint primitives) {
    bool none = primitives <= ER_SPLIT_LEAST || primitives >= ER_MAX_PRIMITIVES;
    return none ? 0u : min(primitives / ER_SPLIT_SHARE, ER_MAX_PRIMITIVES - primitives);
}

// erIsSplit tells whether there is room for more.
bool erIsSplit(ErBuild b) { return erMaySplit(b) && b.inputs != b.primitiveCount; }

// erAxisBits is the bits of a Morton code for each axis: what a surface of so many
// primitives needs, and four more for details. batch.go has the same.
uint erAxisBits(ErBuild b) {
    return b.primitiveCount <= ER_SORT_BLOCKS * ER_BLOCK_SIZE ? 10u : (b.primitiveCount <= 1u << 18 ? 13u : 15u);
}

// One geometry, ER_GEOMETRY_SIZE bytes; build offsets are already in the addresses.
const uint ER_GEOMETRY_SIZE = 64u;
struct ErGeometry {
    uvec2 vertices; // or boxes, or instances
    uvec2 indices;
    uvec2 transform; // zero: none
    uint stride;     // of vertices or boxes; of instances, 8 for an array of pointers
    uint indexBytes; // 0, 1, 2, 4
    uint flags;      // VkGeometryFlagsKHR
    uint firstPrimitive; // in the build's numbering
    uint primitiveCount;
    uint firstVertex;
    uint format;     // ER_FORMAT_*
    uint kind;       // VkGeometryTypeKHR, which is ER_LEAF_*
    uint boxLevels;  // of instances: how deep to look into a bottom level for its box, see erInstanceBox
    uint pad0;
};
const uint ER_FORMAT_FLOAT32 = 0u; // | components << 4
const uint ER_FORMAT_FLOAT16 = 1u;
const uint ER_FORMAT_SNORM16 = 2u;
const uint ER_FORMAT_SNORM8 = 3u;
const uint ER_FORMAT_FLOAT64 = 4u;

// What the kernels of one build tell each other.
const uint ER_STATE_SIZE = 128u;
struct ErState {
    uint boundsMin[3]; // erOrdered; of what is not huge
    uint boundsMax[3];
    uint activeCount;
    uint root;
    uint height;
    uint huge;         // how many reach to ER_HUGE
    uint deep;         // entries of build/balance.comp's list
    uint bundles;      // see bundle.glsl
    float cost;        // SAH cost of the tree, not divided by the root's area
    uint moved;        // nodes that improve_apply.comp listed
    uint splits;       // references added, those included that came to nothing
    uint sizes;        // sum of the blocks' means of triangles' sizes, and their number (split.glsl)
    uint sized;
};

// erNodeSlots is the nodes that a structure has room for. Bundles leave no gaps:
// as many as the tree has.
uint erNodeSlots(ErBuild b, ErState s) { return max(erBundled(b) ? s.bundles : b.primitiveCount, 1u) - 1u; }
uint erLeafBlock(ErBuild b, ErState s) { return ER_HEADER_SIZE / 64u + erNodeSlots(b, s) * (ER_NODE_SIZE / 64u); }

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErBuildView { ErBuild build[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer ErGeometryView { ErGeometry geometry[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ErStateView { ErState state; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer ErUintView { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer ErFloatView { float v[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer ErUvec2View { uvec2 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErUvec4View { uvec4 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer ErBoundsView { float v[]; };

#ifndef ER_OWN_PUSH // refit/push.glsl
layout(push_constant, std430) uniform ErPush {
    uvec2 builds;
    uvec2 tasks;     // uvec4 (bounds) or uvec2 (build, block in build)
    uvec2 exchange;  // what kernels tell each other: histograms of the sort, the queue of seeds (seed.glsl), numbers that are
                     // scanned
    uvec2 sums;      // of the scan
    uint taskCount;  // workgroups' worth of work, or elements
    uint pass;       // of the radix sort
} push;
#endif

// A dispatch of more than 65535 groups is folded into two dimensions.
uint erGroup() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// erOrdered maps floats to uints of the same order.
uint erOrdered(float f) {
    uint u = floatBitsToUint(f);
    return (u & 0x80000000u) != 0u ? ~u : u | 0x80000000u;
}
float erFromOrdered(uint u) {
    return uintBitsToFloat((u & 0x80000000u) != 0u ? u & 0x7fffffffu : ~u);
}

// Coordinates end here: squares and differences of what is beyond are no longer
// numbers. Boxes and instances that reach farther are cut off, and stay out of
// the bounds, on which padding and the order of the others depend.
const float ER_HUGE = 1e37;

// Bounds of what is not huge; zero if there is nothing.
vec3 erBoundsMin(ErState s) {
    return s.boundsMin[0] > s.boundsMax[0] ? vec3(0.0) : vec3(erFromOrdered(s.boundsMin[0]), erFromOrdered(s.boundsMin[1]),
        erFromOrdered(s.boundsMin[2]));
}
vec3 erBoundsMax(ErState s) {
    return s.boundsMin[0] > s.boundsMax[0] ? vec3(0.0) : vec3(erFromOrdered(s.boundsMax[0]), erFromOrdered(s.boundsMax[1]),
        erFromOrdered(s.boundsMax[2]));
}

// erPadding is what every primitive's box grows by on all sides: an ulp of the
// largest coordinate. It gives flat boxes a thickness, which traversal relies
// on for rays that lie in their plane (ER_DIRECTION_EPSILON).
float erPadding(vec3 lo, vec3 hi) {
    vec3 m = max(abs(lo), abs(hi));
    return max(max(m.x, max(m.y, m.z)) * (1.0 / 8388608.0), 1e-36);
}

// erUnitOf is a power of two that makes a build's coordinates neither large nor small, for products of them. With what is huge
// it makes nothing larger.
float erUnitOf(ErState s) {
    vec3 lo = erBoundsMin(s), hi = erBoundsMax(s), extent = hi - lo;
    float largest = max(max(extent.x, max(extent.y, extent.z)), erPadding(lo, hi));
    float unit = uintBitsToFloat(0x7f000000u - (floatBitsToUint(largest) & 0x7f800000u));
    return s.huge > 0u ? min(unit, 1.0) : unit;
}

bool erFinite(vec3 v) { return all(lessThan(abs(v), vec3(ER_HUGE))); }

// erHeaderBounds are the bounds of all, padded like the nodes.
void erHeaderBounds(ErState s, out vec3 lo, out vec3 hi) {
    lo = erBoundsMin(s);
    hi = erBoundsMax(s);
    float padding = s.activeCount > 0u ? erPadding(lo, hi) : 0.0;
    lo = s.huge > 0u ? vec3(-ER_HUGE) : lo - padding;
    hi = s.huge > 0u ? vec3(ER_HUGE) : hi + padding;
}

// erLeafKind is ER_LEAF_* of a build: its geometries are all of one kind.
uint erLeafKind(ErBuild b) {
    if (b.type == ER_AS_TYPE_TOP) {
        return ER_LEAF_INSTANCES;
    }
    return b.geometryCount > 0u ? ErGeometryView(b.geometries).geometry[0].kind : ER_LEAF_TRIANGLES;
}

// erBuildIsSourced tells whether the records know which corners will move together.
bool erBuildIsSourced(ErBuild b, uint kind) {
    return kind == ER_LEAF_TRIANGLES && (b.flags & ER_SOURCED_FLAGS) == ER_SOURCED_FLAGS;
}

// erGeometryOf finds the geometry of a primitive among those from low to high,
// ends included. Of geometries without primitives it finds none.
uint erGeometryOf(ErBuild b, uint primitive, uint low, uint high) {
    ErGeometryView g = ErGeometryView(b.geometries);
    while (low < high) {
        uint mid = (low + high + 1u) >> 1;
        if (g.geometry[mid].firstPrimitive <= primitive) {
            low = mid;
        } else {
            high = mid - 1u;
        }
    }
    return low;
}

#endif
