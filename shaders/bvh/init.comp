#version 460
#extension GL_GOOGLE_include_directive : require
// Resets the state of every build of the batch, and the queue of seeds.
#include "bvh/build.glsl"
#include "bvh/seed.glsl"
layout(local_size_x = 64) in;

void main() {
    uint b = gl_GlobalInvocationID.x;
    if (b >= push.taskCount) {
        return;
    }
    if (b == 0u && (push.histograms.x | push.histograms.y) != 0u) {
        ErSeeds(push.histograms).count = 0u;
    }
    ErStateView s = ErStateView(ErBuildView(push.builds).build[b].state);
    for (uint k = 0u; k < 3u; k++) {
        s.state.boundsMin[k] = 0xffffffffu;
        s.state.boundsMax[k] = 0u;
    }
    s.state.activeCount = 0u;
    s.state.root = ER_REF_NONE;
    s.state.height = 0u;
    s.state.huge = 0u;
}
