#version 460
#extension GL_GOOGLE_include_directive : require
// Makes the records and geometries of an indirect batch from those that the
// host wrote, with the most primitives and no offsets, and from the ranges in
// device memory. One workgroup does one record.
//   push.builds, push.tasks        what the host wrote: records, ErIndirect
//   push.exchange, push.sums     to write: records, geometries
#include "bvh/common/build.glsl"
layout(local_size_x = 64) in;

layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer ErBuildOut { ErBuild build[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer ErGeometryOut { ErGeometry geometry[]; };

const uint LANES = 64u;

// The ranges of a record, see batch.addIndirect: their address and stride, and
// the number of the first geometry.
struct ErIndirect {
    uvec2 ranges;
    uint stride, firstGeometry;
};
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer ErIndirectView { ErIndirect indirect[]; };

shared uint counts[LANES];

// VkAccelerationStructureBuildRangeInfoKHR
struct Range {
    uint primitiveCount, primitiveOffset, firstVertex, transformOffset;
};

Range readRange(ErIndirect indirect, uint k) {
    ErUintView v = ErUintView(erOffset(indirect.ranges, k, indirect.stride));
    return Range(v.v[0], v.v[1], v.v[2], v.v[3]);
}

void applyOffsets(inout ErGeometry g, Range r) {
    if (g.indexBytes != 0u) {
        g.indices = erAddress(g.indices, r.primitiveOffset);
    } else {
        g.vertices = erAddress(g.vertices, r.primitiveOffset);
    }
    if ((g.transform.x | g.transform.y) != 0u) {
        g.transform = erAddress(g.transform, r.transformOffset);
    }
    g.firstVertex = r.firstVertex;
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uint lane = gl_LocalInvocationIndex;
    ErIndirect indirect = ErIndirectView(push.tasks).indirect[group];
    ErBuild b = ErBuildView(push.builds).build[group];
    uvec2 geometries = erOffset(push.sums, indirect.firstGeometry, ER_GEOMETRY_SIZE);
    uint first = 0u;
    for (uint base = 0u; base < b.geometryCount; base += LANES) {
        uint k = base + lane;
        bool valid = k < b.geometryCount;
        ErGeometry g;
        counts[lane] = 0u;
        if (valid) {
            g = ErGeometryView(b.geometries).geometry[k];
            Range r = readRange(indirect, k);
            g.primitiveCount = min(r.primitiveCount, g.primitiveCount);
            applyOffsets(g, r);
            counts[lane] = g.primitiveCount;
        }
        barrier();
        uint all = 0u;
        for (uint j = 0u; j < LANES; j++) {
            g.firstPrimitive = j == lane ? first + all : g.firstPrimitive;
            all += counts[j];
        }
        if (valid) {
            ErGeometryOut(geometries).geometry[k] = g;
        }
        first += all;
        barrier();
    }
    if (lane == 0u) {
        b.geometries = geometries;
        b.inputs = first;
        b.primitiveCount = first + (erMaySplit(b) ? erSplitSlots(first) : 0u);
        ErBuildOut(push.exchange).build[group] = b;
    }
}
