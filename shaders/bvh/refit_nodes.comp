#version 460
#extension GL_GOOGLE_include_directive : require
// Second step of an update: boxes of nodes from the leaves up, and the header. A workgroup takes a block of nodes, most of
// whose subtrees are whole there, as neighbours in the array are neighbours in the tree. The others it lists. Of ER_FAN blocks
// the workgroup that is done last takes what all have listed, of ER_FAN such groups the last one what is left then, and so on,
// until the root is done. Nobody waits for anybody.
layout(constant_id = 1) // update.go chooses by the device's limits
const uint ER_NEAR = 512u; // nodes of a block, and those of a list that are taken at once
layout(local_size_x_id = 1) in;
const uint ER_FAN = 16u;
#include "bvh/refit_near.glsl"
#include "bvh/refit_bounds.glsl"

shared uint sharedNode[ER_NEAR];
shared uint sharedReach; // how far bounds reach, bits
shared uint sharedCount;
shared uint sharedTotal;
shared bool sharedLast;

// What a lane knows of a node: its children, which of their boxes it has, and these.
struct Own {
    uint node;
    uvec2 children; // ER_REF_NONE: there is no node
    uvec2 slots;    // of children that are here; ER_REF_NONE: elsewhere
    uint done;      // NEAR_*_DONE
    ErBounds first, second;
};
const Own NO_OWN = Own(0u, uvec2(ER_REF_NONE), uvec2(ER_REF_NONE), 0u, ER_NO_BOUNDS, ER_NO_BOUNDS);

// A block, on level 0, or a group of such. Of every group there are two words: how many nodes were listed; how many blocks or
// groups below have arrived, and from bit 8 on how many nodes these have listed.
struct Group {
    uint level;
    uint number;  // among all groups
    uint members; // below
    uint first;   // node
    uint size;    // nodes
};

ErRefitWords counters(ErBuild b) { return ErRefitWords(b.valuesB); }

// There is a list for each level; that of a group begins at the place of its first node.
ErRefitWords listOf(ErBuild b, Group g) {
    return ErRefitWords(erOffset(b.valuesA, (g.level - 1u) * (b.primitiveCount - 1u) + g.first, 4u));
}

// A word for each node: zero once it has both boxes, and of those that are listed one, or two and the slot. Of another group's
// nodes it says nothing.
ErRefitWords marks(ErBuild b) { return ErRefitWords(b.parents); }

// above is the group that a group or a block is in; number is that of its level's first group.
Group above(ErTree t, Group g, uint number) {
    uint size = g.size * ER_FAN;
    uint all = (t.nodes + g.size - 1u) / g.size;
    uint at = g.first / size;
    return Group(g.level + 1u, number + at, min(ER_FAN, all - at * ER_FAN), at * size, size);
}

// leafBounds is the box of a leaf, not padded.
ErBounds leafBounds(ErBuild b, ErTree t, uint ref) {
    uint first = ref & ER_REF_INDEX_MASK;
    uint last = min(first + ((ref >> ER_REF_COUNT_SHIFT) & ER_REF_COUNT_MASK) + 1u, t.records);
    ErBounds r = ER_NO_BOUNDS;
    for (uint k = first; k < last; k++) {
        r = erJoin(r, erKeptBox(b, k));
    }
    return r;
}

// findReach makes sharedReach, which was zero.
void findReach(ErBuild b, uint lane) {
    uint most = 0u;
    if (erIsAlone()) {
        for (uint k = lane; k < erParts(b.primitiveCount); k += ER_NEAR) {
            most = max(most, ErUintView(b.keysB).v[k]);
        }
    } else if (lane == 0u) {
        ErState s = ErStateView(b.state).state;
        vec3 reach = max(abs(erBoundsMin(s)), abs(erBoundsMax(s)));
        most = floatBitsToUint(max(reach.x, max(reach.y, reach.z)));
    }
    if (most > sharedReach) {
        atomicMax(sharedReach, most);
    }
}

// raise makes boxes of the lanes' nodes, as far as it goes, and stores them. It tells whether the lane's node is not done.
bool raise(ErRefitNodes n, uint lane, Own o) {
    if (o.done != 0u) {
        keepNear(lane, erJoin(o.first, o.second));
        atomicOr(sharedWord[lane], o.done);
    }
    if (o.slots.x < ER_NEAR) { // children are told of their parent, which has the box of a done one
        uint sibling = (o.done & NEAR_SECOND_DONE) != 0u ? lane : (o.slots.y < ER_NEAR ? o.slots.y : 0u);
        atomicOr(sharedWord[o.slots.x], NEAR_HAS | lane | sibling << NEAR_SIBLING_SHIFT);
    }
    if (o.slots.y < ER_NEAR) {
        uint sibling = (o.done & NEAR_FIRST_DONE) != 0u ? lane : (o.slots.x < ER_NEAR ? o.slots.x : 0u);
        atomicOr(sharedWord[o.slots.y], NEAR_HAS | NEAR_SECOND | lane | sibling << NEAR_SIBLING_SHIFT);
    }
    barrier();
    if (o.done == NEAR_DONE) {
        climbNear(lane);
    }
    barrier();
    if (o.children.x == ER_REF_NONE) {
        return false;
    }
    bool has0 = (o.done & NEAR_FIRST_DONE) != 0u, has1 = (o.done & NEAR_SECOND_DONE) != 0u;
    if (!has0 && o.slots.x < ER_NEAR && (sharedWord[o.slots.x] & NEAR_DONE) == NEAR_DONE) {
        o.first = near(o.slots.x);
        has0 = true;
    }
    if (!has1 && o.slots.y < ER_NEAR && (sharedWord[o.slots.y] & NEAR_DONE) == NEAR_DONE) {
        o.second = near(o.slots.y);
        has1 = true;
    }
    if (has0) {
        n.node[o.node].xy0 = vec4(o.first.lo.x, o.first.hi.x, o.first.lo.y, o.first.hi.y);
    }
    if (has1) {
        n.node[o.node].xy1 = vec4(o.second.lo.x, o.second.hi.x, o.second.lo.y, o.second.hi.y);
    }
    if (has0 && has1) {
        n.node[o.node].z = vec4(o.first.lo.z, o.first.hi.z, o.second.lo.z, o.second.hi.z);
    } else if (has0) {
        n.node[o.node].z.xy = vec2(o.first.lo.z, o.first.hi.z);
    } else if (has1) {
        n.node[o.node].z.zw = vec2(o.second.lo.z, o.second.hi.z);
    }
    return !(has0 && has1);
}

ErBounds boundsOf(ErRefitNodes n, uint node) {
    vec4 xy0 = n.node[node].xy0, xy1 = n.node[node].xy1, z = n.node[node].z;
    return ErBounds(min(vec3(xy0.xz, z.x), vec3(xy1.xz, z.z)), max(vec3(xy0.yw, z.y), vec3(xy1.yw, z.w)));
}

// takeBlock takes a node of a block.
Own takeBlock(ErBuild b, ErTree t, uint base, uvec2 children, uint lane) {
    Own o = NO_OWN;
    o.node = base + lane;
    sharedWord[lane] = 0u;
    if (o.node < t.nodes && children.x != ER_REF_NONE) {
        o.children = children;
        o.done = doneLeaves(children);
        o.slots = mix(children - base, uvec2(ER_REF_NONE), greaterThanEqual(children - base, uvec2(ER_NEAR)));
        if (isLeaf(children.x)) {
            o.first = leafBounds(b, t, children.x);
        }
        if (isLeaf(children.y)) {
            o.second = leafBounds(b, t, children.y);
        }
    }
    barrier();
    float padding = erPadding(vec3(uintBitsToFloat(sharedReach)), vec3(0.0));
    o.first = padded(o.first, padding);
    o.second = padded(o.second, padding);
    return o;
}

// takeSide finds out what there is of a child that is no leaf.
void takeSide(ErBuild b, ErTree t, ErRefitNodes n, Group g, uint child, bool second, inout Own o) {
    ErBounds r = ER_NO_BOUNDS;
    if (child - g.first < g.size && child < t.nodes) {
        uint mark = marks(b).v[child];
        r = boundsOf(n, child);
        if (mark == 0u) {
            o.done |= second ? NEAR_SECOND_DONE : NEAR_FIRST_DONE;
        } else {
            r = ER_NO_BOUNDS;
            uint slot = mark - 2u;
            if (slot < ER_NEAR && sharedNode[slot] == child) {
                o.slots[second ? 1u : 0u] = slot;
            }
        }
    }
    if (second) {
        o.second = r;
    } else {
        o.first = r;
    }
}

// takeList takes a node of a group's list.
Own takeList(ErBuild b, ErTree t, ErRefitNodes n, Group g, uint at, uint count, uint lane) {
    Own o = NO_OWN;
    sharedWord[lane] = 0u;
    sharedNode[lane] = ER_REF_NONE;
    if (lane < count) {
        o.node = min(listOf(b, g).v[at + lane], t.nodes - 1u);
        marks(b).v[o.node] = 2u + lane;
        sharedNode[lane] = o.node;
        o.children = n.node[o.node].children;
        vec4 xy0 = n.node[o.node].xy0, xy1 = n.node[o.node].xy1, z = n.node[o.node].z;
        o.first = ErBounds(vec3(xy0.xz, z.x), vec3(xy0.yw, z.y));
        o.second = ErBounds(vec3(xy1.xz, z.z), vec3(xy1.yw, z.w));
    }
    memoryBarrierBuffer();
    barrier();
    if (lane < count) {
        o.done = doneLeaves(o.children);
        if (!isLeaf(o.children.x)) {
            takeSide(b, t, n, g, o.children.x, false, o);
        }
        if (!isLeaf(o.children.y)) {
            takeSide(b, t, n, g, o.children.y, true, o);
        }
    }
    barrier(); // all have read the marks
    return o;
}

// mark writes down whether a lane's node is done, and counts those that are not. It returns the node's place among them.
uint mark(ErBuild b, Own o, bool left) {
    uint place = ER_REF_NONE;
    if (left) {
        place = atomicAdd(sharedCount, 1u);
        marks(b).v[o.node] = 1u;
    } else if (o.children.x != ER_REF_NONE) {
        marks(b).v[o.node] = 0u;
    }
    barrier();
    return place;
}

// sweep takes the nodes of a list, once each, and keeps those that are left at its beginning. It returns their number.
uint sweep(ErBuild b, ErTree t, ErRefitNodes n, Group g, uint count, uint lane) {
    uint kept = 0u;
    for (uint at = 0u; at < count; at += ER_NEAR) {
        Own o = takeList(b, t, n, g, at, min(count - at, ER_NEAR), lane);
        uint place = mark(b, o, raise(n, lane, o));
        if (place != ER_REF_NONE) {
            listOf(b, g).v[kept + place] = o.node;
        }
        kept += sharedCount;
        memoryBarrierBuffer();
        barrier();
        if (lane == 0u) {
            sharedCount = 0u;
        }
        barrier();
    }
    return kept;
}

// arrive adds what is left to the list of the group above. It tells whether the workgroup is the last one of that, and how
// many the list has.
bool arrive(ErBuild b, Group from, Group g, uint count, uint place, uint node, uint lane, out uint total) {
    if (lane == 0u) {
        sharedTotal = count == 0u ? 0u : atomicAdd(counters(b).v[2u * g.number], count);
    }
    barrier();
    uint at = sharedTotal;
    if (place != ER_REF_NONE) {
        listOf(b, g).v[at + place] = node;
    }
    for (uint k = lane; from.level > 0u && k < count; k += ER_NEAR) {
        listOf(b, g).v[at + k] = listOf(b, from).v[k];
    }
    memoryBarrierBuffer();
    barrier();
    if (lane == 0u) {
        uint before = atomicAdd(counters(b).v[2u * g.number + 1u], 1u + (count << 8));
        sharedLast = (before & 255u) + 1u == g.members;
        sharedTotal = g.size < 1u << 24 ? (before >> 8) + count : atomicAdd(counters(b).v[2u * g.number], 0u);
        sharedCount = 0u;
    }
    barrier();
    total = sharedTotal;
    bool last = sharedLast;
    memoryBarrierBuffer();
    return last;
}

// enclose makes nodes, of a block and, where it is the last to arrive, above.
void enclose(ErBuild b, ErTree t, uint base, uvec2 children, uint lane) {
    ErRefitNodes n = ErRefitNodes(erAddress(b.dst, ER_HEADER_SIZE));
    Group g = Group(0u, 0u, 0u, base, ER_NEAR);
    uint number = 0u; // of the next level's first group
    Own o = takeBlock(b, t, base, children, lane);
    bool left = raise(n, lane, o);
    uint place = ER_REF_NONE;
    if (left) {
        place = atomicAdd(sharedCount, 1u);
        marks(b).v[o.node] = 1u;
    }
    barrier();
    uint count = sharedCount;
    while (g.size < t.nodes) {
        Group from = g;
        g = above(t, from, number);
        uint total;
        if (!arrive(b, from, g, count, place, o.node, lane, total)) {
            return;
        }
        place = ER_REF_NONE; // from here on in the list
        number += (t.nodes + g.size - 1u) / g.size;
        do {
            count = total;
            total = sweep(b, t, n, g, count, lane);
        } while (g.size >= t.nodes && total > 0u && total < count);
        count = total;
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint lane = gl_LocalInvocationIndex;
    uint number;
    ErBuild b = erUpdate(group, ER_BLOCK_SIZE / ER_NEAR, number);
    uint base = number * ER_NEAR;
    uvec2 children = erChildren(b, base + lane);
    if (lane == 0u) {
        sharedCount = 0u;
        sharedReach = 0u;
    }
    barrier();
    findReach(b, lane);
    ErTree t;
    if (!erTree(b, erUpdateKind(b), t)) {
        return;
    }
    if (base < t.nodes) {
        enclose(b, t, base, children, lane);
    }
    if (number == 0u) {
        ErState s;
        if (erIsAlone()) {
            s = joinBounds(b, lane);
        } else {
            s = ErStateView(b.state).state;
        }
        if (lane == 0u) {
            erRefitHeader(b, s);
        }
    }
}
