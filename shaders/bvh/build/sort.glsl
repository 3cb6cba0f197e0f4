// Stable sort of up to ER_SORT_SMALL items in shared memory by a digit of four bits (after
// Satish, Harris and Garland 2009): every lane counts its own consecutive
// items in a column of its own, so neither atomics nor subgroup operations are
// needed and the order is the input's.
//
// Items and counters take the 16 KiB that every device has, so nothing else is shared beside them.
#ifndef ER_BVH_SORT_GLSL
#define ER_BVH_SORT_GLSL
#include "bvh/build/digits.glsl"
#include "bvh/common/lanes.glsl"

const uint ER_SORT_ITEMS = ER_SORT_SMALL / ER_LANES; // per lane, at most

// Lanes read items and counters that follow each other: another order in each 32 keeps them off each other's banks.
uint erSpread(uint k) { return k ^ ((k >> 5) & 7u); }
// erColumn is erSpread(row * ER_LANES + lane), which is less to do for 256 lanes.
uint erColumn(uint row, uint lane) {
    return ER_LANES == 256u ? row * ER_LANES + (lane ^ (lane >> 5)) : erSpread(row * ER_LANES + lane);
}

shared uint sortItem[ER_SORT_SMALL];  // at erSpread: digit << 16 | index in the tile
shared uint sortCount[ER_SORT_SMALL]; // the same, two counters of 16 bits each: digits d and d + 8 of all lanes

// While lanes are summed up, erSplit has its items in registers.
#define ER_SCAN_MEMORY sortItem
#include "bvh/build/scan.glsl"

// erSplit orders the first ER_LANES * items of sortItem by the four bits at shift.
void erSplit(uint lane, uint shift, uint items) {
    uint item[ER_SORT_ITEMS];
    for (uint w = 0u; w < 8u; w++) {
        sortCount[erColumn(w, lane)] = 0u;
    }
    for (uint k = 0u; k < ER_SORT_ITEMS; k++) { // constant: items stay in registers
        if (k >= items) {
            break;
        }
        item[k] = sortItem[erSpread(lane * items + k)];
        uint d = (item[k] >> shift) & 15u;
        sortCount[erColumn(d & 7u, lane)] += 1u << ((d >> 3) * 16u);
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
        uint at = erColumn(d & 7u, lane);
        uint half_ = (d >> 3) * 16u;
        uint rank = (sortCount[at] >> half_) & 0xffffu;
        sortCount[at] += 1u << half_;
        sortItem[erSpread(rank)] = item[k];
    }
    barrier();
}

#endif
