// Stateless random numbers: every number is a hash of (pixel, sample, dimension), so a pixel draws the same
// numbers whichever way its rays are traced, in whatever order, and two images can be compared pixel by pixel.
// The hash is the output permutation of PCG-RXS-M-XS (Jarzynski and Olano 2020, "Hash Functions for GPU Rendering").
#ifndef VIEWER_RANDOM_GLSL
#define VIEWER_RANDOM_GLSL

const float PI = 3.14159265358979;

// Dimensions one bounce may draw from; DIMENSIONS_PER_BOUNCE is the stride between bounces.
const uint DIM_PIXEL_X = 0u; // the pixel filter, drawn once per sample, before the bounces
const uint DIM_PIXEL_Y = 1u;
const uint DIM_FIRST_BOUNCE = 2u;
const uint DIM_LOBE = 0u;
const uint DIM_BSDF_X = 1u;
const uint DIM_BSDF_Y = 2u;
const uint DIM_LIGHT_KIND = 3u;
const uint DIM_LIGHT_PICK = 4u;
const uint DIM_LIGHT_X = 5u;
const uint DIM_LIGHT_Y = 6u;
const uint DIM_ROULETTE = 7u;
const uint DIM_TRANSMIT = 8u;
const uint DIMENSIONS_PER_BOUNCE = 9u;

uint pcgHash(uint x)
{
    uint state = x * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

// The seed of one sample of one pixel.
uint sampleSeed(uvec2 pixel, uint sampleIndex)
{
    return pcgHash(pixel.x + pcgHash(pixel.y + pcgHash(sampleIndex)));
}

// A number in [0, 1): 24 bits, so that it never rounds up to 1.
float random(uint seed, uint dimension)
{
    return float(pcgHash(seed + dimension * 0x9e3779b9u) >> 8u) * (1.0 / 16777216.0);
}

uint bounceDimension(uint bounce, uint dimension)
{
    return DIM_FIRST_BOUNCE + bounce * DIMENSIONS_PER_BOUNCE + dimension;
}

// A unit vector around +z with density cos(theta) / pi (Malley's method).
vec3 sampleCosineHemisphere(vec2 u)
{
    float r = sqrt(u.x);
    float phi = 2.0 * PI * u.y;
    return vec3(r * cos(phi), r * sin(phi), sqrt(max(0.0, 1.0 - u.x)));
}

// An orthonormal basis around n (Duff et al. 2017, "Building an Orthonormal Basis, Revisited").
mat3 basisAround(vec3 n)
{
    float s = n.z >= 0.0 ? 1.0 : -1.0;
    float a = -1.0 / (s + n.z);
    float b = n.x * n.y * a;
    return mat3(vec3(1.0 + s * n.x * n.x * a, s * b, -s * n.x), vec3(b, s + n.y * n.y * a, -n.y), n);
}

#endif
