// The glTF surface with the layers of its extensions, in a frame whose z axis is the shading normal and x axis the tangent:
//
//     coat (KHR_materials_clearcoat), with a normal of its own
//     sheen
//     specular reflection: GGX, anisotropic, under Schlick's Fresnel or a thin film (specular, ior, anisotropy, iridescence)
//     below it a mix of Lambert reflection, Lambert transmission (diffuse_transmission) and
//     specular transmission, refracting (volume) or through a thin sheet (transmission)
//
// A layer takes from what is below it what it reflects itself, measured by the table of directional albedos. The factors are
// symmetric in both directions, so the whole is reciprocal. What microfacets lose between each other comes back as a smooth
// lobe (Kulla and Conty 2017, "Revisiting Physically Based Shading at Imageworks"), from refracting interfaces on both sides.
#ifndef VIEWER_BSDF_GLSL
#define VIEWER_BSDF_GLSL
#include "viewer/features.glsl"
#include "viewer/fresnel.glsl"
#include "viewer/microfacet.glsl"

const float MIN_ALPHA = 1e-3;  // smaller lobes lose their peak to float precision
const float MIN_COSINE = 1e-4;
const float COAT_F0 = 0.04;
const float MIN_SHEEN_ALPHA = 0.0049; // roughness 0.07: below it the sheen is narrower than its fit

// The values of a surface that decide how it scatters. Those of features that are not there are never read.
struct BsdfInput
{
    vec3 baseColor;
    float metallic;
    float roughness;
    float ior;
    float specular;
    vec3 specularColor;
    float transmission;
    bool thin;             // transmission through a sheet: nothing is refracted
    bool front;            // seen from outside
    bool straight;         // specular transmission is not here: the path goes on as it was, see path.rchit
    float anisotropy;
    float diffuseTransmission;
    vec3 diffuseTransmissionColor;
    float coat;
    float coatRoughness;
    vec3 coatNormal;       // in the frame of the shading normal
    vec3 sheen;
    float sheenRoughness;
    float iridescence;
    float filmIor;
    float filmThickness;
    float refractionIor;   // ior, or that of one colour
};

struct Bsdf
{
    BsdfInput in_;
    vec2 alpha;
    float eta;             // index on wo's side divided by the other's; 1 where thin
    vec3 f0;
    vec3 f90;
    float f0Dielectric;    // largest colour of what lies over diffuse and transmission
    float f90Dielectric;
    vec3 multiple;         // share of multiply scattered light that is reflected, over the table's (1 - mean)
    float multipleDielectric;
    vec3 diffuse;          // colours of what is below, with metallic and the other weights in them
    vec3 through;
    vec3 transmit;
    float outgoingLoss;    // 1 - albedo of GGX with full reflection at wo
    float outgoingBelow;   // what reaches below the specular layer at wo, upper layers included
    float outgoingCoat;    // what reaches below the coat at wo
    float outgoingTop;     // and below the sheen
    float normBelow;
    float glassReflects;   // factors of what a rough refracting interface loses at wi, see glassScatters; 0 where thin
    float glassTransmits;
    float pickCoat;        // probabilities of the lobes
    float pickSpecular;
    float pickDiffuse;
    float pickThrough;     // of the lower hemisphere, within the diffuse lobe
};

// Kulla and Conty's factor for a mean Fresnel reflectance.
vec3 multipleReflectance(vec3 f0, vec3 f90, float mean)
{
    vec3 average = f0 + (f90 - f0) / 21.0;
    return average * average * mean / max(1.0 - average * (1.0 - mean), 1e-4);
}

// What passes the coat, and the sheen, at an angle.
float passesCoat(BsdfInput i, float cosine)
{
    if (!has(FEATURE_COAT) || i.coat <= 0.0)
        return 1.0;
    vec2 e = albedoAt(cosine, i.coatRoughness);
    return 1.0 - i.coat * (COAT_F0 * e.x + e.y);
}

float passesSheen(BsdfInput i, float cosine)
{
    if (!has(FEATURE_SHEEN) || i.sheen == vec3(0.0))
        return 1.0;
    return max(0.0, 1.0 - largest(i.sheen) * sheenAlbedoAt(cosine, i.sheenRoughness));
}

// What passes the specular layer of the dielectric.
float passesSpecular(Bsdf b, vec2 table)
{
    float reflected = b.f0Dielectric * table.x + b.f90Dielectric * table.y +
                      b.multipleDielectric * (1.0 - table.x - table.y);
    return clamp(1.0 - reflected, 0.0, 1.0);
}

// Below a layer that passes t at the angles of both directions, Lambert's lobe is t * t / mean: then, in a white furnace,
// exactly what came through goes out again. Without coat and sheen the mean is the table's, otherwise by Gauss-Legendre
// quadrature.
float meanBelow(Bsdf b, vec2 tableMean)
{
    if (!has(FEATURE_COAT | FEATURE_SHEEN))
        return passesSpecular(b, tableMean);
    const vec4 AT = vec4(0.0694318442, 0.3300094782, 0.6699905218, 0.9305681558);
    const vec4 WEIGHT = vec4(0.1739274226, 0.3260725774, 0.3260725774, 0.1739274226);
    float mean = 0.0;
    for (int k = 0; k < 4; ++k)
    {
        float pass = passesSpecular(b, albedoAt(AT[k], b.in_.roughness));
        mean += 2.0 * AT[k] * WEIGHT[k] * pass * passesCoat(b.in_, AT[k]) * passesSheen(b.in_, AT[k]);
    }
    return mean;
}

vec3 fresnelOf(Bsdf b, float cosine)
{
    float c = schlickCosine(cosine, b.eta);
    vec3 f = b.f0 + (b.f90 - b.f0) * schlickWeight(c);
    if (c <= 0.0)
        f = vec3(1.0); // total reflection
    if (has(FEATURE_IRIDESCENCE) && b.in_.iridescence > 0.0)
        f = mix(f, filmFresnel(b.in_.filmIor, c, b.in_.filmThickness, b.f0), b.in_.iridescence);
    return f;
}

// That of the layer over transmission.
float fresnelDielectric(Bsdf b, float cosine)
{
    float c = schlickCosine(cosine, b.eta);
    return c <= 0.0 ? 1.0 : b.f0Dielectric + (b.f90Dielectric - b.f0Dielectric) * schlickWeight(c);
}

// Light that a refracting interface scatters more than once leaves it on both sides as smooth lobes, in proportion to what is
// lost at both directions (Kulla and Conty 2017). From the thin side the mean Fresnel factor of it is reflected; from the dense
// side as much as reciprocity leaves. Returns the parts that are reflected, and transmitted but for their colour.
vec2 glassScatters(inout Bsdf b, float cosine, float share)
{
    bool dense = b.eta > 1.0;
    vec2 loss = glassLoss(cosine, b.in_.roughness, b.eta, false);
    vec2 mean = max(glassLoss(cosine, b.in_.roughness, b.eta, true), 1e-5);
    float index2 = dense ? b.eta * b.eta : 1.0 / (b.eta * b.eta);
    float ratio = mean.x / (mean.y * index2);
    float through = min(1.0 - b.f0Dielectric - (1.0 - b.f0Dielectric) / 21.0, 1.0 / ratio);
    through = dense ? through * ratio : through;
    float lost = dense ? loss.y : loss.x;
    b.glassReflects = share * (1.0 - through) * lost / (dense ? mean.y : mean.x);
    b.glassTransmits = through * lost / (dense ? mean.x : mean.y);
    return vec2(share * (1.0 - through), through) * lost;
}

Bsdf makeBsdf(BsdfInput i, vec3 wo)
{
    Bsdf b;
    float alpha = max(i.roughness * i.roughness, MIN_ALPHA);
    b.alpha = vec2(alpha);
    if (has(FEATURE_ANISOTROPY))
        b.alpha.x = mix(alpha, 1.0, i.anisotropy * i.anisotropy);
    // For the table, which knows one roughness: of stretched lobes, what loses as much in the furnace.
    float one = 0.5 * (b.alpha.x + b.alpha.y);
    if (has(FEATURE_ANISOTROPY))
        one = mix(one, sqrt(0.5 * dot(b.alpha, b.alpha)), 0.6);
    i.roughness = sqrt(one);
    b.in_ = i;
    float r = (i.ior - 1.0) / (i.ior + 1.0);
    vec3 f0 = vec3(r * r);
    b.f90Dielectric = 1.0;
    if (has(FEATURE_SPECULAR))
    {
        f0 = min(f0 * i.specularColor, 1.0) * i.specular;
        b.f90Dielectric = i.specular;
    }
    b.f0 = mix(f0, i.baseColor, i.metallic);
    b.f90 = vec3(mix(b.f90Dielectric, 1.0, i.metallic));
    b.f0Dielectric = largest(f0);
    if (has(FEATURE_IRIDESCENCE) && i.iridescence > 0.0)
    {
        // What the film may reflect at most is kept from what is below it.
        float f = max(largest(filmFresnel(i.filmIor, 1.0, i.filmThickness, f0)),
                      largest(filmFresnel(i.filmIor, 0.6, i.filmThickness, f0)));
        b.f0Dielectric = mix(b.f0Dielectric, max(f, b.f0Dielectric), i.iridescence);
    }
    vec2 mean = albedoMean(i.roughness);
    float lossMean = max(1.0 - mean.x - mean.y, 1e-5);
    b.multiple = mix(multipleReflectance(f0, vec3(b.f90Dielectric), 1.0 - lossMean),
                     multipleReflectance(i.baseColor, vec3(1.0), 1.0 - lossMean), i.metallic) / lossMean;
    b.multipleDielectric = multipleReflectance(vec3(b.f0Dielectric), vec3(b.f90Dielectric), 1.0 - lossMean).x;

    b.eta = 1.0;
    b.diffuse = i.baseColor * (1.0 - i.metallic);
    b.through = vec3(0.0);
    b.transmit = vec3(0.0);
    b.glassReflects = 0.0;
    b.glassTransmits = 0.0;
    vec2 glass = vec2(0.0);
    if (has(FEATURE_TRANSMISSION) && i.transmission > 0.0)
    {
        b.transmit = i.straight ? vec3(0.0) : b.diffuse * i.transmission;
        b.diffuse *= 1.0 - i.transmission;
        if (!i.thin)
        {
            b.eta = i.front ? 1.0 / i.refractionIor : i.refractionIor;
            float share = i.transmission * (1.0 - i.metallic);
            b.multiple *= 1.0 - share;
            glass = glassScatters(b, wo.z, share);
        }
    }
    if (has(FEATURE_DIFFUSE_TRANSMISSION))
    {
        b.through = (1.0 - i.metallic) * (1.0 - i.transmission) * i.diffuseTransmission * i.diffuseTransmissionColor;
        b.diffuse *= 1.0 - i.diffuseTransmission;
    }

    vec2 table = albedoAt(wo.z, i.roughness);
    b.outgoingLoss = max(1.0 - table.x - table.y, 0.0);
    b.outgoingCoat = passesCoat(i, dot(wo, i.coatNormal));
    b.outgoingTop = b.outgoingCoat * passesSheen(i, wo.z);
    float pass = passesSpecular(b, table);
    b.outgoingBelow = pass * b.outgoingTop;
    b.normBelow = 1.0 / max(meanBelow(b, mean), 1e-4);

    // What a feature would make zero is left out by hand: compilers may not, for the sake of what is not finite.
    float transmitted = has(FEATURE_TRANSMISSION) ? luminance(b.transmit) * pass : 0.0;
    float specular = luminance(b.f0 * table.x + b.f90 * table.y) * b.outgoingTop + transmitted * b.outgoingTop;
    float upper = luminance(b.diffuse) * b.outgoingBelow + luminance(b.multiple) * b.outgoingLoss * lossMean;
    if (has(FEATURE_SHEEN))
        upper += luminance(i.sheen) * sheenAlbedoAt(wo.z, i.sheenRoughness);
    float lower = 0.0;
    if (has(FEATURE_DIFFUSE_TRANSMISSION))
        lower += luminance(b.through) * b.outgoingBelow;
    if (has(FEATURE_TRANSMISSION))
    {
        lower += i.thin ? transmitted * b.outgoingLoss : luminance(b.transmit) * glass.y;
        upper += glass.x;
    }
    float coat = 1.0 - b.outgoingCoat;
    float diffuse = upper + lower;
    specular = max(specular, 0.05 * (specular + diffuse + coat));
    float all = max(specular + diffuse + coat, 1e-6);
    b.pickCoat = coat / all;
    b.pickDiffuse = diffuse / all;
    b.pickSpecular = 1.0 - b.pickCoat - b.pickDiffuse;
    b.pickThrough = diffuse > 0.0 ? lower / diffuse : 0.0;
    return b;
}

// The share of specular samples that reflect at a microfacet.
float pickReflection(Bsdf b, vec3 f, float dielectric)
{
    float transmitted = luminance(b.transmit) * (1.0 - dielectric);
    float reflected = luminance(f);
    return transmitted > 0.0 ? reflected / max(reflected + transmitted, 1e-6) : 1.0;
}

// f * cos of the coat, about its own normal.
float coatEvaluate(BsdfInput i, vec3 wo, vec3 wi, out float pdf)
{
    vec3 n = i.coatNormal;
    float alpha = max(i.coatRoughness * i.coatRoughness, MIN_ALPHA);
    vec3 h = normalize(wo + wi);
    float co = dot(wo, n);
    float ci = dot(wi, n);
    pdf = 0.0;
    if (co <= MIN_COSINE || ci <= 0.0)
        return 0.0;
    // As vectors about n, of which only lengths across n matter.
    vec3 ho = vec3(length(cross(h, n)), 0.0, dot(h, n));
    float d = ggxD(ho, vec2(alpha));
    float lambdaOut = ggxLambda(vec3(sqrt(max(0.0, 1.0 - co * co)), 0.0, co), vec2(alpha));
    float lambdaIn = ggxLambda(vec3(sqrt(max(0.0, 1.0 - ci * ci)), 0.0, ci), vec2(alpha));
    pdf = d / ((1.0 + lambdaOut) * 4.0 * co);
    float f = COAT_F0 + (1.0 - COAT_F0) * schlickWeight(dot(wo, h));
    return i.coat * f * d / ((1.0 + lambdaOut + lambdaIn) * 4.0 * co);
}

// f * cos for wi, and the density of bsdfSample for it. Both directions point away from the surface; wo.z > 0.
vec3 bsdfEvaluate(Bsdf b, vec3 wo, vec3 wi, out float pdf)
{
    pdf = 0.0;
    bool lower = has(FEATURE_TRANSMISSION | FEATURE_DIFFUSE_TRANSMISSION);
    if ((lower ? abs(wi.z) : wi.z) < 1e-7)
        return vec3(0.0);
    bool reflected = !lower || wi.z > 0.0;
    float ci = abs(wi.z);
    bool mirrored = !reflected && b.eta == 1.0; // through a sheet: what it reflects, turned to the other side
    vec3 wr = mirrored ? vec3(wi.xy, -wi.z) : wi;
    vec3 h = normalize(reflected || mirrored ? wo + wr : b.eta * wo + wi);
    h = h.z < 0.0 ? -h : h;
    float oh = dot(wo, h);
    float ih = dot(wr, h);

    vec2 table = albedoAt(ci, b.in_.roughness);
    float coat = passesCoat(b.in_, abs(dot(wi, b.in_.coatNormal)));
    float top = coat * passesSheen(b.in_, ci);
    float loss = max(1.0 - table.x - table.y, 0.0);
    float below = b.outgoingBelow * passesSpecular(b, table) * top * b.normBelow;
    float both = min(top, b.outgoingTop); // for lobes that are no Lambert's

    vec3 f = vec3(0.0);
    if (h.z > 0.0 && oh > 0.0 && (reflected || mirrored || ih < 0.0))
    {
        float lambdaOut = ggxLambda(wo, b.alpha);
        float shadowed = 1.0 / (1.0 + lambdaOut + ggxLambda(wi, b.alpha));
        float d = ggxD(h, b.alpha);
        vec3 fresnel = fresnelOf(b, oh);
        float dielectric = lower ? fresnelDielectric(b, oh) : 1.0;
        float jacobian = 0.25 / wo.z;
        if (!reflected && !mirrored)
        {
            float s = b.eta * oh + ih;
            jacobian = oh * -ih / (wo.z * max(s * s, 1e-12));
        }
        float pick = lower ? pickReflection(b, fresnel, dielectric) : 1.0;
        vec3 colour = reflected ? fresnel : b.transmit * (1.0 - dielectric);
        f = colour * (d * shadowed * jacobian * both);
        pdf = b.pickSpecular * (reflected ? pick : 1.0 - pick) * d * jacobian / (1.0 + lambdaOut);
    }
    // Light that microfacets scatter more than once, and what is below.
    float cosine = ci / PI;
    pdf += b.pickDiffuse * (!lower ? 1.0 : reflected ? 1.0 - b.pickThrough : b.pickThrough) * cosine;
    float lost = b.outgoingLoss * loss * cosine * both;
    if (has(FEATURE_TRANSMISSION) && b.glassReflects > 0.0)
    {
        vec2 glass = glassLoss(ci, b.in_.roughness, b.eta, false) * (cosine * both);
        float lostGlass = (b.eta > 1.0) == reflected ? glass.y : glass.x;
        f += reflected ? vec3(b.glassReflects * lostGlass) : b.transmit * (b.glassTransmits * lostGlass);
    }
    if (!reflected)
    {
        f += b.through * (below * cosine);
        if (mirrored)
        {
            float mean = b.multipleDielectric;
            vec2 norm = albedoMean(b.in_.roughness);
            f += b.transmit * ((1.0 - mean) * lost / max(1.0 - norm.x - norm.y, 1e-5));
        }
        return f;
    }
    f += b.multiple * lost + b.diffuse * (below * cosine);
    if (has(FEATURE_SHEEN))
        f += b.in_.sheen * (min(coat, b.outgoingCoat) *
                            sheenEvaluate(wo, wi, max(b.in_.sheenRoughness * b.in_.sheenRoughness, MIN_SHEEN_ALPHA)));
    if (has(FEATURE_COAT) && b.in_.coat > 0.0)
    {
        float coatPdf;
        f += coatEvaluate(b.in_, wo, wi, coatPdf);
        pdf += b.pickCoat * coatPdf;
    }
    return f;
}

// Draws wi; false where the sample is none. Its density and value are bsdfEvaluate's.
bool bsdfSample(Bsdf b, vec3 wo, float lobe, vec2 u, out vec3 wi)
{
    if (lobe < b.pickDiffuse)
    {
        wi = sampleCosineHemisphere(u);
        if (has(FEATURE_TRANSMISSION | FEATURE_DIFFUSE_TRANSMISSION) && lobe < b.pickDiffuse * b.pickThrough)
            wi.z = -wi.z;
        return abs(wi.z) > MIN_COSINE;
    }
    lobe -= b.pickDiffuse;
    if (has(FEATURE_COAT) && lobe < b.pickCoat)
    {
        mat3 frame = basisAround(b.in_.coatNormal);
        vec3 local = wo * frame;
        float alpha = max(b.in_.coatRoughness * b.in_.coatRoughness, MIN_ALPHA);
        wi = frame * reflect(-local, sampleVisibleNormal(local, vec2(alpha), u));
        return wi.z > MIN_COSINE;
    }
    lobe = clamp((lobe - b.pickCoat) / max(b.pickSpecular, 1e-6), 0.0, 1.0);
    vec3 h = sampleVisibleNormal(wo, b.alpha, u);
    float cosine = dot(wo, h);
    wi = reflect(-wo, h);
    if (!has(FEATURE_TRANSMISSION) || lobe < pickReflection(b, fresnelOf(b, cosine), fresnelDielectric(b, cosine)))
        return wi.z > MIN_COSINE;
    if (b.eta == 1.0)
        wi.z = -wi.z;
    else
        wi = refract(-wo, h, b.eta);
    return wi.z < -MIN_COSINE;
}

#endif
