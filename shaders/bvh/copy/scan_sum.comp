#version 460
#extension GL_GOOGLE_include_directive : require
// First half of a scan of many numbers: the sum of each chunk.
#include "bvh/common/build.glsl"
#include "bvh/build/scan.glsl"

void main() {
    uint group = erGroup();
    uint lane = gl_LocalInvocationIndex;
    uint sum = 0u;
    for (uint k = 0u; k < ER_SCAN_ITEMS; k++) {
        uint at = group * ER_SCAN_CHUNK + k * ER_LANES + lane;
        sum += at < push.taskCount ? ErUintView(push.exchange).v[at] : 0u;
    }
    uint total;
    erScanLanes(lane, sum, total);
    if (lane == 0u && group * ER_SCAN_CHUNK < push.taskCount) {
        ErUintView(push.sums).v[group] = total;
    }
}
