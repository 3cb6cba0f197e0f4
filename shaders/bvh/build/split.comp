#version 460
#extension GL_GOOGLE_include_directive : require
// Gives triangles their references. See split.glsl.
//   push.pass 0: every block counts its splits
//   push.pass 1: they are numbered, and every reference learns its triangle
#include "bvh/build/split.glsl"
#include "bvh/common/lanes.glsl"

const uint LANES = ER_LANES;
const uint ITEMS = ER_BLOCK_SIZE / LANES;

shared uint sums[LANES];
shared uint sharedSum;

// sumLanes is the exclusive sum over all lanes.
uint sumLanes(uint x) {
    uint lane = gl_LocalInvocationIndex;
    sums[lane] = x;
    barrier();
    for (uint step = 1u; step < LANES; step <<= 1) {
        uint y = lane >= step ? sums[lane - step] : 0u;
        barrier();
        sums[lane] += y;
        barrier();
    }
    return sums[lane] - x;
}

// sumAll is the sum over all lanes.
uint sumAll(uint x) {
    if (gl_LocalInvocationIndex == 0u) {
        sharedSum = 0u;
    }
    barrier();
    if (x > 0u) {
        atomicAdd(sharedSum, x);
    }
    barrier();
    return sharedSum;
}

// numberBlock numbers the references of a block.
void numberBlock(ErBuild b, uint block, uint first, uint end) {
    uint lane = gl_LocalInvocationIndex;
    ErUintView blocks = ErUintView(erAddress(b.arrivals, 4u * ER_SPLIT_BLOCKS));
    uint total = blocks.v[block];
    if (total == 0u && end != b.inputs) {
        return; // the whole workgroup
    }
    uint part = 0u;
    for (uint k = lane; k < block; k += LANES) {
        part += blocks.v[k];
    }
    uint before = sumAll(part);
    if (lane == 0u && end == b.inputs) {
        ErStateView(b.state).state.splits = before + total;
    }
    uint splits[ITEMS];
    uint mine = 0u;
    for (uint k = 0u; k < ITEMS; k++) {
        uint p = first + lane * ITEMS + k;
        splits[k] = p < end ? erSplitsOf(b, p) : 0u;
        mine += splits[k];
    }
    uint at = before + sumLanes(mine);
    for (uint k = 0u; k < ITEMS; k++) {
        uint p = first + lane * ITEMS + k;
        if (splits[k] > 0u) {
            ErUvec2View(b.keysA).v[p] = uvec2(at, splits[k]);
        }
        for (uint i = 0u; i < splits[k]; i++) {
            ErUintView(erOwner(b, at++)).v[0] = p;
        }
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint first = task.y * ER_BLOCK_SIZE;
    uint end = min(first + ER_BLOCK_SIZE, b.inputs);
    if (first >= end || !erIsSplit(b)) {
        return; // the same
    }
    if (push.pass == 1u) {
        numberBlock(b, task.y, first, end);
        return;
    }
    uint mine = 0u;
    for (uint p = first + lane; p < end; p += LANES) {
        mine += erSplitsOf(b, p);
    }
    uint total = sumAll(mine);
    if (lane == 0u) {
        ErUintView(b.arrivals).v[ER_SPLIT_BLOCKS + task.y] = total;
    }
}
