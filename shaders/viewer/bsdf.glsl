// The glTF metallic-roughness surface: Lambert under a GGX specular layer (glTF 2.0, appendix B), in a frame whose
// z axis is the shading normal. Sampling: visible normals (Heitz 2018, JCGT 7(4)) or the cosine, chosen by the
// Fresnel weight, with the density of both.
#ifndef VIEWER_BSDF_GLSL
#define VIEWER_BSDF_GLSL
#include "viewer/random.glsl"

struct Bsdf
{
    vec3 diffuse;
    vec3 f0;
    float alpha;               // GGX roughness = perceptual roughness squared
    float specularProbability;
};

const float MIN_ALPHA = 1e-3;  // smaller lobes lose their peak to float precision
const float MIN_COSINE = 1e-4;

float luminance(vec3 c)
{
    return dot(c, vec3(0.2126, 0.7152, 0.0722));
}

vec3 fresnelSchlick(vec3 f0, float cosine)
{
    float m = clamp(1.0 - cosine, 0.0, 1.0);
    float m2 = m * m;
    return f0 + (1.0 - f0) * (m2 * m2 * m);
}

Bsdf makeBsdf(vec3 baseColor, float metallic, float roughness, float ior, float cosineOut)
{
    Bsdf b;
    float r = (ior - 1.0) / (ior + 1.0);
    b.diffuse = baseColor * (1.0 - metallic);
    b.f0 = mix(vec3(r * r), baseColor, metallic);
    b.alpha = max(roughness * roughness, MIN_ALPHA);
    float specular = luminance(fresnelSchlick(b.f0, cosineOut));
    float diffuse = luminance(b.diffuse) * (1.0 - specular);
    b.specularProbability = clamp(specular / max(specular + diffuse, 1e-6), 0.05, 1.0);
    if (diffuse <= 0.0)
        b.specularProbability = 1.0;
    return b;
}

float ggxD(vec3 h, float alpha)
{
    float a2 = alpha * alpha;
    float d = (h.x * h.x + h.y * h.y) / a2 + h.z * h.z; // this form keeps its digits near h = z
    return 1.0 / (PI * a2 * d * d);
}

// Smith's lambda.
float ggxLambda(vec3 w, float alpha)
{
    float z2 = max(w.z * w.z, 1e-12);
    return 0.5 * (sqrt(1.0 + alpha * alpha * (w.x * w.x + w.y * w.y) / z2) - 1.0);
}

// f * cos for wi, and the density of bsdfSample for it. Both directions point away from the surface.
vec3 bsdfEvaluate(Bsdf b, vec3 wo, vec3 wi, out float pdf)
{
    pdf = 0.0;
    if (wo.z <= 0.0 || wi.z <= 0.0)
        return vec3(0.0);
    vec3 h = normalize(wo + wi);
    float lambdaOut = ggxLambda(wo, b.alpha);
    float d = ggxD(h, b.alpha);
    vec3 f = fresnelSchlick(b.f0, dot(wo, h));
    vec3 specular = f * (d / ((1.0 + lambdaOut + ggxLambda(wi, b.alpha)) * 4.0 * wo.z));
    vec3 diffuse = (1.0 - f) * b.diffuse * (wi.z / PI);
    float specularPdf = d / ((1.0 + lambdaOut) * 4.0 * wo.z);
    pdf = mix(wi.z / PI, specularPdf, b.specularProbability);
    return specular + diffuse;
}

vec3 sampleVisibleNormal(vec3 wo, float alpha, vec2 u)
{
    vec3 v = normalize(vec3(alpha * wo.x, alpha * wo.y, wo.z));
    float len2 = v.x * v.x + v.y * v.y;
    vec3 t1 = len2 > 0.0 ? vec3(-v.y, v.x, 0.0) * inversesqrt(len2) : vec3(1.0, 0.0, 0.0);
    vec3 t2 = cross(v, t1);
    float r = sqrt(u.x);
    float phi = 2.0 * PI * u.y;
    float p1 = r * cos(phi);
    float p2 = r * sin(phi);
    float s = 0.5 * (1.0 + v.z);
    p2 = (1.0 - s) * sqrt(max(0.0, 1.0 - p1 * p1)) + s * p2;
    vec3 n = p1 * t1 + p2 * t2 + sqrt(max(0.0, 1.0 - p1 * p1 - p2 * p2)) * v;
    return normalize(vec3(alpha * n.x, alpha * n.y, max(1e-6, n.z)));
}

// Draws wi; returns f * cos / pdf, zero where the sample fell below the surface.
vec3 bsdfSample(Bsdf b, vec3 wo, float lobe, vec2 u, out vec3 wi, out float pdf)
{
    if (lobe < b.specularProbability)
        wi = reflect(-wo, sampleVisibleNormal(wo, b.alpha, u));
    else
        wi = sampleCosineHemisphere(u);
    if (wi.z < MIN_COSINE)
    {
        pdf = 0.0;
        return vec3(0.0);
    }
    vec3 f = bsdfEvaluate(b, wo, wi, pdf);
    return pdf > 0.0 ? f / pdf : vec3(0.0);
}

#endif
