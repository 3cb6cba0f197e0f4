// The payloads. Each trace call names its payload's location, each ray type its hit and miss shaders.
#ifndef VIEWER_PAYLOAD_GLSL
#define VIEWER_PAYLOAD_GLSL

// The path integrator's ray, filled by path.rchit or path.rmiss.
struct PathPayload
{
    vec3 radiance;        // out: light from the hit point itself, multiple importance sampling weight included
    float bsdfPdf;        // in: density with which the direction was drawn, 0 = camera or mirror; out: the next one's
    vec3 weight;          // out: f * cos / pdf of the next direction; zero ends the path
    uint bounce;          // in
    vec3 position;        // out: where the next ray starts, already off the surface
    float coneWidth;      // in and out: ray cone at the origin, at the hit
    vec3 lightOrigin;     // out: where the shadow ray starts
    float coneSpread;     // in and out
    vec3 direction;       // out: the next direction
    float lightDistance;  // out: 0 = no light sample
    vec3 lightDirection;  // out
    vec3 lightRadiance;   // out: f * cos * L / pdf, before the shadow ray
};

// The payload of ao, primary and normals.
struct PreviewPayload
{
    vec3 color;
    uint rays; // rays traced below this one
    float coneWidth;
    float coneSpread;
    float culledT; // out: > 0 = a culled back face at that distance, look behind it
};

// The shadow ray's payload: in = bounce, out = SHADOW_LIT or what it was.
const uint SHADOW_LIT = 0xffffffffu;

#endif
