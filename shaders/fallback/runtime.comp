// Runtime of the compute way: lane set-up, the scheduler, the stack, the shader binding table and the traversal state.
// fallback/link merges the application's shaders with this module. What it refers to by name:
//   rtShade, rtContinue, rtAnyHit, rtIntersection, rtSchedule, rtShadeMiss, rtRunCallable, rtStructure   hooks, whose bodies
//                          the linker replaces
//   rtIndirect, rtNull..., erUses...   constants of the pipeline, replaced too
//   rt...                  functions called from the linked shaders, and the globals of the ray state
// Parameters of those functions are `const in`, which glslang passes by value.
#version 460
// Variant: simd
// Variant: long
// Variant: clusters
// Uncalled functions: kept
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require

#include "bvh/trace/traverse.glsl"
#include "fallback/launch.glsl"
#include "fallback/query.glsl"

const uint RT_TILE_LANES = 64u;
layout(local_size_x = 64) in; // one tile; the linker may widen it

#ifdef ER_SIMD
const uint RT_TILES = 1u;
#else
// Tiles of a workgroup.
uint rtTiles() { return 1u; }
#define RT_TILES rtTiles()
#endif

// States of a lane. Between those named here lie the entries of hit and miss shaders, from RT_STATE_CONTINUE on those of
// ray generation and callable shaders and the points where shaders resume behind a call.
const uint RT_STATE_DONE = 0u;
const uint RT_STATE_TRAVERSE = 1u;
const uint RT_STATE_OVERFLOW = 2u;  // a call did not fit: rtFrame is where the stack would have to reach, rtDepth below zero
const uint RT_STATE_CALL = 0xFFFFu; // a callable shader is to be run, that of record rtOperands
const uint RT_STATE_CONTINUE = 0x10000u;

const uint RT_STRUCTURE = 0xFFFFFFFFu; // no high half of an address

const uint RT_RAY_FLAG_SKIP_CLOSEST_HIT = 8u;

// The ray state of a lane: what a shader in the pipeline can ask for.
uvec3 rtLaunchId;
uvec3 rtLaunchSize;
uvec2 rtRecord;      // address of the running shader's record data
uvec2 rtPushAddress; // address of the application's push constants
uint rtFrame;        // stack quad that the running shader's frame begins with
uint rtReturnTo;     // the state to return to; slot 0 of the frame keeps it while the shader waits for a callee
uint rtDepth;        // trace calls that may still be nested
uint rtPayload;      // stack quad that the incoming payload begins with
uint rtOperands;     // of a trace call: cull mask, table offset and stride, miss index; of a callable one: index of its record
uint rtState;        // running state, for fault records
uvec2 rtTlas;        // address, or number and RT_STRUCTURE for a descriptor that rtStructure reads
ErRay rtRay;
ErHit rtHit;         // the candidate while any hit and intersection shaders run, the committed hit after traversal

// Hit attributes: of the candidate, then of the hit to shade; and of the closest procedural hit so far.
const uint RT_ATTRIBUTE_WORDS = 8u;
uint rtAttributes[RT_ATTRIBUTE_WORDS];
uint rtCommitted[RT_ATTRIBUTE_WORDS];

// While an intersection shader runs: its hit group's record, whether the box is opaque, and what it found.
uvec2 rtGroup;
bool rtOpaque;
uint rtVerdict;

uvec2 rtOffset(const in uvec2 address, const in uint bytes) {
    uint carry;
    uint low = uaddCarry(address.x, bytes, carry);
    return uvec2(low, address.y + carry);
}

// Address of this lane's first quad.
uvec2 rtStack;

// Address of a quad; shaders reach those behind it by constant offsets. By words: indexing the reference would take 64-bit
// integers, which not every device has.
uvec2 rtQuad(const in uint quad) { return rtOffset(rtStack, quad * RT_QUAD_STRIDE); }

bool rtPlaceLane();
bool rtIndirect();

// Direct launches find the lane's place anew, so that it need not be kept during the traversal: 3 to 5% of all rays (H200).
void rtFault(const in uint kind, const in uint value) {
    uvec2 address = rtLaunch.faults;
    if (address == uvec2(0u)) return;
    if (!rtIndirect()) rtPlaceLane();
    RtFaults faults = RtFaults(address);
    uint index = atomicAdd(faults.count, 1u);
    if (index >= RT_FAULT_CAPACITY) return;
    faults.records[2u * index] = uvec4(kind, rtLaunchId);
    faults.records[2u * index + 1u] = uvec4(rtState, value, rtLaunch.pipelineTag, 0u);
}

// ---- hooks -------------------------------------------------------------------------------------

uint rtShade(const in uint state) { return RT_STATE_DONE; }
uint rtContinue(const in uint state) { return RT_STATE_DONE; }
uint rtAnyHit(const in uint shader) { return ER_CANDIDATE_ACCEPT; }
uint rtIntersection(const in uint shader) { return RT_STATE_DONE; }
uint rtShadeMiss(const in uint state) { return RT_STATE_DONE; }
uint rtRunCallable(const in uint state) { return RT_STATE_DONE; }
// Address of the acceleration structure in a descriptor that trace calls name by its number.
uvec2 rtStructure(const in uint number) { return uvec2(0u); }

// Whether a launch reads its parameters from memory and its lanes take several places.
bool rtIndirect() { return false; }
// Whether hit groups may lack a shader of the kind, or records hold the null handle.
bool rtNullAnyHit() { return true; }
bool rtNullIntersection() { return true; }
// Whether shaders read hit attributes from rtAttributes, rather than barycentrics.
bool rtUsesAttributes() { return true; }
// Whether shaders call callable ones.
bool rtCallsShaders() { return true; }
bool erUsesTriangles() { return true; }
bool erUsesBoxes() { return true; }
// Of the flags and operands of rays: bits that all trace calls set, and those in which they differ, or that nobody knows.
uint rtFlagsSet() { return 0u; }
uint rtFlagsOpen() { return ~0u; }
uint rtOperandsSet() { return 0u; }
uint rtOperandsOpen() { return ~0u; }

// A state or shader number that the pipeline does not have, out of a handle that was overwritten.
uint rtUnknown(const in uint number) {
    rtFault(RT_FAULT_HANDLE, number);
    return RT_STATE_DONE;
}

// ---- shader binding table ----------------------------------------------------------------------

// Address of record `index`, or zero and a fault if it lies outside the table.
uvec2 rtRecordAddress(const in uvec2 base, const in uint stride, const in uint size, const in uint index) {
    uint high, offset;
    umulExtended(index, stride, high, offset);
    if (high != 0u || size < RT_HANDLE_BYTES || offset > size - RT_HANDLE_BYTES) {
        rtFault(RT_FAULT_RECORD_RANGE, index);
        return uvec2(0u);
    }
    return rtOffset(base, offset);
}

// One dword of a record's handle; 0 for the null handle and, with a fault, for one of another pipeline.
uint rtHandleWord(const in uvec2 record, const in uint which) {
    if (record == uvec2(0u)) return 0u;
    uvec4 words = RtHandle(record).words;
    uint value = words[which];
    uint tag = words[RT_HANDLE_PIPELINE];
    if (tag != rtLaunch.pipelineTag && tag != 0u) {
        rtFault(RT_FAULT_HANDLE, tag);
        return 0u;
    }
    return tag == 0u ? 0u : value;
}

// Record of the hit group: instance offset + geometry index * ray stride + ray offset (Vulkan 40.5, DXR "hit group addressing").
uvec2 rtHitRecord(const in uint instanceOffset, const in uint geometryIndex) {
    uint index = instanceOffset + geometryIndex * rtRay.sbtStride + rtRay.sbtOffset;
    return rtRecordAddress(rtLaunch.hitBase, rtLaunch.hitStride, rtLaunch.hitSize, index);
}

// ---- calls from the linked shaders -------------------------------------------------------------

// Whether a frame of `size` quads can be pushed. If not, the caller saves nothing and calls all the same: the state that
// follows is the scheduler's, which reports the fault. So the code for it stands in one place, and what the call sets needs
// no choice of values, of which there would be one for each variable in each shader.
bool rtReserve(const in uint size) { return rtFrame + size <= rtLaunch.stackDwords / 4u; }

// The same for a trace call, which may be too deep.
bool rtReserveTrace(const in uint size) { return rtDepth != 0u && rtReserve(size); }

// Takes over the operands of a trace call. Masks as in the specification: 8 bits of cull mask, 4 of table offset and stride,
// 16 of miss index. They stay together up to the traversal, being constants more often than not.
void rtSetRay(const in uvec2 tlas, const in uint flags, const in uint cullMask, const in uint sbtOffset, const in uint sbtStride,
              const in uint missIndex, const in vec3 origin, const in float tMin, const in vec3 direction, const in float tMax) {
    rtTlas = tlas;
    rtRay.flags = flags;
    rtOperands = (cullMask & 0xFFu) | (sbtOffset & 0xFu) << 8u | (sbtStride & 0xFu) << 12u | missIndex << 16u;
    rtRay.origin = origin;
    rtRay.tMin = tMin;
    rtRay.direction = direction;
    rtRay.tMax = tMax;
}

// Leaves the caller's frame of `size` quads, where its rtReturnTo is kept; `resume` runs when the callee is done.
void rtPush(const in uint size, const in uint resume, const in uint payload) {
    rtFrame += size;
    rtReturnTo = resume;
    rtPayload = payload;
}

// The state of the callable shader of a record, DONE for the null handle; its record data comes with it.
uint rtCallableState(const in uint index) {
    uvec2 record = rtRecordAddress(rtLaunch.callableBase, rtLaunch.callableStride, rtLaunch.callableSize, index);
    uint shader = rtHandleWord(record, RT_HANDLE_SHADER);
    rtRecord = rtOffset(record, RT_HANDLE_BYTES);
    return shader == 0u || shader >= RT_STATE_CONTINUE ? shader : rtUnknown(shader);
}

// Trace call, the ray being set: the state to run.
uint rtCall(const in bool fits, const in uint size, const in uint resume, const in uint payload) {
    rtPush(size, resume, payload);
    rtDepth -= 1u;
    return fits ? RT_STATE_TRAVERSE : RT_STATE_OVERFLOW;
}

// Call of a callable shader, which the scheduler finds.
uint rtCallShader(const in bool fits, const in uint size, const in uint resume, const in uint data, const in uint index) {
    rtPush(size, resume, data);
    rtOperands = index;
    return fits ? RT_STATE_CALL : RT_STATE_OVERFLOW;
}

// The state to return to from a hit or miss shader.
uint rtReturn() {
    rtDepth += 1u;
    return rtReturnTo;
}

// The same from a callable shader.
uint rtReturnCallable() { return rtReturnTo; }

// Back in the caller, whose frame of `size` quads was left.
void rtResume(const in uint size) { rtFrame -= size; }

// Reports a hit of an intersection shader, whose attributes are set. 0: refused; 1: accepted; 2: accepted, and the
// intersection shader ends.
const uint RT_REPORT_REFUSED = 0u;
const uint RT_REPORT_ACCEPTED = 1u;
const uint RT_REPORT_END = 2u;

uint rtReport(const in float t, const in uint kind) {
    float closest = rtHit.t;
    if (!(t >= rtRay.tMin && t <= closest)) return RT_REPORT_REFUSED;
    uint before = rtHit.hitKind;
    uint verdict = ER_CANDIDATE_ACCEPT;
    rtHit.t = t;
    rtHit.hitKind = kind;
    if (!rtOpaque) {
        uint shader = rtHandleWord(rtGroup, RT_HANDLE_ANY_HIT);
        if (!rtNullAnyHit() || shader != 0u) verdict = rtAnyHit(shader);
    }
    if (verdict == ER_CANDIDATE_IGNORE) {
        rtHit.t = closest;
        rtHit.hitKind = before;
        return RT_REPORT_REFUSED;
    }
    rtCommitted = rtAttributes;
    bool last = verdict == ER_CANDIDATE_TERMINATE || (rtRay.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u;
    rtVerdict = last ? ER_CANDIDATE_TERMINATE : ER_CANDIDATE_ACCEPT;
    return last ? RT_REPORT_END : RT_REPORT_ACCEPTED;
}

void rtSetAttribute(const in uint word, const in uint value) { rtAttributes[word] = value; }
uint rtAttribute(const in uint word) { return rtAttributes[word]; }

vec3 rtWorldRayOrigin() { return rtRay.origin; }
vec3 rtWorldRayDirection() { return rtRay.direction; }
vec3 rtObjectRayOrigin() { return erWorldToObject(rtHit.instanceRecord) * vec4(rtRay.origin, 1.0); }
vec3 rtObjectRayDirection() { return erWorldToObject(rtHit.instanceRecord) * vec4(rtRay.direction, 0.0); }
float rtRayTmin() { return rtRay.tMin; }
float rtRayTmaxHit() { return rtHit.t; }
float rtRayTmaxMiss() { return rtRay.tMax; }
uint rtRayFlags() { return rtRay.flags; }
uint rtCullMask() { return rtOperands & 0xFFu; }
uint rtHitKind() { return rtHit.hitKind; }
uint rtInstanceId() { return rtHit.instanceIndex; }
uint rtInstanceCustomIndex() { return rtHit.instanceCustomIndex; }
uint rtPrimitiveId() { return rtHit.primitiveIndex; }
uint rtGeometryIndex() { return rtHit.geometryIndex; }
mat4x3 rtObjectToWorld() { return erObjectToWorld(rtHit.instanceRecord); }
mat4x3 rtWorldToObject() { return erWorldToObject(rtHit.instanceRecord); }
vec2 rtBarycentrics() { return rtHit.barycentrics; }
// rtClusterId is that of the hit or candidate: all ones, if it is no cluster's or the pipeline was made without clusters.
uint rtClusterId() {
#ifdef ER_CLUSTERS
    return erClusterId(rtHit.instanceRecord, rtHit.leaf);
#else
    return ~0u;
#endif
}
vec3 rtVertex(const in uint k) { return erVertex(rtHit.instanceRecord, rtHit.leaf, k); }

// ---- traversal ---------------------------------------------------------------------------------

void erTraversalFault(uint kind, uint value) {
    rtFault(kind == ER_FAULT_TRAVERSAL_STACK ? RT_FAULT_TRAVERSAL : RT_FAULT_STRUCTURE, value);
}

uint erCandidate(in ErRay ray, in ErHit candidate) {
    uvec2 record = rtHitRecord(candidate.instanceRecordOffset, candidate.geometryIndex);
    uint shader = rtHandleWord(record, RT_HANDLE_ANY_HIT);
    if (rtNullAnyHit() && shader == 0u) return ER_CANDIDATE_ACCEPT;
    rtHit = candidate;
    rtAttributes[0] = floatBitsToUint(candidate.barycentrics.x);
    rtAttributes[1] = floatBitsToUint(candidate.barycentrics.y);
    rtRecord = rtOffset(record, RT_HANDLE_BYTES);
    return rtAnyHit(shader);
}

uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate) {
    rtGroup = rtHitRecord(candidate.instanceRecordOffset, candidate.geometryIndex);
    uint shader = rtHandleWord(rtGroup, RT_HANDLE_INTERSECTION);
    if (rtNullIntersection() && shader == 0u) return ER_CANDIDATE_IGNORE;
    rtHit = candidate;
    rtRecord = rtOffset(rtGroup, RT_HANDLE_BYTES);
    rtOpaque = opaque;
    rtVerdict = ER_CANDIDATE_IGNORE;
    rtIntersection(shader);
    candidate.t = rtHit.t;
    candidate.hitKind = rtHit.hitKind;
    return rtVerdict;
}

// Finds the hit and the shader that answers the ray, DONE if none does.
uint rtTraverse() {
    rtRay.cullMask = rtOperands & 0xFFu;
    rtRay.sbtOffset = (rtOperands >> 8u) & 0xFu;
    rtRay.sbtStride = (rtOperands >> 12u) & 0xFu;
    if (rtTlas.y == RT_STRUCTURE) rtTlas = rtStructure(rtTlas.x);
    // Whole, lest what a hit before left there has to be kept for the case of a miss.
    ErHit hit = ErHit(rtRay.tMax, vec2(0.0), 0u, 0u, ER_NO_INSTANCE, 0u, 0u, 0u, uvec2(0u), 0u);
    erTraverse(rtTlas, rtRay, hit);
    rtHit = hit;

    uvec2 record;
    if (hit.instanceIndex == ER_NO_INSTANCE) {
        record = rtRecordAddress(rtLaunch.missBase, rtLaunch.missStride, rtLaunch.missSize, rtOperands >> 16u);
    } else {
        if ((rtRay.flags & RT_RAY_FLAG_SKIP_CLOSEST_HIT) != 0u) return RT_STATE_DONE;
        record = rtHitRecord(hit.instanceRecordOffset, hit.geometryIndex);
        if (rtUsesAttributes()) {
            rtAttributes = rtCommitted;
            if (hit.hitKind >= ER_HIT_KIND_FRONT) {
                rtAttributes[0] = floatBitsToUint(hit.barycentrics.x);
                rtAttributes[1] = floatBitsToUint(hit.barycentrics.y);
            }
        }
    }
    uint shader = rtHandleWord(record, RT_HANDLE_SHADER);
    rtRecord = rtOffset(record, RT_HANDLE_BYTES);
    return shader;
}

// What the trace calls that the scheduler takes rays from have in common: a compiler drops what it rules out.
void rtAgree() {
    rtRay.flags = (rtRay.flags & rtFlagsOpen()) | rtFlagsSet();
    rtOperands = (rtOperands & rtOperandsOpen()) | rtOperandsSet();
}

// Trace call in the monolithic form, where shaders are plain functions.
uint rtTrace() {
    uint shader = rtTraverse();
    return shader == RT_STATE_DONE ? shader : rtShade(shader);
}

// The same of rays that skip closest hit shaders, which only miss shaders answer: compilers copy shaders to each call.
uint rtTraceMiss() {
    uint shader = rtTraverse();
    return shader == RT_STATE_DONE ? shader : rtShadeMiss(shader);
}

// Call of a callable shader in the monolithic form.
uint rtCallable(const in uint index) {
    uint shader = rtCallableState(index);
    return shader == RT_STATE_DONE ? shader : rtRunCallable(shader);
}

#include "fallback/hitobject.glsl"

// ---- scheduler ---------------------------------------------------------------------------------

// Where in an 8x8 tile a lane of a workgroup is: in Morton order, so that subgroups of any size are compact.
uvec2 rtMorton(const in uint lane) {
    return uvec2((lane & 1u) | ((lane >> 1u) & 2u) | ((lane >> 2u) & 4u),
        ((lane >> 1u) & 1u) | ((lane >> 2u) & 2u) | ((lane >> 3u) & 4u));
}

// Places a lane of a direct launch: of this one, or another of the workgroup. Text twice, not a call: a function more between the
// kernel and its shaders cost rays 4% (H200).
#define RT_PLACED gl_LocalInvocationIndex
bool rtPlaceLane() {
#include "fallback/place.glsl"
}
#undef RT_PLACED
#define RT_PLACED local
bool rtPlaceTile(const in uint local) {
#include "fallback/place.glsl"
}
#undef RT_PLACED

// Places this lane of an indirect launch: tiles go row by row. False outside.
bool rtPlaceGroup(const in uint group, const in uint lane) {
    uint slice = group / rtLaunch.tilesPerSlice;
    uint tile = group - slice * rtLaunch.tilesPerSlice;
    uint row = tile / rtLaunch.tilesPerRow;
    uint column = tile - row * rtLaunch.tilesPerRow;
    uint width = 1u << rtLaunch.tileWidthLog2;
    uint height = RT_LANES_PER_GROUP >> rtLaunch.tileWidthLog2;
    uvec2 inTile = rtLaunch.tileWidthLog2 == 3u ? rtMorton(lane) : uvec2(lane & (width - 1u), lane >> rtLaunch.tileWidthLog2);
    rtLaunchId = uvec3(column * width + inTile.x, row * height + inTile.y, slice);
    rtLaunchSize = rtLaunch.launchSize;
    return all(lessThan(rtLaunchId, rtLaunchSize));
}

// Reports a call that did not fit.
void rtOverflow() {
    bool deep = rtDepth == 0xFFFFFFFFu;
    rtFault(deep ? RT_FAULT_RECURSION : RT_FAULT_STACK_OVERFLOW, deep ? rtLaunch.maxDepth : 4u * rtFrame);
}

// Runs the shaders of a lane from its first state on; the linker replaces it where nothing needs scheduling.
// The phases keep a fixed order, so that lanes meet again before each: all traverse, all shade, all go on up to their
// next ray. Going on may take several states: a shader that returns continues its caller.
uint rtSchedule(const in uint first) {
    uint state = first;
    [[dont_unroll]] while (true) {
        [[dont_unroll]] while (state >= RT_STATE_CALL) {
            if (rtCallsShaders() && state == RT_STATE_CALL) {
                uint shader = rtCallableState(rtOperands);
                state = shader == RT_STATE_DONE ? rtReturnTo : shader;
            }
            rtState = state;
            state = rtContinue(state);
        }
        if (state != RT_STATE_TRAVERSE) break;
        // Always a traversal, and shading only behind one: so the hit is not alive while shaders go on.
        rtAgree();
        state = rtTraverse();
        if (state == RT_STATE_DONE) {
            state = rtReturn();
        } else if (state < RT_STATE_CONTINUE) {
            rtState = state;
            state = rtShade(state);
        }
    }
    if (state != RT_STATE_DONE) rtOverflow();
    return state;
}

// The ray generation shader's state, of which the linker makes a constant if there is one such shader only.
uint rtFirst() { return rtHandleWord(rtLaunch.raygenRecord, RT_HANDLE_SHADER); }
bool rtFirstIsKnown() { return false; }

// The first state of a place of the launch.
uint rtBegin() {
    rtFrame = 0u;
    rtDepth = rtLaunch.maxDepth;
    rtRecord = rtOffset(rtLaunch.raygenRecord, RT_HANDLE_BYTES);
    return rtFirst();
}

// Runs one place of the launch.
void rtRun() {
    uint first = rtBegin();
    // For faults: what every lane would read costs 1% of all rays, and 2 to 3% of paths (H200).
    if (rtFirstIsKnown() && all(equal(gl_WorkGroupID, uvec3(0u)))) rtHandleWord(rtLaunch.raygenRecord, RT_HANDLE_SHADER);
    rtState = first;
    if (first != RT_STATE_DONE) rtSchedule(first);
}

#include "fallback/wave.glsl"
#include "fallback/wave_suspend.glsl"
#include "fallback/sorted.glsl"

// One kernel for everything.
void rtWhole() {
    // Workgroups of a batch may number 2^25 before the product below leaves 32 bits; the host keeps batches far below.
    uint workgroup = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint local = workgroup * (RT_TILES * RT_TILE_LANES / RT_LANES_PER_GROUP) + gl_LocalInvocationIndex / RT_LANES_PER_GROUP;
    uint lane = gl_LocalInvocationIndex % RT_LANES_PER_GROUP;
    rtStack = rtOffset(rtLaunch.stackBase, 4u * local * rtLaunch.stackDwords * RT_LANES_PER_GROUP + 16u * lane);
    rtPushAddress = rtLaunch.pushConstants;
    if (!rtIndirect()) {
        if (rtPlaceLane()) rtRun();
        return;
    }
    for (uint group = local + rtLaunch.firstGroup; group < rtLaunch.groupCount; group += rtLaunch.groupStride) {
        if (rtPlaceGroup(group, lane)) rtRun();
    }
}

// The linker makes one of them the entry point.
void main() {
    rtWhole();
    rtWaveResume();
    rtWaveShade();
    rtWaveTail();
    rtWaveResumeOn();
    rtWaveDecide();
    rtWaveTailOn();
    rtSorted();
}
