#version 460
// Variant: simd
// Variant: long
// Variant: clusters
#extension GL_GOOGLE_include_directive : require
// Bare traversal: rays in, hits out. For tests and benchmarks.
#include "bvh/trace/traverse.glsl"
layout(local_size_x = 64) in;

// What erCandidate does with triangles that are not opaque.
const uint TRACE_CANDIDATES_ACCEPT = 0u;
const uint TRACE_CANDIDATES_IGNORE_ODD = 1u; // odd primitives
const uint TRACE_CANDIDATES_TERMINATE = 2u;
const uint TRACE_CANDIDATES_IGNORE = 3u;

layout(push_constant, std430) uniform Push {
    uvec2 tlas;
    uvec2 rays;
    uvec2 hits;
    uvec2 faults; // 4 words: count, kind, value, candidates seen
    uint count;
    uint flags;
    uint cullMask;
    uint candidates;
} push;

struct Ray {
    vec4 originTMin;
    vec4 directionTMax;
};
struct Hit {
    float t;
    float u, v;
    uint primitive;
    uint geometry;
    uint instance;
    uint customIndex;
    uint recordOffsetKind; // 24 bits, 8 bits
#ifdef ER_CLUSTERS
    uint cluster;
#endif
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Rays { Ray ray[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Hits { Hit hit[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Faults { uint v[]; };

uint erCandidate(in ErRay ray, in ErHit candidate) {
    atomicAdd(Faults(push.faults).v[3], 1u);
    if (push.candidates == TRACE_CANDIDATES_IGNORE_ODD) {
        return (candidate.primitiveIndex & 1u) != 0u ? ER_CANDIDATE_IGNORE : ER_CANDIDATE_ACCEPT;
    }
    if (push.candidates == TRACE_CANDIDATES_IGNORE) {
        return ER_CANDIDATE_IGNORE;
    }
    return push.candidates == TRACE_CANDIDATES_TERMINATE ? ER_CANDIDATE_TERMINATE : ER_CANDIDATE_ACCEPT;
}

// Triangles only: boxes have no surface of their own.
bool erUsesTriangles() { return true; }
bool erUsesBoxes() { return false; }
uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate) { return ER_CANDIDATE_IGNORE; }

void erTraversalFault(uint kind, uint value) {
    if (atomicAdd(Faults(push.faults).v[0], 1u) == 0u) {
        Faults(push.faults).v[1] = kind;
        Faults(push.faults).v[2] = value;
    }
}

void main() {
    uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (i >= push.count) {
        return;
    }
    Ray r = Rays(push.rays).ray[i];
    ErRay ray;
    ray.origin = r.originTMin.xyz;
    ray.tMin = r.originTMin.w;
    ray.direction = r.directionTMax.xyz;
    ray.tMax = r.directionTMax.w;
    ray.flags = push.flags;
    ray.cullMask = push.cullMask;
    ray.sbtOffset = 0u;
    ray.sbtStride = 0u;
    ErHit h;
    h.barycentrics = vec2(0.0);
    h.primitiveIndex = 0u;
    h.geometryIndex = 0u;
    h.instanceRecordOffset = 0u;
    h.instanceCustomIndex = 0u;
    h.hitKind = 0u;
    erTraverse(push.tlas, ray, h);
    Hit o;
    o.t = h.t;
    o.u = h.barycentrics.x;
    o.v = h.barycentrics.y;
    o.primitive = h.primitiveIndex;
    o.geometry = h.geometryIndex;
    o.instance = h.instanceIndex;
    o.customIndex = h.instanceCustomIndex;
    o.recordOffsetKind = h.instanceRecordOffset | h.hitKind << 24;
#ifdef ER_CLUSTERS
    o.cluster = h.instanceIndex == ER_NO_INSTANCE ? ER_NO_CLUSTER : erClusterId(h.instanceRecord, h.leaf);
#endif
    Hits(push.hits).hit[i] = o;
}
