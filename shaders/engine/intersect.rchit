#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "engine/intersect.glsl"

layout(location = 0) rayPayloadInEXT IntersectHit hit;
hitAttributeEXT vec2 barycentrics;

void main() {
    hit = IntersectHit(gl_HitTEXT, barycentrics, uint(gl_PrimitiveID), uint(gl_InstanceID), gl_HitKindEXT);
}
