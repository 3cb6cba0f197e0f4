#version 460
#extension GL_GOOGLE_include_directive : require
// How many bytes each operation's result takes, and how far behind the first of its block it goes. A workgroup does
// ER_PLACE_BLOCK operations.
#include "bvh/cluster/command.glsl"
layout(local_size_x = ER_PLACE_BLOCK) in;

shared uint sums[2u * ER_PLACE_BLOCK];

// movedBytes is the size of what is at an address.
uint movedBytes(ErClusterCommand c, uvec2 from) {
    if (c.type == ER_OP_BOTTOM_LEVEL - 1u) {
        if (from == uvec2(0u) || (from.x & 255u) != 0u) {
            return 0u;
        }
        ErHeaderView h = ErHeaderView(from);
        uint kind = ErUintView(erAddress(from, ER_HEADER_LEAF_KIND)).v[0];
        return h.selfMagicVersion.z == ER_AS_MAGIC && kind == ER_LEAF_CLUSTERS
            ? ErUintView(erAddress(from, ER_HEADER_TOTAL_SIZE)).v[0] : 0u;
    }
    uint magic = c.type == ER_OP_CLUSTER - 1u ? ER_CLUSTER_MAGIC : ER_TEMPLATE_MAGIC;
    return erIsCluster(from, magic) ? ErClusterView(from).bytes : 0u;
}

uint instantiatedBytes(ErClusterCommand c, uvec2 from, uvec2 vertices, uint stride) {
    if (!erIsCluster(from, ER_TEMPLATE_MAGIC) || !erAligned(vertices, stride, c.formatBytes >> 8)) {
        return 0u;
    }
    uint counts = ErClusterView(from).counts;
    uint triangles = counts & 511u, corners = (counts >> ER_CLUSTER_VERTEX_SHIFT) & 511u;
    bool positions = vertices != uvec2(0u) || (counts & ER_CLUSTER_HAS_VERTICES) != 0u || triangles == 0u;
    bool fits = triangles <= c.mostTriangles && corners <= c.mostVertices;
    return positions && fits ? erClusterBytes(erInstantiated(c, counts)) : 0u;
}

// erHasMicromaps tells whether arguments name an array of micromaps or their indices, which nothing here reads: what would be
// built shows what they hide.
bool erHasMicromaps(ErUintView v) { return (v.v[12] | v.v[13] | v.v[14] | v.v[15]) != 0u; }

// resultBytes is the size of a result, zero of wrong arguments.
uint resultBytes(ErClusterCommand c, uint k) {
    if (c.op == ER_OP_CLUSTER || c.op == ER_OP_TEMPLATE) {
        ErClusterInfo i = erClusterInfo(c, k);
        if (!erClusterInfoIsRight(c, i) || erHasMicromaps(erInfo(c, k))) {
            return 0u;
        }
        uint counts = erCountsOf(c, i);
        return c.op == ER_OP_CLUSTER ? erClusterBytes(counts) : erTemplateBytes(counts, i.vertexAt != uvec2(0u) ? i.vertices : 0u);
    }
    ErUintView v = erInfo(c, k);
    if (c.op == ER_OP_BOTTOM_LEVEL) {
        uint stride = v.v[1] == 0u ? 8u : v.v[1];
        uvec2 list = uvec2(v.v[2], v.v[3]);
        bool right = v.v[0] <= c.mostClusters && stride >= 8u && erAligned(list, stride, 8u) && (v.v[0] == 0u || list != uvec2(0u));
        return right ? erClustersBytes(v.v[0]) : 0u;
    }
    if (c.op == ER_OP_INSTANTIATE) {
        return instantiatedBytes(c, uvec2(v.v[2], v.v[3]), uvec2(v.v[4], v.v[5]), v.v[6]);
    }
    uvec2 from = uvec2(v.v[0], v.v[1]);
    if (c.op == ER_OP_MOVE) {
        return movedBytes(c, from);
    }
    if (!erIsCluster(from, ER_TEMPLATE_MAGIC)) {
        return 0u;
    }
    uint counts = ErClusterView(from).counts;
    return 3u * (counts & 511u) * ((counts >> ER_CLUSTER_INDEX_SHIFT) & 7u);
}

// unit is what results are aligned to.
uint unit(ErClusterCommand c) {
    if (c.op == ER_OP_BOTTOM_LEVEL || (c.op == ER_OP_MOVE && c.type == ER_OP_BOTTOM_LEVEL - 1u)) {
        return 256u;
    }
    bool cluster = c.op == ER_OP_CLUSTER || c.op == ER_OP_INSTANTIATE || (c.op == ER_OP_MOVE && c.type == ER_OP_CLUSTER - 1u);
    return cluster ? ER_CLUSTER_ALIGNMENT : ER_TEMPLATE_ALIGNMENT;
}

void main() {
    uint block = erGroup(), lane = gl_LocalInvocationIndex;
    ErClusterCommand c = erCommand();
    uint k = block * ER_PLACE_BLOCK + lane, count = erOperations(c);
    if (block * ER_PLACE_BLOCK >= c.most) {
        return; // the whole workgroup
    }
    uint bytes = k < count ? resultBytes(c, k) : 0u;
    uvec2 to = uvec2(0u);
    if (c.mode == ER_TO_EXPLICIT && k < count) {
        ErUintView a = ErUintView(erOffset(erResolved(c, c.addresses, ER_RESOLVE_ADDRESSES), k, c.addressStride));
        to = uvec2(a.v[0], a.v[1]);
        uint aligned = c.op == ER_OP_INDICES ? 4u : unit(c);
        bytes = to == uvec2(0u) || (to.x & (aligned - 1u)) != 0u ? 0u : bytes;
    }
    uint units = (bytes + unit(c) - 1u) / unit(c) * (unit(c) / ER_PLACE_UNIT);
    uint from = 0u;
    sums[lane] = units;
    barrier();
    for (uint step = 1u; step < ER_PLACE_BLOCK; step *= 2u) {
        uint other = lane >= step ? sums[from + lane - step] : 0u;
        sums[(from ^ ER_PLACE_BLOCK) + lane] = sums[from + lane] + other;
        from ^= ER_PLACE_BLOCK;
        barrier();
    }
    if (k < c.most) {
        ErPlaceView(c.places).place[k] = ErPlace(to, bytes, sums[from + lane] - units);
    }
    if (lane == ER_PLACE_BLOCK - 1u) {
        ErUintView(c.sums).v[block] = sums[from + lane];
    }
}
