// Typed views of a structure's memory, for reading. See layout.glsl.
#ifndef ER_BVH_ACCESS_GLSL
#define ER_BVH_ACCESS_GLSL

struct ErNode {
    vec4 xy0, xy1, z;
    uvec2 children;
    uvec2 leaves; // primitives below each child
};

struct ErTriangle {
    vec4 a; // v0.xyz, v1.x
    vec4 b; // v1.yz, v2.xy
    uvec4 c; // v2.z, primitive, geometry and flags, unused
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

// erAddressBlocks is erAddress in units of 64 bytes.
uvec2 erAddressBlocks(uvec2 base, uint blocks) {
    uvec2 a = erAddress(base, blocks << 6);
    a.y += blocks >> 26;
    return a;
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
