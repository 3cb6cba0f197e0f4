// Bottom levels over clusters that are to be built fast: linear trees (Karras 2012) over the clusters' boxes, in five dispatches,
// of up to ER_LINEAR_MOST clusters each. What a kernel leaves for the next ones is in scratch memory, c.treeBlocks for each.
//
//   boxes    of clusters in the order of the input, and of each 128 together     linear_boxes.comp
//   keys     Morton code and number in a block of 1024, sorted in each block      linear_sort.comp
//   codes, numbers  of all in order: a cluster's rank is the sum of its ranks in all blocks   linear_merge.comp
//   spans    boxes of 1, 2, 4 ... 256 clusters that follow each other in order    linear_spans.comp
//
// Then each node finds the clusters below it by its code, and their box by spans; each tells its parent (linear_nodes.comp).
#ifndef ER_BVH_CLUSTER_LINEAR_GLSL
#define ER_BVH_CLUSTER_LINEAR_GLSL
#include "bvh/cluster/command.glsl"

const uint ER_LINEAR_PART = 128u;  // clusters of a workgroup, but for:
const uint ER_LINEAR_BLOCK = 1024u; // those that are sorted together
const uint ER_LINEAR_MOST = 32768u; // clusters of a bottom level
const uint ER_LINEAR_SPAN_LEVEL = 8u;
const uint ER_LINEAR_SPAN = 256u;  // 1 << ER_LINEAR_SPAN_LEVEL

// A code has 21 bits, and its block's number of the cluster is behind it. What is null, empty or no cluster comes last.
const uint ER_LINEAR_SHIFT = 10u;
const uint ER_LINEAR_NONE = 0x3fffffu;

uint erLinearRoom(ErClusterCommand c) { return (max(c.mostClusters, 1u) + ER_LINEAR_BLOCK - 1u) & ~(ER_LINEAR_BLOCK - 1u); }
uint erLinearParts(ErClusterCommand c) { return (max(c.mostClusters, 1u) + ER_LINEAR_PART - 1u) / ER_LINEAR_PART; }

// What a workgroup works at: a bottom level's arguments, and how many clusters it has; none, if it has no result.
struct ErLinear {
    uint number; // of the bottom level
    uint part;
    uint count;
    uint stride;
    uvec2 list;  // of clusters' addresses
    uvec2 at;    // the scratch memory
    uint room;
};

// erLinear is what a workgroup works at, of so many clusters each. Whether there is a result is known behind place.comp; before, a
// count of more than there is room for is none.
ErLinear erLinear(ErClusterCommand c, uint size) {
    uint parts = (max(c.mostClusters, 1u) + size - 1u) / size;
    ErLinear l;
    l.number = erGroup() / parts;
    l.part = erGroup() % parts;
    l.room = erLinearRoom(c);
    l.at = erOffset(c.trees, l.number * c.treeBlocks, 256u);
    l.count = 0u;
    if (l.number < erOperations(c)) {
        ErUintView v = erInfo(c, l.number);
        l.count = v.v[0] <= c.mostClusters ? v.v[0] : 0u;
        l.stride = v.v[1] == 0u ? 8u : v.v[1];
        l.list = uvec2(v.v[2], v.v[3]);
        bool aligned = l.stride >= 8u && erAligned(l.list, l.stride, 8u);
        l.count = aligned && l.list != uvec2(0u) ? l.count : 0u;
    }
    return l;
}

uvec2 erLinearCluster(ErLinear l, uint n) {
    ErUintView v = ErUintView(erOffset(l.list, n, l.stride));
    return uvec2(v.v[0], v.v[1]);
}

struct ErLinearBox {
    vec3 lo;
    uint count; // of clusters, in boxes of parts
    vec3 hi;
    uint pad0;
};
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ErLinearBoxes { ErLinearBox v[]; };

ErLinearBoxes erLinearBoxes(ErLinear l) { return ErLinearBoxes(l.at); }
ErLinearBoxes erLinearPartBoxes(ErLinear l) { return ErLinearBoxes(erOffset(l.at, l.room, 32u)); }
ErUintView erLinearKeys(ErLinear l) { return ErUintView(erOffset(l.at, l.room + l.room / ER_LINEAR_PART, 32u)); }
ErUintView erLinearCodes(ErLinear l) { return ErUintView(erOffset(l.at, 9u * l.room + l.room / ER_LINEAR_PART * 8u, 4u)); }
ErUintView erLinearNumbers(ErLinear l) { return ErUintView(erOffset(l.at, 10u * l.room + l.room / ER_LINEAR_PART * 8u, 4u)); }
// The boxes of 1 << level clusters each.
ErLinearBoxes erLinearSpans(ErLinear l, uint level) {
    uint before = level == 0u ? 0u : 2u * l.room - (l.room >> (level - 1u));
    return ErLinearBoxes(erOffset(erOffset(l.at, 11u * l.room + l.room / ER_LINEAR_PART * 8u, 4u), before, 32u));
}

ErLinearBox erNoLinearBox() { return ErLinearBox(vec3(3.402823e38), 0u, vec3(-3.402823e38), 0u); }
ErLinearBox erUnion(ErLinearBox a, ErLinearBox b) {
    return ErLinearBox(min(a.lo, b.lo), a.count + b.count, max(a.hi, b.hi), 0u);
}

#endif
