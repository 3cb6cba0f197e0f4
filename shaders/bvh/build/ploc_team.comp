#version 460
#extension GL_GOOGLE_include_directive : require
// H-PLOC as in ploc.comp, with a workgroup of 32 lanes to a seed: one lane per
// cluster, exchange through shared memory. Nothing depends on how the lanes are
// spread over subgroups.
#include "bvh/build/cluster.glsl"
layout(local_size_x = 32) in;

shared Cluster list[LIST];
shared uint nearest[LIST];
shared uint survivors; // bit per lane
shared uvec4 range;    // left, right, node, whether to go on

// findNearest chooses as ploc.comp does: the partner of the even-odd pair
// first, then by position, only a strictly smaller area replaces.
uint findNearest(uint lane, uint count, Cluster c) {
    uint buddy = lane ^ 1u;
    uint with = lane;
    float least = NO_AREA;
    if (buddy < count) {
        with = buddy;
        least = erArea(min(c.lo, list[buddy].lo), max(c.hi, list[buddy].hi));
    }
    uint end = min(lane + RADIUS, count - 1u);
    for (uint j = lane - min(lane, RADIUS); j <= end; j++) {
        float area = erArea(min(c.lo, list[j].lo), max(c.hi, list[j].hi));
        if (j != lane && area < least) {
            least = area;
            with = j;
        }
    }
    return with;
}

// mergeOnce joins mutual nearest neighbours and returns the new count. list and
// c hold the clusters before and after.
uint mergeOnce(ErBuild b, uint lane, uint count, bool force, inout Cluster c) {
    bool mine = lane < count;
    uint with = lane;
    if (mine) {
        with = force ? (lane < 2u ? lane ^ 1u : lane) : findNearest(lane, count, c);
    }
    nearest[lane] = with;
    if (lane == 0u) {
        survivors = 0u;
    }
    barrier();
    bool mutual = mine && with != lane && nearest[with] == lane;
    bool survives = mine && !(mutual && with < lane);
    if (survives) {
        atomicOr(survivors, 1u << lane);
    }
    if (mutual && lane < with) {
        c = joinClusters(b, c, list[with]);
    }
    barrier();
    uint mask = survivors;
    if (survives) {
        list[bitCount(mask & ((1u << lane) - 1u))] = c;
    }
    barrier();
    count = uint(bitCount(mask));
    if (lane < count) {
        c = list[lane];
    }
    return count;
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint index = erGroup();
    ErSeeds seeds = ErSeeds(push.exchange);
    if (index >= seeds.count) {
        return; // the whole workgroup
    }
    uvec4 seed = seeds.seed[index];
    ErBuild b = ErBuildView(push.builds).build[seed.x];
    ErState state = ErStateView(b.state).state;
    uint bundles = erBundles(b, state);
    float padding = erPadding(erBoundsMin(state), erBoundsMax(state));
    erAreaUnit = erUnitOf(state);
    erShift = erRefShift(state.activeCount);
    uint left = seed.y, right = seed.z, node = seed.w;
    for (;;) {
        bool root = right - left + 1u == bundles;
        uint first = rangeCount(b, left, node);
        uint count = first + rangeCount(b, node + 1u, right);
        Cluster c;
        if (lane < count) {
            bool second = lane >= first;
            c = loadCluster(b, padding, second ? node + 1u : left, second ? right : node, second ? lane - first : lane, node);
            list[lane] = c;
        }
        barrier();
        bool force = false;
        while (count > (root ? 1u : LIMIT)) {
            uint before = count;
            count = mergeOnce(b, lane, count, force, c);
            force = count == before;
        }
        if (root) {
            if (lane == 0u) {
                finishTree(b, c);
            }
            return;
        }
        if (lane < count) {
            storeCluster(b, left, lane, count, c.ref, c.gap);
        }
        // All lanes' writes come before lane 0 announces them.
        memoryBarrierBuffer();
        barrier();
        if (lane == 0u) {
            bool onLeft = erParentOnLeft(b, left, right, bundles);
            ErSplit up = erArrive(b.arrivals, left, right, onLeft);
            range = uvec4(up.left, up.right, up.node, up.first ? 0u : 1u);
        }
        barrier();
        if (range.w == 0u) {
            return;
        }
        left = range.x;
        right = range.y;
        node = range.z;
        memoryBarrierBuffer();
        barrier(); // before range is written again
    }
}
