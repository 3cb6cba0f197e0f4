// Leaf records from the input, for builds and updates.
#ifndef ER_BVH_RECORD_GLSL
#define ER_BVH_RECORD_GLSL
#include "bvh/common/fetch.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer ErTriangleOut { ErTriangle triangle[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer ErBoxOut { ErBox box[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer ErInstanceOut { ErInstance instance[]; };

// erGeometryWord is the word of a triangle or box of geometry number index.
uint erGeometryWord(uint index, ErGeometry g) { return index | ((g.flags & 1u) != 0u ? ER_TRIANGLE_OPAQUE : 0u); }

// erTriangleRecord is that of a primitive of geometry number index.
ErTriangle erTriangleRecord(uint index, ErGeometry g, uint primitive) {
    vec3 v0, v1, v2;
    erFetchTriangle(g, primitive, v0, v1, v2);
    ErTriangle t;
    t.a = vec4(v0, v1.x);
    t.b = vec4(v1.yz, v2.xy);
    t.c = uvec4(floatBitsToUint(v2.z), primitive, erGeometryWord(index, g), 0u);
    return t;
}

// erBoxRecord is that of a box of geometry number index. One that is inactive
// meets no ray, and unions ignore it.
ErBox erBoxRecord(uint index, ErGeometry g, uint primitive) {
    vec3 lo, hi;
    if (!erFetchBox(g, primitive, lo, hi)) {
        lo = vec3(3.402823e38);
        hi = vec3(-3.402823e38);
    }
    ErBox o;
    o.a = vec4(lo, uintBitsToFloat(primitive));
    o.b = vec4(hi, uintBitsToFloat(erGeometryWord(index, g)));
    return o;
}

// erUnits are powers of two that make the greatest of each axis' numbers 1 or more and less than 2.
vec3 erUnits(vec3 greatest) { return uintBitsToFloat(uvec3(0x7f000000u) - (floatBitsToUint(greatest) & uvec3(0x7f800000u))); }

// erInvert inverts an affine transform given as rows. Columns and rows are brought to one size first: products of three numbers
// would soon be none.
void erInvert(vec4 r[3], out vec4 o[3]) {
    vec3 before = erUnits(max(max(abs(r[0].xyz), abs(r[1].xyz)), abs(r[2].xyz)));
    precise vec3 x = r[0].xyz * before, y = r[1].xyz * before, z = r[2].xyz * before;
    vec3 most = max(max(vec3(abs(x.x), abs(y.x), abs(z.x)), vec3(abs(x.y), abs(y.y), abs(z.y))),
        vec3(abs(x.z), abs(y.z), abs(z.z)));
    vec3 after = erUnits(most);
    x *= after.x;
    y *= after.y;
    z *= after.z;
    precise vec3 c0 = cross(y, z);
    precise vec3 c1 = cross(z, x);
    precise vec3 c2 = cross(x, y);
    precise float det = dot(x, c0);
    precise float scale = 1.0 / det;
    vec3 t = vec3(r[0].w, r[1].w, r[2].w);
    for (uint k = 0u; k < 3u; k++) {
        precise vec3 row = vec3(c0[k], c1[k], c2[k]) * scale * after * before[k];
        precise float w = -dot(row, t);
        o[k] = vec4(row, w);
    }
}

// erInstanceRecordOf is that of an active instance, the given one of the input.
ErInstance erInstanceRecordOf(ErInputInstance in_, uint index) {
    ErHeaderView h = ErHeaderView(in_.blas);
    uvec4 root = h.activeRootHeightLeafBlock;
    ErInstance o;
    o.objectToWorld = in_.rows;
    erInvert(in_.rows, o.worldToObject);
    o.a = uvec4(in_.blas, in_.customIndexMask, in_.tableOffsetFlags);
    uint form = erFormOf(ErUintView(erAddress(in_.blas, ER_HEADER_LEAF_KIND)).v[0], root.x);
    o.b = uvec4(index, root.y, root.z | form, root.w);
    return o;
}

ErInstance erInstanceRecord(ErGeometry g, uint primitive) {
    return erInstanceRecordOf(erFetchInstance(g, primitive), g.firstPrimitive + primitive);
}

#endif
