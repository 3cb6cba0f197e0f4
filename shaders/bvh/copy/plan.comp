#version 460
#extension GL_GOOGLE_include_directive : require
// Reads the headers of all copies and plans them, and clears their arrays. A
// blob's header is not trusted: everything later kernels address follows from
// numbers that were held here against the sizes the host knows.
#include "bvh/copy/copy.glsl"
#include "bvh/common/lanes.glsl"

// countRecords finds how many leaf records the source has room for, and whether that is all that it has. Of triangles
// with lists the last chunk tells; copy/link.comp checks the others.
bool countRecords(uvec2 structure, inout ErPlan p) {
    uint region = erLeafRegion(p);
    if (!erIsCompacted(p.leafKind)) {
        p.records = region / p.leafUnits;
        return region == p.records * p.leafUnits;
    }
    p.records = p.live;
    uint words = erChunkWords(p, p.leafKind);
    if (p.live == 0u || region >= 1u << 30 || words > 4u * region) {
        return region == 0u && p.live == 0u;
    }
    if (!erIsListed(p.leafKind)) {
        return (words + 3u) / 4u == region;
    }
    ErUvec2View last = ErUvec2View(erAddressWords(erUnit(structure, erLeafStart(p.slots)),
        erChunkAt(p.leafKind, erChunks(p) - 1u)));
    uvec2 head = last.v[0];
    if (!erChunkSound(p, head, 4u * region) || head.x < words) {
        return false;
    }
    return (erChunkList(head) + (head.y >> ER_CHUNK_GEOMETRY_SHIFT) + 3u) / 4u == region;
}

// readHeader takes over a structure's header and returns its status.
uint readHeader(ErCopy c, uvec2 structure, uint available, inout ErPlan p) {
    ErUnits h = ErUnits(structure);
    if (available < ER_HEADER_UNITS || h.v[0].z != ER_AS_MAGIC || h.v[0].w != ER_AS_VERSION || h.v[1] != c.structureCompat) {
        return ER_STATUS_NOT_A_STRUCTURE;
    }
    uvec2 total = h.v[6].xy;
    if ((total.x & 15u) != 0u || (total.y >> 4) != 0u) {
        return ER_STATUS_BAD_HEADER;
    }
    p.total = total.x >> 4 | total.y << 28;
    p.type = h.v[2].x;
    p.geometries = h.v[2].z;
    p.primitives = h.v[2].w;
    p.live = h.v[3].x;
    p.root = h.v[3].y;
    p.height = h.v[3].z;
    p.slots = h.v[4].w;
    p.flags = h.v[2].y;
    p.leafKind = h.v[5].w;
    p.leafUnits = erLeafUnits(p.leafKind);
    if (p.total > available) {
        return ER_STATUS_TRUNCATED;
    }
    bool kind = p.type == ER_AS_TYPE_TOP ? p.leafKind == ER_LEAF_INSTANCES : p.leafKind <= ER_LEAF_BOXES ||
        erIsCompacted(p.leafKind);
    if (p.type > ER_AS_TYPE_BOTTOM || !kind || p.geometries > ER_TRIANGLE_GEOMETRY_MASK || p.primitives > ER_MAX_PRIMITIVES ||
        p.live > erMostLive(p) || p.slots > ER_MAX_PRIMITIVES || h.v[3].w != p.slots + ER_HEADER_SIZE / 64u ||
        erLeafStart(p.slots) > p.total) {
        return ER_STATUS_BAD_HEADER;
    }
    bool fits = countRecords(structure, p);
    p.nodes = min(p.slots, max(p.live, 1u) - 1u);
    bool leaf = (p.root & ER_REF_LEAF) != 0u;
    if (leaf) {
        p.nodes = 0u;
    }
    bool empty = p.live == 0u;
    if (!fits || p.records < p.live || p.slots > c.nodeLimit || (empty != (p.root == ER_REF_NONE)) || (leaf != (p.height == 0u))) {
        return ER_STATUS_BAD_HEADER;
    }
    if (leaf) {
        uint shift = erRefShift(p.live);
        bool all = erRefFirst(p.root, shift) == 0u && erRefCount(p.root, shift) == p.live;
        return empty || all ? ER_STATUS_OK : ER_STATUS_BAD_HEADER;
    }
    return p.root < p.slots && p.height < p.live ? ER_STATUS_OK : ER_STATUS_BAD_HEADER;
}

// readBlob checks a blob's own headers, then the structure's in it.
uint readBlob(ErCopy c, inout ErPlan p) {
    const uint least = erBodyUnits(0u) + ER_HEADER_UNITS;
    if (c.srcUnits < least) {
        return ER_STATUS_TRUNCATED;
    }
    ErUnits b = ErUnits(c.src);
    if (b.v[1] != c.compat) {
        return ER_STATUS_INCOMPATIBLE;
    }
    uvec4 sizes = b.v[2];
    uvec2 count = b.v[3].xy;
    if (count.y != 0u || count.x > ER_MAX_PRIMITIVES || ((sizes.x | sizes.z) & 15u) != 0u || ((sizes.y | sizes.w) >> 4) != 0u) {
        return ER_STATUS_BAD_HEADER;
    }
    uint serialized = sizes.x >> 4 | sizes.y << 28;
    uint deserialized = sizes.z >> 4 | sizes.w << 28;
    p.handles = count.x;
    p.body = erBodyUnits(count.x);
    if (serialized > c.srcUnits || p.body > serialized) {
        return ER_STATUS_TRUNCATED;
    }
    if (serialized - p.body != deserialized) {
        return ER_STATUS_BAD_HEADER;
    }
    uvec4 own = ER_UNIT(b, p.body - ER_BLOB_SIZE / 16u);
    if (own.x != ER_BLOB_MAGIC || own.y != ER_BLOB_VERSION) {
        return ER_STATUS_BAD_HEADER;
    }
    if (deserialized > c.dstUnits) {
        return ER_STATUS_NO_ROOM;
    }
    uint status = readHeader(c, erUnit(c.src, p.body), deserialized, p);
    if (status == ER_STATUS_OK && (p.total != deserialized || p.handles != erHandles(p) || (p.records + 31u) / 32u > c.markWords ||
        p.height > (p.type == ER_AS_TYPE_TOP ? ER_HEIGHT_TOP : ER_HEIGHT_BOTTOM))) {
        return ER_STATUS_BAD_HEADER;
    }
    return status;
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return;
    }
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErCopy c = ErCopyView(push.builds).copy[task.x];
    uint k = task.y * ER_LANES + gl_LocalInvocationIndex;
    if (k < c.nodeLimit && (c.parents.x | c.parents.y) != 0u) {
        ErUintView(c.parents).v[k] = ER_REF_NONE;
    }
    if (k < c.markWords) {
        ErUintView(c.marks).v[k] = 0u;
    }
    if (k != 0u) {
        return;
    }
    ErPlan p;
    p.checksum0 = 0u;
    p.checksum1 = 0u;
    p.used = 0u;
    p.type = ER_AS_TYPE_BOTTOM;
    p.geometries = 0u;
    p.primitives = 0u;
    p.live = 0u;
    p.root = ER_REF_NONE;
    p.height = 0u;
    p.slots = 0u;
    p.nodes = 0u;
    p.leafKind = 0u;
    p.leafUnits = erLeafUnits(0u);
    p.records = 0u;
    p.total = 0u;
    p.body = 0u;
    p.handles = 0u;
    p.depth = 0u;
    p.flags = 0u;
    p.lists = 0u;
    p.shortLists = 0u;
    p.loose = 0u;
    p.beyond = 0u;
    if (c.mode == ER_COPY_DESERIALIZE) {
        p.status = readBlob(c, p);
    } else {
        p.status = readHeader(c, c.src, c.srcUnits, p);
        p.handles = erHandles(p);
        p.body = erBodyUnits(p.handles);
    }
    if (p.status == ER_STATUS_OK) {
        bool room = c.mode == ER_COPY_CLONE ? p.total <= c.dstUnits :
                    c.mode == ER_COPY_SERIALIZE ? p.body <= c.dstUnits && p.total <= c.dstUnits - p.body : true;
        p.status = room ? ER_STATUS_OK : ER_STATUS_NO_ROOM;
    }
    ErPlanView(c.plan).plan = p;
    for (uint i = 0u; i <= ER_COMPACT_MOST; i++) {
        ErPlanView(c.plan).levels[i] = 0u;
        ErPlanView(c.plan).sizes[i] = 0u;
    }
}
