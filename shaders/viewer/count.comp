#version 460
// Variant: clusters
// What the compute way's traversal does for each ray of a buffer: the rays of bench.rgen and occlusion.rgen, all geometry opaque.
#extension GL_GOOGLE_include_directive : require
#define ER_COUNT_STEPS
#include "bvh/trace/traverse.glsl"

layout(local_size_x = 64) in; // countLanes in counter.go

struct Ray // as in ray_io.glsl, 32 bytes
{
    vec3 origin;
    float tMin;
    vec3 direction;
    float tMax;
};

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer RayBuffer { Ray v[]; };
// Inner nodes visited, primitives tested, instances tested, and 1 if the ray could not see the whole scene.
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Counts { uvec4 v[]; };

// The compute way binds a structure as a storage buffer; its header begins with its own address.
layout(set = 0, binding = 0, std430) readonly buffer TopLevel { uvec2 self; } topLevel;

layout(push_constant) uniform Push
{
    uvec2 rays;
    uvec2 counts;
    uint count;
    uint rayFlags; // SPIR-V ray flags
} push;

uint unseen = 0u;

// Nothing asks: all rays are opaque, and scenes have triangles only.
uint erCandidate(in ErRay ray, in ErHit candidate) { return ER_CANDIDATE_ACCEPT; }
bool erUsesTriangles() { return true; }
bool erUsesBoxes() { return false; }
uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate) { return ER_CANDIDATE_IGNORE; }

void erTraversalFault(uint kind, uint value) { unseen = 1u; }

void main()
{
    uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (index >= push.count)
        return;
    Ray r = RayBuffer(push.rays).v[index];
    ErRay ray;
    ray.origin = r.origin;
    ray.tMin = r.tMin;
    ray.direction = r.direction;
    ray.tMax = r.tMax;
    ray.flags = push.rayFlags;
    ray.cullMask = 0xffu;
    ray.sbtOffset = 0u;
    ray.sbtStride = 0u;
    ErHit hit;
    erTraverse(topLevel.self, ray, hit);
    Counts(push.counts).v[index] = uvec4(erNodeSteps, erPrimitiveSteps, erInstanceSteps, unseen);
}
