#version 460
#extension GL_GOOGLE_include_directive : require
// For structures that may be updated and compacted: notes in the triangles'
// records which corners have the same source (ER_TRIANGLE_CORNERS). A workgroup
// does a chunk.
#include "bvh/common/fetch.glsl"
#include "bvh/common/corners.glsl"
layout(local_size_x = 64) in; // ER_CHUNK_RECORDS

const uint CHUNKS = ER_BLOCK_SIZE / ER_CHUNK_RECORDS;

shared uint sharedIndex[ER_CHUNK_VERTICES];
shared uint sharedGeometry[ER_CHUNK_RECORDS];

uvec3 erCornerKey(uint corner) { return uvec3(sharedIndex[corner], sharedGeometry[corner / 3u], 0u); }

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / CHUNKS];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErState state = ErStateView(b.state).state;
    uint lane = gl_LocalInvocationIndex;
    uint record = task.y * ER_BLOCK_SIZE + group % CHUNKS * ER_CHUNK_RECORDS + lane;
    if (!erBuildIsSourced(b, erLeafKind(b)) || record - lane >= state.activeCount) {
        return; // the same
    }
    bool live = record < state.activeCount;
    uvec2 at = erOffset(erAddressBlocks(b.dst, erLeafBlock(b, state)), record, ER_TRIANGLE_SIZE);
    erClearCorners();
    if (live) {
        ErUintView words = ErUintView(at);
        uint primitive = words.v[ER_TRIANGLE_PRIMITIVE / 4u];
        sharedGeometry[lane] = words.v[ER_TRIANGLE_GEOMETRY / 4u] & ER_TRIANGLE_GEOMETRY_MASK;
        ErGeometry g = ErGeometryView(b.geometries).geometry[sharedGeometry[lane]];
        for (uint k = 0u; k < 3u; k++) {
            sharedIndex[3u * lane + k] = erFetchIndex(g, 3u * primitive + k);
        }
    }
    barrier();
    uint places[3];
    for (uint k = 0u; k < 3u && live; k++) {
        places[k] = erClaimCorner(3u * lane + k);
    }
    barrier();
    if (live) {
        ErUintView(at).v[ER_TRIANGLE_CORNERS / 4u] =
            erCornerTable[places[0]] | erCornerTable[places[1]] << 8 | erCornerTable[places[2]] << 16;
    }
}
