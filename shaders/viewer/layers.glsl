// The materials' extensions: one MaterialLayers beside each Material, read only where the scene's features ask for it.
// The Go side of this layout is cmd/viewer/internal/render/layers.go.
#ifndef VIEWER_LAYERS_GLSL
#define VIEWER_LAYERS_GLSL
#include "viewer/features.glsl"
#include "viewer/scene.glsl"

struct MaterialLayers
{
    vec3 attenuation;     // per unit of length, KHR_materials_volume
    float dispersion;
    vec3 specularColor;
    float specular;
    vec3 sheen;
    float sheenRoughness;
    vec3 diffuseTransmissionColor;
    float diffuseTransmission;
    float coat;
    float coatRoughness;
    float coatNormalScale;
    float iridescence;
    float filmIor;
    float filmMinimum;
    float filmMaximum;
    float anisotropy;
    float anisotropyCosine;
    float anisotropySine;
    float pad0;
    float pad1;
    TextureUse transmissionTexture;
    TextureUse specularTexture;
    TextureUse specularColorTexture;
    TextureUse sheenTexture;
    TextureUse sheenRoughnessTexture;
    TextureUse diffuseTransmissionTexture;
    TextureUse diffuseTransmissionColorTexture;
    TextureUse coatTexture;
    TextureUse coatRoughnessTexture;
    TextureUse coatNormalTexture;
    TextureUse iridescenceTexture;
    TextureUse filmTexture;
    TextureUse anisotropyTexture;
};

layout(set = 0, binding = 9, std430) readonly buffer Layers { MaterialLayers v[]; } layers;

const float SMOOTH_ROUGHNESS = 0.1; // below, what is seen through a surface is not blurred to speak of

// What a straight ray keeps of its light at a surface that it may pass (KHR_materials_transmission), for shadow rays.
// Nothing where the surface blurs: there light comes by paths.
vec3 straightTransmission(uint geometryIndex, uint primitive, vec2 barycentrics, float cosine)
{
    Geometry g = geometries.v[geometryIndex];
    Material m = materials.v[g.material];
    if (m.transmission <= 0.0)
        return vec3(0.0);
    uvec3 corner = triangleIndices(g, primitive);
    vec3 b = cornerWeights(g, barycentrics);
    TexturePoint at = TexturePoint(texCoords(g, 0u, corner, b), texCoords(g, 1u, corner, b), -64.0, -64.0);
    vec4 mr = sampleTexture(m.metallicRoughnessTexture, at);
    if (m.roughness * mr.g > SMOOTH_ROUGHNESS)
        return vec3(0.0);
    vec4 base = m.baseColor * sampleTexture(m.baseColorTexture, at) * vertexColor(g, corner, b);
    float share = m.transmission * (1.0 - clamp(m.metallic * mr.b, 0.0, 1.0));
    share *= sampleTexture(layers.v[g.material].transmissionTexture, at).r;
    float r = (m.ior - 1.0) / (m.ior + 1.0);
    float w = 1.0 - cosine;
    float w2 = w * w;
    return base.rgb * (share * (1.0 - r * r) * (1.0 - w2 * w2 * w));
}

#endif
