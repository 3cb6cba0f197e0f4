// Light sampling: one sample per bounce, from the punctual lights (KHR_lights_punctual and the sun) or from the
// emissive triangles.
//
// A triangle is drawn with probability weight * world area / lightPower, where the weight is the luminance the host
// measured on it, so its density per area is weight / lightPower whatever its size: that is what a ray which hits
// the triangle by chance needs to weigh itself against light sampling (Veach 1997, section 9.2).
#ifndef VIEWER_LIGHTS_GLSL
#define VIEWER_LIGHTS_GLSL
#include "viewer/frame.glsl"
#include "viewer/scene.glsl"
#include "viewer/random.glsl"

const uint LIGHT_DIRECTIONAL = 0u;
const uint LIGHT_POINT = 1u;
const uint LIGHT_SPOT = 2u;

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
    float cumulative; // probability of this and all triangles before it
    vec3 e1;
    uint geometry;
    vec3 e2;
    uint primitive;
    float weight;
    float side;       // -1 where a mirrored instance turned the winding
    float pad0;
    float pad1;
};

layout(set = 0, binding = 6, std430) readonly buffer Lights { Light v[]; } lights;
layout(set = 0, binding = 7, std430) readonly buffer LightTriangles { LightTriangle v[]; } lightTriangles;

struct LightSample
{
    vec3 direction;
    float distance; // 0 = none
    vec3 radiance;  // divided by the density of the sample
    float pdf;      // per solid angle; 0 = a light that no other ray can hit
};

// The probability of sampling the triangles rather than the punctual lights.
float triangleShare()
{
    if (frame.lightTriangleCount == 0u)
        return 0.0;
    return frame.lightCount == 0u ? 1.0 : 0.5;
}

// The density per solid angle with which sampleLight would have drawn the point at this distance on a triangle.
float lightTrianglePdf(Geometry g, uint primitive, float distance2, float cosine)
{
    if (frame.lightTriangleCount == 0u || !present(g.emission) || cosine <= 0.0)
        return 0.0;
    float weight = Floats(g.emission).v[primitive];
    return triangleShare() * weight / frame.lightPower * distance2 / cosine;
}

LightSample samplePunctual(vec3 position, uint seed, uint bounce)
{
    float pick = random(seed, bounceDimension(bounce, DIM_LIGHT_PICK));
    uint index = min(uint(pick * float(frame.lightCount)), frame.lightCount - 1u);
    Light light = lights.v[index];
    float density = (1.0 - triangleShare()) / float(frame.lightCount);
    vec2 u = vec2(random(seed, bounceDimension(bounce, DIM_LIGHT_X)), random(seed, bounceDimension(bounce, DIM_LIGHT_Y)));

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
    vec3 toLight = light.position - position;
    float distance2 = max(dot(toLight, toLight), 1e-12);
    s.distance = sqrt(distance2);
    s.direction = toLight / s.distance;
    float falloff = 1.0 / distance2;
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

uint findLightTriangle(float u)
{
    uint low = 0u;
    uint high = frame.lightTriangleCount - 1u;
    while (low < high)
    {
        uint middle = (low + high) / 2u;
        if (lightTriangles.v[middle].cumulative <= u)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

LightSample sampleTriangle(vec3 position, uint seed, uint bounce)
{
    LightTriangle t = lightTriangles.v[findLightTriangle(random(seed, bounceDimension(bounce, DIM_LIGHT_PICK)))];
    vec2 u = vec2(random(seed, bounceDimension(bounce, DIM_LIGHT_X)), random(seed, bounceDimension(bounce, DIM_LIGHT_Y)));
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

LightSample sampleLight(vec3 position, uint seed, uint bounce)
{
    LightSample none = LightSample(vec3(0.0), 0.0, vec3(0.0), 0.0);
    if (frame.lightCount == 0u && frame.lightTriangleCount == 0u)
        return none;
    if (random(seed, bounceDimension(bounce, DIM_LIGHT_KIND)) < triangleShare())
        return sampleTriangle(position, seed, bounce);
    return samplePunctual(position, seed, bounce);
}

#endif
