// What every integrator shares: the scene's top level structure, the accumulation buffer, the ray counters and
// the frame's parameters. The Go side of these layouts is cmd/viewer/internal/render/layout.go.
#ifndef VIEWER_FRAME_GLSL
#define VIEWER_FRAME_GLSL
#ifndef VIEWER_COMPUTE // defined by kernels that know the compute way's structures
#extension GL_EXT_ray_tracing : require
#endif

// Ray types: a hit group per type and geometry, so the record stride of every trace is RAY_TYPES.
const uint RAY_RADIANCE = 0u;
const uint RAY_SHADOW = 1u;
const uint RAY_TYPES = 2u;
const uint MISS_RADIANCE = 0u;
const uint MISS_SHADOW = 1u;

const uint CAMERA_ORTHOGRAPHIC = 1u; // Frame.flags

#ifndef VIEWER_COMPUTE
layout(set = 0, binding = 0) uniform accelerationStructureEXT topLevel;
#else
// The compute way binds a structure as a storage buffer; its header begins with its own address.
layout(set = 0, binding = 0, std430) readonly buffer TopLevel { uvec2 self; } topLevel;
#endif

// rgb = sum of samples, a = number of samples in it
layout(set = 0, binding = 1, std430) buffer Accumulation { vec4 pixels[]; } accumulation;

// Calls of traceRayEXT per pixel since the accumulation began: the exact ray count is their sum.
layout(set = 0, binding = 2, std430) buffer RayCounts { uint pixels[]; } rayCounts;

layout(set = 0, binding = 3, std140) uniform Frame
{
    vec4 eye;           // xyz = position, w = radius of the lens
    vec4 right;         // xyz = half the image plane's width at distance 1 (orthographic: half its width), w = focus distance
    vec4 up;            // xyz = half its height
    vec4 forward;       // xyz = unit view direction, w = spread of one pixel in radians (orthographic: its width)
    vec4 skyUp;         // xyz = the sky's up axis, w = ambient occlusion radius
    vec4 skyZenith;     // rgb, linear; w = the environment's share of light samples
    vec4 skyHorizon;    // w = the light triangles' share
    vec4 skyGround;
    vec4 skyFront;      // xyz = the horizontal direction in the middle of the environment map
    uint flags;
    uint lightCount;
    uint lightTriangleCount;
    float lightPower;   // sum of the light triangles' weights
    float clampRadiance; // largest contribution of one bounce after the first, 0 = unlimited
    float tMin;
    float tMax;
    uint environmentWidth; // of a map twice as wide as high
} frame;

layout(push_constant) uniform Push
{
    uint sampleIndex;
    uint maxBounces;
#ifdef VIEWER_COMPUTE
    uvec2 size; // of the launch
#endif
} push;

struct CameraRay { vec3 origin; vec3 direction; float coneWidth; float coneSpread; };

// The camera ray of a pixel, jittered over the pixel's box; ray cones start with the pixel's spread
// (Akenine-Möller et al. 2019, Ray Tracing Gems, chapter 20).
CameraRay cameraRay(uvec2 pixel, uvec2 size, vec2 jitter)
{
    vec2 p = (vec2(pixel) + jitter) / vec2(size) * 2.0 - 1.0;
    vec3 plane = frame.right.xyz * p.x - frame.up.xyz * p.y;
    CameraRay ray;
    if ((frame.flags & CAMERA_ORTHOGRAPHIC) != 0u)
    {
        ray.origin = frame.eye.xyz + plane;
        ray.direction = frame.forward.xyz;
        ray.coneWidth = frame.forward.w;
        ray.coneSpread = 0.0;
    }
    else
    {
        ray.origin = frame.eye.xyz;
        ray.direction = normalize(frame.forward.xyz + plane);
        ray.coneWidth = 0.0;
        ray.coneSpread = frame.forward.w;
    }
    return ray;
}

// Moves a perspective camera's ray to a point of the lens, so that all such rays meet where the focus is.
void throughLens(inout CameraRay ray, vec2 u)
{
    if (frame.eye.w <= 0.0 || (frame.flags & CAMERA_ORTHOGRAPHIC) != 0u)
        return;
    vec3 focus = ray.origin + ray.direction * (frame.right.w / dot(ray.direction, frame.forward.xyz));
    float r = frame.eye.w * sqrt(u.x);
    float phi = 6.28318530718 * u.y;
    ray.origin += normalize(frame.right.xyz) * (r * cos(phi)) + normalize(frame.up.xyz) * (r * sin(phi));
    ray.direction = normalize(focus - ray.origin);
}

// Adds one sample. A sample that is not finite is left out, and shows in the closing summary because the
// pixel's alpha then stays below the number of samples.
void accumulate(uvec2 pixel, uint width, vec3 color, uint rays)
{
    uint index = pixel.y * width + pixel.x;
    bool finite = !any(isnan(color)) && !any(isinf(color));
    vec4 value = finite ? vec4(color, 1.0) : vec4(0.0);
    bool first = push.sampleIndex == 0u;
    accumulation.pixels[index] = first ? value : accumulation.pixels[index] + value;
    rayCounts.pixels[index] = first ? rays : rayCounts.pixels[index] + rays;
}

#endif
