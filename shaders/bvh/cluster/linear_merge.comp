#version 460
#extension GL_GOOGLE_include_directive : require
// Brings all blocks' clusters into one order: where one goes is the sum of how many in each block come before it. See linear.glsl.
#include "bvh/cluster/linear.glsl"
layout(local_size_x = ER_LINEAR_PART) in;

const uint AT_ONCE = 8u; // blocks that are searched side by side

void main() {
    ErClusterCommand c = erCommand();
    ErLinear l = erLinear(c, ER_LINEAR_PART);
    uint n = l.part * ER_LINEAR_PART + gl_LocalInvocationIndex;
    uint blocks = (l.count + ER_LINEAR_BLOCK - 1u) / ER_LINEAR_BLOCK;
    if (n >= blocks * ER_LINEAR_BLOCK) {
        return;
    }
    ErUintView keys = erLinearKeys(l);
    uint key = keys.v[n], code = key >> ER_LINEAR_SHIFT, block = n / ER_LINEAR_BLOCK, number = key & (ER_LINEAR_BLOCK - 1u);
    if (block * ER_LINEAR_BLOCK + number >= l.count) {
        return; // there is none
    }
    uint rank = n % ER_LINEAR_BLOCK;
    for (uint first = 0u; first < blocks; first += AT_ONCE) {
        uint before[AT_ONCE];
        for (uint e = 0u; e < AT_ONCE; e++) {
            before[e] = 0u;
        }
        for (uint step = ER_LINEAR_BLOCK; step > 0u; step /= 2u) {
            for (uint e = 0u; e < AT_ONCE; e++) {
                uint b = first + e, at = before[e] + step;
                if (b < blocks && b != block && at <= ER_LINEAR_BLOCK) {
                    // Of like codes those of blocks before come before.
                    uint other = keys.v[b * ER_LINEAR_BLOCK + at - 1u] >> ER_LINEAR_SHIFT;
                    before[e] = other < code || (other == code && b < block) ? at : before[e];
                }
            }
        }
        for (uint e = 0u; e < AT_ONCE; e++) {
            rank += before[e];
        }
    }
    erLinearCodes(l).v[rank] = code;
    erLinearNumbers(l).v[rank] = block * ER_LINEAR_BLOCK + number;
}
