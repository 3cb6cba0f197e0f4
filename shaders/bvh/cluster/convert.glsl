// Vertex formats of DXR 2.0: COMPRESSED1, and what floats become in the format of a template's instances.
//
// COMPRESSED1 is a header of 12 bytes and a stream of bits: for each vertex the offsets of x, y and z from an anchor, nothing
// between them, the low bits first. A position is (anchor + offset) * 2^(exponent - 127).
#ifndef ER_BVH_CLUSTER_CONVERT_GLSL
#define ER_BVH_CLUSTER_CONVERT_GLSL
#include "bvh/cluster/command.glsl"

const uint ER_FORMAT_COMPRESSED1 = 15u; // beside the ER_FORMAT_... of build.glsl

bool erPacked(uint format) { return (format & 15u) == ER_FORMAT_COMPRESSED1; }

struct ErQuanta {
    uint exponent; // 1 to 232
    uvec3 bits;    // of offsets, 1 to 16
    ivec3 anchor;  // 24 bits
};

ErQuanta erQuantaAt(uvec2 at) {
    ErUintView v = ErUintView(at);
    uvec3 w = uvec3(v.v[0], v.v[1], v.v[2]);
    return ErQuanta(w.x & 255u, uvec3(w.y & 15u, (w.y >> 4) & 15u, w.z & 15u) + 1u, ivec3(w) >> 8);
}

// erQuantaOf is what a template has of a header.
ErQuanta erQuantaOf(uint packed) {
    return ErQuanta(packed & 255u, (uvec3(packed >> 8, packed >> 12, packed >> 16) & 15u) + 1u, ivec3(0));
}

bool erIsQuanta(ErQuanta q) { return q.exponent >= 1u && q.exponent <= 232u; }

uint erLoadNumber(uvec2 at, uint n, uint bytes) {
    uvec2 a = erOffset(at, n, bytes);
    return bytes == 4u ? ErUintView(a).v[0] : (bytes == 2u ? erLoad16(a) : erLoad8(a));
}

uint erBits(uvec2 at, uint first, uint count) {
    ErUintView v = ErUintView(erOffset(at, first / 32u, 4u));
    uint shift = first & 31u, word = v.v[0] >> shift;
    if (shift + count > 32u) {
        word |= v.v[1] << (32u - shift);
    }
    return word & ((1u << count) - 1u);
}

vec3 erUnpackVertex(uvec2 at, ErQuanta q, uint n) {
    uvec2 stream = erAddress(at, 12u);
    uint first = n * (q.bits.x + q.bits.y + q.bits.z);
    uvec3 offset = uvec3(erBits(stream, first, q.bits.x), erBits(stream, first + q.bits.x, q.bits.y),
                         erBits(stream, first + q.bits.x + q.bits.y, q.bits.z));
    return vec3(q.anchor + ivec3(offset)) * uintBitsToFloat(q.exponent << 23); // exact: no more than 24 bits
}

bool erIsNumber(float v) { return (floatBitsToUint(v) & 0x7f800000u) != 0x7f800000u; }

// erQuantised is the step next to a number, of two the upper one, in the 24 bits of an anchor. It counts bits itself: quotients
// may be beyond floats, and a half that is added to them is rounded.
int erQuantised(float v, uint exponent) {
    uint bits = floatBitsToUint(v), e = (bits >> 23) & 255u;
    bool negative = (bits >> 31) != 0u;
    int mantissa = int(e == 0u ? bits & 0x7fffffu : bits & 0x7fffffu | 0x800000u);
    mantissa = negative ? -mantissa : mantissa;
    int down = int(exponent) + 23 - int(max(e, 1u)); // v is mantissa * 2^(e - 150), a step 2^(exponent - 127)
    if (down <= 0) {
        return mantissa == 0 ? 0 : (negative ? -0x800000 : 0x7fffff);
    }
    return down > 30 ? 0 : (mantissa + (1 << (down - 1))) >> down; // rounds down, with a half added
}

vec3 erQuantise(vec3 v, ErQuanta q) {
    vec3 out_ = v;
    for (uint axis = 0u; axis < 3u; axis++) {
        if (erIsNumber(v[axis])) {
            int offset = min(erQuantised(v[axis], q.exponent) - q.anchor[axis], int((1u << q.bits[axis]) - 1u));
            out_[axis] = float(q.anchor[axis] + offset) * uintBitsToFloat(q.exponent << 23);
        }
    }
    return out_;
}

// erHalf is the 16-bit float next to a number on the side of zero, as a float.
float erHalf(float v) {
    uint bits = floatBitsToUint(v), sign = bits & 0x80000000u, e = (bits >> 23) & 255u;
    if (e == 255u) {
        return v;
    }
    if (e > 142u) {
        return uintBitsToFloat(sign | 0x477fe000u); // 65504
    }
    if (e < 103u) {
        return uintBitsToFloat(sign); // less than 2^-24
    }
    uint cut = e < 113u ? 13u + (113u - e) : 13u;
    return uintBitsToFloat(bits & (0xffffffffu << cut));
}

// erSnormOf is the signed number of so many bits next to 0 to 1, of two the one that is farther from zero.
uint erSnormOf(float v, uint bits) {
    uint word = floatBitsToUint(v) & 0x7fffffffu, e = word >> 23, most = (1u << bits) - 1u;
    if (word > 0x7f800000u || e < 100u) {
        return 0u; // no number, or less than half of the least
    }
    if (e >= 127u) {
        return most;
    }
    uint hi, lo, shift = 150u - e; // v is a mantissa * 2^-shift
    umulExtended(word & 0x7fffffu | 0x800000u, most, hi, lo);
    uint carry, half_ = 1u << ((shift - 1u) & 31u);
    if (shift - 1u < 32u) {
        lo = uaddCarry(lo, half_, carry);
        hi += carry;
    } else {
        hi += half_;
    }
    return shift < 32u ? lo >> shift | hi << (32u - shift) : hi >> (shift - 32u);
}

// erConverted is a position in a format, as floats.
vec3 erConverted(vec3 v, uint format) {
    vec3 p = (format >> 4) == 2u ? vec3(v.xy, 0.0) : v; // 0: none was asked for
    for (uint axis = 0u; axis < 3u; axis++) {
        uint sign = floatBitsToUint(p[axis]) >> 31;
        switch (format & 15u) {
        case ER_FORMAT_FLOAT16:
            p[axis] = erHalf(p[axis]);
            break;
        case ER_FORMAT_SNORM16:
            p[axis] = (sign != 0u ? -1.0 : 1.0) * erSnorm(erSnormOf(p[axis], 15u), 15u);
            break;
        case ER_FORMAT_SNORM8:
            p[axis] = (sign != 0u ? -1.0 : 1.0) * erSnorm(erSnormOf(p[axis], 7u), 7u);
            break;
        }
    }
    return p;
}

#endif
