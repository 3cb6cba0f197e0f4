#version 460
#extension GL_GOOGLE_include_directive : require
// Sorts builds of one block, all eight passes in shared memory.
#include "bvh/sort.glsl"
layout(local_size_x = 256) in;

shared uvec2 blockKey[ER_BLOCK_SIZE];

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint lane = gl_LocalInvocationIndex;
    ErBuild b = ErBuildView(push.builds).build[ErUvec2View(push.tasks).v[group].x];
    uint n = b.primitiveCount;
    uint items = (n + ER_SORT_LANES - 1u) / ER_SORT_LANES;
    uint end = items * ER_SORT_LANES;
    for (uint k = lane; k < end; k += ER_SORT_LANES) {
        blockKey[k] = k < n ? ErUvec2View(b.keysA).v[k] : uvec2(0xffffffffu);
        sortItem[k] = k;
    }
    barrier();
    for (uint pass = 0u; pass < 8u; pass++) {
        for (uint k = lane; k < end; k += ER_SORT_LANES) {
            uint index = sortItem[k] & 0xffffu;
            sortItem[k] = erDigit(blockKey[index], pass) << 16 | index;
        }
        barrier();
        erSplit(lane, 16u, items);
        erSplit(lane, 20u, items);
    }
    for (uint k = lane; k < n; k += ER_SORT_LANES) {
        uint index = sortItem[k] & 0xffffu;
        ErUvec2View(b.keysA).v[k] = blockKey[index];
        ErUintView(b.valuesA).v[k] = index;
    }
}
