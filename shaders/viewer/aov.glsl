// What the aov pass keeps of a camera ray, beside the picture.
#ifndef VIEWER_AOV_GLSL
#define VIEWER_AOV_GLSL

struct AovPayload
{
    vec3 albedo;
    uint object;    // instance, material and primitive count from 1; 0 is nothing
    vec3 normal;
    uint material;
    vec3 position;
    uint primitive;
    float coneWidth;
    float coneSpread;
    float culledT;  // out: > 0 = a culled back face at that distance, look behind it
};

// The accumulation buffer holds three vec4 per pixel, the ray counters three numbers.
const uint AOV_VECTORS = 3u; // albedo and samples, normal and hits, position and depth
const uint AOV_IDS = 3u;

#endif
