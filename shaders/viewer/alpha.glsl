// Alpha mask and alpha blend for the any hit shaders. Blending is stochastic: the surface is there with
// probability alpha. The decision is a hash of the pixel, the sample, the bounce and the triangle's identity and
// nothing else, so it is the same however often and in whatever order the traversal asks.
#ifndef VIEWER_ALPHA_GLSL
#define VIEWER_ALPHA_GLSL
#include "viewer/random.glsl"
#include "viewer/frame.glsl"
#include "viewer/scene.glsl"

// salt tells the rays of one sample apart. True: the ray goes on through the surface.
bool transparentHere(uint geometryIndex, vec2 barycentrics, uint salt)
{
    Geometry g = geometries.v[geometryIndex];
    Material m = materials.v[g.material];
    uvec3 corner = triangleIndices(g, uint(gl_PrimitiveID));
    float alpha = alphaAt(g, m, corner, vec3(1.0 - barycentrics.x - barycentrics.y, barycentrics));
    if ((m.flags & MATERIAL_ALPHA_MODE) == ALPHA_MASK)
        return alpha < m.alphaCutoff;
    uint seed = sampleSeed(gl_LaunchIDEXT.xy, push.sampleIndex);
    uint surface = pcgHash(uint(gl_InstanceID) + pcgHash(geometryIndex + pcgHash(uint(gl_PrimitiveID))));
    return random(pcgHash(seed ^ surface), salt) >= alpha;
}

#endif
