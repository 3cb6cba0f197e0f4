// Stable sort of up to ER_SORT_SMALL items in shared memory by a digit of four bits (after
// Satish, Harris and Garland 2009): every lane counts its own consecutive
// items in a column of its own, so neither atomics nor subgroup operations are
// needed and the order is the input's.
#ifndef ER_BVH_SORT_GLSL
#define ER_BVH_SORT_GLSL
#include "bvh/build.glsl"

const uint ER_SORT_LANES = 256u;
const uint ER_SORT_SMALL = ER_SORT_BLOCKS * ER_BLOCK_SIZE;
const uint ER_SORT_ITEMS = ER_SORT_SMALL / ER_SORT_LANES; // per lane, at most

// Lanes read items and counters that follow each other: a gap behind each 32 keeps them off each other's banks.
uint erSpread(uint k) { return k + (k >> 5); }
const uint ER_SORT_SPREAD = ER_SORT_SMALL + ER_SORT_SMALL / 32u;

shared uint sortItem[ER_SORT_SPREAD];  // at erSpread: digit << 16 | index in the tile
shared uint sortCount[ER_SORT_SPREAD]; // the same, two counters of 16 bits each: digits d and d + 8 of all lanes
shared uint sortSum[ER_SORT_LANES];
shared uint sortGroupSum[16];

// erScanLanes is the exclusive sum over the workgroup's 256 lanes.
uint erScanLanes(uint lane, uint x, out uint total) {
    sortSum[lane] = x;
    barrier();
    if (lane < 16u) {
        uint s = 0u;
        for (uint k = 0u; k < 16u; k++) {
            s += sortSum[lane * 16u + k];
        }
        sortGroupSum[lane] = s;
    }
    barrier();
    uint group = lane >> 4;
    uint before = 0u;
    total = 0u;
    for (uint k = 0u; k < 16u; k++) {
        uint g = sortGroupSum[k];
        total += g;
        before += k < group ? g : 0u;
        before += (group << 4) + k < lane ? sortSum[(group << 4) + k] : 0u;
    }
    return before;
}

// erSplit orders the first 256 * items of sortItem by the four bits at shift.
void erSplit(uint lane, uint shift, uint items) {
    uint item[ER_SORT_ITEMS];
    for (uint w = 0u; w < 8u; w++) {
        sortCount[erSpread(w * ER_SORT_LANES + lane)] = 0u;
    }
    for (uint k = 0u; k < ER_SORT_ITEMS; k++) { // constant: items stay in registers
        if (k >= items) {
            break;
        }
        item[k] = sortItem[erSpread(lane * items + k)];
        uint d = (item[k] >> shift) & 15u;
        sortCount[erSpread((d & 7u) * ER_SORT_LANES + lane)] += 1u << ((d >> 3) * 16u);
    }
    barrier();
    uint sum = 0u;
    for (uint w = 0u; w < 8u; w++) {
        sum += sortCount[erSpread(lane * 8u + w)];
    }
    uint total;
    uint before = erScanLanes(lane, sum, total);
    before += total << 16; // digits 8..15 follow digits 0..7
    for (uint w = 0u; w < 8u; w++) {
        uint c = sortCount[erSpread(lane * 8u + w)];
        sortCount[erSpread(lane * 8u + w)] = before;
        before += c;
    }
    barrier();
    for (uint k = 0u; k < ER_SORT_ITEMS; k++) {
        if (k >= items) {
            break;
        }
        uint d = (item[k] >> shift) & 15u;
        uint at = erSpread((d & 7u) * ER_SORT_LANES + lane);
        uint half_ = (d >> 3) * 16u;
        uint rank = (sortCount[at] >> half_) & 0xffffu;
        sortCount[at] += 1u << half_;
        sortItem[erSpread(rank)] = item[k];
    }
    barrier();
}

// erDigit is byte pass of a key.
uint erDigit(uvec2 key, uint pass) {
    return ((pass < 4u ? key.x : key.y) >> ((pass & 3u) * 8u)) & 0xffu;
}

// The sort of more goes by tiles. Each counts its digits; one pass adds up what the next one needs, wherever keys go.
const uint ER_SORT_TILE = ER_SORT_SMALL;
const uint ER_TILE_BLOCKS = ER_SORT_TILE / ER_BLOCK_SIZE;
// Builds of up to so many tiles add up the digits of all in every tile's workgroup, others by sort_scan.comp.
const uint ER_SORT_DIRECT = 128u;

uint erTiles(ErBuild b) { return (b.blockCount + ER_TILE_BLOCKS - 1u) / ER_TILE_BLOCKS; }

// push.pass of sort_scan.comp and sort_scatter.comp: the byte, and the passes still to come from this one on, from bit 8.
// The last one writes to keysA and valuesA.
uint erSortByte() { return push.pass & 0xffu; }
uint erSortLeft() { return push.pass >> 8; }

// erDigits is where the counts of all tiles' digits of a byte begin, and behind them the sums over all tiles. There are three
// sets: what a pass reads, what it adds to, and what it clears.
uint erDigits(ErBuild b, uint byte_) { return (b.firstBlock * 3u + byte_ % 3u * (erTiles(b) + 1u)) * 256u; }
uint erDigitSums(ErBuild b, uint byte_) { return erDigits(b, byte_) + erTiles(b) * 256u; }

// erDigitCount is where the count of a tile's digit is.
uint erDigitCount(ErBuild b, uint byte_, uint tile, uint digit) { return erDigits(b, byte_) + tile * 256u + digit; }

#endif
