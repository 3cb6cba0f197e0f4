#version 460
#extension GL_GOOGLE_include_directive : require
// Writes the leaf records. With PLOC, subtrees are not contiguous in the sorted
// order: every leaf finds its place in the tree's own order by a walk to the
// root that adds up what lies to its left, and the first leaf of each record
// range writes the reference to it. Bundles stay where they are.
//
// On the same way it finds what build/balance.comp has to do.
#include "bvh/common/record.glsl"
#include "bvh/build/split.glsl"
#include "bvh/build/balance.glsl"
layout(local_size_x = 64) in;

const uint LANES = 64u;
const uint GROUPS = ER_BLOCK_SIZE / LANES;

shared uint sharedHeight;

layout(buffer_reference, std430, buffer_reference_align = 64) buffer ErNodeOut { ErNode node[]; };

uvec2 erNodeAddress(ErBuild b, uint node) { return erOffset(erAddress(b.dst, ER_HEADER_SIZE), node, ER_NODE_SIZE); }

// bundlesBelow is what cluster.glsl left there, where bundles are not single primitives.
uint bundlesBelow(ErBuild b, uint node) {
    if (!erBundled(b)) {
        uvec2 below = ErNodeOut(erNodeAddress(b, node)).node[0].leaves;
        return below.x + below.y;
    }
    return ErUintView(b.arrivals).v[node] & ~ER_DEEP_LISTED;
}

// firstBundles is the number of bundles below a node's first child.
uint firstBundles(ErBuild b, ErNode n) {
    if (!erBundled(b)) {
        return n.leaves.x;
    }
    return (n.children.x & ER_REF_LEAF) != 0u ? 1u : bundlesBelow(b, n.children.x);
}

// listDeepClusters lists the subtree of a leaf that is too deep.
void listDeepClusters(ErBuild b, uint position, uint link, uint depth) {
    uint at = 0u; // bundles to the left of the leaf, in the subtree climbed so far
    while ((link & LINK_NODE) != LINK_ROOT) {
        uint node = link & LINK_NODE;
        at += (link & LINK_SECOND) != 0u ? firstBundles(b, ErNodeOut(erNodeAddress(b, node)).node[0]) : 0u;
        link = ErUvec2View(b.parents).v[node].x;
        depth--;
        uint count = bundlesBelow(b, node);
        if (depth + erLevels(b, count) <= erMostHeight(b)) {
            erListDeep(b, ErDeep(node, position - at, count, link & (LINK_SECOND | LINK_NODE)));
            return;
        }
    }
}

// listDeepRange is the same for a linear BVH, whose subtrees are ranges.
void listDeepRange(ErBuild b, uint root, uint bundle, uint count) {
    ErDeep found;
    uint left = 0u, right = count - 1u, link = LINK_ROOT, depth = 0u;
    while ((root & ER_REF_LEAF) == 0u) {
        if (depth + erLevels(b, right - left + 1u) <= erMostHeight(b)) {
            found = ErDeep(root, left, right - left + 1u, link);
        }
        uvec2 children = ErNodeOut(erNodeAddress(b, root)).node[0].children;
        bool second = bundle > root; // node p separates bundles p and p + 1
        link = root | (second ? LINK_SECOND : 0u);
        left = second ? root + 1u : left;
        right = second ? right : root;
        root = second ? children.y : children.x;
        depth++;
    }
    if (depth > erMostHeight(b)) {
        erListDeep(b, found);
    }
}

// retire blanks the nodes inside a leaf of several primitives, which are of no use: nobody is to take them for the tree's.
void retire(ErBuild b, uint bundle, uint top) {
    ErUvec2View parents = ErUvec2View(b.parents);
    uint link = parents.v[bundle].y;
    while (link != top) {
        ErNodeOut(erNodeAddress(b, link & LINK_NODE)).node[0].children = uvec2(ER_REF_NONE);
        link = parents.v[link & LINK_NODE].x;
    }
}

// place is the position of a bundle in the tree's order, and its depth.
uint place(ErBuild b, uint bundle, out uint depth) {
    ErUvec2View parents = ErUvec2View(b.parents);
    uint link = parents.v[bundle].y;
    uint at = 0u;       // bundles to the left in the subtree climbed so far
    uint top = link;    // link of the highest node that is a leaf of the final tree
    uint topAt = 0u;
    uint topCount = 1u;
    uint gap = LINK_ROOT; // the node of the gap behind the bundle: the first that it is on the left of
    depth = 0u;
    while ((link & LINK_NODE) != LINK_ROOT) {
        uint node = link & LINK_NODE;
        gap = gap == LINK_ROOT && (link & LINK_SECOND) == 0u ? node : gap;
        at += (link & LINK_SECOND) != 0u ? firstBundles(b, ErNodeOut(erNodeAddress(b, node)).node[0]) : 0u;
        depth++;
        link = parents.v[node].x;
        if ((link & LINK_COLLAPSED) != 0u) {
            top = link;
            topAt = at;
            uvec2 below = ErNodeOut(erNodeAddress(b, node)).node[0].leaves;
            topCount = below.x + below.y;
            depth = 0u;
        }
    }
    if (topCount > 1u) {
        retire(b, bundle, top);
    }
    if (!erBundled(b) && topAt == 0u && (top & LINK_NODE) != LINK_ROOT) {
        uint ref = erRefOf(at, topCount, erRefShift(ErStateView(b.state).state.activeCount));
        if ((top & LINK_SECOND) != 0u) {
            ErNodeOut(erNodeAddress(b, top & LINK_NODE)).node[0].children.y = ref;
        } else {
            ErNodeOut(erNodeAddress(b, top & LINK_NODE)).node[0].children.x = ref;
        }
    }
    ErUintView(b.keysA).v[erGapAt(at)] = gap;
    ErUintView(b.keysA).v[erBundleAt(b, at)] = bundle;
    if (depth > erMostHeight(b)) {
        listDeepClusters(b, at - topAt, top, depth);
    }
    return at;
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane == 0u) {
        sharedHeight = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec2 task = valid ? ErUvec2View(push.tasks).v[group / GROUPS] : uvec2(0u);
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErStateView state = ErStateView(b.state);
    uint i = task.y * ER_BLOCK_SIZE + (group % GROUPS) * LANES + lane;
    uint live = state.state.activeCount;
    uint bundles = erBundles(b, state.state);
    bool ploc = erMode(b) == ER_MODE_PLOC && bundles > 1u;
    uint to = i;
    if (valid && i < bundles) {
        if (ploc) {
            uint depth;
            uint at = place(b, i, depth);
            to = erBundled(b) ? i : at;
            atomicMax(sharedHeight, depth);
        } else if (state.state.height > erMostHeight(b)) {
            listDeepRange(b, state.state.root, i, bundles);
        }
    }
    if (valid && i < live) {
        uint primitive = ErUintView(b.valuesA).v[i];
        if (primitive >= b.inputs) {
            primitive = ErUintView(erOwner(b, primitive - b.inputs)).v[0];
        }
        uint index = erGeometryOf(b, primitive, 0u, b.geometryCount - 1u);
        ErGeometry g = ErGeometryView(b.geometries).geometry[index];
        uvec2 leaves = erAddressBlocks(b.dst, erLeafBlock(b, state.state));
        if (g.kind == ER_LEAF_INSTANCES) {
            ErInstanceOut(leaves).instance[to] = erInstanceRecord(g, primitive - g.firstPrimitive);
        } else if (g.kind == ER_LEAF_BOXES) {
            ErBoxOut(erOffset(leaves, to, ER_BOX_SIZE)).box[0] = erBoxRecord(index, g, primitive - g.firstPrimitive);
        } else {
            ErTriangleOut out_ = ErTriangleOut(erOffset(leaves, to, ER_TRIANGLE_SIZE));
            out_.triangle[0] = erTriangleRecord(index, g, primitive - g.firstPrimitive);
        }
    }
    barrier();
    if (lane == 0u && valid && ploc && sharedHeight > state.state.height) {
        atomicMax(state.state.height, sharedHeight);
    }
}
