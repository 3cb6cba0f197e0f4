#version 460
// Traversal steps of camera rays, by compute only: the sums of inner nodes visited, bottom level primitives tested and
// instances tested take the place of red, green and blue. A sample is the camera ray of the other integrators, with the
// same pixel filter and the same decisions about alpha; culled back faces end it.
#extension GL_GOOGLE_include_directive : require
#define VIEWER_COMPUTE
#define ER_COUNT_STEPS
#include "bvh/trace/traverse.glsl"
#include "viewer/alpha.glsl"
#include "viewer/thin.glsl"

layout(local_size_x = 8, local_size_y = 8) in; // heatTile in heat.go
layout(constant_id = 0) const uint THIN = 0u;   // 1: the scene has points or lines

bool unseen = false; // the ray could not see the whole scene

uint erCandidate(in ErRay ray, in ErHit candidate)
{
    // Records lie RAY_TYPES apart, one per geometry, from the instance's offset on.
    uint geometry = candidate.instanceRecordOffset / RAY_TYPES + candidate.geometryIndex;
    bool through = transparentAt(gl_GlobalInvocationID.xy, candidate.instanceIndex, candidate.primitiveIndex, geometry,
                                 candidate.barycentrics, RAY_RADIANCE);
    return through ? ER_CANDIDATE_IGNORE : ER_CANDIDATE_ACCEPT;
}

bool erUsesTriangles() { return true; }
bool erUsesBoxes() { return THIN != 0u; }

// Points and lines stop rays whatever their alpha.
uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate)
{
    Geometry g = geometries.v[candidate.instanceRecordOffset / RAY_TYPES + candidate.geometryIndex];
    Uints ends = Uints(g.indices);
    mat4x3 toObject = erWorldToObject(candidate.instanceRecord);
    ThinHit hit;
    if (!meetsThin(toObject * vec4(ray.origin, 1.0), toObject * vec4(ray.direction, 0.0), ray.tMin, candidate.t,
                   fetch3(g.positions, ends.v[2u * candidate.primitiveIndex]),
                   fetch3(g.positions, ends.v[2u * candidate.primitiveIndex + 1u]), g.radius, hit))
        return ER_CANDIDATE_IGNORE;
    candidate.t = hit.t;
    return ER_CANDIDATE_ACCEPT;
}

void erTraversalFault(uint kind, uint value) { unseen = true; }

void main()
{
    uvec2 pixel = gl_GlobalInvocationID.xy;
    if (pixel.x >= push.size.x || pixel.y >= push.size.y)
        return;
    CameraRay camera = cameraRay(pixel, push.size, random2(pixelSampler(pixel, push.sampleIndex), DIM_PIXEL));
    ErRay ray;
    ray.origin = camera.origin;
    ray.tMin = frame.tMin;
    ray.direction = camera.direction;
    ray.tMax = frame.tMax;
    ray.flags = 0u;
    ray.cullMask = 0xffu;
    ray.sbtOffset = RAY_RADIANCE;
    ray.sbtStride = RAY_TYPES;
    ErHit hit;
    erTraverse(topLevel.self, ray, hit);
    // What is not finite is left out, and reported.
    vec3 steps = vec3(erNodeSteps, erPrimitiveSteps, erInstanceSteps);
    accumulate(pixel, push.size.x, unseen ? vec3(uintBitsToFloat(0x7fc00000u)) : steps, 1u);
}
