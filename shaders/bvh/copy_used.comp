#version 460
#extension GL_GOOGLE_include_directive : require
// Finds the node slots that the tree reaches. A build leaves a node in every gap
// between two leaf records, also in those inside a leaf of several records;
// nothing of the tree refers to these. Of a blob, where such slots are blank,
// it checks that all others hang together and are as deep as the header says.
// A compaction has no use for nodes that become part of a leaf, either.
#include "bvh/copy.glsl"
layout(local_size_x = 256) in;

shared uint sharedUsed;
shared uint sharedDepth;

// reached climbs out of what may be a leaf: a node above more records than a leaf has is in use.
bool reached(ErCopy c, ErPlan p, uint slot) {
    ErUnits s = ErUnits(c.src);
    for (uint k = 0u; k < ER_LEAF_RECORDS; k++) {
        uvec4 w = s.v[ER_HEADER_UNITS + slot * ER_NODE_UNITS + 3u];
        if (slot == p.root || w.z + w.w > ER_LEAF_RECORDS) {
            return true;
        }
        slot = ErUintView(c.parents).v[slot];
        if (slot == ER_REF_NONE) {
            return false;
        }
    }
    return false;
}

// kept tells whether a node that the tree reaches is one of the compacted copy.
bool kept(ErCopy c, ErPlan p, uint slot) {
    for (uint k = 0u; k < ER_COMPACT_LEAF; k++) {
        uvec4 w = ErUnits(c.src).v[ER_HEADER_UNITS + slot * ER_NODE_UNITS + 3u];
        uint ref;
        if (w.z + w.w > ER_COMPACT_LEAF) {
            return true;
        }
        if (erWholeLeaf(c.src, p, slot, ref)) {
            return false;
        }
        if (slot == p.root) {
            return true;
        }
        slot = ErUintView(c.parents).v[slot];
    }
    return true;
}

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

// checkSlot is for slots of a blob. All references have been checked.
bool checkSlot(ErCopy c, ErPlan p, uint slot) {
    ErUnits s = ErUnits(erStructure(c, p));
    uvec4 w = s.v[ER_HEADER_UNITS + slot * ER_NODE_UNITS + 3u];
    bool used = w.x != ER_REF_NONE || w.y != ER_REF_NONE;
    uint parent = ErUintView(c.parents).v[slot];
    if (used != (parent != ER_REF_NONE || slot == p.root)) {
        return false;
    }
    if (!used || p.height > ER_CHECKED_HEIGHT) {
        return true;
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

void main() {
    if (gl_LocalInvocationIndex == 0u) {
        sharedUsed = 0u;
        sharedDepth = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec2 task = valid ? ErUvec2View(push.tasks).v[group] : uvec2(0u);
    ErCopy c = ErCopyView(push.builds).copy[task.x];
    ErPlan p = ErPlanView(c.plan).plan;
    uint slot = task.y * ER_COPY_BLOCK + gl_LocalInvocationIndex;
    bool numbers = c.mode == ER_COPY_COMPACT || c.mode == ER_COPY_SERIALIZE;
    bool good = valid && p.status == ER_STATUS_OK;
    bool used = false;
    if (good && c.mode == ER_COPY_DESERIALIZE) {
        if (slot < p.slots && !checkSlot(c, p, slot)) {
            erFail(c.plan, ER_STATUS_BAD_NODE);
        }
    } else if (good && slot < p.nodes) {
        used = reached(c, p, slot);
        if (used && erCollapses(p) && (c.mode == ER_COPY_COMPACT || c.mode == ER_COPY_QUERY_COMPACTED)) {
            used = kept(c, p, slot);
            if (used && c.mode == ER_COPY_COMPACT) {
                atomicMax(sharedDepth, depthOf(c, p, slot));
            }
        }
    }
    if (valid && numbers && slot <= c.nodeLimit) {
        ErUintView(push.histograms).v[c.firstNumber + slot] = used ? 1u : 0u;
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
