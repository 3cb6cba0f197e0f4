#version 460
#extension GL_GOOGLE_include_directive : require
// First part of H-PLOC: finds the lowest ranges of the radix tree that have more than ER_CLUSTER_LIMIT leaves, or are the
// whole. Such ranges are the seeds of the merges in ploc.comp, which so run on full workgroups. Where one half of a higher
// range is too small for a seed, it has arrived at its parent before any seed climbs on.
//
// A lane looks at the ranges to both sides of a border between two leaves: nobody needs to climb.
#include "bvh/build/tree.glsl"
#include "bvh/build/seed.glsl"
#include "bvh/common/lanes.glsl"

const uint LANES = ER_LANES;
const uint GROUPS = ER_BLOCK_SIZE / LANES;
const uint LIMIT = ER_CLUSTER_LIMIT;

shared uint levels[LANES + 2u * LIMIT]; // of the borders here and up to LIMIT beyond
shared uint sharedSeeds;
shared uint sharedFirst;

// level orders borders as erKeyDifference does: of two that do not lie in each other's range, their highest bits decide.
uint level(ErBuild b, uint border, uint count) {
    if (border >= count - 1u) { // or wrapped around
        return 0xffu;
    }
    uvec3 d = erKeyDifference(b, border);
    return d.x != 0u ? 64u + uint(findMSB(d.x)) : (d.y != 0u ? 32u + uint(findMSB(d.y)) : uint(findMSB(d.z)));
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint lane = gl_LocalInvocationIndex;
    uvec2 task = ErUvec2View(push.tasks).v[group / GROUPS];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErStateView state = ErStateView(b.state);
    uint count = erBundles(b, state.state);
    uint base = task.y * ER_BLOCK_SIZE + (group % GROUPS) * LANES;
    if (base >= count) {
        return; // the same
    }
    if (count == 1u) {
        state.state.root = erBundleRef(b, 0u);
        return;
    }
    for (uint k = lane; k < LANES + 2u * LIMIT; k += LANES) {
        levels[k] = level(b, base + k - LIMIT, count);
    }
    if (lane == 0u) {
        sharedSeeds = 0u;
    }
    barrier();
    uint node = base + lane, at = lane + LIMIT;
    uint own = levels[at];
    uint left = 1u, right = 1u; // leaves on the sides, LIMIT + 1 or more
    while (left <= LIMIT && levels[at - left] < own) {
        left++;
    }
    while (right <= LIMIT && levels[at + right] <= own) { // of two equal ones, which bundles may have, the left is higher
        right++;
    }
    bool small = left <= LIMIT && right <= LIMIT;
    bool isNode = node < count - 1u;
    bool seed = isNode && small && (left + right > LIMIT || left + right == count);
    if (isNode && !small) {
        ErUintView(b.arrivals).v[node] = left <= LIMIT ? node + 1u - left : (right <= LIMIT ? node + right : ER_NO_BOUND);
    }
    uint to = seed ? atomicAdd(sharedSeeds, 1u) : 0u;
    barrier();
    ErSeeds seeds = ErSeeds(push.exchange);
    if (lane == 0u && sharedSeeds > 0u) {
        sharedFirst = atomicAdd(seeds.count, sharedSeeds);
    }
    barrier();
    if (seed) {
        seeds.seed[sharedFirst + to] = uvec4(task.x, node + 1u - left, node + right, node);
    }
}
