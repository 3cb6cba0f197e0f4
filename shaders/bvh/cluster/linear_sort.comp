#version 460
#extension GL_GOOGLE_include_directive : require
// Morton codes of clusters' boxes, sorted in blocks of 1024 (a bitonic network in shared memory). See linear.glsl.
#include "bvh/cluster/linear.glsl"
layout(constant_id = 1) const uint LANES = 256u;
layout(local_size_x = 256, local_size_x_id = 1) in;

shared ErLinearBox bounds[LANES];
shared uint keys[ER_LINEAR_BLOCK];

// spread moves the low 7 bits of v two places apart.
uint spread(uint v) {
    v = (v | v << 8) & 0x0700fu;
    v = (v | v << 4) & 0x430c3u;
    return (v | v << 2) & 0x49249u;
}

uint codeOf(ErLinearBox b, vec3 lo, float scale) {
    uvec3 cell = uvec3(clamp(((0.5 * b.lo + 0.5 * b.hi) - lo) * scale, vec3(0.0), vec3(127.0)));
    return spread(cell.x) << 2 | spread(cell.y) << 1 | spread(cell.z);
}

void main() {
    ErClusterCommand c = erCommand();
    ErLinear l = erLinear(c, ER_LINEAR_BLOCK);
    uint lane = gl_LocalInvocationIndex, from = l.part * ER_LINEAR_BLOCK;
    if (from >= l.count) {
        return; // the whole workgroup
    }
    ErLinearBox all = erNoLinearBox();
    for (uint k = lane; k * ER_LINEAR_PART < l.count; k += LANES) {
        all = erUnion(all, erLinearPartBoxes(l).v[k]);
    }
    bounds[lane] = all;
    barrier();
    for (uint half_ = LANES / 2u; half_ > 0u; half_ /= 2u) {
        if (lane < half_) {
            bounds[lane] = erUnion(bounds[lane], bounds[lane + half_]);
        }
        barrier();
    }
    all = bounds[0];
    vec3 extent = all.hi - all.lo;
    float scale = 127.999 / max(max(extent.x, max(extent.y, extent.z)), 1e-36);
    for (uint k = lane; k < ER_LINEAR_BLOCK; k += LANES) {
        uint code = ER_LINEAR_NONE;
        if (from + k < l.count) {
            ErLinearBox b = erLinearBoxes(l).v[from + k];
            code = b.count > 0u ? codeOf(b, all.lo, scale) : code;
        }
        keys[k] = code << ER_LINEAR_SHIFT | k;
    }
    barrier();
    for (uint size = 2u; size <= ER_LINEAR_BLOCK; size *= 2u) {
        for (uint step = size / 2u; step > 0u; step /= 2u) {
            for (uint k = lane; k < ER_LINEAR_BLOCK / 2u; k += LANES) {
                uint a = 2u * k - (k & (step - 1u)), b = a + step;
                uint x = keys[a], y = keys[b];
                bool up = (a & size) == 0u;
                keys[a] = up ? min(x, y) : max(x, y);
                keys[b] = up ? max(x, y) : min(x, y);
            }
            barrier();
        }
    }
    for (uint k = lane; k < ER_LINEAR_BLOCK; k += LANES) {
        erLinearKeys(l).v[from + k] = keys[k];
    }
}
