#version 460
#extension GL_GOOGLE_include_directive : require
// Adds up the counts of digits of builds of many tiles: in place, those of the tiles before; behind the last tile, those of all.
// A workgroup does eight digits of a build, a part of the tiles in each lane.
#include "bvh/build/digits.glsl"
#include "bvh/common/lanes.glsl"

const uint ER_SCAN_DIGITS = 8u; // batch.go has the same
const uint PARTS = ER_LANES / ER_SCAN_DIGITS;
const uint AHEAD = 16u; // loads that do not wait for each other: there are few lanes

shared uint part[ER_LANES];

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint lane = gl_LocalInvocationIndex;
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErUintView counts = ErUintView(push.exchange);
    uint digit = lane % ER_SCAN_DIGITS, mine = lane / ER_SCAN_DIGITS;
    uint column = erDigitCount(b, erSortByte(), 0u, task.y * ER_SCAN_DIGITS + digit);
    uint tiles = erTiles(b);
    uint each = (tiles + PARTS - 1u) / PARTS;
    uint first = min(mine * each, tiles), end = min(first + each, tiles);
    uint sum = 0u;
    for (uint k = first; k < end; k += AHEAD) {
        uint n[AHEAD];
        for (uint i = 0u; i < AHEAD; i++) {
            n[i] = k + i < end ? counts.v[column + (k + i) * 256u] : 0u;
        }
        for (uint i = 0u; i < AHEAD; i++) {
            sum += n[i];
        }
    }
    part[lane] = sum;
    barrier();
    uint before = 0u, all = 0u;
    for (uint k = 0u; k < PARTS; k++) {
        uint n = part[k * ER_SCAN_DIGITS + digit];
        all += n;
        before += k < mine ? n : 0u;
    }
    for (uint k = first; k < end; k += AHEAD) {
        uint n[AHEAD];
        for (uint i = 0u; i < AHEAD; i++) {
            n[i] = k + i < end ? counts.v[column + (k + i) * 256u] : 0u;
        }
        for (uint i = 0u; i < AHEAD && k + i < end; i++) {
            counts.v[column + (k + i) * 256u] = before;
            before += n[i];
        }
    }
    if (mine == 0u) {
        counts.v[erDigitSums(b, erSortByte()) + task.y * ER_SCAN_DIGITS + digit] = all;
    }
}
