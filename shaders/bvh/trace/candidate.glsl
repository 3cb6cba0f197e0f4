// What makes a leaf's primitive a candidate, and what is known of a hit. Shared by the traversal loop and by ray queries.
#ifndef ER_BVH_CANDIDATE_GLSL
#define ER_BVH_CANDIDATE_GLSL

// What ray flags and instance flags come to for the primitives of an instance.
const uint ER_MODE_CULL_POSITIVE = 1u; // by the determinant's sign
const uint ER_MODE_CULL_NEGATIVE = 2u;
const uint ER_MODE_FLIP = 4u;          // a positive determinant is the back
const uint ER_MODE_OPAQUE = 8u;        // all primitives are opaque
const uint ER_MODE_NOT_OPAQUE = 16u;   // none is
const uint ER_MODE_CULL_OPAQUE = 32u;
const uint ER_MODE_CULL_NO_OPAQUE = 64u;
const uint ER_MODE_BOXES = ER_INSTANCE_BOXES; // the leaves are boxes
const uint ER_MODE_FORM = ~ER_INSTANCE_HEIGHT_MASK; // the form of the leaves

// erInstanceMode takes an instance's word of height and form.
uint erInstanceMode(uint rayFlags, uint instanceFlags, uint form) {
    uint mode = form & ER_MODE_FORM;
    bool flip = (instanceFlags & ER_INSTANCE_FLIP_FACING) != 0u;
    if ((instanceFlags & ER_INSTANCE_CULL_DISABLE) == 0u) {
        bool front = (rayFlags & ER_RAY_CULL_FRONT_FACING) != 0u;
        bool back = (rayFlags & ER_RAY_CULL_BACK_FACING) != 0u;
        mode |= (flip ? back : front) ? ER_MODE_CULL_POSITIVE : 0u;
        mode |= (flip ? front : back) ? ER_MODE_CULL_NEGATIVE : 0u;
    }
    mode |= flip ? ER_MODE_FLIP : 0u;
    // The ray's word counts before the instance's, that before the geometry's.
    if ((rayFlags & (ER_RAY_OPAQUE | ER_RAY_NO_OPAQUE)) != 0u) {
        mode |= (rayFlags & ER_RAY_OPAQUE) != 0u ? ER_MODE_OPAQUE : ER_MODE_NOT_OPAQUE;
    } else if ((instanceFlags & ER_INSTANCE_FORCE_OPAQUE) != 0u) {
        mode |= ER_MODE_OPAQUE;
    } else if ((instanceFlags & ER_INSTANCE_FORCE_NO_OPAQUE) != 0u) {
        mode |= ER_MODE_NOT_OPAQUE;
    }
    mode |= (rayFlags & ER_RAY_CULL_OPAQUE) != 0u ? ER_MODE_CULL_OPAQUE : 0u;
    mode |= (rayFlags & ER_RAY_CULL_NO_OPAQUE) != 0u ? ER_MODE_CULL_NO_OPAQUE : 0u;
    return mode;
}

// erWanted tells whether an instance takes part: its mask, and whether the ray wants primitives of its kind.
bool erWanted(ErInstance i, uint rayFlags, uint cullMask) {
    uint skip = (i.b.z & ER_INSTANCE_BOXES) != 0u ? ER_RAY_SKIP_AABBS : ER_RAY_SKIP_TRIANGLES;
    return ((i.a.z >> 24) & cullMask) != 0u && (rayFlags & skip) == 0u;
}

// erVisible is erWanted, where the code wants primitives of that kind, too.
bool erVisible(ErInstance i, uint rayFlags, uint cullMask) {
    bool boxes = (i.b.z & ER_INSTANCE_BOXES) != 0u;
    return erWanted(i, rayFlags, cullMask) && (boxes ? erUsesBoxes() : erUsesTriangles());
}

// erOpaque tells whether a primitive is opaque, from the last word of its record.
bool erOpaque(uint mode, uint geometry) {
    return (mode & ER_MODE_OPAQUE) != 0u || ((mode & ER_MODE_NOT_OPAQUE) == 0u && (geometry & ER_TRIANGLE_OPAQUE) != 0u);
}

// What the loop remembers of a hit: few registers, the rest is read at the end.
struct ErFound {
    float t;
    float v, w;    // weights of the second and third vertex
    uint instance; // record of the top level, ER_NO_INSTANCE: none
    uint leaf;     // record of the bottom level
    uint kind;     // hit kind
};

// Flags without which nothing is culled. Where a trace call's flags are constants, a compiler drops what they rule out; it
// cannot see so much of the mode, which changes in the loop.
const uint ER_RAY_CULLS = ER_RAY_CULL_BACK_FACING | ER_RAY_CULL_FRONT_FACING | ER_RAY_CULL_OPAQUE | ER_RAY_CULL_NO_OPAQUE;

// erTestTriangle tells whether triangle `leaf` is a candidate in (tMin, tMax), culling by faces and opacity included. f comes
// in as the hit so far, at tMax. Of hits at the same distance the one of the lower record counts, so that the hit does not
// depend on how leaves are cut, or in which order a ray comes to them.
#ifdef ER_CLUSTERS
// number is the leaf's among triangles, or its place from there on, and word that of a triangle in clusters that have some.
bool erTestTriangle(uvec2 leaves, uint leaf, uint number, uint word, ErRaySetup setup, vec3 origin, uint mode, uint rayFlags,
                    float tMin, float tMax, inout ErFound f, out bool opaque) {
    ErCorners tri;
    bool over = erOverClusters(mode);
    if (erByWords(mode)) {
        tri = erClusterCorners(leaves, number, word, mode);
    } else {
        tri = erCorners(over ? erPlace(leaves, number) : leaves, over ? 0u : number, mode);
    }
    mode &= over && (tri.flags & ER_GEOMETRY_CULL_DISABLE) != 0u ? ~(ER_MODE_CULL_POSITIVE | ER_MODE_CULL_NEGATIVE) : ~0u;
#else
bool erTestTriangle(uvec2 leaves, uint leaf, ErRaySetup setup, vec3 origin, uint mode, uint rayFlags, float tMin, float tMax,
                    inout ErFound f, out bool opaque) {
    ErCorners tri = erCorners(leaves, leaf, mode);
#endif
    vec4 r = erIntersectTriangle(setup, origin, tri.v0, tri.v1, tri.v2);
    opaque = (rayFlags & ER_RAY_OPAQUE) != 0u || erOpaque(mode, tri.flags);
    // The next number after a hit's distance, which is positive. Without a hit f.leaf is 0, and no record is before it.
    float limit = leaf < f.leaf ? uintBitsToFloat(floatBitsToUint(tMax) + 1u) : tMax;
    bool hit = r.w != 0.0 && r.x > tMin && r.x < limit;
    ER_RETURN_IF(!hit, false)
    bool positive = r.w > 0.0;
    uint culled = (positive ? ER_MODE_CULL_POSITIVE : ER_MODE_CULL_NEGATIVE) | (opaque ? ER_MODE_CULL_OPAQUE
        : ER_MODE_CULL_NO_OPAQUE);
    hit = hit && ((rayFlags & ER_RAY_CULLS) == 0u || (mode & culled) == 0u);
    ER_RETURN_IF(!hit, false)
    bool front = positive != ((mode & ER_MODE_FLIP) != 0u);
    f.t = r.x;
    f.v = r.y;
    f.w = r.z;
    f.leaf = leaf;
    f.kind = front ? ER_HIT_KIND_FRONT : ER_HIT_KIND_BACK;
    return hit;
}

// erTestBox tells whether the box of record `leaf` is a candidate: the ray meets it in [tMin, tMax].
bool erTestBox(uvec2 leaves, uint leaf, ErRaySetup setup, uint mode, float tMin, float tMax, out bool opaque) {
    ErBox box = ErBoxView(erOffset(leaves, leaf, ER_BOX_SIZE)).box[0];
    opaque = erOpaque(mode, floatBitsToUint(box.b.w));
    if ((mode & (opaque ? ER_MODE_CULL_OPAQUE : ER_MODE_CULL_NO_OPAQUE)) != 0u) {
        return false;
    }
    // The record is not padded: without a thickness, a ray in its plane would leave it at once (ER_DIRECTION_EPSILON).
    vec3 size = max(abs(box.a.xyz), abs(box.b.xyz));
    size = mix(size, vec3(0.0), greaterThanEqual(size, vec3(1e37))); // ER_HUGE: not the size of anything
    size = max(size, abs(setup.nearBias + setup.farBias) / abs(setup.invDir) * 0.5); // the origin
    float padding = erMax3(size.x, size.y, size.z) * (1.0 / 8388608.0);
    vec3 lo = box.a.xyz - padding, hi = box.b.xyz + padding;
    ErInterval interval = erIntersectBox(setup, vec2(lo.x, hi.x), vec2(lo.y, hi.y), vec2(lo.z, hi.z), tMin, tMax);
    return interval.x <= interval.y;
}

// erPrimitive returns primitive index and geometry index of a bottom level's record.
uvec2 erPrimitive(ErInstance i, uint leaf, bool boxes) {
#ifdef ER_CLUSTERS
    if (erHasClusters(i)) {
        uvec2 w = erClusterPrimitive(i, leaf);
        return uvec2(w.x, w.y & ER_GEOMETRY_INDEX_MASK);
    }
#endif
    uvec2 leaves = erAddressBlocks(i.a.xy, i.b.w);
    uvec2 words;
    if (boxes) {
        ErBox box = ErBoxView(erOffset(leaves, leaf, ER_BOX_SIZE)).box[0];
        words = floatBitsToUint(vec2(box.a.w, box.b.w));
    } else {
        words = erPrimitiveWords(leaves, leaf, i.b.z);
    }
    return uvec2(words.x, words.y & ER_TRIANGLE_GEOMETRY_MASK);
}

ErHit erResolve(uvec2 instances, ErFound f) {
    ErInstance i = ErInstanceView(instances).instance[f.instance];
    uvec2 primitive = erPrimitive(i, f.leaf, erUsesBoxes() && (i.b.z & ER_INSTANCE_BOXES) != 0u);
    ErHit h;
    h.t = f.t;
    h.barycentrics = vec2(f.v, f.w);
    h.primitiveIndex = primitive.x;
    h.geometryIndex = primitive.y;
    h.hitKind = f.kind;
    h.instanceIndex = i.b.x;
    h.instanceCustomIndex = i.a.z & 0xffffffu;
    h.instanceRecordOffset = i.a.w & 0xffffffu;
    h.instanceRecord = erAddressBlocks(instances, f.instance * (ER_INSTANCE_SIZE / 64u));
    h.leaf = f.leaf;
    return h;
}

// erVertex returns a vertex of the triangle that was hit, in object space.
vec3 erVertex(uvec2 instanceRecord, uint leaf, uint k) {
    ErInstance i = ErInstanceView(instanceRecord).instance[0];
#ifdef ER_CLUSTERS
    ErCorners tri = erHitCorners(i, leaf);
#else
    ErCorners tri = erCorners(erAddressBlocks(i.a.xy, i.b.w), leaf, i.b.z);
#endif
    return k == 0u ? tri.v0 : (k == 1u ? tri.v1 : tri.v2);
}

#endif
