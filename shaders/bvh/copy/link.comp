#version 460
#extension GL_GOOGLE_include_directive : require
// Tells every node slot which slot refers to it. Of a blob it also checks all
// that can be seen from one node or one leaf record, and sums up the checksum.
#include "bvh/copy/copy.glsl"
#include "bvh/common/lanes.glsl"

shared uint sharedChecksum[2];

uint leavesOf(ErUnits s, uint slot) {
    uvec4 w = ER_UNIT(s, ER_HEADER_UNITS + slot * ER_NODE_UNITS + 3u);
    return w.z + w.w;
}

// checkLeaf takes records of a leaf, each once.
bool checkLeaf(ErCopy c, ErPlan p, uint ref, uint leaves) {
    uint first = erRefFirst(ref, erRefShift(p.live));
    uint count = erRefCount(ref, erRefShift(p.live));
    if (count != leaves || first >= p.live || count > p.live - first) {
        return false;
    }
    bool once = true;
    for (uint r = first; r < first + count; r++) {
        uint bit = 1u << (r & 31u);
        once = (atomicOr(ErUintView(c.marks).v[r >> 5], bit) & bit) == 0u && once;
    }
    return once;
}

// linkChild claims an inner child. Numbers of leaves fall on the way down, so there
// are no cycles, and every slot but the root has one parent at most.
bool linkChild(ErCopy c, ErPlan p, ErUnits s, uint slot, uint ref, uint leaves, uint all) {
    if (ref >= p.slots || ref == p.root) {
        return false;
    }
    if (c.mode != ER_COPY_DESERIALIZE) {
        ErUintView(c.parents).v[ref] = slot;
        return true;
    }
    return leaves < all && leavesOf(s, ref) == leaves && atomicCompSwap(ErUintView(c.parents).v[ref], ER_REF_NONE,
        slot) == ER_REF_NONE;
}

void linkSlot(ErCopy c, ErPlan p, ErUnits s, uint slot) {
    uvec4 w = ER_UNIT(s, ER_HEADER_UNITS + slot * ER_NODE_UNITS + 3u);
    bool blob = c.mode == ER_COPY_DESERIALIZE;
    if (blob && w.x == ER_REF_NONE && w.y == ER_REF_NONE) {
        return; // not in use
    }
    bool good = !blob || (w.z > 0u && w.w > 0u && w.z <= p.live && w.w <= p.live && (slot != p.root || w.z + w.w == p.live));
    for (uint k = 0u; k < 2u && good; k++) {
        uint ref = w[k];
        if ((ref & ER_REF_LEAF) == 0u) {
            good = linkChild(c, p, s, slot, ref, w[2u + k], w.z + w.w) || !blob;
        } else if (blob) {
            good = checkLeaf(c, p, ref, w[2u + k]);
        }
    }
    if (!good) {
        erFail(c.plan, ER_STATUS_BAD_NODE);
    }
}

// checkInstance holds an instance's copies of its bottom level's header against each other.
bool checkInstance(ErPlan p, uvec4 b) {
    if (b.x >= p.primitives || b.y == ER_REF_NONE) {
        return b.x < p.primitives;
    }
    uint slots = b.w - ER_HEADER_SIZE / 64u;
    uint height = b.z & ER_INSTANCE_HEIGHT_MASK;
    bool root = (b.y & ER_REF_LEAF) != 0u ? height == 0u : b.y < slots && height <= ER_HEIGHT_BOTTOM;
    return b.w >= ER_HEADER_SIZE / 64u && slots <= ER_MAX_PRIMITIVES && root;
}

// chunkHead is where a chunk's vertices begin, and their number with that of geometries.
uvec2 chunkHead(ErPlan p, uvec2 leaves, uint chunk) {
    return ErUvec2View(erAddressWords(leaves, erChunkAt(p.leafKind, chunk))).v[0];
}

// checkChunk holds a chunk's vertices against those of the chunk before. The last one's end is in the plan.
bool checkChunk(ErPlan p, uvec2 leaves, uint chunk) {
    uvec2 head = chunkHead(p, leaves, chunk);
    uint begin = erChunkWords(p, p.leafKind);
    if (chunk > 0u) {
        uvec2 before = chunkHead(p, leaves, chunk - 1u);
        begin = erChunkList(before) + (before.y >> ER_CHUNK_GEOMETRY_SHIFT);
    }
    return head.x == begin && erChunkSound(p, head, 4u * erLeafRegion(p));
}

bool checkIndexed(ErPlan p, uvec2 leaves, uint record) {
    uvec2 head = chunkHead(p, leaves, record / ER_CHUNK_RECORDS);
    uint count = head.y & ER_CHUNK_VERTEX_MASK;
    uint w = erWordAt(leaves, erRecordWord(record));
    bool listed = p.leafKind == ER_LEAF_INDEXED ||
        ((w >> ER_INDEXED_GEOMETRY_SHIFT) & (ER_INDEXED_GEOMETRIES - 1u)) < (head.y >> ER_CHUNK_GEOMETRY_SHIFT);
    if (!erChunkSound(p, head, 4u * erLeafRegion(p)) || !listed) {
        return false;
    }
    uvec2 primitive = erPrimitiveWords(leaves, record, erLeafForm(p.leafKind));
    return (w & 255u) < count && ((w >> 8) & 255u) < count && ((w >> 16) & 255u) < count && primitive.x < p.primitives &&
        (primitive.y & ER_TRIANGLE_GEOMETRY_MASK) < p.geometries;
}

bool checkShort(ErPlan p, uvec2 leaves, uint record) {
    uint form = erLeafForm(p.leafKind);
    if (p.leafKind == ER_LEAF_SHORT_WIDE) {
        uvec2 head = chunkHead(p, leaves, record / ER_CHUNK_RECORDS);
        uint w = erWordAt(leaves, erShortWord(record, form) + ER_SHORT_WORD);
        bool listed = ((w >> ER_SHORT_WIDE_SHIFT) & (ER_INDEXED_GEOMETRIES - 1u)) < (head.y >> ER_CHUNK_GEOMETRY_SHIFT);
        if (!listed || !erChunkSound(p, head, 4u * erLeafRegion(p))) {
            return false;
        }
    }
    uvec2 primitive = erPrimitiveWords(leaves, record, form);
    return primitive.x < p.primitives && (primitive.y & ER_TRIANGLE_GEOMETRY_MASK) < p.geometries;
}

void checkRecord(ErCopy c, ErPlan p, ErUnits s, uint record) {
    uint at = erLeafStart(p.slots) + record * p.leafUnits;
    bool good;
    if (erIsIndexed(p.leafKind)) {
        good = checkIndexed(p, erUnit(erStructure(c, p), erLeafStart(p.slots)), record);
    } else if (erIsCompacted(p.leafKind)) {
        good = checkShort(p, erUnit(erStructure(c, p), erLeafStart(p.slots)), record);
    } else if (p.leafKind == ER_LEAF_INSTANCES) {
        good = checkInstance(p, ER_UNIT(s, at + 7u));
    } else {
        uvec4 last = ER_UNIT(s, at + p.leafUnits - 1u);
        bool boxes = p.leafKind == ER_LEAF_BOXES;
        uint geometry = boxes ? last.w : last.z;
        uint primitive = boxes ? ER_UNIT(s, at).w : last.y;
        good = (geometry & ER_TRIANGLE_GEOMETRY_MASK) < p.geometries && primitive < p.primitives;
    }
    if (!good) {
        erFail(c.plan, ER_STATUS_BAD_LEAF);
    }
}

void main() {
    if (gl_LocalInvocationIndex < 2u) {
        sharedChecksum[gl_LocalInvocationIndex] = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec2 task = valid ? ErUvec2View(push.tasks).v[group] : uvec2(0u);
    ErCopy c = ErCopyView(push.builds).copy[task.x];
    ErPlan p = ErPlanView(c.plan).plan;
    valid = valid && p.status == ER_STATUS_OK;
    uint piece = task.y * ER_LANES + gl_LocalInvocationIndex;
    bool blob = c.mode == ER_COPY_DESERIALIZE;
    if (valid) {
        ErUnits s = ErUnits(erStructure(c, p));
        if (piece < (blob ? p.slots : p.nodes)) {
            linkSlot(c, p, s, piece);
        }
        if (blob) {
            if (erIsListed(p.leafKind) && piece < erChunks(p) && !checkChunk(p, erUnit(erStructure(c, p), erLeafStart(p.slots)),
                piece)) {
                erFail(c.plan, ER_STATUS_BAD_LEAF);
            }
            uint each = erIsIndexed(p.leafKind) ? 8u : 2u;
            for (uint r = each * piece; r < min(each * piece + each, p.live); r++) {
                checkRecord(c, p, s, r);
            }
            uvec2 sum = uvec2(0u);
            for (uint u = 4u * piece; u < min(4u * piece + 4u, p.total); u++) {
                sum += erHashUnit(ER_UNIT(s, u), u);
            }
            atomicAdd(sharedChecksum[0], sum.x);
            atomicAdd(sharedChecksum[1], sum.y);
        }
        if (c.mode == ER_COPY_SERIALIZE) { // handles of instances that have no record
            for (uint k = piece; k < p.handles; k += c.pieces) {
                ErUvec2View(erAddress(c.dst, ER_BLOB_HANDLES)).v[k] = uvec2(0u);
            }
        }
    }
    barrier();
    if (valid && blob && gl_LocalInvocationIndex == 0u) {
        atomicAdd(ErPlanView(c.plan).plan.checksum0, sharedChecksum[0]);
        atomicAdd(ErPlanView(c.plan).plan.checksum1, sharedChecksum[1]);
    }
}
