#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/payload.glsl"
#include "viewer/sky.glsl"

layout(location = 0) rayPayloadInEXT PathPayload path;

void main()
{
    path.radiance = skyRadiance(gl_WorldRayDirectionEXT);
    path.weight = vec3(0.0);
    path.lightRadiance = vec3(0.0);
}
