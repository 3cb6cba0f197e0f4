#version 460
#extension GL_GOOGLE_include_directive : require
// Builds clusters and templates from triangles, one for each workgroup. Triangles are put into the tree's order from the top down:
// those of a node are sorted along the longest axis of their middles, by counting what comes before, and cut at the leaf in the
// middle.
#include "bvh/cluster/tree.glsl"

const uint SAMPLED = 32u;

shared vec4 middles[LANES]; // of triangles, with the number of each

uint loadIndex(ErClusterInfo i, uint n) {
    uvec2 at = erOffset(i.indexAt, n, i.indexStride);
    uint v = i.indexBytes == 4u ? ErUintView(at).v[0] : (i.indexBytes == 2u ? erLoad16(at) : erLoad8(at));
    return min(v, 255u); // what is larger is no vertex, see fetchTriangle
}

// fetchTriangle reads a triangle's indices. Those beyond the vertices stand for a triangle that cannot be hit; index 255 of fewer
// vertices is one.
uint fetchTriangle(ErClusterInfo i, uint n) {
    return loadIndex(i, 3u * n) | loadIndex(i, 3u * n + 1u) << 8 | loadIndex(i, 3u * n + 2u) << 16 | n << 24;
}

// sortTriangles moves the middles into the tree's order.
void sortTriangles(uint counts) {
    uint lane = gl_LocalInvocationIndex, count = counts & 511u, leaves = erClusterLeaves(counts), leaf = erLeafSize(counts);
    uint first = 0u, end = leaves; // leaves of the node that the lane's triangle is in
    for (uint size = leaves; size > 1u; size = (size + 1u) / 2u) {
        bool open = lane < count && end - first > 1u;
        uint from = first * leaf, to = min(end * leaf, count), place = from;
        vec4 mine;
        if (open) {
            mine = middles[lane];
            vec3 lo = middles[from].xyz, hi = lo;
            uint step = to - from > SAMPLED ? 4u : 1u; // of many a part tells which axis is the longest
            for (uint k = from; k < to; k += step) {
                vec3 m = middles[k].xyz;
                lo = min(lo, m);
                hi = max(hi, m);
            }
            vec3 extent = hi - lo;
            uint axis = extent.x >= extent.y && extent.x >= extent.z ? 0u : (extent.y >= extent.z ? 1u : 2u);
            float key = axis == 0u ? mine.x : (axis == 1u ? mine.y : mine.z);
            for (uint k = from; k < to; k++) {
                float other = middles[k][axis];
                place += other < key || (other == key && k < lane) ? 1u : 0u;
            }
        }
        barrier();
        if (open) {
            middles[place] = mine;
        }
        barrier();
        if (open) {
            uint middle = splitOf(first, end);
            if (lane < middle * leaf) {
                end = middle;
            } else {
                first = middle;
            }
        }
    }
}

void writeTemplate(ErClusterInfo i, ErPlace p, uint counts) {
    uint lane = gl_LocalInvocationIndex;
    uvec2 triangleAt = erAddress(p.address, ER_CLUSTER_HEADER_SIZE);
    if (lane < i.triangles) {
        ErWordsOut(triangleAt).v[lane] = triangles[lane];
    }
    uint end = ER_CLUSTER_HEADER_SIZE + i.triangles * ((counts & ER_CLUSTER_HAS_WORDS) != 0u ? 8u : 4u);
    writeCorners(p.address, end, (counts & ER_CLUSTER_HAS_VERTICES) != 0u ? 3u * i.vertices : 0u, p.bytes);
    if (lane == 0u) {
        ErClusterView h = ErClusterView(p.address);
        h.magic = ER_TEMPLATE_MAGIC;
        h.id = i.id;
        h.counts = counts;
        h.flags = i.flags;
        h.boundsMin = vec3(0.0);
        h.geometry = i.geometry & ~0x1f000000u;
        h.boundsMax = vec3(0.0);
        h.bytes = p.bytes;
        h.root = ER_REF_NONE;
        h.form = 0u;
        h.pad0 = 0u;
        h.pad1 = 0u;
    }
}

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
    ErClusterInfo i = erClusterInfo(c, k);
    uint counts = erCountsOf(c, i);
    bool positions = i.vertexAt != uvec2(0u), words = i.wordAt != uvec2(0u);
    if (positions) {
        fetchCorners(c, i.vertexAt, i.vertexStride, i.vertices, i.truncate);
    }
    barrier();
    uint word = 0u;
    if (lane < i.triangles) {
        word = fetchTriangle(i, lane);
        vec3 lo = vec3(0.0), hi = vec3(0.0);
        if (!positions || !triangleBox(word, i.vertices, lo, hi)) {
            lo = vec3(0.0);
            hi = vec3(0.0);
        }
        middles[lane] = vec4(0.5 * lo + 0.5 * hi, uintBitsToFloat(lane | 0x3f800000u)); // a number, for drivers that change others
        triangles[lane] = word;
    }
    barrier();
    if (positions) {
        sortTriangles(counts);
    }
    if (lane < i.triangles) {
        word = triangles[floatBitsToUint(middles[lane].w) & 255u];
    }
    barrier();
    triangles[lane] = word;
    if (words && lane < i.triangles) {
        uint nodes = c.op == ER_OP_CLUSTER ? erClusterNodes(counts) : 0u;
        uint at = ER_CLUSTER_HEADER_SIZE + nodes * ER_NODE_SIZE + 4u * i.triangles;
        uint w = ErUintView(erOffset(i.wordAt, word >> 24, i.wordStride)).v[0];
        uint index = ((i.geometry & ER_GEOMETRY_INDEX_MASK) + (w & ER_GEOMETRY_INDEX_MASK)) & ER_GEOMETRY_INDEX_MASK;
        ErWordsOut(erAddress(p.address, at)).v[lane] = index | ((i.geometry | w) & 0xe0000000u);
    }
    barrier();
    if (c.op == ER_OP_CLUSTER) {
        writeCluster(p.address, i.id, counts, i.flags, i.geometry & ~0x1f000000u, p.bytes);
    } else {
        writeTemplate(i, p, counts | (positions ? ER_CLUSTER_HAS_VERTICES : 0u));
    }
}
