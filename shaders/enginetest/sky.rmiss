// Primary rays that miss see the record's color, shaded by height.
#version 460
#extension GL_EXT_ray_tracing : require

layout(shaderRecordEXT) readonly buffer Record { vec4 color; } record;
layout(location = 0) rayPayloadInEXT vec4 color;

void main() {
    color = vec4(record.color.rgb * (0.5 + 0.25 * gl_WorldRayOriginEXT.y), record.color.a);
}
