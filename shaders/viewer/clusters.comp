#version 460
// Variant: clusters
// A picture of a mesh in clusters, each in a colour of its own, or of plain structures; by compute only.
// A lamp far away casts shadows.
#extension GL_GOOGLE_include_directive : require
#include "bvh/trace/traverse.glsl"
layout(local_size_x = 8, local_size_y = 8) in; // pictureTile in demo.go

// The compute way binds a structure as a storage buffer; its header begins with its own address.
layout(set = 0, binding = 0, std430) readonly buffer TopLevel { uvec2 self; } topLevel;
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Pixels { uvec4 v[]; };

layout(push_constant, std430) uniform Push
{
    vec3 eye;
    uint width;
    vec3 forward;
    uint height;
    vec3 right;
    float shift; // of origins of rays to the lamp, from the surface
    vec3 up;
    uint pad;
    uvec2 pixels; // colour, distance as bits, and nothing
} push;

// Nothing asks: all geometry is opaque.
uint erCandidate(in ErRay ray, in ErHit candidate) { return ER_CANDIDATE_ACCEPT; }
bool erUsesTriangles() { return true; }
bool erUsesBoxes() { return false; }
uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate) { return ER_CANDIDATE_IGNORE; }
bool unseen = false; // a ray could not see the whole scene
void erTraversalFault(uint kind, uint value) { unseen = true; }

const vec3 LAMP = vec3(0.4082, 0.8165, 0.4082);

vec3 colourOf(uint n)
{
    n = (n ^ (n >> 16)) * 0x7feb352du;
    n = (n ^ (n >> 15)) * 0x846ca68bu;
    return 0.35 + 0.6 * vec3(n & 255u, (n >> 8) & 255u, (n >> 16) & 255u) / 255.0;
}

ErRay rayOf(vec3 origin, vec3 direction, uint flags)
{
    ErRay ray;
    ray.origin = origin;
    ray.tMin = 0.0;
    ray.direction = direction;
    ray.tMax = 1e30;
    ray.flags = flags;
    ray.cullMask = 0xffu;
    ray.sbtOffset = 0u;
    ray.sbtStride = 0u;
    return ray;
}

vec3 surface(ErRay ray, ErHit hit)
{
    ErInstance i = ErInstanceView(hit.instanceRecord).instance[0];
    vec3 a = erVertex(hit.instanceRecord, hit.leaf, 0u), b = erVertex(hit.instanceRecord, hit.leaf, 1u);
    vec3 n = cross(b - a, erVertex(hit.instanceRecord, hit.leaf, 2u) - a);
    n = normalize(n.x * i.worldToObject[0].xyz + n.y * i.worldToObject[1].xyz + n.z * i.worldToObject[2].xyz);
    n = dot(n, ray.direction) > 0.0 ? -n : n;
#ifdef ER_CLUSTERS
    vec3 albedo = colourOf(erClusterId(hit.instanceRecord, hit.leaf));
#else
    vec3 albedo = vec3(0.7);
#endif
    float light = max(dot(n, LAMP), 0.0);
    if (light > 0.0) {
        ErHit shade;
        erTraverse(topLevel.self, rayOf(ray.origin + hit.t * ray.direction + push.shift * n, LAMP,
            ER_RAY_OPAQUE | ER_RAY_TERMINATE_ON_FIRST_HIT), shade);
        light = shade.instanceIndex == ER_NO_INSTANCE ? light : 0.0;
    }
    return albedo * (0.25 + 0.15 * n.y + 0.7 * light);
}

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= push.width || at.y >= push.height)
        return;
    vec2 p = (vec2(at) + 0.5) / vec2(push.width, push.height) * 2.0 - 1.0;
    ErRay ray = rayOf(push.eye, normalize(push.forward + p.x * push.right - p.y * push.up), ER_RAY_OPAQUE);
    ErHit hit;
    erTraverse(topLevel.self, ray, hit);
    bool miss = hit.instanceIndex == ER_NO_INSTANCE;
    vec3 c = mix(vec3(0.75, 0.85, 1.0), vec3(1.0), 0.5 - 0.5 * ray.direction.y);
    if (!miss)
        c = surface(ray, hit);
    c = unseen ? vec3(1.0, 0.0, 1.0) : pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2));
    uvec3 bytes = uvec3(c * 255.0 + 0.5);
    Pixels(push.pixels).v[at.y * push.width + at.x] =
        uvec4(bytes.r | bytes.g << 8 | bytes.b << 16 | 0xff000000u, floatBitsToUint(hit.t), 0u, 0u);
}
