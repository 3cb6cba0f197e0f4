#version 460
#extension GL_GOOGLE_include_directive : require
// Last step of order.glsl: writes the nodes to their places, blanks the slots behind, and says which one the root is.
#include "bvh/build/order.glsl"

const uint GROUPS = ER_BLOCK_SIZE / ER_LANES;

shared uint partsBefore[ER_ORDER_PARTS]; // nodes of the parts before
shared uint numbers[ER_LANES];     // of the workgroup's nodes, or ER_REF_NONE
shared uint firsts[ER_LANES];      // of their first children

// sumParts adds up all parts' nodes.
uint sumParts(ErOrder o) {
    const uint ITEMS = ER_ORDER_PARTS / ER_LANES;
    uint lane = gl_LocalInvocationIndex;
    uint parts = erOrderParts(o);
    uint count[ITEMS];
    uint mine = 0u;
    for (uint k = 0u; k < ITEMS; k++) {
        count[k] = lane * ITEMS + k < parts ? o.sums.v[lane * ITEMS + k] : 0u;
        mine += count[k];
    }
    uint total;
    uint before = erScanLanes(lane, mine, total);
    for (uint k = 0u; k < ITEMS; k++) {
        partsBefore[lane * ITEMS + k] = before;
        before += count[k];
    }
    barrier();
    return total;
}

uint numberOf(ErOrder o, uint node) {
    uvec2 chain = erChain(o, o.nodes, node);
    uint sum = o.counts.v[chain.x];
    return partsBefore[sum >> ER_ORDER_SHIFT] + (sum & ((1u << ER_ORDER_SHIFT) - 1u)) + chain.y;
}

// number finds the numbers of a lane's node and of its first child.
void number(ErBuild b, ErOrder o, uint total, uint slot) {
    uint lane = gl_LocalInvocationIndex;
    uvec2 children = slot < o.nodeCount ? erUnitAt(o.nodes, erChildrenUnit(slot)).v[0].xy : uvec2(ER_REF_NONE);
    numbers[lane] = erOrderUsed(children) ? numberOf(o, slot) : ER_REF_NONE;
    if ((children.x & ER_REF_LEAF) == 0u) {
        firsts[lane] = numberOf(o, children.x);
    }
    if (numbers[lane] == total - 1u) { // not by the old root, which this takes the place of for workgroups to come
        ErStateView(b.state).state.root = total - 1u;
    }
    if (slot >= total && slot < o.slots) {
        erOrderBlank(o, slot);
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / GROUPS];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErOrder o = erOrder(b, ErStateView(b.state).state);
    uint lane = gl_LocalInvocationIndex;
    uint first = task.y * ER_BLOCK_SIZE + group % GROUPS * ER_LANES;
    if (first >= o.slots) {
        return; // the same
    }
    number(b, o, sumParts(o), first + lane);
    barrier();
    for (uint k = lane; k < ER_ORDER_UNITS * ER_LANES; k += ER_LANES) {
        uint node = k / ER_ORDER_UNITS;
        if (numbers[node] != ER_REF_NONE) {
            erOrderPut(o, first * ER_ORDER_UNITS + k, numbers[node], firsts[node]);
        }
    }
}
