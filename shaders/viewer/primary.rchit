#version 460
// Variant: thin
// A quick look: base colour under a light at the eye, occlusion texture and emission included.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/payload.glsl"
#include "viewer/surface.glsl"

layout(location = 0) rayPayloadInEXT PreviewPayload preview;
layout(shaderRecordEXT, std430) buffer Record { uint geometry; } record;
hitAttributeEXT vec2 barycentrics;

const float AMBIENT = 0.25;

void main()
{
    Surface s = loadSurface(record.geometry, barycentrics, preview.coneWidth + preview.coneSpread * gl_HitTEXT);
    if (culledForCamera(s))
    {
        preview.culledT = gl_HitTEXT;
        return;
    }
    if ((s.flags & MATERIAL_UNLIT) != 0u)
    {
        preview.color = s.baseColor;
        return;
    }
    float facing = dot(s.normal, -gl_WorldRayDirectionEXT);
    preview.color = s.baseColor * (AMBIENT * s.occlusion + (1.0 - AMBIENT) * facing) + s.emission;
}
