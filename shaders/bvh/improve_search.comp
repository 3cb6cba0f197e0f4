#version 460
#extension GL_GOOGLE_include_directive : require
// Finds the best place for every node of a large area, in the tree as it is. A workgroup first gathers those among the
// children of its nodes, so that its threads have the same to do.
#include "bvh/improve.glsl"
layout(local_size_x = 64) in;

const uint LANES = 64u;
const uint ER_SEARCH_GROUPS = 4u; // per block
const uint NODES = ER_BLOCK_SIZE / ER_SEARCH_GROUPS;

shared uint found[2u * NODES];
shared uint foundCount;

struct Visit {
    uint node;
    float saved; // up to here
};

struct Search {
    ErBounded what;
    float area;
    float gain; // of the best place
    uint to, pivot;
    uint visits;
};

Visit stack[ER_MOVE_STACK];

// consider looks at the place beside a node, and tells whether to look below, where so much is saved.
bool consider(inout Search s, uint count, ErBounded there, uint pivot, float saved, out float below) {
    float both = erJoinedArea(there, s.what);
    if (saved - both > s.gain) {
        s.gain = saved - both;
        s.to = erNumber(there.ref, count);
        s.pivot = pivot;
    }
    below = saved - (both - erAreaOf(there));
    return (there.ref & ER_REF_LEAF) == 0u && below - s.area > s.gain;
}

// descend looks in the subtree of the pivot's other child.
void descend(inout Search s, ErNodeView nodes, uint count, ErBounded other, uint pivot, float saved) {
    float below;
    if (!consider(s, count, other, pivot, saved, below)) {
        return;
    }
    uint depth = 1u;
    stack[0] = Visit(other.ref, below);
    while (depth > 0u && s.visits < ER_MOVE_VISITS) {
        Visit v = stack[--depth];
        if (!(v.saved - s.area > s.gain)) {
            continue;
        }
        s.visits++;
        ErNode n = nodes.node[v.node];
        ErBounded c0 = erChild(n, false), c1 = erChild(n, true);
        float below0, below1;
        bool go0 = consider(s, count, c0, pivot, v.saved, below0);
        bool go1 = consider(s, count, c1, pivot, v.saved, below1);
        // What saves more comes last on the stack, and is looked at next.
        bool swapped = below0 > below1;
        Visit a = swapped ? Visit(c1.ref, below1) : Visit(c0.ref, below0);
        Visit z = swapped ? Visit(c0.ref, below0) : Visit(c1.ref, below1);
        if ((swapped ? go1 : go0) && depth < ER_MOVE_STACK) {
            stack[depth++] = a;
        }
        if ((swapped ? go0 : go1) && depth < ER_MOVE_STACK) {
            stack[depth++] = z;
        }
    }
}

void search(ErBuild b, uint count, uint number) {
    ErNodeView nodes = ErNodeView(erNodesAddress(b));
    uint link = erLink(b, count, number);
    uint pivot = link & LINK_NODE;
    ErNode n = nodes.node[pivot];
    bool second = (link & LINK_SECOND) != 0u;
    Search s;
    s.what = erChild(n, second);
    s.area = erAreaOf(s.what);
    s.gain = 0.0;
    s.to = ER_MOVE_NONE;
    s.visits = 0u;
    ErBounded other = erChild(n, !second);
    ErBounded rest = other; // the pivot without the node
    float saved = erJoinedArea(other, s.what); // the parent goes
    bool parent = true;
    for (;;) {
        descend(s, nodes, count, other, pivot, saved);
        if (!parent) { // which shrinks if the node goes to the other side of a pivot above
            saved += max(erAreaOf(erJoin(erJoin(rest, s.what, 0u), other, 0u)) - erJoinedArea(rest, other), 0.0);
            rest = erJoin(rest, other, 0u);
        }
        parent = false;
        uint up = erLink(b, count, pivot);
        if ((up & LINK_NODE) == LINK_ROOT || s.visits >= ER_MOVE_VISITS) {
            break;
        }
        pivot = up & LINK_NODE;
        other = erChild(nodes.node[pivot], (up & LINK_SECOND) == 0u);
    }
    uint key = s.to != ER_MOVE_NONE ? erMoveKey(s.gain, number) : 0u;
    ErUintView(b.keysB).v[number] = key;
    ErUvec2View(b.source).v[number] = uvec2(s.to, s.pivot);
}

// gather lists the children of a node that are large enough to be worth a search. Those of the root stay, for a node's
// parent goes along.
void gather(ErBuild b, uint count, uint node, float least) {
    ErNode n = ErNodeView(erNodesAddress(b)).node[node];
    ErUintView keys = ErUintView(b.keysB);
    bool root = (erLink(b, count, node) & LINK_NODE) == LINK_ROOT;
    if (root) {
        keys.v[node] = 0u; // it is nobody's child
    }
    for (uint side = 0u; side < 2u; side++) {
        ErBounded c = erChild(n, side != 0u);
        uint number = erNumber(c.ref, count);
        if (!root && erAreaOf(c) > least) {
            found[atomicAdd(foundCount, 1u)] = number;
        } else {
            keys.v[number] = 0u;
        }
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / ER_SEARCH_GROUPS];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErState state = ErStateView(b.state).state;
    uint count = state.activeCount;
    if (!erMoves(b, count)) {
        return;
    }
    uint first = task.y * ER_BLOCK_SIZE + (group % ER_SEARCH_GROUPS) * NODES;
    uint end = min(first + NODES, count);
    float least = state.cost * (ER_MOVE_AREA / float(2u * count));
    uint lane = gl_LocalInvocationIndex;
    if (lane == 0u) {
        foundCount = 0u;
        if (first == 0u) {
            ErStateView(b.state).state.moved = 0u;
        }
    }
    barrier();
    for (uint i = first + lane; i < end; i += LANES) {
        ErUintView(b.keysA).v[i] = 0u;
        ErUintView(b.keysA).v[count + i] = 0u;
        if (i + 1u < count) {
            if (erPass() == 0u) { // later ones leave it at zero
                ErUintView(b.arrivals).v[i] = 0u;
            }
            gather(b, count, i, least);
        }
    }
    barrier();
    uint all = foundCount;
    for (uint k = lane; k < all; k += LANES) {
        search(b, count, found[k]);
    }
}
