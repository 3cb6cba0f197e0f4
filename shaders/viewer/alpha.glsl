// Alpha mask and alpha blend for the any hit shaders. Blending is stochastic: the surface is there with
// probability alpha. The decision is a hash of the pixel, the sample, the bounce and the triangle's identity and
// nothing else, so it is the same however often and in whatever order the traversal asks.
#ifndef VIEWER_ALPHA_GLSL
#define VIEWER_ALPHA_GLSL
#include "viewer/random.glsl"
#include "viewer/frame.glsl"
#include "viewer/scene.glsl"

// salt tells the rays of one sample apart. True: the ray goes on through the surface.
bool transparentAt(uvec2 pixel, uint instance, uint primitive, uint geometryIndex, vec2 barycentrics, uint salt)
{
    Geometry g = geometries.v[geometryIndex];
    Material m = materials.v[g.material];
    if ((m.flags & MATERIAL_ALPHA_MODE) == ALPHA_OPAQUE) // one that lets light pass for another reason
        return false;
    uvec3 corner = triangleIndices(g, primitive);
    float alpha = alphaAt(g, m, corner, cornerWeights(g, barycentrics));
    if ((m.flags & MATERIAL_ALPHA_MODE) == ALPHA_MASK)
        return alpha < m.alphaCutoff;
    uint seed = sampleSeed(pixel, push.sampleIndex);
    uint surface = pcgHash(instance + pcgHash(geometryIndex + pcgHash(primitive)));
    return random(pcgHash(seed ^ surface), salt) >= alpha;
}

#ifndef VIEWER_COMPUTE
bool transparentHere(uint geometryIndex, vec2 barycentrics, uint salt)
{
    return transparentAt(gl_LaunchIDEXT.xy, uint(gl_InstanceID), uint(gl_PrimitiveID), geometryIndex, barycentrics, salt);
}
#endif

#endif
