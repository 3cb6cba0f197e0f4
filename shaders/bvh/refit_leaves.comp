#version 460
#extension GL_GOOGLE_include_directive : require
// First step of an update: every leaf record from the new input, and the bounds of all. What cannot be hit any more keeps
// its place in the tree.
const uint LANES = 64u;
layout(local_size_x = LANES) in;
const uint CHUNKS = 1u; // of indexed triangles, to a workgroup
#include "bvh/refit_records.glsl"

layout(buffer_reference, std430, buffer_reference_align = 64) writeonly buffer ErNodeOut { ErNode node[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer ErPiecesOut { uvec4 v[]; };

// Pieces of 16 bytes on their way to memory: what lanes write side by side, memory takes at once.
const uint MOST = 3u;
shared uvec4 sharedPieces[MOST * LANES];

// pass writes out pieces of records, count of each from number first on.
void pass(uvec2 to, uint stride, uint first, uint count, uint base, uint records) {
    barrier();
    uint live = min(records - base, LANES) * count;
    for (uint j = gl_LocalInvocationIndex; j < live; j += LANES) {
        ErPiecesOut(to).v[(base + j / count) * stride + first + j % count] = sharedPieces[j / count * MOST + j % count];
    }
    barrier();
}

uint takeTriangles(ErBuild b, ErTree t, uint base, uint lane, out ErBounds box) {
    uint state = ER_INACTIVE;
    if (base + lane < t.records) {
        ErTriangle r;
        state = refitTriangle(b, t, base + lane, r, box);
        ErTriangleOut(erAddressBlocks(b.dst, t.leafBlock)).triangle[base + lane] = r;
    }
    return state;
}

uint takeInstances(ErBuild b, ErTree t, uint base, uint lane, out ErBounds box) {
    uint state = ER_INACTIVE;
    ErInstance r;
    bool live = base + lane < t.records;
    if (live) {
        state = refitInstance(b, t, base + lane, r, box);
    }
    uvec2 to = erAddressBlocks(b.dst, t.leafBlock);
    for (uint row = 0u; row < 3u && live; row++) {
        sharedPieces[lane * MOST + row] = floatBitsToUint(r.objectToWorld[row]);
    }
    pass(to, 8u, 0u, 3u, base, t.records);
    for (uint row = 0u; row < 3u && live; row++) {
        sharedPieces[lane * MOST + row] = floatBitsToUint(r.worldToObject[row]);
    }
    pass(to, 8u, 3u, 3u, base, t.records);
    if (live) {
        sharedPieces[lane * MOST] = r.a;
        sharedPieces[lane * MOST + 1u] = r.b;
    }
    pass(to, 8u, 6u, 2u, base, t.records);
    return state;
}

// take makes the records of the workgroup's lanes from number base on, which is below t.records.
uint take(ErBuild b, ErTree t, uint base, uint lane, out ErBounds box) {
    switch (t.leafKind) {
    case ER_LEAF_TRIANGLES: return takeTriangles(b, t, base, lane, box);
    case ER_LEAF_INDEXED:
    case ER_LEAF_INDEXED_WIDE: return refitChunk(b, t, base + lane, box);
    case ER_LEAF_INSTANCES: return takeInstances(b, t, base, lane, box);
    }
    return base + lane < t.records ? refitLone(b, t, base + lane, box) : ER_INACTIVE;
}

// prepare is for a node, and for counters of refit_nodes.comp.
void prepare(ErBuild b, ErTree t, uint i) {
    if (i < t.nodes) {
        ErUintView(b.parents).v[i] = 0u; // marks of refit_nodes.comp
        if (!erInPlace(b)) {
            ErNodeOut(erAddress(b.dst, ER_HEADER_SIZE)).node[i] = ErNodeView(erAddress(b.source, ER_HEADER_SIZE)).node[i];
        }
    }
    if (i < erCounters(b.primitiveCount)) {
        ErUintView(b.valuesB).v[i] = 0u;
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    beginBounds(lane);
    barrier();
    uint number;
    ErBuild b = erUpdate(group, ER_BLOCK_SIZE / LANES, number);
    uint base = number * LANES;
    ErTree t;
    if (base >= max(b.primitiveCount, 1u) || !erTree(b, erUpdateKind(b), t)) {
        return;
    }
    prepare(b, t, base + lane);
    Found f = FOUND_NOTHING;
    if (base < t.records) {
        ErBounds box;
        uint state = take(b, t, base, lane, box);
        if (base + lane < t.records) {
            erKeepBox(b, base + lane, box);
            find(f, state, box);
        }
    }
    reduceBounds(lane, f);
    if (erIsAlone()) {
        keepBounds(b, number, lane);
    } else {
        shareBounds(b, lane);
    }
}
