// The environment: a vertical gradient between ground, horizon and zenith. The sun is not in it; it is a
// directional light of the light list, because a disc that small is found only by light sampling.
#ifndef VIEWER_SKY_GLSL
#define VIEWER_SKY_GLSL
#include "viewer/frame.glsl"

// The same as assets.Environment.Radiance.
vec3 skyRadiance(vec3 direction)
{
    float height = dot(normalize(direction), frame.skyUp.xyz);
    if (height >= 0.0)
        return mix(frame.skyHorizon.rgb, frame.skyZenith.rgb, sqrt(height));
    return mix(frame.skyHorizon.rgb, frame.skyGround.rgb, min(1.0, -8.0 * height));
}

#endif
