#version 460
#extension GL_GOOGLE_include_directive : require
// Reads the boxes of the clusters of bottom levels, as boxes that bvh builds trees over: ER_GATHER_LANES clusters for each
// workgroup. What is null, empty or no cluster has a box that is none.
//   push.taskCount  workgroups for each bottom level
#include "bvh/cluster/command.glsl"
layout(local_size_x = 64) in;

void main() {
    ErClusterCommand c = erCommand();
    uint k = erGroup() / push.taskCount, part = erGroup() % push.taskCount;
    if (k >= c.most) {
        return;
    }
    uint n = part * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    bool there = k < erOperations(c) && erPlaceOf(c, k).bytes != 0u && c.mode != ER_TO_SIZES;
    ErUintView v = erInfo(c, k);
    uint count = there ? v.v[0] : 0u;
    if (n == 0u) {
        ErQuads(c.ranges).v[k] = uvec4(count, 0u, 0u, 0u);
    }
    if (n >= count) {
        return;
    }
    ErUintView list = ErUintView(erOffset(uvec2(v.v[2], v.v[3]), n, v.v[1] == 0u ? 8u : v.v[1]));
    uvec2 at = uvec2(list.v[0], list.v[1]);
    vec3 lo = vec3(3.402823e38), hi = vec3(-3.402823e38);
    if (erIsCluster(at, ER_CLUSTER_MAGIC)) {
        lo = ErClusterView(at).boundsMin;
        hi = ErClusterView(at).boundsMax;
    }
    ErWordsOut box = ErWordsOut(erOffset(c.boxes, k * c.mostClusters + n, 24u));
    for (uint axis = 0u; axis < 3u; axis++) {
        box.v[axis] = floatBitsToUint(lo[axis]);
        box.v[axis + 3u] = floatBitsToUint(hi[axis]);
    }
}
