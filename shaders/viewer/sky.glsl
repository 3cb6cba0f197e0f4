// The environment: a vertical gradient between ground, horizon and zenith, or a map by latitude and longitude. The sun is
// not in the gradient; it is a directional light of the light list, because a disc that small is found only by light sampling.
#ifndef VIEWER_SKY_GLSL
#define VIEWER_SKY_GLSL
#include "viewer/features.glsl"
#include "viewer/frame.glsl"

// rgb, and the density per solid angle with which light sampling draws the texel.
layout(set = 0, binding = 11, std430) readonly buffer EnvironmentMap { vec4 v[]; } environmentMap;

// The same as assets.Environment.Radiance.
vec3 gradientRadiance(vec3 direction)
{
    float height = dot(direction, frame.skyUp.xyz);
    if (height >= 0.0)
        return mix(frame.skyHorizon.rgb, frame.skyZenith.rgb, sqrt(height));
    return mix(frame.skyHorizon.rgb, frame.skyGround.rgb, min(1.0, -8.0 * height));
}

// Where a direction lies on the map, in texels: x to the right of the front, y down from the zenith.
vec2 environmentTexel(vec3 direction)
{
    const float PI_ = 3.14159265358979;
    float width = float(frame.environmentWidth);
    vec3 side = cross(frame.skyFront.xyz, frame.skyUp.xyz);
    float phi = atan(dot(direction, side), dot(direction, frame.skyFront.xyz));
    float theta = acos(clamp(dot(direction, frame.skyUp.xyz), -1.0, 1.0));
    return vec2((0.5 + phi / (2.0 * PI_)) * width, theta / PI_ * 0.5 * width);
}

vec4 environmentFetch(ivec2 at)
{
    int width = int(frame.environmentWidth);
    at.x = (at.x + width) % width;
    at.y = clamp(at.y, 0, width / 2 - 1);
    return environmentMap.v[at.y * width + at.x];
}

// The radiance from a direction, filtered between texels; w is the density of light sampling.
vec4 environmentAt(vec3 direction)
{
    vec2 at = environmentTexel(direction);
    float pdf = environmentFetch(ivec2(floor(at))).w;
    at -= 0.5;
    ivec2 low = ivec2(floor(at));
    vec2 f = at - vec2(low);
    vec3 top = mix(environmentFetch(low).rgb, environmentFetch(low + ivec2(1, 0)).rgb, f.x);
    vec3 bottom = mix(environmentFetch(low + ivec2(0, 1)).rgb, environmentFetch(low + ivec2(1, 1)).rgb, f.x);
    return vec4(mix(top, bottom, f.y), pdf);
}

vec3 skyRadiance(vec3 direction)
{
    direction = normalize(direction);
    if (has(FEATURE_ENVIRONMENT))
        return environmentAt(direction).rgb;
    return gradientRadiance(direction);
}

#endif
