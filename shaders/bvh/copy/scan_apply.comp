#version 460
#extension GL_GOOGLE_include_directive : require
// Second half of a scan of many numbers (copybatch.go): exclusive sums in
// place. push.pass tells whether there is more than one chunk.
#include "bvh/common/build.glsl"
#include "bvh/build/scan.glsl"

void main() {
    uint group = erGroup();
    uint lane = gl_LocalInvocationIndex;
    if (group * ER_SCAN_CHUNK >= push.taskCount) {
        return;
    }
    uint base = 0u;
    if (push.pass != 0u) {
        uint part = 0u;
        for (uint k = lane; k < group; k += ER_LANES) {
            part += ErUintView(push.sums).v[k];
        }
        erScanLanes(lane, part, base);
        barrier();
    }
    uint first = group * ER_SCAN_CHUNK + lane * ER_SCAN_ITEMS;
    uint item[ER_SCAN_ITEMS];
    uint sum = 0u;
    for (uint k = 0u; k < ER_SCAN_ITEMS; k++) {
        item[k] = first + k < push.taskCount ? ErUintView(push.exchange).v[first + k] : 0u;
        sum += item[k];
    }
    uint total;
    uint before = base + erScanLanes(lane, sum, total);
    for (uint k = 0u; k < ER_SCAN_ITEMS; k++) {
        if (first + k < push.taskCount) {
            ErUintView(push.exchange).v[first + k] = before;
        }
        before += item[k];
    }
}
