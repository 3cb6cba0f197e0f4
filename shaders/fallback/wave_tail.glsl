// The kernel that ends what is not done after the last round: text twice, for traversals that never suspend (wave.glsl) and for
// those that do (wave_suspend.glsl). Macros say what differs:
//   RT_TAIL, RT_FINISH   names of the functions
//   RT_TAKE_UP(state)    what is to be known of a lane that is within a traversal
//   RT_FIND              traverses

// A lane to the end, from the state that it is in: rtSchedule, but for where the loop begins, so that each shader is there once.
void RT_FINISH(const in uint first) {
    uint state = first;
    [[dont_unroll]] while (true) {
        if (state > RT_STATE_OVERFLOW && state < RT_STATE_CALL) {
            rtState = state;
            state = rtShade(state);
        }
        [[dont_unroll]] while (state >= RT_STATE_CALL) {
            if (rtCallsShaders() && state == RT_STATE_CALL) {
                uint shader = rtCallableState(rtOperands);
                state = shader == RT_STATE_DONE ? rtReturnTo : shader;
            }
            rtState = state;
            state = rtContinue(state);
        }
        if (state != RT_STATE_TRAVERSE) break;
        rtAgree();
        state = RT_FIND;
        if (state == RT_STATE_DONE) state = rtReturn();
    }
    if (state != RT_STATE_DONE) rtOverflow();
}

void RT_TAIL() {
    RtWave w = RtWave(rtWaveAddress());
    uint argument = rtWaveArgument();
    uint i = gl_WorkGroupID.x * rtWaveLanes() + gl_LocalInvocationIndex;
    bool rest = (argument & RT_WAVE_REST) != 0u;
    uint stride = rest ? w.capacity / RT_LANES_PER_GROUP : 1u;
    uint group = rest ? i / RT_LANES_PER_GROUP + stride : 0u;
    uint end = rest ? rtLaunch.groupCount : i < RtWaveRound(w.round).alive ? 1u : 0u;
    [[dont_unroll]] for (; group < end; group += stride) {
        uint state;
        if (rest) {
            rtWaveLane(i); // the stack's place
            rtLane = group * RT_LANES_PER_GROUP + i % RT_LANES_PER_GROUP;
            state = rtPlaceWave() ? rtBegin() : RT_STATE_DONE;
        } else {
            rtWaveLane(rtWaveWord(w.lists[argument & RT_WAVE_LIST], i));
            state = rtWaveLoadState(w);
            rtWaveLoadCall(w);
            RT_TAKE_UP(state)
            state = hoResumed(state);
            rtPlaceWave();
            rtWaveLoad(w, state);
        }
        if (state != RT_STATE_DONE) RT_FINISH(state);
    }
}
