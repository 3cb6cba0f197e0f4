#version 460
#extension GL_GOOGLE_include_directive : require
// Makes indexed triangles for compacted copies, a workgroup to a chunk. The
// first pass counts the chunk's vertices, for the scan or the query; the second
// writes chunk and vertices. Vertices are in the order of their first corner.
//
// Corners share a vertex if they will stay together: at the same position, bit
// by bit, if nothing is going to move; of the same index in the same geometry
// if the structure may be updated; never, if that was not kept.
#include "bvh/copy.glsl"
layout(local_size_x = 64) in; // ER_CHUNK_RECORDS

const uint CORNERS = ER_CHUNK_VERTICES;
const uint TABLE = 512u;
const uint NOBODY = 0xffffffffu;

const uint SHARE_POSITION = 0u;
const uint SHARE_SOURCE = 1u;
const uint SHARE_NOTHING = 2u;

shared uint sharedPosition[3u * CORNERS]; // bits
shared uint sharedSource[CORNERS];
shared uint sharedGeometry[ER_CHUNK_RECORDS]; // with flags
shared uint sharedTable[TABLE];   // a corner, in the end the first one, of every vertex
shared uint sharedValue[CORNERS]; // by first corner: the first one whose triangle is active
shared uint sharedFirst[CORNERS / 32u]; // bits: the first corners

uint sharingOf(ErPlan p) {
    const uint ALLOW_UPDATE = 1u;
    if (erIsSourced(p)) {
        return SHARE_SOURCE;
    }
    return (p.flags & ALLOW_UPDATE) != 0u ? SHARE_NOTHING : SHARE_POSITION;
}

uint geometryOf(uint corner) { return sharedGeometry[corner / 3u] & ER_TRIANGLE_GEOMETRY_MASK; }

bool same(uint sharing, uint a, uint b) {
    if (sharing == SHARE_SOURCE) {
        return sharedSource[a] == sharedSource[b] && geometryOf(a) == geometryOf(b);
    }
    return sharing == SHARE_POSITION && sharedPosition[3u * a] == sharedPosition[3u * b] &&
        sharedPosition[3u * a + 1u] == sharedPosition[3u * b + 1u] && sharedPosition[3u * a + 2u] == sharedPosition[3u * b + 2u];
}

uint slotOf(uint sharing, uint corner) {
    uvec3 v = uvec3(sharedPosition[3u * corner], sharedPosition[3u * corner + 1u], sharedPosition[3u * corner + 2u]);
    if (sharing == SHARE_SOURCE) {
        v = uvec3(sharedSource[corner], geometryOf(corner), 0u);
    }
    uint h = (v.x * 0x9e3779b1u ^ v.y) * 0x85ebca77u;
    h = (h ^ (h >> 15) ^ v.z) * 0xc2b2ae3du;
    return (h ^ (h >> 16)) % TABLE;
}

// claim finds the place of a corner's vertex. A place, once taken, belongs to one vertex, so it does not matter who came first.
uint claim(uint sharing, uint corner) {
    uint slot = slotOf(sharing, corner);
    for (;;) {
        uint before = atomicCompSwap(sharedTable[slot], NOBODY, corner);
        if (before == NOBODY) {
            return slot;
        }
        if (same(sharing, before, corner)) {
            atomicMin(sharedTable[slot], corner);
            return slot;
        }
        slot = (slot + 1u) % TABLE;
    }
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
    if (erIsSourced(p)) {
        ErWordView source = ErWordView(erOffset(erUnit(leaves, p.records * p.leafUnits), record, ER_SOURCE_SIZE));
        for (uint k = 0u; k < 3u; k++) {
            sharedSource[3u * lane + k] = source.v[k];
        }
    }
}

// share fills the tables, for all lanes of the workgroup. corners get their first corners.
void share(ErPlan p, uvec2 structure, uint chunk, bool live, out uint corners[3]) {
    uint lane = gl_LocalInvocationIndex;
    uint sharing = sharingOf(p);
    for (uint k = lane; k < TABLE; k += ER_CHUNK_RECORDS) {
        sharedTable[k] = NOBODY;
    }
    for (uint k = lane; k < CORNERS; k += ER_CHUNK_RECORDS) {
        sharedValue[k] = NOBODY;
    }
    if (lane < CORNERS / 32u) {
        sharedFirst[lane] = 0u;
    }
    if (live) {
        loadRecord(p, structure, chunk * ER_CHUNK_RECORDS + lane, lane);
    }
    barrier();
    uint slots[3];
    for (uint k = 0u; k < 3u && live; k++) {
        slots[k] = claim(sharing, 3u * lane + k);
    }
    barrier();
    // Where an update has ended a triangle, others of its corners may still be somewhere.
    bool reachable = sharing != SHARE_SOURCE || (live && (sharedGeometry[lane] & ER_TRIANGLE_INACTIVE) == 0u);
    for (uint k = 0u; k < 3u && live; k++) {
        corners[k] = sharedTable[slots[k]];
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

void writeRecord(ErPlan p, uvec2 leaves, uvec2 to, uint form, uint record, uint corners[3]) {
    uvec2 primitive = erPrimitiveWords(leaves, record, 0u);
    uint flags = primitive.y & (ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE);
    uint geometry = primitive.y & ER_TRIANGLE_GEOMETRY_MASK;
    bool wide = (form & ER_INSTANCE_WIDE) != 0u;
    uint at = erRecordWord(form, record);
    ErUintView words = ErUintView(to);
    words.v[at] = rank(corners[0]) | rank(corners[1]) << 8 | rank(corners[2]) << 16 | flags |
        (wide ? 0u : geometry << ER_INDEXED_GEOMETRY_SHIFT);
    words.v[at + 1u] = primitive.x;
    if (wide) {
        words.v[at + 2u] = flags | geometry;
    }
}

void writeChunk(ErCopy c, ErPlan p, uint chunk, bool live, uint corners[3]) {
    uint lane = gl_LocalInvocationIndex;
    uint form = erIndexedForm(p);
    ErUintView n = ErUintView(push.histograms);
    uint first = erFirstChunk(c) + chunk;
    uint base = erChunkWords(p, form) + 3u * (n.v[first] - n.v[erFirstChunk(c)]);
    uint count = n.v[first + 1u] - n.v[first];
    uvec2 to = erUnit(c.dst, erLeafStart(p.used));
    if (lane == 0u) {
        ErUvec2View(erAddressWords(to, erChunkWord(form, chunk))).v[0] = uvec2(base, count);
    }
    if (live) {
        writeRecord(p, erUnit(c.src, erLeafStart(p.slots)), to, form, chunk * ER_CHUNK_RECORDS + lane, corners);
    }
    writeVertices(erAddressWords(to, base));
    uint end = base + 3u * count; // the last chunk fills the last unit
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
        uint n = good ? vertexCount() : 0u;
        if (c.mode == ER_COPY_COMPACT && chunk <= erChunkLimit(c)) {
            ErUintView(push.histograms).v[erFirstChunk(c) + chunk] = n;
        }
        if (n > 0u) {
            atomicAdd(ErPlanView(c.plan).plan.vertices, n);
        }
    }
}
