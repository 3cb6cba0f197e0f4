#ifndef VIEWER_VERIFY_HIT_GLSL
#define VIEWER_VERIFY_HIT_GLSL

struct Hit // 32 bytes
{
    float t; // MISS_T = miss
    uint instance;
    uint geometry;
    uint primitive;
    vec2 barycentrics;
    uint kind;
    uint customIndex;
};

#endif
