// Postorder, for structures that may be updated (layout.glsl): the last thing that happens to nodes before the header is written.
//
// Leaves of the tree have an order, and a node's last leaf is where it ends. Nodes that end at the same leaf are a chain: each
// is the second child of the next one. A node's number is that of all nodes which end at leaves before, and of those below it on
// its chain: sums over the leaves, and a few steps down. Chains are counted at the first record of the leaf.
//
// What is sorted is a copy of the nodes, in scratch memory that is of no other use by then (bvh/order.go):
//   nodes   ErNode, by slot
//   counts  uint by record: nodes of the chain, then ER_ORDER_SHIFT bits of the sum within a part of the leaves, and the part
//   sums    uint by part
// Nodes are copied in units of 16 bytes, so that lanes side by side are at addresses side by side.
#ifndef ER_BVH_ORDER_GLSL
#define ER_BVH_ORDER_GLSL
#include "bvh/build/balance.glsl"
#include "bvh/build/scan.glsl"

// There are at most ER_ORDER_PARTS parts, of at least ER_BLOCK_SIZE leaves.
const uint ER_ORDER_PARTS = 1024u;
const uint ER_ORDER_SHIFT = 20u;

// Bytes of a primitive: where counts and sums begin behind the nodes, of which bundles have few.
const uint ER_ORDER_COUNTS = 64u;
const uint ER_ORDER_BUNDLED_COUNTS = 16u;
const uint ER_ORDER_LARGE_COUNTS = 20u; // of bundles of large structures, whose nodes take 19: sums are in between
const uint ER_ORDER_COUNT = 4u;

const uint ER_ORDER_UNITS = ER_NODE_SIZE / 16u; // of a node; the last one has the children

layout(buffer_reference, std430, buffer_reference_align = 16) buffer ErOrderUnits { uvec4 v[]; };

struct ErOrder {
    ErOrderUnits nodes; // the copy
    ErOrderUnits dst;
    ErUintView counts;
    ErUintView sums;
    uint root;
    uint nodeCount; // that may be in use
    uint slots;
    uint leaves;    // bundles
    uint shift;     // of a leaf's position for its part
    uint height;    // at most
    uint count;     // where references have the number of records
    bool moved;     // the tree's order of bundles is not that of their records
};

ErOrder erOrder(ErBuild b, ErState s) {
    bool large = b.primitiveCount > ER_REF_RECORDS && erBundled(b);
    uint at = large ? ER_ORDER_LARGE_COUNTS : (erBundled(b) ? ER_ORDER_BUNDLED_COUNTS : ER_ORDER_COUNTS);
    ErOrder o;
    o.nodes = ErOrderUnits(b.boxes);
    o.dst = ErOrderUnits(erAddress(b.dst, ER_HEADER_SIZE));
    o.counts = ErUintView(erOffset(b.boxes, b.primitiveCount, at));
    uint records = large ? (b.primitiveCount | 3u) + 1u : b.primitiveCount; // aligned
    o.sums = ErUintView(erOffset(b.boxes, records, large ? at - 1u : at + ER_ORDER_COUNT));
    o.root = s.root;
    o.slots = erNodeSlots(b, s);
    bool one = (s.root & ER_REF_LEAF) != 0u; // or none
    o.leaves = one ? 0u : erBundles(b, s);
    o.nodeCount = max(o.leaves, 1u) - 1u;
    o.shift = max(uint(findMSB(max(o.leaves, 2u) - 1u)) + 1u, 20u) - 10u;
    o.height = erMostHeight(b);
    o.count = erRefShift(s.activeCount);
    o.moved = erBundled(b) && erMode(b) == ER_MODE_PLOC;
    return o;
}

uint erOrderParts(ErOrder o) { return (o.leaves + (1u << o.shift) - 1u) >> o.shift; }

bool erOrderUsed(uvec2 children) { return children.x != ER_REF_NONE || children.y != ER_REF_NONE; }

// erUnitAt is a unit's place.
ErOrderUnits erUnitAt(ErOrderUnits nodes, uint unit) { return ErOrderUnits(erOffset(uvec2(nodes), unit, 16u)); }

uint erChildrenUnit(uint node) { return node * ER_ORDER_UNITS + ER_ORDER_UNITS - 1u; }

// erChain finds the first record of a node's last leaf, and how many nodes of the chain are below the node.
uvec2 erChain(ErOrder o, ErOrderUnits nodes, uint node) {
    uint below = 0u;
    uint next = erUnitAt(nodes, erChildrenUnit(node)).v[0].y;
    while ((next & ER_REF_LEAF) == 0u && below < o.height) {
        next = erUnitAt(nodes, erChildrenUnit(next)).v[0].y;
        below++;
    }
    return uvec2(erRefFirst(next, o.count), below);
}

// erOrderCopy copies a unit, if its node is in use, and returns it. Of other nodes it copies the children.
uvec4 erOrderCopy(ErOrder o, uint unit) {
    uvec4 v = erUnitAt(o.dst, unit).v[0];
    bool last = (unit & (ER_ORDER_UNITS - 1u)) == ER_ORDER_UNITS - 1u;
    if (last || erOrderUsed(erUnitAt(o.dst, unit | (ER_ORDER_UNITS - 1u)).v[0].xy)) {
        erUnitAt(o.nodes, unit).v[0] = v;
    }
    return v;
}

// erOrderPut writes a unit of a node to its place.
void erOrderPut(ErOrder o, uint unit, uint number, uint child0) {
    uint part = unit & (ER_ORDER_UNITS - 1u);
    uvec4 v = erUnitAt(o.nodes, unit).v[0];
    if (part == ER_ORDER_UNITS - 1u) {
        v.x = (v.x & ER_REF_LEAF) != 0u ? v.x : child0;
        v.y = (v.y & ER_REF_LEAF) != 0u ? v.y : number - 1u;
    }
    erUnitAt(o.dst, number * ER_ORDER_UNITS + part).v[0] = v;
}

void erOrderBlank(ErOrder o, uint slot) { erUnitAt(o.dst, erChildrenUnit(slot)).v[0] = uvec4(ER_REF_NONE, ER_REF_NONE, 0u, 0u); }

// erOrderRecord is where a leaf's chain is counted, by the leaf's position in the tree's order.
uint erOrderRecord(ErBuild b, ErOrder o, uint position) {
    return erBundleFirst(b, o.moved ? ErUintView(b.keysA).v[erBundleAt(b, position)] : position);
}

#endif
