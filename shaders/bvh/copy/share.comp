#version 460
#extension GL_GOOGLE_include_directive : require
// Makes indexed or short triangles for compacted copies, a workgroup to a chunk. The
// first pass counts the words of the chunk's lists for both, for the scan or the query;
// the second writes chunk and lists. Vertices are in the order of their first corner.
//
// Corners share a vertex if they will stay together: at the same position, bit
// by bit, if nothing is going to move; of the same index in the same geometry
// if the structure may be updated; never, if that was not kept.
#include "bvh/copy/copy.glsl"
layout(local_size_x = 64) in; // ER_CHUNK_RECORDS

#include "bvh/common/corners.glsl"

const uint CORNERS = ER_CHUNK_VERTICES;
const uint NOBODY = 0xffffffffu;

const uint SHARE_POSITION = 0u;
const uint SHARE_SOURCE = 1u;
const uint SHARE_NOTHING = 2u;

shared uint sharedPosition[3u * CORNERS]; // bits
shared uint sharedSource[ER_CHUNK_RECORDS];   // ER_TRIANGLE_CORNERS
shared uint sharedGeometry[ER_CHUNK_RECORDS]; // with flags
shared uint sharedPrimitive[ER_CHUNK_RECORDS];
shared uint sharedValue[CORNERS];             // by first corner: the first one whose triangle is active
shared uint sharedFirst[CORNERS / 32u];       // bits: the first corners
shared uint sharedGeometries[ER_CHUNK_RECORDS / 32u]; // bits: the first records of geometries, for wide forms
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
    ErTriangle t = ErTriangleView(erOffset(leaves, record, ER_TRIANGLE_SIZE)).triangle[0];
    for (uint k = 0u; k < 4u; k++) {
        sharedPosition[9u * lane + k] = floatBitsToUint(t.a[k]);
        sharedPosition[9u * lane + 4u + k] = floatBitsToUint(t.b[k]);
    }
    sharedPosition[9u * lane + 8u] = t.c.x;
    sharedPrimitive[lane] = t.c.y;
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

bool isWide(uint kind) { return kind == ER_LEAF_INDEXED_WIDE || kind == ER_LEAF_SHORT_WIDE; }

// listLength is the number of geometries in the chunk's list.
uint listLength(uint kind) { return isWide(kind) ? bitCount(sharedGeometries[0]) + bitCount(sharedGeometries[1]) : 0u; }

// numbered is a record's geometry as it stands in the record, and the flags.
uint numbered(uint kind, uint lane, uint shift) {
    const uint FLAGS = ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE;
    uint geometry = isWide(kind) ? geometryNumber(firstOfGeometry(lane)) : sharedGeometry[lane] & ER_TRIANGLE_GEOMETRY_MASK;
    return geometry << shift | (sharedGeometry[lane] & FLAGS);
}

// share fills the tables, for all lanes of the workgroup. corners get their first corners.
void share(ErCopy c, ErPlan p, uint chunk, bool live, out uint corners[3]) {
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
        uint record = chunk * ER_CHUNK_RECORDS + lane;
        loadRecord(p, c.src, p.loose != 0u ? erRecordAt(c, p, record) : record, lane);
    }
    barrier();
    uint slots[3];
    for (uint k = 0u; k < 3u && live; k++) {
        slots[k] = erClaimCorner(3u * lane + k);
    }
    if (live && (isWide(erShortKind(p)) || isWide(erIndexedKind(p))) && firstOfGeometry(lane) == lane) {
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

void writeIndexed(uint kind, uvec2 to, uint record, uint corners[3]) {
    ErUintView words = ErUintView(erAddressWords(to, erRecordWord(record)));
    words.v[0] = rank(corners[0]) | rank(corners[1]) << 8 | rank(corners[2]) << 16 |
        numbered(kind, gl_LocalInvocationIndex, ER_INDEXED_GEOMETRY_SHIFT);
    words.v[1] = sharedPrimitive[gl_LocalInvocationIndex];
}

void writeShort(uint kind, uvec2 to, uint record) {
    uint lane = gl_LocalInvocationIndex;
    ErUintView words = ErUintView(erAddressWords(to, erShortWord(record, erLeafForm(kind))));
    for (uint k = 0u; k < ER_SHORT_WORD; k++) {
        words.v[k] = sharedPosition[9u * lane + k];
    }
    words.v[ER_SHORT_WORD] = sharedPrimitive[lane] | numbered(kind, lane, erShortShift(erLeafForm(kind)));
}

void writeChunk(ErCopy c, ErPlan p, uint kind, uint chunk, bool live, uint corners[3]) {
    uint lane = gl_LocalInvocationIndex;
    bool indexed = erIsIndexed(kind);
    ErUintView n = ErUintView(push.exchange);
    uint base = erChunkWords(p, kind) + n.v[erFirstChunk(c) + chunk] - n.v[erFirstChunk(c)];
    uvec2 head = uvec2(base, (indexed ? vertexCount() : 0u) | listLength(kind) << ER_CHUNK_GEOMETRY_SHIFT);
    uvec2 to = erUnit(c.dst, erLeafStart(p.used));
    if (lane == 0u && erIsListed(kind)) {
        ErUvec2View(erAddressWords(to, erChunkAt(kind, chunk))).v[0] = head;
    }
    uint record = chunk * ER_CHUNK_RECORDS + lane;
    if (live) {
        if (indexed) {
            writeIndexed(kind, to, record, corners);
        } else {
            writeShort(kind, to, record);
        }
    }
    if (indexed) {
        writeVertices(erAddressWords(to, base));
    }
    if (isWide(kind) && (sharedGeometries[lane / 32u] & (1u << (lane % 32u))) != 0u) {
        ErUintView(erAddressWords(to, erChunkList(head))).v[geometryNumber(lane)] =
            sharedGeometry[lane] & ER_TRIANGLE_GEOMETRY_MASK;
    }
    uint end = erChunkList(head) + listLength(kind); // the last chunk fills the last unit
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
    uint kind = erCompactKind(p);
    if (write && (c.mode != ER_COPY_COMPACT || kind == p.leafKind || erCompactUnits(p) > c.dstUnits)) {
        return;
    }
    uint corners[3];
    if (good) {
        share(c, p, chunk, live, corners);
    }
    if (write && good) {
        writeChunk(c, p, kind, chunk, live, corners);
    } else if (!write && lane == 0u) {
        uint lists = good ? 3u * vertexCount() + listLength(erIndexedKind(p)) : 0u;
        uint shortLists = good ? listLength(erShortKind(p)) : 0u;
        if (c.mode == ER_COPY_COMPACT && chunk <= erChunkLimit(c)) {
            ErUintView(push.exchange).v[erFirstChunk(c) + chunk] = lists | shortLists << 16; // see copy/used.comp
        }
        if (lists > 0u) {
            uint before = atomicAdd(ErPlanView(c.plan).plan.lists, lists);
            if (before + lists < before) {
                atomicOr(ErPlanView(c.plan).plan.beyond, 1u);
            }
            atomicAdd(ErPlanView(c.plan).plan.shortLists, shortLists);
        }
    }
}
