// Memory layout of acceleration structures built by compute.
//
// This file is the one definition: bvh/layout_test.go parses the ER_* constants
// below and compares them with the Go constants of bvh/internal/layout. Offsets and
// sizes are bytes unless the name says otherwise.
//
//   header (256 B) | nodes (64 B each) | leaves (48 B triangles, 32 B boxes or 128 B instances)
//
// Nodes of a structure that may be updated (VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR) are in postorder from
// the first slot on, without gaps: all below a node come right before it, those below its first child first. So a
// second child that is a node is the one before, and the root of M nodes is M - 1. Slots behind it are blank:
// children ER_REF_NONE over no primitives. Nodes of other structures are in any order, with such slots between them.
//
// Structures for CPUs may have wide nodes behind that, see wide_layout.glsl.
// Compacted copies have indexed or short triangles, see ER_LEAF_INDEXED and ER_LEAF_SHORT.
//
// The address of a structure is the address of its header.
#ifndef ER_BVH_LAYOUT_GLSL
#define ER_BVH_LAYOUT_GLSL

const uint ER_AS_MAGIC = 0x53415245u; // "ERAS"
const uint ER_AS_VERSION = 5u;

const uint ER_AS_TYPE_TOP = 0u;    // VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR
const uint ER_AS_TYPE_BOTTOM = 1u; // VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR

// Header.
const uint ER_HEADER_SIZE = 256u;
const uint ER_HEADER_SELF = 0u;            // uvec2, the structure's own address
const uint ER_HEADER_MAGIC = 8u;
const uint ER_HEADER_VERSION = 12u;
const uint ER_HEADER_COMPAT = 16u;         // uvec4, compatibility UUID
const uint ER_HEADER_TYPE = 32u;
const uint ER_HEADER_FLAGS = 36u;          // VkBuildAccelerationStructureFlagsKHR
const uint ER_HEADER_GEOMETRY_COUNT = 40u;
const uint ER_HEADER_PRIMITIVE_COUNT = 44u; // inputs, inactive ones included
const uint ER_HEADER_ACTIVE_COUNT = 48u;   // leaves of the tree
const uint ER_HEADER_ROOT = 52u;           // child reference of the root
const uint ER_HEADER_HEIGHT = 56u;         // inner nodes on the longest path = stack entries needed
const uint ER_HEADER_LEAF_BLOCK = 60u;     // leaves begin at this offset / 64
const uint ER_HEADER_BOUNDS_MIN = 64u;     // vec3, padded like the nodes
const uint ER_HEADER_NODE_COUNT = 76u;     // capacity of the node array
const uint ER_HEADER_BOUNDS_MAX = 80u;     // vec3
const uint ER_HEADER_LEAF_KIND = 92u;      // ER_LEAF_...
const uint ER_HEADER_TOTAL_SIZE = 96u;     // uvec2, bytes in use

// What leaf records are, in ER_HEADER_LEAF_KIND.
const uint ER_LEAF_TRIANGLES = 0u;
const uint ER_LEAF_BOXES = 1u;
const uint ER_LEAF_INSTANCES = 2u;
const uint ER_LEAF_INDEXED = 3u;      // triangles in chunks that share vertices
const uint ER_LEAF_INDEXED_WIDE = 4u; // the same, for many geometries
const uint ER_LEAF_SHORT = 5u;        // triangles of less words than ER_LEAF_TRIANGLES
const uint ER_LEAF_SHORT_MANY = 6u;   // the same, for more geometries
const uint ER_LEAF_SHORT_WIDE = 7u;   // the same, for any number

// Inner node: both children's boxes (Aila and Laine 2009) and their references.
const uint ER_NODE_SIZE = 64u;
const uint ER_NODE_XY0 = 0u;     // vec4: child 0 min.x, max.x, min.y, max.y
const uint ER_NODE_XY1 = 16u;    // vec4: child 1, the same
const uint ER_NODE_Z = 32u;      // vec4: child 0 min.z, max.z, child 1 min.z, max.z
const uint ER_NODE_CHILD0 = 48u;
const uint ER_NODE_CHILD1 = 52u;
const uint ER_NODE_LEAVES0 = 56u; // primitives below child 0
const uint ER_NODE_LEAVES1 = 60u;

// Child references: an inner node's index, or a leaf: the index of its first
// record and their number less one. Builds have leaves of up to ER_BUILT_LEAF. Bottom levels
// of more than ER_REF_RECORDS leaf records are large: they have the number at ER_REF_LARGE_SHIFT, and leaves
// of up to ER_LARGE_LEAF records.
const uint ER_REF_LEAF = 0x80000000u;
const uint ER_REF_COUNT_SHIFT = 26u;
const uint ER_REF_COUNT_MASK = 0x1fu;
const uint ER_REF_INDEX_MASK = 0x03ffffffu;
const uint ER_REF_LARGE_SHIFT = 29u;
const uint ER_REF_RECORDS = 0x04000000u;
const uint ER_REF_NONE = 0xffffffffu;
const uint ER_BUILT_LEAF = 8u;
const uint ER_LARGE_LEAF = 4u;
const uint ER_MAX_PRIMITIVES = 0x1fffffffu; // of a bottom level

// Triangle: three vertices after the geometry's transform, then two words.
const uint ER_TRIANGLE_SIZE = 48u;
const uint ER_TRIANGLE_V0 = 0u;
const uint ER_TRIANGLE_V1 = 12u;
const uint ER_TRIANGLE_V2 = 24u;
const uint ER_TRIANGLE_PRIMITIVE = 36u;
const uint ER_TRIANGLE_GEOMETRY = 40u;           // index | ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE
const uint ER_TRIANGLE_OPAQUE = 0x80000000u;
const uint ER_TRIANGLE_INACTIVE = 0x40000000u;   // by an update: all vertices are zero, nothing hits it
const uint ER_TRIANGLE_GEOMETRY_MASK = 0x00ffffffu;

// With both flags (VkBuildAccelerationStructureFlagBitsKHR) the third word has a
// byte for each corner: the first of the chunk's corners, three for each of the
// ER_CHUNK_RECORDS triangles around it, that has the same index in the same
// geometry. So a compaction knows which corners will move together.
const uint ER_TRIANGLE_CORNERS = 44u;
const uint ER_SOURCED_FLAGS = 3u; // ALLOW_UPDATE and ALLOW_COMPACTION

// Indexed triangles. A chunk is two words (where its vertices begin, in words
// from the first chunk; their number) and ER_CHUNK_RECORDS records, the last
// one fewer. Vertices, 12 B each, follow all chunks, in the chunks' order. A
// record is the corners' numbers in the chunk, a byte each, with the geometry
// and the flags of ER_TRIANGLE_GEOMETRY, then the primitive. In the wide form the
// geometry is a number in the chunk's list of geometries, a word each, which
// follows its vertices, and whose length is in the chunk's second word, too.
const uint ER_CHUNK_RECORDS = 64u;
const uint ER_CHUNK_WORDS = 2u;
const uint ER_CHUNK_VERTICES = 192u; // at most
const uint ER_CHUNK_VERTEX_MASK = 0xffffu;
const uint ER_CHUNK_GEOMETRY_SHIFT = 16u;
const uint ER_INDEXED_WORDS = 2u;
const uint ER_INDEXED_GEOMETRIES = 64u; // that a record can tell apart
const uint ER_INDEXED_GEOMETRY_SHIFT = 24u;

// Short triangles, for those that share few vertices. A record is three vertices
// and a word: the primitive, the geometry from ER_SHORT_SHIFT or ER_SHORT_MANY_SHIFT
// on, and the flags of ER_TRIANGLE_GEOMETRY. In the wide form the geometry is a number
// in the list of a chunk, and begins at ER_SHORT_WIDE_SHIFT. Chunks and lists are those
// of indexed triangles then, without vertices.
const uint ER_SHORT_WORDS = 10u;
const uint ER_SHORT_WORD = 9u; // of a record
const uint ER_SHORT_GEOMETRIES = 16u; // that a record can tell apart
const uint ER_SHORT_MANY = 1024u;     // the same
const uint ER_SHORT_SHIFT = 26u;
const uint ER_SHORT_MANY_SHIFT = 20u;
const uint ER_SHORT_WIDE_SHIFT = 24u;

// Box of a procedural primitive, not padded.
const uint ER_BOX_SIZE = 32u;
const uint ER_BOX_MIN = 0u;        // vec3
const uint ER_BOX_PRIMITIVE = 12u;
const uint ER_BOX_MAX = 16u;       // vec3
const uint ER_BOX_GEOMETRY = 28u;  // as ER_TRIANGLE_GEOMETRY

// Instance.
const uint ER_INSTANCE_SIZE = 128u;
const uint ER_INSTANCE_OBJECT_TO_WORLD = 0u;   // 3 rows of vec4
const uint ER_INSTANCE_WORLD_TO_OBJECT = 48u;  // 3 rows of vec4
const uint ER_INSTANCE_BLAS = 96u;             // uvec2
const uint ER_INSTANCE_CUSTOM_INDEX_MASK = 104u;   // 24 bits, 8 bits (KHR)
const uint ER_INSTANCE_TABLE_OFFSET_FLAGS = 108u;  // 24 bits, 8 bits (KHR)
const uint ER_INSTANCE_INDEX = 112u;           // position in the input
const uint ER_INSTANCE_ROOT = 116u;            // the three below: copies from the BLAS header
const uint ER_INSTANCE_HEIGHT = 120u;          // | the bits below, of what the leaves are
const uint ER_INSTANCE_LEAF_BLOCK = 124u;
const uint ER_INSTANCE_BOXES = 0x80000000u;
const uint ER_INSTANCE_INDEXED = 0x40000000u;
const uint ER_INSTANCE_WIDE = 0x20000000u;     // beside ER_INSTANCE_INDEXED
const uint ER_INSTANCE_SHORT = 0x10000000u;    // beside ER_INSTANCE_INDEXED
const uint ER_INSTANCE_MANY = 0x08000000u;     // beside ER_INSTANCE_SHORT
const uint ER_INSTANCE_LARGE = 0x02000000u;    // references of the bottom level are those of a large one
const uint ER_INSTANCE_HEIGHT_MASK = 0x05ffffffu; // the bit in between is that of cluster_layout.glsl

// VkGeometryInstanceFlagBitsKHR.
const uint ER_INSTANCE_CULL_DISABLE = 1u;
const uint ER_INSTANCE_FLIP_FACING = 2u;
const uint ER_INSTANCE_FORCE_OPAQUE = 4u;
const uint ER_INSTANCE_FORCE_NO_OPAQUE = 8u;

#endif
