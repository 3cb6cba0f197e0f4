#version 460
#extension GL_GOOGLE_include_directive : require
// Writes the headers, last of all.
#include "bvh/build.glsl"
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
    vec4 boundsMinNodes;
    vec4 boundsMax;
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
    vec3 lo = vec3(0.0), hi = vec3(0.0);
    if (s.activeCount > 0u) {
        lo = erBoundsMin(s);
        hi = erBoundsMax(s);
        float padding = erPadding(lo, hi);
        lo -= padding;
        hi += padding;
    }
    ErHeaderOut h = ErHeaderOut(b.dst);
    h.selfMagicVersion = uvec4(b.dst, ER_AS_MAGIC, ER_AS_VERSION);
    h.compat = uvec4(COMPAT0, COMPAT1, COMPAT2, COMPAT3);
    h.typeFlagsGeometriesPrimitives = uvec4(b.type, b.flags, b.geometryCount, b.primitiveCount);
    h.activeRootHeightLeafBlock = uvec4(s.activeCount, s.root, s.height, b.leafBlock);
    uint nodes = b.primitiveCount > 1u ? b.primitiveCount - 1u : 0u;
    h.boundsMinNodes = vec4(lo, uintBitsToFloat(nodes));
    h.boundsMax = vec4(hi, 0.0);
    uvec2 leaves = erOffset(erAddressBlocks(uvec2(0u), b.leafBlock), b.primitiveCount,
                            b.type == ER_AS_TYPE_TOP ? ER_INSTANCE_SIZE : ER_TRIANGLE_SIZE);
    h.totalSize = uvec4(leaves, 0u, 0u);
    for (uint k = 0u; k < 9u; k++) {
        h.zero[k] = uvec4(0u);
    }
}
