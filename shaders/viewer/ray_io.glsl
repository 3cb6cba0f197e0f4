// What verify and bench share: the same precomputed rays for both ways, reached by device address.
// The Go side is cmd/viewer/internal/rays.
#ifndef VIEWER_RAY_IO_GLSL
#define VIEWER_RAY_IO_GLSL
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

struct Ray // 32 bytes
{
    vec3 origin;
    float tMin;
    vec3 direction;
    float tMax;
};

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer RayBuffer { Ray v[]; };

layout(set = 0, binding = 0) uniform accelerationStructureEXT topLevel;

layout(push_constant) uniform Push
{
    uvec2 rays;
    uvec2 results;
} push;

// Scenes of triangles alone have one hit record for all, others one for each geometry.
#ifdef VIEWER_THIN
const uint RECORD_STRIDE = 1u;
#else
const uint RECORD_STRIDE = 0u;
#endif
const float MISS_T = -1.0;
const uint NO_PRIMITIVE = 0xffffffffu;

uint rayIndex()
{
    return gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
}

#endif
