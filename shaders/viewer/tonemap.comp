#version 460
// From the accumulated sum to packed 8 bit pixels for the screen. The Go side, which writes the PNG files, is
// assets/picture.go, and its constants are those of assets.ToneMap.
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0, std430) readonly buffer Accumulation { vec4 pixels[]; } accumulation;
layout(set = 0, binding = 1, std430) writeonly buffer Screen { uint pixels[]; } screen;
layout(set = 0, binding = 2, std430) readonly buffer Unlit { vec4 pixels[]; } unlit; // part of the sum, shown as it is

const uint DISPLAY_CLAMP = 0u;
const uint DISPLAY_REINHARD = 1u;
const uint DISPLAY_ACES = 2u;
const uint DISPLAY_NEUTRAL = 3u;
const uint DISPLAY_AGX = 4u;
const uint DISPLAY_RAW = 255u; // already display values

layout(push_constant) uniform Push
{
    uint width;
    uint height;
    float scale;    // 2 ^ exposure
    uint display;
    uint blueFirst; // 1 = BGRA
    uint hasUnlit;
} push;

// Reinhard et al. 2002, equation 4, on luminance, with the white point at 4.
vec3 reinhard(vec3 c)
{
    const float WHITE = 4.0;
    float l = dot(c, vec3(0.2126, 0.7152, 0.0722));
    return c * ((1.0 + l / (WHITE * WHITE)) / (1.0 + l));
}

// Narkowicz's fit of the ACES filmic curve (2015).
vec3 aces(vec3 c)
{
    c = min(c, vec3(1e4));
    return c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14);
}

// Khronos's PBR Neutral.
vec3 neutral(vec3 c)
{
    const float F90 = 0.04;
    const float START = 0.8 - F90;
    const float DESATURATION = 0.15;
    float low = min(c.x, min(c.y, c.z));
    c -= low < 2.0 * F90 ? low - low * low / (4.0 * F90) : F90;
    float peak = max(c.x, max(c.y, c.z));
    if (peak < START)
        return c;
    const float D = 1.0 - START;
    float compressed = 1.0 - D * D / (peak + D - START);
    return mix(vec3(compressed), c * (compressed / peak), 1.0 / (DESATURATION * (peak - compressed) + 1.0));
}

// AgX, by Wrensch's fit of its curve (2023).
vec3 agx(vec3 c)
{
    const mat3 INSET = mat3(0.842479062253094, 0.0423282422610123, 0.0423756549057051, 0.0784335999999992, 0.878468636469772,
                            0.0784336, 0.0792237451477643, 0.0791661274605434, 0.879142973793104);
    const mat3 OUTSET = mat3(1.19687900512017, -0.0528968517574562, -0.0529716355144438, -0.0980208811401368,
                             1.15190312990417, -0.0980434501171241, -0.0990297440797205, -0.0989611768448433,
                             1.15107367264116);
    const float LEAST = -12.47393;
    const float MOST = 4.026069;
    vec3 x = (clamp(log2(max(INSET * c, 1e-10)), LEAST, MOST) - LEAST) / (MOST - LEAST);
    vec3 x2 = x * x;
    vec3 x4 = x2 * x2;
    x = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
    return pow(max(OUTSET * x, 0.0), vec3(2.2));
}

vec3 encode(vec3 c)
{
    c = clamp(c, 0.0, 1.0);
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}

void main()
{
    uvec2 p = gl_GlobalInvocationID.xy;
    if (p.x >= push.width || p.y >= push.height)
        return;
    uint index = p.y * push.width + p.x;
    vec4 sum = accumulation.pixels[index];
    // Of a pixel that shows unlit surfaces in some of its samples, only the others are tone mapped.
    vec4 shown = push.hasUnlit != 0u ? unlit.pixels[index] : vec4(0.0);
    float lit = max(sum.a - shown.a, 0.0);
    vec3 c = lit > 0.0 ? max(sum.rgb - shown.rgb, 0.0) / lit * push.scale : vec3(0.0);
    if (push.display == DISPLAY_REINHARD)
        c = reinhard(c);
    if (push.display == DISPLAY_ACES)
        c = aces(c);
    if (push.display == DISPLAY_NEUTRAL)
        c = neutral(c);
    if (push.display == DISPLAY_AGX)
        c = agx(c);
    c = (min(c, 1.0) * lit + shown.rgb) / max(sum.a, 1.0);
    if (push.display != DISPLAY_RAW)
        c = encode(c);
    c = push.blueFirst != 0u ? c.bgr : c;
    screen.pixels[index] = packUnorm4x8(vec4(c, 1.0));
}
