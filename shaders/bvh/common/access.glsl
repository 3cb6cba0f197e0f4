// Typed views of a structure's memory, for reading. See layout.glsl.
#ifndef ER_BVH_ACCESS_GLSL
#define ER_BVH_ACCESS_GLSL
// The variant for GPUs with 64-bit integers, which have one instruction for an address of base, index and stride.
#ifdef ER_LONG
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif

struct ErNode {
    vec4 xy0, xy1, z;
    uvec2 children;
    uvec2 leaves; // primitives below each child
};

struct ErTriangle {
    vec4 a; // v0.xyz, v1.x
    vec4 b; // v1.yz, v2.xy
    uvec4 c; // v2.z, primitive, geometry and flags, corners
};

struct ErInstance {
    vec4 objectToWorld[3];
    vec4 worldToObject[3];
    uvec4 a; // blas, custom index and mask, table offset and flags
    uvec4 b; // instance index, root, height and kind, leaf block
};

struct ErBox {
    vec4 a; // minimum, primitive
    vec4 b; // maximum, geometry and flags
};

layout(buffer_reference, std430, buffer_reference_align = 64) readonly buffer ErHeaderView {
    uvec4 selfMagicVersion;
    uvec4 compat;
    uvec4 typeFlagsGeometriesPrimitives;
    uvec4 activeRootHeightLeafBlock;
    vec4 boundsMinNodes;
    vec4 boundsMax;
};
layout(buffer_reference, std430, buffer_reference_align = 64) readonly buffer ErNodeView {
    ErNode node[];
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErTriangleView {
    ErTriangle triangle[];
};
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer ErWordView {
    uint v[];
};
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer ErShortView {
    uvec2 v[ER_SHORT_WORDS / 2u];
};
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer ErCoordinateView {
    float v[];
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErBoxView {
    ErBox box[];
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErInstanceView {
    ErInstance instance[];
};

// erAddress adds bytes to a 64-bit address without 64-bit integers.
uvec2 erAddress(uvec2 base, uint bytes) {
    uint carry;
    uint low = uaddCarry(base.x, bytes, carry);
    return uvec2(low, base.y + carry);
}

// erOffset is erAddress for index * stride that may pass 32 bits, as what drivers make of an array's index may not: use it
// where an array may be larger than 4 GiB.
#ifdef ER_LONG
uvec2 erOffset(uvec2 base, uint index, uint stride) { return unpackUint2x32(packUint2x32(base) + uint64_t(index) * stride); }
#else
uvec2 erOffset(uvec2 base, uint index, uint stride) {
    uint high, low, carry;
    umulExtended(index, stride, high, low);
    low = uaddCarry(base.x, low, carry);
    return uvec2(low, base.y + high + carry);
}
#endif

// erAddressBlocks is erAddress in units of 64 bytes.
uvec2 erAddressBlocks(uvec2 base, uint blocks) {
    uvec2 a = erAddress(base, blocks << 6);
    a.y += blocks >> 26;
    return a;
}

// erAddressWords is erAddress in units of 4 bytes.
uvec2 erAddressWords(uvec2 base, uint words) {
    uvec2 a = erAddress(base, words << 2);
    a.y += words >> 30;
    return a;
}

// erWordAt is a word of leaf records.
uint erWordAt(uvec2 leaves, uint word) { return ErWordView(erAddressWords(leaves, word)).v[0]; }

// References to leaves, by where the number of records begins in structures of so many of them.
uint erRefShift(uint records) { return records > ER_REF_RECORDS ? ER_REF_LARGE_SHIFT : ER_REF_COUNT_SHIFT; }
uint erRefFirst(uint ref, uint shift) { return ref & ((1u << shift) - 1u); }
uint erRefCount(uint ref, uint shift) { return ((ref & ~ER_REF_LEAF) >> shift) + 1u; }
uint erRefOf(uint first, uint count, uint shift) { return ER_REF_LEAF | (count - 1u) << shift | first; }

// erFormShift is erRefShift by the form of an instance's leaves.
uint erFormShift(uint form) { return (form & ER_INSTANCE_LARGE) != 0u ? ER_REF_LARGE_SHIFT : ER_REF_COUNT_SHIFT; }

// erLeafForm is ER_LEAF_* as the bits beside ER_INSTANCE_HEIGHT.
uint erLeafForm(uint kind) {
    switch (kind) {
    case ER_LEAF_BOXES: return ER_INSTANCE_BOXES;
    case ER_LEAF_INDEXED: return ER_INSTANCE_INDEXED;
    case ER_LEAF_INDEXED_WIDE: return ER_INSTANCE_INDEXED | ER_INSTANCE_WIDE;
    case ER_LEAF_SHORT: return ER_INSTANCE_INDEXED | ER_INSTANCE_SHORT;
    case ER_LEAF_SHORT_MANY: return ER_INSTANCE_INDEXED | ER_INSTANCE_SHORT | ER_INSTANCE_MANY;
    case ER_LEAF_SHORT_WIDE: return ER_INSTANCE_INDEXED | ER_INSTANCE_SHORT | ER_INSTANCE_WIDE;
    }
    return 0u;
}

// erFormOf is the form of a bottom level's leaves: of their kind and number.
uint erFormOf(uint kind, uint records) { return erLeafForm(kind) | (records > ER_REF_RECORDS ? ER_INSTANCE_LARGE : 0u); }

// erChunkWord is where a chunk of indexed triangles begins, in words.
uint erChunkWord(uint chunk) { return chunk * (ER_CHUNK_RECORDS * ER_INDEXED_WORDS + ER_CHUNK_WORDS); }

// erRecordWord is where an indexed triangle's record begins, in words.
uint erRecordWord(uint leaf) { return leaf * ER_INDEXED_WORDS + (leaf / ER_CHUNK_RECORDS + 1u) * ER_CHUNK_WORDS; }

// erShortChunkWord is where a chunk of short triangles begins, in the wide form.
uint erShortChunkWord(uint chunk) { return chunk * (ER_CHUNK_RECORDS * ER_SHORT_WORDS + ER_CHUNK_WORDS); }

// erShortWord is where a short triangle's record begins, in words.
uint erShortWord(uint leaf, uint form) {
    return leaf * ER_SHORT_WORDS + ((form & ER_INSTANCE_WIDE) != 0u ? (leaf / ER_CHUNK_RECORDS + 1u) * ER_CHUNK_WORDS : 0u);
}

// erShortShift is where the geometry begins in a short triangle's last word.
uint erShortShift(uint form) {
    return (form & ER_INSTANCE_WIDE) != 0u ? ER_SHORT_WIDE_SHIFT : (form & ER_INSTANCE_MANY) != 0u ? ER_SHORT_MANY_SHIFT
        : ER_SHORT_SHIFT;
}

// erChunkList is the word behind a chunk's vertices.
uint erChunkList(uvec2 head) { return head.x + 3u * (head.y & ER_CHUNK_VERTEX_MASK); }

// A triangle of any form. The last word has the flags of ER_TRIANGLE_GEOMETRY.
struct ErCorners {
    vec3 v0, v1, v2;
    uint flags;
};

#ifdef ER_SIMD
ErNode erNodeAt(uvec2 nodes, uint index);
ErCorners erCorners(uvec2 leaves, uint leaf, uint form);
#else
ErNode erNodeAt(uvec2 nodes, uint index) { return ErNodeView(erOffset(nodes, index, ER_NODE_SIZE)).node[0]; }

// erCorners reads a triangle; form has the bits of erLeafForm, and maybe others.
ErCorners erCorners(uvec2 leaves, uint leaf, uint form) {
    ErCorners r;
    if ((form & ER_INSTANCE_INDEXED) != 0u) {
        if ((form & ER_INSTANCE_SHORT) != 0u) {
            ErShortView s = ErShortView(erAddressWords(leaves, erShortWord(leaf, form)));
            r.v0 = uintBitsToFloat(uvec3(s.v[0], s.v[1].x));
            r.v1 = uintBitsToFloat(uvec3(s.v[1].y, s.v[2]));
            r.v2 = uintBitsToFloat(uvec3(s.v[3], s.v[4].x));
            r.flags = s.v[4].y;
        } else {
            r.flags = erWordAt(leaves, erRecordWord(leaf));
            ErCoordinateView f = ErCoordinateView(erAddressWords(leaves, erWordAt(leaves, erChunkWord(leaf / ER_CHUNK_RECORDS))));
            uvec3 at = uvec3(r.flags & 255u, (r.flags >> 8) & 255u, (r.flags >> 16) & 255u) * 3u;
            r.v0 = vec3(f.v[at.x], f.v[at.x + 1u], f.v[at.x + 2u]);
            r.v1 = vec3(f.v[at.y], f.v[at.y + 1u], f.v[at.y + 2u]);
            r.v2 = vec3(f.v[at.z], f.v[at.z + 1u], f.v[at.z + 2u]);
            r.v2 = (r.flags & ER_TRIANGLE_INACTIVE) != 0u ? r.v1 : r.v2; // nothing hits it
        }
    } else {
        ErTriangle t = ErTriangleView(erOffset(leaves, leaf, ER_TRIANGLE_SIZE)).triangle[0];
        r.v0 = t.a.xyz;
        r.v1 = vec3(t.a.w, t.b.xy);
        r.v2 = vec3(t.b.zw, uintBitsToFloat(t.c.x));
        r.flags = t.c.z;
    }
    return r;
}
#endif

// erPrimitiveWords returns a triangle's primitive, and its geometry with flags.
uvec2 erPrimitiveWords(uvec2 leaves, uint leaf, uint form) {
    if ((form & ER_INSTANCE_INDEXED) == 0u) {
        return ErTriangleView(erOffset(leaves, leaf, ER_TRIANGLE_SIZE)).triangle[0].c.yz;
    }
    uint chunk = leaf / ER_CHUNK_RECORDS;
    uint first, primitive, shift;
    if ((form & ER_INSTANCE_SHORT) != 0u) {
        first = erWordAt(leaves, erShortWord(leaf, form) + ER_SHORT_WORD);
        shift = erShortShift(form);
        primitive = first & ((1u << shift) - 1u);
        chunk = erShortChunkWord(chunk);
    } else {
        uint at = erRecordWord(leaf);
        first = erWordAt(leaves, at);
        shift = ER_INDEXED_GEOMETRY_SHIFT;
        primitive = erWordAt(leaves, at + 1u);
        chunk = erChunkWord(chunk);
    }
    const uint FLAGS = ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE;
    uint geometry = (first & ~FLAGS) >> shift;
    if ((form & ER_INSTANCE_WIDE) != 0u) {
        uvec2 head = uvec2(erWordAt(leaves, chunk), erWordAt(leaves, chunk + 1u));
        geometry = erWordAt(leaves, erChunkList(head) + geometry);
    }
    return uvec2(primitive, geometry | (first & FLAGS));
}

mat4x3 erObjectToWorld(uvec2 instanceRecord) {
    ErInstance i = ErInstanceView(instanceRecord).instance[0];
    return transpose(mat3x4(i.objectToWorld[0], i.objectToWorld[1], i.objectToWorld[2]));
}

mat4x3 erWorldToObject(uvec2 instanceRecord) {
    ErInstance i = ErInstanceView(instanceRecord).instance[0];
    return transpose(mat3x4(i.worldToObject[0], i.worldToObject[1], i.worldToObject[2]));
}

#endif
