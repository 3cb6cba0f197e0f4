#version 460
#extension GL_GOOGLE_include_directive : require
// Moves one tile's keys and values to their places by one byte of the key, and counts the next byte where they go.
#include "bvh/build/sort.glsl"
layout(local_size_x = 256) in;

const uint ITEMS = ER_SORT_TILE / ER_SORT_LANES;

// Counters that erSplit has no use for any more: first where a digit begins in the tile, then what to add for the place among all.
#define digitBase sortCount

// addCounts adds up the digits of all tiles, and of those before this one. A lane takes four digits of every fourth tile, several
// at a time, or it would wait for each; the counters of erSplit hold what it found.
void addCounts(ErBuild b, uint tile, out uint all, out uint before) {
    const uint AHEAD = 8u, PARTS = 4u;
    uint lane = gl_LocalInvocationIndex;
    uint tiles = erTiles(b), row = erDigits(b, erSortByte()) / 4u + lane % 64u;
    uvec4 sum = uvec4(0u), sumBefore = uvec4(0u);
    for (uint first = lane / 64u; first < tiles; first += AHEAD * PARTS) {
        uvec4 n[AHEAD];
        for (uint k = 0u; k < AHEAD; k++) {
            uint other = first + k * PARTS;
            n[k] = other < tiles ? ErUvec4View(push.exchange).v[row + other * 64u] : uvec4(0u);
        }
        for (uint k = 0u; k < AHEAD; k++) {
            sum += n[k];
            sumBefore += first + k * PARTS < tile ? n[k] : uvec4(0u);
        }
    }
    for (uint k = 0u; k < 4u; k++) {
        sortCount[k * ER_SORT_LANES + lane] = sum[k];
        sortCount[(4u + k) * ER_SORT_LANES + lane] = sumBefore[k];
    }
    barrier();
    all = 0u;
    before = 0u;
    for (uint part = 0u; part < PARTS; part++) {
        uint at = lane % 4u * ER_SORT_LANES + part * 64u + lane / 4u;
        all += sortCount[at];
        before += sortCount[4u * ER_SORT_LANES + at];
    }
}

// countDigit finds how many there are of a lane's digit in all tiles, and in those before this one.
void countDigit(ErBuild b, uint tile, out uint all, out uint before) {
    uint lane = gl_LocalInvocationIndex;
    if (erTiles(b) > ER_SORT_DIRECT) {
        before = ErUintView(push.exchange).v[erDigitCount(b, erSortByte(), tile, lane)];
        all = ErUintView(push.exchange).v[erDigitSums(b, erSortByte()) + lane];
    } else {
        addCounts(b, tile, all, before);
    }
    ErUintView(push.exchange).v[erDigitCount(b, erSortByte() + 2u, tile, lane)] = 0u;
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint lane = gl_LocalInvocationIndex;
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    bool even = (erSortLeft() & 1u) == 0u;
    uvec2 keysIn = even ? b.keysA : b.keysB;
    uvec2 keysOut = even ? b.keysB : b.keysA;
    uvec2 valuesIn = even ? b.valuesA : b.valuesB;
    uvec2 valuesOut = even ? b.valuesB : b.valuesA;
    uint first = task.y * ER_SORT_TILE;
    uint count = min(b.primitiveCount - min(first, b.primitiveCount), ER_SORT_TILE);
    uint digit[ITEMS];
    for (uint i = 0u; i < ITEMS; i++) {
        uint k = i * ER_SORT_LANES + lane;
        uvec2 key = uvec2(0xffffffffu); // what lies beyond the end sorts behind all that is real
        if (k < count) {
            key = ErUvec2View(keysIn).v[first + k];
        }
        digit[i] = erDigit(key, erSortByte());
    }
    uint all, before, total;
    countDigit(b, task.y, all, before);
    before += erScanLanes(lane, all, total);
    barrier();
    for (uint i = 0u; i < ITEMS; i++) {
        sortItem[erColumn(i, lane)] = digit[i] << 16 | i * ER_SORT_LANES + lane;
    }
    barrier();
    erSplit(lane, 16u, ITEMS);
    erSplit(lane, 20u, ITEMS);
    for (uint i = 0u; i < ITEMS; i++) {
        uint k = i * ER_SORT_LANES + lane;
        uint d = sortItem[erColumn(i, lane)] >> 16;
        if (k == 0u || (sortItem[erSpread(k - 1u)] >> 16) != d) {
            digitBase[d] = k;
        }
    }
    barrier();
    digitBase[lane] = before - digitBase[lane];
    barrier();
    for (uint i = 0u; i < ITEMS; i++) {
        uint k = i * ER_SORT_LANES + lane;
        uint item = sortItem[erColumn(i, lane)];
        uint from = item & 0xffffu;
        if (from < count) {
            uint to = digitBase[item >> 16] + k;
            uvec2 moved = ErUvec2View(keysIn).v[first + from];
            ErUvec2View(keysOut).v[to] = moved;
            ErUintView(valuesOut).v[to] = erSortByte() == 0u ? first + from : ErUintView(valuesIn).v[first + from];
            if (erSortLeft() > 1u) {
                uint next = erDigitCount(b, erSortByte() + 1u, to / ER_SORT_TILE, erDigit(moved, erSortByte() + 1u));
                atomicAdd(ErUintView(push.exchange).v[next], 1u);
            }
        }
    }
}
