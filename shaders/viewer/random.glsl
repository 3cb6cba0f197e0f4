// Stateless random numbers: every number follows from (pixel, sample, dimension), so a pixel draws the same
// numbers whichever way its rays are traced, in whatever order, and two images can be compared pixel by pixel.
// The hash is the output permutation of PCG-RXS-M-XS (Jarzynski and Olano 2020, "Hash Functions for GPU Rendering").
//
// Paths draw from Sobol's sequence in two dimensions, with Owen's scrambling by hashes and padded to as many dimensions as
// are asked for (Burley 2020, "Practical Hash-based Owen Scrambling", JCGT 9(4)): the samples of a pixel fill each pair of
// dimensions evenly, so that noise falls faster than with random numbers.
#ifndef VIEWER_RANDOM_GLSL
#define VIEWER_RANDOM_GLSL

const float PI = 3.14159265358979;

// Dimensions one bounce may draw from; DIMENSIONS_PER_BOUNCE is the stride between bounces. A dimension is a pair.
const uint DIM_PIXEL = 0u; // drawn once per sample, before the bounces
const uint DIM_LENS = 1u;
const uint DIM_COLOR = 2u; // of dispersion
const uint DIM_FIRST_BOUNCE = 3u;
const uint DIM_LOBE = 0u;
const uint DIM_BSDF = 1u;
const uint DIM_LIGHT_PICK = 2u;
const uint DIM_LIGHT = 3u;
const uint DIM_ROULETTE = 4u;
const uint DIM_TRANSMIT = 5u;
const uint DIMENSIONS_PER_BOUNCE = 6u;

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

// One sample of one pixel.
struct Sampler { uint seed; uint index; };

Sampler pixelSampler(uvec2 pixel, uint sampleIndex)
{
    return Sampler(sampleSeed(pixel, 0u), sampleIndex);
}

// Owen's scrambling of a number whose bits are reversed: each bit is turned by a hash of those below (Laine and Karras 2011,
// with the constants of Vegdahl 2021).
uint scrambleReversed(uint x, uint seed)
{
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= (seed >> 16u) | 1u;
    x ^= x * 0x05526c56u;
    return x ^ x * 0x53a22864u;
}

// Two numbers in [0, 1).
vec2 random2(Sampler s, uint dimension)
{
    uint hash = pcgHash(s.seed + dimension * 0x9e3779b9u);
    uint i = bitfieldReverse(scrambleReversed(bitfieldReverse(s.index), hash)); // another order for each pair of dimensions
    // Sobol's second dimension, reversed: the binomial matrix modulo 2, a sum over the supersets of each set of bits.
    uint y = i;
    y ^= (y >> 1u) & 0x55555555u;
    y ^= (y >> 2u) & 0x33333333u;
    y ^= (y >> 4u) & 0x0f0f0f0fu;
    y ^= (y >> 8u) & 0x00ff00ffu;
    y ^= (y >> 16u) & 0x0000ffffu;
    uint a = bitfieldReverse(scrambleReversed(i, pcgHash(hash ^ 0x68bc21ebu)));
    uint b = bitfieldReverse(scrambleReversed(y, pcgHash(hash ^ 0x02e5be93u)));
    return vec2(a >> 8u, b >> 8u) * (1.0 / 16777216.0); // 24 bits, so that they never round up to 1
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
