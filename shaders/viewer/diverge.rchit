#version 460
// One of many hit shaders, told apart by its specialization constants: normal and colour, and in the heavy ones a loop, whose
// length the compiler does not know.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/diverge.glsl"

layout(constant_id = 0) const uint SHADER = 0u;
layout(constant_id = 1) const bool HEAVY = false;

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Indices { uint v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Positions { float v[]; };
layout(shaderRecordEXT, std430) buffer Record { uvec2 indices; uvec2 positions; } record;
layout(location = 0) rayPayloadInEXT Surface surface;

vec3 corner(uint i)
{
    uint at = 3u * Indices(record.indices).v[3u * uint(gl_PrimitiveID) + i];
    Positions p = Positions(record.positions);
    return vec3(p.v[at], p.v[at + 1u], p.v[at + 2u]);
}

// A step of 12 operations, sines among them, each of which waits for the one before: 200 of them take a driver about what the
// project's baseline measured. It contracts, so that rounding stays rounding.
float heavyStep(float x)
{
    const float a = 0.70 + 0.01 * float(SHADER);
    x = sin(x * a + 0.21);
    x = sin(x * -0.83 + 0.97);
    x = sin(x * a + 0.13);
    return sin(x * -0.91 + 0.89);
}

void main()
{
    vec3 a = corner(0u);
    surface.normal = normalize(cross(corner(1u) - a, corner(2u) - a));
    surface.t = gl_HitTEXT;
    vec3 colour = 0.5 + 0.4 * fract(vec3(0.37, 0.61, 0.83) * float(SHADER + 1u));
    if (HEAVY)
    {
        float x = colour.x;
        for (uint i = 0u; i < push.steps; ++i)
            x = heavyStep(x);
        colour = 0.6 * colour + 0.3 * x;
    }
    surface.colour = colour;
}
