// GGX and Charlie microfacets in a frame whose z axis is the normal, and the table of what they reflect in all.
#ifndef VIEWER_MICROFACET_GLSL
#define VIEWER_MICROFACET_GLSL
#include "viewer/random.glsl"

// Directional albedos by cosine and roughness, made by cmd/viewer/internal/render/albedo.go: GGX under Schlick's Fresnel
// reflects f0 * x + f90 * y. An entry has its four corners, in halves, so that a look-up is one load; columns are at the
// squares of cosines, denser at grazing angles. The last entry of a row is the mean over the hemisphere, for this roughness
// and the next. Behind all rows is the same for Charlie's sheen.
const uint ALBEDO_SIDE = 32u;
layout(set = 0, binding = 10, std430) readonly buffer AlbedoTable { uvec4 v[]; } albedoTable;

struct AlbedoCell { uint at; vec2 t; };

AlbedoCell albedoCell(float cosine, float roughness)
{
    float x = sqrt(clamp(cosine, 0.0, 1.0)) * float(ALBEDO_SIDE - 1u);
    float y = clamp(roughness, 0.0, 1.0) * float(ALBEDO_SIDE - 1u);
    float column = min(floor(x), float(ALBEDO_SIDE - 2u));
    float row = min(floor(y), float(ALBEDO_SIDE - 2u));
    // Linear in the cosine between the columns' squares.
    float t = (x * x - column * column) / (2.0 * column + 1.0);
    return AlbedoCell(uint(row) * ALBEDO_SIDE + uint(column), vec2(clamp(t, 0.0, 1.0), y - row));
}

vec2 albedoMean(float roughness)
{
    float y = clamp(roughness, 0.0, 1.0) * float(ALBEDO_SIDE - 1u);
    float row = min(floor(y), float(ALBEDO_SIDE - 2u));
    uvec4 cell = albedoTable.v[uint(row) * ALBEDO_SIDE + ALBEDO_SIDE - 1u];
    return mix(unpackHalf2x16(cell.x), unpackHalf2x16(cell.y), y - row);
}

vec2 albedoAt(float cosine, float roughness)
{
    AlbedoCell c = albedoCell(cosine, roughness);
    uvec4 cell = albedoTable.v[c.at];
    return mix(mix(unpackHalf2x16(cell.x), unpackHalf2x16(cell.y), c.t.x),
               mix(unpackHalf2x16(cell.z), unpackHalf2x16(cell.w), c.t.x), c.t.y);
}

float sheenAlbedoAt(float cosine, float roughness)
{
    AlbedoCell c = albedoCell(cosine, roughness);
    uvec4 cell = albedoTable.v[c.at + ALBEDO_SIDE * ALBEDO_SIDE];
    vec2 columns = mix(unpackHalf2x16(cell.x), unpackHalf2x16(cell.y), c.t.y);
    return mix(columns.x, columns.y, c.t.x);
}

// What a rough interface between two media loses of light at an angle, from its thin and from its dense side: made by
// glass.go, behind both tables. eta is the ratio of the indices, either way round. mean is that over the hemispheres.
const uint GLASS_SIDE = 16u;
const uint GLASS_SLICES = 8u;
const float GLASS_MOST = 0.5;

vec2 glassLoss(float cosine, float roughness, float eta, bool mean)
{
    const float LAST = float(GLASS_SIDE - 1u);
    float slice = sqrt(min(abs(eta - 1.0) / ((eta + 1.0) * GLASS_MOST), 1.0)) * float(GLASS_SLICES - 1u);
    float x = mean ? LAST : sqrt(clamp(cosine, 0.0, 1.0)) * LAST;
    float y = clamp(roughness, 0.0, 1.0) * LAST;
    vec3 low = floor(vec3(mean ? LAST : min(x, LAST - 1.0), min(y, LAST - 1.0), min(slice, float(GLASS_SLICES - 2u))));
    float t = mean ? 0.0 : (x * x - low.x * low.x) / (2.0 * low.x + 1.0);
    uint at = 2u * ALBEDO_SIDE * ALBEDO_SIDE + (uint(low.z) * GLASS_SIDE + uint(low.y)) * GLASS_SIDE + uint(low.x);
    vec2 loss = vec2(0.0);
    for (uint k = 0u; k < 2u; ++k)
    {
        uvec4 cell = albedoTable.v[at + k * GLASS_SIDE * GLASS_SIDE];
        vec2 row = mix(unpackHalf2x16(cell.x), unpackHalf2x16(cell.y), t);
        vec2 next = mix(unpackHalf2x16(cell.z), unpackHalf2x16(cell.w), t);
        if (mean)
            next = unpackHalf2x16(cell.y);
        loss += mix(row, next, y - low.y) * (k == 1u ? slice - low.z : 1.0 - slice + low.z);
    }
    return loss;
}

float ggxD(vec3 h, vec2 alpha)
{
    vec2 s = h.xy / alpha;
    float d = dot(s, s) + h.z * h.z; // this form keeps its digits near h = z
    return 1.0 / (PI * alpha.x * alpha.y * d * d);
}

// Smith's lambda.
float ggxLambda(vec3 w, vec2 alpha)
{
    vec2 s = alpha * w.xy;
    return 0.5 * (sqrt(1.0 + dot(s, s) / max(w.z * w.z, 1e-12)) - 1.0);
}

// A microfacet normal as wo sees them, with density D * max(0, dot(wo, h)) / ((1 + lambda(wo)) * wo.z)
// (Heitz 2018, JCGT 7(4)).
vec3 sampleVisibleNormal(vec3 wo, vec2 alpha, vec2 u)
{
    vec3 v = normalize(vec3(alpha * wo.xy, wo.z));
    float len2 = dot(v.xy, v.xy);
    vec3 t1 = len2 > 0.0 ? vec3(-v.y, v.x, 0.0) * inversesqrt(len2) : vec3(1.0, 0.0, 0.0);
    vec3 t2 = cross(v, t1);
    float r = sqrt(u.x);
    float phi = 2.0 * PI * u.y;
    float p1 = r * cos(phi);
    float p2 = r * sin(phi);
    float s = 0.5 * (1.0 + v.z);
    p2 = (1.0 - s) * sqrt(max(0.0, 1.0 - p1 * p1)) + s * p2;
    vec3 n = p1 * t1 + p2 * t2 + sqrt(max(0.0, 1.0 - p1 * p1 - p2 * p2)) * v;
    return normalize(vec3(alpha * n.xy, max(1e-6, n.z)));
}

// The sheen's microfacets (Estevez and Kulla 2017, "Production Friendly Microfacet Sheen BRDF").
float sheenFit(float x, float alpha)
{
    float t = (1.0 - alpha) * (1.0 - alpha);
    float a = mix(21.5473, 25.3245, t);
    float b = mix(3.82987, 3.32435, t);
    float c = mix(0.19823, 0.16801, t);
    float d = mix(-1.97760, -1.27393, t);
    float e = mix(-4.32054, -4.85967, t);
    return a / (1.0 + b * pow(x, c)) + d * x + e;
}

float sheenLambda(float cosine, float alpha)
{
    bool high = cosine >= 0.5;
    float fit = sheenFit(high ? 1.0 - cosine : cosine, alpha);
    return exp(high ? 2.0 * sheenFit(0.5, alpha) - fit : fit);
}

// f * cos of white sheen.
float sheenEvaluate(vec3 wo, vec3 wi, float alpha)
{
    vec3 h = normalize(wo + wi);
    float sine2 = max(dot(h.xy, h.xy), 1e-12);
    float d = (2.0 + 1.0 / alpha) * pow(sine2, 0.5 / alpha) / (2.0 * PI);
    return d / ((1.0 + sheenLambda(wo.z, alpha) + sheenLambda(wi.z, alpha)) * 4.0 * wo.z);
}

#endif
