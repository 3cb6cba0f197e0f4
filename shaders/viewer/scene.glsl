// The scene as the hit shaders see it. Vertex attributes are reached through device addresses (as uvec2, so that
// no 64-bit integers are needed), everything small through storage buffers, textures through one unbounded array.
// The Go side of these layouts is cmd/viewer/internal/render/layout.go.
#ifndef VIEWER_SCENE_GLSL
#define VIEWER_SCENE_GLSL
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_nonuniform_qualifier : require

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Floats { float v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Uints { uint v[]; };

// An address of (0, 0) means that the mesh lacks the attribute.
struct Geometry
{
    uvec2 indices;
    uvec2 positions;
    uvec2 normals;
    uvec2 tangents;
    uvec2 uv0;
    uvec2 uv1;
    uvec2 colors;
    uvec2 emission; // one float per triangle: its weight as a light, see lights.glsl
    uint material;
    float radius;   // of points and lines, whose indices are their ends
    uint pad1;
    uint pad2;
};

// One use of a texture: uv' = (dot(vec3(uv, 1), row0), dot(vec3(uv, 1), row1)), KHR_texture_transform.
struct TextureUse
{
    vec3 row0;
    int texture; // -1 = none
    vec3 row1;
    uint texCoord;
};

const uint ALPHA_OPAQUE = 0u;
const uint ALPHA_MASK = 1u;
const uint ALPHA_BLEND = 2u;
const uint MATERIAL_ALPHA_MODE = 3u;     // mask of Material.flags
const uint MATERIAL_DOUBLE_SIDED = 4u;
const uint MATERIAL_UNLIT = 8u;
const uint MATERIAL_VOLUME = 16u;        // transmission refracts: the surface bounds a volume

struct Material
{
    vec4 baseColor;
    vec3 emissive;
    float alphaCutoff;
    float metallic;
    float roughness;
    float normalScale;
    float occlusionStrength;
    uint flags;
    float ior;
    float transmission;
    float pad0;
    TextureUse baseColorTexture;
    TextureUse metallicRoughnessTexture;
    TextureUse normalTexture;
    TextureUse occlusionTexture;
    TextureUse emissiveTexture;
};

layout(set = 0, binding = 4, std430) readonly buffer Geometries { Geometry v[]; } geometries;
layout(set = 0, binding = 5, std430) readonly buffer Materials { Material v[]; } materials;
layout(set = 0, binding = 8) uniform sampler2D textures[];

// The corners of a triangle; of a line its ends, the second one twice.
uvec3 triangleIndices(Geometry g, uint primitive)
{
    Uints indices = Uints(g.indices);
#ifdef VIEWER_THIN
    if (g.radius > 0.0)
        return uvec3(indices.v[2u * primitive], uvec2(indices.v[2u * primitive + 1u]));
#endif
    return uvec3(indices.v[3u * primitive], indices.v[3u * primitive + 1u], indices.v[3u * primitive + 2u]);
}

// The weights of those corners where a ray hits: see thin.glsl for points and lines.
vec3 cornerWeights(Geometry g, vec2 barycentrics)
{
#ifdef VIEWER_THIN
    if (g.radius > 0.0)
        return vec3(1.0 - clamp(barycentrics.x, 0.0, 1.0), clamp(barycentrics.x, 0.0, 1.0), 0.0);
#endif
    return vec3(1.0 - barycentrics.x - barycentrics.y, barycentrics);
}

bool present(uvec2 address)
{
    return (address.x | address.y) != 0u;
}

vec2 fetch2(uvec2 address, uint i)
{
    Floats f = Floats(address);
    return vec2(f.v[2u * i], f.v[2u * i + 1u]);
}

vec3 fetch3(uvec2 address, uint i)
{
    Floats f = Floats(address);
    return vec3(f.v[3u * i], f.v[3u * i + 1u], f.v[3u * i + 2u]);
}

vec4 fetch4(uvec2 address, uint i)
{
    Floats f = Floats(address);
    return vec4(f.v[4u * i], f.v[4u * i + 1u], f.v[4u * i + 2u], f.v[4u * i + 3u]);
}

// The texture coordinates of a point of a triangle, set 0 or 1; zero where the mesh has none.
vec2 texCoords(Geometry g, uint set, uvec3 corner, vec3 b)
{
    uvec2 address = set == 0u ? g.uv0 : g.uv1;
    if (!present(address))
        return vec2(0.0);
    return fetch2(address, corner.x) * b.x + fetch2(address, corner.y) * b.y + fetch2(address, corner.z) * b.z;
}

vec2 transformUV(TextureUse use, vec2 uv)
{
    return vec2(dot(vec3(uv, 1.0), use.row0), dot(vec3(uv, 1.0), use.row1));
}

// A point's texture coordinates of both sets, and for each the level of detail of a texture of one texel.
struct TexturePoint
{
    vec2 uv0;
    vec2 uv1;
    float lod0;
    float lod1;
};

vec4 sampleTexture(TextureUse use, TexturePoint at)
{
    if (use.texture < 0)
        return vec4(1.0);
    bool first = use.texCoord == 0u;
    vec2 uv = transformUV(use, first ? at.uv0 : at.uv1);
    int index = use.texture;
    // A texture of w x h texels, under a transform that scales areas by s, adds half the logarithm of s * w * h.
    ivec2 size = textureSize(textures[nonuniformEXT(index)], 0);
    float scale = abs(use.row0.x * use.row1.y - use.row0.y * use.row1.x);
    float texels = max(scale * float(size.x) * float(size.y), 1e-30);
    float lod = max(0.0, (first ? at.lod0 : at.lod1) + 0.5 * log2(texels));
    return textureLod(textures[nonuniformEXT(index)], uv, lod);
}

// Linear r g b a; white where the mesh has no colours.
vec4 vertexColor(Geometry g, uvec3 corner, vec3 b)
{
    if (!present(g.colors))
        return vec4(1.0);
    return fetch4(g.colors, corner.x) * b.x + fetch4(g.colors, corner.y) * b.y + fetch4(g.colors, corner.z) * b.z;
}

// The alpha of a point of a triangle: base colour factor x texture x vertex colour.
float alphaAt(Geometry g, Material m, uvec3 corner, vec3 b)
{
    float alpha = m.baseColor.a;
    if (m.baseColorTexture.texture >= 0)
    {
        vec2 uv = transformUV(m.baseColorTexture, texCoords(g, m.baseColorTexture.texCoord, corner, b));
        int index = m.baseColorTexture.texture;
        alpha *= textureLod(textures[nonuniformEXT(index)], uv, 0.0).a;
    }
    return alpha * vertexColor(g, corner, b).a;
}

#endif
