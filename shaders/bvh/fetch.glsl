// Reading of the application's geometry.
#ifndef ER_BVH_FETCH_GLSL
#define ER_BVH_FETCH_GLSL
#include "bvh/build.glsl"

uint erLoad16(uvec2 address) {
    uint word = ErUintView(uvec2(address.x & ~3u, address.y)).v[0];
    return (word >> ((address.x & 2u) * 8u)) & 0xffffu;
}

uint erLoad8(uvec2 address) {
    uint word = ErUintView(uvec2(address.x & ~3u, address.y)).v[0];
    return (word >> ((address.x & 3u) * 8u)) & 0xffu;
}

uint erFetchIndex(ErGeometry g, uint n) {
    switch (g.indexBytes) {
    case 4u: return ErUintView(erOffset(g.indices, n, 4u)).v[0];
    case 2u: return erLoad16(erOffset(g.indices, n, 2u));
    case 1u: return erLoad8(erOffset(g.indices, n, 1u));
    }
    return n;
}

// erFloat is the float nearest to a double, of two the even one, with integers
// only: few devices have doubles that are worth their feature.
float erFloat(uvec2 bits) {
    uint sign = bits.y & 0x80000000u;
    int exponent = int((bits.y >> 20) & 0x7ffu) - 1023 + 127;
    uint mantissa = (bits.y & 0xfffffu) << 3 | bits.x >> 29;
    uint rest = bits.x & 0x1fffffffu; // what is lost
    const uint HALF = 0x10000000u;    // of the last place
    if (exponent == 0x7ff - 1023 + 127) {
        return uintBitsToFloat(sign | 0x7f800000u | ((mantissa | rest) != 0u ? 0x400000u : 0u));
    }
    if (exponent >= 255) {
        return uintBitsToFloat(sign | 0x7f800000u);
    }
    if (exponent <= 0) { // less than the least normal float
        uint shift = uint(1 - exponent);
        if (shift > 24u) {
            return uintBitsToFloat(sign);
        }
        uint all = mantissa | 0x800000u;
        uint lost = all & ((1u << shift) - 1u);
        uint unit = 1u << (shift - 1u); // half of what the last place is worth now
        rest = lost > unit || (lost == unit && rest != 0u) ? HALF + 1u : (lost == unit ? HALF : 0u);
        mantissa = all >> shift;
        exponent = 0;
    }
    uint magnitude = uint(exponent) << 23 | mantissa;
    // Rounding up may carry to the next exponent, and to infinity: as it should.
    bool up = rest > HALF || (rest == HALF && (magnitude & 1u) != 0u);
    return uintBitsToFloat(sign | (magnitude + (up ? 1u : 0u)));
}

float erComponent(uvec2 vertex, uint format, uint k) {
    switch (format & 15u) {
    case ER_FORMAT_FLOAT32: return ErFloatView(vertex).v[k];
    case ER_FORMAT_FLOAT16: return unpackHalf2x16(erLoad16(erAddress(vertex, 2u * k))).x;
    case ER_FORMAT_SNORM16: return unpackSnorm2x16(erLoad16(erAddress(vertex, 2u * k))).x;
    case ER_FORMAT_SNORM8: return unpackSnorm4x8(erLoad8(erAddress(vertex, k))).x;
    }
    ErUintView d = ErUintView(vertex);
    return erFloat(uvec2(d.v[2u * k], d.v[2u * k + 1u]));
}

vec3 erFetchVertex(ErGeometry g, uint index) {
    uvec2 at = erOffset(g.vertices, index + g.firstVertex, g.stride);
    bool third = (g.format >> 4) > 2u;
    return vec3(erComponent(at, g.format, 0u), erComponent(at, g.format, 1u), third ? erComponent(at, g.format, 2u) : 0.0);
}

void erFetchTriangle(ErGeometry g, uint primitive, out vec3 v0, out vec3 v1, out vec3 v2) {
    v0 = erFetchVertex(g, erFetchIndex(g, primitive * 3u));
    v1 = erFetchVertex(g, erFetchIndex(g, primitive * 3u + 1u));
    v2 = erFetchVertex(g, erFetchIndex(g, primitive * 3u + 2u));
    if ((g.transform.x | g.transform.y) != 0u) {
        ErFloatView f = ErFloatView(g.transform);
        vec3 x = vec3(f.v[0], f.v[4], f.v[8]);
        vec3 y = vec3(f.v[1], f.v[5], f.v[9]);
        vec3 z = vec3(f.v[2], f.v[6], f.v[10]);
        vec3 w = vec3(f.v[3], f.v[7], f.v[11]);
        precise vec3 t0 = ((x * v0.x + y * v0.y) + z * v0.z) + w;
        precise vec3 t1 = ((x * v1.x + y * v1.y) + z * v1.z) + w;
        precise vec3 t2 = ((x * v2.x + y * v2.y) + z * v2.z) + w;
        v0 = t0;
        v1 = t1;
        v2 = t2;
    }
}

// erFetchBox reads a VkAabbPositionsKHR and cuts it off where coordinates end.
// A box that is inverted, or not a number, is inactive.
bool erFetchBox(ErGeometry g, uint n, out vec3 lo, out vec3 hi) {
    ErFloatView f = ErFloatView(erOffset(g.vertices, n, g.stride));
    lo = vec3(f.v[0], f.v[1], f.v[2]);
    hi = vec3(f.v[3], f.v[4], f.v[5]);
    if (!all(lessThanEqual(lo, hi))) {
        return false;
    }
    lo = clamp(lo, vec3(-ER_HUGE), vec3(ER_HUGE));
    hi = clamp(hi, vec3(-ER_HUGE), vec3(ER_HUGE));
    return true;
}

// VkAccelerationStructureInstanceKHR.
struct ErInputInstance {
    vec4 rows[3];
    uint customIndexMask;
    uint tableOffsetFlags;
    uvec2 blas;
};
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer ErInputInstanceView { ErInputInstance i; };

ErInputInstance erFetchInstance(ErGeometry g, uint n) {
    uvec2 at = erOffset(g.vertices, n, g.stride);
    if (g.stride == 8u) {
        ErUintView p = ErUintView(at);
        at = uvec2(p.v[0], p.v[1]);
    }
    return ErInputInstanceView(at).i;
}

// erInstanceActive tells whether an instance can be hit at all: it has a
// structure, and that has primitives.
bool erInstanceActive(ErInputInstance i) {
    if ((i.blas.x | i.blas.y) == 0u) {
        return false;
    }
    ErHeaderView h = ErHeaderView(i.blas);
    return h.selfMagicVersion.z == ER_AS_MAGIC && h.activeRootHeightLeafBlock.y != ER_REF_NONE;
}

// erInstanceBox is the box around the transformed box of the bottom level,
// grown by the rounding of the transform.
void erInstanceBox(ErInputInstance i, out vec3 lo, out vec3 hi) {
    ErHeaderView h = ErHeaderView(i.blas);
    vec3 bmin = h.boundsMinNodes.xyz;
    vec3 bmax = h.boundsMax.xyz;
    for (uint row = 0u; row < 3u; row++) {
        vec3 m = i.rows[row].xyz;
        vec3 a = m * bmin;
        vec3 b = m * bmax;
        vec3 least = min(a, b);
        vec3 most = max(a, b);
        vec3 size = max(abs(a), abs(b));
        precise float err = (size.x + size.y + size.z + abs(i.rows[row].w)) * (1.0 / 2097152.0);
        lo[row] = least.x + least.y + least.z + i.rows[row].w - err;
        hi[row] = most.x + most.y + most.z + i.rows[row].w + err;
    }
}

const uint ER_INACTIVE = 0u;
const uint ER_ACTIVE = 1u;
const uint ER_ACTIVE_HUGE = 2u; // does not count for the bounds

// erPrimitiveBox is the box of a triangle, box or instance, and one of the above.
uint erPrimitiveBox(ErGeometry g, uint primitive, out vec3 lo, out vec3 hi) {
    if (g.kind == ER_LEAF_TRIANGLES) {
        vec3 v0, v1, v2;
        erFetchTriangle(g, primitive, v0, v1, v2);
        lo = min(v0, min(v1, v2));
        hi = max(v0, max(v1, v2));
        // Vertices that are not finite cannot be hit; min and max may drop a NaN.
        return erFinite(v0) && erFinite(v1) && erFinite(v2) ? ER_ACTIVE : ER_INACTIVE;
    }
    if (g.kind == ER_LEAF_BOXES) {
        if (!erFetchBox(g, primitive, lo, hi)) {
            return ER_INACTIVE;
        }
    } else {
        ErInputInstance i = erFetchInstance(g, primitive);
        if (!erInstanceActive(i)) {
            return ER_INACTIVE;
        }
        erInstanceBox(i, lo, hi);
        if (!all(lessThanEqual(lo, hi))) { // a transform that is not a number
            return ER_INACTIVE;
        }
        lo = clamp(lo, vec3(-ER_HUGE), vec3(ER_HUGE));
        hi = clamp(hi, vec3(-ER_HUGE), vec3(ER_HUGE));
    }
    return erFinite(lo) && erFinite(hi) ? ER_ACTIVE : ER_ACTIVE_HUGE;
}

#endif
