// Unidirectional path tracing: one sample per pixel and launch. The closest hit shader evaluates the surface and
// draws the next direction and a light sample; the loop here traces them (Kajiya 1986, Veach 1997).
// With REORDER lanes are sorted between a ray and its shader, by that and by whether the path is likely to end there.
#include "viewer/frame.glsl"
#include "viewer/fresnel.glsl"
#include "viewer/guides.glsl"
#include "viewer/payload.glsl"
#include "viewer/random.glsl"

layout(location = 0) rayPayloadEXT PathPayload path;
layout(location = 1) rayPayloadEXT ShadowPayload shadow;

const uint ROULETTE_START = 3u; // bounces that are never cut short
const float ROULETTE_MAX = 0.95;

// The firefly clamp: what comes after the first bounce may not exceed frame.clampRadiance.
vec3 clampContribution(vec3 c, uint bounce)
{
    float m = largest(c);
    bool tooBright = bounce > 0u && frame.clampRadiance > 0.0 && m > frame.clampRadiance;
    return tooBright ? c * (frame.clampRadiance / m) : c;
}

// The light sample that the hit shader drew, less what stands in its way.
vec3 traceShadow(uint bounce)
{
    shadow = ShadowPayload(vec3(1.0), bounce, vec3(0.0));
    traceRayEXT(topLevel, gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT, 0xffu, RAY_SHADOW,
                RAY_TYPES, MISS_SHADOW, path.lightOrigin, frame.tMin, path.lightDirection, path.lightDistance, 1);
    if (shadow.bounce != SHADOW_LIT)
        return vec3(0.0);
    if (!has(FEATURE_TRANSMISSION))
        return path.lightRadiance;
    return path.lightRadiance * shadow.transmittance * exp(-max(shadow.depth, 0.0));
}

void main()
{
    uvec2 pixel = gl_LaunchIDEXT.xy;
    Sampler draw = pixelSampler(pixel, push.sampleIndex);
    CameraRay camera = cameraRay(pixel, gl_LaunchSizeEXT.xy, random2(draw, DIM_PIXEL));
    throughLens(camera, random2(draw, DIM_LENS));
    clearGuides();

    path.position = camera.origin;
    path.direction = camera.direction;
    path.coneWidth = camera.coneWidth;
    path.coneSpread = camera.coneSpread;
    path.bsdfPdf = 0.0;
    path.state = 0u;
    path.travelled = 0.0;
    path.medium = vec3(0.0);

    vec3 radiance = vec3(0.0);
    vec3 throughput = vec3(1.0);
    uint rays = 0u;
    for (uint bounce = 0u; bounce <= push.maxBounces; ++bounce)
    {
        path.state = (path.state & ~STATE_BOUNCE) | bounce;
#ifdef REORDER
        hitObjectNV hit;
        hitObjectTraceRayNV(hit, topLevel, gl_RayFlagsNoneEXT, 0xffu, RAY_RADIANCE, RAY_TYPES, MISS_RADIANCE, path.position,
                            frame.tMin, path.direction, frame.tMax, 0);
        reorderThreadNV(hit, bounce == push.maxBounces || largest(throughput) < 0.05 ? 1u : 0u, 1u);
        hitObjectExecuteShaderNV(hit, 0);
#else
        traceRayEXT(topLevel, gl_RayFlagsNoneEXT, 0xffu, RAY_RADIANCE, RAY_TYPES, MISS_RADIANCE, path.position,
                    frame.tMin, path.direction, frame.tMax, 0);
#endif
        ++rays;
        radiance += clampContribution(throughput * path.radiance, bounce);
        if (largest(path.lightRadiance) > 0.0)
        {
            radiance += clampContribution(throughput * traceShadow(bounce), bounce);
            ++rays;
        }
        throughput *= path.weight;
        float survive = largest(throughput);
        if (survive <= 0.0)
            break;
        if (bounce >= ROULETTE_START)
        {
            survive = min(survive, ROULETTE_MAX);
            if (random2(draw, bounceDimension(bounce, DIM_ROULETTE)).x >= survive)
                break;
            throughput /= survive;
        }
    }
    accumulate(pixel, gl_LaunchSizeEXT.x, radiance, rays);
}
