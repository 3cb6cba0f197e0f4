// Leaf records of updates, and the bounds of all.
#ifndef ER_BVH_REFIT_RECORDS_GLSL
#define ER_BVH_REFIT_RECORDS_GLSL
#include "bvh/refit.glsl"

shared uint sharedMin[3];
shared uint sharedMax[3];
shared uint sharedActive;
shared uint sharedHuge;
shared uint sharedVertices[3u * ER_CHUNK_VERTICES]; // bits

// The first geometry; most builds have no other.
ErGeometry firstGeometry;

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

// keepTriangle keeps a triangle from the input in a record whose last words were before. It returns its box, and whether
// it is active.
uint keepTriangle(ErBuild b, ErTree t, uint k, ErCorners n, uvec4 before, out ErBounds box) {
    bool hittable = settle(n);
    box = cornerBounds(n);
    ErTriangle r;
    r.a = hittable ? vec4(n.v0, n.v1.x) : vec4(0.0);
    r.b = hittable ? vec4(n.v1.yz, n.v2.xy) : vec4(0.0);
    r.c = uvec4(hittable ? floatBitsToUint(n.v2.z) : 0u, before.y, n.flags, before.w);
    ErTriangleOut(erAddressBlocks(b.dst, t.leafBlock)).triangle[k] = r;
    return hittable ? ER_ACTIVE : ER_INACTIVE;
}

// Each of the three writes a record and returns its box and one of ER_ACTIVE,
// ER_ACTIVE_HUGE and ER_INACTIVE.
uint refitTriangle(ErBuild b, ErTree t, uint k, out ErBounds box) {
    uvec2 leaves = erAddressBlocks(b.source, t.leafBlock);
    ErCorners n;
    newTriangle(b, leaves, 0u, k, n);
    return keepTriangle(b, t, k, n, ErTriangleView(leaves).triangle[k].c, box);
}

// refitChunk is for indexed triangles, a workgroup to a chunk, a record to each of its first lanes. Corners that share a
// vertex have the same one in the input; one that only inactive triangles use is zero.
uint refitChunk(ErBuild b, ErTree t, uint k, out ErBounds box) {
    uint lane = gl_LocalInvocationIndex;
    uint form = erLeafForm(t.leafKind);
    uvec2 from = erAddressBlocks(b.source, t.leafBlock);
    uvec2 to = erAddressBlocks(b.dst, t.leafBlock);
    uint head = erChunkWord((k - lane) / ER_CHUNK_RECORDS);
    uint base = ErWordView(from).v[head];
    uint sizes = ErWordView(from).v[head + 1u];
    uint count = min(sizes & ER_CHUNK_VERTEX_MASK, ER_CHUNK_VERTICES);
    uint geometries = min(sizes >> ER_CHUNK_GEOMETRY_SHIFT, ER_INDEXED_GEOMETRIES);
    for (uint j = lane; j < 3u * ER_CHUNK_VERTICES; j += gl_WorkGroupSize.x) {
        sharedVertices[j] = 0u;
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
        uint first = ErWordView(from).v[at];
        const uint FLAGS = ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE;
        words = uvec2((first & ~FLAGS) | (n.flags & FLAGS), ErWordView(from).v[at + 1u]);
        mat3 v = mat3(n.v0, n.v1, n.v2);
        for (uint j = 0u; j < 9u && hittable; j++) {
            uint corner = min((first >> (j / 3u * 8u)) & 255u, ER_CHUNK_VERTICES - 1u);
            sharedVertices[3u * corner + j % 3u] = floatBitsToUint(v[j / 3u][j % 3u]);
        }
    }
    barrier();
    if (live) {
        for (uint j = 0u; j < ER_INDEXED_WORDS; j++) {
            ErUintView(to).v[at + j] = words[j];
        }
    }
    uvec2 vertices = erAddressWords(to, base);
    for (uint j = lane; j < 3u * count; j += gl_WorkGroupSize.x) {
        ErUintView(vertices).v[j] = sharedVertices[j];
    }
    if (lane == 0u) {
        ErUintView(to).v[head] = base;
        ErUintView(to).v[head + 1u] = sizes;
    }
    if (lane < geometries) {
        ErUintView(vertices).v[3u * count + lane] = ErWordView(erAddressWords(from, base)).v[3u * count + lane];
    }
    uint end = base + 3u * count + geometries;
    if (k - lane + ER_CHUNK_RECORDS >= t.records && lane < (4u - end % 4u) % 4u) {
        ErUintView(vertices).v[3u * count + geometries + lane] = 0u; // to the end of the last unit
    }
    return hittable ? ER_ACTIVE : ER_INACTIVE;
}

uint refitBox(ErBuild b, ErTree t, uint k, out ErBounds box) {
    ErBox r = ErBoxView(erAddressBlocks(b.source, t.leafBlock)).box[k];
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
    ErBoxOut(erAddressBlocks(b.dst, t.leafBlock)).box[k] = r;
    return state;
}

uint refitInstance(ErBuild b, ErTree t, uint k, out ErBounds box) {
    ErInstanceView from = ErInstanceView(erAddressBlocks(b.source, t.leafBlock));
    uint index = from.instance[k].b.x;
    uint state = ER_INACTIVE;
    ErInputInstance in_;
    if (index < firstGeometry.primitiveCount) {
        in_ = erFetchInstance(firstGeometry, index);
        state = erInputInstanceBox(firstGeometry, in_, box.lo, box.hi);
    }
    ErInstance r;
    if (state != ER_INACTIVE) {
        r = erInstanceRecordOf(in_, index);
    } else { // no bottom level, and a mask that nothing matches
        box = ER_NO_BOUNDS;
        r = from.instance[k];
        r.a = uvec4(0u, 0u, r.a.z & 0xffffffu, r.a.w);
    }
    ErInstanceOut(erAddressBlocks(b.dst, t.leafBlock)).instance[k] = r;
    return state;
}

uint refit(ErBuild b, ErTree t, uint k, out ErBounds box) {
    switch (t.leafKind) {
    case ER_LEAF_TRIANGLES: return refitTriangle(b, t, k, box);
    case ER_LEAF_INDEXED:
    case ER_LEAF_INDEXED_WIDE: return refitChunk(b, t, k, box);
    case ER_LEAF_BOXES: return refitBox(b, t, k, box);
    }
    return refitInstance(b, t, k, box);
}

// What a lane found of the bounds, as ErState has them.
struct Found {
    uvec3 lo, hi;
    uint live, huge;
};
const Found FOUND_NOTHING = Found(uvec3(0xffffffffu), uvec3(0u), 0u, 0u);

uvec3 ordered(vec3 v) { return uvec3(erOrdered(v.x), erOrdered(v.y), erOrdered(v.z)); }

void find(inout Found f, uint state, ErBounds box) {
    f.live += state != ER_INACTIVE ? 1u : 0u;
    f.huge += state == ER_ACTIVE_HUGE ? 1u : 0u;
    if (state == ER_ACTIVE) {
        f.lo = min(f.lo, ordered(box.lo));
        f.hi = max(f.hi, ordered(box.hi));
    }
}

void share(Found f) {
    for (uint c = 0u; c < 3u; c++) {
        if (f.lo[c] < sharedMin[c]) {
            atomicMin(sharedMin[c], f.lo[c]);
        }
        if (f.hi[c] > sharedMax[c]) {
            atomicMax(sharedMax[c], f.hi[c]);
        }
    }
    if (f.live > 0u && sharedActive == 0u) {
        sharedActive = 1u;
    }
    if (f.huge > 0u) {
        sharedHuge = 1u;
    }
}

// beginBounds comes before a barrier, reduceBounds after it.
void beginBounds(uint lane) {
    if (lane < 3u) {
        sharedMin[lane] = 0xffffffffu;
        sharedMax[lane] = 0u;
    }
    if (lane == 3u) {
        sharedActive = 0u;
        sharedHuge = 0u;
    }
}

// reduceBounds shares what all lanes found. A few begin, as all others then have little to add: lanes that write to
// one word wait for each other. Of the numbers an update wants to know whether they are zero.
void reduceBounds(uint lane, Found f) {
    const uint FEW = 16u;
    if (lane % FEW == 0u) {
        share(f);
    }
    barrier();
    if (lane % FEW != 0u) {
        share(f);
    }
    barrier();
}

#endif
