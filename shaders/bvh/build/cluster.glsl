// Clusters of H-PLOC, shared by the kernel for CPUs (ploc.comp, one thread to a
// merge) and the one for GPUs (ploc_team.comp, one workgroup to a merge). Both
// build the same tree.
//
// Nodes are numbered by the gaps between leaves. A list of clusters owns the
// gaps between them, and joining two takes the gap to the left of the second.
//
// The pair of index k in b.parents holds:
//   x: of inner node k: its SAH cost until it has a parent, then its link
//   y: of bundle k: its link
// The arrivals of inner node k hold the number of bundles below.
// See link.glsl.
#ifndef ER_BVH_CLUSTER_GLSL
#define ER_BVH_CLUSTER_GLSL
#include "bvh/build/tree.glsl"
#include "bvh/common/link.glsl"
#include "bvh/build/seed.glsl"

const uint LIMIT = ER_CLUSTER_LIMIT;
const uint LIST = 2u * LIMIT; // clusters of two ranges
const uint RADIUS = 8u;       // neighbours looked at on each side
const float NO_AREA = 3.402823e38;

struct Cluster {
    vec3 lo, hi;
    uint ref;    // an inner node, or ER_REF_LEAF and a bundle
    uint gap;    // number of the node that joins it to the cluster before
    uint leaves;  // primitives
    uint bundles;
    uint cost;   // bits of the SAH cost, LINK_COST_COLLAPSED
};

float clusterCost(Cluster c) { return uintBitsToFloat(c.cost & ~LINK_COST_COLLAPSED); }

// rangeCount is the number of clusters that a finished range has.
uint rangeCount(ErBuild b, uint left, uint right) {
    uint size = right - left + 1u;
    return size <= LIMIT ? size : ErTreePairs(b.keysB).v[left].y;
}

// loadCluster reads cluster k of a finished range. before is the gap on its left.
Cluster loadCluster(ErBuild b, float padding, uint left, uint right, uint k, uint before) {
    uvec2 e = right - left + 1u <= LIMIT ? uvec2(ER_REF_LEAF | (left + k), left + k - 1u) : ErTreePairs(b.keysB).v[left + k];
    Cluster c;
    c.ref = e.x;
    c.gap = k == 0u ? before : e.y;
    if ((e.x & ER_REF_LEAF) != 0u) {
        erLeafBox(b, padding, e.x & ~ER_REF_LEAF, c.lo, c.hi);
        c.leaves = erLeafCount(erBundleRef(b, e.x & ~ER_REF_LEAF));
        c.bundles = 1u;
        c.cost = floatBitsToUint(ER_COST_TRIANGLE * float(c.leaves) * erArea(c.lo, c.hi));
    } else {
        ErNode n = ErTreeNodes(erTreeAt(b, e.x)).node[0];
        c.lo = min(vec3(n.xy0.x, n.xy0.z, n.z.x), vec3(n.xy1.x, n.xy1.z, n.z.z));
        c.hi = max(vec3(n.xy0.y, n.xy0.w, n.z.y), vec3(n.xy1.y, n.xy1.w, n.z.w));
        c.leaves = n.leaves.x + n.leaves.y;
        c.bundles = ErArrivals(b.arrivals).v[e.x];
        c.cost = ErTreePairs(b.parents).v[e.x].x;
    }
    return c;
}

// storeCluster keeps a cluster of a finished range of count clusters.
void storeCluster(ErBuild b, uint left, uint k, uint count, uint ref, uint gap) {
    ErTreePairs(b.keysB).v[left + k] = uvec2(ref, k == 0u ? count : gap);
}

// linkCluster tells a cluster who its parent is.
void linkCluster(ErBuild b, Cluster c, uint parent) {
    if ((c.ref & ER_REF_LEAF) != 0u) {
        ErTreePairs(b.parents).v[c.ref & ~ER_REF_LEAF].y = parent;
    } else {
        ErTreePairs(b.parents).v[c.ref].x = parent | ((c.cost & LINK_COST_COLLAPSED) != 0u ? LINK_COLLAPSED : 0u);
    }
}

// childRef is what a node keeps of a cluster.
uint childRef(ErBuild b, uint ref) { return (ref & ER_REF_LEAF) != 0u ? erBundleRef(b, ref & ~ER_REF_LEAF) : ref; }

// joinClusters makes an inner node of two clusters, first before second.
Cluster joinClusters(ErBuild b, Cluster first, Cluster second) {
    uint node = second.gap;
    ErNode n;
    n.xy0 = vec4(first.lo.x, first.hi.x, first.lo.y, first.hi.y);
    n.xy1 = vec4(second.lo.x, second.hi.x, second.lo.y, second.hi.y);
    n.z = vec4(first.lo.z, first.hi.z, second.lo.z, second.hi.z);
    n.children = uvec2(childRef(b, first.ref), childRef(b, second.ref));
    n.leaves = uvec2(first.leaves, second.leaves);
    ErTreeNodes(erTreeAt(b, node)).node[0] = n;
    linkCluster(b, first, node);
    linkCluster(b, second, node | LINK_SECOND);
    Cluster c;
    c.lo = min(first.lo, second.lo);
    c.hi = max(first.hi, second.hi);
    c.ref = node;
    c.gap = first.gap;
    c.leaves = first.leaves + second.leaves;
    c.bundles = first.bundles + second.bundles;
    ErArrivals(b.arrivals).v[node] = c.bundles;
    float area = erArea(c.lo, c.hi);
    float inner = ER_COST_NODE * area + clusterCost(first) + clusterCost(second);
    float leaf = ER_COST_TRIANGLE * float(c.leaves) * area;
    bool collapse = c.leaves <= b.collapseLimit && leaf <= inner;
    c.cost = collapse ? floatBitsToUint(leaf) | LINK_COST_COLLAPSED : floatBitsToUint(inner);
    ErTreePairs(b.parents).v[node].x = c.cost;
    return c;
}

// finishTree notes the root.
void finishTree(ErBuild b, Cluster root) {
    bool collapsed = (root.cost & LINK_COST_COLLAPSED) != 0u;
    ErStateView(b.state).state.cost = clusterCost(root);
    ErTreePairs(b.parents).v[root.ref].x = LINK_ROOT | (collapsed ? LINK_COLLAPSED : 0u);
    ErStateView(b.state).state.root = collapsed ? erLeafRef(0u, root.leaves) : root.ref;
}

#endif
