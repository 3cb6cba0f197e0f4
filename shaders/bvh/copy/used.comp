#version 460
#extension GL_GOOGLE_include_directive : require
// Finds the node slots that the tree reaches. A build leaves a node in every gap
// between two leaf records, also in those inside a leaf of several records;
// nothing of the tree refers to these. Of a blob, where such slots are blank,
// it checks that all others hang together and are as deep as the header says.
// A compaction has no use for nodes that become part of a leaf, either: a first
// pass counts them by the leaves' size, for the second to choose one.
#include "bvh/copy/copy.glsl"
#include "bvh/common/lanes.glsl"

shared uint sharedUsed;
shared uint sharedLimit; // most triangles of a leaf of a compacted copy
shared uint sharedDepth;
shared uint sharedLevels[ER_COMPACT_MOST + 1u];
shared uint sharedSizes[ER_COMPACT_MOST + 1u];
shared uint sharedLoose;

// reached climbs out of what may be a leaf: a node above more records than a leaf has is in use.
bool reached(ErCopy c, ErPlan p, uint slot) {
    ErUnits s = ErUnits(c.src);
    for (uint k = 0u; k < ER_BUILT_LEAF; k++) {
        uvec4 w = ER_UNIT(s, ER_HEADER_UNITS + slot * ER_NODE_UNITS + 3u);
        if (slot == p.root || w.z + w.w > ER_BUILT_LEAF) {
            return true;
        }
        slot = ErUintView(c.parents).v[slot];
        if (slot == ER_REF_NONE) {
            return false;
        }
    }
    return false;
}

// levelOf is the level of a node that the tree reaches: the records of the least leaf that it can be in, or 0. Above
// `most` it does not matter.
uint levelOf(ErCopy c, ErPlan p, uint slot, uint most) {
    for (uint k = 0u; k < most; k++) {
        uvec4 w = ER_UNIT(c.src, ER_HEADER_UNITS + slot * ER_NODE_UNITS + 3u);
        uint ref;
        if (w.z + w.w > most) {
            return 0u;
        }
        if (erWholeLeaf(c.src, p, slot, ref)) {
            return w.z + w.w;
        }
        if (slot == p.root) {
            return 0u;
        }
        slot = ErUintView(c.parents).v[slot];
    }
    return 0u;
}

uint sizeOf(ErCopy c, uint slot) {
    uvec4 w = ER_UNIT(c.src, ER_HEADER_UNITS + slot * ER_NODE_UNITS + 3u);
    return w.z + w.w;
}

// countLevel is what the first pass does with a node.
void countLevel(ErCopy c, ErPlan p, uint slot) {
    if (reached(c, p, slot)) {
        uint level = levelOf(c, p, slot, ER_COMPACT_MOST);
        if (level == 0u || level > ER_COMPACT_LEAF) {
            atomicAdd(sharedLevels[level], 1u);
        }
        uint size = sizeOf(c, slot);
        if (size > ER_COMPACT_LEAF) {
            atomicAdd(sharedSizes[size > ER_COMPACT_MOST ? 0u : size], 1u);
        }
    }
}

// chunkNumber makes what copy/share.comp has counted of a chunk a number of words.
void chunkNumber(ErCopy c, ErPlan p, uint chunk) {
    ErUintView n = ErUintView(push.exchange);
    uint counts = n.v[erFirstChunk(c) + chunk];
    n.v[erFirstChunk(c) + chunk] = erIsIndexed(erCompactKind(p)) ? counts & 0xffffu : counts >> 16;
}

bool compacts(ErCopy c) { return c.mode == ER_COPY_COMPACT || c.mode == ER_COPY_QUERY_COMPACTED; }

// depthOf counts the nodes from the root to one that is kept.
uint depthOf(ErCopy c, ErPlan p, uint slot) {
    uint depth = 1u;
    while (slot != p.root && depth < p.height) {
        slot = ErUintView(c.parents).v[slot];
        if (slot >= p.slots) {
            break;
        }
        depth++;
    }
    return depth;
}

uint firstInner(uvec4 w) { return (w.x & ER_REF_LEAF) == 0u ? w.x : w.y; }

// isFirstBelow tells whether a node is the first in postorder of those below another one, or that node itself: on the way up
// each is the first inner child of the next one. It has no children then, for all nodes have theirs before them.
bool isFirstBelow(ErCopy c, ErPlan p, ErUnits s, uint slot, uint top) {
    for (uint steps = 0u; slot != top; steps++) {
        uint parent = slot < p.slots && steps < p.height ? ErUintView(c.parents).v[slot] : ER_REF_NONE;
        if (parent == ER_REF_NONE || firstInner(ER_UNIT(s, ER_HEADER_UNITS + parent * ER_NODE_UNITS + 3u)) != slot) {
            return false;
        }
        slot = parent;
    }
    return true;
}

// isOrdered tells whether a node follows all below it without a gap, as it must where updates rely on it (order.glsl): below its
// second child, which comes right before it, or there are none, the first node comes right behind its first child.
bool isOrdered(ErCopy c, ErPlan p, ErUnits s, uint slot, uvec4 w) {
    bool inner0 = (w.x & ER_REF_LEAF) == 0u, inner1 = (w.y & ER_REF_LEAF) == 0u;
    if (inner1 && w.y != slot - 1u) {
        return false;
    }
    return !inner0 || (inner1 ? isFirstBelow(c, p, s, w.x + 1u, w.y) : w.x == slot - 1u);
}

// checkSlot is for slots of a blob. All references have been checked.
bool checkSlot(ErCopy c, ErPlan p, uint slot) {
    ErUnits s = ErUnits(erStructure(c, p));
    uvec4 w = ER_UNIT(s, ER_HEADER_UNITS + slot * ER_NODE_UNITS + 3u);
    bool used = w.x != ER_REF_NONE || w.y != ER_REF_NONE;
    uint parent = ErUintView(c.parents).v[slot];
    if (used != (parent != ER_REF_NONE || slot == p.root)) {
        return false;
    }
    const uint ALLOW_UPDATE = 1u;
    bool updates = (p.flags & ALLOW_UPDATE) != 0u;
    if (!used) { // the first slot is not, unless there are no nodes: those of the tree are in one piece
        return !updates || slot != 0u || (p.root & ER_REF_LEAF) != 0u;
    }
    if (updates && !isOrdered(c, p, s, slot, w)) {
        return false;
    }
    uint depth = 1u;
    while (parent != ER_REF_NONE && depth <= p.height) {
        parent = ErUintView(c.parents).v[parent];
        depth++;
    }
    if (depth == p.height) {
        ErPlanView(c.plan).plan.depth = depth;
    }
    return depth <= p.height;
}

// count is the first pass, for all lanes of a workgroup.
void count(ErCopy c, ErPlan p, bool valid, uint slot) {
    bool counts = valid && p.status == ER_STATUS_OK && compacts(c) && erCollapses(p);
    uint lane = gl_LocalInvocationIndex;
    if (lane <= ER_COMPACT_MOST) {
        sharedLevels[lane] = 0u;
        sharedSizes[lane] = 0u;
    }
    barrier();
    if (counts && slot < p.nodes) {
        countLevel(c, p, slot);
    }
    barrier();
    if (counts && lane <= ER_COMPACT_MOST && sharedLevels[lane] > 0u) {
        atomicAdd(ErPlanView(c.plan).levels[lane], sharedLevels[lane]);
    }
    if (counts && lane <= ER_COMPACT_MOST && sharedSizes[lane] > 0u) {
        atomicAdd(ErPlanView(c.plan).sizes[lane], sharedSizes[lane]);
    }
}

void main() {
    if (gl_LocalInvocationIndex == 0u) {
        sharedUsed = 0u;
        sharedDepth = 0u;
        sharedLoose = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec2 task = valid ? ErUvec2View(push.tasks).v[group] : uvec2(0u);
    ErCopy c = ErCopyView(push.builds).copy[task.x];
    ErPlan p = ErPlanView(c.plan).plan;
    uint slot = task.y * ER_LANES + gl_LocalInvocationIndex;
    if (push.pass == 0u) {
        count(c, p, valid, slot);
        return; // the whole workgroup
    }
    if (gl_LocalInvocationIndex == 0u && valid && compacts(c) && erCollapses(p)) {
        sharedLimit = erLeafLimit(c.plan, p);
        sharedLoose = p.loose;
        if (task.y == 0u) {
            ErPlanView(c.plan).plan.loose = p.loose;
        }
    }
    barrier();
    p.loose = sharedLoose;
    bool numbers = c.mode == ER_COPY_COMPACT || c.mode == ER_COPY_SERIALIZE;
    bool good = valid && p.status == ER_STATUS_OK;
    bool used = false;
    if (good && c.mode == ER_COPY_DESERIALIZE) {
        if (slot < p.slots && !checkSlot(c, p, slot)) {
            erFail(c.plan, ER_STATUS_BAD_NODE);
        }
    } else if (good && slot < p.nodes) {
        used = reached(c, p, slot);
        if (used && erCollapses(p) && compacts(c)) {
            uint level = p.loose != 0u ? sizeOf(c, slot) : levelOf(c, p, slot, sharedLimit);
            used = level == 0u || level > sharedLimit;
            if (used && c.mode == ER_COPY_COMPACT) {
                atomicMax(sharedDepth, depthOf(c, p, slot));
            }
        }
    }
    if (valid && numbers && slot <= c.nodeLimit) {
        ErUintView(push.exchange).v[c.firstNumber + slot] = used ? 1u : 0u;
    }
    if (valid && c.mode == ER_COPY_COMPACT && slot <= erChunkLimit(c)) {
        chunkNumber(c, p, slot);
    }
    if (used) {
        atomicAdd(sharedUsed, 1u);
    }
    barrier();
    if (valid && gl_LocalInvocationIndex == 0u && sharedUsed > 0u) {
        atomicAdd(ErPlanView(c.plan).plan.used, sharedUsed);
        atomicMax(ErPlanView(c.plan).plan.depth, sharedDepth);
    }
}
