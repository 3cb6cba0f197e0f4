// Blocks of nodes and groups of them, of refit/nodes.comp. What a block or a group cannot finish, because it begins in an earlier
// one, is listed for the group above, whose last member to arrive takes it. Nodes are in postorder: children are in the same
// block or list, or before it.
#ifndef ER_BVH_REFIT_GROUPS_GLSL
#define ER_BVH_REFIT_GROUPS_GLSL
#include "bvh/refit/sides.glsl"
#extension GL_EXT_control_flow_attributes : require

// Members of a group: the fewer, the shorter its list; the more, the fewer levels.
const uint FAN_LEAST = 16u;
const uint FAN_MOST = 32u;
const uint WORDS = ER_NEAR / 32u;

shared uint sharedNode[ER_NEAR];      // of a list, in ascending order
shared uint sharedLeft[WORDS];        // a bit for each node that is not whole
shared uint sharedLeftCount[WORDS];   // of these bits
shared uint sharedListed[FAN_MOST];   // nodes, by the members of a group
shared bool sharedLast;

// A block, on level 0, or a group of such.
struct Group {
    uint number;  // among all blocks and groups
    uint members; // below
    uint first;   // node
    uint size;    // nodes
    uint each;    // nodes of a member
};

// What a block or a group lists is at the place of its first node, two entries for each node: the node, twice, and whether the
// child has its box; the child.
layout(buffer_reference, std430, buffer_reference_align = 8) coherent buffer ErList { uvec2 v[]; };
ErList listAt(ErBuild b, uint place) { return ErList(erOffset(erUpdateLists(b), place, 8u)); }

// How many nodes each block or group lists.
ErRefitWords counts(ErBuild b) { return ErRefitWords(erUpdateCounts(b)); }

// How many members of each group have arrived.
ErRefitWords arrivals(ErBuild b) { return ErRefitWords(erUpdateArrivals(b)); }

uint blocksOf(ErTree t) { return (t.nodes + ER_NEAR - 1u) / ER_NEAR; }

// fanOf is the members of a tree's groups: many only if that saves a level.
uint fanOf(ErTree t) {
    uint few = FAN_LEAST, many = FAN_MOST;
    while (few < blocksOf(t) && many < blocksOf(t)) {
        few *= FAN_LEAST;
        many *= FAN_MOST;
    }
    return few < blocksOf(t) ? FAN_MOST : FAN_LEAST;
}

// above is the group that a group or a block is in; number is that of its level's first group.
Group above(ErTree t, uint fan, Group g, uint number) {
    uint size = g.size > 0xffffffffu / fan ? 0xffffffffu : g.size * fan; // of all at last
    uint all = (t.nodes + g.size - 1u) / g.size;
    uint at = g.first / size;
    return Group(number + at, min(fan, all - at * fan), at * size, size, g.size);
}

// slotOf finds a node in the list.
uint slotOf(uint node) {
    uint at = 0u;
    for (uint step = ER_NEAR / 2u; step > 0u; step /= 2u) {
        at += sharedNode[at + step] <= node ? step : 0u;
    }
    return sharedNode[at] == node ? at : ER_REF_NONE;
}

// findEntry is where entry number `at` of the members' lists is, and how many there are.
uint findEntry(Group g, uint fan, uint at, out uint count) {
    uint place = 2u * g.first + at;
    count = 0u;
    for (uint from = 0u; from < fan; from += FAN_LEAST) {
        [[unroll]] for (uint k = 0u; k < FAN_LEAST; k++) {
            uint listed = 2u * sharedListed[from + k];
            count += listed;
            place += count <= at ? 2u * g.each - listed : 0u;
        }
    }
    return place;
}

// findBox looks for the box of a child that had none when its node was listed.
void findBox(ErTree t, uvec2 nodes, Group g, inout Side s) {
    ErNodeSides of = sidesOf(nodes, min(s.child, t.nodes - 1u));
    vec4 xy0 = of.xy[0], xy1 = of.xy[1], z = vec4(of.z[0], of.z[1]);
    s.slot = slotOf(s.child);
    bool whole = xy0.xy != NOT_DONE && xy1.xy != NOT_DONE;
    if (s.slot == ER_REF_NONE && s.child >= g.first && s.child < s.node && whole) {
        s.box = ErBounds(min(vec3(xy0.xz, z.x), vec3(xy1.xz, z.z)), max(vec3(xy0.yw, z.y), vec3(xy1.yw, z.w)));
        s.done = true;
    }
}

// takeList takes a child of a node of a group's members' lists, or none.
Side takeList(ErBuild b, ErTree t, uvec2 nodes, Group g, uint place, bool live, uint lane) {
    Side s = NO_SIDE;
    if (live) {
        uvec2 entry = listAt(b, place).v[0];
        s.node = min(entry.x / 2u, t.nodes - 1u);
        s.child = entry.y;
        s.done = (entry.x & 1u) != 0u;
    }
    if (lane % 2u == 0u) {
        sharedNode[lane / 2u] = s.node;
    }
    barrier();
    if (live && s.done) {
        ErNodeSides of = sidesOf(nodes, s.node);
        vec4 xy = of.xy[lane % 2u];
        vec2 z = of.z[lane % 2u];
        s.box = ErBounds(vec3(xy.xz, z.x), vec3(xy.yw, z.y));
    } else if (live) {
        findBox(t, nodes, g, s);
    }
    return s;
}

// beginLeft makes ready for keepLeft. Barriers follow.
void beginLeft(uint lane) {
    if (lane < WORDS) {
        sharedLeft[lane] = 0u;
    }
}

// keepLeft lists the nodes that are not whole, in their order, behind so many. It returns how many there are now.
uint keepLeft(ErBuild b, Group g, uint kept, Side s, uint lane) {
    bool left = s.child != ER_REF_NONE && !isWhole(lane);
    uint at = lane / 2u;
    if (left && lane % 2u == 0u) {
        atomicOr(sharedLeft[at / 32u], 1u << (at % 32u));
    }
    barrier();
    if (lane < WORDS) {
        sharedLeftCount[lane] = bitCount(sharedLeft[lane]);
    }
    barrier();
    uint before = kept, all = kept;
    [[unroll]] for (uint k = 0u; k < WORDS; k++) {
        uint count = sharedLeftCount[k];
        all += count;
        before += k < at / 32u ? count : 0u;
    }
    if (left) {
        before += bitCount(sharedLeft[at / 32u] & ((1u << (at % 32u)) - 1u));
        listAt(b, 2u * (g.first + before) + lane % 2u).v[0] = uvec2(2u * s.node + (s.done ? 1u : 0u), s.child);
    }
    return all;
}

// arrive tells whether the workgroup is the last of a group's members to arrive. If so, it finds how many nodes each has listed:
// it looks while it arrives, and once more where nothing was written yet.
bool arrive(ErBuild b, ErTree t, Group from, Group g, uint count, uint lane) {
    uint first = from.number - (from.first - g.first) / from.size;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    if (lane == 0u) {
        atomicStore(counts(b).v[from.number], count + 1u, gl_ScopeDevice, 0, 0);
        uint before = atomicAdd(arrivals(b).v[g.number - blocksOf(t)], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
            gl_SemanticsAcquireRelease);
        sharedLast = before + 1u == g.members;
    }
    uint listed = count + 1u; // its own
    if (lane < FAN_MOST && first + lane != from.number) {
        listed = lane < g.members ? atomicLoad(counts(b).v[first + lane], gl_ScopeDevice, 0, 0) : 1u;
    }
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
        gl_SemanticsAcquireRelease);
    if (!sharedLast) {
        return false;
    }
    if (listed == 0u) {
        listed = atomicLoad(counts(b).v[first + lane], gl_ScopeDevice, 0, 0);
    }
    if (lane < FAN_MOST) {
        sharedListed[lane] = listed - 1u;
    }
    barrier();
    return true;
}

// takeGroup makes the nodes that a group's members have listed, and lists those that are left. It returns how many.
uint takeGroup(ErBuild b, ErTree t, uvec2 nodes, Group g, uint fan, uint lane) {
    uint left = 0u;
    for (uint at = 0u;; at += LANES) {
        uint count;
        uint place = findEntry(g, fan, at + lane, count);
        beginSides(lane);
        beginLeft(lane);
        Side s = takeList(b, t, nodes, g, place, at + lane < count, lane);
        raise(lane, s);
        storeSide(nodes, lane, s);
        left = keepLeft(b, g, left, s, lane);
        if (count - at <= LANES || at >= count) {
            return left;
        }
        memoryBarrierBuffer(); // what the next ones read
        barrier();
    }
}

// takeAbove lists a block's nodes that are not whole and goes on with the groups above where the workgroup is the last to arrive.
void takeAbove(ErBuild b, ErTree t, uvec2 nodes, uint base, Side s, uint lane) {
    uint fan = fanOf(t);
    Group g = Group(base / ER_NEAR, 0u, base, ER_NEAR, 0u);
    uint number = 0u; // of the next level's first group
    uint left = keepLeft(b, g, 0u, s, lane);
    while (g.size < t.nodes) {
        Group from = g;
        number += (t.nodes + g.size - 1u) / g.size;
        g = above(t, fan, from, number);
        if (!arrive(b, t, from, g, left, lane)) {
            return;
        }
        left = takeGroup(b, t, nodes, g, fan, lane);
    }
}

#endif
