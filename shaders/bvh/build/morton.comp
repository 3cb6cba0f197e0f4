#version 460
#extension GL_GOOGLE_include_directive : require
// Morton codes of the boxes' centres. All axes use one scale, so that cells are cubes. Inactive
// primitives get the greatest key and sort last. The digits of the sort's first pass are counted on the way.
#include "bvh/build/digits.glsl"
#include "bvh/common/lanes.glsl"

shared uint histogram[256];

// spread3 moves the low 11 bits of v two places apart.
uint spread3(uint v) {
    v &= 0x7ffu;
    v = (v | (v << 16)) & 0x070000ffu;
    v = (v | (v << 8)) & 0x0700f00fu;
    v = (v | (v << 4)) & 0x430c30c3u;
    v = (v | (v << 2)) & 0x49249249u;
    return v;
}

// morton interleaves 21 bits of each axis: 10 low bits into bits 0..29, then
// 11 into bits 30..62.
uvec2 morton(uvec3 cell) {
    uint low = spread3(cell.x & 0x3ffu) << 2 | spread3(cell.y & 0x3ffu) << 1 | spread3(cell.z & 0x3ffu);
    uvec3 h = cell >> 10;
    uint z = spread3(h.z), y = spread3(h.y), x = spread3(h.x);
    // 33 bits: x's top bit would be shifted out, so the high part is split.
    uint high = (x << 2) | (y << 1) | z;
    uint overflow = x >> 30;
    return uvec2(low | (high << 30), (high >> 2) | (overflow << 30));
}

void main() {
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    for (uint digit = gl_LocalInvocationIndex; digit < 256u; digit += ER_LANES) {
        histogram[digit] = 0u;
    }
    barrier();
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErState s = ErStateView(b.state).state;
    vec3 lo = erBoundsMin(s);
    vec3 extent = erBoundsMax(s) - lo;
    float largest = max(extent.x, max(extent.y, extent.z));
    float cells = float((1u << erAxisBits(b)) - 1u);
    float scale = 1.0 / max(largest, 1e-37);
    bool tiled = b.blockCount > ER_SORT_BLOCKS;
    bool other = tiled && push.pass != 0u; // what an odd number of passes starts with
    uint first = task.y * ER_BLOCK_SIZE;
    uint end = min(first + ER_BLOCK_SIZE, b.primitiveCount);
    for (uint p = first + gl_LocalInvocationIndex; p < end; p += ER_LANES) {
        ErBoundsView box = ErBoundsView(erOffset(b.boxes, p, 24u));
        vec3 bmin = vec3(box.v[0], box.v[1], box.v[2]);
        vec3 bmax = vec3(box.v[3], box.v[4], box.v[5]);
        uvec2 key = uvec2(0xffffffffu);
        if (p < b.inputs + s.splits && bmin.x <= bmax.x) {
            vec3 cell = ((bmin - lo) + (bmax - lo)) * 0.5 * scale * cells;
            key = morton(uvec3(clamp(cell, vec3(0.0), vec3(cells))));
        }
        ErUvec2View(other ? b.keysB : b.keysA).v[p] = key;
        if (tiled) {
            atomicAdd(histogram[erDigit(key, 0u)], 1u);
        }
        if (erMode(b) == ER_MODE_LBVH) {
            ErUintView(b.arrivals).v[p] = ER_NO_BOUND;
        }
    }
    barrier();
    for (uint digit = gl_LocalInvocationIndex; digit < 256u && tiled; digit += ER_LANES) {
        uint n = histogram[digit];
        if (n > 0u) {
            atomicAdd(ErUintView(push.exchange).v[erDigitCount(b, 0u, task.y / ER_TILE_BLOCKS, digit)], n);
        }
    }
}
