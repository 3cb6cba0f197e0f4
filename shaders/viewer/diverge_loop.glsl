// A path of up to four segments, cosine-distributed bounces, one hit group per geometry.
// With REORDER lanes are sorted between a ray and its shader.
#include "viewer/diverge.glsl"
#include "viewer/random.glsl"

layout(constant_id = 0) const uint SALT = 0u; // makes shaders that no cache has
layout(constant_id = 1) const uint FLAGS = gl_RayFlagsOpaqueEXT;

const uint SEGMENTS = 4u;
const float GLOW = 0.1; // what surfaces radiate of their colour, so that closed scenes have an image, too
const float FAR = 1e30;

struct Ray // as in ray_io.glsl
{
    vec3 origin;
    float tMin;
    vec3 direction;
    float tMax;
};
struct Result { vec3 radiance; uint rays; };

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer RayBuffer { Ray v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Results { Result v[]; };
layout(set = 0, binding = 0) uniform accelerationStructureEXT topLevel;
layout(location = 0) rayPayloadEXT Surface surface;

void main()
{
    uint index = gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
    uint seed = sampleSeed(gl_LaunchIDEXT.xy, 0u) ^ SALT;
    Ray first = RayBuffer(push.rays).v[index];
    vec3 origin = first.origin, direction = first.direction;
    vec3 radiance = vec3(0.0), throughput = vec3(1.0);
    uint rays = 0u;
    for (uint segment = 0u; segment < SEGMENTS; ++segment)
    {
#ifdef REORDER
        hitObjectNV hit;
        hitObjectTraceRayNV(hit, topLevel, FLAGS, 0xffu, 0u, 1u, 0u, origin, 0.0, direction, FAR, 0);
        reorderThreadNV(hit);
        hitObjectExecuteShaderNV(hit, 0);
#else
        traceRayEXT(topLevel, FLAGS, 0xffu, 0u, 1u, 0u, origin, 0.0, direction, FAR, 0);
#endif
        ++rays;
        if (surface.t < 0.0)
        {
            radiance += throughput;
            break;
        }
        radiance += GLOW * throughput * surface.colour;
        throughput *= surface.colour;
        vec3 n = dot(surface.normal, direction) > 0.0 ? -surface.normal : surface.normal;
        origin += direction * surface.t + n * push.offset;
        vec2 u = vec2(random(seed, 9u * segment + 3u), random(seed, 9u * segment + 4u));
        direction = normalize(basisAround(n) * sampleCosineHemisphere(u));
    }
    Results(push.results).v[index] = Result(radiance, rays);
}
