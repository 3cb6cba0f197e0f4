#version 460
#extension GL_GOOGLE_include_directive : require
// Reads the boxes of clusters for linear.glsl, and makes those of parts.
#include "bvh/cluster/linear.glsl"
layout(local_size_x = ER_LINEAR_PART) in;

shared ErLinearBox boxes[ER_LINEAR_PART];

void main() {
    ErClusterCommand c = erCommand();
    ErLinear l = erLinear(c, ER_LINEAR_PART);
    uint lane = gl_LocalInvocationIndex, n = l.part * ER_LINEAR_PART + lane;
    ErLinearBox b = erNoLinearBox();
    if (n < l.count) {
        uvec2 at = erLinearCluster(l, n);
        if (erIsCluster(at, ER_CLUSTER_MAGIC)) {
            b.lo = ErClusterView(at).boundsMin;
            b.hi = ErClusterView(at).boundsMax;
            b.count = b.lo.x <= b.hi.x ? 1u : 0u;
        }
        erLinearBoxes(l).v[n] = b;
    }
    boxes[lane] = b;
    barrier();
    for (uint half_ = ER_LINEAR_PART / 2u; half_ > 0u; half_ /= 2u) {
        if (lane < half_) {
            boxes[lane] = erUnion(boxes[lane], boxes[lane + half_]);
        }
        barrier();
    }
    if (lane == 0u && l.part * ER_LINEAR_PART < l.count) {
        erLinearPartBoxes(l).v[l.part] = boxes[0];
    }
}
