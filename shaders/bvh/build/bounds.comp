#version 460
#extension GL_GOOGLE_include_directive : require
// Boxes of all primitives, in input order, and their union. A workgroup does a
// block of a build, whatever geometries it has: many small ones cost no more
// than a large one.
#include "bvh/build/split.glsl"
#include "bvh/build/bundle.glsl"
#include "bvh/build/digits.glsl"
#include "bvh/common/lanes.glsl"

shared uint sharedMin[3];
shared uint sharedMax[3];
shared uint sharedActive;
shared uint sharedHuge;
shared uint sharedSize;

// A box that no primitive has marks an inactive one.
const float INACTIVE = 3.402823e38;

void blockBoxes(ErBuild b, uint first, uint end) {
    uint low = erGeometryOf(b, first, 0u, b.geometryCount - 1u);
    uint high = erGeometryOf(b, end - 1u, low, b.geometryCount - 1u);
    vec3 allMin = vec3(INACTIVE), allMax = vec3(-INACTIVE);
    uint activeHere = 0u;
    uint hugeHere = 0u;
    uint sizeHere = 0u;
    for (uint p = first + gl_LocalInvocationIndex; p < end; p += ER_LANES) {
        ErGeometry g = ErGeometryView(b.geometries).geometry[erGeometryOf(b, p, low, high)];
        vec3 lo, hi;
        uint found = erPrimitiveBox(g, p - g.firstPrimitive, lo, hi);
        if (found == ER_INACTIVE) {
            lo = vec3(INACTIVE);
            hi = vec3(-INACTIVE);
        }
        ErBoundsView box = ErBoundsView(erOffset(b.boxes, p, 24u));
        for (uint c = 0u; c < 3u; c++) {
            box.v[c] = lo[c];
            box.v[3u + c] = hi[c];
        }
        if (found == ER_ACTIVE) {
            allMin = min(allMin, lo);
            allMax = max(allMax, hi);
        }
        sizeHere += found == ER_ACTIVE ? erSize(ErPart(lo, hi)) : 0u;
        activeHere += found != ER_INACTIVE ? 1u : 0u;
        hugeHere += found == ER_ACTIVE_HUGE ? 1u : 0u;
    }
    if (allMin.x <= allMax.x) {
        for (uint c = 0u; c < 3u; c++) {
            atomicMin(sharedMin[c], erOrdered(allMin[c]));
            atomicMax(sharedMax[c], erOrdered(allMax[c]));
        }
    }
    if (activeHere > 0u) {
        atomicAdd(sharedActive, activeHere);
        atomicAdd(sharedHuge, hugeHere);
        atomicAdd(sharedSize, sizeHere);
    }
}

// clearCounts clears what the next kernels count.
void clearCounts(ErBuild b, uint block) {
    uint lane = gl_LocalInvocationIndex;
    if (b.blockCount > ER_SORT_BLOCKS && block % ER_TILE_BLOCKS == 0u) {
        uint tile = block / ER_TILE_BLOCKS;
        for (uint digit = lane; digit < 256u; digit += ER_LANES) {
            ErUintView(push.exchange).v[erDigitCount(b, 0u, tile, digit)] = 0u;
            ErUintView(push.exchange).v[erDigitCount(b, 1u, tile, digit)] = 0u;
        }
    }
    if (erBundled(b) && block % ER_BUNDLE_BLOCKS == 0u && lane == 0u) {
        ErUintView(b.parents).v[erBundleSum(b, block)] = 0u;
    }
    if (block == 0u && erIsSplit(b)) {
        for (uint k = lane; k < ER_SPLIT_BLOCKS; k += ER_LANES) {
            ErUintView(b.arrivals).v[k] = 0u;
        }
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 3u) {
        sharedMin[lane] = 0xffffffffu;
        sharedMax[lane] = 0u;
    }
    if (lane == 3u) {
        sharedActive = 0u;
        sharedHuge = 0u;
        sharedSize = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec2 task = valid ? ErUvec2View(push.tasks).v[group] : uvec2(0u);
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint first = task.y * ER_BLOCK_SIZE;
    uint end = min(first + ER_BLOCK_SIZE, b.inputs);
    if (valid) {
        clearCounts(b, task.y);
    }
    if (valid && first < end) {
        blockBoxes(b, first, end);
    }
    barrier();
    if (valid && sharedActive > 0u) {
        ErStateView s = ErStateView(b.state);
        if (lane < 3u) {
            atomicMin(s.state.boundsMin[lane], sharedMin[lane]);
            atomicMax(s.state.boundsMax[lane], sharedMax[lane]);
        }
        if (lane == 3u) {
            atomicAdd(s.state.activeCount, sharedActive);
            atomicAdd(s.state.huge, sharedHuge);
        }
        if (lane == 4u && erIsSplit(b)) {
            atomicAdd(s.state.sizes, sharedSize / sharedActive);
            atomicAdd(s.state.sized, 1u);
        }
    }
}
