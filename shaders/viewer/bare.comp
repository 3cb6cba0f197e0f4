#version 460
// Variant: simd
// Variant: long
// The compute way's traversal and nothing else: what bench.rgen and occlusion.rgen with their shaders do, without a pipeline,
// to tell what the pipeline itself costs. Lanes are placed as runtime.comp places those of a launch.
#extension GL_GOOGLE_include_directive : require
#include "bvh/trace/traverse.glsl"

layout(local_size_x = 64) in; // a tile of 8x8 places, bareTile in bare.go

layout(constant_id = 0) const uint RAY_FLAGS = 1u;   // SPIR-V ray flags
layout(constant_id = 1) const bool OCCLUSION = false; // a word per ray, 1 = occluded, in place of t and primitive

struct Ray // as in ray_io.glsl, 32 bytes
{
    vec3 origin;
    float tMin;
    vec3 direction;
    float tMax;
};
struct Result { float t; uint primitive; };

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer RayBuffer { Ray v[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer Results { Result v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Occluded { uint v[]; };

// The compute way binds a structure as a storage buffer; its header begins with its own address.
layout(set = 0, binding = 0, std430) readonly buffer TopLevel { uvec2 self; } topLevel;

layout(push_constant) uniform Push
{
    uvec2 rays;
    uvec2 results;
    uint width;
    uint height;
} push;

// Nothing asks: all rays are opaque, and scenes have triangles only.
uint erCandidate(in ErRay ray, in ErHit candidate) { return ER_CANDIDATE_ACCEPT; }
bool erUsesTriangles() { return true; }
bool erUsesBoxes() { return false; }
uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate) { return ER_CANDIDATE_IGNORE; }
// A ray that cannot see the whole scene is found by its result.
void erTraversalFault(uint kind, uint value) {}

uvec2 inTile(uint lane)
{
    return uvec2((lane & 1u) | ((lane >> 1u) & 2u) | ((lane >> 2u) & 4u),
        ((lane >> 1u) & 1u) | ((lane >> 2u) & 2u) | ((lane >> 3u) & 4u));
}

void main()
{
    uvec2 place = gl_WorkGroupID.xy * 8u + inTile(gl_LocalInvocationIndex);
    if (place.x >= push.width || place.y >= push.height)
        return;
    uint index = place.y * push.width + place.x;
    Ray r = RayBuffer(push.rays).v[index];
    ErRay ray;
    ray.origin = r.origin;
    ray.tMin = r.tMin;
    ray.direction = r.direction;
    ray.tMax = r.tMax;
    ray.flags = RAY_FLAGS;
    ray.cullMask = 0xffu;
    ray.sbtOffset = 0u;
    ray.sbtStride = 0u;
    ErHit hit;
    erTraverse(topLevel.self, ray, hit);
    bool missed = hit.instanceIndex == ER_NO_INSTANCE;
    if (OCCLUSION)
        Occluded(push.results).v[index] = missed ? 0u : 1u;
    else
        Results(push.results).v[index] = missed ? Result(-1.0, 0xffffffffu) : Result(hit.t, hit.primitiveIndex);
}
