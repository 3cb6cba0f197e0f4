// What the kernels of copies and queries share (bvh/copy.go): descriptions of
// copies, the plan that copy_plan.comp makes of each, and the blob's format.
//
// Sizes are in units of 16 bytes, so that 32 bits are enough. A task is a
// workgroup's ER_COPY_BLOCK pieces of 64 bytes; piece k is also node slot k,
// and the place to look at leaf records 2k and 2k + 1.
#ifndef ER_BVH_COPY_GLSL
#define ER_BVH_COPY_GLSL
#include "bvh/build.glsl"

const uint ER_COPY_BLOCK = 256u;

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
const uint ER_PLAN_SIZE = 128u;
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
    uint depth;     // that a blob's nodes were found to have
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

// Most records of a leaf: a node above more is no part of one.
const uint ER_LEAF_RECORDS = ER_REF_COUNT_MASK + 1u;
const uint ER_MAX_PRIMITIVES = ER_REF_INDEX_MASK - 1u;
// Depths up to here are checked; traversal refuses structures above.
const uint ER_CHECKED_HEIGHT = 64u;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErCopyView { ErCopy copy[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ErPlanView { ErPlan plan; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer ErUnits { uvec4 v[]; };

uvec2 erBytes(uint units) { return uvec2(units << 4, units >> 28); }

uvec2 erUnit(uvec2 base, uint units) {
    uvec2 bytes = erBytes(units);
    uint carry;
    uint low = uaddCarry(base.x, bytes.x, carry);
    return uvec2(low, base.y + bytes.y + carry);
}

// erBodyUnits is where the structure begins in a blob of so many handles.
uint erBodyUnits(uint handles) { return ((ER_BLOB_HANDLES + 8u * handles + 63u) >> 6) * 4u + ER_BLOB_SIZE / 16u; }

uint erLeafUnits(uint kind) {
    return (kind == ER_LEAF_INSTANCES ? ER_INSTANCE_SIZE : kind == ER_LEAF_BOXES ? ER_BOX_SIZE : ER_TRIANGLE_SIZE) / 16u;
}

uint erHandles(ErPlan p) { return p.type == ER_AS_TYPE_TOP ? p.primitives : 0u; }

// erStructure is where the source's structure lies.
uvec2 erStructure(ErCopy c, ErPlan p) { return c.mode == ER_COPY_DESERIALIZE ? erUnit(c.src, p.body) : c.src; }

// Units of the parts of a structure of so many node slots.
const uint ER_NODE_UNITS = ER_NODE_SIZE / 16u;
const uint ER_HEADER_UNITS = ER_HEADER_SIZE / 16u;
uint erLeafStart(uint slots) { return ER_HEADER_UNITS + slots * ER_NODE_UNITS; }

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
