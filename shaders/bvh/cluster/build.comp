#version 460
#extension GL_GOOGLE_include_directive : require
// Builds clusters and templates from triangles, one for each workgroup. Triangles are put into the tree's order from the top down:
// those of a node are sorted along the longest axis of their middles, by counting what comes before, and cut at the leaf in the
// middle.
#include "bvh/cluster/tree.glsl"

const uint SAMPLED = 32u;
const uint EACH = MOST / LANES; // triangles of a lane

shared vec4 middles[MOST]; // of triangles, with the number of each

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

// placeOf is where a triangle goes among those of its node, [from, to).
uint placeOf(uint n, uint from, uint to) {
    vec4 mine = middles[n];
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
    uint place = from;
    for (uint k = from; k < to; k++) {
        float other = middles[k][axis];
        place += other < key || (other == key && k < n) ? 1u : 0u;
    }
    return place;
}

// sortTriangles moves the middles into the tree's order. A lane has the triangles that are EACH lanes apart.
void sortTriangles(uint counts) {
    uint lane = gl_LocalInvocationIndex, count = counts & 511u, leaves = erClusterLeaves(counts), leaf = erLeafSize(counts);
    uint first[EACH], end[EACH], place[EACH]; // leaves of the nodes that the triangles are in
    vec4 mine[EACH];
    for (uint e = 0u; e < EACH; e++) {
        first[e] = 0u;
        end[e] = leaves;
    }
    for (uint size = leaves; size > 1u; size = (size + 1u) / 2u) {
        for (uint e = 0u; e < EACH; e++) {
            uint n = e * LANES + lane;
            if (n < count && end[e] - first[e] > 1u) {
                mine[e] = middles[n];
                place[e] = placeOf(n, first[e] * leaf, min(end[e] * leaf, count));
            }
        }
        barrier();
        for (uint e = 0u; e < EACH; e++) {
            uint n = e * LANES + lane;
            if (n < count && end[e] - first[e] > 1u) {
                middles[place[e]] = mine[e];
            }
        }
        barrier();
        for (uint e = 0u; e < EACH; e++) {
            uint n = e * LANES + lane;
            if (n < count && end[e] - first[e] > 1u) {
                uint middle = splitOf(first[e], end[e]);
                if (n < middle * leaf) {
                    end[e] = middle;
                } else {
                    first[e] = middle;
                }
            }
        }
    }
}

// orderTriangles brings the triangles into the order of their middles.
void orderTriangles(uint count) {
    uint word[EACH];
    for (uint e = 0u; e < EACH; e++) {
        uint n = e * LANES + gl_LocalInvocationIndex;
        word[e] = n < count ? triangles[floatBitsToUint(middles[n].w) & 255u] : 0u;
    }
    barrier();
    for (uint e = 0u; e < EACH; e++) {
        triangles[e * LANES + gl_LocalInvocationIndex] = word[e];
    }
    barrier();
}

void writeTemplate(ErClusterInfo i, ErPlace p, uint counts) {
    uint lane = gl_LocalInvocationIndex;
    uvec2 triangleAt = erAddress(p.address, ER_CLUSTER_HEADER_SIZE);
    for (uint n = lane; n < i.triangles; n += LANES) {
        ErWordsOut(triangleAt).v[n] = triangles[n];
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
    for (uint n = lane; n < i.triangles; n += LANES) {
        uint word = fetchTriangle(i, n);
        vec3 lo = vec3(0.0), hi = vec3(0.0);
        if (!positions || !triangleBox(word, i.vertices, lo, hi)) {
            lo = vec3(0.0);
            hi = vec3(0.0);
        }
        middles[n] = vec4(0.5 * lo + 0.5 * hi, uintBitsToFloat(n | 0x3f800000u)); // a number, for drivers that change others
        triangles[n] = word;
    }
    barrier();
    if (positions) {
        sortTriangles(counts);
    }
    orderTriangles(i.triangles);
    uint nodes = c.op == ER_OP_CLUSTER ? erClusterNodes(counts) : 0u;
    uint wordsAt = ER_CLUSTER_HEADER_SIZE + nodes * ER_NODE_SIZE + 4u * i.triangles;
    for (uint n = lane; words && n < i.triangles; n += LANES) {
        uint w = ErUintView(erOffset(i.wordAt, triangles[n] >> 24, i.wordStride)).v[0];
        uint index = ((i.geometry & ER_GEOMETRY_INDEX_MASK) + (w & ER_GEOMETRY_INDEX_MASK)) & ER_GEOMETRY_INDEX_MASK;
        ErWordsOut(erAddress(p.address, wordsAt)).v[n] = index | ((i.geometry | w) & 0xe0000000u);
    }
    barrier();
    if (c.op == ER_OP_CLUSTER) {
        writeCluster(p.address, i.id, counts, i.flags, i.geometry & ~0x1f000000u, p.bytes);
    } else {
        writeTemplate(i, p, counts | (positions ? ER_CLUSTER_HAS_VERTICES : 0u));
    }
}
