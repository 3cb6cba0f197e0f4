#version 460
#extension GL_GOOGLE_include_directive : require
// Finds the best place for every node of a large area, in the tree as it is. A workgroup first gathers those among the
// children of its nodes; then each of its threads takes one after the other, so that all have something to do while
// there is. A step of a thread is one node: one below a pivot, or the next pivot. In the end every move asks for the nodes
// whose links it changes.
#include "bvh/build/improve.glsl"
layout(local_size_x = 64) in;

const uint LANES = 64u;

shared uint found; // nodes that may move
shared uint taken; // of them
shared uint kept; // moves

struct Visit {
    uint node;
    float saved; // up to here
};

Visit stack[ER_MOVE_STACK];

struct Search {
    uint number;
    uint link;    // of the pivot
    uint climbs;
    ErBounded what;
    ErBounded rest; // the pivot without the node
    float area;
    float saved;
    float gain; // of the best place
    uint to;
    uint visits;
    uint depth; // of the stack
};

void keep(inout Search s, bool go, uint node, float saved) {
    if (go) {
        stack[s.depth++] = Visit(node, saved);
    }
}

// goes tells whether to look below a node, where so much is saved.
bool goes(Search s, ErBounded there, float area, float below) {
    return (there.ref & ER_REF_LEAF) == 0u && below - s.area > s.gain && area * ER_MOVE_LARGER > s.area;
}

// look looks at the places beside a node's children, and below them later, if so much is saved. The child on the way from the
// node that moves is none.
void look(inout Search s, uint count, ErNode n, bool skip0, bool skip1, float saved) {
    ErBounded c0 = erChild(n, false), c1 = erChild(n, true);
    float gain0 = skip0 ? -1.0 : saved - erJoinedArea(c0, s.what);
    float gain1 = skip1 ? -1.0 : saved - erJoinedArea(c1, s.what);
    bool second = gain1 > gain0;
    float gain = second ? gain1 : gain0;
    if (gain > s.gain) {
        s.gain = gain;
        s.to = erNumber(second ? c1.ref : c0.ref, count);
    }
    float area0 = erAreaOf(c0), area1 = erAreaOf(c1);
    float below0 = gain0 + area0, below1 = gain1 + area1;
    bool go0 = !skip0 && goes(s, c0, area0, below0), go1 = !skip1 && goes(s, c1, area1, below1);
    // What saves more comes last on the stack, and is looked at next.
    bool swapped = below0 > below1;
    keep(s, swapped ? go1 : go0, swapped ? c1.ref : c0.ref, swapped ? below1 : below0);
    keep(s, swapped ? go0 : go1, swapped ? c0.ref : c1.ref, swapped ? below0 : below1);
}

// begin comes to the parent of the node that moves, climb to a pivot above.
void begin(inout Search s, ErNode n, bool second) {
    s.what = erChild(n, second);
    s.rest = erChild(n, !second);
    s.area = erAreaOf(s.what);
    s.saved = erJoinedArea(s.rest, s.what); // the parent goes
}

void climb(inout Search s, ErNode n, bool second) {
    ErBounded rest = erJoin(s.rest, erChild(n, !second), 0u);
    // which shrinks if the node goes to the other side of a pivot above
    s.saved += max(erJoinedArea(rest, s.what) - erAreaOf(rest), 0.0);
    s.rest = rest;
}

// next takes a node whose move is to be found; false: there is none.
bool next(ErBuild b, uint count, uint first, uint all, out Search s) {
    uint k = atomicAdd(taken, 1u);
    if (k >= all) {
        return false;
    }
    s.number = erMovers(b).v[first + k];
    s.link = erLink(b, count, s.number);
    s.climbs = 0u;
    s.gain = 0.0;
    s.to = ER_MOVE_NONE;
    s.visits = 0u;
    s.depth = 0u;
    return true;
}

void finish(ErBuild b, uint first, Search s) {
    bool stays = s.climbs == 1u && (s.link & LINK_NODE) == LINK_ROOT; // a child of the root: a node's parent goes along
    if (s.to != ER_MOVE_NONE && !stays) {
        uint move = first + atomicAdd(kept, 1u);
        erMoveOf(b, move).v[0] = uvec2(s.number, s.to);
        erMoveKeys(b).v[move] = erMoveKey(s.gain, s.number);
    }
}

void search(ErBuild b, uint count, uint first, uint all) {
    ErUvec2View parents = ErUvec2View(b.parents);
    Search s;
    bool busy = false;
    bool large = b.inputs > ER_MOVE_LARGE;
    uint visits = large ? ER_MOVE_VISITS : ER_MOVE_FEW_VISITS, climbs = large ? ER_MOVE_CLIMBS : ER_MOVE_FEW_CLIMBS;
    for (;;) {
        if (!busy) {
            busy = next(b, count, first, all, s);
            if (!busy) {
                return;
            }
        }
        Visit v = Visit(ER_MOVE_NONE, 0.0);
        while (s.depth > 0u && v.node == ER_MOVE_NONE) {
            v = stack[--s.depth];
            v.node = v.saved - s.area > s.gain ? v.node : ER_MOVE_NONE;
        }
        bool down = v.node != ER_MOVE_NONE;
        uint node = down ? v.node : s.link & LINK_NODE;
        bool done = s.visits >= visits || node == LINK_ROOT || (!down && s.climbs >= climbs);
        if (!done) {
            ErNode n = ErNodeView(erTreeAt(b, node)).node[0];
            uint above = parents.v[node].x;
            bool second = (s.link & LINK_SECOND) != 0u;
            bool first = !down && s.climbs == 0u;
            if (first) {
                begin(s, n, second);
            }
            look(s, count, n, !down && !second, !down && second, down ? v.saved : s.saved);
            if (down) {
                s.visits++;
            } else {
                if (!first) {
                    climb(s, n, second);
                }
                s.climbs++;
                s.link = above;
                done = first && (above & LINK_NODE) == LINK_ROOT;
            }
        }
        if (done) {
            finish(b, first, s);
            busy = false;
        }
    }
}

// ask leaves the greatest key at a node, with ER_MOVE_TIE if several moves have it.
void ask(ErBuild b, uint number, uint key) {
    ErUintView asked = ErUintView(b.keysA);
    uint before = atomicMax(asked.v[number], key);
    if ((before & ~ER_MOVE_TIE) == key) {
        atomicMax(asked.v[number], key | ER_MOVE_TIE);
    }
}

void askAll(ErBuild b, uint count, uint move) {
    uvec2 ends = erMoveOf(b, move).v[0];
    uint key = erMoveKeys(b).v[move];
    ErMove m = erMove(b, count, ends.x, ends.y);
    ask(b, ends.x, key);
    ask(b, m.parent, key);
    ask(b, m.upLink & LINK_NODE, key);
    ask(b, m.sibling, key);
    ask(b, m.to, key);
    uint toParent = m.toLink & LINK_NODE;
    if (toParent != m.sibling && toParent != (m.upLink & LINK_NODE)) { // asked for once, or it would tie with itself
        ask(b, toParent, key);
    }
}

// clear comes before all passes, which leave arrivals as they are.
void clear(ErBuild b, uint count, uint first, uint end) {
    for (uint i = first + gl_LocalInvocationIndex; i < end; i += LANES) {
        ErUintView(b.keysA).v[i] = 0u;
        ErUintView(b.keysA).v[count + i] = 0u;
        ErUintView(b.arrivals).v[i] = 0u;
    }
}

// gather lists the children of nodes that may move.
void gather(ErBuild b, uint count, uint first, uint end, float least) {
    for (uint i = first + gl_LocalInvocationIndex; i < end && i + 1u < count; i += LANES) {
        ErNode n = ErNodeView(erTreeAt(b, i)).node[0];
        for (uint side = 0u; side < 2u; side++) {
            ErBounded c = erChild(n, side != 0u);
            uint number = erNumber(c.ref, count);
            if (erAreaOf(c) > least && erOfPass(number)) {
                erMovers(b).v[2u * first + atomicAdd(found, 1u)] = number;
            }
        }
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / erSearchGroups()];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErState state = ErStateView(b.state).state;
    uint count = state.activeCount;
    uint first = erFirstMove(task, group);
    if (first >= count || !erMovable(b, count)) {
        return;
    }
    erAreaUnit = erUnitOf(state);
    uint end = min(first + erSearchNodes(), count);
    uint lane = gl_LocalInvocationIndex;
    if ((push.pass & ER_MOVE_CLEAR) != 0u) {
        clear(b, count, first, end);
        return;
    }
    if (lane == 0u) {
        found = 0u;
        taken = 0u;
        kept = 0u;
        if (first == 0u) {
            ErStateView(b.state).state.moved = 0u;
        }
    }
    barrier();
    float area = b.inputs > ER_MOVE_LARGE ? ER_MOVE_LARGE_AREA : ER_MOVE_AREA;
    gather(b, count, first, end, state.cost * (area / float(2u * count)));
    memoryBarrierBuffer();
    barrier();
    search(b, count, 2u * first, found);
    memoryBarrierBuffer();
    barrier();
    for (uint k = lane; k < kept; k += LANES) {
        askAll(b, count, 2u * first + k);
    }
    if (lane == 0u) {
        erMoveCounts(b, count).v[first / erSearchNodes()] = kept;
    }
}
