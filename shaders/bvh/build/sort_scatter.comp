#version 460
#extension GL_GOOGLE_include_directive : require
// Moves one tile's keys and values to their places by one byte of the key, and counts the next byte where they go.
#include "bvh/build/sort.glsl"

const uint ITEMS = ER_SORT_TILE / ER_LANES;
const uint DIGITS = 256u / ER_LANES; // of a lane, neighbours

// Counters that erSplit has no use for any more: first where a digit begins in the tile, then what to add for the place among all.
#define digitBase sortCount

const uint PARTS = ER_LANES / 64u; // of the tiles

// addCounts adds up the digits of all tiles, and of those before this one. A lane takes four digits of the tiles of a part, several
// at a time, or it would wait for each; the counters of erSplit hold what it found, for countDigit.
void addCounts(ErBuild b, uint tile) {
    const uint AHEAD = 8u;
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
        sortCount[k * ER_LANES + lane] = sum[k];
        sortCount[(4u + k) * ER_LANES + lane] = sumBefore[k];
    }
    barrier();
}

// countDigit finds how many there are of a digit in all tiles, and in those before this one.
void countDigit(ErBuild b, uint tile, uint digit, out uint all, out uint before) {
    if (erTiles(b) > ER_SORT_DIRECT) {
        before = ErUintView(push.exchange).v[erDigitCount(b, erSortByte(), tile, digit)];
        all = ErUintView(push.exchange).v[erDigitSums(b, erSortByte()) + digit];
    } else {
        all = 0u;
        before = 0u;
        for (uint part = 0u; part < PARTS; part++) {
            uint at = digit % 4u * ER_LANES + part * 64u + digit / 4u;
            all += sortCount[at];
            before += sortCount[4u * ER_LANES + at];
        }
    }
    ErUintView(push.exchange).v[erDigitCount(b, erSortByte() + 2u, tile, digit)] = 0u;
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
        uint k = i * ER_LANES + lane;
        uvec2 key = uvec2(0xffffffffu); // what lies beyond the end sorts behind all that is real
        if (k < count) {
            key = ErUvec2View(keysIn).v[first + k];
        }
        digit[i] = erDigit(key, erSortByte());
    }
    if (erTiles(b) <= ER_SORT_DIRECT) {
        addCounts(b, task.y);
    }
    uint before[DIGITS];
    uint sum = 0u, total;
    for (uint k = 0u; k < DIGITS; k++) {
        uint all;
        countDigit(b, task.y, lane * DIGITS + k, all, before[k]);
        before[k] += sum;
        sum += all;
    }
    uint lower = erScanLanes(lane, sum, total); // of the lanes before
    barrier();
    for (uint i = 0u; i < ITEMS; i++) {
        sortItem[erColumn(i, lane)] = digit[i] << 16 | i * ER_LANES + lane;
    }
    barrier();
    erSplit(lane, 16u, ITEMS);
    erSplit(lane, 20u, ITEMS);
    for (uint i = 0u; i < ITEMS; i++) {
        uint k = i * ER_LANES + lane;
        uint d = sortItem[erColumn(i, lane)] >> 16;
        if (k == 0u || (sortItem[erSpread(k - 1u)] >> 16) != d) {
            digitBase[d] = k;
        }
    }
    barrier();
    for (uint k = 0u; k < DIGITS; k++) {
        digitBase[lane * DIGITS + k] = lower + before[k] - digitBase[lane * DIGITS + k];
    }
    barrier();
    for (uint i = 0u; i < ITEMS; i++) {
        uint k = i * ER_LANES + lane;
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
