// The kernels of the wavefront form. The state of a lane is in memory; a round is
//   resumption   ray generation shaders go on up to their next ray, which is traversed at once; lanes that hit and miss shaders
//                sent on a ray are traversed, too; at its end it counts what each lane will run
//   scan, scatter   numbers of lanes are sorted by what they will run (wave_scan.comp, wave_scatter.comp)
//   shading      hit, miss and callable shaders, some in each kernel
// What is not done after the last round that was recorded goes to the tail, a kernel with all shaders.
#ifndef EVERRAY_FALLBACK_WAVE_GLSL
#define EVERRAY_FALLBACK_WAVE_GLSL

#include "fallback/wave_memory.glsl"

// Hooks, see fallback/link/wave.go.
uvec2 rtWaveAddress() { return uvec2(0u); } // of RtWave
uint rtWaveArgument() { return 0u; }        // of the dispatch
// The states that this kernel goes on with: [first, end), all of them from RT_STATE_CONTINUE on.
uint rtWaveFirst() { return 0u; }
uint rtWaveEnd() { return 0u; }
// What some hit or miss shader of the pipeline reads.
bool rtWaveReadsRay() { return true; }
bool rtWaveReadsHit() { return true; }
bool rtWaveReadsBarycentrics() { return true; }
bool rtWaveReadsInstance() { return true; }
uint rtWaveAttributeQuads() { return 2u; }
// Whether shaders have hit objects: a traversal may change what is known of its call.
bool rtWaveObjects() { return true; }
// Whether rays come to traversal through memory.
bool rtWaveNested() { return true; }
// Whether rays of ray generation that skip closest hit shaders are answered in the kernel that traverses them, and by which miss
// shaders: those of a mask, from a state on.
bool rtWaveAnswers() { return false; }
uint rtWaveAnswerFirst() { return 0u; }
uint rtWaveAnswerMask() { return 0u; }
// Lanes of this kernel's workgroups, at most RT_WAVE_MOST_LANES.
uint rtWaveLanes() { return RT_WAVE_LANES; }

// Quads of a lane: what is next (state, ray flags, and the address of the record of the shader that is next, or the structure to
// traverse), call (frame and depth, state to return to, payload, operands), ray (2), hit (t, barycentrics, primitive), instance
// (address, geometry and kind, leaf), attributes (2). Those that nobody reads are left out.
uint rtWaveRayAt() { return 2u; }
uint rtWaveHitAt() { return rtWaveRayAt() + (rtWaveReadsRay() || rtWaveNested() ? 2u : 0u); }
uint rtWaveInstanceAt() { return rtWaveHitAt() + (rtWaveReadsHit() ? 1u : 0u); }
uint rtWaveAttributesAt() { return rtWaveInstanceAt() + (rtWaveReadsInstance() ? 1u : 0u); }

// Arguments of resumption: which list it reads, and whether it begins.
const uint RT_WAVE_LIST = 1u;
const uint RT_WAVE_BEGIN = 2u;
// Argument of the tail: whether it takes the places of the launch behind the first batch, rather than the lanes in a list.
const uint RT_WAVE_REST = 4u;

const uint RT_WAVE_MOST_LANES = 128u;
const uint RT_WAVE_MASKS = RT_WAVE_MOST_LANES / 32u;

shared uint rtWaveCounts[RT_WAVE_BINS]; // the linker leaves as many as the pipeline has
shared uint rtWaveMask[RT_WAVE_MASKS];
shared uint rtWaveBase;

uint rtLane; // of the batch

RtQuads rtWaveQuad(RtWave w, const in uint which) { return RtQuads(rtOffset(w.lanes, 16u * (which * w.capacity + rtLane))); }

// Finds the lane's place in the launch. In the kernels of this form it is what rtPlaceLane does.
bool rtPlaceWave() { return rtPlaceGroup(rtLaunch.firstGroup + rtLane / RT_LANES_PER_GROUP, rtLane % RT_LANES_PER_GROUP); }

// What follows from a lane's number.
void rtWaveLane(const in uint lane) {
    rtLane = lane;
    rtStack = rtOffset(rtLaunch.stackBase, 4u * (lane / RT_LANES_PER_GROUP) * rtLaunch.stackDwords * RT_LANES_PER_GROUP
        + 16u * (lane % RT_LANES_PER_GROUP));
    rtPushAddress = rtLaunch.pushConstants;
}

// ---- a lane's state in memory ------------------------------------------------------------------

uint rtWaveLoadState(RtWave w) { return rtWaveQuad(w, 0u).quad[0].x; }

void rtWaveLoadCall(RtWave w) {
    uvec4 call = rtWaveQuad(w, 1u).quad[0];
    rtFrame = call.x & RT_WAVE_FRAME_MASK;
    rtDepth = call.x >> RT_WAVE_FRAME_BITS;
    rtReturnTo = call.y;
    rtPayload = call.z;
    rtOperands = call.w;
}

void rtWaveStoreNext(RtWave w, const in uint state, const in uvec2 address) {
    rtWaveQuad(w, 0u).quad[0] = uvec4(state, rtRay.flags, address);
}

void rtWaveStoreCall(RtWave w) {
    rtWaveQuad(w, 1u).quad[0] = uvec4(rtFrame | rtDepth << RT_WAVE_FRAME_BITS, rtReturnTo, rtPayload, rtOperands);
}

void rtWaveLoadRay(RtWave w) {
    uvec4 origin = rtWaveQuad(w, rtWaveRayAt()).quad[0], direction = rtWaveQuad(w, rtWaveRayAt() + 1u).quad[0];
    rtRay.origin = uintBitsToFloat(origin.xyz);
    rtRay.tMin = uintBitsToFloat(origin.w);
    rtRay.direction = uintBitsToFloat(direction.xyz);
    rtRay.tMax = uintBitsToFloat(direction.w);
}

void rtWaveStoreRay(RtWave w) {
    rtWaveQuad(w, rtWaveRayAt()).quad[0] = floatBitsToUint(vec4(rtRay.origin, rtRay.tMin));
    rtWaveQuad(w, rtWaveRayAt() + 1u).quad[0] = floatBitsToUint(vec4(rtRay.direction, rtRay.tMax));
}

// What the shader of a state asks for: rays and hits are in memory only where they are what comes next. The instance's numbers
// are in its record.
void rtWaveLoad(RtWave w, const in uint state) {
    uvec4 next = rtWaveQuad(w, 0u).quad[0];
    rtRay.flags = next.y;
    rtRecord = next.zw;
    rtTlas = next.zw;
    if (state >= RT_STATE_CALL) return;
    rtState = rtReturnTo; // for faults of a traversal: it is the caller's
    if (rtWaveReadsRay() || rtWaveNested()) rtWaveLoadRay(w);
    if (state <= RT_STATE_OVERFLOW) return;
    if (rtWaveReadsHit()) {
        uvec4 hit = rtWaveQuad(w, rtWaveHitAt()).quad[0];
        rtHit.t = uintBitsToFloat(hit.x);
        rtHit.barycentrics = uintBitsToFloat(hit.yz);
        rtHit.primitiveIndex = hit.w;
    }
    if (rtWaveReadsInstance()) {
        uvec4 instance = rtWaveQuad(w, rtWaveInstanceAt()).quad[0];
        rtHit.instanceRecord = instance.xy;
        rtHit.geometryIndex = instance.z & 0xFFFFFFu;
        rtHit.hitKind = instance.z >> 24u;
        rtHit.leaf = instance.w;
        if (instance.xy != uvec2(0u)) {
            ErInstance i = ErInstanceView(instance.xy).instance[0];
            rtHit.instanceIndex = i.b.x;
            rtHit.instanceCustomIndex = i.a.z & 0xFFFFFFu;
        }
    }
    if (rtWaveAttributeQuads() > 0u) {
        uvec4 words = rtWaveQuad(w, rtWaveAttributesAt()).quad[0];
        for (uint i = 0u; i < 4u; i++) rtAttributes[i] = words[i];
    }
    if (rtWaveAttributeQuads() > 1u) {
        uvec4 words = rtWaveQuad(w, rtWaveAttributesAt() + 1u).quad[0];
        for (uint i = 0u; i < 4u; i++) rtAttributes[4u + i] = words[i];
    }
}

// Of a miss there is no instance: its record's address is zero.
void rtWaveStoreHit(RtWave w) {
    if (rtWaveReadsHit()) {
        vec2 barycentrics = rtWaveReadsBarycentrics() ? rtHit.barycentrics : vec2(0.0);
        rtWaveQuad(w, rtWaveHitAt()).quad[0] = uvec4(floatBitsToUint(vec3(rtHit.t, barycentrics)), rtHit.primitiveIndex);
    }
    if (rtWaveReadsInstance()) {
        uint kind = rtHit.geometryIndex | rtHit.hitKind << 24u;
        rtWaveQuad(w, rtWaveInstanceAt()).quad[0] = uvec4(rtHit.instanceRecord, kind, rtHit.leaf);
    }
    if (rtWaveAttributeQuads() > 0u) {
        rtWaveQuad(w, rtWaveAttributesAt()).quad[0] = uvec4(rtAttributes[0], rtAttributes[1], rtAttributes[2], rtAttributes[3]);
    }
    if (rtWaveAttributeQuads() > 1u) {
        uvec4 words = uvec4(rtAttributes[4], rtAttributes[5], rtAttributes[6], rtAttributes[7]);
        rtWaveQuad(w, rtWaveAttributesAt() + 1u).quad[0] = words;
    }
}

// ---- kernels -----------------------------------------------------------------------------------

bool rtWaveMine(const in uint state) { return rtWaveFirst() != rtWaveEnd() && state >= rtWaveFirst() && state < rtWaveEnd(); }

// Whether one state of this kernel may follow another: those of callable shaders and of points to resume at.
bool rtWaveGoesOn() { return true; }

// Runs the states of this kernel that follow, up to one that is another's. A call of a callable shader is the state of that.
uint rtWaveContinue(const in uint first) {
    uint state = first;
    if (!rtWaveGoesOn()) {
        if (rtWaveMine(state)) {
            rtState = state;
            state = rtContinue(state);
        }
    } else {
        [[dont_unroll]] while (rtCallsShaders() && state == RT_STATE_CALL || rtWaveMine(state)) {
            if (rtCallsShaders() && state == RT_STATE_CALL) {
                uint shader = rtCallableState(rtOperands);
                state = shader == RT_STATE_DONE ? rtReturnTo : shader;
                continue;
            }
            rtState = state;
            state = rtContinue(state);
        }
    }
    if (state == RT_STATE_OVERFLOW) {
        rtOverflow();
        state = RT_STATE_DONE;
    }
    return state;
}

// A state that no kernel has, out of a handle that was overwritten, is a fault. States of ray generation lie below those that
// have bins.
uint rtWaveKnown(RtWave w, const in uint state) {
    bool raygen = state >= RT_STATE_CONTINUE && state < w.firstContinue;
    if (state <= RT_STATE_TRAVERSE || raygen || rtWaveBin(w, state) != RT_WAVE_NO_BIN) return state;
    rtState = state;
    return rtUnknown(state);
}

// Keeps what is known of a call.
void rtWaveStoreTrace(RtWave w) {
    rtWaveStoreCall(w);
    if (rtWaveReadsRay()) rtWaveStoreRay(w);
}

// Whether a miss shader is in this kernel.
bool rtWaveAnswered(const in uint state) {
    uint i = state - rtWaveAnswerFirst();
    return i < 32u && (rtWaveAnswerMask() >> i & 1u) != 0u;
}

// Traverses. What is known of the call goes to memory before, lest it takes registers all the while. If the ray is to be answered
// here, a miss shader of this kernel runs, and the state behind it is returned.
uint rtWaveFind(RtWave w, const in bool answer) {
    rtAgree();
    if (!rtWaveObjects()) rtWaveStoreTrace(w);
    uint state = rtTraverse();
    if (answer && rtWaveAnswered(state)) {
        rtWaveLoadCall(w);
        rtPlaceWave();
        rtState = state;
        return rtShade(state);
    }
    if (state == RT_STATE_DONE) {
        if (!rtWaveObjects()) rtWaveLoadCall(w);
        state = rtReturn();
        if (answer) {
            rtPlaceWave();
            return state;
        }
        rtWaveStoreCall(w);
    } else {
        state = rtWaveKnown(w, state);
        if (rtWaveObjects()) rtWaveStoreTrace(w);
        rtWaveStoreHit(w);
    }
    rtWaveStoreNext(w, state, rtRecord);
    return state;
}

// What the next ray sets anew is not alive until then.
void rtWaveForget() {
    rtRay.origin = vec3(0.0);
    rtRay.tMin = 0.0;
    rtRay.direction = vec3(0.0);
    rtRay.tMax = 0.0;
    rtRay.flags = 0u;
    rtRay.cullMask = 0u;
    rtRay.sbtOffset = 0u;
    rtRay.sbtStride = 0u;
    rtHit = ErHit(0.0, vec2(0.0), 0u, 0u, ER_NO_INSTANCE, 0u, 0u, 0u, uvec2(0u), 0u);
    rtOperands = 0u;
    rtRecord = uvec2(0u);
    rtTlas = uvec2(0u);
}

// Goes on, and traverses the rays that come of it, in two turns: in the first one lanes traverse whose rays may be answered here,
// in
// the second all that are on another ray. So lanes that traverse together are on rays of a kind, and a shadow ray takes no round.
// Lanes that have another ray at once keep it in memory for a turn, not in registers.
uint rtWaveAnswer(RtWave w, const in uint first) {
    uint state = first;
    bool kept = false;
    [[dont_unroll]] for (uint turn = 0u; turn < 2u; turn++) {
        bool parked = turn > 0u && state == RT_STATE_TRAVERSE;
        state = rtWaveContinue(state);
        if (state == RT_STATE_TRAVERSE) {
            if (turn == 0u && (rtRay.flags & RT_RAY_FLAG_SKIP_CLOSEST_HIT) == 0u) {
                rtWaveStoreCall(w);
                rtWaveStoreRay(w);
                rtWaveStoreNext(w, state, rtTlas);
            } else {
                if (parked) {
                    rtWaveLoadCall(w);
                    rtWaveLoad(w, state);
                }
                state = rtWaveFind(w, turn == 0u);
                kept = turn == 1u || state < RT_STATE_CALL && state != RT_STATE_DONE;
            }
        } else if (!kept && state != RT_STATE_DONE) { // another kernel's
            state = rtWaveKnown(w, state);
            rtWaveStoreCall(w);
            rtWaveStoreNext(w, state, rtRecord);
            kept = true;
        }
        rtWaveForget();
    }
    return state;
}

// Goes on, and traverses the ray that comes of it.
uint rtWaveTrace(RtWave w, const in uint first) {
    if (rtWaveAnswers()) return rtWaveAnswer(w, first);
    uint state = rtWaveContinue(first);
    if (state == RT_STATE_TRAVERSE) return rtWaveFind(w, false);
    if (rtCallsShaders() && state != RT_STATE_DONE) {
        state = rtWaveKnown(w, state);
        rtWaveStoreCall(w);
        rtWaveStoreNext(w, state, rtRecord);
    }
    return state;
}

// The first state of a lane.
uint rtWaveBegin() {
    if (!rtPlaceWave()) return RT_STATE_DONE;
    uint state = rtBegin();
    rtState = state;
    return state == RT_STATE_DONE || rtWaveMine(state) ? state : rtUnknown(state);
}

// What a shader leaves for other kernels: the ray that it traces, or the record of the callable shader that it calls.
uint rtWaveLeave(RtWave w, const in uint next) {
    uint state = next;
    uvec2 address = rtRecord;
    if (rtWaveNested() && state == RT_STATE_TRAVERSE) {
        address = rtTlas;
        rtWaveStoreRay(w);
    } else if (rtCallsShaders() && state != RT_STATE_DONE) {
        state = rtWaveKnown(w, state);
    }
    rtWaveStoreCall(w);
    rtWaveStoreNext(w, state, address);
    return state;
}

// Counts a lane for the sort, and puts it on the list of those that live, in the order of the workgroup's lanes.
void rtWaveList(RtWave w, const in uint state, const in uint list) {
    RtWaveRound r = RtWaveRound(w.round);
    uint bins = w.bins, i = gl_LocalInvocationIndex;
    for (uint b = i; b < bins; b += rtWaveLanes()) rtWaveCounts[b] = 0u;
    if (i < RT_WAVE_MASKS) rtWaveMask[i] = 0u;
    barrier();
    if (state != RT_STATE_DONE) {
        uint bin = rtWaveBin(w, state);
        if (bin != RT_WAVE_NO_BIN) atomicAdd(rtWaveCounts[bin], 1u);
        atomicOr(rtWaveMask[i / 32u], 1u << (i % 32u));
    }
    barrier();
    for (uint b = i; b < bins; b += rtWaveLanes()) {
        uint n = rtWaveCounts[b];
        if (n != 0u) atomicAdd(r.count[b], n);
    }
    uint before = 0u, n = 0u; // lanes of the words before this lane's, and of all
    for (uint k = 0u; k < RT_WAVE_MASKS; k++) {
        before = k == i / 32u ? n : before;
        n += bitCount(rtWaveMask[k]);
    }
    if (i == 0u) rtWaveBase = n == 0u ? 0u : atomicAdd(r.next, n);
    barrier();
    if (state != RT_STATE_DONE) {
        uint rank = before + bitCount(rtWaveMask[i / 32u] & ((1u << (i % 32u)) - 1u));
        rtWaveSetWord(w.lists[list], rtWaveBase + rank, rtLane);
    }
}

void rtWaveResume() {
    RtWave w = RtWave(rtWaveAddress());
    uint argument = rtWaveArgument(), list = argument & RT_WAVE_LIST;
    uint i = gl_WorkGroupID.x * rtWaveLanes() + gl_LocalInvocationIndex;
    uint state = RT_STATE_DONE;
    if (i < RtWaveRound(w.round).alive) {
        bool mine = true;
        bool begin = (argument & RT_WAVE_BEGIN) != 0u;
        rtWaveLane(begin ? i : rtWaveWord(w.lists[list], i));
        if (begin) {
            state = rtWaveBegin();
        } else {
            state = rtWaveLoadState(w);
            mine = state == RT_STATE_TRAVERSE || rtWaveMine(state);
            if (mine) {
                rtWaveLoadCall(w);
                rtPlaceWave();
                if (rtWaveNested() && state == RT_STATE_TRAVERSE) rtWaveLoad(w, state);
            }
        }
        if (mine && state != RT_STATE_DONE) state = rtWaveTrace(w, state);
    }
    rtWaveList(w, state, list ^ 1u);
}

void rtWaveShade() {
    RtWave w = RtWave(rtWaveAddress());
    RtWaveRound r = RtWaveRound(w.round);
    uint segment = rtWaveArgument(), i = gl_WorkGroupID.x * RT_WAVE_LANES + gl_LocalInvocationIndex;
    if (i >= r.segments[segment].count) return;
    rtWaveLane(rtWaveWord(w.queue, r.segments[segment].first + i));
    uint state = rtWaveLoadState(w);
    rtWaveLoadCall(w);
    state = hoResumed(state);
    rtPlaceWave();
    rtWaveLoad(w, state);
    if (state < RT_STATE_CALL) {
        rtState = state;
        state = rtShade(state);
    }
    rtWaveLeave(w, rtWaveContinue(state));
}

// The tail: see wave_tail.glsl.
#define RT_TAIL rtWaveTail
#define RT_FINISH rtWaveFinish
#define RT_TAKE_UP(state)
#define RT_FIND rtTraverse()
#include "fallback/wave_tail.glsl"
#undef RT_TAIL
#undef RT_FINISH
#undef RT_TAKE_UP
#undef RT_FIND

#endif
