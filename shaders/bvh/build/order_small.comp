#version 460
#extension GL_GOOGLE_include_directive : require
// All steps of order.glsl for small structures, a workgroup to each: children and counts fit into its memory. A unit of the copy
// is read by the lane that wrote it.
#include "bvh/build/order.glsl"

const uint ER_ORDER_SMALL = 1536u; // most primitives

// Children take 16 bits: a node's slot, or a leaf's first record. Later they are a node's number, and its first child's.
const uint SMALL_LEAF = 0x8000u;
const uint SMALL_MASK = 0x7fffu;
const uint SMALL_NONE = 0xffffffffu; // of no node

shared uint children[ER_ORDER_SMALL];
shared uint counts[ER_ORDER_SMALL]; // by record

uint smallRef(uint ref) { return (ref & ER_REF_LEAF) != 0u ? SMALL_LEAF | (ref & ER_REF_INDEX_MASK) : ref; }
uint smallChild(uint node, uint side) { return (children[node] >> (16u * side)) & 0xffffu; }

void copyNodes(ErOrder o) {
    uint lane = gl_LocalInvocationIndex;
    for (uint unit = lane; unit < o.nodeCount * ER_ORDER_UNITS; unit += ER_LANES) {
        uvec4 v = erOrderCopy(o, unit);
        if (unit == erChildrenUnit(unit / ER_ORDER_UNITS)) {
            children[unit / ER_ORDER_UNITS] = erOrderUsed(v.xy) ? smallRef(v.x) | smallRef(v.y) << 16 : SMALL_NONE;
        }
    }
    for (uint k = lane; k < ER_ORDER_SMALL; k += ER_LANES) {
        counts[k] = 0u;
    }
}

// chainOf finds the first record of a node's last leaf, and how many nodes of the chain are below the node.
uvec2 chainOf(ErOrder o, uint node) {
    uint below = 0u;
    uint next = smallChild(node, 1u);
    while ((next & SMALL_LEAF) == 0u && below < o.height) {
        next = smallChild(next, 1u);
        below++;
    }
    return uvec2(next & SMALL_MASK, below);
}

void countChain(ErOrder o, uint top) {
    uvec2 chain = chainOf(o, top);
    counts[chain.x] = chain.y + 1u;
}

void countChains(ErOrder o) {
    for (uint node = gl_LocalInvocationIndex; node < o.nodeCount; node += ER_LANES) {
        uint child = smallChild(node, 0u);
        if ((child & SMALL_LEAF) == 0u) {
            countChain(o, child);
        }
        if (node == o.root) {
            countChain(o, node);
        }
    }
}

// sum makes sums of the counts, in the leaves' order, and returns the number of nodes.
uint sum(ErBuild b, ErOrder o) {
    const uint ITEMS = ER_ORDER_SMALL / ER_LANES;
    uint lane = gl_LocalInvocationIndex;
    uint at[ITEMS];
    uint mine = 0u;
    for (uint k = 0u; k < ITEMS; k++) {
        at[k] = lane * ITEMS + k < o.leaves ? erOrderRecord(b, o, lane * ITEMS + k) : SMALL_NONE;
        mine += at[k] != SMALL_NONE ? counts[at[k]] : 0u;
    }
    uint total;
    uint before = erScanLanes(lane, mine, total);
    for (uint k = 0u; k < ITEMS; k++) {
        if (at[k] != SMALL_NONE) {
            uint count = counts[at[k]];
            counts[at[k]] = before;
            before += count;
        }
    }
    return total;
}

uint numberOf(ErOrder o, uint node) {
    uvec2 chain = chainOf(o, node);
    return counts[chain.x] + chain.y;
}

// number replaces the children of all nodes by numbers.
void number(ErOrder o) {
    const uint ITEMS = ER_ORDER_SMALL / ER_LANES;
    uint found[ITEMS];
    for (uint k = 0u; k < ITEMS; k++) {
        uint node = k * ER_LANES + gl_LocalInvocationIndex;
        found[k] = SMALL_NONE;
        if (node < o.nodeCount && children[node] != SMALL_NONE) {
            uint child = smallChild(node, 0u);
            found[k] = numberOf(o, node) | ((child & SMALL_LEAF) != 0u ? 0u : numberOf(o, child)) << 16;
        }
    }
    barrier();
    for (uint k = 0u; k < ITEMS; k++) {
        children[k * ER_LANES + gl_LocalInvocationIndex] = found[k];
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    ErBuild b = ErBuildView(push.builds).build[ErUvec2View(push.tasks).v[group].x];
    ErOrder o = erOrder(b, ErStateView(b.state).state);
    uint lane = gl_LocalInvocationIndex;
    copyNodes(o);
    barrier();
    countChains(o);
    barrier();
    uint total = sum(b, o);
    barrier();
    number(o);
    memoryBarrierBuffer();
    barrier();
    for (uint unit = lane; unit < o.nodeCount * ER_ORDER_UNITS; unit += ER_LANES) {
        uint found = children[unit / ER_ORDER_UNITS];
        if (found != SMALL_NONE) {
            erOrderPut(o, unit, found & 0xffffu, found >> 16);
        }
    }
    for (uint slot = total + lane; slot < o.slots; slot += ER_LANES) {
        erOrderBlank(o, slot);
    }
    if (lane == 0u && total > 0u) {
        ErStateView(b.state).state.root = total - 1u;
    }
}
