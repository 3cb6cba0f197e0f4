#version 460
#extension GL_GOOGLE_include_directive : require
// Histogram of one byte of the keys of one block.
#include "bvh/sort.glsl"
layout(local_size_x = 256) in;

shared uint histogram[256];

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uint lane = gl_LocalInvocationIndex;
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uvec2 keys = erFromA() ? b.keysA : b.keysB;
    histogram[lane] = 0u;
    barrier();
    uint first = task.y * ER_BLOCK_SIZE;
    uint end = min(first + ER_BLOCK_SIZE, b.primitiveCount);
    for (uint k = first + lane; k < end; k += ER_SORT_LANES) {
        atomicAdd(histogram[erDigit(ErUvec2View(keys).v[k], erSortByte())], 1u);
    }
    barrier();
    ErUintView(push.histograms).v[b.firstBlock * 256u + lane * b.blockCount + task.y] = histogram[lane];
}
