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

float erComponent16(uvec2 address, uint format) {
    uint bits = erLoad16(address);
    return (format & 15u) == ER_FORMAT_FLOAT16 ? unpackHalf2x16(bits).x : unpackSnorm2x16(bits).x;
}

vec3 erFetchVertex(ErGeometry g, uint index) {
    uvec2 at = erOffset(g.vertices, index + g.firstVertex, g.stride);
    bool third = (g.format >> 4) > 2u;
    if ((g.format & 15u) == ER_FORMAT_FLOAT32) {
        ErFloatView f = ErFloatView(at);
        return vec3(f.v[0], f.v[1], third ? f.v[2] : 0.0);
    }
    return vec3(erComponent16(at, g.format), erComponent16(erAddress(at, 2u), g.format),
                third ? erComponent16(erAddress(at, 4u), g.format) : 0.0);
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
        float err = (size.x + size.y + size.z + abs(i.rows[row].w)) * (1.0 / 2097152.0);
        lo[row] = least.x + least.y + least.z + i.rows[row].w - err;
        hi[row] = most.x + most.y + most.z + i.rows[row].w + err;
    }
}

#endif
