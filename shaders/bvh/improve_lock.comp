#version 460
#extension GL_GOOGLE_include_directive : require
// Has every move ask for the nodes whose links it changes, unless a greater one is on its way down.
#include "bvh/improve.glsl"
layout(local_size_x = 64) in;

// ask leaves the greatest key at a node, with ER_MOVE_TIE if several moves have it.
void ask(ErBuild b, uint number, uint key) {
    ErUintView asked = ErUintView(b.keysA);
    uint before = atomicMax(asked.v[number], key);
    if ((before & ~ER_MOVE_TIE) == key) {
        atomicMax(asked.v[number], key | ER_MOVE_TIE);
    }
}

void lock(ErBuild b, uint count, uint number) {
    ErUintView keys = ErUintView(b.keysB);
    uint key = keys.v[number];
    if (key == 0u) {
        return;
    }
    ErUvec2View moves = ErUvec2View(b.source);
    uvec2 move = moves.v[number];
    for (uint at = move.x; at != move.y; at = erLink(b, count, at) & LINK_NODE) {
        if (keys.v[at] >= key) {
            moves.v[number].x = ER_MOVE_NONE;
            return;
        }
    }
    ErMove m = erMove(b, count, number, move.x);
    ask(b, number, key);
    ask(b, m.parent, key);
    ask(b, m.upLink & LINK_NODE, key);
    ask(b, m.sibling, key);
    ask(b, m.to, key);
    uint toParent = m.toLink & LINK_NODE;
    if (toParent != m.sibling && toParent != (m.upLink & LINK_NODE)) { // asked for once, or it would tie with itself
        ask(b, toParent, key);
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / ER_TREE_GROUPS];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint count = ErStateView(b.state).state.activeCount;
    uint i = task.y * ER_BLOCK_SIZE + (group % ER_TREE_GROUPS) * ER_TREE_LANES + gl_LocalInvocationIndex;
    if (i >= count || !erMoves(b, count)) {
        return;
    }
    if (i + 1u < count) {
        lock(b, count, i);
    }
    lock(b, count, count + i);
}
