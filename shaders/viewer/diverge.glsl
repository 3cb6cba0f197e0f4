// The divergence test: a path tracer whose hit shaders do little, or much, and are many. See cmd/viewer/internal/diverge.
#ifndef VIEWER_DIVERGE_GLSL
#define VIEWER_DIVERGE_GLSL
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

struct Surface // 7 dwords
{
    vec3 normal; // not normalised to the ray's side
    float t;     // negative: nothing was hit
    vec3 colour;
};

layout(push_constant) uniform Push
{
    uvec2 rays;    // the first segments, 32 bytes each, as in ray_io.glsl
    uvec2 results; // 16 bytes a path
    float offset;  // along the normal, to start from
    uint steps;    // of the heavy shaders
} push;

#endif
