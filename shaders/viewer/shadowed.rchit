#version 460
// One of many hit shaders that trace a shadow ray each, told apart by a specialization constant: see diverge.rchit.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/diverge.glsl"

layout(constant_id = 0) const uint SHADER = 0u;

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Indices { uint v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Positions { float v[]; };
layout(shaderRecordEXT, std430) buffer Record { uvec2 indices; uvec2 positions; } record;
layout(set = 0, binding = 0) uniform accelerationStructureEXT topLevel;
layout(location = 0) rayPayloadInEXT Surface surface;
layout(location = 1) rayPayloadEXT float lit;

vec3 corner(uint i)
{
    uint at = 3u * Indices(record.indices).v[3u * uint(gl_PrimitiveID) + i];
    Positions p = Positions(record.positions);
    return vec3(p.v[at], p.v[at + 1u], p.v[at + 2u]);
}

void main()
{
    vec3 a = corner(0u);
    vec3 normal = normalize(cross(corner(1u) - a, corner(2u) - a));
    vec3 side = dot(normal, gl_WorldRayDirectionEXT) > 0.0 ? -normal : normal;
    vec3 from = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * gl_HitTEXT + side * push.offset;
    float t = gl_HitTEXT;
    lit = 0.0;
    const uint flags = gl_RayFlagsOpaqueEXT | gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT;
    traceRayEXT(topLevel, flags, 0xffu, 0u, 1u, 1u, from, 0.0, normalize(vec3(0.3, 1.0, 0.2)), 1e30, 1);
    surface.normal = normal;
    surface.t = t;
    surface.colour = (0.5 + 0.5 * lit) * (0.5 + 0.4 * fract(vec3(0.37, 0.61, 0.83) * float(SHADER + 1u)));
}
