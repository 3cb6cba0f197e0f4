#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/verify_hit.glsl"

layout(location = 0) rayPayloadInEXT Hit hit;
hitAttributeEXT vec2 barycentrics;

void main()
{
    hit.t = gl_HitTEXT;
    hit.instance = uint(gl_InstanceID);
    hit.geometry = uint(gl_GeometryIndexEXT);
    hit.primitive = uint(gl_PrimitiveID);
    hit.barycentrics = barycentrics;
    hit.kind = gl_HitKindEXT;
    hit.customIndex = uint(gl_InstanceCustomIndexEXT);
}
