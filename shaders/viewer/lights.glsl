// Light sampling: one sample per bounce, from the punctual lights (KHR_lights_punctual, the sun and the headlight), from the
// emissive triangles or from the environment's map; the last two through alias tables (Walker 1974, Vose 1991).
//
// A triangle is drawn with probability weight * world area / lightPower, where the weight is the luminance the host
// measured on it, so its density per area is weight / lightPower whatever its size: that is what a ray which hits
// the triangle by chance needs to weigh itself against light sampling (Veach 1997, section 9.2).
#ifndef VIEWER_LIGHTS_GLSL
#define VIEWER_LIGHTS_GLSL
#include "viewer/frame.glsl"
#include "viewer/scene.glsl"
#include "viewer/random.glsl"
#include "viewer/sky.glsl"

const uint LIGHT_DIRECTIONAL = 0u;
const uint LIGHT_POINT = 1u;
const uint LIGHT_SPOT = 2u;
const uint LIGHT_HEAD = 3u; // at the eye, as bright at any distance

struct Light
{
    vec3 position;
    uint kind;
    vec3 intensity;   // candela, or lux for directional lights
    float range;      // 0 = unlimited
    vec3 direction;   // the way the light shines
    float cosOuter;
    float cosInner;
    float tanRadius;  // directional lights: tangent of the disc's angular radius
    float pad0;
    float pad1;
};

struct LightTriangle
{
    vec3 p0;          // world space
    float keep;       // alias table: the share of the entry that is this triangle
    vec3 e1;
    uint geometry;
    vec3 e2;
    uint primitive;
    float weight;
    float side;       // -1 where a mirrored instance turned the winding
    uint alias;       // the triangle that the rest of the entry is
    float pad0;
};

struct EnvironmentAlias { float keep; uint alias; };

layout(set = 0, binding = 6, std430) readonly buffer Lights { Light v[]; } lights;
layout(set = 0, binding = 7, std430) readonly buffer LightTriangles { LightTriangle v[]; } lightTriangles;
layout(set = 0, binding = 12, std430) readonly buffer EnvironmentTable { EnvironmentAlias v[]; } environmentTable;

struct LightSample
{
    vec3 direction;
    float distance; // 0 = none
    vec3 radiance;  // divided by the density of the sample
    float pdf;      // per solid angle; 0 = a light that no other ray can hit
};

// The probabilities of sampling triangles and environment rather than the punctual lights: what there is gets equal shares.
float triangleShare()
{
    return frame.skyHorizon.w;
}

float environmentShare()
{
    return has(FEATURE_ENVIRONMENT) ? frame.skyZenith.w : 0.0;
}

// Multiple importance sampling by the power heuristic (Veach 1997): the weight of what was found with the first density and
// could have been with the other. Of the first, 0 is the camera's, and -1 that light sampling has found all it can find.
float chanceWeight(float pdf, float other)
{
    if (pdf == 0.0 || other <= 0.0)
        return 1.0;
    return pdf < 0.0 ? 0.0 : pdf * pdf / (pdf * pdf + other * other);
}

// The density per solid angle with which sampleLight would have drawn the point at this distance on a triangle.
float lightTrianglePdf(Geometry g, uint primitive, float distance2, float cosine)
{
    if (frame.lightTriangleCount == 0u || !present(g.emission) || cosine <= 0.0)
        return 0.0;
    float weight = Floats(g.emission).v[primitive];
    return triangleShare() * weight / frame.lightPower * distance2 / cosine;
}

LightSample samplePunctual(vec3 position, float pick, vec2 u)
{
    uint index = min(uint(pick * float(frame.lightCount)), frame.lightCount - 1u);
    Light light = lights.v[index];
    float density = (1.0 - triangleShare() - environmentShare()) / float(frame.lightCount);

    LightSample s;
    s.pdf = 0.0;
    if (light.kind == LIGHT_DIRECTIONAL)
    {
        float r = light.tanRadius * sqrt(u.x);
        vec3 disc = basisAround(-light.direction) * vec3(r * cos(2.0 * PI * u.y), r * sin(2.0 * PI * u.y), 1.0);
        s.direction = normalize(disc);
        s.distance = frame.tMax;
        s.radiance = light.intensity / density;
        return s;
    }
    bool head = light.kind == LIGHT_HEAD;
    vec3 toLight = (head ? frame.eye.xyz : light.position) - position;
    float distance2 = max(dot(toLight, toLight), 1e-12);
    s.distance = sqrt(distance2);
    s.direction = toLight / s.distance;
    float falloff = head ? 1.0 : 1.0 / distance2;
    if (light.range > 0.0)
    {
        float ratio = distance2 / (light.range * light.range);
        falloff *= clamp(1.0 - ratio * ratio, 0.0, 1.0);
    }
    if (light.kind == LIGHT_SPOT)
    {
        float c = dot(-s.direction, light.direction);
        float a = clamp((c - light.cosOuter) / max(light.cosInner - light.cosOuter, 1e-4), 0.0, 1.0);
        falloff *= a * a;
    }
    s.radiance = light.intensity * (falloff / density);
    return s;
}

LightSample sampleTriangle(vec3 position, float pick, vec2 u)
{
    float scaled = pick * float(frame.lightTriangleCount);
    uint entry = min(uint(scaled), frame.lightTriangleCount - 1u);
    if (scaled - float(entry) >= lightTriangles.v[entry].keep)
        entry = lightTriangles.v[entry].alias;
    LightTriangle t = lightTriangles.v[entry];
    float r = sqrt(u.x);
    vec3 b = vec3(1.0 - r, r * (1.0 - u.y), r * u.y);
    vec3 toLight = t.p0 + t.e1 * b.y + t.e2 * b.z - position;
    float distance2 = max(dot(toLight, toLight), 1e-12);
    vec3 normal = cross(t.e1, t.e2) * t.side;

    LightSample s;
    s.distance = sqrt(distance2);
    s.direction = toLight / s.distance;
    Geometry g = geometries.v[t.geometry];
    Material m = materials.v[g.material];
    float cosine = dot(-s.direction, normalize(normal));
    if ((m.flags & MATERIAL_DOUBLE_SIDED) != 0u)
        cosine = abs(cosine);
    s.pdf = triangleShare() * t.weight / frame.lightPower * distance2 / max(cosine, 1e-6);
    s.radiance = vec3(0.0);
    if (cosine <= 1e-6)
        return s;
    uvec3 corner = triangleIndices(g, t.primitive);
    vec3 emission = m.emissive;
    if (m.emissiveTexture.texture >= 0)
    {
        vec2 uv = transformUV(m.emissiveTexture, texCoords(g, m.emissiveTexture.texCoord, corner, b));
        int index = m.emissiveTexture.texture;
        emission *= textureLod(textures[nonuniformEXT(index)], uv, 0.0).rgb;
    }
    s.radiance = emission / s.pdf;
    return s;
}

LightSample sampleEnvironment(float pick, vec2 u)
{
    uint width = frame.environmentWidth;
    uint count = width * (width / 2u);
    float scaled = pick * float(count);
    uint texel = min(uint(scaled), count - 1u);
    // A float has no digits left between the entries of a large map: the choice inside one is u's.
    EnvironmentAlias entry = environmentTable.v[texel];
    if (u.y < entry.keep)
        u.y /= max(entry.keep, 1e-12);
    else
    {
        u.y = (u.y - entry.keep) / max(1.0 - entry.keep, 1e-12);
        texel = entry.alias;
    }
    float phi = ((float(texel % width) + u.x) / float(width) - 0.5) * 2.0 * PI;
    // Uniform over the texel's solid angle.
    float top = cos(float(texel / width) / float(width) * 2.0 * PI);
    float bottom = cos(float(texel / width + 1u) / float(width) * 2.0 * PI);
    float z = mix(top, bottom, min(u.y, 0.9999999));
    float r = sqrt(max(0.0, 1.0 - z * z));
    LightSample s;
    vec3 side = cross(frame.skyFront.xyz, frame.skyUp.xyz);
    s.direction = frame.skyFront.xyz * (r * cos(phi)) + side * (r * sin(phi)) + frame.skyUp.xyz * z;
    s.distance = frame.tMax;
    s.pdf = environmentMap.v[texel].w * environmentShare();
    s.radiance = s.pdf > 0.0 ? environmentAt(s.direction).rgb / s.pdf : vec3(0.0);
    return s;
}

LightSample sampleLight(vec3 position, Sampler random, uint bounce)
{
    vec2 pick = random2(random, bounceDimension(bounce, DIM_LIGHT_PICK));
    vec2 u = random2(random, bounceDimension(bounce, DIM_LIGHT));
    if (pick.x < environmentShare())
        return sampleEnvironment(pick.y, u);
    if (pick.x < environmentShare() + triangleShare())
        return sampleTriangle(position, pick.y, u);
    if (frame.lightCount == 0u)
        return LightSample(vec3(0.0), 0.0, vec3(0.0), 0.0);
    return samplePunctual(position, pick.y, u);
}

#endif
