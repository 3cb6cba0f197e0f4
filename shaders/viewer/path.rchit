#version 460
// The path integrator's surface: emission weighed against light sampling, one light sample, the next direction.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/payload.glsl"
#include "viewer/surface.glsl"
#include "viewer/bsdf.glsl"
#include "viewer/lights.glsl"

layout(location = 0) rayPayloadInEXT PathPayload path;
layout(shaderRecordEXT, std430) buffer Record { uint geometry; } record;
hitAttributeEXT vec2 barycentrics;

const float ROUGH_SPREAD = 0.15; // ray cone angle that a fully rough bounce adds; a guess that keeps textures cool

float powerHeuristic(float a, float b)
{
    return a * a / (a * a + b * b);
}

vec3 emittedTowardsRay(Surface s)
{
    if (path.bsdfPdf <= 0.0)
        return s.emission;
    Geometry g = geometries.v[s.geometry];
    vec3 toHit = s.position - gl_WorldRayOriginEXT;
    float cosine = abs(dot(s.geometricNormal, gl_WorldRayDirectionEXT));
    float lightPdf = lightTrianglePdf(g, uint(gl_PrimitiveID), dot(toHit, toHit), cosine);
    return s.emission * powerHeuristic(path.bsdfPdf, lightPdf);
}

void sampleDirectLight(Surface s, Bsdf bsdf, mat3 frameToWorld, vec3 wo, uint seed)
{
    path.lightRadiance = vec3(0.0);
    path.lightDistance = 0.0;
    LightSample light = sampleLight(s.position, seed, path.bounce);
    if (light.distance <= 0.0 || dot(light.direction, s.geometricNormal) <= 0.0)
        return;
    float bsdfPdf;
    vec3 f = bsdfEvaluate(bsdf, wo, light.direction * frameToWorld, bsdfPdf);
    float weight = light.pdf > 0.0 ? powerHeuristic(light.pdf, bsdfPdf) : 1.0;
    path.lightRadiance = f * light.radiance * weight;
    path.lightDirection = light.direction;
    path.lightOrigin = offsetPoint(s.position, s.geometricNormal);
    // Stop short of the light, which would otherwise shadow itself.
    path.lightDistance = light.distance * (1.0 - 1e-3);
}

// Dielectric transmission (KHR_materials_transmission), as an infinitely thin sheet: the direction stays.
bool passesThrough(Surface s, uint seed)
{
    if (s.transmission <= 0.0)
        return false;
    float cosine = abs(dot(s.normal, gl_WorldRayDirectionEXT));
    float r = (s.ior - 1.0) / (s.ior + 1.0);
    float share = s.transmission * (1.0 - s.metallic) * (1.0 - fresnelSchlick(vec3(r * r), cosine).x);
    return random(seed, bounceDimension(path.bounce, DIM_TRANSMIT)) < share;
}

void main()
{
    Surface s = loadSurface(record.geometry, barycentrics, path.coneWidth + path.coneSpread * gl_HitTEXT);
    uint seed = sampleSeed(gl_LaunchIDEXT.xy, push.sampleIndex);
    path.coneWidth += path.coneSpread * gl_HitTEXT;
    path.radiance = emittedTowardsRay(s);
    path.weight = vec3(0.0);
    path.lightRadiance = vec3(0.0);
    if (path.bsdfPdf <= 0.0 && culledForCamera(s))
    {
        path.radiance = vec3(0.0);
        path.weight = vec3(1.0);
        path.position = offsetPoint(s.position, -s.geometricNormal);
        return; // on along the camera ray
    }
    if ((s.flags & MATERIAL_UNLIT) != 0u)
    {
        path.radiance = s.baseColor;
        return;
    }
    if (path.bounce >= push.maxBounces)
        return;
    if (passesThrough(s, seed))
    {
        path.weight = s.baseColor;
        path.position = offsetPoint(s.position, -s.geometricNormal);
        return; // direction and density stay as they were
    }

    mat3 frameToWorld = basisAround(s.normal);
    vec3 wo = -gl_WorldRayDirectionEXT * frameToWorld;
    wo.z = max(wo.z, MIN_COSINE);
    Bsdf bsdf = makeBsdf(s.baseColor, s.metallic, s.roughness, s.ior, wo.z);
    bsdf.diffuse *= 1.0 - s.transmission;
    sampleDirectLight(s, bsdf, frameToWorld, wo, seed);

    vec2 u = vec2(random(seed, bounceDimension(path.bounce, DIM_BSDF_X)),
                  random(seed, bounceDimension(path.bounce, DIM_BSDF_Y)));
    vec3 wi;
    float pdf;
    vec3 weight = bsdfSample(bsdf, wo, random(seed, bounceDimension(path.bounce, DIM_LOBE)), u, wi, pdf);
    vec3 direction = normalize(frameToWorld * wi);
    bool below = dot(direction, s.geometricNormal) <= 0.0;
    path.weight = below ? vec3(0.0) : weight;
    path.bsdfPdf = pdf;
    path.direction = direction;
    path.position = offsetPoint(s.position, s.geometricNormal);
    path.coneSpread += ROUGH_SPREAD * s.roughness;
}
