// Updates: the tree of the source stays, its boxes are made again from the
// leaves up, so that nothing of former inputs remains. Two kernels, and one that
// does all for a small structure in a workgroup:
//
//   refit_leaves  fetches the input of every leaf record, keeps its box in scratch
//                 memory and makes the bounds; copies the nodes if the destination
//                 is another structure
//   refit_nodes   makes the boxes of all nodes, and the header
//   refit_small   all
//
// All they know of the tree comes from the source's header.
#ifndef ER_BVH_REFIT_GLSL
#define ER_BVH_REFIT_GLSL
#include "bvh/refit/push.glsl"
#include "bvh/common/record.glsl"
#include "bvh/common/link.glsl"

const uint ER_ALLOW_UPDATE = 1u; // VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR
const uint ER_ROOM_UNIT = 16u;   // of ErBuild.room

// The box of a leaf that cannot be hit is inverted: no ray meets it, and unions
// ignore it.
const float ER_NO_BOX = 3.402823466e38;

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer ErRefitWords { uint v[]; };

// ErTree is what an update needs of the source's header.
struct ErTree {
    uint records;   // leaves of the tree
    uint root;
    uint nodes;     // that the structure may have
    uint leafBlock;
    uint leafKind;
};

// erTree reads the header. It says no where the source is not what the host
// was told: then the update does nothing. leafKind is that of the input.
bool erTree(ErBuild b, uint leafKind, out ErTree t) {
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
    bool compacted = t.leafKind >= ER_LEAF_INDEXED && t.leafKind <= ER_LEAF_SHORT_WIDE; // triangles
    uint units = size.x / ER_ROOM_UNIT + ((size.x % ER_ROOM_UNIT) != 0u ? 1u : 0u);
    bool fits = size.y < ER_ROOM_UNIT - 1u && units + size.y * (1u << 28) <= b.room;
    bool same = kind.z == b.geometryCount && kind.w == b.primitiveCount && (compacted ? ER_LEAF_TRIANGLES : t.leafKind) == leafKind;
    return start.z == ER_AS_MAGIC && start.w == ER_AS_VERSION && kind.x == b.type && (kind.y & ER_ALLOW_UPDATE) != 0u && same &&
        fits;
}

// erChildren are those of a node, if there is memory that far. It need not wait for the header to be read.
uvec2 erChildren(ErBuild b, uint node) {
    bool there = node < b.room / (ER_NODE_SIZE / ER_ROOM_UNIT) - ER_HEADER_SIZE / ER_NODE_SIZE;
    uvec2 at = erOffset(erAddress(b.source, ER_HEADER_SIZE), node, ER_NODE_SIZE);
    return there ? ErNodeView(at).node[0].children : uvec2(ER_REF_NONE);
}

// ErBounds is a box, by default that of nothing.
struct ErBounds {
    vec3 lo, hi;
};
const ErBounds ER_NO_BOUNDS = ErBounds(vec3(ER_NO_BOX), vec3(-ER_NO_BOX));

ErBounds erJoin(ErBounds a, ErBounds b) { return ErBounds(min(a.lo, b.lo), max(a.hi, b.hi)); }

// The boxes of leaf records in scratch memory, not padded: minimum and maximum of every
// record for x, then those for y, then z.
layout(buffer_reference, std430, buffer_reference_align = 8) buffer ErIntervals { vec2 v[]; };

ErIntervals erBoxesOf(ErBuild b, uint axis) { return ErIntervals(erOffset(b.boxes, b.primitiveCount, axis * 8u)); }

void erKeepBox(ErBuild b, uint k, ErBounds box) {
    erBoxesOf(b, 0u).v[k] = vec2(box.lo.x, box.hi.x);
    erBoxesOf(b, 1u).v[k] = vec2(box.lo.y, box.hi.y);
    erBoxesOf(b, 2u).v[k] = vec2(box.lo.z, box.hi.z);
}

ErBounds erKeptBox(ErBuild b, uint k) {
    vec2 x = erBoxesOf(b, 0u).v[k], y = erBoxesOf(b, 1u).v[k], z = erBoxesOf(b, 2u).v[k];
    return ErBounds(vec3(x.x, y.x, z.x), vec3(x.y, y.y, z.y));
}

bool erInPlace(ErBuild b) { return b.source == b.dst; }

layout(buffer_reference, std430, buffer_reference_align = 64) buffer ErRefitHeader {
    uvec4 v[16];
};

// erRefitHeader makes the header of the destination.
void erRefitHeader(ErBuild b, ErState s) {
    vec3 lo, hi;
    erHeaderBounds(s, lo, hi);
    ErRefitHeader to = ErRefitHeader(b.dst);
    if (!erInPlace(b)) {
        ErRefitHeader from = ErRefitHeader(b.source);
        to.v[0] = uvec4(b.dst, from.v[0].zw);
        for (uint k = 1u; k < ER_HEADER_SIZE / 16u; k++) {
            to.v[k] = from.v[k];
        }
    }
    to.v[ER_HEADER_BOUNDS_MIN / 16u].xyz = floatBitsToUint(lo);
    to.v[ER_HEADER_BOUNDS_MAX / 16u].xyz = floatBitsToUint(hi);
}

#endif
