#version 460
// Variant: thin
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/aov.glsl"
#include "viewer/surface.glsl"

layout(location = 0) rayPayloadInEXT AovPayload aov;
layout(shaderRecordEXT, std430) buffer Record { uint geometry; } record;
hitAttributeEXT vec2 barycentrics;

void main()
{
    Surface s = loadSurface(record.geometry, barycentrics, aov.coneWidth + aov.coneSpread * gl_HitTEXT);
    if (culledForCamera(s))
    {
        aov.culledT = gl_HitTEXT;
        return;
    }
    aov.albedo = s.baseColor;
    aov.normal = s.normal;
    aov.position = s.position;
    aov.object = uint(gl_InstanceID) + 1u;
    aov.material = geometries.v[record.geometry].material + 1u;
    aov.primitive = uint(gl_PrimitiveID) + 1u;
}
