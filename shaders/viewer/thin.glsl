// Points and lines: what is no further than a radius from a segment, whose ends are the same for a point. Where such a geometry
// is hit is told in two numbers, in place of barycentrics: how far along the segment, below 0 and above 1 the height over the
// end's equator, and the angle around it. The hit shaders of scenes with points or lines are compiled with VIEWER_THIN, and tell
// geometries apart by their radius.
#ifndef VIEWER_THIN_GLSL
#define VIEWER_THIN_GLSL
#include "viewer/random.glsl"

struct ThinHit
{
    float t;
    float along; // where on the segment, from 0 to 1
    vec3 normal; // unit, outwards
};

const float THIN_EDGE = 1e-6; // of a segment's length: shorter across the ray, a line is met at its ends only

// Where a ray enters (side -1) or leaves (+1) a ball; false: it passes by. The distance from the middle is taken from the nearest
// point of the ray, which loses fewer digits than a quadratic's discriminant (Haines et al. 2019, Ray Tracing Gems, chapter 7).
bool throughBall(vec3 o, vec3 d, float r, float side, out float t)
{
    float dd = dot(d, d);
    float nearest = -dot(o, d) / dd;
    vec3 from = o + nearest * d;
    float h = r * r - dot(from, from);
    t = nearest + side * sqrt(max(h, 0.0) / dd);
    return h >= 0.0;
}

// The same of a capsule from 0 to `along`: its tube, or the ball at the end beyond which the tube would be met.
bool throughCapsule(vec3 o, vec3 d, vec3 along, float r, float side, out float t)
{
    float l = length(along);
    vec3 n = along / l;
    float up = dot(d, n);
    float high = dot(o, n);
    vec3 across = d - up * n;
    vec3 from = o - high * n;
    float aa = dot(across, across);
    bool atEnd = up * side > 0.0;
    if (aa > THIN_EDGE * THIN_EDGE * dot(d, d))
    {
        float nearest = -dot(from, across) / aa;
        from += nearest * across;
        float h = r * r - dot(from, from);
        if (h < 0.0)
            return false;
        t = nearest + side * sqrt(h / aa);
        float y = high + t * up;
        if (y >= 0.0 && y <= l)
            return true;
        atEnd = y > l;
    }
    return throughBall(atEnd ? o - along : o, d, r, side, t);
}

// The first meeting of a ray with a point or line within tMin and tMax, in the space of the mesh. From inside it is where the
// ray leaves, but for what is left by less than a thousandth of the radius: there rays start that leave the surface.
bool meetsThin(vec3 origin, vec3 direction, float tMin, float tMax, vec3 a, vec3 b, float radius, out ThinHit hit)
{
    // From the ray's point nearest to the middle, so that the numbers are small.
    vec3 along = b - a;
    float shift = dot(a + 0.5 * along - origin, direction) / dot(direction, direction);
    vec3 o = (origin - a) + shift * direction;
    bool ball = along == vec3(0.0);
    float least = tMin;
    for (float side = -1.0; side < 2.0; side += 2.0)
    {
        float t;
        if (!(ball ? throughBall(o, direction, radius, side, t) : throughCapsule(o, direction, along, radius, side, t)))
            return false;
        vec3 p = o + t * direction;
        t += shift;
        if (t > least && t < tMax)
        {
            hit.t = t;
            hit.along = ball ? 0.0 : clamp(dot(p, along) / dot(along, along), 0.0, 1.0);
            hit.normal = normalize(p - hit.along * along);
            return true;
        }
        least = max(tMin, 1e-3 * radius * inversesqrt(dot(direction, direction)));
    }
    return false;
}

mat3 thinFrame(vec3 along)
{
    return basisAround(along == vec3(0.0) ? vec3(0.0, 0.0, 1.0) : normalize(along));
}

vec2 packThin(ThinHit hit, vec3 along)
{
    vec3 n = hit.normal * thinFrame(along);
    float height = atan(n.z, length(n.xy)) * (2.0 / PI);
    bool low = hit.along <= 0.0 && n.z <= 0.0;
    bool high = (hit.along >= 1.0 || along == vec3(0.0)) && n.z > 0.0;
    return vec2(low ? height : high ? 1.0 + height : hit.along, atan(n.y, n.x));
}

// The normal of such a hit, of unit length.
vec3 thinNormal(vec2 hit, vec3 along)
{
    float height = (hit.x - clamp(hit.x, 0.0, 1.0)) * (0.5 * PI);
    return normalize(thinFrame(along) * vec3(cos(height) * vec2(cos(hit.y), sin(hit.y)), sin(height)));
}

#endif
