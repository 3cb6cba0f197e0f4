#version 460
// Nothing is there, as the ray generation shader has it.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/aov.glsl"

layout(location = 0) rayPayloadInEXT AovPayload aov;

void main()
{
    aov.object = 0u;
}
