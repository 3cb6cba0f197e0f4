#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/diverge.glsl"

layout(location = 0) rayPayloadInEXT Surface surface;

void main()
{
    surface.t = -1.0;
}
