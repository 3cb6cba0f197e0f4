// Between the kernels of a round of the wavefront form: where each bin of lanes begins in the queue, and how many workgroups
// sort, shade and resume. Or, before the first round, counters to zero. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

#include "fallback/wave_memory.glsl"

const uint LANES = 128u; // that every device has
const uint BINS = RT_WAVE_BINS / LANES;
layout(local_size_x = 128) in;

// Of RtLaunch (launch.glsl), its last three dwords.
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Groups {
    uint before[29];
    uint firstGroup, groupStride, groupCount;
};

layout(push_constant, scalar) uniform Arguments {
    uvec2 launch;
    uvec2 wave;
    uint begin; // whether this comes before the first round
} arguments;

shared uint sums[LANES];
shared uint starts[RT_WAVE_BINS + 1u];

uint workgroups(uint lanes, uint each) { return (lanes + each - 1u) / each; }

void begin(RtWave w, RtWaveRound r) {
    for (uint b = gl_LocalInvocationIndex; b < RT_WAVE_BINS; b += LANES) r.count[b] = 0u;
    if (gl_LocalInvocationIndex != 0u) return;
    Groups g = Groups(arguments.launch);
    uint lanes = g.firstGroup < g.groupCount ? min((g.groupCount - g.firstGroup) * 32u, w.capacity) : 0u;
    r.alive = lanes;
    r.next = 0u;
    r.resume = uvec3(workgroups(lanes, w.resumeLanes), 1u, 1u);
}

void main() {
    RtWave w = RtWave(arguments.wave);
    RtWaveRound r = RtWaveRound(w.round);
    if (arguments.begin != 0u) {
        begin(w, r);
        return;
    }
    uint lane = gl_LocalInvocationIndex;
    uint own[BINS];
    uint sum = 0u;
    for (uint i = 0u; i < BINS; i++) {
        uint b = lane * BINS + i;
        own[i] = b < w.bins ? r.count[b] : 0u;
        sum += own[i];
    }
    sums[lane] = sum;
    barrier();
    for (uint step = 1u; step < LANES; step *= 2u) {
        uint left = lane >= step ? sums[lane - step] : 0u;
        barrier();
        sums[lane] += left;
        barrier();
    }
    uint start = sums[lane] - sum;
    for (uint i = 0u; i < BINS; i++) {
        uint b = lane * BINS + i;
        starts[b] = start;
        if (b < w.bins) {
            r.cursor[b] = start;
            r.count[b] = 0u;
        }
        start += own[i];
    }
    if (lane == LANES - 1u) starts[RT_WAVE_BINS] = start;
    barrier();
    for (uint s = lane; s < w.segments; s += LANES) {
        uint first = starts[w.bounds[s]];
        uint count = starts[w.bounds[s + 1u]] - first;
        r.segments[s].groups = uvec3(workgroups(count, RT_WAVE_LANES), 1u, 1u);
        r.segments[s].first = first;
        r.segments[s].count = count;
    }
    if (lane == 0u) {
        uint alive = r.next;
        r.alive = alive;
        r.next = 0u;
        r.resume = uvec3(workgroups(alive, w.resumeLanes), 1u, 1u);
        r.scatter = uvec3(starts[RT_WAVE_BINS] == 0u ? 0u : workgroups(alive, w.scatterLanes), 1u, 1u);
    }
}
