#version 460
#extension GL_GOOGLE_include_directive : require
// Arguments as DXR 2.0 has them, written as those that all other kernels read, one operation for each workgroup. Geometry words,
// and vertices where those are packed or are to be converted, go to scratch memory. What is wrong becomes arguments that are.
//   push.tasks  the ErClusterDialect
//   push.pass   TRANSLATE_ARGUMENTS before all other kernels; TRANSLATE_TEMPLATES behind the build of templates, of which each
//               gets what its instances' vertices are converted to
#include "bvh/cluster/convert.glsl"
layout(local_size_x = 64) in;

const uint TRANSLATE_ARGUMENTS = 0u;
const uint TRANSLATE_TEMPLATES = 1u;

// Written by bvh/clusterdialect.go, beside an ErClusterCommand whose infos are those that this kernel writes.
struct ErClusterDialect {
    uvec2 infos;       // as the application wrote them
    uvec2 words;       // room for geometry words: the command's mostTriangles for each operation
    uvec2 vertices;    // room for vertices: mostVertices of three floats
    uint infoStride;
    uint resolve;      // as the command's, of infos
    uint format;       // of vertices as they are: ER_FORMAT_* | components << 4
    uint formatBytes;  // as the command's
    uint indexBytes;   // of an index of a vertex
    uint wordIndexBytes; // of an index of a geometry word
    uint mostWords;    // of a table of words; 0: nobody said
    uint instanceFormat; // of templates: what instances' vertices are converted to
};
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer ErClusterDialectView { ErClusterDialect d; };

const uint WORD_MASK = 0xc0ffffffu; // an index, ER_GEOMETRY_NO_DUPLICATE and ER_GEOMETRY_OPAQUE

shared uint bad;         // wrong, as some lane found
shared int least[3];     // of quantised positions

ErUintView infoOf(ErClusterCommand c, ErClusterDialect d, uint k) {
    uvec2 infos = d.infos;
    if (d.resolve != 0u) {
        ErUintView v = ErUintView(infos);
        infos = uvec2(v.v[0], v.v[1]);
    }
    return ErUintView(erOffset(infos, k, d.infoStride));
}

// readable tells whether vertices are where they can be read.
bool readable(ErClusterDialect d, uvec2 at, uint stride) {
    if (!erPacked(d.format)) {
        return erAligned(at, stride, d.formatBytes >> 8);
    }
    return (at.x & 3u) == 0u && erIsQuanta(erQuantaAt(at));
}

ErGeometry geometryOf(ErClusterDialect d, uvec2 at, uint stride) {
    ErGeometry g;
    g.vertices = at;
    g.stride = stride == 0u ? d.formatBytes & 255u : stride;
    g.firstVertex = 0u;
    g.format = d.format;
    return g;
}

void putVertex(uvec2 room, uint n, vec3 v) {
    ErWordsOut out_ = ErWordsOut(erOffset(room, n, 12u));
    out_.v[0] = floatBitsToUint(v.x);
    out_.v[1] = floatBitsToUint(v.y);
    out_.v[2] = floatBitsToUint(v.z);
}

// triangles writes the arguments of a cluster or a template.
void triangles(ErClusterCommand c, ErClusterDialect d, uint k) {
    uint lane = gl_LocalInvocationIndex;
    ErUintView v = infoOf(c, d, k);
    uint count = v.v[2] & 0xffffu, vertices = v.v[2] >> 16, truncate = v.v[7] & 0xffffu;
    uint vertexStride = v.v[5] & 0xffffu, indexStride = v.v[5] >> 16, wordStride = v.v[6] >> 16;
    uvec2 vertexAt = uvec2(v.v[8], v.v[9]), tableAt = uvec2(v.v[12], v.v[13]), listAt = uvec2(v.v[14], v.v[15]);
    bool right = count <= c.mostTriangles && vertices <= c.mostVertices && truncate <= 32u;
    right = right && (vertexAt == uvec2(0u) || readable(d, vertexAt, vertexStride));
    right = right && erAligned(tableAt, wordStride, 4u) && (listAt == uvec2(0u) || tableAt != uvec2(0u));
    right = right && (listAt == uvec2(0u) || (d.wordIndexBytes > 0u && (listAt.x & (d.wordIndexBytes - 1u)) == 0u));
    if (c.op == ER_OP_TEMPLATE && erPacked(d.instanceFormat)) {
        right = right && erIsQuanta(erQuantaOf(v.v[20]));
    }
    uvec2 wordAt = tableAt == uvec2(0u) ? tableAt : erOffset(d.words, k * c.mostTriangles, 4u);
    for (uint n = lane; right && tableAt != uvec2(0u) && n < count; n += gl_WorkGroupSize.x) {
        uint m = listAt == uvec2(0u) ? n : erLoadNumber(listAt, n, d.wordIndexBytes);
        if (d.mostWords != 0u && listAt != uvec2(0u) && m >= d.mostWords) {
            atomicOr(bad, 1u);
            m = 0u;
        }
        uint word = ErUintView(erOffset(tableAt, m, wordStride == 0u ? 4u : wordStride)).v[0];
        ErWordsOut(wordAt).v[n] = word & WORD_MASK;
    }
    if (erPacked(d.format) && right && vertexAt != uvec2(0u)) {
        uvec2 room = erOffset(d.vertices, k * c.mostVertices, 12u);
        for (uint n = lane; n < vertices; n += gl_WorkGroupSize.x) {
            putVertex(room, n, erUnpackVertex(vertexAt, erQuantaAt(vertexAt), n));
        }
        vertexAt = room;
    }
    vertexStride = erPacked(d.format) ? 12u : vertexStride;
    barrier();
    if (lane > 0u) {
        return;
    }
    right = right && bad == 0u;
    ErUintView o = erInfo(c, k);
    o.v[0] = v.v[0];
    o.v[1] = v.v[1];
    o.v[2] = right ? count | vertices << 9 | truncate << 18 | d.indexBytes << 24 : 0u; // no width of indices is wrong
    o.v[3] = v.v[3] & WORD_MASK;
    o.v[4] = indexStride | vertexStride << 16;
    o.v[5] = 4u;
    o.v[6] = v.v[10];
    o.v[7] = v.v[11];
    o.v[8] = vertexAt.x;
    o.v[9] = vertexAt.y;
    o.v[10] = wordAt.x;
    o.v[11] = wordAt.y;
    for (uint w = 12u; w < 16u; w++) {
        o.v[w] = v.v[w + 4u]; // of micromaps
    }
    if (c.op == ER_OP_TEMPLATE) {
        o.v[16] = 0u;
        o.v[17] = 0u;
    }
}

// instance writes the arguments of an instance of a template, whose vertices are converted to the template's format.
void instance(ErClusterCommand c, ErClusterDialect d, uint k) {
    uint lane = gl_LocalInvocationIndex;
    ErUintView v = infoOf(c, d, k);
    uvec2 from = uvec2(v.v[2], v.v[3]), vertexAt = uvec2(v.v[4], v.v[5]);
    bool right = erIsCluster(from, ER_TEMPLATE_MAGIC);
    uint counts = right ? ErClusterView(from).counts : 0u, format = 0u, packed = 0u;
    uint vertices = (counts >> ER_CLUSTER_VERTEX_SHIFT) & 511u;
    right = right && vertices <= c.mostVertices && (counts & 511u) <= c.mostTriangles;
    right = right && (vertexAt != uvec2(0u) ? readable(d, vertexAt, v.v[6]) : (counts & 511u) == 0u);
    bool some = right && vertexAt != uvec2(0u);
    if (right) {
        format = ErUintView(erAddress(from, ER_CLUSTER_HEADER_FORMAT)).v[0];
        packed = ErUintView(erAddress(from, ER_CLUSTER_HEADER_QUANTA)).v[0];
    }
    ErQuanta to = erQuantaOf(packed), source = ErQuanta(0u, uvec3(0u), ivec3(0));
    bool verbatim = erPacked(d.format) && erPacked(format), quantised = false;
    if (some && erPacked(d.format)) {
        source = erQuantaAt(vertexAt);
        verbatim = verbatim && all(lessThanEqual(source.bits, to.bits));
    }
    quantised = some && erPacked(format) && !verbatim;
    uvec2 room = erOffset(d.vertices, k * c.mostVertices, 12u);
    for (uint n = lane; right && n < vertices; n += gl_WorkGroupSize.x) {
        vec3 p = vec3(0.0);
        if (some) {
            p = erPacked(d.format) ? erUnpackVertex(vertexAt, source, n) : erFetchVertex(geometryOf(d, vertexAt, v.v[6]), n);
            p = erPacked(format) ? p : erConverted(p, format);
        }
        if (quantised) {
            for (uint axis = 0u; axis < 3u; axis++) {
                if (erIsNumber(p[axis])) {
                    atomicMin(least[axis], erQuantised(p[axis], to.exponent));
                }
            }
        }
        putVertex(room, n, p);
    }
    barrier();
    to.anchor = ivec3(least[0], least[1], least[2]);
    for (uint n = lane; quantised && n < vertices; n += gl_WorkGroupSize.x) { // those that this lane wrote
        ErFloatView p = ErFloatView(erOffset(room, n, 12u));
        putVertex(room, n, erQuantise(vec3(p.v[0], p.v[1], p.v[2]), to));
    }
    if (lane == 0u) {
        ErUintView o = erInfo(c, k);
        o.v[0] = v.v[1];
        o.v[1] = v.v[0];
        o.v[2] = right ? from.x : 0u;
        o.v[3] = right ? from.y : 0u;
        o.v[4] = room.x;
        o.v[5] = room.y;
        o.v[6] = 12u;
        o.v[7] = 0u;
    }
}

void main() {
    ErClusterCommand c = erCommand();
    ErClusterDialect d = ErClusterDialectView(push.tasks).d;
    uint k = erGroup(), lane = gl_LocalInvocationIndex;
    if (k >= erOperations(c)) {
        return; // the whole workgroup, here and below
    }
    if (push.pass == TRANSLATE_TEMPLATES) {
        ErPlace p = erPlaceOf(c, k);
        if (p.bytes != 0u && lane == 0u) {
            ErUintView(erAddress(p.address, ER_CLUSTER_HEADER_FORMAT)).v[0] = d.instanceFormat;
            if (erPacked(d.instanceFormat)) {
                ErUintView(erAddress(p.address, ER_CLUSTER_HEADER_QUANTA)).v[0] = infoOf(c, d, k).v[20];
            }
        }
        return;
    }
    if (lane == 0u) {
        bad = 0u;
        uvec2 sizes = erResolved(c, c.sizes, ER_RESOLVE_SIZES);
        if (sizes != uvec2(0u)) {
            ErUintView(erOffset(sizes, k, c.sizeStride)).v[1] = 0u; // sizes have 64 bits
        }
    }
    if (lane < 3u) {
        least[lane] = 0x7fffff;
    }
    barrier();
    switch (c.op) {
    case ER_OP_CLUSTER:
    case ER_OP_TEMPLATE:
        triangles(c, d, k);
        break;
    case ER_OP_INSTANTIATE:
        instance(c, d, k);
        break;
    }
}
