// What the kernels of copies and queries share (bvh/copy.go): descriptions of
// copies, the plan that copy/plan.comp makes of each, and the blob's format.
//
// Sizes are in units of 16 bytes, so that 32 bits are enough. A task is a
// workgroup's ER_LANES pieces of 64 bytes; piece k is also node slot k,
// the place to look at leaf records 2k and 2k + 1 (of indexed triangles, 8k to
// 8k + 7), and at chunk k, and its number in the scan.
#ifndef ER_BVH_COPY_GLSL
#define ER_BVH_COPY_GLSL
#include "bvh/common/build.glsl"

// VkCopyAccelerationStructureModeKHR, and the queries.
const uint ER_COPY_CLONE = 0u;
const uint ER_COPY_COMPACT = 1u;
const uint ER_COPY_SERIALIZE = 2u;
const uint ER_COPY_DESERIALIZE = 3u;
const uint ER_COPY_QUERY_COMPACTED = 4u;
const uint ER_COPY_QUERY_CURRENT = 5u;
const uint ER_COPY_QUERY_SERIALIZED = 6u;
const uint ER_COPY_QUERY_POINTERS = 7u;

// One copy, ER_COPY_SIZE bytes; written by copybatch.go.
const uint ER_COPY_SIZE = 128u;
struct ErCopy {
    uvec2 src;     // structure or blob
    uvec2 dst;     // structure, blob, or 8 bytes of a query
    uvec2 plan;    // ErPlan
    uvec2 parents; // uint per node slot: the slot that refers to it
    uvec2 marks;   // bit per leaf record, deserialise only
    uvec2 status;  // uint, zero: nobody wants it
    uint mode;
    uint srcUnits; // that may be read
    uint dstUnits; // that may be written
    uint nodeLimit; // node slots that parents and numbers have room for
    uint markWords;
    uint firstNumber; // the copy's part of the scan, nodeLimit + 1 entries
    uint pieces;      // of 64 bytes, over all tasks
    uint flags;       // ER_COPY_READY
    uvec4 driver;     // UUIDs of a blob's header
    uvec4 compat;
    uvec4 structureCompat; // ER_HEADER_COMPAT
};
const uint ER_COPY_READY = 1u; // bottom levels exist: take their roots from them

// What a copy comes to, ER_PLAN_SIZE bytes.
const uint ER_PLAN_SIZE = 384u;
struct ErPlan {
    uint status; // ER_STATUS_*
    uint checksum0, checksum1;
    uint used;   // node slots that the tree reaches
    uint type;
    uint geometries;
    uint primitives;
    uint live;   // leaf records of the tree
    uint root;
    uint height;
    uint slots;     // node slots of the source
    uint nodes;     // of them, slots that may be in use
    uint leafKind;
    uint leafUnits; // per record
    uint records;   // that the source has room for
    uint total;     // units of the source
    uint body;      // units before the structure, in a blob
    uint handles;
    uint depth;     // that a blob's nodes, or those of a compacted copy, were found to have
    uint flags;     // VkBuildAccelerationStructureFlagsKHR
    uint lists;     // words of the vertices and geometries of all chunks of a compacted copy of indexed triangles
    uint shortLists; // of the geometries, with short triangles
    uint loose;      // 1: a compaction makes short triangles in the tree's order
    uint beyond;     // not 0: lists are more words than 32 bits count
};

// bvh.CopyStatus.
const uint ER_STATUS_OK = 0u;
const uint ER_STATUS_NOT_A_STRUCTURE = 1u;
const uint ER_STATUS_NO_ROOM = 2u;
const uint ER_STATUS_INCOMPATIBLE = 3u;
const uint ER_STATUS_TRUNCATED = 4u;
const uint ER_STATUS_BAD_HEADER = 5u;
const uint ER_STATUS_BAD_NODE = 6u;
const uint ER_STATUS_BAD_LEAF = 7u;
const uint ER_STATUS_BAD_CHECKSUM = 8u;
const uint ER_STATUS_BAD_HANDLE = 9u;

// A blob: the specification's header (56 bytes), handles, zeros up to a
// multiple of 64 bytes, ER_BLOB_SIZE bytes of our own, the structure.
const uint ER_BLOB_HANDLES = 56u;
const uint ER_BLOB_SIZE = 64u; // magic, version, checksum (2), zeros
const uint ER_BLOB_MAGIC = 0x42415245u; // "ERAB"
const uint ER_BLOB_VERSION = 1u;

// Most inner nodes on a path of a bottom and of a top level: traversal's stack has no room for more.
const uint ER_HEIGHT_BOTTOM = 40u;
const uint ER_HEIGHT_TOP = 24u;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErCopyView { ErCopy copy[]; };
// A node is in no leaf of less records than its level, and in no leaf at all without one.
const uint ER_COMPACT_MOST = 32u; // ER_REF_COUNT_MASK + 1
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ErPlanView {
    ErPlan plan;
    uint levels[ER_COMPACT_MOST + 1u]; // nodes of each level; first those without
    uint sizes[ER_COMPACT_MOST + 1u];  // nodes above so many records; first those above more
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer ErUnits { uvec4 v[]; };

uvec2 erBytes(uint units) { return uvec2(units << 4, units >> 28); }

uvec2 erUnit(uvec2 base, uint units) {
    uvec2 bytes = erBytes(units);
    uint carry;
    uint low = uaddCarry(base.x, bytes.x, carry);
    return uvec2(low, base.y + bytes.y + carry);
}

// ER_UNIT is one of units: arrays of them may be larger than what drivers find by an index.
#define ER_UNIT(units, k) ErUnits(erUnit(uvec2(units), k)).v[0]

// erBodyUnits is where the structure begins in a blob of so many handles.
uint erBodyUnits(uint handles) { return ((ER_BLOB_HANDLES + 8u * handles + 63u) >> 6) * 4u + ER_BLOB_SIZE / 16u; }

// erLeafUnits is a record's size. Those of indexed triangles are no units.
uint erLeafUnits(uint kind) {
    return (kind == ER_LEAF_INSTANCES ? ER_INSTANCE_SIZE : kind == ER_LEAF_BOXES ? ER_BOX_SIZE : ER_TRIANGLE_SIZE) / 16u;
}

bool erIsIndexed(uint kind) { return kind == ER_LEAF_INDEXED || kind == ER_LEAF_INDEXED_WIDE; }

// erIsCompacted tells the kinds that only compacted copies have.
bool erIsCompacted(uint kind) { return kind >= ER_LEAF_INDEXED && kind <= ER_LEAF_SHORT_WIDE; }

// erIsListed tells those whose chunks have lists.
bool erIsListed(uint kind) { return erIsIndexed(kind) || kind == ER_LEAF_SHORT_WIDE; }

// erChunkAt is where a chunk of such begins, in words.
uint erChunkAt(uint kind, uint chunk) { return erIsIndexed(kind) ? erChunkWord(chunk) : erShortChunkWord(chunk); }

// erIsSourced tells whether the records know which corners will move together.
bool erIsSourced(ErPlan p) { return p.leafKind == ER_LEAF_TRIANGLES && (p.flags & ER_SOURCED_FLAGS) == ER_SOURCED_FLAGS; }

// erMostLive is the most leaf records that a structure of so many primitives has: splits add some.
uint erMostLive(ErPlan p) {
    return p.primitives + (p.leafKind == ER_LEAF_TRIANGLES || erIsCompacted(p.leafKind) ? erSplitSlots(p.primitives) : 0u);
}

uint erHandles(ErPlan p) { return p.type == ER_AS_TYPE_TOP ? p.primitives : 0u; }

// erStructure is where the source's structure lies.
uvec2 erStructure(ErCopy c, ErPlan p) { return c.mode == ER_COPY_DESERIALIZE ? erUnit(c.src, p.body) : c.src; }

// Units of the parts of a structure of so many node slots.
const uint ER_NODE_UNITS = ER_NODE_SIZE / 16u;
const uint ER_HEADER_UNITS = ER_HEADER_SIZE / 16u;
uint erLeafStart(uint slots) { return ER_HEADER_UNITS + slots * ER_NODE_UNITS; }

// erLeafRegion is what the source has behind its nodes, in units.
uint erLeafRegion(ErPlan p) { return p.total - erLeafStart(p.slots); }

// Compaction. Triangles become indexed or short ones, whichever is smaller, unless
// that gains nothing. Subtrees of up to ER_COMPACT_LEAF triangles become leaves,
// whose records must follow each other, as they do in all structures but forged
// ones and those of bundles; where that leaves more than ER_COMPACT_BYTES for a
// triangle, so do larger ones, as few as it takes, up to ER_COMPACT_MOST triangles. If
// even these are too many, triangles become short ones in the tree's order.
const uint ER_COMPACT_LEAF = 4u;
const uint ER_COMPACT_BYTES = 359u; // eighths, without the header

// erCompactMost is the most triangles of a leaf that a reference tells.
uint erCompactMost(ErPlan p) { return p.live > ER_REF_RECORDS ? ER_LARGE_LEAF : ER_COMPACT_MOST; }

bool erCollapses(ErPlan p) { return p.leafKind == ER_LEAF_TRIANGLES || erIsCompacted(p.leafKind); }

// erWholeLeaf finds the reference of the leaf that a node becomes.
bool erWholeLeaf(uvec2 structure, ErPlan p, uint slot, out uint ref) {
    ErUnits s = ErUnits(structure);
    uint stack[ER_COMPACT_MOST];
    stack[0] = slot;
    uint depth = 1u, first = ER_REF_NONE, end = 0u, count = 0u, shift = erRefShift(p.live);
    for (uint steps = 0u; depth > 0u && steps < ER_COMPACT_MOST; steps++) {
        uvec4 w = ER_UNIT(s, ER_HEADER_UNITS + stack[--depth] * ER_NODE_UNITS + 3u);
        if (w.z + w.w > erCompactMost(p)) {
            return false;
        }
        for (uint k = 0u; k < 2u; k++) {
            uint child = w[k];
            if ((child & ER_REF_LEAF) != 0u) {
                uint n = erRefCount(child, shift);
                first = min(first, erRefFirst(child, shift));
                end = max(end, erRefFirst(child, shift) + n);
                count += n;
            } else if (child >= p.slots || depth == ER_COMPACT_MOST) {
                return false;
            } else {
                stack[depth++] = child;
            }
        }
    }
    ref = erRefOf(first, count, shift);
    return depth == 0u && count <= erCompactMost(p) && end - first == count;
}

uint erIndexedKind(ErPlan p) { return p.geometries > ER_INDEXED_GEOMETRIES ? ER_LEAF_INDEXED_WIDE : ER_LEAF_INDEXED; }
uint erShortKind(ErPlan p) {
    if (p.geometries <= ER_SHORT_GEOMETRIES) {
        return ER_LEAF_SHORT;
    }
    return p.geometries <= ER_SHORT_MANY && p.primitives <= 1u << ER_SHORT_MANY_SHIFT ? ER_LEAF_SHORT_MANY : ER_LEAF_SHORT_WIDE;
}
uint erChunks(ErPlan p) { return (p.live + ER_CHUNK_RECORDS - 1u) / ER_CHUNK_RECORDS; }

// erChunkWords are the words of records and chunks, which the lists follow.
uint erChunkWords(ErPlan p, uint kind) {
    return (erIsListed(kind) ? erChunks(p) * ER_CHUNK_WORDS : 0u) + p.live * (erIsIndexed(kind) ? ER_INDEXED_WORDS
        : ER_SHORT_WORDS);
}

// erFits tells whether 32 bits count the words of a form, with lists of as many as its chunks may have: of short ones no triangle's
// vertices are in a list.
bool erFits(ErPlan p, uint kind) {
    const uint MOST = 0x3fffffffu; // units, see countRecords of plan.comp
    uint each = erIsIndexed(kind) ? ER_INDEXED_WORDS : ER_SHORT_WORDS;
    if (p.beyond != 0u || p.live > MOST / (each + 1u) * 4u) {
        return false;
    }
    uint lists = erIsIndexed(kind) ? p.lists : p.shortLists;
    return erChunkWords(p, kind) / 4u + lists / 4u < MOST - 2u;
}

// erUnitsOf is the size of triangles in a form that a compaction may give them, when the lists are known.
uint erUnitsOf(ErPlan p, uint kind) {
    return (erChunkWords(p, kind) + (erIsIndexed(kind) ? p.lists : p.shortLists) + 3u) / 4u;
}

// erCompactKind is what leaf records become.
uint erCompactKind(ErPlan p) {
    if (p.leafKind != ER_LEAF_TRIANGLES) {
        return p.leafKind;
    }
    if (p.loose != 0u) {
        return erShortKind(p);
    }
    uint kind = p.leafKind;
    uint units = p.live * p.leafUnits;
    if (erFits(p, erIndexedKind(p)) && erUnitsOf(p, erIndexedKind(p)) < units) {
        kind = erIndexedKind(p);
        units = erUnitsOf(p, kind);
    }
    bool numbered = erShortKind(p) != ER_LEAF_SHORT_WIDE || p.primitives <= 1u << ER_SHORT_WIDE_SHIFT;
    bool less = erUnitsOf(p, erShortKind(p)) < p.live * p.leafUnits && erUnitsOf(p, erShortKind(p)) <= units;
    return numbered && less && erFits(p, erShortKind(p)) ? erShortKind(p) : kind;
}

// erChunkSound checks a chunk's numbers, and that its lists end before a word.
bool erChunkSound(ErPlan p, uvec2 head, uint words) {
    uint geometries = p.leafKind == ER_LEAF_INDEXED ? 0u : ER_INDEXED_GEOMETRIES;
    return (head.y & ER_CHUNK_VERTEX_MASK) <= (erIsIndexed(p.leafKind) ? ER_CHUNK_VERTICES : 0u) &&
        (head.y >> ER_CHUNK_GEOMETRY_SHIFT) <= geometries && head.x <= words &&
        erChunkList(head) + (head.y >> ER_CHUNK_GEOMETRY_SHIFT) <= words;
}

// erCompactLeaves is the size of a compacted copy's leaf records.
uint erCompactLeaves(ErPlan p) {
    uint kind = erCompactKind(p);
    return erIsCompacted(p.leafKind) ? erLeafRegion(p) : kind != p.leafKind ? erUnitsOf(p, kind) : p.live * p.leafUnits;
}

// erCompactUnits is the size of a compacted copy.
uint erCompactUnits(ErPlan p) { return erLeafStart(p.used) + erCompactLeaves(p); }

// erBudget is what a compacted copy may take without its header, if that can be.
uint erBudget(uint n) {
    const uint PER_UNIT = 8u * 16u, REST = ER_COMPACT_BYTES % PER_UNIT;
    return n * (ER_COMPACT_BYTES / PER_UNIT) + n / PER_UNIT * REST + n % PER_UNIT * REST / PER_UNIT;
}

// erLeafLimit finds the most triangles of a leaf, and p.loose, when all nodes are counted.
uint erLeafLimit(uvec2 plan, inout ErPlan p) {
    p.loose = 0u;
    uint kept = ErPlanView(plan).levels[0], large = ErPlanView(plan).sizes[0];
    for (uint k = ER_COMPACT_LEAF + 1u; k <= ER_COMPACT_MOST; k++) {
        kept += ErPlanView(plan).levels[k];
        large += ErPlanView(plan).sizes[k];
    }
    uint limit = ER_COMPACT_LEAF;
    uint leaves = erCompactLeaves(p), most = erBudget(p.primitives);
    while (limit < erCompactMost(p) && kept * ER_NODE_UNITS + leaves > most) {
        limit++;
        kept -= ErPlanView(plan).levels[limit];
    }
    uint strict = kept * ER_NODE_UNITS + leaves;
    if (strict <= most || p.leafKind != ER_LEAF_TRIANGLES || erIsListed(erShortKind(p)) || p.live > ER_REF_RECORDS) {
        return limit;
    }
    leaves = erUnitsOf(p, erShortKind(p));
    uint looseLimit = ER_COMPACT_LEAF;
    while (looseLimit < ER_COMPACT_MOST && large * ER_NODE_UNITS + leaves > most) {
        looseLimit++;
        large -= ErPlanView(plan).sizes[looseLimit];
    }
    p.loose = large * ER_NODE_UNITS + leaves < strict ? 1u : 0u;
    return p.loose != 0u ? looseLimit : limit;
}

// erPlaceBelow is the number of leaf records before those of a node, in the tree's order.
uint erPlaceBelow(ErCopy c, ErPlan p, uint slot) {
    uint at = 0u;
    for (uint steps = 0u; slot != p.root && steps < p.height; steps++) {
        uint parent = ErUintView(c.parents).v[slot];
        if (parent >= p.slots) {
            break;
        }
        uvec4 w = ER_UNIT(c.src, ER_HEADER_UNITS + parent * ER_NODE_UNITS + 3u);
        at += w.y == slot ? w.z : 0u;
        slot = parent;
    }
    return at;
}

// erRecordAt is the leaf record at a place in the tree's order.
uint erRecordAt(ErCopy c, ErPlan p, uint place) {
    uint ref = p.root;
    for (uint steps = 0u; (ref & ER_REF_LEAF) == 0u && ref < p.slots && steps < p.height; steps++) {
        uvec4 w = ER_UNIT(c.src, ER_HEADER_UNITS + ref * ER_NODE_UNITS + 3u);
        ref = place < w.z ? w.x : w.y;
        place -= place < w.z ? 0u : w.z;
    }
    return (ref & ER_REF_LEAF) == 0u ? 0u : min(erRefFirst(ref, erRefShift(p.live)) + place, p.live - 1u);
}

// The scan has, for every copy, nodeLimit + 1 entries for nodes, then, of a
// compaction, one for each possible chunk, and one more.
uint erChunkLimit(ErCopy c) { return ((c.srcUnits - ER_HEADER_UNITS) / 3u + ER_CHUNK_RECORDS - 1u) / ER_CHUNK_RECORDS; }
uint erFirstChunk(ErCopy c) { return c.firstNumber + c.nodeLimit + 1u; }

// Chunks of a task of copy/share.comp.
const uint ER_COPY_CHUNKS = 16u;

// erFail notes why a copy cannot be; of several reasons the highest stays.
void erFail(uvec2 plan, uint status) { atomicMax(ErPlanView(plan).plan.status, status); }

// erHash is one word's part in a checksum. Parts are added up, in any order.
uvec2 erHash(uint word, uint index) {
    uint x = word ^ (index * 0x9e3779b1u + 0x85ebca77u);
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    x ^= x >> 16;
    uint y = (x ^ word) * 0xc2b2ae35u;
    return uvec2(x, y ^ (y >> 15));
}

uvec2 erHashUnit(uvec4 unit, uint index) {
    return erHash(unit.x, 4u * index) + erHash(unit.y, 4u * index + 1u) + erHash(unit.z, 4u * index + 2u) +
           erHash(unit.w, 4u * index + 3u);
}

#endif
