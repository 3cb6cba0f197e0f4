// Memory layout of clusters, templates and bottom levels over clusters, and of what the device reads to make them
// (VK_NV_cluster_acceleration_structure). bvh/cluster/layout.go mirrors the constants, and a test compares.
//
//   cluster:   header (64 B) | nodes (64 B each) | triangles | geometry words, if they differ | vertices (12 B each)
//   template:  header (64 B) | triangles | geometry words, if they differ | vertices, if it has any
//   bottom level over clusters: header (256 B) | nodes (64 B) | cluster records (64 B), whose header is that of layout.glsl
//
// A record is a copy of the cluster's root, so that a ray enters as if it visited a node: the cluster's address stands where nodes
// count primitives, and its form in the first child's reference. A root that is a leaf is the first child alone. Nodes of the
// bottom level refer to one cluster by ER_REF_CLUSTER, to several, which only trees that had to be made less deep have, as to
// leaves.
//
// All links in a cluster are relative, so that a move is a copy. Nodes are those of layout.glsl. The shape of a cluster's tree
// follows from its number of triangles alone: leaves of ER_CLUSTER_LEAF triangles in the tree's order (the last one may have
// fewer), split in the middle again and again; node number n is the one that splits before leaf n + 1. So a template needs no
// nodes, and the size of a cluster follows from counts.
//
// This file belongs to layout.glsl, apart from it so that what does not know clusters does not depend on it.
#ifndef ER_BVH_CLUSTER_LAYOUT_GLSL
#define ER_BVH_CLUSTER_LAYOUT_GLSL

const uint ER_LEAF_CLUSTERS = 8u; // beside ER_LEAF_TRIANGLES and so on, in ER_HEADER_LEAF_KIND

// In ER_HEADER_HEIGHT of a bottom level over clusters, and so in ER_INSTANCE_HEIGHT: traversal that does not know clusters takes it
// for a height beyond its stack, and reports a fault in place of reading what it cannot.
const uint ER_INSTANCE_CLUSTERS = 0x04000000u;
// How deep a bottom level over clusters may be, and what clusters below add to the stack with the entry that leads back.
const uint ER_CLUSTERS_HEIGHT = 32u;
const uint ER_CLUSTER_HEIGHT = 8u;

const uint ER_CLUSTER_MOST = 256u;      // triangles, and vertices
const uint ER_CLUSTER_LEAF = 4u;        // triangles of a leaf, of clusters for fast rays ER_CLUSTER_FAST_LEAF
const uint ER_CLUSTER_FAST_LEAF = 2u;
const uint ER_CLUSTER_ALIGNMENT = 128u; // of clusters; sizes are multiples of it
const uint ER_TEMPLATE_ALIGNMENT = 32u; // of templates

const uint ER_CLUSTER_MAGIC = 0x4c435245u;  // "ERCL"
const uint ER_TEMPLATE_MAGIC = 0x54435245u; // "ERCT"
const uint ER_CLUSTER_HEADER_SIZE = 64u;
const uint ER_CLUSTER_HEADER_MAGIC = 0u;
const uint ER_CLUSTER_HEADER_ID = 4u;
const uint ER_CLUSTER_HEADER_COUNTS = 8u;      // triangles 9 bits, vertices 9, bits cut off 6, bytes of an index 3, flags
const uint ER_CLUSTER_HEADER_FLAGS = 12u;      // VkClusterAccelerationStructureClusterFlagsNV
const uint ER_CLUSTER_HEADER_BOUNDS_MIN = 16u; // vec3, padded like the nodes
const uint ER_CLUSTER_HEADER_GEOMETRY = 28u;   // word of all triangles, unless they have one each
const uint ER_CLUSTER_HEADER_BOUNDS_MAX = 32u; // vec3
const uint ER_CLUSTER_HEADER_BYTES = 44u;
const uint ER_CLUSTER_HEADER_ROOT = 48u;       // child reference
const uint ER_CLUSTER_HEADER_FORM = 52u;       // ER_FORM_...
const uint ER_CLUSTER_HEADER_FORMAT = 56u;     // of templates: what vertices are converted to (translate.comp); 0: nothing
const uint ER_CLUSTER_HEADER_QUANTA = 60u;     // of templates for ER_FORMAT_COMPRESSED1: as the draft packs it

const uint ER_CLUSTER_VERTEX_SHIFT = 9u;
const uint ER_CLUSTER_TRUNCATE_SHIFT = 18u;
const uint ER_CLUSTER_INDEX_SHIFT = 24u;
const uint ER_CLUSTER_HAS_VERTICES = 0x08000000u; // templates only: positions to instantiate by
const uint ER_CLUSTER_HAS_WORDS = 0x10000000u;    // a geometry word for each triangle
const uint ER_CLUSTER_IS_FAST = 0x20000000u;      // PREFER_FAST_TRACE

// A triangle: its vertices, a byte each, and its number in the input. A geometry word: index and flags.
const uint ER_GEOMETRY_INDEX_MASK = 0x00ffffffu;
const uint ER_GEOMETRY_CULL_DISABLE = 0x20000000u; // VkClusterAccelerationStructureGeometryFlagBitsNV from bit 29 on
const uint ER_GEOMETRY_NO_DUPLICATE = 0x40000000u;
const uint ER_GEOMETRY_OPAQUE = 0x80000000u;

// The form of a cluster, as traversal keeps it beside its own flags.
const uint ER_FORM_TRIANGLES_SHIFT = 7u; // 9 bits
const uint ER_FORM_TRIANGLES_MASK = 511u;
const uint ER_FORM_FLAGS_SHIFT = 16u;    // 3 bits: those of the geometry word, if it is one for all
const uint ER_FORM_WORDS = 0x00080000u;  // a word for each triangle
const uint ER_FORM_CLUSTER = 0x00100000u; // always, in a cluster
const uint ER_FORM_FAST = 0x00200000u;    // leaves of ER_CLUSTER_FAST_LEAF
const uint ER_FORM_MASK = 0x003fff80u;

// A record of a bottom level over clusters.
const uint ER_RECORD_SIZE = 64u;
const uint ER_RECORD_FORM = 48u;       // the first child's reference, ER_FORM_... from ER_RECORD_FORM_SHIFT on
const uint ER_RECORD_FORM_SHIFT = 8u;
const uint ER_RECORD_ADDRESS = 56u;    // uvec2

// A reference to one cluster's record: no leaf's, so that a ray enters it on its way down.
const uint ER_REF_CLUSTER = 0x40000000u;

// erClusterRef turns a leaf's reference to one cluster into ER_REF_CLUSTER; those of several stay.
uint erClusterRef(uint ref) {
    bool one = (ref & (ER_REF_LEAF | ER_REF_COUNT_MASK << ER_REF_COUNT_SHIFT)) == ER_REF_LEAF;
    return one ? ref ^ (ER_REF_LEAF | ER_REF_CLUSTER) : ref;
}

// A hit's leaf is the number of the record and of the triangle in the cluster.
const uint ER_RECORD_SHIFT = 8u;
const uint ER_CLUSTERS_MOST = 0x01000000u; // of one bottom level

const uint ER_NO_CLUSTER = 0xffffffffu; // the id of what is no cluster's

// What commands do (VkClusterAccelerationStructureOpTypeNV, ...OpModeNV, ...TypeNV, ...AddressResolutionFlagBitsNV).
const uint ER_OP_MOVE = 0u;
const uint ER_OP_BOTTOM_LEVEL = 1u;
const uint ER_OP_CLUSTER = 2u;
const uint ER_OP_TEMPLATE = 3u;
const uint ER_OP_INSTANTIATE = 4u;
const uint ER_OP_INDICES = 5u;
const uint ER_TO_IMPLICIT = 0u;
const uint ER_TO_EXPLICIT = 1u;
const uint ER_TO_SIZES = 2u;
const uint ER_RESOLVE_IMPLICIT = 1u;
const uint ER_RESOLVE_SCRATCH = 2u;
const uint ER_RESOLVE_ADDRESSES = 4u;
const uint ER_RESOLVE_SIZES = 8u;
const uint ER_RESOLVE_INFOS = 16u;
const uint ER_RESOLVE_COUNT = 32u;

#endif
