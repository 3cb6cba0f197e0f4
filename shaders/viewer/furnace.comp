#version 460
// Measures the scattering model of bsdf.glsl: what it reflects in a white furnace, whether its density is one, and whether
// it is reciprocal. Test code: cmd/viewer/internal/render/furnace_test.go.
#extension GL_GOOGLE_include_directive : require
#include "viewer/bsdf.glsl"

layout(local_size_x = 64) in;

struct Case
{
    vec4 baseColor;     // w = metallic
    vec4 surface;       // roughness, ior, specular, transmission
    vec4 specularColor; // w = 1: thin
    vec4 sheen;         // w = roughness
    vec4 coat;          // factor, roughness, iridescence, its thickness
    vec4 other;         // anisotropy, diffuse transmission, film's ior, 1 = seen from inside
    vec4 direction;     // of the viewer; w = samples of a lane
};
struct Result
{
    vec4 sampled;  // sums of f * cos / pdf, w = of the squared luminance
    vec4 even;     // sums over directions spread evenly: density, luminance of f * cos; largest and summed difference of f
    vec4 counts;   // w = values of f compared
};

layout(set = 0, binding = 0, std430) readonly buffer Cases { Case v[]; } cases;
layout(set = 0, binding = 1, std430) writeonly buffer Results { Result v[]; } results;

BsdfInput inputOf(Case c)
{
    return BsdfInput(c.baseColor.rgb, c.baseColor.w, c.surface.x, c.surface.y, c.surface.z, c.specularColor.rgb, c.surface.w,
                     c.specularColor.w > 0.0, c.other.w == 0.0, false, c.other.x, c.other.y, vec3(1.0), c.coat.x, c.coat.y,
                     vec3(0.0, 0.0, 1.0), c.sheen.rgb, c.sheen.w, c.coat.z, c.other.z, c.coat.w, c.surface.y);
}

// The relative difference of f from one side and from the other. Radiance changes by the squared index where it is refracted.
float difference(BsdfInput i, Bsdf b, vec3 wo, vec3 wi)
{
    float pdf;
    float there = luminance(bsdfEvaluate(b, wo, wi, pdf)) / abs(wi.z);
    float scale = 1.0;
    if (wi.z < 0.0)
    {
        scale = 1.0 / (b.eta * b.eta);
        i.front = i.thin ? i.front : !i.front;
        wi.z = -wi.z;
        wo.z = -wo.z;
    }
    float back = luminance(bsdfEvaluate(makeBsdf(i, wi), wi, wo, pdf)) / abs(wo.z) * scale;
    return abs(there - back) / max(max(there, back), 1e-3);
}

void main()
{
    uint lane = gl_GlobalInvocationID.x;
    Case c = cases.v[gl_WorkGroupID.x];
    BsdfInput i = inputOf(c);
    vec3 wo = normalize(c.direction.xyz);
    Bsdf b = makeBsdf(i, wo);
    Result r = Result(vec4(0.0), vec4(0.0), vec4(0.0));
    Sampler s = Sampler(pcgHash(gl_WorkGroupID.x), 0u);
    uint samples = uint(c.direction.w);
    for (uint k = 0u; k < samples; ++k)
    {
        s.index = gl_LocalInvocationID.x * samples + k;
        vec3 wi;
        float pdf;
        if (bsdfSample(b, wo, random2(s, 0u).x, random2(s, 1u), wi))
        {
            vec3 f = bsdfEvaluate(b, wo, wi, pdf);
            f = pdf > 0.0 ? f / pdf : vec3(0.0);
            float l = luminance(f);
            r.sampled += vec4(f, l * l);
            if (abs(wi.z) > 0.05)
            {
                float d = difference(i, b, wo, wi);
                r.even.z = max(r.even.z, d);
                r.even.w += d;
                r.counts.w += 1.0;
            }
        }
        vec2 u = random2(s, 2u);
        float z = 2.0 * u.x - 1.0;
        float radius = sqrt(max(0.0, 1.0 - z * z));
        vec3 even = vec3(radius * cos(2.0 * PI * u.y), radius * sin(2.0 * PI * u.y), z);
        float l = luminance(bsdfEvaluate(b, wo, even, pdf));
        r.even.x += pdf * 4.0 * PI;
        r.even.y += l * 4.0 * PI;
    }
    results.v[lane] = r;
}
