// The sorted form: one kernel, whose workgroups sort their lanes by shader through shared memory, between traversal and shading.
// All lanes of a workgroup go through the same phases: go on up to the next ray, traverse, sort, shade. The lane that shades is
// another than the one that traversed, so what the shader may ask for goes through shared memory, and back comes what it leaves
// for the scheduler; payloads and frames are on the stack of the lane that they belong to.
//
// The linker makes rtSorted the entry point, gives the arrays the size that the pipeline needs, and says by the hooks of wave.glsl
// (rtWaveReads..., rtWaveNested) what has to be passed.
#ifndef EVERRAY_FALLBACK_SORTED_GLSL
#define EVERRAY_FALLBACK_SORTED_GLSL

const uint RT_SORTED_MOST_LANES = 256u;
const uint RT_SORTED_MOST_WORDS = 32u; // of a lane; the linker leaves as many as the pipeline needs

// The linker's words: lanes of a workgroup, bins that they are sorted into, states of a bin.
uint rtSortedLanes() { return 64u; }
uint rtSortedBins() { return 1u; }
uint rtSortedShift() { return 0u; }

// Words of a lane stand that many lanes apart, so that lanes beside each other meet no bank twice.
shared uint rtSortedWords[RT_SORTED_MOST_LANES * RT_SORTED_MOST_WORDS];
shared uint rtSortedStarts[RT_SORTED_MOST_LANES]; // of bins: their lanes, then where the next one begins
shared uint rtSortedOrder[RT_SORTED_MOST_LANES];  // lanes of the workgroup, by bin
shared uint rtSortedAlive;

uint rtSortedGroup; // indirect launches: the lane group that the workgroup's first lanes take

uint rtGet(const in uint lane, inout uint at) { return rtSortedWords[at++ * rtSortedLanes() + lane]; }
float rtGetFloat(const in uint lane, inout uint at) { return uintBitsToFloat(rtGet(lane, at)); }
vec3 rtGetVector(const in uint lane, inout uint at) {
    vec3 v;
    for (uint i = 0u; i < 3u; i++) v[i] = rtGetFloat(lane, at);
    return v;
}
void rtPut(const in uint lane, inout uint at, const in uint word) { rtSortedWords[at++ * rtSortedLanes() + lane] = word; }
void rtPutFloat(const in uint lane, inout uint at, const in float value) { rtPut(lane, at, floatBitsToUint(value)); }
void rtPutVector(const in uint lane, inout uint at, const in vec3 v) {
    for (uint i = 0u; i < 3u; i++) rtPutFloat(lane, at, v[i]);
}

// Finds the place of lane rtLane of the workgroup. In this form it is what rtPlaceLane does.
bool rtPlaceSorted() {
    if (!rtIndirect()) return rtPlaceTile(rtLane);
    uint group = rtSortedGroup + rtLane / RT_LANES_PER_GROUP;
    return group < rtLaunch.groupCount && rtPlaceGroup(group, rtLane % RT_LANES_PER_GROUP);
}

// Becomes a lane of the workgroup, as far as that follows from its number. False outside of the launch.
bool rtSortedBe(const in uint lane) {
    rtLane = lane;
    uint workgroup = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint group = workgroup * (rtSortedLanes() / RT_LANES_PER_GROUP) + lane / RT_LANES_PER_GROUP;
    rtStack = rtOffset(rtLaunch.stackBase, 4u * group * rtLaunch.stackDwords * RT_LANES_PER_GROUP
        + 16u * (lane % RT_LANES_PER_GROUP));
    return rtPlaceSorted();
}

// ---- what a lane passes ------------------------------------------------------------------------

// What the scheduler keeps, and comes back from the shader.
void rtSortedPutCall(inout uint at, const in uint state) {
    rtPut(rtLane, at, state);
    rtPut(rtLane, at, rtFrame | rtDepth << RT_WAVE_FRAME_BITS);
    rtPut(rtLane, at, rtReturnTo);
    rtPut(rtLane, at, rtPayload);
    rtPut(rtLane, at, rtOperands);
}

uint rtSortedGetCall(inout uint at) {
    uint state = rtGet(rtLane, at), frame = rtGet(rtLane, at);
    rtFrame = frame & RT_WAVE_FRAME_MASK;
    rtDepth = frame >> RT_WAVE_FRAME_BITS;
    rtReturnTo = rtGet(rtLane, at);
    rtPayload = rtGet(rtLane, at);
    rtOperands = rtGet(rtLane, at);
    return state;
}

void rtSortedPutRay(inout uint at) {
    rtPutVector(rtLane, at, rtRay.origin);
    rtPutFloat(rtLane, at, rtRay.tMin);
    rtPutVector(rtLane, at, rtRay.direction);
    rtPutFloat(rtLane, at, rtRay.tMax);
}

void rtSortedGetRay(inout uint at) {
    rtRay.origin = rtGetVector(rtLane, at);
    rtRay.tMin = rtGetFloat(rtLane, at);
    rtRay.direction = rtGetVector(rtLane, at);
    rtRay.tMax = rtGetFloat(rtLane, at);
}

// The record, or the structure of the ray that comes next, then the ray's flags.
void rtSortedPutAddress(inout uint at, const in uvec2 address) {
    rtPut(rtLane, at, address.x);
    rtPut(rtLane, at, address.y);
    rtPut(rtLane, at, rtRay.flags);
}

uvec2 rtSortedGetAddress(inout uint at) {
    uvec2 address;
    address.x = rtGet(rtLane, at);
    address.y = rtGet(rtLane, at);
    rtRay.flags = rtGet(rtLane, at);
    return address;
}

// What the shader of a hit or miss may ask for.
void rtSortedPutHit(inout uint at) {
    if (rtWaveReadsHit()) {
        rtPutFloat(rtLane, at, rtHit.t);
        rtPut(rtLane, at, rtHit.primitiveIndex);
        if (rtWaveReadsBarycentrics()) {
            rtPutFloat(rtLane, at, rtHit.barycentrics.x);
            rtPutFloat(rtLane, at, rtHit.barycentrics.y);
        }
    }
    if (rtWaveReadsInstance()) {
        rtPut(rtLane, at, rtHit.instanceRecord.x);
        rtPut(rtLane, at, rtHit.instanceRecord.y);
        rtPut(rtLane, at, rtHit.geometryIndex | rtHit.hitKind << 24u);
        rtPut(rtLane, at, rtHit.leaf);
    }
    for (uint i = 0u; i < rtWaveAttributeQuads() * 4u; i++) rtPut(rtLane, at, rtAttributes[i]);
}

void rtSortedGetHit(inout uint at) {
    if (rtWaveReadsHit()) {
        rtHit.t = rtGetFloat(rtLane, at);
        rtHit.primitiveIndex = rtGet(rtLane, at);
        if (rtWaveReadsBarycentrics()) {
            rtHit.barycentrics.x = rtGetFloat(rtLane, at);
            rtHit.barycentrics.y = rtGetFloat(rtLane, at);
        }
    }
    if (rtWaveReadsInstance()) {
        rtHit.instanceRecord.x = rtGet(rtLane, at);
        rtHit.instanceRecord.y = rtGet(rtLane, at);
        uint kind = rtGet(rtLane, at);
        rtHit.geometryIndex = kind & 0xFFFFFFu;
        rtHit.hitKind = kind >> 24u;
        rtHit.leaf = rtGet(rtLane, at);
        if (rtHit.instanceRecord != uvec2(0u)) { // a hit
            ErInstance i = ErInstanceView(rtHit.instanceRecord).instance[0];
            rtHit.instanceIndex = i.b.x;
            rtHit.instanceCustomIndex = i.a.z & 0xFFFFFFu;
        }
    }
    for (uint i = 0u; i < rtWaveAttributeQuads() * 4u; i++) rtAttributes[i] = rtGet(rtLane, at);
}

// ---- phases ------------------------------------------------------------------------------------

bool rtSortedShades(const in uint state) { return state > RT_STATE_OVERFLOW && state < RT_STATE_CALL; }

// Goes on up to the next ray, and traverses it.
uint rtSortedTrace(const in uint first) {
    uint state = first;
    [[dont_unroll]] while (state >= RT_STATE_CALL) {
        if (rtCallsShaders() && state == RT_STATE_CALL) {
            uint shader = rtCallableState(rtOperands);
            state = shader == RT_STATE_DONE ? rtReturnTo : shader;
        }
        rtState = state;
        state = rtContinue(state);
    }
    if (state == RT_STATE_TRAVERSE) {
        rtAgree();
        state = rtTraverse();
        if (state == RT_STATE_DONE) state = rtReturn();
    }
    if (state == RT_STATE_OVERFLOW) {
        rtOverflow();
        state = RT_STATE_DONE;
    }
    return state;
}

// Gives those lanes of the workgroup that are to be shaded places in the order of their shaders, and returns how many they are.
// False in `alive` if no lane of the workgroup has anything left to do.
uint rtSortedSort(const in uint state, out bool alive) {
    uint lane = gl_LocalInvocationIndex, bins = rtSortedBins();
    if (lane < bins) rtSortedStarts[lane] = 0u;
    if (lane == 0u) rtSortedAlive = 0u;
    barrier();
    uint bin = 0u, rank = 0u;
    bool shades = rtSortedShades(state);
    if (shades) {
        bin = min((state - RT_WAVE_FIRST_SHADE) >> rtSortedShift(), bins - 1u);
        rank = atomicAdd(rtSortedStarts[bin], 1u);
    }
    if (!shades && state != RT_STATE_DONE) atomicOr(rtSortedAlive, 1u);
    barrier();
    alive = rtSortedAlive != 0u;
    for (uint step = 1u; step < bins; step *= 2u) {
        uint left = lane >= step && lane < bins ? rtSortedStarts[lane - step] : 0u;
        barrier();
        if (lane < bins) rtSortedStarts[lane] += left;
        barrier();
    }
    if (shades) rtSortedOrder[(bin == 0u ? 0u : rtSortedStarts[bin - 1u]) + rank] = lane;
    uint count = rtSortedStarts[bins - 1u];
    alive = alive || count != 0u;
    return count;
}

// Shades the lane that the order gives this one.
void rtSortedShade(const in uint lane) {
    rtSortedBe(rtSortedOrder[lane]);
    uint at = 0u;
    uint state = rtSortedGetCall(at);
    rtRecord = rtSortedGetAddress(at);
    rtHit.instanceRecord = uvec2(0u);
    if (rtWaveReadsRay() || rtWaveNested()) rtSortedGetRay(at);
    rtSortedGetHit(at);
    rtState = state;
    state = rtShade(state);
    if (state == RT_STATE_OVERFLOW) { // while this lane is the one that it happened to
        rtOverflow();
        state = RT_STATE_DONE;
    }
    at = 0u;
    rtSortedPutCall(at, state);
    if (rtWaveNested()) {
        rtSortedPutAddress(at, rtTlas);
        rtSortedPutRay(at);
    }
}

// One place of the launch after the other, of all lanes of the workgroup together.
void rtSortedRun(const in bool inside) {
    uint lane = gl_LocalInvocationIndex;
    uint state = inside ? rtBegin() : RT_STATE_DONE;
    // For faults, as in rtRun.
    if (rtFirstIsKnown() && inside && all(equal(gl_WorkGroupID, uvec3(0u)))) rtHandleWord(rtLaunch.raygenRecord, RT_HANDLE_SHADER);
    rtState = state;
    [[dont_unroll]] while (true) {
        state = rtSortedTrace(state);
        bool shades = rtSortedShades(state);
        bool alive;
        uint count = rtSortedSort(state, alive);
        if (!alive) break; // all of the workgroup
        uint at = 0u;
        rtSortedPutCall(at, state);
        if (shades) {
            rtSortedPutAddress(at, rtRecord);
            if (rtWaveReadsRay() || rtWaveNested()) rtSortedPutRay(at);
            rtSortedPutHit(at);
        }
        barrier();
        if (lane < count) rtSortedShade(lane);
        barrier();
        rtSortedBe(lane);
        at = 0u;
        state = rtSortedGetCall(at);
        rtState = rtReturnTo; // for faults of a traversal: it is the caller's
        if (rtWaveNested() && shades) {
            rtTlas = rtSortedGetAddress(at);
            rtSortedGetRay(at);
        }
        barrier(); // all have read before the next phase writes
    }
    barrier(); // nor does the next place
}

void rtSorted() {
    rtPushAddress = rtLaunch.pushConstants;
    uint lane = gl_LocalInvocationIndex;
    if (!rtIndirect()) {
        rtSortedRun(rtSortedBe(lane));
        return;
    }
    uint first = gl_WorkGroupID.x * (rtSortedLanes() / RT_LANES_PER_GROUP) + rtLaunch.firstGroup;
    for (uint group = first; group < rtLaunch.groupCount; group += rtLaunch.groupStride) {
        rtSortedGroup = group;
        rtSortedRun(rtSortedBe(lane));
    }
}

#endif
