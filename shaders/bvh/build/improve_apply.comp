#version 460
#extension GL_GOOGLE_include_directive : require
// Makes the moves that got all nodes whose links they change: a node's parent goes between another node and the parent
// of that, and takes both as children. Boxes above are wrong until improve_refit.comp, for which it lists the moves.
#include "bvh/build/improve.glsl"
layout(local_size_x = 64) in;

bool has(ErBuild b, uint number, uint key) { return ErUintView(b.keysA).v[number] == key; }

void apply(ErBuild b, uint count, uint move) {
    uvec2 ends = erMoveOf(b, move).v[0];
    uint key = erMoveKeys(b).v[move];
    if (!has(b, ends.x, key) || !has(b, ends.y, key)) {
        return;
    }
    // Links of nodes that this move got are nobody else's to change.
    uint number = ends.x, to = ends.y;
    uint parent = erLink(b, count, number) & LINK_NODE;
    if (!has(b, parent, key)) {
        return;
    }
    ErMove m = erMove(b, count, number, to);
    uint above = m.upLink & LINK_NODE;
    uint toParent = m.toLink & LINK_NODE;
    if (!has(b, above, key) || !has(b, m.sibling, key) || !has(b, toParent, key)) {
        return;
    }
    ErNode p = ErMovedNodes(erTreeAt(b, m.parent)).node[0];
    bool second = (m.link & LINK_SECOND) != 0u;
    ErBounded what = erChild(p, second), sibling = erChild(p, !second);
    // The sibling takes the parent's place.
    ErNode g = ErMovedNodes(erTreeAt(b, above)).node[0];
    erSetChild(g, (m.upLink & LINK_SECOND) != 0u, sibling);
    ErMovedNodes(erTreeAt(b, above)).node[0] = g;
    erSetLink(b, count, m.sibling, m.upLink & (LINK_SECOND | LINK_NODE));
    // The parent takes the place of what it goes to.
    ErNode q = ErMovedNodes(erTreeAt(b, toParent)).node[0];
    bool side = (m.toLink & LINK_SECOND) != 0u;
    ErBounded there = erChild(q, side);
    erSetChild(q, side, erJoin(there, what, m.parent));
    ErMovedNodes(erTreeAt(b, toParent)).node[0] = q;
    erSetLink(b, count, m.parent, m.toLink & (LINK_SECOND | LINK_NODE));
    erSetChild(p, false, there);
    erSetChild(p, true, what);
    ErMovedNodes(erTreeAt(b, m.parent)).node[0] = p;
    erSetLink(b, count, to, m.parent);
    erSetLink(b, count, number, m.parent | LINK_SECOND);
    erMoveOf(b, move).v[0] = uvec2(above, toParent);
    erMoveKeys(b).v[move] = m.parent;
    ErUintView(b.valuesB).v[atomicAdd(ErStateView(b.state).state.moved, 1u)] = move;
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / erSearchGroups()];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint count = ErStateView(b.state).state.activeCount;
    uint first = erFirstMove(task, group);
    if (first >= count || !erMovable(b, count)) {
        return;
    }
    uint moves = erMoveCounts(b, count).v[first / erSearchNodes()];
    for (uint k = gl_LocalInvocationIndex; k < moves; k += gl_WorkGroupSize.x) {
        apply(b, count, 2u * first + k);
    }
}
