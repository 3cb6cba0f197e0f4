// Leaf records of updates.
#ifndef ER_BVH_REFIT_RECORDS_GLSL
#define ER_BVH_REFIT_RECORDS_GLSL
#include "bvh/refit/task.glsl"
#include "bvh/refit/bounds.glsl"

shared uint sharedVertices[CHUNKS * 3u * ER_CHUNK_VERTICES]; // bits

ErGeometry geometryOf(ErBuild b, uint index) {
    if (index == 0u) {
        return firstGeometry;
    }
    return ErGeometryView(b.geometries).geometry[index];
}

// known tells whether a record's primitive is in the input. Of a source that
// was built from the same counts all are.
bool known(ErBuild b, uint geometry, uint primitive) {
    return geometry < b.geometryCount && primitive < geometryOf(b, geometry).primitiveCount;
}

// settle marks a triangle of the input that nothing can hit, as erPrimitiveBox has it, and tells whether it is not one.
bool settle(inout ErCorners r) {
    if (!erFinite(r.v0) || !erFinite(r.v1) || !erFinite(r.v2)) {
        r.flags |= ER_TRIANGLE_INACTIVE;
    }
    return (r.flags & ER_TRIANGLE_INACTIVE) == 0u;
}

// newTriangle is a triangle from the input, or as it was, and whether anything can hit it.
bool newTriangle(ErBuild b, uvec2 leaves, uint form, uint k, out ErCorners r) {
    uvec2 primitive = erPrimitiveWords(leaves, k, form);
    uint index = primitive.y & ER_TRIANGLE_GEOMETRY_MASK;
    if (known(b, index, primitive.x)) {
        ErGeometry g = geometryOf(b, index);
        erFetchTriangle(g, primitive.x, r.v0, r.v1, r.v2);
        r.flags = erGeometryWord(index, g);
    } else {
        r = erCorners(leaves, k, form);
        r.flags = primitive.y;
    }
    return settle(r);
}

ErBounds cornerBounds(ErCorners t) {
    if ((t.flags & ER_TRIANGLE_INACTIVE) != 0u) {
        return ER_NO_BOUNDS;
    }
    return ErBounds(min(t.v0, min(t.v1, t.v2)), max(t.v0, max(t.v1, t.v2)));
}

// triangleRecord is that of a triangle from the input, where the last words of the record were before.
ErTriangle triangleRecord(ErCorners n, uvec4 before) {
    bool hittable = (n.flags & ER_TRIANGLE_INACTIVE) == 0u;
    ErTriangle r;
    r.a = hittable ? vec4(n.v0, n.v1.x) : vec4(0.0);
    r.b = hittable ? vec4(n.v1.yz, n.v2.xy) : vec4(0.0);
    r.c = uvec4(hittable ? floatBitsToUint(n.v2.z) : 0u, before.y, n.flags, before.w);
    return r;
}

// Each of the following makes a record, or writes it, and returns its box and one of ER_ACTIVE, ER_ACTIVE_HUGE and
// ER_INACTIVE.
uint refitTriangle(ErBuild b, ErTree t, uint k, out ErTriangle r, out ErBounds box) {
    uvec2 leaves = erAddressBlocks(b.source, t.leafBlock);
    ErCorners n;
    bool hittable = newTriangle(b, leaves, 0u, k, n);
    box = cornerBounds(n);
    r = triangleRecord(n, ErTriangleView(erOffset(leaves, k, ER_TRIANGLE_SIZE)).triangle[0].c);
    return hittable ? ER_ACTIVE : ER_INACTIVE;
}

// refitChunk is for indexed triangles, CHUNKS (of the including kernel) to a workgroup, a record to each of a chunk's first
// lanes. Corners that share a vertex have the same one in the input; one that only inactive triangles use is zero.
uint refitChunk(ErBuild b, ErTree t, uint k, out ErBounds box) {
    const uint LANES = gl_WorkGroupSize.x / CHUNKS;
    uint lane = gl_LocalInvocationIndex % LANES;
    uint mine = gl_LocalInvocationIndex / LANES * (3u * ER_CHUNK_VERTICES);
    uint form = erLeafForm(t.leafKind);
    uvec2 from = erAddressBlocks(b.source, t.leafBlock);
    uvec2 to = erAddressBlocks(b.dst, t.leafBlock);
    uint head = erChunkWord((k - lane) / ER_CHUNK_RECORDS);
    bool any = k - lane < t.records;
    uint base = any ? erWordAt(from, head) : 0u;
    uint sizes = any ? erWordAt(from, head + 1u) : 0u;
    uint count = min(sizes & ER_CHUNK_VERTEX_MASK, ER_CHUNK_VERTICES);
    uint geometries = min(sizes >> ER_CHUNK_GEOMETRY_SHIFT, ER_INDEXED_GEOMETRIES);
    for (uint j = lane; j < 3u * ER_CHUNK_VERTICES; j += LANES) {
        sharedVertices[mine + j] = 0u;
    }
    barrier();
    bool live = lane < ER_CHUNK_RECORDS && k < t.records;
    bool hittable = false;
    uint at = erRecordWord(k);
    uvec2 words = uvec2(0u);
    if (live) {
        ErCorners n;
        hittable = newTriangle(b, from, form, k, n);
        box = cornerBounds(n);
        uint first = erWordAt(from, at);
        const uint FLAGS = ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE;
        words = uvec2((first & ~FLAGS) | (n.flags & FLAGS), erWordAt(from, at + 1u));
        mat3 v = mat3(n.v0, n.v1, n.v2);
        for (uint j = 0u; j < 9u && hittable; j++) {
            uint corner = min((first >> (j / 3u * 8u)) & 255u, ER_CHUNK_VERTICES - 1u);
            sharedVertices[mine + 3u * corner + j % 3u] = floatBitsToUint(v[j / 3u][j % 3u]);
        }
    }
    barrier();
    if (live) {
        for (uint j = 0u; j < ER_INDEXED_WORDS; j++) {
            ErUintView(erAddressWords(to, at + j)).v[0] = words[j];
        }
    }
    uvec2 vertices = erAddressWords(to, base);
    for (uint j = lane; j < 3u * count; j += LANES) {
        ErUintView(vertices).v[j] = sharedVertices[mine + j];
    }
    if (lane == 0u && any) {
        ErUintView(erAddressWords(to, head)).v[0] = base;
        ErUintView(erAddressWords(to, head + 1u)).v[0] = sizes;
    }
    if (lane < geometries) {
        ErUintView(vertices).v[3u * count + lane] = ErWordView(erAddressWords(from, base)).v[3u * count + lane];
    }
    uint end = base + 3u * count + geometries;
    if (any && k - lane + ER_CHUNK_RECORDS >= t.records && lane < (4u - end % 4u) % 4u) {
        ErUintView(vertices).v[3u * count + geometries + lane] = 0u; // to the end of the last unit
    }
    return hittable ? ER_ACTIVE : ER_INACTIVE;
}

// refitShort is for short triangles. Of the wide form the first records copy head and list of their chunk.
uint refitShort(ErBuild b, ErTree t, uint k, out ErBounds box) {
    uint form = erLeafForm(t.leafKind);
    uvec2 from = erAddressBlocks(b.source, t.leafBlock);
    uvec2 to = erAddressBlocks(b.dst, t.leafBlock);
    const uint FLAGS = ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE;
    ErCorners n;
    bool hittable = newTriangle(b, from, form, k, n);
    box = cornerBounds(n);
    uint at = erShortWord(k, form);
    mat3 v = hittable ? mat3(n.v0, n.v1, n.v2) : mat3(0.0);
    uint word = (erWordAt(from, at + ER_SHORT_WORD) & ~FLAGS) | (n.flags & FLAGS);
    for (uint j = 0u; j < 9u; j++) {
        ErUintView(erAddressWords(to, at + j)).v[0] = floatBitsToUint(v[j / 3u][j % 3u]);
    }
    ErUintView(erAddressWords(to, at + ER_SHORT_WORD)).v[0] = word;
    uint end = at + ER_SHORT_WORDS;
    if (t.leafKind == ER_LEAF_SHORT_WIDE) {
        uint in_ = k % ER_CHUNK_RECORDS;
        uint chunk = erShortChunkWord(k / ER_CHUNK_RECORDS);
        uvec2 head = uvec2(erWordAt(from, chunk), erWordAt(from, chunk + 1u));
        uint geometries = min(head.y >> ER_CHUNK_GEOMETRY_SHIFT, ER_INDEXED_GEOMETRIES);
        if (in_ == 0u) {
            ErUintView(erAddressWords(to, chunk)).v[0] = head.x;
            ErUintView(erAddressWords(to, chunk + 1u)).v[0] = head.y;
        }
        if (in_ < geometries) {
            ErUintView(erAddressWords(to, head.x)).v[in_] = ErWordView(erAddressWords(from, head.x)).v[in_];
        }
        end = head.x + geometries;
    }
    for (uint j = end; k + 1u == t.records && (j % 4u) != 0u; j++) {
        ErUintView(erAddressWords(to, j)).v[0] = 0u; // to the end of the last unit
    }
    return hittable ? ER_ACTIVE : ER_INACTIVE;
}

uint refitBox(ErBuild b, ErTree t, uint k, out ErBounds box) {
    ErBox r = ErBoxView(erOffset(erAddressBlocks(b.source, t.leafBlock), k, ER_BOX_SIZE)).box[0];
    uint primitive = floatBitsToUint(r.a.w);
    uint index = floatBitsToUint(r.b.w) & ER_TRIANGLE_GEOMETRY_MASK;
    box = ErBounds(r.a.xyz, r.b.xyz);
    uint state = all(lessThanEqual(box.lo, box.hi)) ? ER_ACTIVE : ER_INACTIVE;
    if (known(b, index, primitive)) {
        state = erPrimitiveBox(geometryOf(b, index), primitive, box.lo, box.hi);
    }
    if (state == ER_INACTIVE) {
        box = ER_NO_BOUNDS; // inverted: no ray meets it
    }
    r.a.xyz = box.lo;
    r.b.xyz = box.hi;
    ErBoxOut(erOffset(erAddressBlocks(b.dst, t.leafBlock), k, ER_BOX_SIZE)).box[0] = r;
    return state;
}

// lostInstance is the record of an instance that cannot be hit: it has no bottom level, and a mask that nothing matches.
ErInstance lostInstance(ErInstance r) {
    r.a = uvec4(0u, 0u, r.a.z & 0xffffffu, r.a.w);
    return r;
}

uint refitInstance(ErBuild b, ErTree t, uint k, out ErInstance r, out ErBounds box) {
    ErInstanceView from = ErInstanceView(erAddressBlocks(b.source, t.leafBlock));
    uint index = from.instance[k].b.x;
    uint state = ER_INACTIVE;
    ErInputInstance in_;
    if (index < firstGeometry.primitiveCount) {
        in_ = erFetchInstance(firstGeometry, index);
        state = erInputInstanceBox(firstGeometry, in_, box.lo, box.hi);
    }
    if (state != ER_INACTIVE) {
        r = erInstanceRecordOf(in_, index);
    } else {
        box = ER_NO_BOUNDS;
        r = lostInstance(from.instance[k]);
    }
    return state;
}

// refitLone is for records that are written one by one: boxes and short triangles.
uint refitLone(ErBuild b, ErTree t, uint k, out ErBounds box) {
    if (t.leafKind == ER_LEAF_BOXES) {
        return refitBox(b, t, k, box);
    }
    return refitShort(b, t, k, box);
}

#endif
