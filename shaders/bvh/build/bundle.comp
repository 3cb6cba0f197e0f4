#version 460
#extension GL_GOOGLE_include_directive : require
// Cuts the sorted primitives into bundles. Those are subtrees of the radix tree
// of the keys: a border between two neighbours is one of bundles if its node has
// more than so many primitives below. Every block keeps within its share of the
// nodes, if need be with bundles of equal size, so that the size of a structure
// is known from counts.
//   push.pass 0: every block counts its bundles
//   push.pass 1: they are numbered and written
#include "bvh/build/bundle.glsl"
#include "bvh/common/lanes.glsl"

const uint LANES = ER_LANES;
const uint ITEMS = ER_BLOCK_SIZE / LANES; // borders of a lane, neighbours

const uint METHOD_LIKED = 0u;
const uint METHOD_MOST = 1u;
const uint METHOD_FIXED = 2u;
const uint METHOD_SHIFT = 16u; // above the count

// What is most, liked and fixed: see bundle.glsl.
uint most, liked, fixedSize, slots;

void chooseSizes(uint live) {
    bool large = live > ER_REF_RECORDS;
    most = large ? ER_LARGE_LEAF : ER_BUNDLE_MOST;
    liked = large ? ER_LARGE_LEAF : ER_BUNDLE_LIKED;
    fixedSize = large ? ER_LARGE_LEAF : ER_BUNDLE_FIXED;
    slots = large ? ER_BUNDLE_LARGE_SLOTS : ER_BUNDLE_SLOTS;
}

shared uvec2 difference[ER_BLOCK_SIZE]; // of the keys beside a border
shared uint sharedCount[2];
shared uint sums[LANES];

bool lower(uint p, uint q) {
    uvec2 a = difference[p], b = difference[q];
    return a.y != b.y ? a.y < b.y : (a.x != b.x ? a.x < b.x : (p ^ (p + 1u)) < (q ^ (q + 1u)));
}

// below is the number of primitives below the node of a border, as far as they
// are in the block, or more than the most.
uint below(uint border, uint count) {
    uint n = 2u;
    for (uint p = border; p > 0u && n <= most && lower(p - 1u, border); p--) {
        n++;
    }
    for (uint p = border + 1u; p + 1u < count && n <= most && lower(p, border); p++) {
        n++;
    }
    return n;
}

bool isBorder(uint border, uint count, uint method) {
    if (border + 1u >= count) {
        return false;
    }
    if (method == METHOD_FIXED) {
        return (border + 1u) % fixedSize == 0u;
    }
    return below(border, count) > (method == METHOD_LIKED ? liked : most);
}

// countBlock chooses the method of a block of count primitives.
void countBlock(ErBuild b, uint block, uint count) {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 2u) {
        sharedCount[lane] = 1u;
    }
    barrier();
    uvec2 borders = uvec2(0u);
    for (uint k = 0u; k < ITEMS; k++) {
        uint border = lane * ITEMS + k;
        if (border + 1u < count) {
            uint n = below(border, count);
            borders += uvec2(n > liked ? 1u : 0u, n > most ? 1u : 0u);
        }
    }
    atomicAdd(sharedCount[0], borders.x);
    atomicAdd(sharedCount[1], borders.y);
    barrier();
    if (lane == 0u) {
        uint fixed_ = (count + fixedSize - 1u) / fixedSize;
        uint room = max(fixed_, count * slots / ER_BLOCK_SIZE);
        uint method = sharedCount[0] <= room ? METHOD_LIKED : (sharedCount[1] <= room ? METHOD_MOST : METHOD_FIXED);
        uint chosen = method == METHOD_FIXED ? fixed_ : sharedCount[method];
        ErUintView(b.parents).v[block] = chosen | method << METHOD_SHIFT;
        atomicAdd(ErUintView(b.parents).v[erBundleSum(b, block)], chosen);
    }
}

// sumLanes is the exclusive sum over all lanes.
uint sumLanes(uint x, out uint total) {
    uint lane = gl_LocalInvocationIndex;
    barrier();
    sums[lane] = x;
    barrier();
    for (uint step = 1u; step < LANES; step <<= 1) {
        uint y = lane >= step ? sums[lane - step] : 0u;
        barrier();
        sums[lane] += y;
        barrier();
    }
    total = sums[LANES - 1u];
    return sums[lane] - x;
}

void writeBlock(ErBuild b, uint live, uint block, uint count) {
    uint lane = gl_LocalInvocationIndex;
    ErUintView counts = ErUintView(b.parents);
    uint part = 0u, near = block / ER_BUNDLE_BLOCKS * ER_BUNDLE_BLOCKS;
    for (uint k = lane; k < block / ER_BUNDLE_BLOCKS; k += LANES) {
        part += counts.v[b.blockCount + k];
    }
    for (uint k = near + lane; k < block; k += LANES) {
        part += counts.v[k] & ((1u << METHOD_SHIFT) - 1u);
    }
    uint before, total;
    sumLanes(part, before);
    uint method = counts.v[block] >> METHOD_SHIFT;
    bool border[ITEMS];
    uint mine = 0u;
    for (uint k = 0u; k < ITEMS; k++) {
        border[k] = isBorder(lane * ITEMS + k, count, method);
        mine += border[k] ? 1u : 0u;
    }
    uint at = before + 1u + sumLanes(mine, total);
    ErUintView first = ErUintView(b.valuesB);
    uint start = block * ER_BLOCK_SIZE;
    for (uint k = 0u; k < ITEMS; k++) {
        if (border[k]) {
            first.v[at++] = start + lane * ITEMS + k + 1u;
        }
    }
    if (lane == 0u) {
        first.v[before] = start;
        if (start + count == live) {
            first.v[before + 1u + total] = live;
            ErStateView(b.state).state.bundles = before + 1u + total;
        }
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint live = ErStateView(b.state).state.activeCount;
    uint start = task.y * ER_BLOCK_SIZE;
    if (start >= live) {
        return;
    }
    chooseSizes(live);
    uint count = min(live - start, ER_BLOCK_SIZE);
    ErUvec2View keys = ErUvec2View(b.keysA);
    for (uint k = gl_LocalInvocationIndex; k + 1u < count; k += LANES) {
        difference[k] = keys.v[start + k] ^ keys.v[start + k + 1u];
    }
    barrier();
    if (push.pass == 0u) {
        countBlock(b, task.y, count);
    } else {
        writeBlock(b, live, task.y, count);
    }
}
