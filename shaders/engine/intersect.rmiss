#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "engine/intersect.glsl"

layout(location = 0) rayPayloadInEXT IntersectHit hit;

void main() {
    hit = IntersectHit(-1.0, vec2(0.0), 0u, 0u, 0u);
}
