// What all kernels of cluster commands share: the command, what the application wrote for each operation, and where results go.
#ifndef ER_BVH_CLUSTER_COMMAND_GLSL
#define ER_BVH_CLUSTER_COMMAND_GLSL
#include "bvh/common/fetch.glsl"
#include "bvh/common/cluster_layout.glsl"

// One command, written by bvh/clustercommand.go. Addresses are as the application gave them: see erResolved.
struct ErClusterCommand {
    uvec2 implicits;   // where results go one behind the other
    uvec2 scratch;
    uvec2 addresses;   // of results
    uvec2 sizes;
    uvec2 infos;
    uvec2 counter;     // zero: most
    uvec2 places;      // ErPlace of each operation
    uvec2 sums;        // of ER_PLACE_BLOCK operations' sizes each, in ER_PLACE_UNIT
    uint addressStride, sizeStride, infoStride;
    uint resolve;      // ER_RESOLVE_...
    uint op, mode;     // ER_OP_..., ER_TO_...
    uint most;         // operations
    uint type;         // of what is moved: ER_OP_BOTTOM_LEVEL less one, and so on (VkClusterAccelerationStructureTypeNV)
    uint format;       // ER_FORMAT_* | components << 4
    uint formatBytes;  // of a vertex, and of what its address is a multiple of, from bit 8 on
    uint mostTriangles, mostVertices, mostGeometry, mostClusters;
    uint flags;        // VkBuildAccelerationStructureFlagsKHR
    uint pieces;       // of scratch memory for moves, in ER_PLACE_UNIT; none: results overlap no source
    uvec2 boxes;       // of bottom levels: 24 bytes for each cluster, mostClusters for each operation
    uvec2 ranges;      // of bottom levels: VkAccelerationStructureBuildRangeInfoKHR of each
    uvec2 trees;       // of bottom levels: where bvh builds them, treeBlocks * 256 bytes for each
    uint treeBlocks;
    uint room;         // for implicit results, in ER_PLACE_UNIT
    uint reach;        // of bottom levels: how far away direct clusters may be, in units of 64 bytes
    uint pad0;
};
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer ErClusterCommandView { ErClusterCommand c; };

// Where the result of an operation goes. Without bytes there is none: its arguments are wrong.
struct ErPlace {
    uvec2 address;
    uint bytes;
    uint unit; // how far behind the first of all, in ER_PLACE_UNIT
};
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ErPlaceView { ErPlace place[]; };

const uint ER_PLACE_BLOCK = 128u;
const uint ER_PLACE_UNIT = 32u;

layout(buffer_reference, std430, buffer_reference_align = 16) buffer ErQuads { uvec4 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer ErWordsOut { uint v[]; };

// Kernels take the command's address as push.builds.
ErClusterCommand erCommand() { return ErClusterCommandView(push.builds).c; }

// erResolved follows an address that is itself in memory.
uvec2 erResolved(ErClusterCommand c, uvec2 address, uint flag) {
    if ((c.resolve & flag) == 0u || address == uvec2(0u)) {
        return address;
    }
    ErUintView v = ErUintView(address);
    return uvec2(v.v[0], v.v[1]);
}

uint erOperations(ErClusterCommand c) {
    uvec2 at = erResolved(c, c.counter, ER_RESOLVE_COUNT);
    return at == uvec2(0u) ? c.most : min(ErUintView(at).v[0], c.most);
}

// erInfo is where the arguments of an operation are.
ErUintView erInfo(ErClusterCommand c, uint k) {
    return ErUintView(erOffset(erResolved(c, c.infos, ER_RESOLVE_INFOS), k, c.infoStride));
}

ErPlace erPlaceOf(ErClusterCommand c, uint k) { return ErPlaceView(c.places).place[k]; }

// VkClusterAccelerationStructureBuildTriangleClusterInfoNV, unpacked.
struct ErClusterInfo {
    uint id, flags;
    uint triangles, vertices, truncate, indexBytes;
    uint geometry;  // first index, and flags
    uint indexStride, vertexStride, wordStride;
    uvec2 indexAt, vertexAt, wordAt;
};

ErClusterInfo erClusterInfo(ErClusterCommand c, uint k) {
    ErUintView v = erInfo(c, k);
    ErClusterInfo i;
    i.id = v.v[0];
    i.flags = v.v[1];
    uint counts = v.v[2];
    i.triangles = counts & 511u;
    i.vertices = (counts >> 9) & 511u;
    i.truncate = (counts >> 18) & 63u;
    i.indexBytes = (counts >> 24) & 15u;
    i.geometry = v.v[3];
    uint strides = v.v[4], more = v.v[5];
    i.indexStride = (strides & 0xffffu) != 0u ? strides & 0xffffu : i.indexBytes;
    i.vertexStride = (strides >> 16) != 0u ? strides >> 16 : c.formatBytes & 255u;
    i.wordStride = (more & 0xffffu) != 0u ? more & 0xffffu : 4u;
    i.indexAt = uvec2(v.v[6], v.v[7]);
    i.vertexAt = uvec2(v.v[8], v.v[9]);
    i.wordAt = uvec2(v.v[10], v.v[11]);
    return i;
}

// erCountsOf is the word of counts in a header.
uint erCountsOf(ErClusterCommand c, ErClusterInfo i) {
    return i.triangles | i.vertices << ER_CLUSTER_VERTEX_SHIFT | i.truncate << ER_CLUSTER_TRUNCATE_SHIFT |
           i.indexBytes << ER_CLUSTER_INDEX_SHIFT | (i.wordAt != uvec2(0u) ? ER_CLUSTER_HAS_WORDS : 0u) |
           ((c.flags & 4u) != 0u ? ER_CLUSTER_IS_FAST : 0u); // PREFER_FAST_TRACE
}

// erInstantiated is the word of a template's instance: of one of direct clusters others may be made, too.
uint erInstantiated(ErClusterCommand c, uint counts) {
    return counts & ~(ER_CLUSTER_HAS_VERTICES | ((c.flags & 4u) != 0u ? 0u : ER_CLUSTER_IS_FAST));
}

bool erAligned(uvec2 address, uint stride, uint to) { return ((address.x | stride) & (to - 1u)) == 0u; }

// erClusterInfoIsRight tells what memory accesses may rely on.
bool erClusterInfoIsRight(ErClusterCommand c, ErClusterInfo i) {
    bool counts = i.triangles <= c.mostTriangles && i.vertices <= c.mostVertices;
    bool width = i.indexBytes == 1u || i.indexBytes == 2u || i.indexBytes == 4u;
    bool positions = i.vertexAt != uvec2(0u) || c.op == ER_OP_TEMPLATE;
    bool there = i.triangles == 0u || (i.vertices > 0u && i.indexAt != uvec2(0u) && positions);
    bool aligned = erAligned(i.vertexAt, i.vertexStride, c.formatBytes >> 8) && erAligned(i.wordAt, i.wordStride, 4u);
    return counts && width && there && aligned && erAligned(i.indexAt, i.indexStride, i.indexBytes) && i.id != ER_NO_CLUSTER;
}

// Of a header's counts: whether it is a direct cluster or a template of some, leaves of others, nodes, and the triangles that there
// is room for.
bool erIsDirect(uint counts) { return (counts & ER_CLUSTER_IS_FAST) != 0u; }
uint erClusterLeaves(uint counts) { return ((counts & 511u) + ER_CLUSTER_LEAF - 1u) / ER_CLUSTER_LEAF; }
uint erClusterSlots(uint counts) { return erIsDirect(counts) ? max(counts & 511u, 2u) : counts & 511u; }
uint erClusterNodes(uint counts) { return max(erIsDirect(counts) ? erClusterSlots(counts) : erClusterLeaves(counts), 1u) - 1u; }

// erClusterBytes is the size of a cluster with such counts.
uint erClusterBytes(uint counts) {
    uint vertices = (counts >> ER_CLUSTER_VERTEX_SHIFT) & 511u, slots = erClusterSlots(counts);
    bool words = (counts & ER_CLUSTER_HAS_WORDS) != 0u;
    uint behind = erIsDirect(counts) ? slots * ER_DIRECT_SIZE : slots * (words ? 8u : 4u) + vertices * 12u;
    uint bytes = ER_CLUSTER_HEADER_SIZE + erClusterNodes(counts) * ER_NODE_SIZE + behind;
    return (bytes + ER_CLUSTER_ALIGNMENT - 1u) & ~(ER_CLUSTER_ALIGNMENT - 1u);
}

// Where a cluster's triangles are, and a template's.
uint erTrianglesAt(uint counts) { return ER_CLUSTER_HEADER_SIZE + erClusterNodes(counts) * ER_NODE_SIZE; }
uint erTemplateTrianglesAt(uint counts) { return ER_CLUSTER_HEADER_SIZE + (erIsDirect(counts) ? erClusterNodes(counts) * 4u : 0u); }

// erTemplateBytes is the size of a template with so many positions.
uint erTemplateBytes(uint counts, uint vertices) {
    bool words = (counts & ER_CLUSTER_HAS_WORDS) != 0u;
    uint bytes = erTemplateTrianglesAt(counts) + erClusterSlots(counts) * (words ? 8u : 4u) + vertices * 12u;
    return (bytes + ER_TEMPLATE_ALIGNMENT - 1u) & ~(ER_TEMPLATE_ALIGNMENT - 1u);
}

// erClustersBytes is the size of a bottom level over clusters.
uint erClustersBytes(uint clusters) {
    uint bytes = ER_HEADER_SIZE + (max(clusters, 1u) - 1u) * ER_NODE_SIZE + clusters * ER_RECORD_SIZE;
    return (bytes + 255u) & ~255u;
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ErClusterView {
    uint magic, id, counts, flags;
    vec3 boundsMin;
    uint geometry;
    vec3 boundsMax;
    uint bytes;
    uint root, form, pad0, pad1;
};

// erRecordOf is the record of a cluster in a bottom level.
uvec4 erRecordOf(uvec2 at) {
    ErClusterView h = ErClusterView(at);
    return uvec4(h.root, h.form, at);
}

// erRecordsRef refers to records.
uint erRecordsRef(uint first, uint count) { return ER_REF_RECORDS_OF | (count - 1u) << ER_REF_RECORDS_SHIFT | first; }

// erClusterRef refers to the cluster of a record from a bottom level's nodes: to its root, if that is a direct cluster's and near.
uint erClusterRef(uint reach, uvec2 nodes, uint number, uvec2 at) {
    uint root = ErClusterView(at).root;
    uint borrow, high;
    uvec2 way = uvec2(usubBorrow(at.x, nodes.x, borrow), 0u);
    way.y = at.y - nodes.y - borrow;
    uint place = (way.x >> 6 | way.y << 26) + ER_CLUSTER_HEADER_SIZE / 64u;
    high = uint(int(way.y) >> 6); // what else there is of the place
    bool near = high == (int(place) < 0 ? ~0u : 0u) && uint(abs(int(place))) < reach;
    return root == ER_REF_DIRECT && near ? ER_REF_DIRECT | (place & ER_REF_DIRECT_MASK) : erRecordsRef(number, 1u);
}

bool erIsCluster(uvec2 address, uint magic) {
    return address != uvec2(0u) && (address.x & 31u) == 0u && ErClusterView(address).magic == magic;
}

#endif
