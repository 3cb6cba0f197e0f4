// The queue between climb.comp and ploc.comp; its address is push.exchange.
#ifndef ER_BVH_SEED_GLSL
#define ER_BVH_SEED_GLSL
layout(buffer_reference, std430, buffer_reference_align = 16) buffer ErSeeds {
    uint count;
    uvec4 seed[]; // build, left, right, node between the halves
};
#endif
