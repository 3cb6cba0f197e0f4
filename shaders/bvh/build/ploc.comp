#version 460
#extension GL_GOOGLE_include_directive : require
// H-PLOC (Benthin, Meister, Barczak, Mehalwal, Tsakok and Kensler 2024): on the
// way up the radix tree, clusters are merged with their nearest neighbours
// (PLOC, Meister and Bittner 2018) whenever a range has more than LIMIT of
// them. Departures from the paper: nodes are numbered by the gaps between leaves
// instead of a counter, so builds are reproducible; and here one thread does a
// merge, which suits CPUs (see ploc_team.comp).
#include "bvh/build/cluster.glsl"
layout(local_size_x = 64) in;

Cluster list[LIST];
uint nearest[LIST];
float nearestArea[LIST];

float joinedArea(uint i, uint j) {
    return erArea(min(list[i].lo, list[j].lo), max(list[i].hi, list[j].hi));
}

// findNearest is symmetric: pairs are taken in one fixed order and only a
// strictly smaller area replaces, so the first pair of the least area is
// mutual and every round merges at least once. Pairs of an even and the next
// odd cluster come first, so that many equal boxes halve in every round instead
// of joining one by one to a chain.
void findNearest(uint count) {
    for (uint i = 0u; i < count; i++) {
        uint buddy = i ^ 1u;
        bool has = buddy < count;
        nearest[i] = has ? buddy : i;
        nearestArea[i] = has ? joinedArea(i, buddy) : NO_AREA;
    }
    for (uint i = 0u; i + 1u < count; i++) {
        vec3 lo = list[i].lo, hi = list[i].hi;
        float least = nearestArea[i];
        uint with = nearest[i];
        uint end = min(i + RADIUS, count - 1u);
        for (uint j = i + 1u + ((i & 1u) ^ 1u); j <= end; j++) {
            float area = erArea(min(lo, list[j].lo), max(hi, list[j].hi));
            if (area < least) {
                least = area;
                with = j;
            }
            if (area < nearestArea[j]) {
                nearestArea[j] = area;
                nearest[j] = i;
            }
        }
        nearestArea[i] = least;
        nearest[i] = with;
    }
}

// mergeClusters joins mutual nearest neighbours until at most `most` are left.
uint mergeClusters(ErBuild b, uint count, uint most) {
    while (count > most) {
        findNearest(count);
        uint to = 0u;
        for (uint i = 0u; i < count; i++) {
            uint j = nearest[i];
            bool mutual = j != i && nearest[j] == i;
            if (mutual && j < i) {
                continue; // joined already
            }
            if (mutual) {
                list[to] = joinClusters(b, list[i], list[j]);
            } else if (to != i) {
                list[to] = list[i];
            }
            to++;
        }
        if (to == count) { // cannot be; but never loop for ever
            list[0] = joinClusters(b, list[0], list[1]);
            for (uint i = 2u; i < count; i++) {
                list[i - 1u] = list[i];
            }
            to = count - 1u;
        }
        count = to;
    }
    return count;
}

void main() {
    uint index = erGroup() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    ErSeeds seeds = ErSeeds(push.exchange);
    if (index >= seeds.count) {
        return;
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
        for (uint k = 0u; k < count; k++) {
            bool second = k >= first;
            list[k] = loadCluster(b, padding, second ? node + 1u : left, second ? right : node, second ? k - first : k, node);
        }
        count = mergeClusters(b, count, root ? 1u : LIMIT);
        if (root) {
            finishTree(b, list[0]);
            return;
        }
        for (uint k = 0u; k < count; k++) {
            storeCluster(b, left, k, count, list[k].ref, list[k].gap);
        }
        ErSplit up = erArrive(b.arrivals, left, right, erParentOnLeft(b, left, right, bundles));
        if (up.first) {
            return;
        }
        left = up.left;
        right = up.right;
        node = up.node;
    }
}
