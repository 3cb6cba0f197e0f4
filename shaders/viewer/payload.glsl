// The payloads. Each trace call names its payload's location, each ray type its hit and miss shaders.
#ifndef VIEWER_PAYLOAD_GLSL
#define VIEWER_PAYLOAD_GLSL

// The path integrator's ray, filled by path.rchit or path.rmiss.
struct PathPayload
{
    vec3 radiance;        // out: light from the hit point itself, multiple importance sampling weight included
    float bsdfPdf;        // in: density with which the direction was drawn, 0 = the camera's, -1 = through glass, where light
                          // sampling looked straight; out: the next one's
    vec3 weight;          // out: f * cos / pdf of the next direction; zero ends the path
    uint state;           // in: the bounce; in and out: STATE_ flags
    vec3 position;        // out: where the next ray starts, already off the surface
    float coneWidth;      // in and out: ray cone at the origin, at the hit
    vec3 lightOrigin;     // out: where the shadow ray starts
    float coneSpread;     // in and out
    vec3 direction;       // out: the next direction
    float lightDistance;  // out: 0 = no light sample
    vec3 lightDirection;  // out
    float travelled;      // in and out: the way since the direction was drawn, through sheets
    vec3 lightRadiance;   // out: f * cos * L / pdf, before the shadow ray
    float pad;
    vec3 medium;          // in and out: attenuation per unit of length of what the path is in
};

const uint STATE_BOUNCE = 0xffffu;
const uint STATE_SCATTERED = 0x10000u; // no longer what the camera sees directly
const uint STATE_COLORED = 0x20000u;   // one colour's path, of dispersion

// The payload of ao, primary and normals.
struct PreviewPayload
{
    vec3 color;
    uint rays; // rays traced below this one
    float coneWidth;
    float coneSpread;
    float culledT; // out: > 0 = a culled back face at that distance, look behind it
};

// The shadow ray's payload. What it may pass leaves less of its light, in any order.
struct ShadowPayload
{
    vec3 transmittance; // in: 1
    uint bounce;        // in: tells rays apart; out: SHADOW_LIT where nothing stopped it
    vec3 depth;         // in: 0; optical depth of volumes: entries count below zero
};

const uint SHADOW_LIT = 0xffffffffu;

#endif
