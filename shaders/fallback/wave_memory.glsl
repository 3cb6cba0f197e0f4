// Memory of the wavefront form: what its kernels and those that sort its lanes share. The Go mirror is fallback/wavefront.go,
// whose test compares both.
#ifndef EVERRAY_FALLBACK_WAVE_MEMORY_GLSL
#define EVERRAY_FALLBACK_WAVE_MEMORY_GLSL

const uint RT_WAVE_BINS = 1024u;    // most bins that lanes are sorted into
const uint RT_WAVE_SEGMENTS = 128u; // most dispatches of a round's shading
const uint RT_WAVE_LANES = 64u;     // of a workgroup that shades
const uint RT_WAVE_NO_BIN = ~0u;

// The numbers of states that the kernels which sort have to know, as in runtime.comp.
const uint RT_WAVE_FIRST_SHADE = 3u;
const uint RT_WAVE_CALL = 0xFFFFu;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer RtWords {
    uint word[1];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer RtQuads {
    uvec4 quad[1];
};

// A range of bins that one dispatch shades: its arguments, and its place in the queue.
struct RtWaveSegment {
    uvec3 groups;
    uint first;
    uint count;
    uint padding[3];
};

// Counters of the round. A batch begins with all of them zero but resume and alive.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer RtWaveRound {
    uvec3 resume;  // workgroups that resume and trace, for the next round
    uint alive;    // lanes in the list, once it is complete
    uvec3 scatter; // workgroups that sort
    uint next;     // lanes in the list that is being made
    RtWaveSegment segments[RT_WAVE_SEGMENTS];
    uint count[RT_WAVE_BINS];  // lanes of each bin
    uint cursor[RT_WAVE_BINS]; // where the next lane of a bin goes
};

// What the host knows of a launch.
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer RtWave {
    uvec2 round;        // RtWaveRound
    uvec2 lanes;        // states of the lanes: arrays of quads, one quad of each lane
    uvec2 lists[2];     // numbers of the lanes that live, made in one round and read in the next
    uvec2 queue;        // the same, sorted by bin
    uint capacity;      // lanes of a batch
    uint bins;
    uint shift;         // states of a bin: 1 << shift
    uint continueBin;   // bin of the state firstContinue, those of hit and miss shaders lie below
    uint firstContinue; // first state of callable shaders and of points to resume at that are not ray generation's
    uint segments;
    uint scatterLanes;  // of a workgroup that sorts
    uint resumeLanes;   // of a workgroup that resumes and traces
    uint bounds[RT_WAVE_SEGMENTS + 1u]; // first bin of each segment
};

// The bin of a lane that is in a state, RT_WAVE_NO_BIN if it is not to be shaded.
uint rtWaveBin(RtWave w, uint state) {
    if (state < RT_WAVE_FIRST_SHADE) return RT_WAVE_NO_BIN;
    bool shade = state < RT_WAVE_CALL;
    if (!shade && state < w.firstContinue) return RT_WAVE_NO_BIN;
    uint bin = shade ? (state - RT_WAVE_FIRST_SHADE) >> w.shift : w.continueBin + ((state - w.firstContinue) >> w.shift);
    return bin < (shade ? w.continueBin : w.bins) ? bin : RT_WAVE_NO_BIN;
}

// Of a lane's fifth dword: its frame, and above it the recursion depth that is left.
const uint RT_WAVE_FRAME_BITS = 24u;
const uint RT_WAVE_FRAME_MASK = (1u << RT_WAVE_FRAME_BITS) - 1u;

uvec2 rtWaveOffset(uvec2 address, uint bytes) {
    uint carry;
    uint low = uaddCarry(address.x, bytes, carry);
    return uvec2(low, address.y + carry);
}

uint rtWaveWord(uvec2 base, uint index) { return RtWords(rtWaveOffset(base, 4u * index)).word[0]; }
void rtWaveSetWord(uvec2 base, uint index, uint value) { RtWords(rtWaveOffset(base, 4u * index)).word[0] = value; }

#endif
