#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// First step of an update: every leaf record from the new input, and the bounds of all. What cannot be hit any more keeps
// its place in the tree.
layout(constant_id = 3) const uint LANES = 64u; // see leavesLanes of update.go
layout(local_size_x = 64, local_size_x_id = 3) in;
const uint FORM_ANY = 0u, FORM_PLAIN = 1u, FORM_INSTANCES = 2u;
layout(constant_id = 2) const uint FORM = FORM_ANY; // of the input, see updateForm of update.go
#include "bvh/refit/push.glsl"
const uint EACH = ER_PART / LANES; // records of a lane
const uint CHUNKS = 1u; // of indexed triangles, to a workgroup
#include "bvh/refit/records.glsl"
#include "bvh/refit/instances.glsl"

void keepBox(ErBuild b, uint k, ErBounds box) { erKeepBox(b, k, box); }
void keepTriangle(ErBuild b, ErTree t, uint k, ErTriangle r) {
    ErTriangleOut(erOffset(erAddressBlocks(b.dst, t.leafBlock), k, ER_TRIANGLE_SIZE)).triangle[0] = r;
}
#include "bvh/refit/plain.glsl"

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

// passInstance writes out the records of all lanes that are live.
void passInstance(uvec2 to, ErInstance r, bool live, uint base, uint lane, uint records) {
    for (uint row = 0u; row < 3u && live; row++) {
        sharedPieces[lane * MOST + row] = floatBitsToUint(r.objectToWorld[row]);
    }
    pass(to, 8u, 0u, 3u, base, records);
    for (uint row = 0u; row < 3u && live; row++) {
        sharedPieces[lane * MOST + row] = floatBitsToUint(r.worldToObject[row]);
    }
    pass(to, 8u, 3u, 3u, base, records);
    if (live) {
        sharedPieces[lane * MOST] = r.a;
        sharedPieces[lane * MOST + 1u] = r.b;
    }
    pass(to, 8u, 6u, 2u, base, records);
}

uint takeTriangles(ErBuild b, ErTree t, uint base, uint lane, out ErBounds box) {
    uint state = ER_INACTIVE;
    if (base + lane < t.records) {
        ErTriangle r;
        state = refitTriangle(b, t, base + lane, r, box);
        keepTriangle(b, t, base + lane, r);
    }
    return state;
}

// takeInstances has the workgroup fetch what boxes are made from when it comes here first.
uint takeInstances(ErBuild b, ErTree t, uint base, bool first, uint lane, out ErBounds box) {
    ErInstanceView from = ErInstanceView(erAddressBlocks(b.source, t.leafBlock));
    bool live = base + lane < t.records;
    uint index = live ? from.instance[base + lane].b.x : ER_REF_NONE;
    bool here = index < firstGeometry.primitiveCount;
    ErInputInstance in_;
    if (here) {
        in_ = erFetchInstance(firstGeometry, index);
    }
    if (first) {
        claimCut(here, in_.blas, lane);
    }
    uint state = here ? instanceBox(in_, box) : ER_INACTIVE;
    ErInstance r;
    if (state != ER_INACTIVE) {
        r = erInstanceRecordOf(in_, index);
    } else if (live) {
        r = lostInstance(from.instance[base + lane]);
        box = ER_NO_BOUNDS;
    }
    passInstance(erAddressBlocks(b.dst, t.leafBlock), r, live, base, lane, t.records);
    return state;
}

// narrow says of the input what the form does, so that the compiler leaves out what is for others: it needs fewer registers.
void narrow(inout ErBuild b) {
    if (FORM == FORM_PLAIN) {
        b.type = ER_AS_TYPE_BOTTOM;
        b.geometryCount = 1u;
        firstGeometry.kind = ER_LEAF_TRIANGLES;
        firstGeometry.indexBytes = 4u;
        firstGeometry.format = ER_FORMAT_FLOAT32 | 3u << 4;
        firstGeometry.transform = uvec2(0u);
    }
    if (FORM == FORM_INSTANCES) {
        b.type = ER_AS_TYPE_TOP;
    }
}

// take makes the records of the workgroup's lanes from number base on, which is below t.records.
uint take(ErBuild b, ErTree t, uint base, bool first, uint lane, out ErBounds box) {
    if (FORM == FORM_INSTANCES) {
        return takeInstances(b, t, base, first, lane, box);
    }
    if (t.leafKind == ER_LEAF_INDEXED || t.leafKind == ER_LEAF_INDEXED_WIDE) {
        return refitChunk(b, t, base + lane, box);
    }
    if (FORM != FORM_PLAIN && t.leafKind == ER_LEAF_TRIANGLES) {
        return takeTriangles(b, t, base, lane, box);
    }
    if (FORM != FORM_PLAIN && t.leafKind == ER_LEAF_INSTANCES) {
        return takeInstances(b, t, base, first, lane, box);
    }
    if (base + lane >= t.records) {
        return ER_INACTIVE;
    }
    return FORM == FORM_PLAIN ? refitShort(b, t, base + lane, box) : refitLone(b, t, base + lane, box);
}

// prepare is for a node, and for what refit/nodes.comp counts.
void prepare(ErBuild b, ErTree t, uint i) {
    if (i < t.nodes && !erInPlace(b)) {
        ErNode n = ErNodeView(erOffset(erAddress(b.source, ER_HEADER_SIZE), i, ER_NODE_SIZE)).node[0];
        ErNodeOut(erOffset(erAddress(b.dst, ER_HEADER_SIZE), i, ER_NODE_SIZE)).node[0] = n;
    }
    if (i < erArrivals(b.primitiveCount)) {
        ErUintView(erUpdateArrivals(b)).v[i] = 0u;
    }
    if (i < erCounts(b.primitiveCount)) {
        ErUintView(erUpdateCounts(b)).v[i] = 0u;
    }
}

// What lanes found, and then what every eighth of them did, from each of the first eight on.
shared uvec2 sharedFound[3][LANES];

// sumFound is reduceBounds for few lanes, without atomics. All have to come here.
void sumFound(uint lane, Found f) {
    for (uint c = 0u; c < 3u; c++) {
        sharedFound[c][lane] = uvec2(f.lo[c], f.hi[c]);
    }
    if (f.live > 0u) {
        sharedActive = 1u;
    }
    if (f.huge > 0u) {
        sharedHuge = 1u;
    }
    barrier();
    uint c = lane / 8u;
    uvec2 r = uvec2(0xffffffffu, 0u);
    for (uint k = lane % 8u; k < LANES && c < 3u; k += 8u) {
        r = uvec2(min(r.x, sharedFound[c][k].x), max(r.y, sharedFound[c][k].y));
    }
    if (c < 3u) {
        sharedFound[c][lane % 8u] = r;
    }
    barrier();
    if (lane < 3u) {
        r = uvec2(0xffffffffu, 0u);
        for (uint k = 0u; k < 8u; k++) {
            r = uvec2(min(r.x, sharedFound[lane][k].x), max(r.y, sharedFound[lane][k].y));
        }
        sharedMin[lane] = r.x;
        sharedMax[lane] = r.y;
    }
    barrier();
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
    ErBuild b = erUpdate(group, ER_BLOCK_SIZE / (LANES * EACH), number);
    narrow(b);
    uint base = number * (LANES * EACH);
    ErTree t;
    if (base >= max(b.primitiveCount, 1u) || !erTree(b, erUpdateKind(b), t)) {
        return;
    }
    for (uint k = 0u; k < EACH; k++) {
        prepare(b, t, base + k * LANES + lane);
    }
    Found f = FOUND_NOTHING;
    if (FORM != FORM_INSTANCES && isPlain(b, t)) {
        f = takePlain(b, t, base, lane);
    } else {
        for (uint at = base; at < min(base + EACH * LANES, t.records); at += LANES) {
            ErBounds box;
            uint state = take(b, t, at, at == base, lane, box);
            if (at + lane < t.records) {
                erKeepBox(b, at + lane, box);
                find(f, state, box);
            }
            barrier();
        }
    }
    sumFound(lane, f);
    if (erIsAlone()) {
        keepBounds(b, number, lane);
    } else {
        shareBounds(b, lane);
    }
}
