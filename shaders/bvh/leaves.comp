#version 460
#extension GL_GOOGLE_include_directive : require
// Writes the leaf records. With PLOC, subtrees are not contiguous in the sorted
// order: every leaf finds its place in the tree's own order by a walk to the
// root that adds up what lies to its left, and the first leaf of each record
// range writes the reference to it.
#include "bvh/record.glsl"
#include "bvh/link.glsl"
layout(local_size_x = 64) in;

const uint LANES = 64u;
const uint GROUPS = ER_BLOCK_SIZE / LANES;

shared uint sharedHeight;

layout(buffer_reference, std430, buffer_reference_align = 64) buffer ErNodeOut { ErNode node[]; };

uint place(ErBuild b, uint leaf, out uint depth) {
    ErUvec2View parents = ErUvec2View(b.parents);
    ErNodeOut nodes = ErNodeOut(erAddress(b.dst, ER_HEADER_SIZE));
    uint link = parents.v[leaf].y;
    uint at = 0u;       // leaves to the left in the subtree climbed so far
    uint top = link;    // link of the highest node that is a leaf of the final tree
    uint topAt = 0u;
    uint topCount = 1u;
    depth = 0u;
    while ((link & LINK_NODE) != LINK_ROOT) {
        uint node = link & LINK_NODE;
        uvec2 below = nodes.node[node].leaves;
        at += (link & LINK_SECOND) != 0u ? below.x : 0u;
        depth++;
        link = parents.v[node].x;
        if ((link & LINK_COLLAPSED) != 0u) {
            top = link;
            topAt = at;
            topCount = below.x + below.y;
            depth = 0u;
        }
    }
    if (topAt == 0u && (top & LINK_NODE) != LINK_ROOT) {
        uint ref = ER_REF_LEAF | ((topCount - 1u) << ER_REF_COUNT_SHIFT) | at;
        if ((top & LINK_SECOND) != 0u) {
            nodes.node[top & LINK_NODE].children.y = ref;
        } else {
            nodes.node[top & LINK_NODE].children.x = ref;
        }
    }
    return at;
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane == 0u) {
        sharedHeight = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec2 task = valid ? ErUvec2View(push.tasks).v[group / GROUPS] : uvec2(0u);
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErStateView state = ErStateView(b.state);
    uint i = task.y * ER_BLOCK_SIZE + (group % GROUPS) * LANES + lane;
    bool ploc = b.mode == ER_MODE_PLOC && state.state.activeCount > 1u;
    if (valid && i < state.state.activeCount) {
        uint to = i;
        if (ploc) {
            uint depth;
            to = place(b, i, depth);
            atomicMax(sharedHeight, depth);
        }
        uint primitive = ErUintView(b.valuesA).v[i];
        uint index = erGeometryOf(b, primitive, 0u, b.geometryCount - 1u);
        ErGeometry g = ErGeometryView(b.geometries).geometry[index];
        uvec2 leaves = erAddressBlocks(b.dst, b.leafBlock);
        if (g.kind == ER_LEAF_INSTANCES) {
            ErInstanceOut(leaves).instance[to] = erInstanceRecord(g, primitive - g.firstPrimitive);
        } else if (g.kind == ER_LEAF_BOXES) {
            ErBoxOut(leaves).box[to] = erBoxRecord(index, g, primitive - g.firstPrimitive);
        } else {
            ErTriangleOut(leaves).triangle[to] = erTriangleRecord(index, g, primitive - g.firstPrimitive);
        }
    }
    barrier();
    if (lane == 0u && valid && ploc) {
        atomicMax(state.state.height, sharedHeight);
    }
}
