#version 460
#extension GL_GOOGLE_include_directive : require
// Second step of order.glsl: sums over the leaves, a workgroup to a part.
#include "bvh/build/order.glsl"

void sumPart(ErBuild b, ErOrder o, uint part) {
    const uint ITEMS = ER_BLOCK_SIZE / ER_LANES;
    uint lane = gl_LocalInvocationIndex;
    uint end = min((part + 1u) << o.shift, o.leaves);
    uint sum = 0u;
    for (uint base = part << o.shift; base < end; base += ER_BLOCK_SIZE) {
        uint at[ITEMS];
        uint count[ITEMS];
        uint mine = 0u;
        for (uint k = 0u; k < ITEMS; k++) {
            uint position = base + lane * ITEMS + k;
            at[k] = position < end ? erOrderRecord(b, o, position) : 0u;
            count[k] = position < end ? o.counts.v[at[k]] : 0u;
            mine += count[k];
        }
        uint total;
        uint before = sum + erScanLanes(lane, mine, total);
        for (uint k = 0u; k < ITEMS; k++) {
            if (base + lane * ITEMS + k < end) {
                o.counts.v[at[k]] = part << ER_ORDER_SHIFT | before;
            }
            before += count[k];
        }
        sum += total;
        barrier(); // of the scan's memory
    }
    if (lane == 0u) {
        o.sums.v[part] = sum;
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErOrder o = erOrder(b, ErStateView(b.state).state);
    if (task.y < erOrderParts(o)) {
        sumPart(b, o, task.y);
    }
}
