#version 460
#extension GL_GOOGLE_include_directive : require
// Builds the upper part of a tree again from the top down, for FAST_TRACE, between the clusters and their improvement. H-PLOC
// joins what lies close together; how the large nodes are divided follows from what is left in the end. A workgroup
// opens the nodes of the largest areas until there is an item for every lane, and divides these by the surface area
// heuristic over bins (Wald 2007, "On fast Construction of SAH-based Bounding Volume Hierarchies"). A lane keeps its item; what
// changes is the node that the item is below. Nodes are those that were opened. Nothing depends on the order of lanes.
#include "bvh/build/improve.glsl"
layout(local_size_x = 256) in;

const uint ER_CROWN_ITEMS = 256u;
const uint ROUND = 32u; // nodes divided at once
const uint BINS = 8u;
const uint AXES = 3u;
const uint PLANES = BINS - 1u;
const uint CELLS = ROUND * AXES * BINS;
const uint NONE = 0xffffffffu;

// Words of a cell: a box, minima and maxima by erOrdered, what is in it: leaves of the tree, items.
const uint CELL_LEAVES = 6u;
const uint CELL_ITEMS = 7u;
const uint WORDS = 8u;

shared uint cells[WORDS * CELLS];         // a word of all, then the next: lanes side by side are in different banks
shared uint middles[6u * ROUND];          // bounds of the items' middles, times 2
shared uint best[ROUND];                  // cost of the best division, and its number
shared uint inner[2u][2u];                // bits: what sides are nodes, of even and of odd rounds
shared uint opened[ER_CROWN_ITEMS];       // nodes, in the order of their opening
shared uint wanted[ER_CROWN_ITEMS / 32u]; // lanes, as bits
shared uint before[ER_CROWN_ITEMS / 32u]; // how many in the words before
shared uint leafBits[ER_CROWN_ITEMS / 32u];  // of opened, as bits: what becomes a leaf

struct Item {
    vec3 lo, hi;
    uint ref, leaves;
};

Item itemOf(ErBounded c) { return Item(c.lo, c.hi, c.ref, c.leaves); }

// opens tells whether an item is worth opening: a node that will not be a leaf.
bool opens(ErBuild b, Item item, float least) {
    return (item.ref & ER_REF_LEAF) == 0u && item.leaves > b.collapseLimit && erArea(item.lo, item.hi) > least;
}

// countWanted counts the lanes before this one that are wanted, and all of them.
uint countWanted(uint lane, out uint all) {
    const uint LAST = ER_CROWN_ITEMS / 32u - 1u;
    if (lane <= LAST) {
        uint sum = 0u;
        for (uint k = 0u; k < lane; k++) {
            sum += bitCount(wanted[k]);
        }
        before[lane] = sum;
    }
    barrier();
    all = before[LAST] + bitCount(wanted[LAST]);
    return before[lane >> 5] + bitCount(wanted[lane >> 5] & ((1u << (lane & 31u)) - 1u));
}

// openTree opens nodes, large ones first, and returns how many items there are.
uint openTree(ErBuild b, uint lane, uint root, out Item item) {
    const float SHRINK = 0.5; // of the least area, from round to round
    const uint ROUNDS = 40u;
    ErNode top = ErNodeView(erTreeAt(b, root)).node[0];
    item = itemOf(erJoin(erChild(top, false), erChild(top, true), root));
    float least = erArea(item.lo, item.hi) * SHRINK;
    uint count = 1u;
    for (uint round = 0u; round < ROUNDS && count < ER_CROWN_ITEMS; round++) {
        if (lane < ER_CROWN_ITEMS / 32u) {
            wanted[lane] = 0u;
        }
        barrier();
        bool wants = lane < count && opens(b, item, least);
        if (wants) {
            atomicOr(wanted[lane >> 5], 1u << (lane & 31u));
        }
        barrier();
        uint all;
        uint at = count + countWanted(lane, all); // the item of the second child
        if (wants && at < ER_CROWN_ITEMS) {
            opened[at - 1u] = item.ref;
            item = itemOf(erChild(ErNodeView(erTreeAt(b, item.ref)).node[0], false));
        }
        uint end = min(count + all, ER_CROWN_ITEMS);
        barrier();
        if (lane >= count && lane < end) {
            item = itemOf(erChild(ErNodeView(erTreeAt(b, opened[lane - 1u])).node[0], true));
        }
        count = end;
        least *= SHRINK;
    }
    barrier();
    return count;
}

void clearRound(uint lane, uint parity) {
    for (uint k = lane; k < WORDS * CELLS; k += ER_CROWN_ITEMS) {
        cells[k] = k < 3u * CELLS ? NONE : 0u;
    }
    for (uint k = lane; k < 6u * ROUND; k += ER_CROWN_ITEMS) {
        middles[k] = k < 3u * ROUND ? NONE : 0u;
    }
    if (lane < ROUND) {
        best[lane] = NONE;
    }
    if (lane < 2u) {
        inner[parity][lane] = 0u;
    }
}

// These do without the atomic operation, for which lanes wait for each other, where it would change nothing.
#define ER_LOWER(place, value) if (value < place) { atomicMin(place, value); }
#define ER_RAISE(place, value) if (value > place) { atomicMax(place, value); }

void addMiddle(uint at, vec3 middle) {
    for (uint c = 0u; c < 3u; c++) {
        uint value = erOrdered(middle[c]);
        ER_LOWER(middles[c * ROUND + at], value)
        ER_RAISE(middles[(c + 3u) * ROUND + at], value)
    }
}

// binOf is where an item is. Those with the same middle are told apart by their lanes.
uint binOf(uint at, uint axis, vec3 middle, uint lane) {
    float lo = erFromOrdered(middles[axis * ROUND + at]);
    float hi = erFromOrdered(middles[(axis + 3u) * ROUND + at]);
    precise float part = (middle[axis] - lo) / (hi - lo);
    return hi > lo ? min(uint(part * float(BINS)), BINS - 1u) : (lane >> (3u * axis)) & (BINS - 1u);
}

void addToCell(uint cell, Item item) {
    for (uint c = 0u; c < 3u; c++) {
        uint lo = erOrdered(item.lo[c]), hi = erOrdered(item.hi[c]);
        ER_LOWER(cells[c * CELLS + cell], lo)
        ER_RAISE(cells[(c + 3u) * CELLS + cell], hi)
    }
    atomicAdd(cells[CELL_LEAVES * CELLS + cell], item.leaves);
    atomicAdd(cells[CELL_ITEMS * CELLS + cell], 1u);
}

// sumCells joins cells that follow each other. Of none that hold anything the box is that of nothing, and not of the numbers that
// cells begin with: as floats these are none, and drivers differ in what the least of them and another is.
ErBounded sumCells(uint first, uint end, out uint items) {
    const float MOST = 3.402823466e38;
    uvec3 lo = uvec3(erOrdered(MOST)), hi = uvec3(erOrdered(-MOST));
    uint leaves = 0u;
    items = 0u;
    for (uint k = first; k < end; k++) {
        lo = min(lo, uvec3(cells[k], cells[CELLS + k], cells[2u * CELLS + k]));
        hi = max(hi, uvec3(cells[3u * CELLS + k], cells[4u * CELLS + k], cells[5u * CELLS + k]));
        leaves += cells[CELL_LEAVES * CELLS + k];
        items += cells[CELL_ITEMS * CELLS + k];
    }
    return ErBounded(vec3(erFromOrdered(lo.x), erFromOrdered(lo.y), erFromOrdered(lo.z)),
        vec3(erFromOrdered(hi.x), erFromOrdered(hi.y), erFromOrdered(hi.z)), ER_REF_NONE, leaves);
}

// Divisions have numbers, which take the place of the last bits of their costs. Those near the middle come first: of divisions
// that cost the same, as all do where everything is in one place, they give the lower tree.
const uint NUMBERS = 31u;
const uint MIDDLE = PLANES / 2u;

uint numberOf(uint axis, uint plane) { return (plane > MIDDLE ? 2u * (plane - MIDDLE) - 1u : 2u * (MIDDLE - plane)) * AXES + axis; }
uint axisOf(uint number) { return number % AXES; }
uint planeOf(uint number) {
    uint place = number / AXES;
    return (place & 1u) != 0u ? MIDDLE + (place + 1u) / 2u : MIDDLE - place / 2u;
}

void addCell(inout ErBounded sum, inout uint items, uint cell) {
    uint inside;
    sum = erJoin(sum, sumCells(cell, cell + 1u, inside), ER_REF_NONE);
    items += inside;
}

// weigh finds the best division of every node of a round; a lane does an axis. Every item counts one, however many leaves are
// below it: they stay below it.
void weigh(uint lane, uint nodes) {
    if (lane >= nodes * AXES) {
        return;
    }
    uint first = lane * BINS;
    const ErBounded NOTHING = ErBounded(vec3(3.402823466e38), vec3(-3.402823466e38), ER_REF_NONE, 0u);
    float costs[PLANES];
    uint counts[PLANES];
    ErBounded sum = NOTHING;
    uint items = 0u;
    for (uint k = 0u; k < PLANES; k++) {
        addCell(sum, items, first + k);
        costs[k] = erAreaOf(sum) * float(items);
        counts[k] = items;
    }
    sum = NOTHING;
    items = 0u;
    uint least = NONE;
    for (uint k = PLANES; k > 0u; k--) {
        addCell(sum, items, first + k);
        if (items > 0u && counts[k - 1u] > 0u) {
            float cost = costs[k - 1u] + erAreaOf(sum) * float(items);
            least = min(least, (min(floatBitsToUint(cost), 0x7f800000u) & ~NUMBERS) | numberOf(lane % AXES, k - 1u));
        }
    }
    atomicMin(best[lane / AXES], least);
}

// sideOf is one side of a node's division.
ErBounded sideOf(uint at, bool second, out uint items) {
    uint number = best[at] & NUMBERS;
    uint first = (at * AXES + axisOf(number)) * BINS;
    uint plane = first + planeOf(number) + 1u;
    return second ? sumCells(plane, first + BINS, items) : sumCells(first, plane, items);
}

// becomesLeaf decides for a small node, by what its children would cost as leaves.
bool becomesLeaf(ErBuild b, ErBounded first, ErBounded second) {
    ErBounded both = erJoin(first, second, 0u);
    return both.leaves <= b.collapseLimit && erLeafCost(both) <= ER_COST_NODE * erAreaOf(both) + erLeafCost(first) +
        erLeafCost(second);
}

bool isInner(uint parity, uint side) { return (inner[parity][side >> 5] & (1u << (side & 31u))) != 0u; }

// madeBefore counts the nodes on the sides before one.
uint madeBefore(uint parity, uint side) {
    uint bits = bitCount(inner[parity][side >> 5] & ((1u << (side & 31u)) - 1u));
    return side < 32u ? bits : bits + bitCount(inner[parity][0]);
}

// storeSide writes a node's child, but for the reference to a single item, and the link of one that is a node.
void storeSide(ErBuild b, uint number, bool second, ErBounded c, bool node, uint ref) {
    ErMovedNodes to = ErMovedNodes(erTreeAt(b, number));
    vec4 xy = vec4(c.lo.x, c.hi.x, c.lo.y, c.hi.y);
    vec2 z = vec2(c.lo.z, c.hi.z);
    if (second) {
        to.node[0].xy1 = xy;
        to.node[0].z.zw = z;
        to.node[0].leaves.y = c.leaves;
    } else {
        to.node[0].xy0 = xy;
        to.node[0].z.xy = z;
        to.node[0].leaves.x = c.leaves;
    }
    if (node) {
        ErUvec2View(b.parents).v[ref].x = number | (second ? LINK_SECOND : 0u);
    }
}

void storeChild(ErBuild b, uint number, bool second, uint ref) {
    ErMovedNodes to = ErMovedNodes(erTreeAt(b, number));
    if (second) {
        to.node[0].children.y = ref;
    } else {
        to.node[0].children.x = ref;
    }
}

// divide makes the tree over the items.
void divide(ErBuild b, uint count, uint lane, uint items, Item item) {
    vec3 middle = item.lo + item.hi;
    uint node = lane < items ? 0u : NONE; // of opened
    uint parity = 0u;
    for (uint first = 0u, next = 1u; first < next; parity ^= 1u) {
        uint nodes = min(next - first, ROUND);
        uint at = node - first;
        bool mine = node != NONE && at < nodes;
        clearRound(lane, parity);
        barrier();
        if (mine) {
            addMiddle(at, middle);
        }
        barrier();
        for (uint axis = 0u; axis < AXES && mine; axis++) {
            addToCell((at * AXES + axis) * BINS + binOf(at, axis, middle, lane), item);
        }
        barrier();
        weigh(lane, nodes);
        barrier();
        bool second = false;
        if (mine) {
            uint number = best[at] & NUMBERS;
            second = binOf(at, axisOf(number), middle, lane) > planeOf(number);
        }
        ErBounded child;
        if (lane < 2u * nodes) {
            uint inside;
            child = sideOf(lane >> 1, (lane & 1u) != 0u, inside);
            if (inside > 1u) {
                atomicOr(inner[parity][lane >> 5], 1u << (lane & 31u));
            }
            if ((lane & 1u) == 0u && child.leaves < b.collapseLimit && becomesLeaf(b, child, sideOf(lane >> 1, true, inside))) {
                uint k = first + (lane >> 1);
                atomicOr(leafBits[k >> 5], 1u << (k & 31u));
            }
        }
        barrier();
        if (lane < 2u * nodes) {
            bool isNode = isInner(parity, lane);
            uint ref = isNode ? opened[next + madeBefore(parity, lane)] : ER_REF_NONE;
            uint number = opened[first + (lane >> 1)];
            storeSide(b, number, (lane & 1u) != 0u, child, isNode, ref);
            if (isNode) {
                storeChild(b, number, (lane & 1u) != 0u, ref);
            }
        }
        if (mine) {
            uint side = 2u * at + (second ? 1u : 0u);
            if (isInner(parity, side)) {
                node = next + madeBefore(parity, side);
            } else {
                uint number = opened[node];
                storeChild(b, number, second, item.ref);
                erSetLink(b, count, erNumber(item.ref, count), number | (second ? LINK_SECOND : 0u));
                node = NONE;
            }
        }
        first += nodes;
        next += bitCount(inner[parity][0]) + bitCount(inner[parity][1]);
    }
    memoryBarrierBuffer(); // of links
    barrier();
    if (lane + 1u < items && (leafBits[lane >> 5] & (1u << (lane & 31u))) != 0u) {
        ErUvec2View(b.parents).v[opened[lane]].x |= LINK_COLLAPSED;
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint lane = gl_LocalInvocationIndex;
    ErBuild b = ErBuildView(push.builds).build[ErUvec2View(push.tasks).v[group].x];
    ErState state = ErStateView(b.state).state;
    if (lane < ER_CROWN_ITEMS / 32u) {
        leafBits[lane] = 0u;
    }
    if ((state.root & ER_REF_LEAF) != 0u || state.activeCount < ER_MOVE_LEAST || b.inputs <= ER_MOVE_SMALL) {
        return; // the whole workgroup
    }
    erAreaUnit = erUnitOf(state);
    Item item;
    uint items = openTree(b, lane, state.root, item);
    if (items > 1u) {
        divide(b, state.activeCount, lane, items, item);
    }
}
