#version 460
#extension GL_EXT_ray_tracing : require

struct Result { float t; uint primitive; };
layout(location = 0) rayPayloadInEXT Result result;

void main()
{
    result.t = gl_HitTEXT;
    result.primitive = uint(gl_PrimitiveID);
}
