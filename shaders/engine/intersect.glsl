// Ray buffers of engine.Intersector: what engine.Ray and engine.Hit are in memory.
#ifndef EVERRAY_ENGINE_INTERSECT_GLSL
#define EVERRAY_ENGINE_INTERSECT_GLSL

struct IntersectRay {
    vec3 origin;
    float tMin;
    vec3 direction;
    float tMax;
};

struct IntersectHit {
    float t; // negative: nothing was hit
    vec2 barycentrics;
    uint primitive;
    uint mesh;
    uint kind;
};

#endif
