// From a surface to its scattering: the layers' textures, the local frame, and directions in the world. Included by
// closest hit shaders only.
#ifndef VIEWER_SCATTER_GLSL
#define VIEWER_SCATTER_GLSL
#include "viewer/surface.glsl"
#include "viewer/layers.glsl"
#include "viewer/bsdf.glsl"

struct Scatter
{
    Bsdf bsdf;
    vec3 wo;            // in the local frame
    mat3 toWorld;
    bool glass;         // bounds a volume and does not blur
    float straight;     // probability of passing as if nothing were there: a clear sheet
    bool colored;       // refracts colours apart
    vec3 colorWeight;
};

void loadCoat(inout BsdfInput i, Surface s, MaterialLayers l, mat3 toWorld, vec3 view)
{
    i.coat = l.coat * sampleTexture(l.coatTexture, s.at).r;
    i.coatRoughness = clamp(l.coatRoughness * sampleTexture(l.coatRoughnessTexture, s.at).g, 0.0, 1.0);
    vec3 n = normalize(mappedNormal(s.frame, l.coatNormalTexture, l.coatNormalScale, s.at));
    i.coatNormal = bentNormal(s.front ? n : -n, s.geometricNormal, view) * toWorld;
}

void loadFilm(inout BsdfInput i, Surface s, MaterialLayers l)
{
    i.iridescence = l.iridescence * sampleTexture(l.iridescenceTexture, s.at).r;
    i.filmIor = l.filmIor;
    i.filmThickness = mix(l.filmMinimum, l.filmMaximum, sampleTexture(l.filmTexture, s.at).g);
    if (i.filmThickness <= 0.0)
        i.iridescence = 0.0;
}

// The frame's x axis along the stretched highlight.
mat3 anisotropicFrame(inout BsdfInput i, Surface s, MaterialLayers l)
{
    mat3 around = basisAround(s.normal);
    i.anisotropy = l.anisotropy;
    vec2 turn = vec2(l.anisotropyCosine, l.anisotropySine);
    if (l.anisotropyTexture.texture >= 0)
    {
        vec3 map = sampleTexture(l.anisotropyTexture, s.at).xyz;
        vec2 along = map.xy * 2.0 - 1.0;
        along = dot(along, along) > 1e-8 ? normalize(along) : vec2(1.0, 0.0);
        turn = vec2(turn.x * along.x - turn.y * along.y, turn.y * along.x + turn.x * along.y);
        i.anisotropy *= map.z;
    }
    if (s.frame.tangent == vec3(0.0) || i.anisotropy <= 0.0)
        return around;
    vec3 bitangent = cross(s.frame.normal, s.frame.tangent) * s.frame.handedness;
    vec3 t = mat3(gl_ObjectToWorldEXT) * (s.frame.tangent * turn.x + bitangent * turn.y);
    t -= s.normal * dot(s.normal, t);
    if (dot(t, t) < 1e-12)
        return around;
    t = normalize(t);
    return mat3(t, cross(s.normal, t), s.normal);
}

void loadTransmission(inout BsdfInput i, inout Scatter q, Surface s, MaterialLayers l, float color, bool colored)
{
    i.transmission = s.transmission * sampleTexture(l.transmissionTexture, s.at).r;
    i.thin = (s.flags & MATERIAL_VOLUME) == 0u;
    bool clear = i.transmission > 0.0 && i.roughness <= SMOOTH_ROUGHNESS;
    q.glass = clear && !i.thin;
    i.straight = clear && i.thin;
    if (has(FEATURE_DISPERSION) && l.dispersion > 0.0 && !i.thin && i.transmission > 0.0)
    {
        // One of three colours, the same along the path (KHR_materials_dispersion).
        float channel = min(floor(color * 3.0), 2.0);
        i.refractionIor = max(1.0, i.ior + (channel - 1.0) * (i.ior - 1.0) * 0.025 * l.dispersion);
        q.colored = true;
        q.colorWeight = vec3(equal(vec3(channel), vec3(0.0, 1.0, 2.0))) * (colored ? 1.0 : 3.0);
    }
}

Scatter makeScatter(Surface s, vec3 view, float color, bool colored)
{
    Scatter q;
    q.glass = false;
    q.straight = 0.0;
    q.colored = false;
    q.colorWeight = vec3(1.0);
    q.toWorld = basisAround(s.normal);

    BsdfInput i;
    i.baseColor = s.baseColor;
    i.metallic = s.metallic;
    i.roughness = s.roughness;
    i.ior = s.ior;
    i.refractionIor = s.ior;
    i.specular = 1.0;
    i.specularColor = vec3(1.0);
    i.transmission = 0.0;
    i.thin = true;
    i.front = s.front;
    i.straight = false;
    i.anisotropy = 0.0;
    i.diffuseTransmission = 0.0;
    i.diffuseTransmissionColor = vec3(0.0);
    i.coat = 0.0;
    i.coatRoughness = 0.0;
    i.coatNormal = vec3(0.0, 0.0, 1.0);
    i.sheen = vec3(0.0);
    i.sheenRoughness = 0.0;
    i.iridescence = 0.0;
    i.filmIor = 1.0;
    i.filmThickness = 0.0;
    if (has(FEATURES_OF_LAYERS))
    {
        MaterialLayers l = layers.v[s.material];
        if (has(FEATURE_ANISOTROPY))
            q.toWorld = anisotropicFrame(i, s, l);
        if (has(FEATURE_TRANSMISSION))
            loadTransmission(i, q, s, l, color, colored);
        if (has(FEATURE_SPECULAR))
        {
            i.specular = l.specular * sampleTexture(l.specularTexture, s.at).a;
            i.specularColor = l.specularColor * sampleTexture(l.specularColorTexture, s.at).rgb;
        }
        if (has(FEATURE_SHEEN))
        {
            i.sheen = l.sheen * sampleTexture(l.sheenTexture, s.at).rgb;
            i.sheenRoughness = clamp(l.sheenRoughness * sampleTexture(l.sheenRoughnessTexture, s.at).a, 0.0, 1.0);
        }
        if (has(FEATURE_DIFFUSE_TRANSMISSION))
        {
            i.diffuseTransmission = l.diffuseTransmission * sampleTexture(l.diffuseTransmissionTexture, s.at).a;
            i.diffuseTransmissionColor =
                l.diffuseTransmissionColor * sampleTexture(l.diffuseTransmissionColorTexture, s.at).rgb;
        }
        // Inside of a volume the layers on its outside are not met.
        bool outside = s.front || i.thin;
        if (has(FEATURE_COAT) && outside)
            loadCoat(i, s, l, q.toWorld, view);
        if (has(FEATURE_IRIDESCENCE) && outside)
            loadFilm(i, s, l);
        if (!outside)
            i.sheen = vec3(0.0);
    }
    q.wo = view * q.toWorld;
    q.wo.z = max(q.wo.z, MIN_COSINE);
    q.bsdf = makeBsdf(i, q.wo);
    if (i.straight)
        q.straight = i.transmission * (1.0 - i.metallic) * q.bsdf.outgoingBelow;
    return q;
}

// A direction above the surface may lie below the shading normal's horizon, and the other way round. What the model sends
// below the surface although it reflects is reflected once more, by the surface: nothing is lost, and rims of normal maps do
// not turn dark. So what goes to a direction above is the model's value for it and for its mirror image below. This makes w
// local, or its image; false where the model has nothing for it.
bool localDirection(Surface s, Scatter q, inout vec3 w, bool image)
{
    float height = dot(w, s.geometricNormal);
    if (image)
    {
        if (height <= 0.0)
            return false;
        w = (w - 2.0 * height * s.geometricNormal) * q.toWorld;
        return w.z > 0.0;
    }
    w *= q.toWorld;
    return (height > 0.0) == (w.z > 0.0);
}

// Draws a direction in the world.
bool sampleScatter(Surface s, Scatter q, float lobe, vec2 u, out vec3 direction)
{
    vec3 wi;
    bool drawn = bsdfSample(q.bsdf, q.wo, lobe, u, wi);
    direction = normalize(q.toWorld * wi);
    float height = dot(direction, s.geometricNormal);
    if (wi.z > 0.0 && height < 0.0)
        direction -= 2.0 * height * s.geometricNormal;
    return drawn && (wi.z > 0.0 || height < 0.0);
}

#endif
