// Writes the numbers of the lanes that are to be shaded into the queue of the wavefront form, sorted by bin: the second half of
// a counting sort. Not stable.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

#include "fallback/wave_memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint BINS = RT_WAVE_BINS; // of the pipeline, at least

layout(push_constant, scalar) uniform Arguments {
    uvec2 launch;
    uvec2 wave;
    uint list;
} arguments;

shared uint counts[BINS];
shared uint bases[BINS];

void main() {
    RtWave w = RtWave(arguments.wave);
    RtWaveRound r = RtWaveRound(w.round);
    for (uint b = gl_LocalInvocationIndex; b < w.bins; b += gl_WorkGroupSize.x) counts[b] = 0u;
    barrier();
    uint bin = RT_WAVE_NO_BIN, lane = 0u, rank = 0u;
    if (gl_GlobalInvocationID.x < r.alive) {
        lane = rtWaveWord(w.lists[arguments.list], gl_GlobalInvocationID.x);
        bin = rtWaveBin(w, rtWaveWord(w.lanes, 4u * lane));
        if (bin != RT_WAVE_NO_BIN) rank = atomicAdd(counts[bin], 1u);
    }
    barrier();
    for (uint b = gl_LocalInvocationIndex; b < w.bins; b += gl_WorkGroupSize.x) {
        if (counts[b] != 0u) bases[b] = atomicAdd(r.cursor[b], counts[b]);
    }
    barrier();
    if (bin != RT_WAVE_NO_BIN) rtWaveSetWord(w.queue, bases[bin] + rank, lane);
}
