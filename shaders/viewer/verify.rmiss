#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/ray_io.glsl"
#include "viewer/verify_hit.glsl"

layout(location = 0) rayPayloadInEXT Hit hit;

void main()
{
    hit = Hit(MISS_T, NO_PRIMITIVE, NO_PRIMITIVE, NO_PRIMITIVE, vec2(0.0), 0u, 0u);
}
