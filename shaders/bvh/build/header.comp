#version 460
#extension GL_GOOGLE_include_directive : require
// Writes the headers, last of all.
#include "bvh/common/build.glsl"
layout(local_size_x = 64) in;

layout(constant_id = 0) const uint COMPAT0 = 0u;
layout(constant_id = 1) const uint COMPAT1 = 0u;
layout(constant_id = 2) const uint COMPAT2 = 0u;
layout(constant_id = 3) const uint COMPAT3 = 0u;

layout(buffer_reference, std430, buffer_reference_align = 64) writeonly buffer ErHeaderOut {
    uvec4 selfMagicVersion;
    uvec4 compat;
    uvec4 typeFlagsGeometriesPrimitives;
    uvec4 activeRootHeightLeafBlock;
    vec3 boundsMin;
    uint nodes;
    vec3 boundsMax;
    uint leafKind;
    uvec4 totalSize;
    uvec4 zero[9];
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= push.taskCount) {
        return;
    }
    ErBuild b = ErBuildView(push.builds).build[i];
    ErState s = ErStateView(b.state).state;
    vec3 lo, hi;
    erHeaderBounds(s, lo, hi);
    uint kind = erLeafKind(b);
    ErHeaderOut h = ErHeaderOut(b.dst);
    h.selfMagicVersion = uvec4(b.dst, ER_AS_MAGIC, ER_AS_VERSION);
    h.compat = uvec4(COMPAT0, COMPAT1, COMPAT2, COMPAT3);
    h.typeFlagsGeometriesPrimitives = uvec4(b.type, b.flags, b.geometryCount, b.inputs);
    h.activeRootHeightLeafBlock = uvec4(s.activeCount, s.root, min(s.height, erMostHeight(b)), erLeafBlock(b, s));
    h.boundsMin = lo;
    h.nodes = erNodeSlots(b, s);
    h.boundsMax = hi;
    h.leafKind = kind;
    uint record = kind == ER_LEAF_INSTANCES ? ER_INSTANCE_SIZE : (kind == ER_LEAF_BOXES ? ER_BOX_SIZE : ER_TRIANGLE_SIZE);
    uvec2 leaves = erOffset(erAddressBlocks(uvec2(0u), erLeafBlock(b, s)), b.primitiveCount, record);
    h.totalSize = uvec4(leaves, 0u, 0u);
    for (uint k = 0u; k < 9u; k++) {
        h.zero[k] = uvec4(0u);
    }
}
