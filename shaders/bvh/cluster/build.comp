#version 460
#extension GL_GOOGLE_include_directive : require
// Builds clusters and templates from triangles, one for each workgroup. Triangles are put into the tree's order from the top down:
// those of a node are sorted along the longest axis of their middles, by counting what comes before, and cut at the leaf in the
// middle. For direct clusters see heuristic.glsl. KINDS says which are built.
#include "bvh/cluster/heuristic.glsl"

const uint SAMPLED = 16u;

shared vec4 middles[KINDS == 2u ? 1u : MOST];    // of triangles, with the number of each
shared uvec4 keys[KINDS == 2u ? 1u : MOST / 4u]; // of triangles, four at once: leaves begin at multiples

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

// keyOf is what a triangle is sorted by among those of its node, [from, to): the middle along the longest axis. Its number is in
// the lowest bits, so that no two are equal.
uint keyOf(uint n, uint from, uint to) {
    vec3 lo = middles[from].xyz, hi = lo;
    uint step = max((to - from) / SAMPLED, 1u); // of many a part tells which axis is the longest
    for (uint k = from + step; k < to; k += step) {
        vec3 m = middles[k].xyz;
        lo = min(lo, m);
        hi = max(hi, m);
    }
    vec3 extent = hi - lo, mine = middles[n].xyz;
    float along = extent.x >= extent.y && extent.x >= extent.z ? mine.x : (extent.y >= extent.z ? mine.y : mine.z);
    uint bits = floatBitsToUint(along);
    return ((bits ^ (int(bits) < 0 ? ~0u : 0x80000000u)) & ~255u) | n;
}

// placeOf is where a triangle goes: behind those of lower keys.
uint placeOf(uint key, uint from, uint to) {
    uint place = from;
    for (uint k = from / 4u; 4u * k < to; k++) {
        uvec4 q = keys[k];
        place += (q.x < key ? 1u : 0u) + (q.y < key ? 1u : 0u) + (q.z < key ? 1u : 0u) + (q.w < key ? 1u : 0u);
    }
    return place;
}

// sortTriangles moves the middles into the tree's order. A lane has the triangles that are EACH lanes apart.
void sortTriangles(uint counts) {
    uint lane = gl_LocalInvocationIndex, count = counts & 511u, leaves = erClusterLeaves(counts);
    uint first[EACH], end[EACH], key[EACH]; // leaves of the nodes that the triangles are in
    vec4 mine[EACH];
    for (uint e = 0u; e < EACH; e++) {
        uint n = e * LANES + lane;
        first[e] = 0u;
        end[e] = n < count ? leaves : 0u;
        keys[n / 4u][n % 4u] = ~0u; // behind the last triangle, too
    }
    for (uint size = leaves; size > 1u; size = (size + 1u) / 2u) {
        for (uint e = 0u; e < EACH; e++) {
            uint n = e * LANES + lane;
            if (end[e] - first[e] > 1u) {
                mine[e] = middles[n];
                key[e] = keyOf(n, first[e] * ER_CLUSTER_LEAF, min(end[e] * ER_CLUSTER_LEAF, count));
                keys[n / 4u][n % 4u] = key[e];
            }
        }
        barrier();
        for (uint e = 0u; e < EACH; e++) {
            if (end[e] - first[e] > 1u) {
                uint place = placeOf(key[e], first[e] * ER_CLUSTER_LEAF, min(end[e] * ER_CLUSTER_LEAF, count));
                middles[place] = mine[e];
            }
        }
        barrier();
        for (uint e = 0u; e < EACH; e++) {
            uint n = e * LANES + lane;
            if (end[e] - first[e] > 1u) {
                uint middle = splitOf(first[e], end[e]);
                if (n < middle * ER_CLUSTER_LEAF) {
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
    uint lane = gl_LocalInvocationIndex, slots = erClusterSlots(counts);
    for (uint n = lane; KINDS == 2u && n < erClusterNodes(counts); n += LANES) {
        ErWordsOut(erAddress(p.address, ER_CLUSTER_HEADER_SIZE)).v[n] = shape[n];
    }
    uint trianglesAt = erTemplateTrianglesAt(counts);
    for (uint n = lane; n < slots; n += LANES) {
        ErWordsOut(erAddress(p.address, trianglesAt)).v[n] = n < i.triangles ? triangles[n] : 0u;
    }
    uint end = trianglesAt + slots * ((counts & ER_CLUSTER_HAS_WORDS) != 0u ? 8u : 4u);
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
    bool positions = i.vertexAt != uvec2(0u);
    if (positions) {
        fetchCorners(c, i.vertexAt, i.vertexStride, i.vertices, i.truncate);
    }
    barrier();
    for (uint n = lane; n < MOST; n += LANES) {
        uint word = n < i.triangles ? fetchTriangle(i, n) : 0u;
        vec3 lo = vec3(0.0), hi = vec3(0.0);
        if (KINDS != 2u && (n >= i.triangles || !positions || !triangleBox(word, i.vertices, lo, hi))) {
            lo = vec3(0.0);
            hi = vec3(0.0);
        }
        if (KINDS != 2u) {
            middles[n] = vec4(0.5 * lo + 0.5 * hi, uintBitsToFloat(n | 0x3f800000u)); // a number, for drivers that change others
        }
        triangles[n] = word;
    }
    barrier();
    if (KINDS == 2u) {
        if (positions && i.triangles > 1u) {
            sortByHeuristic(i.triangles, i.vertices);
        } else {
            halveSlots(erClusterSlots(counts));
        }
    } else {
        if (positions) {
            sortTriangles(counts);
        }
        orderTriangles(i.triangles);
    }
    if (c.op == ER_OP_CLUSTER) {
        uint geometry = i.geometry & ~0x1f000000u;
        if (KINDS == 2u) {
            writeDirect(p.address, i.id, counts, i.flags, geometry, p.bytes);
        } else {
            writeByWords(p.address, i.id, counts, i.flags, geometry, p.bytes);
        }
    } else {
        writeTemplate(i, p, counts | (positions ? ER_CLUSTER_HAS_VERTICES : 0u));
    }
    // Behind what writes one word for all, a triangle's by the same lane.
    bool direct = KINDS == 2u && c.op == ER_OP_CLUSTER;
    uint slots = erClusterSlots(counts);
    uint wordsAt = (c.op == ER_OP_CLUSTER ? erTrianglesAt(counts) : erTemplateTrianglesAt(counts)) +
                   (direct ? ER_TRIANGLE_GEOMETRY : 4u * slots);
    for (uint n = lane; (counts & ER_CLUSTER_HAS_WORDS) != 0u && n < i.triangles; n += LANES) {
        uint w = ErUintView(erOffset(i.wordAt, triangles[n] >> 24, i.wordStride)).v[0];
        uint index = ((i.geometry & ER_GEOMETRY_INDEX_MASK) + (w & ER_GEOMETRY_INDEX_MASK)) & ER_GEOMETRY_INDEX_MASK;
        uint at = direct ? n * (ER_DIRECT_SIZE / 4u) : n;
        ErWordsOut(erAddress(p.address, wordsAt)).v[at] = index | ((i.geometry | w) & 0xe0000000u);
    }
}
