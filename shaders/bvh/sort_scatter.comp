#version 460
#extension GL_GOOGLE_include_directive : require
// Moves one block's keys and values to their places by one byte of the key.
#include "bvh/sort.glsl"
layout(local_size_x = 256) in;

shared uint digitStart[256];

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uint lane = gl_LocalInvocationIndex;
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    bool even = erFromA();
    uvec2 keysIn = even ? b.keysA : b.keysB;
    uvec2 keysOut = even ? b.keysB : b.keysA;
    uvec2 valuesIn = even ? b.valuesA : b.valuesB;
    uvec2 valuesOut = even ? b.valuesB : b.valuesA;
    uint first = task.y * ER_BLOCK_SIZE;
    uint count = min(b.primitiveCount - min(first, b.primitiveCount), ER_BLOCK_SIZE);
    for (uint k = lane; k < ER_BLOCK_SIZE; k += ER_SORT_LANES) {
        // What lies beyond the end sorts behind all that is real.
        uint d = k < count ? erDigit(ErUvec2View(keysIn).v[first + k], erSortByte()) : 255u;
        sortItem[k] = d << 16 | k;
    }
    barrier();
    erSplit(lane, 16u, ER_BLOCK_SIZE / ER_SORT_LANES);
    erSplit(lane, 20u, ER_BLOCK_SIZE / ER_SORT_LANES);
    for (uint k = lane; k < ER_BLOCK_SIZE; k += ER_SORT_LANES) {
        uint d = sortItem[k] >> 16;
        if (k == 0u || (sortItem[k - 1u] >> 16) != d) {
            digitStart[d] = k;
        }
    }
    barrier();
    // The scan runs over all builds: the first entry counts what lies before this one.
    uint before = ErUintView(push.histograms).v[b.firstBlock * 256u];
    for (uint k = lane; k < ER_BLOCK_SIZE; k += ER_SORT_LANES) {
        uint d = sortItem[k] >> 16;
        uint from = sortItem[k] & 0xffffu;
        if (from < count) {
            uint base = ErUintView(push.histograms).v[b.firstBlock * 256u + d * b.blockCount + task.y];
            uint to = base - before + (k - digitStart[d]);
            ErUvec2View(keysOut).v[to] = ErUvec2View(keysIn).v[first + from];
            ErUintView(valuesOut).v[to] = ErUintView(valuesIn).v[first + from];
        }
    }
}
