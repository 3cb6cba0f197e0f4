// Updates: the tree of the source stays, its boxes are made again from the
// leaves up, so that nothing of former inputs remains. Three kernels:
//
//   refit_links   notes every node's parent, and copies the nodes if the
//                 destination is another structure
//   refit_leaves  beside it: fetches the input of every leaf record, and makes the
//                 bounds
//   refit_nodes   makes the nodes' boxes, and the header
//
// All they know of the tree comes from the source's header.
#ifndef ER_BVH_REFIT_GLSL
#define ER_BVH_REFIT_GLSL
#include "bvh/record.glsl"
#include "bvh/link.glsl"

const uint ER_ALLOW_UPDATE = 1u; // VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR
const uint ER_ROOM_UNIT = 16u;   // of ErBuild.room

// The box of a leaf that cannot be hit is inverted: no ray meets it, and unions
// ignore it.
const float ER_NO_BOX = 3.402823466e38;

layout(buffer_reference, std430, buffer_reference_align = 64) coherent buffer ErRefitNodes { ErNode node[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer ErRefitWords { uint v[]; };

// ErTree is what an update needs of the source's header.
struct ErTree {
    uint records;   // leaves of the tree
    uint root;
    uint nodes;     // that the structure may have
    uint leafBlock;
    uint leafKind;
    uint sourced;   // records that source indices follow; zero: there are none
};

// erTree reads the header. It says no where the source is not what the host
// was told: then the update does nothing.
bool erTree(ErBuild b, out ErTree t) {
    ErHeaderView h = ErHeaderView(b.source);
    uvec4 start = h.selfMagicVersion;
    uvec4 kind = h.typeFlagsGeometriesPrimitives;
    uvec4 tree = h.activeRootHeightLeafBlock;
    uvec2 size = ErUvec2View(erAddress(b.source, ER_HEADER_TOTAL_SIZE)).v[0];
    t.records = min(tree.x, kind.w);
    t.root = tree.y;
    // Nodes beyond are not of this tree. Copies may have less memory for them.
    t.nodes = min(floatBitsToUint(h.boundsMinNodes.w), max(t.records, 1u) - 1u);
    t.leafBlock = tree.w;
    t.leafKind = floatBitsToUint(h.boundsMax.w);
    bool indexed = t.leafKind == ER_LEAF_INDEXED || t.leafKind == ER_LEAF_INDEXED_WIDE;
    t.sourced = 0u;
    if (t.leafKind == ER_LEAF_TRIANGLES && (kind.y & ER_SOURCED_FLAGS) == ER_SOURCED_FLAGS) {
        uint all = ((size.x >> 4) | (size.y << 28)) - t.leafBlock * 4u;
        t.sourced = erSourcedRecords(all);
    }
    uint units = size.x / ER_ROOM_UNIT + ((size.x % ER_ROOM_UNIT) != 0u ? 1u : 0u);
    bool fits = size.y < ER_ROOM_UNIT - 1u && units + size.y * (1u << 28) <= b.room;
    return start.z == ER_AS_MAGIC && start.w == ER_AS_VERSION && kind.x == b.type && (kind.y & ER_ALLOW_UPDATE) != 0u &&
        kind.z == b.geometryCount && kind.w == b.primitiveCount && (indexed ? ER_LEAF_TRIANGLES : t.leafKind) == erLeafKind(b) && fits;
}

// ErBounds is a box, by default that of nothing.
struct ErBounds {
    vec3 lo, hi;
};
const ErBounds ER_NO_BOUNDS = ErBounds(vec3(ER_NO_BOX), vec3(-ER_NO_BOX));

ErBounds erJoin(ErBounds a, ErBounds b) { return ErBounds(min(a.lo, b.lo), max(a.hi, b.hi)); }

// The boxes of leaf records, as the builder makes them of the input.

ErBounds erCornerBounds(ErCorners t) {
    if ((t.flags & ER_TRIANGLE_INACTIVE) != 0u) {
        return ER_NO_BOUNDS;
    }
    return ErBounds(min(t.v0, min(t.v1, t.v2)), max(t.v0, max(t.v1, t.v2)));
}

ErBounds erInstanceBounds(ErInstance i) {
    if ((i.a.x | i.a.y) == 0u) {
        return ER_NO_BOUNDS;
    }
    ErInputInstance in_;
    in_.rows = i.objectToWorld;
    in_.blas = i.a.xy;
    ErBounds r;
    erInstanceBox(in_, r.lo, r.hi);
    return ErBounds(clamp(r.lo, vec3(-ER_HUGE), vec3(ER_HUGE)), clamp(r.hi, vec3(-ER_HUGE), vec3(ER_HUGE)));
}

bool erInPlace(ErBuild b) { return b.source == b.dst; }

// erRefitIndex is what of nodes and leaf records the invocation does.
uint erRefitIndex(uint block, uint group) {
    return block * ER_BLOCK_SIZE + (group % (ER_BLOCK_SIZE / 64u)) * 64u + gl_LocalInvocationIndex;
}

#endif
