#version 460
// Variant: thin
// The path integrator's surface: emission weighed against light sampling, one light sample, the next direction.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/payload.glsl"
#include "viewer/scatter.glsl"
#include "viewer/guides.glsl"
#include "viewer/lights.glsl"

layout(location = 0) rayPayloadInEXT PathPayload path;
layout(shaderRecordEXT, std430) buffer Record { uint geometry; } record;
hitAttributeEXT vec2 barycentrics;

const float ROUGH_SPREAD = 0.15; // ray cone angle that a fully rough bounce adds; a guess that keeps textures cool

vec3 emittedTowardsRay(Surface s)
{
    if (path.bsdfPdf == 0.0)
        return s.emission;
    float distance = gl_HitTEXT + (has(FEATURE_TRANSMISSION) ? path.travelled : 0.0);
    float cosine = abs(dot(s.geometricNormal, gl_WorldRayDirectionEXT));
    float lightPdf = lightTrianglePdf(geometries.v[s.geometry], uint(gl_PrimitiveID), distance * distance, cosine);
    return s.emission * chanceWeight(path.bsdfPdf, lightPdf);
}

// On through the surface as if it were not there; the density of the direction stays.
void passThrough(Surface s, vec3 weight)
{
    path.weight = weight;
    path.position = offsetPoint(s.position, -s.geometricNormal);
    path.travelled += gl_HitTEXT;
}

// Whether that was all that is to be done here.
bool endsHere(Surface s)
{
    bool direct = (path.state & STATE_SCATTERED) == 0u;
    if (direct && culledForCamera(s))
    {
        path.radiance = vec3(0.0);
        passThrough(s, vec3(1.0));
        return true;
    }
    if (direct)
        addGuides(s.baseColor + s.emission, s.normal);
    if ((s.flags & MATERIAL_UNLIT) == 0u)
        return (path.state & STATE_BOUNCE) >= push.maxBounces;
    path.radiance = s.baseColor;
    if (direct)
        addUnlit(s.baseColor);
    return true;
}

// One light sample and the next direction. The model is evaluated in one loop for both, so that it is compiled once: each
// direction has a second turn for what the surface would send below itself, see localDirection().
void scatter(Surface s, Scatter q, vec3 kept, Sampler draw)
{
    uint bounce = path.state & STATE_BOUNCE;
    LightSample light = sampleLight(s.position, draw, bounce);
    vec3 drawn;
    bool sampled = sampleScatter(s, q, random2(draw, bounceDimension(bounce, DIM_LOBE)).x,
                                 random2(draw, bounceDimension(bounce, DIM_BSDF)), drawn);
    bool through = dot(drawn, s.geometricNormal) < 0.0;
    bool lit = light.distance > 0.0 && !(q.glass && (!s.front || dot(light.direction, s.geometricNormal) < 0.0));
    vec3 lightF = vec3(0.0);
    vec3 drawnF = vec3(0.0);
    float lightPdf = 0.0;
    float drawnPdf = 0.0;
    for (uint k = lit ? 0u : 2u; k < (sampled ? 4u : 2u); ++k)
    {
        vec3 w = k < 2u ? light.direction : drawn;
        if (!localDirection(s, q, w, (k & 1u) == 1u))
            continue;
        float density;
        vec3 value = bsdfEvaluate(q.bsdf, q.wo, w, density);
        lightF += k < 2u ? value : vec3(0.0); // arrays would lie in memory
        lightPdf += k < 2u ? density : 0.0;
        drawnF += k < 2u ? vec3(0.0) : value;
        drawnPdf += k < 2u ? 0.0 : density;
    }
    if (lit)
    {
        float weight = light.pdf > 0.0 ? chanceWeight(light.pdf, lightPdf) : 1.0;
        path.lightRadiance = kept * lightF * light.radiance * weight;
        path.lightDirection = light.direction;
        bool behind = dot(light.direction, s.geometricNormal) < 0.0;
        path.lightOrigin = offsetPoint(s.position, behind ? -s.geometricNormal : s.geometricNormal);
        // Stop short of the light, which would otherwise shadow itself.
        path.lightDistance = light.distance * (1.0 - 1e-3);
    }
    if (!sampled || drawnPdf <= 0.0)
        return;
    path.weight = kept * drawnF / drawnPdf;
    // Directly seen glass shows all that is behind it; after that, light sampling has looked straight through.
    bool hidden = q.glass && (through || !s.front);
    path.bsdfPdf = !hidden ? drawnPdf : path.bsdfPdf == 0.0 ? 0.0 : -1.0;
    path.direction = drawn;
    path.position = offsetPoint(s.position, through ? -s.geometricNormal : s.geometricNormal);
    path.travelled = 0.0;
    path.coneSpread += ROUGH_SPREAD * s.roughness;
    if (has(FEATURE_TRANSMISSION) && through && (s.flags & MATERIAL_VOLUME) != 0u)
    {
        path.medium = s.front ? layers.v[s.material].attenuation : vec3(0.0);
        if (q.colored)
            path.state |= STATE_COLORED;
        path.weight *= q.colorWeight;
    }
}

void main()
{
    Surface s = loadSurface(record.geometry, barycentrics, path.coneWidth + path.coneSpread * gl_HitTEXT);
    path.coneWidth += path.coneSpread * gl_HitTEXT;
    path.weight = vec3(0.0);
    path.lightRadiance = vec3(0.0);
    vec3 kept = has(FEATURE_TRANSMISSION) ? exp(-path.medium * gl_HitTEXT) : vec3(1.0);
    path.radiance = kept * emittedTowardsRay(s);
    if (endsHere(s))
        return;
    path.state |= STATE_SCATTERED;

    Sampler draw = pixelSampler(gl_LaunchIDEXT.xy, push.sampleIndex);
    vec2 color = has(FEATURE_DISPERSION) ? random2(draw, DIM_COLOR) : vec2(0.0);
    Scatter q = makeScatter(s, -gl_WorldRayDirectionEXT, color.x, (path.state & STATE_COLORED) != 0u);
    if (has(FEATURE_TRANSMISSION) && q.straight > 0.0)
    {
        if (random2(draw, bounceDimension(path.state & STATE_BOUNCE, DIM_TRANSMIT)).x < q.straight)
        {
            passThrough(s, kept * s.baseColor);
            return;
        }
        kept /= 1.0 - q.straight;
    }
    scatter(s, q, kept, draw);
}
