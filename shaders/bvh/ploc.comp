#version 460
#extension GL_GOOGLE_include_directive : require
// H-PLOC (Benthin, Meister, Barczak, Mehalwal, Tsakok and Kensler 2024): on the
// way up the radix tree, clusters are merged with their nearest neighbours
// (PLOC, Meister and Bittner 2018) whenever a range has more than LIMIT of
// them. Departures from the paper: one thread does a merge, with the clusters
// in its private memory, so that nothing depends on the size of a subgroup;
// and nodes are numbered by the gaps between leaves instead of a counter. A
// list of clusters owns the gaps between them, and merging two takes the gap
// to the left of the second.
//
// The pair of index k in b.parents holds:
//   x: of inner node k: its SAH cost until it has a parent, then its link
//   y: of leaf k: its link
// A link is the parent's number, LINK_SECOND and LINK_COLLAPSED.
#include "bvh/tree.glsl"
#include "bvh/link.glsl"
#include "bvh/seed.glsl"
layout(local_size_x = 64) in;

const uint LIMIT = ER_CLUSTER_LIMIT;
const uint LIST = 2u * LIMIT; // clusters of two ranges
const uint RADIUS = 8u;       // neighbours looked at on each side

vec3 boxMin[LIST];
vec3 boxMax[LIST];
uint ref[LIST];     // child reference
uint gap[LIST];     // inner node number that becomes free when the cluster joins the one before
uint leaves[LIST];  // at most collapseLimit + 1
float cost[LIST];
uint nearest[LIST];
float nearestArea[LIST];

// load appends the clusters of a finished range and returns the new count. The
// first one's gap is the node between the two ranges.
uint load(ErBuild b, float padding, uint left, uint right, uint before, uint at) {
    uint size = right - left + 1u;
    bool leavesOnly = size <= LIMIT;
    ErTreePairs lists = ErTreePairs(b.keysB);
    ErTreeNodes nodes = ErTreeNodes(erAddress(b.dst, ER_HEADER_SIZE));
    uint count = leavesOnly ? size : lists.v[left].y;
    for (uint k = 0u; k < count; k++, at++) {
        uvec2 c = leavesOnly ? uvec2(erLeafRef(left + k, 1u), left + k - 1u) : lists.v[left + k];
        ref[at] = c.x;
        gap[at] = k == 0u ? before : c.y;
        if ((c.x & ER_REF_LEAF) != 0u) {
            erLeafBox(b, padding, c.x & ER_REF_INDEX_MASK, boxMin[at], boxMax[at]);
            leaves[at] = 1u;
            cost[at] = ER_COST_TRIANGLE * erArea(boxMin[at], boxMax[at]);
        } else {
            vec4 xy0 = nodes.node[c.x].xy0, xy1 = nodes.node[c.x].xy1, z = nodes.node[c.x].z;
            boxMin[at] = min(vec3(xy0.x, xy0.z, z.x), vec3(xy1.x, xy1.z, z.z));
            boxMax[at] = max(vec3(xy0.y, xy0.w, z.y), vec3(xy1.y, xy1.w, z.w));
            uvec2 below = nodes.node[c.x].leaves;
            leaves[at] = below.x + below.y;
            cost[at] = uintBitsToFloat(ErTreePairs(b.parents).v[c.x].x & ~LINK_COST_COLLAPSED);
        }
    }
    return at;
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
        nearestArea[i] = has ? erArea(min(boxMin[i], boxMin[buddy]), max(boxMax[i], boxMax[buddy])) : 3.402823e38;
    }
    for (uint i = 0u; i + 1u < count; i++) {
        vec3 lo = boxMin[i], hi = boxMax[i];
        float least = nearestArea[i];
        uint with = nearest[i];
        uint end = min(i + RADIUS, count - 1u);
        for (uint j = i + 1u + ((i & 1u) ^ 1u); j <= end; j++) {
            float area = erArea(min(lo, boxMin[j]), max(hi, boxMax[j]));
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

// link tells a cluster who its parent is.
void link(ErBuild b, uint child, uint parent, bool second) {
    uint l = parent | (second ? LINK_SECOND : 0u);
    if ((child & ER_REF_LEAF) != 0u) {
        ErTreePairs(b.parents).v[child & ER_REF_INDEX_MASK].y = l;
    } else {
        bool collapsed = (ErTreePairs(b.parents).v[child].x & LINK_COST_COLLAPSED) != 0u;
        ErTreePairs(b.parents).v[child].x = l | (collapsed ? LINK_COLLAPSED : 0u);
    }
}

// join makes an inner node of clusters i and j, i before j, at place to.
void join(ErBuild b, uint i, uint j, uint to) {
    ErTreeNodes nodes = ErTreeNodes(erAddress(b.dst, ER_HEADER_SIZE));
    uint node = gap[j];
    vec3 lo0 = boxMin[i], hi0 = boxMax[i], lo1 = boxMin[j], hi1 = boxMax[j];
    ErNode n;
    n.xy0 = vec4(lo0.x, hi0.x, lo0.y, hi0.y);
    n.xy1 = vec4(lo1.x, hi1.x, lo1.y, hi1.y);
    n.z = vec4(lo0.z, hi0.z, lo1.z, hi1.z);
    n.children = uvec2(ref[i], ref[j]);
    n.leaves = uvec2(leaves[i], leaves[j]);
    nodes.node[node] = n;
    link(b, ref[i], node, false);
    link(b, ref[j], node, true);
    vec3 lo = min(lo0, lo1), hi = max(hi0, hi1);
    uint total = leaves[i] + leaves[j];
    float area = erArea(lo, hi);
    float inner = ER_COST_NODE * area + cost[i] + cost[j];
    float leaf = ER_COST_TRIANGLE * float(total) * area;
    bool collapse = total <= b.collapseLimit && leaf <= inner;
    float c = collapse ? leaf : inner;
    // The sign of the stored cost says that the node is to be a leaf.
    ErTreePairs(b.parents).v[node].x = floatBitsToUint(c) | (collapse ? LINK_COST_COLLAPSED : 0u);
    boxMin[to] = lo;
    boxMax[to] = hi;
    gap[to] = gap[i];
    ref[to] = node;
    leaves[to] = total;
    cost[to] = c;
}

void keep(uint i, uint to) {
    boxMin[to] = boxMin[i];
    boxMax[to] = boxMax[i];
    ref[to] = ref[i];
    gap[to] = gap[i];
    leaves[to] = leaves[i];
    cost[to] = cost[i];
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
                join(b, i, j, to);
            } else if (to != i) {
                keep(i, to);
            }
            to++;
        }
        if (to == count) { // areas that are not numbers: join anything
            join(b, 0u, 1u, 0u);
            for (uint i = 2u; i < count; i++) {
                keep(i, i - 1u);
            }
            to = count - 1u;
        }
        count = to;
    }
    return count;
}

void finish(ErBuild b, ErStateView state, uint count) {
    uint link = ErTreePairs(b.parents).v[ref[0]].x;
    bool collapsed = (ref[0] & ER_REF_LEAF) == 0u && (link & LINK_COST_COLLAPSED) != 0u;
    ErTreePairs(b.parents).v[ref[0]].x = LINK_ROOT | (collapsed ? LINK_COLLAPSED : 0u);
    state.state.root = collapsed ? erLeafRef(0u, count) : ref[0];
}

void main() {
    uint index = erGroup() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    ErSeeds seeds = ErSeeds(push.histograms);
    if (index >= seeds.count) {
        return;
    }
    uvec4 seed = seeds.seed[index];
    ErBuild b = ErBuildView(push.builds).build[seed.x];
    ErStateView state = ErStateView(b.state);
    uint count = state.state.activeCount;
    ErUvec2View keys = ErUvec2View(b.keysA);
    ErTreePairs lists = ErTreePairs(b.keysB);
    float padding = erPadding(erBoundsMin(state.state), erBoundsMax(state.state));
    uint left = seed.y, right = seed.z, node = seed.w;
    for (;;) {
        bool root = right - left + 1u == count;
        uint clusters = load(b, padding, left, node, 0u, 0u);
        clusters = load(b, padding, node + 1u, right, node, clusters);
        clusters = mergeClusters(b, clusters, root ? 1u : LIMIT);
        for (uint k = 0u; k < clusters; k++) {
            lists.v[left + k] = uvec2(ref[k], k == 0u ? clusters : gap[k]);
        }
        if (root) {
            finish(b, state, count);
            return;
        }
        ErSplit up = erArrive(b.arrivals, left, right, erParentOnLeft(keys, left, right, count));
        if (up.first) {
            return;
        }
        left = up.left;
        right = up.right;
        node = up.node;
    }
}
