#version 460
#extension GL_GOOGLE_include_directive : require
// Resets the state of every build and update of the batch, and the queue of seeds.
// It also copies what the host wrote to memory that is near, because every
// workgroup of all further kernels begins by reading of it.
//   push.tasks, push.sums  from and to, push.pass pieces of 16 bytes
#include "bvh/common/build.glsl"
#include "bvh/build/seed.glsl"
layout(local_size_x = 64) in;

layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer ErUvec4Out { uvec4 v[]; };

void main() {
    uint i = erGroup() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (i < push.pass) {
        ErUvec4Out(push.sums).v[i] = ErUvec4View(push.tasks).v[i];
    }
    if (i >= push.taskCount) {
        return;
    }
    if (i == 0u && (push.exchange.x | push.exchange.y) != 0u) {
        ErSeeds(push.exchange).count = 0u;
    }
    ErBuild b = ErBuildView(push.builds).build[i];
    ErStateView s = ErStateView(b.state);
    for (uint k = 0u; k < 3u; k++) {
        s.state.boundsMin[k] = 0xffffffffu;
        s.state.boundsMax[k] = 0u;
    }
    s.state.activeCount = 0u;
    s.state.root = ER_REF_NONE;
    s.state.height = 0u;
    s.state.huge = 0u;
    s.state.deep = 0u;
    s.state.bundles = 0u;
    s.state.splits = 0u;
    s.state.sizes = 0u;
    s.state.sized = 0u;
}
