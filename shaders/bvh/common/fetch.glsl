// Reading of the application's geometry.
#ifndef ER_BVH_FETCH_GLSL
#define ER_BVH_FETCH_GLSL
#include "bvh/common/build.glsl"

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

// erSnorm is the float nearest to a signed number of so many bits and its sign, over the largest one, with integers only,
// for divisions of devices need not be exact: the quotient's digits are those of the number, over and over.
float erSnorm(uint word, uint bits) {
    uint sign = (word >> bits) << 31;
    uint most = (1u << bits) - 1u;
    uint m = min(sign != 0u ? most + 1u - (word & most) : word, most);
    if (m == 0u || m == most) {
        return m == 0u ? 0.0 : uintBitsToFloat(sign | 0x3f800000u);
    }
    uint first = uint(findMSB(m));
    uint digits = bits == 15u ? m * 0x8001u : m * 0x204081u; // two of 15 or four of 7 bits
    uint at = first + (bits == 15u ? 15u : 21u);
    uint left = at < 24u ? 24u - at : 0u;
    digits = left > 0u ? digits << left | m >> (bits - left) : digits >> (at - 24u);
    return uintBitsToFloat(sign | (((127u - bits + first) << 23) + ((digits + 1u) >> 1) - 0x800000u));
}

float erComponent(uvec2 vertex, uint format, uint k) {
    switch (format & 15u) {
    case ER_FORMAT_FLOAT32: return ErFloatView(vertex).v[k];
    case ER_FORMAT_FLOAT16: return unpackHalf2x16(erLoad16(erAddress(vertex, 2u * k))).x;
    case ER_FORMAT_SNORM16: return erSnorm(erLoad16(erAddress(vertex, 2u * k)), 15u);
    case ER_FORMAT_SNORM8: return erSnorm(erLoad8(erAddress(vertex, k)), 7u);
    }
    ErUintView d = ErUintView(vertex);
    return erFloat(uvec2(d.v[2u * k], d.v[2u * k + 1u]));
}

vec3 erFetchVertex(ErGeometry g, uint index) {
    uvec2 at = erOffset(g.vertices, index + g.firstVertex, g.stride);
    bool third = (g.format >> 4) > 2u;
    return vec3(erComponent(at, g.format, 0u), erComponent(at, g.format, 1u), third ? erComponent(at, g.format, 2u) : 0.0);
}

// erIsPlain tells the commonest form of triangles.
bool erIsPlain(ErGeometry g) { return g.indexBytes == 4u && (g.format & 15u) == ER_FORMAT_FLOAT32 && (g.format >> 4) > 2u; }

vec3 erFetchPlainVertex(ErGeometry g, uint index) {
    ErFloatView f = ErFloatView(erOffset(g.vertices, index + g.firstVertex, g.stride));
    return vec3(f.v[0], f.v[1], f.v[2]);
}

void erFetchTriangle(ErGeometry g, uint primitive, out vec3 v0, out vec3 v1, out vec3 v2) {
    if (erIsPlain(g)) { // without branches between them, loads do not wait for each other
        ErUintView i = ErUintView(erOffset(g.indices, primitive * 3u, 4u));
        uvec3 index = uvec3(i.v[0], i.v[1], i.v[2]);
        v0 = erFetchPlainVertex(g, index.x);
        v1 = erFetchPlainVertex(g, index.y);
        v2 = erFetchPlainVertex(g, index.z);
    } else {
        v0 = erFetchVertex(g, erFetchIndex(g, primitive * 3u));
        v1 = erFetchVertex(g, erFetchIndex(g, primitive * 3u + 1u));
        v2 = erFetchVertex(g, erFetchIndex(g, primitive * 3u + 2u));
    }
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

// erCut cuts off where coordinates end. Unlike clamp, it leaves all others to the bit, subnormal ones, too.
void erCut(inout vec3 v) {
    uvec3 bits = floatBitsToUint(v);
    v = uintBitsToFloat(min(bits & 0x7fffffffu, uvec3(floatBitsToUint(ER_HUGE))) | (bits & 0x80000000u));
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
    erCut(lo);
    erCut(hi);
    return true;
}

// VkAccelerationStructureInstanceKHR.
struct ErInputInstance {
    vec4 rows[3];
    uint customIndexMask;
    uint tableOffsetFlags;
    uvec2 blas;
};
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer ErInputInstanceView { ErInputInstance i; };

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

// A box as its centre and half its size, which is grown by more than all roundings of it and of its transform: 2^-21 of
// how far it reaches, where these come to 7 * 2^-24 at most.
struct ErMiddle {
    vec3 centre, size;
};
const float ER_ROUNDING = 1.0 / 2097152.0;

ErMiddle erMiddle(vec3 lo, vec3 hi) {
    precise vec3 centre = 0.5 * lo + 0.5 * hi;
    precise vec3 size = max(hi - centre, centre - lo) + max(abs(lo), abs(hi)) * ER_ROUNDING;
    return ErMiddle(centre, size);
}

// erTurn is the centre and half the size of the box around a transformed one, in a row of the transform: the same on all devices
// and the host.
vec2 erTurn(vec4 row, ErMiddle m) {
    precise vec3 c = row.xyz * m.centre, s = abs(row.xyz) * m.size;
    precise vec2 r = vec2(c.x + c.y + c.z + row.w, s.x + s.y + s.z + abs(row.w) * ER_ROUNDING);
    return r;
}

// erTransformBox is the box around a transformed box, grown by the rounding of the transform. It is endless where floats end.
void erTransformBox(vec4 rows[3], vec3 bmin, vec3 bmax, out vec3 lo, out vec3 hi) {
    ErMiddle m = erMiddle(bmin, bmax);
    for (uint row = 0u; row < 3u; row++) {
        vec2 r = erTurn(rows[row], m);
        bool endless = r.y > 3.402823466e38;
        lo[row] = endless ? -r.y : r.x - r.y;
        hi[row] = endless ? r.y : r.x + r.y;
    }
}

const uint ER_BOX_LEVELS = 5u; // at most, see boxLevels of batch.go

// erIsInner tells whether a reference in memory is an inner node's. Those to clusters (cluster_layout.glsl) have a bit that no
// node's number has.
bool erIsInner(uint ref) { return ref < 0x40000000u; }

// erCutBox is around the transformed boxes of a bottom level's nodes `levels` below its root, which follow a turned shape
// closer than the root's. Nodes without primitives have boxes from +max to -max and stay out.
void erCutBox(ErInputInstance i, uint root, uint levels, out vec3 lo, out vec3 hi) {
    uvec2 nodes = erAddress(i.blas, ER_HEADER_SIZE);
    lo = vec3(3.402823e38);
    hi = vec3(-3.402823e38);
    uvec2 waiting[ER_BOX_LEVELS]; // second children, and the levels below them
    uint depth = 0u, node = root;
    for (;;) {
        ErNode n = ErNodeView(erOffset(nodes, node, ER_NODE_SIZE)).node[0];
        uint next = ER_REF_NONE;
        for (uint k = 0u; k < 2u; k++) {
            uint ref = k == 0u ? n.children.x : n.children.y;
            vec4 xy = k == 0u ? n.xy0 : n.xy1;
            vec2 z = k == 0u ? n.z.xy : n.z.zw;
            if (levels > 1u && erIsInner(ref)) {
                if (next != ER_REF_NONE) {
                    waiting[depth] = uvec2(ref, levels - 1u);
                    depth++;
                } else {
                    next = ref;
                }
            } else if (xy.x <= xy.y) {
                vec3 a, b;
                erTransformBox(i.rows, vec3(xy.xz, z.x), vec3(xy.yw, z.y), a, b);
                lo = min(lo, a);
                hi = max(hi, b);
            }
        }
        if (next != ER_REF_NONE) {
            node = next;
            levels--;
        } else if (depth > 0u) {
            depth--;
            node = waiting[depth].x;
            levels = waiting[depth].y;
        } else {
            return;
        }
    }
}

// erInstanceBox is the box around a transformed bottom level, see ErGeometry.boxLevels.
void erInstanceBox(ErInputInstance i, uint levels, out vec3 lo, out vec3 hi) {
    ErHeaderView h = ErHeaderView(i.blas);
    uint root = h.activeRootHeightLeafBlock.y;
    erTransformBox(i.rows, h.boundsMinNodes.xyz, h.boundsMax.xyz, lo, hi);
    if (levels > 0u && (root & ER_REF_LEAF) == 0u) {
        vec3 least, most;
        erCutBox(i, root, levels, least, most);
        lo = max(lo, least);
        hi = min(hi, most);
    }
}

const uint ER_INACTIVE = 0u;
const uint ER_ACTIVE = 1u;
const uint ER_ACTIVE_HUGE = 2u; // does not count for the bounds

// erCutInstanceBox cuts off the box of an instance where coordinates end, and returns one of the above.
uint erCutInstanceBox(inout vec3 lo, inout vec3 hi) {
    if (!all(lessThanEqual(lo, hi))) { // a transform that is not a number
        return ER_INACTIVE;
    }
    lo = clamp(lo, vec3(-ER_HUGE), vec3(ER_HUGE));
    hi = clamp(hi, vec3(-ER_HUGE), vec3(ER_HUGE));
    return erFinite(lo) && erFinite(hi) ? ER_ACTIVE : ER_ACTIVE_HUGE;
}

// erInputInstanceBox is the box of an instance, and one of the above.
uint erInputInstanceBox(ErGeometry g, ErInputInstance i, out vec3 lo, out vec3 hi) {
    if (!erInstanceActive(i)) {
        return ER_INACTIVE;
    }
    erInstanceBox(i, g.boxLevels, lo, hi);
    return erCutInstanceBox(lo, hi);
}

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
        return erInputInstanceBox(g, erFetchInstance(g, primitive), lo, hi);
    }
    return erFinite(lo) && erFinite(hi) ? ER_ACTIVE : ER_ACTIVE_HUGE;
}

#endif
