// Digits of the sort's keys: a byte each, and where their counts are.
#ifndef ER_BVH_DIGITS_GLSL
#define ER_BVH_DIGITS_GLSL
#include "bvh/common/build.glsl"

const uint ER_SORT_SMALL = ER_SORT_BLOCKS * ER_BLOCK_SIZE;

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
