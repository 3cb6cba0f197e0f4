// Better trees by parallel reinsertion (Meister and Bittner 2018, "Parallel Reinsertion for Bounding Volume Hierarchy
// Optimization"), for FAST_TRACE, between the clusters and the leaves of a build. A pass is four dispatches:
//   improve_search.comp  finds for nodes of a large area where in the tree each would save most area, and has every such move
//                        ask for the nodes whose links it changes: the one that saves most gets them
//   improve_apply.comp   makes the moves that got all of theirs, and lists them
//   improve_mark.comp    counts at every node above such a move how many of its children change
//   improve_refit.comp   makes boxes again on these ways, and decides which small subtrees become leaves
//
// Departures from the paper: nodes of small areas stay, as they would save little; a pass searches for half of the others,
// so that moves are less in each other's way; a search goes up and down a few nodes only; and nodes on the way of a move are
// not locked. So that no two moves put their nodes below each other, a node goes only below such as are larger: in a cycle of
// moves each would have to be larger than the next.
//
// Nothing depends on the order of threads: a tie for a node goes to nobody, and keys have bits of a hash, other ones in
// every pass, so that there are few.
//
// Primitives are leaves of their own here (erBundled is not). Nodes have numbers: an inner one its own, leaf i is
// the number of leaves + i. What sorting needed holds
//   keysA  of every node: the greatest key of the moves that ask for it. Keys grow from pass to pass: old ones do not matter
//   keysB  of every move: its key; when it was made: the parent that went along
//   valuesB  the moves that were made, in any order: what follows from them does not depend on it
// and ErBuild.source of every move a uvec2: the node and where it goes; when it was made, two nodes whose children changed. A
// workgroup has room for as many moves as nodes may move that it looks at, whose numbers it lists where leaves will be.
#ifndef ER_BVH_IMPROVE_GLSL
#define ER_BVH_IMPROVE_GLSL
#include "bvh/build/tree.glsl"
#include "bvh/common/link.glsl"

layout(buffer_reference, std430, buffer_reference_align = 64) buffer ErMovedNodes { ErNode node[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer ErMoveWords { uint v[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) coherent buffer ErMovePairs { uvec2 v[]; };

const uint ER_MOVE_NONE = 0xffffffffu; // in place of where it goes
const uint ER_MOVE_VISITS = 32u;
const uint ER_MOVE_CLIMBS = 12u; // farther up little is found
// The same of trees of up to ER_MOVE_LARGE primitives: all others wait for the longest search.
const uint ER_MOVE_FEW_VISITS = 16u;
const uint ER_MOVE_FEW_CLIMBS = 8u;
const float ER_MOVE_LARGER = 0.999; // leaves room for rounding
const uint ER_MOVE_STACK = ER_MOVE_VISITS + 2u; // a visit takes one and leaves two at most
// Nodes move whose area is so many times the mean: for smaller ones there are many searches, which save little. Trees of more
// primitives than ER_MOVE_LARGE take their time in proportion to these.
const float ER_MOVE_AREA = 0.1;
const float ER_MOVE_LARGE_AREA = 1.0;
// The more primitives, the more passes: what their dispatches take beside the work matters less.
const uint ER_MOVE_MIDDLE = 131072u;
const uint ER_MOVE_LARGE = 524288u;
const uint ER_MOVE_PASSES = 2u;
const uint ER_MOVE_MIDDLE_PASSES = 3u;
const uint ER_MOVE_LARGE_PASSES = 8u;
// Trees of fewer leaves may be one leaf in the end.
const uint ER_MOVE_LEAST = 8u;
// Trees of so few primitives stay as they are: a pass is worth 1 to 2% of a ray's steps there, and takes half as long as all else.
const uint ER_MOVE_SMALL = 4096u;

// Bit 0 of what a node was asked with tells that two moves tie.
const uint ER_MOVE_TIE = 1u;

// push.pass has the number of the pass, and above the workgroups that search a block.
const uint ER_MOVE_CLEAR = 0x80u; // in place of a pass
uint erPass() { return push.pass & 0xfu; }
uint erSearchGroups() { return push.pass >> 8; }
uint erSearchNodes() { return ER_BLOCK_SIZE / erSearchGroups(); }
uint erFirstMove(uvec2 task, uint group) { return task.y * ER_BLOCK_SIZE + (group % erSearchGroups()) * erSearchNodes(); }

// erOfPass tells whether a node may move in this pass.
bool erOfPass(uint number) { return (((number * 2654435761u >> 16) ^ push.pass) & 1u) == 0u; }

ErMovePairs erMoveOf(ErBuild b, uint move) { return ErMovePairs(erOffset(b.source, move, 8u)); }
ErMoveWords erMoveKeys(ErBuild b) { return ErMoveWords(b.keysB); }

// Where leaves will be, which take 32 bytes at least for each primitive: the nodes that may move, up to two for every one that
// a workgroup looks at, and then how many moves each has found.
uvec2 erLeavesToBe(ErBuild b) {
    return erAddressBlocks(b.dst, ER_HEADER_SIZE / 64u + (b.primitiveCount - 1u) * (ER_NODE_SIZE / 64u));
}
ErMoveWords erMovers(ErBuild b) { return ErMoveWords(erLeavesToBe(b)); }
ErMoveWords erMoveCounts(ErBuild b, uint count) { return ErMoveWords(erOffset(erLeavesToBe(b), count, 8u)); }

// erMovable tells whether nodes of a tree of so many leaves move in this pass.
bool erMovable(ErBuild b, uint count) {
    uint passes = b.inputs > ER_MOVE_LARGE ? ER_MOVE_LARGE_PASSES : (b.inputs > ER_MOVE_MIDDLE ? ER_MOVE_MIDDLE_PASSES
        : ER_MOVE_PASSES);
    return count >= ER_MOVE_LEAST && b.inputs > ER_MOVE_SMALL && erPass() < passes;
}

// erNumber is the number of a child.
uint erNumber(uint ref, uint count) { return (ref & ER_REF_LEAF) != 0u ? count + (ref & ~ER_REF_LEAF) : ref; }

// erLink is what a node knows of its parent, and whether it becomes a leaf.
uint erLink(ErBuild b, uint count, uint number) {
    ErUvec2View parents = ErUvec2View(b.parents);
    return number < count ? parents.v[number].x : parents.v[number - count].y;
}

void erSetLink(ErBuild b, uint count, uint number, uint link) {
    ErUvec2View parents = ErUvec2View(b.parents);
    if (number < count) { // whether it becomes a leaf stays
        parents.v[number].x = (parents.v[number].x & LINK_COLLAPSED) | link;
    } else {
        parents.v[number - count].y = link;
    }
}

struct ErBounded {
    vec3 lo, hi;
    uint ref;
    uint leaves;
};

ErBounded erChild(ErNode n, bool second) {
    vec4 xy = second ? n.xy1 : n.xy0;
    vec2 z = second ? n.z.zw : n.z.xy;
    return ErBounded(vec3(xy.x, xy.z, z.x), vec3(xy.y, xy.w, z.y), second ? n.children.y : n.children.x,
        second ? n.leaves.y : n.leaves.x);
}

void erSetChild(inout ErNode n, bool second, ErBounded c) {
    vec4 xy = vec4(c.lo.x, c.hi.x, c.lo.y, c.hi.y);
    if (second) {
        n.xy1 = xy;
        n.z.zw = vec2(c.lo.z, c.hi.z);
        n.children.y = c.ref;
        n.leaves.y = c.leaves;
    } else {
        n.xy0 = xy;
        n.z.xy = vec2(c.lo.z, c.hi.z);
        n.children.x = c.ref;
        n.leaves.x = c.leaves;
    }
}

ErBounded erJoin(ErBounded a, ErBounded b, uint ref) {
    return ErBounded(min(a.lo, b.lo), max(a.hi, b.hi), ref, a.leaves + b.leaves);
}

float erAreaOf(ErBounded a) { return erArea(a.lo, a.hi); }
float erLeafCost(ErBounded a) { return ER_COST_TRIANGLE * float(a.leaves) * erAreaOf(a); }
float erJoinedArea(ErBounded a, ErBounded b) { return erArea(min(a.lo, b.lo), max(a.hi, b.hi)); }

// erStart is where the way up begins that a move changes: one of three nodes.
const uint ER_MOVE_STARTS = 3u;
uint erStart(ErBuild b, uint made, uint which) {
    uint move = ErUintView(b.valuesB).v[made];
    if (which == 2u) {
        return erMoveKeys(b).v[move];
    }
    uvec2 ends = erMoveOf(b, move).v[0];
    return which == 0u ? ends.x : ends.y;
}

// What a move changes the links of, beside its own node: the parent, which goes along, its other child and its parent,
// the node that it goes beside, and that one's parent.
struct ErMove {
    uint link;    // of the node
    uint parent;
    uint upLink;  // of the parent
    uint sibling;
    uint to;
    uint toLink;
};

// erMove is the move of a node. The parent is not the root.
ErMove erMove(ErBuild b, uint count, uint number, uint to) {
    ErMove m;
    m.link = erLink(b, count, number);
    m.parent = m.link & LINK_NODE;
    m.upLink = erLink(b, count, m.parent);
    uvec2 children = ErMovedNodes(erTreeAt(b, m.parent)).node[0].children;
    m.sibling = erNumber((m.link & LINK_SECOND) != 0u ? children.x : children.y, count);
    m.to = to;
    m.toLink = erLink(b, count, to);
    return m;
}

// erMoveKey is the greater, the later the pass and the more a move saves: 4 bits of the pass, 19 of what is saved, 8 of
// the hash.
uint erMoveKey(float gain, uint number) {
    uint hash = (number * 2654435761u + erPass() * 0x9e3779b9u) >> 8;
    hash = ((hash ^ (hash >> 12)) * 0x85ebca6bu) >> 24;
    return ((erPass() + 1u) << 28) | ((floatBitsToUint(gain) >> 12) << 9) | (hash << 1);
}

#endif
