#version 460
#extension GL_GOOGLE_include_directive : require
// Goes up from the nodes whose children moves have changed, and counts at every node of these ways who comes by from below:
// improve_refit.comp waits for as many. The first one to come goes on.
#include "bvh/build/improve.glsl"
layout(local_size_x = 64) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer ErMarks { uint v[]; };

void mark(ErBuild b, uint node) {
    while (node != LINK_ROOT && atomicAdd(ErMarks(b.arrivals).v[node], 1u) == 0u) {
        node = ErUvec2View(b.parents).v[node].x & LINK_NODE;
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErState state = ErStateView(b.state).state;
    uint count = state.activeCount;
    if (!erMovable(b, count)) {
        return;
    }
    for (uint k = task.y * ER_TREE_LANES + gl_LocalInvocationIndex; k < ER_MOVE_STARTS * state.moved; k += b.blockCount *
        ER_TREE_LANES) {
        mark(b, erStart(b, k / ER_MOVE_STARTS, k % ER_MOVE_STARTS));
    }
}
