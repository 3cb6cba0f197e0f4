// From a hit to a surface: interpolated attributes, textures, normal map. Included by closest hit shaders only.
#ifndef VIEWER_SURFACE_GLSL
#define VIEWER_SURFACE_GLSL
#include "viewer/features.glsl"
#include "viewer/frame.glsl"
#include "viewer/scene.glsl"
#ifdef VIEWER_THIN
#include "viewer/thin.glsl"
#endif

// The normal and tangent of a point in object space; no tangent is zero.
struct TangentFrame { vec3 normal; vec3 tangent; float handedness; };

struct Surface
{
    vec3 position;
    vec3 geometricNormal; // unit, on the ray's side
    vec3 normal;          // shading normal, on the ray's side
    TangentFrame frame;
    TexturePoint at;
    uint material;
    bool front;           // glTF's front: counter-clockwise, mirrored instances included
    uint geometry;
    vec3 baseColor;
    float metallic;
    float roughness;
    float occlusion;
    vec3 emission;
    float ior;
    float transmission;
    uint flags;
};

// How far above the surface a mirror would have to reflect, as a share of how far the viewer is, and at most.
const float LEAST_REFLECTION_SHARE = 0.9;
const float LEAST_REFLECTION = 0.01;

struct Corners { vec3 p0; vec3 p1; vec3 p2; };

Corners fetchCorners(Geometry g, uvec3 corner)
{
    return Corners(fetch3(g.positions, corner.x), fetch3(g.positions, corner.y), fetch3(g.positions, corner.z));
}

// Level of detail of a texture of one texel, by ray cones: the cone's footprint at the hit against the triangle's
// scale between texture and world (Akenine-Möller et al. 2019, Ray Tracing Gems, chapter 20, equation 34).
float coneLod(uvec2 uv, uvec3 corner, float texelsPerWorld)
{
    if (!present(uv))
        return 0.0;
    vec2 t0 = fetch2(uv, corner.x);
    vec2 t1 = fetch2(uv, corner.y) - t0;
    vec2 t2 = fetch2(uv, corner.z) - t0;
    return 0.5 * log2(max(abs(t1.x * t2.y - t1.y * t2.x) * texelsPerWorld, 1e-30));
}

TexturePoint texturePoint(Geometry g, uvec3 corner, vec3 b, vec3 worldCross, float coneWidth, float cosine)
{
    float footprint = coneWidth * coneWidth / (max(cosine, 0.05) * max(length(worldCross), 1e-30));
    return TexturePoint(texCoords(g, 0u, corner, b), texCoords(g, 1u, corner, b), coneLod(g.uv0, corner, footprint),
                        coneLod(g.uv1, corner, footprint));
}

// The tangent of a triangle from its texture coordinates, where the mesh has no tangents; w is the handedness.
vec4 triangleTangent(Geometry g, uint set, uvec3 corner, vec3 e1, vec3 e2, vec3 n)
{
    uvec2 address = set == 0u ? g.uv0 : g.uv1;
    if (!present(address))
        return vec4(0.0);
    vec2 t0 = fetch2(address, corner.x);
    vec2 d1 = fetch2(address, corner.y) - t0;
    vec2 d2 = fetch2(address, corner.z) - t0;
    float det = d1.x * d2.y - d1.y * d2.x;
    if (abs(det) < 1e-20)
        return vec4(0.0);
    vec3 tangent = (e1 * d2.y - e2 * d1.y) * sign(det);
    vec3 bitangent = (e2 * d1.x - e1 * d2.x) * sign(det);
    return vec4(tangent, dot(cross(n, tangent), bitangent) < 0.0 ? -1.0 : 1.0);
}

TangentFrame tangentFrame(Geometry g, bool tangents, uint set, uvec3 corner, vec3 b, Corners c, vec3 faceNormal)
{
    TangentFrame f = TangentFrame(faceNormal, vec3(0.0), 1.0);
    if (present(g.normals))
    {
        vec3 n = fetch3(g.normals, corner.x) * b.x + fetch3(g.normals, corner.y) * b.y + fetch3(g.normals, corner.z) * b.z;
        f.normal = dot(n, n) > 0.0 ? normalize(n) : faceNormal;
    }
    if (!tangents)
        return f;
    vec4 t = present(g.tangents)
        ? fetch4(g.tangents, corner.x) * b.x + fetch4(g.tangents, corner.y) * b.y + fetch4(g.tangents, corner.z) * b.z
        : triangleTangent(g, set, corner, c.p1 - c.p0, c.p2 - c.p0, f.normal);
    vec3 tangent = t.xyz - f.normal * dot(f.normal, t.xyz);
    f.tangent = dot(tangent, tangent) > 1e-20 ? normalize(tangent) : vec3(0.0);
    f.handedness = t.w < 0.0 ? -1.0 : 1.0;
    return f;
}

// A normal map's normal in world space, not normalised. Tangent space is built in object space and carried to the world
// column by column, which keeps the bitangent right under mirrored instances.
vec3 mappedNormal(TangentFrame f, TextureUse use, float scale, TexturePoint at)
{
    vec3 world = f.normal * mat3(gl_WorldToObjectEXT); // the inverse transpose
    if (use.texture < 0 || f.tangent == vec3(0.0))
        return world;
    vec3 bitangent = cross(f.normal, f.tangent) * f.handedness;
    vec3 map = sampleTexture(use, at).xyz * 2.0 - 1.0;
    map.xy *= scale;
    vec3 bent = map.x * normalize(mat3(gl_ObjectToWorldEXT) * f.tangent) +
                map.y * normalize(mat3(gl_ObjectToWorldEXT) * bitangent) + map.z * normalize(world);
    return dot(bent, bent) > 0.0 ? bent : world;
}

// A shading normal may be such that a mirror there would reflect into the surface, or that the viewer is below its
// horizon: rims of normal-mapped metal were black rings. The reflection is lifted just above the surface, and the normal
// becomes the one that reflects there (after Keller et al. 2017, "The Iray Light Transport Simulation and Rendering
// System").
vec3 bentNormal(vec3 n, vec3 geometric, vec3 view)
{
    float least = min(LEAST_REFLECTION_SHARE * dot(view, geometric), LEAST_REFLECTION);
    vec3 r = 2.0 * dot(n, view) * n - view;
    float height = dot(r, geometric);
    if (height >= least && dot(n, view) > 0.0)
        return n;
    return normalize(view + normalize(r + max(least - height, 0.0) * geometric));
}

Surface loadSurface(uint geometryIndex, vec2 barycentrics, float coneWidth)
{
    Geometry g = geometries.v[geometryIndex];
    Material m = materials.v[g.material];
    uvec3 corner = triangleIndices(g, uint(gl_PrimitiveID));
    vec3 b = cornerWeights(g, barycentrics);
    Corners c = fetchCorners(g, corner);

    Surface s;
    s.geometry = geometryIndex;
    s.flags = m.flags;
    s.ior = m.ior;
    s.transmission = m.transmission;
    // Interpolated vertices lose fewer digits than origin + t * direction.
    vec3 position = c.p0 * b.x + c.p1 * b.y + c.p2 * b.z;
    vec3 faceNormal = cross(c.p1 - c.p0, c.p2 - c.p0);
#ifdef VIEWER_THIN
    if (g.radius > 0.0)
    {
        faceNormal = thinNormal(barycentrics, c.p1 - c.p0);
        position += g.radius * faceNormal;
    }
#endif
    s.position = gl_ObjectToWorldEXT * vec4(position, 1.0);
    // Facing is decided in object space, where a mirrored instance has not turned the winding.
    s.front = dot(faceNormal, gl_ObjectRayDirectionEXT) < 0.0;
    vec3 worldCross = cross(mat3(gl_ObjectToWorldEXT) * (c.p1 - c.p0), mat3(gl_ObjectToWorldEXT) * (c.p2 - c.p0));
#ifdef VIEWER_THIN
    if (g.radius > 0.0)
        worldCross = faceNormal * mat3(gl_WorldToObjectEXT);
#endif
    vec3 view = -gl_WorldRayDirectionEXT;
    vec3 ng = normalize(worldCross);
    s.geometricNormal = dot(ng, view) < 0.0 ? -ng : ng;

    TexturePoint at = texturePoint(g, corner, b, worldCross, coneWidth, abs(dot(ng, view)));
    s.at = at;
    s.material = g.material;
    bool tangents = m.normalTexture.texture >= 0 || has(FEATURE_ANISOTROPY | FEATURE_COAT);
    TangentFrame f = tangentFrame(g, tangents, m.normalTexture.texCoord, corner, b, c, normalize(faceNormal));
    vec3 n = normalize(mappedNormal(f, m.normalTexture, m.normalScale, at));
    s.normal = bentNormal(s.front ? n : -n, s.geometricNormal, view);
    s.frame = f;

    s.baseColor = (m.baseColor * sampleTexture(m.baseColorTexture, at) * vertexColor(g, corner, b)).rgb;
    vec4 mr = sampleTexture(m.metallicRoughnessTexture, at);
    s.metallic = clamp(m.metallic * mr.b, 0.0, 1.0);
    s.roughness = clamp(m.roughness * mr.g, 0.0, 1.0);
    s.occlusion = 1.0 + m.occlusionStrength * (sampleTexture(m.occlusionTexture, at).r - 1.0);
    bool emits = s.front || (m.flags & MATERIAL_DOUBLE_SIDED) != 0u;
    s.emission = emits ? m.emissive * sampleTexture(m.emissiveTexture, at).rgb : vec3(0.0);
    return s;
}

// glTF culls the back faces of single-sided materials. Doing so for all rays would let light leak into rooms; doing it
// for what the camera sees directly shows what a rasteriser shows, under the light of closed rooms.
bool culledForCamera(Surface s)
{
    return !s.front && (s.flags & (MATERIAL_DOUBLE_SIDED | MATERIAL_VOLUME)) == 0u;
}

// Moves a point off the surface along n by a distance made of the floats' own spacing
// (Wächter and Binder 2019, Ray Tracing Gems, chapter 6).
vec3 offsetPoint(vec3 p, vec3 n)
{
    const float ORIGIN = 1.0 / 32.0;
    const float FLOAT_SCALE = 1.0 / 65536.0;
    const float INT_SCALE = 256.0;
    ivec3 of = ivec3(INT_SCALE * n);
    vec3 q = intBitsToFloat(floatBitsToInt(p) + ivec3(p.x < 0.0 ? -of.x : of.x, p.y < 0.0 ? -of.y : of.y,
                                                      p.z < 0.0 ? -of.z : of.z));
    return vec3(abs(p.x) < ORIGIN ? p.x + FLOAT_SCALE * n.x : q.x, abs(p.y) < ORIGIN ? p.y + FLOAT_SCALE * n.y : q.y,
                abs(p.z) < ORIGIN ? p.z + FLOAT_SCALE * n.z : q.z);
}

#endif
