#version 460
#extension GL_GOOGLE_include_directive : require
// Writes headers, statuses and the values of queries, last of all.
#include "bvh/copy/copy.glsl"
#include "bvh/common/wide_layout.glsl"
layout(local_size_x = 64) in;

// writeEmpty makes a structure that no ray hits.
void writeEmpty(ErCopy c, uint type) {
    ErUnits d = ErUnits(c.dst);
    for (uint k = 2u; k < ER_HEADER_UNITS; k++) {
        d.v[k] = uvec4(0u);
    }
    d.v[0] = uvec4(c.dst, ER_AS_MAGIC, ER_AS_VERSION);
    d.v[1] = c.structureCompat;
    d.v[2] = uvec4(type, 0u, 0u, 0u);
    d.v[3] = uvec4(0u, ER_REF_NONE, 0u, ER_HEADER_SIZE / 64u);
    d.v[5] = uvec4(0u, 0u, 0u, type == ER_AS_TYPE_TOP ? ER_LEAF_INSTANCES : ER_LEAF_TRIANGLES);
    d.v[6] = uvec4(ER_HEADER_SIZE, 0u, 0u, 0u);
}

void writeCompact(ErCopy c, ErPlan p) {
    ErUnits s = ErUnits(c.src);
    ErUnits d = ErUnits(c.dst);
    for (uint k = 0u; k < ER_HEADER_UNITS; k++) {
        uvec4 v = s.v[k];
        switch (k) {
        case 0u: v.xy = c.dst; break;
        case 3u:
            if ((p.root & ER_REF_LEAF) == 0u && p.used > 0u) {
                ErUintView n = ErUintView(push.exchange);
                v.y = n.v[c.firstNumber + p.root] - n.v[c.firstNumber];
            } else if (p.loose != 0u) {
                v.y = erRefOf(0u, p.live, erRefShift(p.live));
            } else if ((p.root & ER_REF_LEAF) == 0u) {
                erWholeLeaf(c.src, p, p.root, v.y);
            }
            v.z = erCollapses(p) ? p.depth : p.height;
            v.w = p.used + ER_HEADER_SIZE / 64u;
            break;
        case 4u: v.w = p.used; break;
        case 5u: v.w = erCompactKind(p); break;
        case 6u: v.xyz = uvec3(erBytes(erCompactUnits(p)), 0u); break;
        }
        d.v[k] = v;
    }
}

void writeBlobHeader(ErCopy c, ErPlan p) {
    ErUnits d = ErUnits(c.dst);
    d.v[0] = c.driver;
    d.v[1] = c.compat;
    d.v[2] = uvec4(erBytes(p.body + p.total), erBytes(p.total));
    ErUvec2View(c.dst).v[ER_BLOB_HANDLES / 8u - 1u] = uvec2(p.handles, 0u);
    uint own = p.body - ER_BLOB_SIZE / 16u;
    for (uint k = ER_BLOB_HANDLES / 8u + p.handles; k < 2u * own; k++) {
        ErUvec2View(c.dst).v[k] = uvec2(0u);
    }
    d.v[own] = uvec4(ER_BLOB_MAGIC, ER_BLOB_VERSION, p.checksum0, p.checksum1);
    for (uint k = 1u; k < ER_BLOB_SIZE / 16u; k++) {
        d.v[own + k] = uvec4(0u);
    }
}

// currentUnits is what a structure takes with its wide nodes.
uint currentUnits(ErCopy c, ErPlan p) {
    uint wide = ErUintView(c.src).v[ER_HEADER_WIDE / 4u];
    return wide == 0u ? p.total : 4u * wide + p.slots * (ER_WIDE_SIZE / 16u);
}

uvec2 property(ErCopy c, ErPlan p) {
    if (p.status != ER_STATUS_OK) {
        return uvec2(0u);
    }
    switch (c.mode) {
    case ER_COPY_QUERY_COMPACTED: return erBytes(erCompactUnits(p));
    case ER_COPY_QUERY_CURRENT: return erBytes(currentUnits(c, p));
    case ER_COPY_QUERY_SERIALIZED: return erBytes(p.body + p.total);
    }
    return uvec2(p.handles, 0u);
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= push.taskCount) {
        return;
    }
    ErCopy c = ErCopyView(push.builds).copy[i];
    ErPlan p = ErPlanView(c.plan).plan;
    if (c.mode == ER_COPY_COMPACT && p.status == ER_STATUS_OK && erCompactUnits(p) > c.dstUnits) {
        p.status = ER_STATUS_NO_ROOM;
    }
    bool good = p.status == ER_STATUS_OK;
    switch (c.mode) {
    case ER_COPY_COMPACT:
        if (good) {
            writeCompact(c, p);
            break;
        }
    case ER_COPY_CLONE:
    case ER_COPY_DESERIALIZE:
        if (!good) {
            writeEmpty(c, p.type == ER_AS_TYPE_TOP ? ER_AS_TYPE_TOP : ER_AS_TYPE_BOTTOM);
        }
        break;
    case ER_COPY_SERIALIZE:
        if (good) {
            writeBlobHeader(c, p);
        } else { // not a blob
            for (uint k = 0u; k < 4u; k++) {
                ErUnits(c.dst).v[k] = uvec4(0u);
            }
        }
        break;
    default:
        ErUvec2View(c.dst).v[0] = property(c, p);
    }
    if ((c.status.x | c.status.y) != 0u) {
        ErUintView(c.status).v[0] = p.status;
    }
}
