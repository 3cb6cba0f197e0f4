#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/payload.glsl"
#include "viewer/sky.glsl"

layout(location = 0) rayPayloadInEXT PreviewPayload preview;

void main()
{
    preview.color = skyRadiance(gl_WorldRayDirectionEXT);
}
