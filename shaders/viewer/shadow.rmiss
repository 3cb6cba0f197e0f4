#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/payload.glsl"

layout(location = 1) rayPayloadInEXT ShadowPayload shadow;

void main()
{
    shadow.bounce = SHADOW_LIT;
}
