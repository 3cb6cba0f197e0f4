// Two-level traversal of the structures in layout.glsl.
//
// The includer provides, before or after this file:
//   uint erCandidate(in ErRay ray, in ErHit candidate);
//       decides on a triangle that is not opaque: ER_CANDIDATE_*.
//   uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate);
//       intersects what is in a box that the ray meets. candidate.t comes in as the distance of the closest hit so far;
//       unless the answer is ER_CANDIDATE_IGNORE, candidate.t and hitKind go out as those of the hit found.
//   bool erUsesTriangles(); bool erUsesBoxes();
//       constants; false leaves out the code and the geometry.
//   void erTraversalFault(uint kind, uint value);
//       told of anything that keeps traversal from seeing a part of the scene.
//
// One loop walks both levels (walk.glsl; while-while, Aila and Laine 2009): entering an
// instance pushes a restore marker and goes on with the bottom level's root in
// object space. Nothing here needs subgroup operations, shared memory or
// recursion, so it may run inside any state machine.
#ifndef ER_BVH_TRAVERSE_GLSL
#define ER_BVH_TRAVERSE_GLSL
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require

#include "bvh/common/layout.glsl"
#ifdef ER_CLUSTERS
#include "bvh/common/cluster_layout.glsl"
// For those that know clusters, the bit that tells them is no part of the height.
#define ER_INSTANCE_HEIGHT_MASK 0x01ffffffu
#endif

struct ErRay {
    vec3 origin;
    float tMin;
    vec3 direction;
    float tMax;
    uint flags; // SPIR-V ray flags
    uint cullMask;
    uint sbtOffset;
    uint sbtStride;
};

struct ErHit {
    float t;
    vec2 barycentrics;  // weights of the second and third vertex
    uint primitiveIndex;
    uint geometryIndex;
    uint instanceIndex; // ER_NO_INSTANCE: a miss
    uint instanceRecordOffset;
    uint instanceCustomIndex;
    uint hitKind;
    uvec2 instanceRecord; // address of the top level's record
    uint leaf;            // record of the bottom level
};

const uint ER_NO_INSTANCE = ~0u;
const uint ER_HIT_KIND_FRONT = 0xFEu;
const uint ER_HIT_KIND_BACK = 0xFFu;

const uint ER_CANDIDATE_ACCEPT = 0u;
const uint ER_CANDIDATE_IGNORE = 1u;
const uint ER_CANDIDATE_TERMINATE = 2u; // accept, and end the search

const uint ER_RAY_OPAQUE = 1u;
const uint ER_RAY_NO_OPAQUE = 2u;
const uint ER_RAY_TERMINATE_ON_FIRST_HIT = 4u;
const uint ER_RAY_CULL_BACK_FACING = 16u;
const uint ER_RAY_CULL_FRONT_FACING = 32u;
const uint ER_RAY_CULL_OPAQUE = 64u;
const uint ER_RAY_CULL_NO_OPAQUE = 128u;
const uint ER_RAY_SKIP_TRIANGLES = 256u;
const uint ER_RAY_SKIP_AABBS = 512u;

// Faults, with their values.
const uint ER_FAULT_TRAVERSAL_STACK = 1u; // value: entries that would be needed
const uint ER_FAULT_BAD_STRUCTURE = 2u;   // value: what stands in place of the magic number

// Entries of the traversal stack over both levels.
#ifndef ER_STACK_ENTRIES
#define ER_STACK_ENTRIES 66
#endif
#ifdef ER_SIMD
// The same where structures may have wide nodes, see wide.glsl.
#define ER_LOOP_ENTRIES 194
#endif

uint erCandidate(in ErRay ray, in ErHit candidate);
uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate);
bool erUsesTriangles();
bool erUsesBoxes();
void erTraversalFault(uint kind, uint value);

#include "bvh/common/access.glsl"
#include "bvh/trace/intersect.glsl"
#ifdef ER_CLUSTERS
#include "bvh/trace/cluster.glsl"
#endif
#ifdef ER_SIMD
#include "bvh/trace/simd.glsl"
#endif
#include "bvh/trace/candidate.glsl"
#include "bvh/trace/loop.glsl"

#endif
