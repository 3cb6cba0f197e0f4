// What traversal does otherwise in the variants for CPUs (ER_SIMD, see scripts/shaders.sh), whose lanes are those of a
// thread's vectors. Rays hit the same as in the other variants, bit for bit.
//
// Measured on lavapipe 25.0.7, bunny, primary and diffuse rays, AVX-512 with 8 lanes. There
//   - a load is a gather, of 8 addresses, that costs the same for 64 bits as for 32: nodes in pairs of words (+3%, +9%);
//   - a minimum of floats takes three instructions and 9 cycles, for the sake of NaN, one of integers takes one cycle. The
//     bits of floats that are not negative compare like the floats (+14%, +9%; distances compared so, too, +7%);
//   - a masked store into an array is a branch for each lane. Storing at every step, with a mask that seldom changes,
//     beats storing where both children are hit, which nobody predicts (+10%, +15%); loading at every step, too (+3%, +5%);
//   - what leaves a function or a loop early is a mask over all that follows: single exits (+7%, +4%). Values that two arms
//     give are blended: triangles of all forms are read by the same loads (+3%, +3%).
// Slower or no faster: 64-bit arithmetic on addresses, leaves put off while other lanes go down (-36%, -20%), turning to
// the leaves when fewer than three lanes are left (-5%, 0). Loads through a uniform address are gathers all the same.
#ifndef ER_BVH_SIMD_GLSL
#define ER_BVH_SIMD_GLSL
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

struct ErNodePairs {
    uint64_t x0, y0, x1, y1, z0, z1, children, leaves;
};
layout(buffer_reference, std430, buffer_reference_align = 64) readonly buffer ErNodePairsView {
    ErNodePairs node[];
};

vec2 erFloats(uint64_t pair) { return uintBitsToFloat(unpackUint2x32(pair)); }

ErNode erNodeAt(uvec2 nodes, uint index) {
    ErNodePairs p = ErNodePairsView(nodes).node[index];
    ErNode n;
    n.xy0 = vec4(erFloats(p.x0), erFloats(p.y0));
    n.xy1 = vec4(erFloats(p.x1), erFloats(p.y1));
    n.z = vec4(erFloats(p.z0), erFloats(p.z1));
    n.children = unpackUint2x32(p.children);
    n.leaves = unpackUint2x32(p.leaves);
    return n;
}

// erLeafAddress is where leaf record number `leaf` of 48 bytes begins. By units of 16 bytes, of which 32 bits can count those of
// all records that a structure may have; words they cannot.
uvec2 erLeafAddress(uvec2 leaves, uint leaf) {
    uint units = leaf * (ER_TRIANGLE_SIZE / 16u);
    uvec2 a = erAddress(leaves, units << 4);
    a.y += units >> 28;
    return a;
}

ErCorners erCorners(uvec2 leaves, uint leaf, uint form) {
    uvec2 vertices = erLeafAddress(leaves, leaf);
    uvec2 flags = erAddress(vertices, ER_TRIANGLE_GEOMETRY);
    uvec3 at = uvec3(ER_TRIANGLE_V0, ER_TRIANGLE_V1, ER_TRIANGLE_V2) / 4u;
    bool inactive = false;
    if ((form & ER_INSTANCE_SHORT) != 0u) {
        vertices = erAddressWords(leaves, erShortWord(leaf, form));
        flags = erAddressWords(vertices, ER_SHORT_WORD);
    } else if ((form & ER_INSTANCE_INDEXED) != 0u) {
        ErWordView words = ErWordView(leaves);
        flags = erAddressWords(leaves, erRecordWord(leaf));
        uint record = ErWordView(flags).v[0];
        vertices = erAddressWords(leaves, words.v[erChunkWord(leaf / ER_CHUNK_RECORDS)]);
        at = uvec3(record & 255u, (record >> 8) & 255u, (record >> 16) & 255u) * 3u;
        inactive = (record & ER_TRIANGLE_INACTIVE) != 0u;
    }
    ErCoordinateView f = ErCoordinateView(vertices);
    ErCorners r;
    r.flags = ErWordView(flags).v[0];
    r.v0 = vec3(f.v[at.x], f.v[at.x + 1u], f.v[at.x + 2u]);
    r.v1 = vec3(f.v[at.y], f.v[at.y + 1u], f.v[at.y + 2u]);
    r.v2 = vec3(f.v[at.z], f.v[at.z + 1u], f.v[at.z + 2u]);
    r.v2 = inactive ? r.v1 : r.v2; // nothing hits it
    return r;
}

// erPrepareSlabs completes a set-up. What erIntersectBox of GPUs multiplies the exit with, is multiplied here, once for
// all boxes; the product's rounding is added to the bias.
void erPrepareSlabs(inout ErRaySetup s) {
    s.exitDir = s.invDir * 1.0000007;
    s.exitBias = s.farBias * 1.0000007 - abs(s.farBias) * (1.0 / 8388608.0);
}

// erInterval is where a ray is within a box, whose planes are near and far: distances as bits. tMin and tMax are not negative,
// and so the greatest entry is not. A negative exit is less as an integer, too.
ivec2 erInterval(ErRaySetup s, vec3 near, vec3 far, float tMin, float tMax) {
    ivec3 entry = floatBitsToInt(near * s.invDir - s.nearBias);
    ivec3 exit = floatBitsToInt(far * s.exitDir - s.exitBias);
    return ivec2(max(max(max(entry.x, entry.y), entry.z), floatBitsToInt(tMin)),
        min(min(min(exit.x, exit.y), exit.z), floatBitsToInt(tMax)));
}

// erIntersectBox is that of intersect.glsl for distances as bits.
ivec2 erIntersectBox(ErRaySetup s, vec2 x, vec2 y, vec2 z, float tMin, float tMax) {
    x = s.invDir.x < 0.0 ? x.yx : x;
    y = s.invDir.y < 0.0 ? y.yx : y;
    z = s.invDir.z < 0.0 ? z.yx : z;
    return erInterval(s, vec3(x.x, y.x, z.x), vec3(x.y, y.y, z.y), tMin, tMax);
}

#endif
