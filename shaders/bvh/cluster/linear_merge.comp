#version 460
#extension GL_GOOGLE_include_directive : require
// Brings all blocks' clusters into one order: where one goes is the sum of how many in each block come before it. See linear.glsl.
// Every eighth key is in shared memory, so that a lane waits for memory twice, not once for each step of its searches.
#include "bvh/cluster/linear.glsl"
layout(local_size_x = ER_LINEAR_PART) in;

const uint AT_ONCE = 8u; // blocks that are searched side by side
const uint SAMPLE_STEP = 8u;   // keys
const uint SAMPLES = ER_LINEAR_BLOCK / SAMPLE_STEP;

shared uint samples[ER_LINEAR_MOST / SAMPLE_STEP]; // the last key of each eight

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Quads { uvec4 v[]; };

uint before(uint key, uint code) { return key >> ER_LINEAR_SHIFT < code ? 1u : 0u; }

void main() {
    ErClusterCommand c = erCommand();
    ErLinear l = erLinear(c, ER_LINEAR_PART);
    uint n = l.part * ER_LINEAR_PART + gl_LocalInvocationIndex;
    uint blocks = (l.count + ER_LINEAR_BLOCK - 1u) / ER_LINEAR_BLOCK;
    if (l.part * ER_LINEAR_PART >= blocks * ER_LINEAR_BLOCK) {
        return; // the whole workgroup
    }
    ErUintView keys = erLinearKeys(l);
    for (uint k = gl_LocalInvocationIndex; k < blocks * SAMPLES; k += ER_LINEAR_PART) {
        samples[k] = keys.v[k * SAMPLE_STEP + SAMPLE_STEP - 1u];
    }
    barrier();
    uint key = keys.v[n], code = key >> ER_LINEAR_SHIFT, block = n / ER_LINEAR_BLOCK, number = key & (ER_LINEAR_BLOCK - 1u);
    if (block * ER_LINEAR_BLOCK + number >= l.count) {
        return; // there is none
    }
    uint rank = n % ER_LINEAR_BLOCK;
    for (uint first = 0u; first < blocks; first += AT_ONCE) {
        uint at[AT_ONCE]; // samples that come before
        for (uint e = 0u; e < AT_ONCE; e++) {
            at[e] = 0u;
        }
        for (uint step = SAMPLES; step > 0u; step /= 2u) {
            for (uint e = 0u; e < AT_ONCE; e++) {
                uint b = first + e, next = at[e] + step;
                if (b < blocks && next <= SAMPLES) {
                    // Of like codes those of blocks before come before.
                    at[e] = before(samples[b * SAMPLES + next - 1u], b < block ? code + 1u : code) != 0u ? next : at[e];
                }
            }
        }
        for (uint e = 0u; e < AT_ONCE; e++) {
            uint b = first + e;
            if (b < blocks && b != block) {
                rank += at[e] * SAMPLE_STEP;
                if (at[e] < SAMPLES) {
                    uvec2 eight = erOffset(uvec2(keys), b * SAMPLES + at[e], SAMPLE_STEP * 4u);
                    uvec4 x = Quads(eight).v[0], y = Quads(eight).v[1];
                    uint of = b < block ? code + 1u : code;
                    rank += before(x.x, of) + before(x.y, of) + before(x.z, of) + before(x.w, of) + before(y.x, of) +
                            before(y.y, of) + before(y.z, of);
                }
            }
        }
    }
    erLinearCodes(l).v[rank] = code;
    erLinearNumbers(l).v[rank] = block * ER_LINEAR_BLOCK + number;
}
