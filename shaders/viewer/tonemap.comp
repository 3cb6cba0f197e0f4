#version 460
// From the accumulated sum to packed 8 bit pixels for the screen. The Go side, which writes the PNG files, is
// assets/picture.go, and its constants are those of assets.ToneMap.
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0, std430) readonly buffer Accumulation { vec4 pixels[]; } accumulation;
layout(set = 0, binding = 1, std430) writeonly buffer Screen { uint pixels[]; } screen;

const uint DISPLAY_CLAMP = 0u;
const uint DISPLAY_REINHARD = 1u;
const uint DISPLAY_ACES = 2u;
const uint DISPLAY_RAW = 3u; // already display values

layout(push_constant) uniform Push
{
    uint width;
    uint height;
    float scale;    // 2 ^ exposure
    uint display;
    uint blueFirst; // 1 = BGRA
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
    vec3 c = sum.rgb / max(sum.a, 1.0) * push.scale;
    if (push.display == DISPLAY_REINHARD)
        c = reinhard(c);
    if (push.display == DISPLAY_ACES)
        c = aces(c);
    if (push.display != DISPLAY_RAW)
        c = encode(c);
    c = push.blueFirst != 0u ? c.bgr : c;
    screen.pixels[index] = packUnorm4x8(vec4(c, 1.0));
}
