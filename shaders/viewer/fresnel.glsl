// What a smooth surface reflects: Schlick's approximation, from both sides, and a thin film.
#ifndef VIEWER_FRESNEL_GLSL
#define VIEWER_FRESNEL_GLSL
#include "viewer/random.glsl"

float luminance(vec3 c)
{
    return dot(c, vec3(0.2126, 0.7152, 0.0722));
}

float largest(vec3 v)
{
    return max(v.x, max(v.y, v.z));
}

float pow5(float x)
{
    float x2 = x * x;
    return x2 * x2 * x;
}

float schlickWeight(float cosine)
{
    return pow5(clamp(1.0 - cosine, 0.0, 1.0));
}

// The cosine that Schlick's formula takes: that of the larger angle, behind the surface where light leaves the denser side;
// 0, so that all is reflected, where nothing passes. eta is the index on this side divided by the other's.
float schlickCosine(float cosine, float eta)
{
    if (eta <= 1.0)
        return cosine;
    float sine2 = eta * eta * (1.0 - cosine * cosine);
    return sine2 >= 1.0 ? 0.0 : sqrt(1.0 - sine2);
}

vec3 f0ToIor(vec3 f0)
{
    vec3 r = sqrt(clamp(f0, 0.0, 0.9999));
    return (1.0 + r) / (1.0 - r);
}

vec3 iorToF0(vec3 inner, float outer)
{
    vec3 r = (inner - outer) / (inner + outer);
    return r * r;
}

// Sensitivity of the colour matching functions in Fourier space: Gaussian fits, from XYZ to linear Rec. 709
// (Belcour and Barla 2017, "A Practical Extension to Microfacet Theory for the Modeling of Varying Iridescence").
vec3 filmSensitivity(float opticalPath, vec3 shift)
{
    float phase = 2.0 * PI * opticalPath * 1.0e-9;
    const vec3 VAL = vec3(5.4856e-13, 4.4201e-13, 5.2481e-13);
    const vec3 POS = vec3(1.6810e+06, 1.7953e+06, 2.2084e+06);
    const vec3 VAR = vec3(4.3278e+09, 9.3046e+09, 6.6121e+09);
    vec3 xyz = VAL * sqrt(2.0 * PI * VAR) * cos(POS * phase + shift) * exp(-phase * phase * VAR);
    xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e+09) * cos(2.2399e+06 * phase + shift.x) *
             exp(-4.5282e+09 * phase * phase);
    xyz /= 1.0685e-7;
    const mat3 XYZ_TO_REC709 = mat3(3.2404542, -0.9692660, 0.0556434, -1.5371385, 1.8760108, -0.2040259, -0.4985314,
                                    0.0415560, 1.0572252);
    return XYZ_TO_REC709 * xyz;
}

// The reflectance of a film of that thickness in nanometres over a surface of reflectance f0 (KHR_materials_iridescence,
// appendix; Belcour and Barla 2017).
vec3 filmFresnel(float filmIor, float cosine, float thickness, vec3 f0)
{
    filmIor = mix(1.0, filmIor, smoothstep(0.0, 30.0, thickness)); // a film that vanishes is none
    float cosine2Squared = 1.0 - (1.0 - cosine * cosine) / (filmIor * filmIor);
    if (cosine2Squared <= 0.0)
        return vec3(1.0);
    float cosine2 = sqrt(cosine2Squared);
    float r0 = iorToF0(vec3(filmIor), 1.0).x;
    float r12 = r0 + (1.0 - r0) * schlickWeight(cosine);
    float t121 = 1.0 - r12;
    vec3 baseIor = f0ToIor(f0);
    vec3 r1 = iorToF0(baseIor, filmIor);
    vec3 r23 = r1 + (1.0 - r1) * schlickWeight(cosine2);
    float phase21 = filmIor < 1.0 ? 0.0 : PI;
    vec3 phase23 = mix(vec3(0.0), vec3(PI), lessThan(baseIor, vec3(filmIor)));
    float path = 2.0 * filmIor * thickness * cosine2;
    vec3 r123 = clamp(r12 * r23, 1e-5, 0.9999);
    vec3 rs = t121 * t121 * r23 / (1.0 - r123);
    vec3 sum = r12 + rs;
    vec3 c = rs - t121;
    vec3 amplitude = sqrt(r123);
    for (int m = 1; m <= 2; ++m)
    {
        c *= amplitude;
        sum += c * 2.0 * filmSensitivity(float(m) * path, float(m) * (phase21 + phase23));
    }
    return clamp(sum, 0.0, 1.0);
}

#endif
