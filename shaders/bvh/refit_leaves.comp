#version 460
#extension GL_GOOGLE_include_directive : require
// First step of an update: every leaf record from the new input, and the bounds of all. What cannot be hit any more keeps
// its place in the tree.
#include "bvh/refit_records.glsl"
layout(local_size_x = 64) in;

layout(buffer_reference, std430, buffer_reference_align = 64) writeonly buffer ErNodeOut { ErNode node[]; };

// refitIndex is what of nodes and leaf records the invocation does.
uint refitIndex(uint block, uint group) {
    return block * ER_BLOCK_SIZE + (group % (ER_BLOCK_SIZE / 64u)) * 64u + gl_LocalInvocationIndex;
}

// prepare is for a node.
void prepare(ErBuild b, uint i) {
    ErUintView(b.parents).v[i] = LINK_ROOT; // of what no node of the tree refers to
    if (!erInPlace(b)) {
        ErNodeOut(erAddress(b.dst, ER_HEADER_SIZE)).node[i] = ErNodeView(erAddress(b.source, ER_HEADER_SIZE)).node[i];
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    beginBounds(lane);
    barrier();
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / (ER_BLOCK_SIZE / 64u)];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint i = refitIndex(task.y, group);
    if (b.geometryCount > 0u) {
        firstGeometry = ErGeometryView(b.geometries).geometry[0];
    }
    ErTree t;
    if (!erTree(b, erLeafKind(b), t)) {
        return;
    }
    if (i < t.nodes) {
        prepare(b, i);
    }
    Found f = FOUND_NOTHING;
    bool indexed = t.leafKind == ER_LEAF_INDEXED || t.leafKind == ER_LEAF_INDEXED_WIDE;
    if ((indexed ? i - lane : i) < t.records) { // whole workgroups to chunks
        ErBounds box;
        uint state = refit(b, t, i, box);
        if (i < t.records) {
            erKeepBox(b, i, box);
            find(f, state, box);
        }
    }
    reduceBounds(lane, f);
    // Only what changes anything: many workgroups would wait for one word.
    ErStateView s = ErStateView(b.state);
    if (lane < 3u && sharedMin[lane] < s.state.boundsMin[lane]) {
        atomicMin(s.state.boundsMin[lane], sharedMin[lane]);
    }
    if (lane < 3u && sharedMax[lane] > s.state.boundsMax[lane]) {
        atomicMax(s.state.boundsMax[lane], sharedMax[lane]);
    }
    if (lane == 3u && sharedActive > 0u && s.state.activeCount == 0u) {
        atomicAdd(s.state.activeCount, 1u);
    }
    if (lane == 3u && sharedHuge > 0u && s.state.huge == 0u) {
        atomicAdd(s.state.huge, 1u);
    }
}
