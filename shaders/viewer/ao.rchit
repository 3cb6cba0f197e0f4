#version 460
// Variant: thin
// Ambient occlusion: one cosine-distributed ray, traced from here, so this integrator needs a recursion depth of 2.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/payload.glsl"
#include "viewer/random.glsl"
#include "viewer/surface.glsl"

layout(location = 0) rayPayloadInEXT PreviewPayload preview;
layout(location = 1) rayPayloadEXT ShadowPayload shadow;
layout(shaderRecordEXT, std430) buffer Record { uint geometry; } record;
hitAttributeEXT vec2 barycentrics;

void main()
{
    Surface s = loadSurface(record.geometry, barycentrics, preview.coneWidth + preview.coneSpread * gl_HitTEXT);
    if (culledForCamera(s))
    {
        preview.culledT = gl_HitTEXT;
        return;
    }
    Sampler draw = pixelSampler(gl_LaunchIDEXT.xy, push.sampleIndex);
    vec2 u = random2(draw, bounceDimension(0u, DIM_BSDF));
    vec3 direction = basisAround(s.normal) * sampleCosineHemisphere(u);
    if (dot(direction, s.geometricNormal) <= 0.0)
    {
        preview.color = vec3(0.0);
        return;
    }
    shadow = ShadowPayload(vec3(1.0), 0u, vec3(0.0));
    traceRayEXT(topLevel, gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT, 0xffu, RAY_SHADOW,
                RAY_TYPES, MISS_SHADOW, offsetPoint(s.position, s.geometricNormal), frame.tMin, direction,
                frame.skyUp.w, 1);
    preview.color = vec3(shadow.bounce == SHADOW_LIT ? 1.0 : 0.0);
    preview.rays = 1u;
}
