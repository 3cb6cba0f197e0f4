#version 460
#extension GL_GOOGLE_include_directive : require
// Writes what copies consist of, but for the headers of compacted copies and blobs, and triangles of another form
// (copy/share.comp).
#include "bvh/copy/copy.glsl"
#include "bvh/common/lanes.glsl"
#include "bvh/common/wide_layout.glsl"

shared uint sharedChecksum[2];

// slotUsed is for COMPACT and SERIALIZE, after the scan.
bool slotUsed(ErCopy c, uint slot, out uint number) {
    ErUintView n = ErUintView(push.exchange);
    number = n.v[c.firstNumber + slot];
    bool used = n.v[c.firstNumber + slot + 1u] != number;
    number -= n.v[c.firstNumber];
    return used;
}

// renumber finds a node's new number, or the leaf that it has become, of so many records from a place in the tree's order on.
uint renumber(ErCopy c, ErPlan p, uint ref, uint place, uint count) {
    uint number;
    if ((ref & ER_REF_LEAF) == 0u && slotUsed(c, ref, number)) {
        return number;
    }
    if (p.loose != 0u) {
        return erRefOf(place, count, erRefShift(p.live));
    }
    if ((ref & ER_REF_LEAF) == 0u) {
        erWholeLeaf(c.src, p, ref, ref);
    }
    return ref;
}

// compact closes the gaps between the nodes in use; their order stays, and so does that of the records as a rule.
void compact(ErCopy c, ErPlan p, uint piece) {
    if (erCompactUnits(p) > c.dstUnits) {
        return; // copy/finish.comp says so
    }
    ErUnits src = ErUnits(c.src);
    ErUnits dst = ErUnits(c.dst);
    uint number;
    if (piece < p.nodes && slotUsed(c, piece, number)) {
        uint from = ER_HEADER_UNITS + piece * ER_NODE_UNITS;
        uint to = ER_HEADER_UNITS + number * ER_NODE_UNITS;
        for (uint k = 0u; k < 3u; k++) {
            ER_UNIT(dst, to + k) = ER_UNIT(src, from + k);
        }
        uvec4 w = ER_UNIT(src, from + 3u);
        uint place = p.loose != 0u ? erPlaceBelow(c, p, piece) : 0u;
        ER_UNIT(dst, to + 3u) = uvec4(renumber(c, p, w.x, place, w.z), renumber(c, p, w.y, place + w.z, w.w), w.zw);
    }
    uint leaves = erCompactKind(p) != p.leafKind ? 0u : erCompactLeaves(p);
    for (uint u = 4u * piece; u < min(4u * piece + 4u, leaves); u++) {
        ER_UNIT(dst, erLeafStart(p.used) + u) = ER_UNIT(src, erLeafStart(p.slots) + u);
    }
}

// withoutWide is that unit of the header for a structure that has no wide nodes.
uvec4 withoutWide(uvec4 v) { return uvec4(v.xy, 0u, v.w); }

// sanitized is a unit of a structure as it stands in a blob: without addresses, and blank where nothing is in use.
uvec4 sanitized(ErCopy c, ErPlan p, uint unit, uvec4 v) {
    if (unit == 0u) {
        return uvec4(0u, 0u, v.zw);
    }
    if (unit == ER_HEADER_WIDE / 16u) {
        return withoutWide(v);
    }
    if (unit < ER_HEADER_UNITS) {
        return v;
    }
    uint leaves = erLeafStart(p.slots);
    if (unit < leaves) {
        uint slot = (unit - ER_HEADER_UNITS) / ER_NODE_UNITS;
        uint number;
        if (slot < p.nodes && slotUsed(c, slot, number)) {
            return v;
        }
        return ((unit - ER_HEADER_UNITS) & 3u) == 3u ? uvec4(ER_REF_NONE, ER_REF_NONE, 0u, 0u) : uvec4(0u);
    }
    if (erIsCompacted(p.leafKind)) {
        return v;
    }
    uint record = (unit - leaves) / p.leafUnits;
    if (record >= p.live) {
        return uvec4(0u);
    }
    if (p.leafKind == ER_LEAF_INSTANCES && (unit - leaves) % p.leafUnits == 6u) {
        uint index = ER_UNIT(c.src, unit + 1u).x;
        if (index < p.handles) {
            ErUvec2View(erAddress(c.dst, ER_BLOB_HANDLES)).v[index] = v.xy;
        }
        return uvec4(0u, 0u, v.zw);
    }
    return v;
}

bool isBottomLevel(ErCopy c, uvec2 address) {
    ErUnits h = ErUnits(address);
    return h.v[0].z == ER_AS_MAGIC && h.v[0].w == ER_AS_VERSION && h.v[1] == c.structureCompat && h.v[2].x == ER_AS_TYPE_BOTTOM;
}

// restored is a unit of a blob's structure as it stands in the structure made of it.
uvec4 restored(ErCopy c, ErPlan p, ErUnits s, uint unit, uvec4 v) {
    uint leaves = erLeafStart(p.slots);
    if (unit == 0u) {
        return uvec4(c.dst, v.zw);
    }
    if (unit == ER_HEADER_WIDE / 16u) {
        return withoutWide(v);
    }
    if (p.leafKind != ER_LEAF_INSTANCES || unit < leaves || (unit - leaves) / p.leafUnits >= p.live) {
        return v;
    }
    uint part = (unit - leaves) % p.leafUnits;
    if (part < 6u) {
        return v;
    }
    uvec2 handle = ErUvec2View(erAddress(c.src, ER_BLOB_HANDLES)).v[ER_UNIT(s, unit - part + 7u).x];
    bool none = (handle.x | handle.y) == 0u;
    bool ready = (c.flags & ER_COPY_READY) != 0u && !none;
    if (ready && !isBottomLevel(c, handle)) {
        erFail(c.plan, ER_STATUS_BAD_HANDLE);
        ready = false;
    }
    if (part == 6u) {
        uint root = ready ? ErUnits(handle).v[3].y : ER_UNIT(s, unit + 1u).y;
        bool empty = none || root == ER_REF_NONE;
        return uvec4(handle, v.z & (empty ? 0x00ffffffu : 0xffffffffu), v.w); // mask 0: no ray enters it
    }
    if (ready) {
        uvec4 h = ErUnits(handle).v[3];
        return uvec4(v.x, h.y, h.z | erFormOf(ErUnits(handle).v[5].w, h.x), h.w);
    }
    return v;
}

uvec2 copyPiece(ErCopy c, ErPlan p, uint piece) {
    ErUnits s = ErUnits(erStructure(c, p));
    ErUnits dst = ErUnits(c.mode == ER_COPY_SERIALIZE ? erUnit(c.dst, p.body) : c.dst);
    uvec2 sum = uvec2(0u);
    for (uint u = 4u * piece; u < min(4u * piece + 4u, p.total); u++) {
        uvec4 v = ER_UNIT(s, u);
        if (c.mode == ER_COPY_SERIALIZE) {
            v = sanitized(c, p, u, v);
            sum += erHashUnit(v, u);
        } else if (c.mode == ER_COPY_DESERIALIZE) {
            v = restored(c, p, s, u, v);
        } else if (u == 0u) {
            v.xy = c.dst;
        }
        ER_UNIT(dst, u) = v;
    }
    return sum;
}

// verdict is for what only all nodes and words together tell of a blob.
uint verdict(ErCopy c, ErPlan p) {
    uvec4 own = ER_UNIT(c.src, p.body - ER_BLOB_SIZE / 16u);
    if (own.z != p.checksum0 || own.w != p.checksum1) {
        return ER_STATUS_BAD_CHECKSUM;
    }
    return p.depth == p.height ? ER_STATUS_OK : ER_STATUS_BAD_NODE;
}

// spoil fills what a refused blob should have filled with references to
// nothing. Instances that take it for what the blob held, end there.
void spoil(ErCopy c, uint piece) {
    for (uint u = max(4u * piece, ER_HEADER_UNITS); u < min(4u * piece + 4u, c.dstUnits); u++) {
        ER_UNIT(c.dst, u) = uvec4(0xffffffffu);
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
    uint piece = task.y * ER_LANES + gl_LocalInvocationIndex;
    bool good = p.status == ER_STATUS_OK || p.status == ER_STATUS_BAD_HANDLE; // the latter comes from here
    if (valid && good && c.mode == ER_COPY_DESERIALIZE) {
        uint status = verdict(c, p);
        good = status == ER_STATUS_OK;
        if (!good && piece == 0u) {
            erFail(c.plan, status);
        }
    }
    if (valid && good) {
        if (c.mode == ER_COPY_COMPACT) {
            compact(c, p, piece);
        } else {
            uvec2 sum = copyPiece(c, p, piece);
            atomicAdd(sharedChecksum[0], sum.x);
            atomicAdd(sharedChecksum[1], sum.y);
        }
    } else if (valid && c.mode == ER_COPY_DESERIALIZE) {
        spoil(c, piece);
    }
    barrier();
    if (valid && good && c.mode == ER_COPY_SERIALIZE && gl_LocalInvocationIndex == 0u) {
        atomicAdd(ErPlanView(c.plan).plan.checksum0, sharedChecksum[0]);
        atomicAdd(ErPlanView(c.plan).plan.checksum1, sharedChecksum[1]);
    }
}
