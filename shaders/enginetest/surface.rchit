// Barycentrics tinted by the record, with what identifies the hit in alpha, and a shadow ray towards the light.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require

#include "enginetest/interface.glsl"

layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(shaderRecordEXT) readonly buffer Record { vec4 color; } record;

hitAttributeEXT vec2 attributes;
layout(location = 0) rayPayloadInEXT vec4 color;
layout(location = 1) rayPayloadEXT float light;

const vec3 LIGHT_DIRECTION = vec3(0.36, 0.48, 0.8);
const float SHADOW_OFFSET = 1e-3;

void main() {
    vec3 position = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT;
    light = 0.25;
    traceRayEXT(scene, gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT, 0xFF,
                RAY_SHADOW, RAY_KINDS, RAY_SHADOW,
                position + SHADOW_OFFSET * LIGHT_DIRECTION, 0.0, LIGHT_DIRECTION, 100.0, 1);
    vec3 barycentrics = vec3(1.0 - attributes.x - attributes.y, attributes);
    float id = float(gl_PrimitiveID) + 10.0 * float(gl_GeometryIndexEXT) + 100.0 * float(gl_InstanceCustomIndexEXT)
             + 1000.0 * float(gl_InstanceID) + (gl_HitKindEXT == gl_HitKindFrontFacingTriangleEXT ? 0.0 : 0.5);
    color = vec4(light * barycentrics * record.color.rgb, id);
}
