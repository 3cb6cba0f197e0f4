#version 460
#extension GL_GOOGLE_include_directive : require
// Makes clusters of templates and vertices, one for each workgroup. The template has the triangles in the tree's order.
#include "bvh/cluster/tree.glsl"

void main() {
    ErClusterCommand c = erCommand();
    uint k = erGroup(), lane = gl_LocalInvocationIndex;
    if (k >= erOperations(c)) {
        return; // the whole workgroup, here and below
    }
    ErPlace p = erPlaceOf(c, k);
    if (p.bytes == 0u) {
        return;
    }
    // VkClusterAccelerationStructureInstantiateClusterInfoNV
    ErUintView v = erInfo(c, k);
    uint id = v.v[0], offset = v.v[1] & ER_GEOMETRY_INDEX_MASK;
    uvec2 from = uvec2(v.v[2], v.v[3]), vertexAt = uvec2(v.v[4], v.v[5]);
    uint stride = v.v[6] == 0u ? c.formatBytes & 255u : v.v[6];
    ErClusterView t = ErClusterView(from);
    uint counts = t.counts, made = erInstantiated(c, counts);
    uint count = counts & 511u, vertices = (counts >> ER_CLUSTER_VERTEX_SHIFT) & 511u, slots = erClusterSlots(counts);
    bool words = (counts & ER_CLUSTER_HAS_WORDS) != 0u, direct = erIsDirect(made);
    uvec2 triangleAt = erAddress(from, erTemplateTrianglesAt(counts));
    if (vertexAt != uvec2(0u)) {
        fetchCorners(c, vertexAt, stride, vertices, (counts >> ER_CLUSTER_TRUNCATE_SHIFT) & 63u);
    } else {
        ErFloatView f = ErFloatView(erAddress(triangleAt, slots * (words ? 8u : 4u)));
        for (uint n = lane; n < 3u * vertices; n += LANES) {
            corners[n] = f.v[n];
        }
    }
    for (uint n = lane; n < slots; n += LANES) {
        triangles[n] = ErUintView(triangleAt).v[n];
    }
    for (uint n = lane; direct && n < erClusterNodes(made); n += LANES) {
        shape[n] = ErUintView(erAddress(from, ER_CLUSTER_HEADER_SIZE)).v[n];
    }
    barrier();
    uint geometry = t.geometry;
    uint index = (geometry + offset) & ER_GEOMETRY_INDEX_MASK; // the offset's sign is in its 24 bits
    if (direct) {
        writeDirect(p.address, t.id + id, made, t.flags, index | (geometry & 0xe0000000u), p.bytes);
    } else {
        writeByWords(p.address, t.id + id, made, t.flags, index | (geometry & 0xe0000000u), p.bytes);
    }
    // Behind what writes one word for all, a triangle's by the same lane.
    uint at = erTrianglesAt(made) + (direct ? ER_TRIANGLE_GEOMETRY : 4u * count);
    for (uint n = lane; words && n < count; n += LANES) {
        uint w = ErUintView(triangleAt).v[slots + n];
        ErWordsOut(erAddress(p.address, at)).v[direct ? n * (ER_DIRECT_SIZE / 4u) : n] =
            ((w + offset) & ER_GEOMETRY_INDEX_MASK) | (w & 0xe0000000u);
    }
}
