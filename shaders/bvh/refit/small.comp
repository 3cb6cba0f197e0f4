#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// A whole update of a small structure, by one workgroup: what of refit/leaves.comp and refit/nodes.comp waits for other
// dispatches, waits for barriers here, and boxes go from the leaf records to the root through shared memory.
//   push.tasks  of every update: its ErBuild, and its first ErGeometry; nothing if it is alone
// Of an update that is alone a few workgroups make all boxes, for they need not wait for each other then, and each writes
// its share: that is what takes long. In place some words are written while others read them, but those stay as they are.
layout(constant_id = 0) const uint ER_NEAR = 1536u; // most primitives, see refitSmallLimit in update.go
const uint LANES = 768u;
layout(local_size_x = LANES) in;
const uint CHUNKS = 1u; // of indexed triangles at a time
#include "bvh/refit/near.glsl"
#include "bvh/refit/records.glsl"

const uint EACH = (ER_NEAR + LANES - 1u) / LANES; // nodes or records of a lane

layout(buffer_reference, std430, buffer_reference_align = 64) buffer ErOwnNodes { ErNode node[]; };

// Of an update, so many workgroups, and the number of this one.
uint workers = 1u;
uint worker = 0u;

// isMine tells whether the workgroup writes a node or a record.
bool isMine(uint k) { return (k / 32u) % workers == worker; }

// connect tells a node's children about each other. Nobody else writes their words.
void connect(uint at, uvec2 to) {
    bvec2 here = lessThan(to, uvec2(ER_NEAR));
    if (here.x) {
        uint sibling = isLeaf(to.y) ? at : (here.y ? to.y : 0u);
        sharedWord[to.x] = NEAR_HAS | at | sibling << NEAR_SIBLING_SHIFT;
    }
    if (here.y) {
        uint sibling = isLeaf(to.x) ? at : (here.x ? to.x : 0u);
        sharedWord[to.y] = NEAR_HAS | NEAR_SECOND | at | sibling << NEAR_SIBLING_SHIFT;
    }
}

// isWhole tells whether a child is a node with all below it.
bool isWhole(uint at) {
    return at < ER_NEAR && (sharedWord[at] & NEAR_DONE) == NEAR_DONE;
}

// storeNode stores the boxes of a node's children that are known: those of leaves are given, others are here.
void storeNode(ErBuild b, uint node, uvec2 children, ErBounds first, ErBounds second) {
    bool has0 = isLeaf(children.x), has1 = isLeaf(children.y);
    if (!has0 && isWhole(children.x)) {
        first = near(children.x);
        has0 = true;
    }
    if (!has1 && isWhole(children.y)) {
        second = near(children.y);
        has1 = true;
    }
    ErOwnNodes n = ErOwnNodes(erAddress(b.dst, ER_HEADER_SIZE));
    if (has0) {
        n.node[node].xy0 = vec4(first.lo.x, first.hi.x, first.lo.y, first.hi.y);
    }
    if (has1) {
        n.node[node].xy1 = vec4(second.lo.x, second.hi.x, second.lo.y, second.hi.y);
    }
    if (has0 && has1) {
        n.node[node].z = vec4(first.lo.z, first.hi.z, second.lo.z, second.hi.z);
    } else if (has0) {
        n.node[node].z.xy = vec2(first.lo.z, first.hi.z);
    } else if (has1) {
        n.node[node].z.zw = vec2(second.lo.z, second.hi.z);
    }
}

const uint TASK = (ER_BUILD_SIZE + ER_GEOMETRY_SIZE) / 16u;
shared uvec4 sharedTask[TASK];

ErBuild taskBuild() {
    uvec4 v[8];
    for (uint k = 0u; k < 8u; k++) {
        v[k] = sharedTask[k];
    }
    return ErBuild(v[0].xy, v[0].zw, v[1].xy, v[1].zw, v[2].xy, v[2].zw, v[3].xy, v[3].zw, v[4].xy, v[4].zw,
        v[5].x, v[5].y, v[5].z, v[5].w, v[6].x, v[6].y, v[6].z, v[6].w, v[7].x, v[7].y, v[7].zw);
}

ErGeometry taskGeometry() {
    uvec4 v0 = sharedTask[8], v1 = sharedTask[9], v2 = sharedTask[10], v3 = sharedTask[11];
    return ErGeometry(v0.xy, v0.zw, v1.xy, v1.z, v1.w, v2.x, v2.y, v2.z, v2.w, v3.x, v3.y, v3.z, v3.w);
}

// takeNode copies a node to another structure. It tells whether the node is of the tree.
bool takeNode(ErBuild b, ErTree t, uint at, uvec2 children) {
    if (at < t.nodes && !erInPlace(b) && isMine(at)) {
        ErOwnNodes(erAddress(b.dst, ER_HEADER_SIZE)).node[at] = ErNodeView(erAddress(b.source, ER_HEADER_SIZE)).node[at];
    }
    return at < t.nodes && children.x != ER_REF_NONE;
}

void keepBox(ErBuild b, uint k, ErBounds box) { keepNear(k, box); }

void keepTriangle(ErBuild b, ErTree t, uint k, ErTriangle r) {
    if (isMine(k)) {
        ErTriangleOut(erAddressBlocks(b.dst, t.leafBlock)).triangle[k] = r;
    }
}

#include "bvh/refit/plain.glsl"

uint refitRecord(ErBuild b, ErTree t, uint k, out ErBounds box) {
    uint state;
    if (t.leafKind == ER_LEAF_TRIANGLES) {
        ErTriangle r;
        state = refitTriangle(b, t, k, r, box);
        ErTriangleOut(erAddressBlocks(b.dst, t.leafBlock)).triangle[k] = r;
    } else if (t.leafKind == ER_LEAF_INSTANCES) {
        ErInstance r;
        state = refitInstance(b, t, k, r, box);
        ErInstanceOut(erAddressBlocks(b.dst, t.leafBlock)).instance[k] = r;
    } else {
        state = refitLone(b, t, k, box);
    }
    return state;
}

// takeRecords makes the leaf records, keeps their boxes and returns what the lane found of the bounds.
Found takeRecords(ErBuild b, ErTree t, uint lane) {
    if (isPlain(b, t)) {
        return takePlain(b, t, 0u, lane);
    }
    Found f = FOUND_NOTHING;
    ErBounds box;
    if (t.leafKind == ER_LEAF_INDEXED || t.leafKind == ER_LEAF_INDEXED_WIDE) {
        for (uint first = 0u; first < t.records; first += ER_CHUNK_RECORDS) {
            uint state = refitChunk(b, t, first + lane, box);
            if (lane < ER_CHUNK_RECORDS && first + lane < t.records) {
                keepNear(first + lane, box);
                find(f, state, box);
            }
            barrier();
        }
        return f;
    }
    for (uint i = lane; i < t.records; i += LANES) {
        uint state = refitRecord(b, t, i, box);
        keepNear(i, box);
        find(f, state, box);
    }
    return f;
}

// leafBounds is the box of a leaf; that of a node is empty. Most leaves have a record or two: the first and
// the last one are read without a branch.
ErBounds leafBounds(ErTree t, uint ref) {
    bool leaf = isLeaf(ref);
    uint first = min(ref & ER_REF_INDEX_MASK, ER_NEAR - 1u);
    uint end = min((ref & ER_REF_INDEX_MASK) + ((ref >> ER_REF_COUNT_SHIFT) & ER_REF_COUNT_MASK) + 1u, t.records);
    uint last = clamp(end, first + 1u, ER_NEAR) - 1u;
    ErBounds r = erJoin(near(first), near(last));
    for (uint k = first + 1u; k < last && leaf; k++) {
        r = erJoin(r, near(k));
    }
    return leaf && first < end ? r : ER_NO_BOUNDS;
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint lane = gl_LocalInvocationIndex;
    if (lane < TASK && !erIsAlone()) {
        sharedTask[lane] = ErUvec4View(push.tasks).v[group * TASK + lane];
    }
    for (uint at = lane; at < ER_NEAR; at += LANES) {
        sharedWord[at] = 0u;
    }
    beginBounds(lane);
    barrier();
    ErBuild b;
    if (erIsAlone()) {
        b = erPushBuild();
        firstGeometry = erPushGeometry();
        worker = group;
        workers = push.taskCount;
    } else {
        b = taskBuild();
        firstGeometry = taskGeometry();
    }
    uvec2 children[EACH];
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        children[k] = erChildren(b, k * LANES + lane);
    }
    ErTree t;
    if (!erTree(b, erUpdateKind(b), t)) {
        return;
    }
    if (!isPlain(b, t)) { // one workgroup does it
        if (worker > 0u) {
            return;
        }
        workers = 1u;
    }
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        children[k] = takeNode(b, t, k * LANES + lane, children[k]) ? children[k] : uvec2(ER_REF_NONE);
    }
    Found f = takeRecords(b, t, lane);
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        connect(k * LANES + lane, children[k]);
    }
    if (!erInPlace(b)) {
        memoryBarrierBuffer(); // nodes are copied before boxes are written
    }
    beginReduce(lane, f);
    barrier();
    endReduce(lane, f);
    ErBounds first[EACH], second[EACH]; // of the leaves
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        if (children[k].x != ER_REF_NONE) {
            first[k] = leafBounds(t, children[k].x);
            second[k] = leafBounds(t, children[k].y);
        }
    }
    barrier(); // the records' boxes give way to the nodes', and the bounds of all are known
    ErState s = stateOf();
    float padding = erPadding(erBoundsMin(s), erBoundsMax(s));
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        uint done = children[k].x != ER_REF_NONE ? doneLeaves(children[k]) : 0u;
        if (done != 0u) {
            first[k] = padded(first[k], padding);
            second[k] = padded(second[k], padding);
            keepNear(k * LANES + lane, erJoin(first[k], second[k]));
            sharedWord[k * LANES + lane] |= done;
        }
    }
    barrier();
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        if (children[k].x != ER_REF_NONE && doneLeaves(children[k]) == NEAR_DONE) {
            climbNear(k * LANES + lane);
        }
    }
    barrier();
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        if (children[k].x != ER_REF_NONE && isMine(k * LANES + lane)) {
            storeNode(b, k * LANES + lane, children[k], first[k], second[k]);
        }
    }
    if (lane == 0u && worker == 0u) {
        erRefitHeader(b, s);
    }
}
