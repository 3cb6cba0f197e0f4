#version 460
#extension GL_GOOGLE_include_directive : require
// Second step of an update: boxes of nodes from the leaves up. A workgroup takes a block of nodes, most of whose subtrees
// are whole there, as neighbours in the array are neighbours in the tree. The others, up to the root, are left to
// refit_top.comp, with what it needs to know of them: parents, how many children have arrived, and a list of whole nodes
// whose parents are in other blocks.
#include "bvh/build.glsl"

const uint ER_NEAR = 256u;
#include "bvh/refit_near.glsl"

layout(local_size_x = ER_NEAR) in;

shared uint sharedCount;

ErBounds leafBounds(ErBuild b, ErTree t, float padding, uint ref) {
    uint first = ref & ER_REF_INDEX_MASK;
    uint last = min(first + ((ref >> ER_REF_COUNT_SHIFT) & ER_REF_COUNT_MASK) + 1u, t.records);
    ErBounds r = ER_NO_BOUNDS;
    for (uint k = first; k < last; k++) {
        r = erJoin(r, erKeptBox(b, k));
    }
    return padded(r, padding);
}

// leave writes down what refit_top.comp has to know of a node.
void leave(ErBuild b, ErTree t, uint base, uint at, uvec2 children) {
    uint word = sharedWord[at];
    uint done = word & NEAR_DONE;
    if (done == NEAR_DONE) {
        if ((word & NEAR_HAS) == 0u && base + at != t.root) {
            ErUintView(b.valuesA).v[base + atomicAdd(sharedCount, 1u)] = base + at;
        }
        return;
    }
    ErUintView parents = ErUintView(b.parents);
    if (children.x < t.nodes && !isWhole(base, children.x)) {
        parents.v[children.x] = base + at;
    }
    if (children.y < t.nodes && !isWhole(base, children.y)) {
        parents.v[children.y] = (base + at) | LINK_SECOND;
    }
    ErUintView(b.arrivals).v[base + at] = done != 0u ? 1u : 0u;
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint at = gl_LocalInvocationIndex;
    uvec2 task = ErUvec2View(push.tasks).v[group / (ER_BLOCK_SIZE / ER_NEAR)];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErTree t;
    if (!erTree(b, erLeafKind(b), t)) {
        return;
    }
    uint part = group % (ER_BLOCK_SIZE / ER_NEAR);
    uint base = task.y * ER_BLOCK_SIZE + part * ER_NEAR;
    sharedWord[at] = 0u;
    uvec2 children = uvec2(ER_REF_NONE);
    if (base + at < t.nodes) {
        children = ErNodeView(erAddress(b.source, ER_HEADER_SIZE)).node[base + at].children;
    }
    if (at == 0u) {
        sharedCount = 0u;
    }
    barrier();
    connect(base, at, children);
    ErState state = ErStateView(b.state).state;
    float padding = erPadding(erBoundsMin(state), erBoundsMax(state));
    bool used = children.x != ER_REF_NONE; // by the tree
    uint done = used ? doneLeaves(children) : 0u;
    ErBounds first = ER_NO_BOUNDS, second = ER_NO_BOUNDS;
    if (done != 0u) {
        if (isLeaf(children.x)) {
            first = leafBounds(b, t, padding, children.x);
        }
        if (isLeaf(children.y)) {
            second = leafBounds(b, t, padding, children.y);
        }
        keepNear(at, erJoin(first, second));
        atomicOr(sharedWord[at], done);
    }
    barrier();
    if (done == NEAR_DONE) {
        climbNear(at);
    }
    barrier();
    if (used) {
        storeNode(b, base, base + at, children, first, second);
        leave(b, t, base, at, children);
    }
    barrier();
    if (at == 0u) {
        ErUintView(b.valuesB).v[base / ER_NEAR] = sharedCount;
    }
    if (base + at == 0u) {
        erRefitHeader(b, state);
    }
}
