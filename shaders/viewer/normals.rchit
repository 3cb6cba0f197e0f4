#version 460
// Variant: thin
// The world space shading normal, -1..1 mapped to 0..1.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/payload.glsl"
#include "viewer/surface.glsl"

layout(location = 0) rayPayloadInEXT PreviewPayload preview;
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
    preview.color = s.normal * 0.5 + 0.5;
}
