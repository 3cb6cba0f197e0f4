#version 460
#extension GL_GOOGLE_include_directive : require
// Bare traversal of boxes, for tests: lists the boxes that a ray meets, and
// takes none of them for hit.
#include "bvh/trace/traverse.glsl"
#include "bvh/trace/box_list.glsl"
layout(local_size_x = 64) in;

bool erUsesTriangles() { return false; }
bool erUsesBoxes() { return true; }
uint erCandidate(in ErRay ray, in ErHit candidate) { return ER_CANDIDATE_IGNORE; }

uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate) {
    listBox(candidate.instanceIndex, candidate.instanceCustomIndex, candidate.geometryIndex, opaque, candidate.primitiveIndex);
    return ER_CANDIDATE_IGNORE;
}

void erTraversalFault(uint kind, uint value) {
    if (atomicAdd(Faults(push.faults).v[0], 1u) == 0u) {
        Faults(push.faults).v[1] = kind;
        Faults(push.faults).v[2] = value;
    }
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= push.count) {
        return;
    }
    listBegin(i);
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
    listEnd();
}
