#version 460
#extension GL_GOOGLE_include_directive : require
// Makes indexed triangles for compacted copies, a workgroup to a chunk. The
// first pass counts the words of the chunk's lists, for the scan or the query; the
// second writes chunk and lists. Vertices are in the order of their first corner.
//
// Corners share a vertex if they will stay together: at the same position, bit
// by bit, if nothing is going to move; of the same index in the same geometry
// if the structure may be updated; never, if that was not kept.
#include "bvh/copy.glsl"
layout(local_size_x = 64) in; // ER_CHUNK_RECORDS

#include "bvh/corners.glsl"

const uint CORNERS = ER_CHUNK_VERTICES;
const uint NOBODY = 0xffffffffu;

const uint SHARE_POSITION = 0u;
const uint SHARE_SOURCE = 1u;
const uint SHARE_NOTHING = 2u;

shared uint sharedPosition[3u * CORNERS]; // bits
shared uint sharedSource[ER_CHUNK_RECORDS];   // ER_TRIANGLE_CORNERS
shared uint sharedGeometry[ER_CHUNK_RECORDS]; // with flags
shared uint sharedValue[CORNERS];             // by first corner: the first one whose triangle is active
shared uint sharedFirst[CORNERS / 32u];       // bits: the first corners
shared uint sharedGeometries[ER_CHUNK_RECORDS / 32u]; // bits: the first records of geometries, for the wide form
shared uint sharedSharing;

uint sharingOf(ErPlan p) {
    const uint ALLOW_UPDATE = 1u;
    if (erIsSourced(p)) {
        return SHARE_SOURCE;
    }
    return (p.flags & ALLOW_UPDATE) != 0u ? SHARE_NOTHING : SHARE_POSITION;
}

uvec3 erCornerKey(uint corner) {
    if (sharedSharing == SHARE_POSITION) {
        return uvec3(sharedPosition[3u * corner], sharedPosition[3u * corner + 1u], sharedPosition[3u * corner + 2u]);
    }
    return uvec3(sharedSharing == SHARE_SOURCE ? (sharedSource[corner / 3u] >> (8u * (corner % 3u))) & 255u : corner, 0u, 0u);
}

void loadRecord(ErPlan p, uvec2 structure, uint record, uint lane) {
    uvec2 leaves = erUnit(structure, erLeafStart(p.slots));
    ErTriangle t = ErTriangleView(leaves).triangle[record];
    for (uint k = 0u; k < 4u; k++) {
        sharedPosition[9u * lane + k] = floatBitsToUint(t.a[k]);
        sharedPosition[9u * lane + 4u + k] = floatBitsToUint(t.b[k]);
    }
    sharedPosition[9u * lane + 8u] = t.c.x;
    sharedGeometry[lane] = t.c.z;
    sharedSource[lane] = t.c.w;
}

// firstOfGeometry is the first record of a record's geometry.
uint firstOfGeometry(uint lane) {
    uint geometry = sharedGeometry[lane] & ER_TRIANGLE_GEOMETRY_MASK;
    uint first = 0u;
    while ((sharedGeometry[first] & ER_TRIANGLE_GEOMETRY_MASK) != geometry) {
        first++;
    }
    return first;
}

// geometryNumber is the number of a geometry in the chunk's list, from its first record.
uint geometryNumber(uint first) {
    uint before = first < 32u ? 0u : bitCount(sharedGeometries[0]);
    return before + bitCount(sharedGeometries[first / 32u] & ((1u << (first % 32u)) - 1u));
}

uint geometryCount() { return bitCount(sharedGeometries[0]) + bitCount(sharedGeometries[1]); }

// share fills the tables, for all lanes of the workgroup. corners get their first corners.
void share(ErPlan p, uvec2 structure, uint chunk, bool live, out uint corners[3]) {
    uint lane = gl_LocalInvocationIndex;
    uint sharing = sharingOf(p);
    erClearCorners();
    for (uint k = lane; k < CORNERS; k += ER_CHUNK_RECORDS) {
        sharedValue[k] = NOBODY;
    }
    if (lane < CORNERS / 32u) {
        sharedFirst[lane] = 0u;
    }
    if (lane < ER_CHUNK_RECORDS / 32u) {
        sharedGeometries[lane] = 0u;
    }
    sharedSharing = sharing;
    if (live) {
        loadRecord(p, structure, chunk * ER_CHUNK_RECORDS + lane, lane);
    }
    barrier();
    uint slots[3];
    for (uint k = 0u; k < 3u && live; k++) {
        slots[k] = erClaimCorner(3u * lane + k);
    }
    if (live && erIndexedKind(p) == ER_LEAF_INDEXED_WIDE && firstOfGeometry(lane) == lane) {
        atomicOr(sharedGeometries[lane / 32u], 1u << (lane % 32u));
    }
    barrier();
    // Where an update has ended a triangle, others of its corners may still be somewhere.
    bool reachable = sharing != SHARE_SOURCE || (live && (sharedGeometry[lane] & ER_TRIANGLE_INACTIVE) == 0u);
    for (uint k = 0u; k < 3u && live; k++) {
        corners[k] = erCornerTable[slots[k]];
        atomicOr(sharedFirst[corners[k] / 32u], 1u << (corners[k] % 32u));
        if (reachable) {
            atomicMin(sharedValue[corners[k]], 3u * lane + k);
        }
    }
    barrier();
}

// rank is the number of a vertex in the chunk, from its first corner.
uint rank(uint corner) {
    uint n = bitCount(sharedFirst[corner / 32u] & ((1u << (corner % 32u)) - 1u));
    for (uint k = 0u; k < corner / 32u; k++) {
        n += bitCount(sharedFirst[k]);
    }
    return n;
}

uint vertexCount() {
    uint n = 0u;
    for (uint k = 0u; k < CORNERS / 32u; k++) {
        n += bitCount(sharedFirst[k]);
    }
    return n;
}

void writeVertices(uvec2 to) {
    for (uint k = gl_LocalInvocationIndex; k < CORNERS; k += ER_CHUNK_RECORDS) {
        if ((sharedFirst[k / 32u] & (1u << (k % 32u))) == 0u) {
            continue;
        }
        uint at = 3u * rank(k);
        uint from = sharedValue[k];
        for (uint i = 0u; i < 3u; i++) {
            ErUintView(to).v[at + i] = from == NOBODY ? 0u : sharedPosition[3u * from + i];
        }
    }
}

void writeRecord(ErPlan p, uvec2 leaves, uvec2 to, uint record, uint corners[3]) {
    uvec2 primitive = erPrimitiveWords(leaves, record, 0u);
    uint geometry = primitive.y & ER_TRIANGLE_GEOMETRY_MASK;
    if (erIndexedKind(p) == ER_LEAF_INDEXED_WIDE) {
        geometry = geometryNumber(firstOfGeometry(gl_LocalInvocationIndex));
    }
    uint at = erRecordWord(record);
    ErUintView words = ErUintView(to);
    words.v[at] = rank(corners[0]) | rank(corners[1]) << 8 | rank(corners[2]) << 16 | geometry << ER_INDEXED_GEOMETRY_SHIFT |
        (primitive.y & (ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE));
    words.v[at + 1u] = primitive.x;
}

void writeChunk(ErCopy c, ErPlan p, uint chunk, bool live, uint corners[3]) {
    uint lane = gl_LocalInvocationIndex;
    ErUintView n = ErUintView(push.histograms);
    uint base = erChunkWords(p) + n.v[erFirstChunk(c) + chunk] - n.v[erFirstChunk(c)];
    uvec2 head = uvec2(base, vertexCount() | geometryCount() << ER_CHUNK_GEOMETRY_SHIFT);
    uvec2 to = erUnit(c.dst, erLeafStart(p.used));
    if (lane == 0u) {
        ErUvec2View(erAddressWords(to, erChunkWord(chunk))).v[0] = head;
    }
    if (live) {
        writeRecord(p, erUnit(c.src, erLeafStart(p.slots)), to, chunk * ER_CHUNK_RECORDS + lane, corners);
    }
    writeVertices(erAddressWords(to, base));
    if ((sharedGeometries[lane / 32u] & (1u << (lane % 32u))) != 0u) {
        ErUintView(erAddressWords(to, erChunkList(head))).v[geometryNumber(lane)] = sharedGeometry[lane] & ER_TRIANGLE_GEOMETRY_MASK;
    }
    uint end = erChunkList(head) + geometryCount(); // the last chunk fills the last unit
    if (chunk + 1u == erChunks(p) && lane < (4u - end % 4u) % 4u) {
        ErUintView(erAddressWords(to, end)).v[lane] = 0u;
    }
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount * ER_COPY_CHUNKS) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / ER_COPY_CHUNKS];
    ErCopy c = ErCopyView(push.builds).copy[task.x];
    ErPlan p = ErPlanView(c.plan).plan;
    uint chunk = task.y * ER_COPY_CHUNKS + group % ER_COPY_CHUNKS;
    uint lane = gl_LocalInvocationIndex;
    bool live = chunk * ER_CHUNK_RECORDS + lane < p.live;
    bool good = p.status == ER_STATUS_OK && p.leafKind == ER_LEAF_TRIANGLES && chunk < erChunks(p);
    bool write = push.pass == 1u;
    if (write && (c.mode != ER_COPY_COMPACT || !erIndexes(p) || erCompactUnits(p) > c.dstUnits)) {
        return;
    }
    uint corners[3];
    if (good) {
        share(p, c.src, chunk, live, corners);
    }
    if (write && good) {
        writeChunk(c, p, chunk, live, corners);
    } else if (!write && lane == 0u) {
        uint n = good ? 3u * vertexCount() + geometryCount() : 0u;
        if (c.mode == ER_COPY_COMPACT && chunk <= erChunkLimit(c)) {
            ErUintView(push.histograms).v[erFirstChunk(c) + chunk] = n;
        }
        if (n > 0u) {
            atomicAdd(ErPlanView(c.plan).plan.lists, n);
        }
    }
}
