#version 460
#extension GL_GOOGLE_include_directive : require
// For an update every node tells its children who their parent is.
// Nodes below leaves of several primitives are still there, of no use: they
// know each other only, and stay as they are.
#include "bvh/refit.glsl"
layout(local_size_x = 64) in;

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / (ER_BLOCK_SIZE / 64u)];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint i = erRefitIndex(task.y, group);
    ErTree t;
    if (!erTree(b, t)) {
        return;
    }
    if (i >= t.nodes) {
        return;
    }
    ErNode n = ErNodeView(erAddress(b.source, ER_HEADER_SIZE)).node[i];
    ErRefitWords parents = ErRefitWords(b.parents);
    if (n.children.x < t.nodes) {
        parents.v[n.children.x] = i;
    }
    if (n.children.y < t.nodes) {
        parents.v[n.children.y] = i | LINK_SECOND;
    }
    ErRefitWords(b.arrivals).v[i] = 0u;
    if (!erInPlace(b)) {
        ErRefitNodes(erAddress(b.dst, ER_HEADER_SIZE)).node[i] = n;
    }
}
