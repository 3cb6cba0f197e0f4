#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/ray_io.glsl"

struct Result { float t; uint primitive; };
layout(location = 0) rayPayloadInEXT Result result;

void main()
{
    result.t = MISS_T;
    result.primitive = NO_PRIMITIVE;
}
