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

shared uint sortItem[ER_SORT_SMALL];      // digit << 16 | index in the block
shared uint sortCount[8u * ER_SORT_LANES]; // two counters of 16 bits each: digits d and d + 8
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
        sortCount[w * ER_SORT_LANES + lane] = 0u;
    }
    for (uint k = 0u; k < items; k++) {
        item[k] = sortItem[lane * items + k];
        uint d = (item[k] >> shift) & 15u;
        sortCount[(d & 7u) * ER_SORT_LANES + lane] += 1u << ((d >> 3) * 16u);
    }
    barrier();
    uint sum = 0u;
    for (uint w = 0u; w < 8u; w++) {
        sum += sortCount[lane * 8u + w];
    }
    uint total;
    uint before = erScanLanes(lane, sum, total);
    before += total << 16; // digits 8..15 follow digits 0..7
    for (uint w = 0u; w < 8u; w++) {
        uint c = sortCount[lane * 8u + w];
        sortCount[lane * 8u + w] = before;
        before += c;
    }
    barrier();
    for (uint k = 0u; k < items; k++) {
        uint d = (item[k] >> shift) & 15u;
        uint at = (d & 7u) * ER_SORT_LANES + lane;
        uint half_ = (d >> 3) * 16u;
        uint rank = (sortCount[at] >> half_) & 0xffffu;
        sortCount[at] += 1u << half_;
        sortItem[rank] = item[k];
    }
    barrier();
}

// erDigit is byte pass of a key.
uint erDigit(uvec2 key, uint pass) {
    return ((pass < 4u ? key.x : key.y) >> ((pass & 3u) * 8u)) & 0xffu;
}

// push.pass of the sort of several blocks: the byte, and the passes still to come
// from this one on, from bit 8. The last one writes to keysA and valuesA.
uint erSortByte() { return push.pass & 0xffu; }
bool erFromA() { return ((push.pass >> 8) & 1u) == 0u; }

#endif
