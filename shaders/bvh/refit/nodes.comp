#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Second step of an update: boxes of nodes from the leaves up, and the header. A workgroup takes a block of nodes, two lanes for
// each; most subtrees are whole in a block, as nodes are in postorder. Of a group of blocks the workgroup that is done last takes
// the others, of a group of such groups the last one what is left then, and so on, until the root is done. Nobody waits for
// anybody.
layout(constant_id = 1) // update.go chooses by the device's limits
const uint ER_NEAR = 256u; // nodes of a block, and those of a list that are taken at once
layout(constant_id = 2) const uint LANES = 512u; // twice that
layout(local_size_x_id = 2) in;
#include "bvh/refit/groups.glsl"
#include "bvh/refit/bounds.glsl"

shared uint sharedReach; // how far bounds reach, bits

// reachOf is how far bounds reach, as far as the lane looks.
uint reachOf(ErBuild b, uint lane) {
    if (!erIsAlone()) {
        ErState s = ErStateView(b.state).state;
        vec3 reach = max(abs(erBoundsMin(s)), abs(erBoundsMax(s)));
        return floatBitsToUint(max(reach.x, max(reach.y, reach.z)));
    }
    ErUintView parts = ErUintView(erPartReach(b));
    uint last = erParts(b.primitiveCount) - 1u;
    uint most = max(parts.v[min(lane, last)], parts.v[min(lane + LANES, last)]);
    for (uint k = lane + 2u * LANES; k <= last; k += LANES) {
        most = max(most, parts.v[k]);
    }
    return most;
}

// shareReach makes sharedReach, which was zero, of what all lanes have put into sharedX. Lanes that write to one word wait for
// each other, so few do.
void shareReach(uint lane, uint most) {
    const uint FEW = 32u;
    if (lane < FEW) {
        [[unroll]] for (uint k = 1u; k < LANES / FEW; k++) {
            most = max(most, floatBitsToUint(sharedX[k * FEW + lane].x));
        }
        atomicMax(sharedReach, most);
    }
}

// childOf is a child of a node, if there is memory that far. It need not wait for the header to be read.
uint childOf(ErBuild b, uint node, uint side) {
    bool there = node < b.room / (ER_NODE_SIZE / ER_ROOM_UNIT) - ER_HEADER_SIZE / ER_NODE_SIZE;
    uvec2 children = erOffset(erAddress(b.source, ER_HEADER_SIZE + ER_NODE_CHILD0), node, ER_NODE_SIZE);
    return there ? ErUintView(children).v[side] : ER_REF_NONE;
}

// leafBounds is the box of a leaf, not padded; shift is erRefShift. Loads do not wait for each other.
ErBounds leafBounds(ErBuild b, uint ref, uint shift) {
    const uint AT_ONCE = 4u;
    uint most = b.primitiveCount - 1u;
    uint first = min(erRefFirst(ref, shift), most);
    uint last = min(first + erRefCount(ref, shift) - 1u, most);
    ErBounds r = ER_NO_BOUNDS;
    for (uint from = first; from <= last; from += AT_ONCE) {
        ErBounds box[AT_ONCE];
        [[unroll]] for (uint k = 0u; k < AT_ONCE; k++) {
            box[k] = ER_NO_BOUNDS;
            if (from + k <= last) {
                box[k] = erKeptBox(b, from + k);
            }
        }
        [[unroll]] for (uint k = 0u; k < AT_ONCE; k++) {
            r = erJoin(r, box[k]);
        }
    }
    return r;
}

// takeBlock takes a child of a block's node. All lanes have to come here.
Side takeBlock(ErBuild b, ErTree t, uint base, uint child, uint lane) {
    Side s = NO_SIDE;
    s.node = base + lane / 2u;
    if (s.node < t.nodes && child != ER_REF_NONE) {
        s.child = child;
        s.done = isLeaf(child);
        s.slot = s.done ? ER_REF_NONE : child - base;
        if (s.done) {
            s.box = leafBounds(b, child, erRefShift(t.records));
        }
    }
    barrier();
    s.box = padded(s.box, erPadding(vec3(uintBitsToFloat(sharedReach)), vec3(0.0)));
    return s;
}

// isBehind tells of blocks in the second half whether they lie behind the nodes of the tree, as half of a bottom level's often do:
// what they would fetch keeps the others waiting.
bool isBehind(ErBuild b, uint base) {
    if (b.type == ER_AS_TYPE_TOP || base <= b.primitiveCount / 2u) {
        return false;
    }
    uint root = ErHeaderView(b.source).activeRootHeightLeafBlock.y;
    return isLeaf(root) || base > root;
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
    if (isBehind(b, base)) {
        return;
    }
    uint child = childOf(b, base + lane / 2u, lane % 2u);
    uint most = b.primitiveCount > 0u ? reachOf(b, lane) : 0u;
    ErTree t;
    bool same = erTree(b, erUpdateKind(b), t);
    beginSides(lane);
    beginLeft(lane);
    sharedX[lane].x = uintBitsToFloat(most);
    if (lane == 0u) {
        sharedReach = 0u;
    }
    barrier();
    if (!same) {
        return;
    }
    t.nodes = isLeaf(t.root) ? 0u : min(t.nodes, t.root + 1u); // the root is the last in postorder
    if (base < t.nodes) {
        uvec2 nodes = erAddress(b.dst, ER_HEADER_SIZE);
        shareReach(lane, most);
        Side s = takeBlock(b, t, base, child, lane);
        raise(lane, s);
        storeSide(nodes, lane, s);
        takeAbove(b, t, nodes, base, s, lane);
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
