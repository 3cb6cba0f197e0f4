#version 460
#extension GL_GOOGLE_include_directive : require
// Last step of an update: boxes of the nodes that refit_nodes.comp left, up to the root. A thread begins at a whole node. At
// every node the first of the two arrivals ends, the last one goes on. Nobody waits for anybody.
#include "bvh/refit.glsl"

const uint LANES = 64u;
const uint ER_NEAR = 256u; // of refit_nodes.comp
layout(local_size_x = LANES) in;

void store(ErRefitNodes n, uint node, bool second, ErBounds r) {
    vec4 xy = vec4(r.lo.x, r.hi.x, r.lo.y, r.hi.y);
    if (second) {
        n.node[node].xy1 = xy;
        n.node[node].z.zw = vec2(r.lo.z, r.hi.z);
    } else {
        n.node[node].xy0 = xy;
        n.node[node].z.xy = vec2(r.lo.z, r.hi.z);
    }
}

ErBounds load(ErRefitNodes n, uint node, bool second) {
    vec4 xy = second ? n.node[node].xy1 : n.node[node].xy0;
    vec2 z = second ? n.node[node].z.zw : n.node[node].z.xy;
    return ErBounds(vec3(xy.x, xy.z, z.x), vec3(xy.y, xy.w, z.y));
}

void climb(ErBuild b, ErTree t, uint node) {
    ErRefitNodes n = ErRefitNodes(erAddress(b.dst, ER_HEADER_SIZE));
    ErUintView parents = ErUintView(b.parents);
    ErBounds own = erJoin(load(n, node, false), load(n, node, true));
    uint link = parents.v[node];
    for (;;) {
        node = link & LINK_NODE;
        bool second = (link & LINK_SECOND) != 0u;
        if (node >= t.nodes) {
            return; // from below a leaf
        }
        store(n, node, second, own);
        memoryBarrierBuffer();
        uint before = atomicAdd(ErRefitWords(b.arrivals).v[node], 1u);
        if (before == 0u || node == t.root) {
            return;
        }
        memoryBarrierBuffer();
        link = parents.v[node];
        own = erJoin(own, load(n, node, !second));
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / (ER_BLOCK_SIZE / ER_NEAR)];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErTree t;
    if (!erTree(b, erLeafKind(b), t)) {
        return;
    }
    uint base = task.y * ER_BLOCK_SIZE + group % (ER_BLOCK_SIZE / ER_NEAR) * ER_NEAR;
    if (base >= t.nodes) {
        return;
    }
    uint count = ErUintView(b.valuesB).v[base / ER_NEAR];
    for (uint k = gl_LocalInvocationIndex; k < count; k += LANES) {
        climb(b, t, ErUintView(b.valuesA).v[base + k]);
    }
}
