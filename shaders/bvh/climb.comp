#version 460
#extension GL_GOOGLE_include_directive : require
// First part of H-PLOC: climbs from the leaves until a range has more than
// ER_CLUSTER_LIMIT of them, or is the whole. Such ranges are the seeds of the
// merges in ploc.comp, which so run on full workgroups. A range that ends here
// has arrived at its parent before any seed climbs on.
#include "bvh/tree.glsl"
#include "bvh/seed.glsl"
layout(local_size_x = 64) in;

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / ER_TREE_GROUPS];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErStateView state = ErStateView(b.state);
    uint count = erBundles(b, state.state);
    uint i = task.y * ER_BLOCK_SIZE + (group % ER_TREE_GROUPS) * ER_TREE_LANES + gl_LocalInvocationIndex;
    if (i >= count) {
        return;
    }
    if (count == 1u) {
        state.state.root = erBundleRef(b, 0u);
        return;
    }
    uint left = i, right = i;
    for (;;) {
        ErSplit up = erArrive(b.arrivals, left, right, erParentOnLeft(b, left, right, count));
        if (up.first) {
            return;
        }
        left = up.left;
        right = up.right;
        uint size = right - left + 1u;
        if (size > ER_CLUSTER_LIMIT || size == count) {
            ErSeeds seeds = ErSeeds(push.histograms);
            seeds.seed[atomicAdd(seeds.count, 1u)] = uvec4(task.x, left, right, up.node);
            return;
        }
    }
}
