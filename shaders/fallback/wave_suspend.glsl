// The wavefront form where any hit and intersection shaders are many or large. Traversal suspends at each candidate that one of
// them has to decide on: where it is goes to memory, the lane is sorted to a kernel with its shader, like those that are shaded,
// and the next round takes the traversal up again behind the candidate. Only the tail has those shaders at hand and asks them at
// once.
#ifndef EVERRAY_FALLBACK_WAVE_SUSPEND_GLSL
#define EVERRAY_FALLBACK_WAVE_SUSPEND_GLSL

// The state of a lane whose traversal is to go on. No kernel has a bin for it.
const uint RT_STATE_WALK = 0xFFFFFFFEu;

// Hooks, see fallback/link/suspend.go. A lane that waits for a shader's word on a candidate is in a state of a range of its own:
// from rtAskFirst on, rtAskStep apart, one for 1 << rtAskDrop any hit shaders, by number, and from the rtAskBoxes-th on one for as
// many intersection shaders.
bool rtAskHere() { return false; } // the kernel has all of those shaders
uint rtAskFirst() { return 0u; }
uint rtAskStep() { return 1u; }
uint rtAskDrop() { return 0u; }
uint rtAskBoxes() { return 0u; }
uint rtAskAnyHits() { return 0u; }      // how many any hit shaders there are
uint rtAskIntersections() { return 0u; } // and intersection shaders

// Quads of a lane behind the hit's attributes, which meanwhile are those of the closest procedural hit so far: where traversal is
// (reference, RT_WALK_..., instance, cluster), the hit so far (t, barycentrics, leaf), the candidate (the same), and of both what
// is left (instance and kind of the hit, kind of the candidate). Behind them the words of traversal's stack. All that is of one
// lane stands together: the lanes that wait are often few and far between.
const uint RT_WALK_QUADS = 4u;
uint rtWalkAt() { return rtWaveAttributesAt() + rtWaveAttributeQuads(); }
uint rtWalkStackQuads() { return (uint(ER_LOOP_ENTRIES) + 3u) / 4u; } // which the linker reads
const uint RT_WALK_ENTRIES = (uint(ER_LOOP_ENTRIES) + 3u) / 4u * 4u;   // whole quads

// Of the second word: entries of the stack, whether it goes by wide nodes, and what the call is about (HO_MODE_...).
const uint RT_WALK_WIDE = 16u;
const uint RT_WALK_MODE = 24u;
const uint RT_WALK_BYTE = 0xFFu;

RtQuads rtWalkQuad(RtWave w, const in uint which) {
    uint before = rtWalkAt() * w.capacity + (RT_WALK_QUADS + rtWalkStackQuads()) * rtLane;
    return RtQuads(rtOffset(w.lanes, 16u * (before + which)));
}

bool rtAgain; // the next traversal is one that is taken up
uint rtAsks;  // the state of a lane whose traversal has just been suspended, else 0

// The hit so far.
ErFound rtWalkFound(RtWave w) {
    uvec4 found = rtWalkQuad(w, 1u).quad[0], rest = rtWalkQuad(w, 3u).quad[0];
    vec3 f = uintBitsToFloat(found.xyz);
    return ErFound(f.x, f.y, f.z, rest.x, found.w, rest.y);
}

void rtWalkStoreFound(RtWave w, const in ErFound f, const in uint candidateKind) {
    rtWalkQuad(w, 1u).quad[0] = uvec4(floatBitsToUint(vec3(f.t, f.v, f.w)), f.leaf);
    rtWalkQuad(w, 3u).quad[0] = uvec4(f.instance, f.kind, candidateKind, 0u);
}

void rtWalkLoadAttributes(RtWave w) {
    for (uint q = 0u; q < rtWaveAttributeQuads(); q++) {
        uvec4 words = rtWaveQuad(w, rtWaveAttributesAt() + q).quad[0];
        for (uint i = 0u; i < 4u; i++) rtCommitted[4u * q + i] = words[i];
    }
}

void rtWalkStoreAttributes(RtWave w) {
    for (uint q = 0u; q < rtWaveAttributeQuads(); q++) {
        uvec4 words;
        for (uint i = 0u; i < 4u; i++) words[i] = rtCommitted[4u * q + i];
        rtWaveQuad(w, rtWaveAttributesAt() + q).quad[0] = words;
    }
}

void rtWalkOperands() {
    rtRay.cullMask = rtOperands & 0xFFu;
    rtRay.sbtOffset = (rtOperands >> 8u) & 0xFu;
    rtRay.sbtStride = (rtOperands >> 12u) & 0xFu;
}

// The state of a lane that waits for the shader of a number, 0 and a fault for one that there is not.
uint rtAskState(const in uint shader, const in uint count, const in uint before) {
    if (shader - 1u >= count) {
        rtUnknown(shader);
        return 0u;
    }
    return rtAskFirst() + (before + ((shader - 1u) >> rtAskDrop())) * rtAskStep();
}

// Whom to ask about a triangle or a box: 0 if there is nobody.
uint rtAskTriangle(const in ErHit candidate) {
    if (rtAskAnyHits() == 0u) return 0u;
    uint shader = rtHandleWord(rtHitRecord(candidate.instanceRecordOffset, candidate.geometryIndex), RT_HANDLE_ANY_HIT);
    return rtNullAnyHit() && shader == 0u ? 0u : rtAskState(shader, rtAskAnyHits(), 0u);
}

uint rtAskBox(const in ErHit candidate) {
    uint shader = rtHandleWord(rtHitRecord(candidate.instanceRecordOffset, candidate.geometryIndex), RT_HANDLE_INTERSECTION);
    return rtNullIntersection() && shader == 0u ? 0u : rtAskState(shader, rtAskIntersections(), rtAskBoxes());
}

// What walk.glsl is to do in rtWalk. It suspends as a query does.
#undef ER_STACK
#undef ER_HAS_BOXES
#undef ER_VISIBLE
#undef ER_DECIDE_BOX
#undef ER_DECIDE_TRIANGLE
#undef RQ_KEEP
#undef RQ_WIDE
#define ER_STACK stack
#define ER_HAS_BOXES erUsesBoxes()
#define ER_VISIBLE(i) erVisible(i, ray.flags, ray.cullMask)
#define ER_DECIDE_BOX { \
    ErHit box = erResolve(erInstances(tlas), f); \
    if (rtAskHere()) { \
        verdict = erProcedural(ray, opaque, box); \
        f.t = box.t; \
        f.kind = box.hitKind; \
    } else { \
        asks = rtAskBox(box); \
        f.kind = opaque ? RQ_KIND_OPAQUE_BOX : RQ_KIND_BOX; \
        verdict = asks == 0u ? ER_CANDIDATE_IGNORE : RQ_CANDIDATE_ASK; \
    } \
}
#define ER_DECIDE_TRIANGLE { \
    ErHit triangle = erResolve(erInstances(tlas), f); \
    if (rtAskHere()) { \
        verdict = erCandidate(ray, triangle); \
    } else { \
        asks = rtAskTriangle(triangle); \
        verdict = asks == 0u ? ER_CANDIDATE_ACCEPT : RQ_CANDIDATE_ASK; \
    } \
}
#define RQ_KEEP candidate = f;
#define RQ_WIDE wideNow

// Takes over what was found; returns the index of the record that answers it.
uint rtWalkEnd(const in ErHit hit) {
#include "fallback/found.glsl"
}

// rtTraverse and hoTraverse, for a lane that begins or takes up a traversal. If it is suspended rtAsks says for whom, what it needs
// is in memory, and nothing is found yet.
uint rtWalk(RtWave w) {
    bool again = rtAgain;
    rtAgain = false;
    rtAsks = 0u;
    uint about = 0u;
    if (!again && rtWaveObjects()) {
        about = rtPayload >> HO_MODE_SHIFT;
        rtPayload &= (1u << HO_MODE_SHIFT) - 1u;
        if (about == HO_MODE_EXECUTE) {
            hoPull();
            return hoExecuted();
        }
    }
    rtWalkOperands();
    if (rtTlas.y == RT_STRUCTURE) rtTlas = rtStructure(rtTlas.x);
    uvec2 tlas = rtTlas;
    ErRay ray = rtRay;

    uvec4 top;
    uint ref = ER_REF_DONE, depth = 2u, instance = ER_NO_INSTANCE, wideNow = 0u;
    ErFound found = RQ_NOTHING;
    found.t = ray.tMax;
    uint stack[RT_WALK_ENTRIES];
#ifdef ER_CLUSTERS
    uint cluster = 0u;
#endif
    if (again) {
        uvec4 at = rtWalkQuad(w, 0u).quad[0];
        ref = at.x;
        depth = at.y & RT_WALK_BYTE;
        wideNow = (at.y >> RT_WALK_WIDE) & 1u;
        about = at.y >> RT_WALK_MODE;
        instance = at.z;
#ifdef ER_CLUSTERS
        cluster = at.w;
#endif
        found = rtWalkFound(w);
        rtWalkLoadAttributes(w);
        if (ref != ER_REF_DONE) {
            for (uint i = 0u; i < depth; i += 4u) {
                uvec4 words = rtWalkQuad(w, RT_WALK_QUADS + i / 4u).quad[0];
                for (uint k = 0u; k < 4u; k++) stack[i + k] = words[k];
            }
            top = ErHeaderView(tlas).activeRootHeightLeafBlock; // what wide nodes ask for
        }
    } else if (erBegin(tlas, top)) {
        ref = ER_REF_RESTORE; // to the top level from nowhere
        stack[0] = ER_REF_DONE;
        stack[1] = top.y;
    }
    if (ref != ER_REF_DONE) {
        uvec2 nodes = erAddress(tlas, ER_HEADER_SIZE), leaves = uvec2(0u);
        bool bottom = false, paused = false;
        uint mode = 0u, next = ER_REF_DONE, asks = 0u;
        vec3 origin;
        ErRaySetup setup;
        ErFound candidate = RQ_NOTHING;
        ER_WIDE_STATE
        if (again) RQ_AGAIN(instance)
#include "bvh/trace/walk.glsl"
        RQ_WIDE_PAUSE
        if (paused) {
            uint packed = depth | wideNow << RT_WALK_WIDE | about << RT_WALK_MODE, number = 0u;
#ifdef ER_CLUSTERS
            number = cluster;
#endif
            rtWalkQuad(w, 0u).quad[0] = uvec4(next, packed, instance, number);
            rtWalkStoreFound(w, found, candidate.kind);
            uvec3 met = floatBitsToUint(vec3(candidate.t, candidate.v, candidate.w));
            rtWalkQuad(w, 2u).quad[0] = uvec4(met, candidate.leaf);
            for (uint i = 0u; i < depth; i += 4u) {
                uvec4 words = uvec4(stack[i], stack[i + 1u], stack[i + 2u], stack[i + 3u]);
                rtWalkQuad(w, RT_WALK_QUADS + i / 4u).quad[0] = words;
            }
            rtAsks = asks;
            return RT_STATE_DONE;
        }
    }
    ErHit hit = ErHit(ray.tMax, vec2(0.0), 0u, 0u, ER_NO_INSTANCE, 0u, 0u, 0u, uvec2(0u), 0u);
    if (found.instance != ER_NO_INSTANCE) hit = erResolve(erInstances(tlas), found);
    uint record = rtWalkEnd(hit);
    if (rtWaveObjects() && about != 0u) {
        hoPack(record);
        hoPush();
        if (about == HO_MODE_TRACE) return RT_STATE_DONE;
    }
    return hoAnswer(record);
}

// Begins or takes up a traversal, and keeps what comes of it.
uint rtWaveWalk(RtWave w) {
    bool again = rtAgain;
    rtAgree();
    uint state = rtWalk(w);
    uvec2 address = rtRecord;
    if (rtAsks != 0u) {
        state = rtAsks;
        address = rtTlas;
        if (!again) rtWaveStoreTrace(w); // else it is there
    } else if (state == RT_STATE_DONE) {
        state = rtReturn();
        rtWaveStoreCall(w);
    } else {
        state = rtWaveKnown(w, state);
        rtWaveStoreTrace(w);
        rtWaveStoreHit(w);
    }
    rtWaveStoreNext(w, state, address);
    return state;
}

// rtWaveResume, which also takes up traversals.
void rtWaveResumeOn() {
    RtWave w = RtWave(rtWaveAddress());
    uint argument = rtWaveArgument(), list = argument & RT_WAVE_LIST;
    uint i = gl_WorkGroupID.x * rtWaveLanes() + gl_LocalInvocationIndex;
    uint state = RT_STATE_DONE;
    rtAgain = false;
    if (i < RtWaveRound(w.round).alive) {
        bool begin = (argument & RT_WAVE_BEGIN) != 0u, mine = true;
        rtWaveLane(begin ? i : rtWaveWord(w.lists[list], i));
        if (begin) {
            state = rtWaveBegin();
        } else {
            state = rtWaveLoadState(w);
            rtAgain = state == RT_STATE_WALK;
            if (rtAgain) state = RT_STATE_TRAVERSE;
            mine = state == RT_STATE_TRAVERSE || rtWaveMine(state);
            if (mine) {
                rtWaveLoadCall(w);
                rtPlaceWave();
                if (state == RT_STATE_TRAVERSE) rtWaveLoad(w, state);
            }
        }
        if (mine) {
            state = rtWaveContinue(state);
            if (state == RT_STATE_TRAVERSE) {
                state = rtWaveWalk(w);
            } else if (rtCallsShaders() && state != RT_STATE_DONE) {
                state = rtWaveKnown(w, state);
                rtWaveStoreCall(w);
                rtWaveStoreNext(w, state, rtRecord);
            }
        }
    }
    rtWaveList(w, state, list ^ 1u);
}

// Runs the shaders of candidates.
void rtWaveDecide() {
    RtWave w = RtWave(rtWaveAddress());
    RtWaveRound r = RtWaveRound(w.round);
    uint segment = rtWaveArgument(), i = gl_WorkGroupID.x * RT_WAVE_LANES + gl_LocalInvocationIndex;
    if (i >= r.segments[segment].count) return;
    rtWaveLane(rtWaveWord(w.queue, r.segments[segment].first + i));
    rtWaveLoadCall(w);
    rtPlaceWave();
    rtWaveLoad(w, RT_STATE_TRAVERSE);
    rtWalkOperands();
    uvec4 at = rtWalkQuad(w, 0u).quad[0], met = rtWalkQuad(w, 2u).quad[0];
    ErFound found = rtWalkFound(w);
    uint kind = rtWalkQuad(w, 3u).quad[0].z, verdict;
    vec3 m = uintBitsToFloat(met.xyz);
    ErFound f = ErFound(m.x, m.y, m.z, at.z, met.w, kind);
    if (rqIsBox(f)) {
        f.kind = found.kind;
        ErHit box = erResolve(erInstances(rtTlas), f);
        verdict = erProcedural(rtRay, kind == RQ_KIND_OPAQUE_BOX, box);
        f.t = box.t;
        f.kind = box.hitKind;
        if (verdict != ER_CANDIDATE_IGNORE) rtWalkStoreAttributes(w);
    } else {
        verdict = erCandidate(rtRay, erResolve(erInstances(rtTlas), f));
    }
    if (verdict != ER_CANDIDATE_IGNORE) {
        rtWalkStoreFound(w, f, kind);
        bool last = verdict == ER_CANDIDATE_TERMINATE || (rtRay.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u;
        if (last) rtWalkQuad(w, 0u).quad[0].x = ER_REF_DONE;
    }
    rtWaveStoreNext(w, RT_STATE_WALK, rtTlas);
}

// The tail: see wave_tail.glsl.
#define RT_TAIL rtWalkTail
#define RT_FINISH rtWalkFinish
#define RT_TAKE_UP(state) \
    rtAgain = state == RT_STATE_WALK; \
    if (rtAgain) state = RT_STATE_TRAVERSE;
#define RT_FIND rtWalk(RtWave(rtWaveAddress()))
#include "fallback/wave_tail.glsl"
#undef RT_TAIL
#undef RT_FINISH
#undef RT_TAKE_UP
#undef RT_FIND

void rtWaveTailOn() {
    rtAgain = false;
    rtWalkTail();
}

#endif
