// What the path tracer keeps beside the radiance, of what the camera sees directly: light that by-passes tone mapping, and
// what guides the denoiser. Each buffer has one element where its feature is off.
#ifndef VIEWER_GUIDES_GLSL
#define VIEWER_GUIDES_GLSL
#include "viewer/features.glsl"
#include "viewer/frame.glsl"

layout(set = 0, binding = 13, std430) buffer Unlit { vec4 pixels[]; } unlitSum; // rgb and number, like the accumulation
layout(set = 0, binding = 14, std430) buffer Guides { vec4 pixels[]; } guides;  // albedo, and behind all pixels normals

uint guidePixel()
{
    return gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
}

// Before the first sample nothing is there.
void clearGuides()
{
    if (push.sampleIndex != 0u)
        return;
    uint pixel = guidePixel();
    if (has(FEATURE_UNLIT))
        unlitSum.pixels[pixel] = vec4(0.0);
    if (has(FEATURE_GUIDES))
    {
        guides.pixels[pixel] = vec4(0.0);
        guides.pixels[pixel + gl_LaunchSizeEXT.x * gl_LaunchSizeEXT.y] = vec4(0.0);
    }
}

void addUnlit(vec3 color)
{
    if (has(FEATURE_UNLIT))
        unlitSum.pixels[guidePixel()] += vec4(color, 1.0);
}

void addGuides(vec3 albedo, vec3 normal)
{
    if (!has(FEATURE_GUIDES))
        return;
    uint pixel = guidePixel();
    guides.pixels[pixel] += vec4(min(albedo, 1.0), 1.0);
    guides.pixels[pixel + gl_LaunchSizeEXT.x * gl_LaunchSizeEXT.y] += vec4(normal, 1.0);
}

#endif
