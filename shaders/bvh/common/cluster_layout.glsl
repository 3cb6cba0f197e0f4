// Memory layout of clusters, templates and bottom levels over clusters, and of what the device reads to make them
// (VK_NV_cluster_acceleration_structure). bvh/cluster/layout.go mirrors the constants, and a test compares.
//
//   cluster:   header (64 B) | nodes (64 B each) | triangles | geometry words, if they differ | vertices (12 B each)
//   direct:    header (64 B) | nodes (64 B each) | triangles (64 B each)
//   template:  header (64 B) | shape (4 B for each node), of a direct one | triangles | geometry words, if they differ |
//              vertices, if it has any
//   bottom level over clusters: header (256 B) | nodes (64 B) | cluster records (16 B), whose header is that of layout.glsl
//
// All links in a cluster are relative, so that a move is a copy. Nodes are those of layout.glsl. The shape of a cluster's tree
// follows from its number of triangles alone: leaves of ER_CLUSTER_LEAF triangles in the tree's order (the last one may have
// fewer), split in the middle again and again; node number n is the one that splits before leaf n + 1. So a template needs no
// nodes, and the size of a cluster follows from counts.
//
// Direct clusters are those for fast rays (PREFER_FAST_TRACE): what a ray needs in one is what it needs in a plain structure. Their
// trees are by the surface area heuristic, with leaves of one or two triangles, which are records of layout.glsl with the cluster's
// id behind. There is room for two triangles at least, and for a node less. A reference is what is to be added to the one to the
// node that it is in: so a ray that goes into a cluster, or comes back, changes nothing but where it is. These sums are
// ER_REF_DIRECT and a place, in units of 64 bytes from where the bottom level's nodes are, or ER_REF_LEAF, a place and the number
// of triangles less one at ER_REF_DIRECT_SHIFT. A template has a word for each node: its children, 16 bits each, which are node
// numbers or ER_SHAPE_LEAF and the triangle's.
//
// Nodes of a bottom level refer to the roots of direct clusters, which are their first nodes, by such a sum, if they are within
// reach. All other clusters have records: ER_REF_RECORDS_OF, the number of records less one, and the first. A record is the
// cluster's root and form, and its address.
//
// This file belongs to layout.glsl, apart from it so that what does not know clusters does not depend on it.
#ifndef ER_BVH_CLUSTER_LAYOUT_GLSL
#define ER_BVH_CLUSTER_LAYOUT_GLSL

const uint ER_LEAF_CLUSTERS = 8u; // beside ER_LEAF_TRIANGLES and so on, in ER_HEADER_LEAF_KIND

// In ER_HEADER_HEIGHT of a bottom level over clusters, and so in ER_INSTANCE_HEIGHT: traversal that does not know clusters takes it
// for a height beyond its stack, and reports a fault in place of reading what it cannot.
const uint ER_INSTANCE_CLUSTERS = 0x04000000u;
// How deep a bottom level over clusters may be, and what clusters below add to the stack with the entry that leads back.
const uint ER_CLUSTERS_HEIGHT = 29u;
const uint ER_CLUSTER_HEIGHT = 12u;
const uint ER_CLUSTER_DEPTH = 10u; // inner nodes on a path of a cluster, at most

const uint ER_CLUSTER_MOST = 256u;      // triangles, and vertices
const uint ER_CLUSTER_LEAF = 4u;        // triangles of a leaf, but of direct clusters
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
const uint ER_CLUSTER_IS_FAST = 0x20000000u;      // PREFER_FAST_TRACE: a direct one

const uint ER_SHAPE_LEAF = 0x8000u;
const uint ER_SHAPE_TWO = 0x4000u; // triangles

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
const uint ER_FORM_FAST = 0x00200000u;    // a direct cluster
const uint ER_FORM_MASK = 0x003fff80u;

// A record of a bottom level over clusters.
const uint ER_RECORD_SIZE = 16u;
const uint ER_RECORD_ROOT = 0u;
const uint ER_RECORD_FORM = 4u;
const uint ER_RECORD_ADDRESS = 8u; // uvec2

// References in bottom levels over clusters and in direct clusters. Places are signed, of 30 bits, those of less than
// -ER_REF_DIRECT_BACK are none's.
const uint ER_REF_DIRECT = 0x40000000u;
const uint ER_REF_DIRECT_SHIFT = 30u;
const uint ER_REF_DIRECT_MASK = 0x3fffffffu;
const uint ER_REF_DIRECT_BACK = 0x10000000u;
const uint ER_DIRECT_SIZE = 64u; // of a triangle
const uint ER_REF_RECORDS_OF = 0xa0000000u;
const uint ER_REF_RECORDS_MASK = 0xf0000000u;
const uint ER_REF_RECORDS_SHIFT = 23u; // of the number of records less one

// A hit's leaf is the place of a direct cluster's triangle, or the numbers of record and triangle in the cluster.
const uint ER_HIT_BY_RECORD = 0x80000000u;
const uint ER_RECORD_SHIFT = 8u;
const uint ER_CLUSTERS_MOST = 0x00800000u; // of one bottom level

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
