#version 460
#extension GL_GOOGLE_include_directive : require
// Sorts builds of up to ER_SORT_SMALL primitives in shared memory, all passes.
// The keys themselves move once, at the end.
#include "bvh/build/sort.glsl"

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint lane = gl_LocalInvocationIndex;
    ErBuild b = ErBuildView(push.builds).build[ErUvec2View(push.tasks).v[group].x];
    ErUvec2View keys = ErUvec2View(b.keysA);
    uint n = b.primitiveCount;
    uint items = (n + ER_LANES - 1u) / ER_LANES;
    uint end = items * ER_LANES;
    for (uint k = lane; k < end; k += ER_LANES) {
        sortItem[erSpread(k)] = k;
    }
    barrier();
    uint passes = (3u * erAxisBits(b) + 8u) / 8u; // and a bit more, of inactive ones
    for (uint pass = 0u; pass < passes; pass++) {
        for (uint k = lane; k < end; k += ER_LANES) {
            uint index = sortItem[erSpread(k)] & 0xffffu;
            sortItem[erSpread(k)] = (index < n ? erDigit(keys.v[index], pass) : 0xffu) << 16 | index;
        }
        barrier();
        erSplit(lane, 16u, items);
        erSplit(lane, 20u, items);
    }
    uvec2 key[ER_SORT_ITEMS];
    for (uint k = 0u; k < items; k++) {
        uint index = sortItem[erColumn(k, lane)] & 0xffffu;
        key[k] = index < n ? keys.v[index] : uvec2(0u);
    }
    barrier();
    for (uint k = 0u; k < items; k++) {
        uint to = k * ER_LANES + lane;
        if (to < n) {
            keys.v[to] = key[k];
            ErUintView(b.valuesA).v[to] = sortItem[erColumn(k, lane)] & 0xffffu;
        }
    }
}
