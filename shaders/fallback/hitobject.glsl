// Hit objects (SPV_EXT_shader_invocation_reorder and its NV sibling): what a ray met, apart from the shader that answers it.
// fallback/link makes HoObject of OpTypeHitObjectEXT. Recording and asking are reads and writes of its members, or calls of the
// functions below; tracing and executing are calls of other shaders like any trace call, which pass the object through memory.
//
// An empty object is all zeros, and what a miss does not have is zero: a getter is a read of the member.
#ifndef EVERRAY_FALLBACK_HITOBJECT_GLSL
#define EVERRAY_FALLBACK_HITOBJECT_GLSL

const uint HO_EMPTY = 0u;
const uint HO_HIT = 1u;
const uint HO_MISS = 2u;

const uint HO_UNSET = ~0u;   // no record was set: execution runs nothing
const uint HO_NO_LEAF = ~0u; // a recorded hit, whose triangle nobody has looked for
const uint HO_WORDS = 28u;   // whole quads
const uint HO_QUADS = HO_WORDS / 4u;
const uint HO_ATTRIBUTE_WORDS = 8u; // as RT_ATTRIBUTE_WORDS
const uint HO_FLAGS = 0x7FFu;       // the ray flags that there are

// In the order of the words in memory, see hoPack.
struct HoObject {
    vec3 origin;
    float tMin;
    vec3 direction;
    float t;          // where the hit is, or where the ray that missed ends
    uint kind;        // HO_...
    uint record;      // index in the table of hit groups or of miss shaders
    uint flags;
    uint mask;
    uvec2 instance;   // address of the top level's record
    uint leaf;        // record of the bottom level
    uint primitive;
    uint geometry;
    uint hitKind;
    uint attributes[HO_ATTRIBUTE_WORDS];
};

// An object in words: what a call passes. Where calls are cuts it goes to the end of the caller's frame on the stack.
uint hoWords[HO_WORDS];

// What a call is about, in the upper bits of rtPayload up to hoTraverse. Trace calls that are no business of hit objects have none.
const uint HO_MODE_SHIFT = 30u;
const uint HO_MODE_TRACE = 1u;
const uint HO_MODE_EXECUTE = 2u;
const uint HO_MODE_BOTH = 3u; // traced and executed at once, and asked later

uint hoMode(const in uint payload, const in uint mode) { return payload | mode << HO_MODE_SHIFT; }

void hoPush() {
    for (uint i = 0u; i < HO_QUADS; i++) {
        uvec4 words = uvec4(hoWords[4u * i], hoWords[4u * i + 1u], hoWords[4u * i + 2u], hoWords[4u * i + 3u]);
        RtStackQuad(rtQuad(rtFrame - HO_QUADS + i)).words = words;
    }
}

void hoPull() {
    for (uint i = 0u; i < HO_QUADS; i++) {
        uvec4 words = RtStackQuad(rtQuad(rtFrame - HO_QUADS + i)).words;
        for (uint k = 0u; k < 4u; k++) hoWords[4u * i + k] = words[k];
    }
}

// ---- tracing and executing ---------------------------------------------------------------------

bool hoMissed() { return rtHit.instanceIndex == ER_NO_INSTANCE; }

// Finds the hit, as rtTraverse does. Returns the index of the record that answers the ray.
uint hoFind() {
    rtRay.cullMask = rtOperands & 0xFFu;
    rtRay.sbtOffset = (rtOperands >> 8u) & 0xFu;
    rtRay.sbtStride = (rtOperands >> 12u) & 0xFu;
    if (rtTlas.y == RT_STRUCTURE) rtTlas = rtStructure(rtTlas.x);
    ErHit hit = ErHit(rtRay.tMax, vec2(0.0), 0u, 0u, ER_NO_INSTANCE, 0u, 0u, 0u, uvec2(0u), 0u);
    erTraverse(rtTlas, rtRay, hit);
#include "fallback/found.glsl"
}

// The ray and what it met as an object.
void hoPack(const in uint record) {
    bool miss = hoMissed();
    uvec3 origin = floatBitsToUint(rtRay.origin), direction = floatBitsToUint(rtRay.direction);
    for (uint i = 0u; i < 3u; i++) {
        hoWords[i] = origin[i];
        hoWords[4u + i] = direction[i];
    }
    hoWords[3] = floatBitsToUint(rtRay.tMin);
    hoWords[7] = floatBitsToUint(miss ? rtRay.tMax : rtHit.t);
    hoWords[8] = miss ? HO_MISS : HO_HIT;
    hoWords[9] = record;
    hoWords[10] = rtRay.flags;
    hoWords[11] = rtOperands & 0xFFu;
    hoWords[12] = miss ? 0u : rtHit.instanceRecord.x;
    hoWords[13] = miss ? 0u : rtHit.instanceRecord.y;
    hoWords[14] = miss ? 0u : rtHit.leaf;
    hoWords[15] = miss ? 0u : rtHit.primitiveIndex;
    hoWords[16] = miss ? 0u : rtHit.geometryIndex;
    hoWords[17] = miss ? 0u : rtHit.hitKind;
    bool procedural = rtUsesAttributes() && !miss && rtHit.hitKind < ER_HIT_KIND_FRONT;
    for (uint i = 0u; i < HO_ATTRIBUTE_WORDS; i++) hoWords[18u + i] = procedural ? rtAttributes[i] : 0u;
    if (!miss && !procedural) {
        hoWords[18] = floatBitsToUint(rtHit.barycentrics.x);
        hoWords[19] = floatBitsToUint(rtHit.barycentrics.y);
    }
    hoWords[26] = 0u;
    hoWords[27] = 0u;
}

bool hoRecordsHits() { return true; } // the linker's word: whether there are leaves to look for
uint hoFindLeaf(const in uvec2 instance, const in uint primitive, const in uint geometry);

// The reverse: what the shader that answers may ask for.
uint hoUnpack() {
    for (uint i = 0u; i < 3u; i++) {
        rtRay.origin[i] = uintBitsToFloat(hoWords[i]);
        rtRay.direction[i] = uintBitsToFloat(hoWords[4u + i]);
    }
    rtRay.tMin = uintBitsToFloat(hoWords[3]);
    rtRay.tMax = uintBitsToFloat(hoWords[7]);
    rtRay.flags = hoWords[10];
    rtOperands = hoWords[11];
    uvec2 instance = uvec2(hoWords[12], hoWords[13]);
    vec2 barycentrics = uintBitsToFloat(uvec2(hoWords[18], hoWords[19]));
    rtHit = ErHit(rtRay.tMax, barycentrics, hoWords[15], hoWords[16], ER_NO_INSTANCE, 0u, 0u, hoWords[17], instance, hoWords[14]);
    if (instance != uvec2(0u)) {
        ErInstance i = ErInstanceView(instance).instance[0];
        rtHit.instanceIndex = i.b.x;
        rtHit.instanceCustomIndex = i.a.z & 0xFFFFFFu;
        if (hoRecordsHits() && rtHit.leaf == HO_NO_LEAF) {
            rtHit.leaf = hoFindLeaf(instance, rtHit.primitiveIndex, rtHit.geometryIndex);
        }
    }
    if (rtUsesAttributes()) {
        for (uint i = 0u; i < RT_ATTRIBUTE_WORDS; i++) rtAttributes[i] = hoWords[18u + i];
    }
    return hoWords[9];
}

// The shader of a record for what was met, DONE if none is to answer; its record data comes with it.
uint hoAnswer(const in uint index) {
    uvec2 record;
    if (hoMissed()) {
        record = rtRecordAddress(rtLaunch.missBase, rtLaunch.missStride, rtLaunch.missSize, index);
    } else {
        if ((rtRay.flags & RT_RAY_FLAG_SKIP_CLOSEST_HIT) != 0u) return RT_STATE_DONE;
        record = rtRecordAddress(rtLaunch.hitBase, rtLaunch.hitStride, rtLaunch.hitSize, index);
    }
    uint shader = rtHandleWord(record, RT_HANDLE_SHADER);
    rtRecord = rtOffset(record, RT_HANDLE_BYTES);
    return shader;
}

// Execution of the object in hoWords.
uint hoExecuted() {
    if (hoWords[8] == HO_EMPTY || hoWords[9] == HO_UNSET) return RT_STATE_DONE;
    return hoAnswer(hoUnpack());
}

// In place of rtTraverse, where shaders have hit objects.
uint hoTraverse() {
    uint mode = rtPayload >> HO_MODE_SHIFT;
    rtPayload &= (1u << HO_MODE_SHIFT) - 1u;
    if (mode == HO_MODE_EXECUTE) {
        hoPull();
        return hoExecuted();
    }
    uint record = hoFind();
    if (mode == HO_MODE_TRACE || mode == HO_MODE_BOTH) {
        hoPack(record);
        hoPush();
        if (mode == HO_MODE_TRACE) return RT_STATE_DONE;
    }
    return hoAnswer(record);
}

// The calls of the monolithic form.
void hoTrace() { hoPack(hoFind()); }

void hoExecute() {
    uint shader = hoExecuted();
    if (shader != RT_STATE_DONE) rtShade(shader);
}

// ---- reordering --------------------------------------------------------------------------------
//
// Only the wavefront form has an order of lanes to change. A lane that comes to a reorder is in a state of a range of its own, by
// its key, so that the sort which brings lanes to shaders brings those to a kernel with ray generation, too, where they go on.

// The linker's words: whether this kernel leaves at reorders; the first of those states, and how far they are apart; how many bits
// of a key there are, how many of these are a hint's beside an object, and how many of a shader's number are dropped.
bool hoReorders() { return false; }
uint hoReorderFirst() { return ~0u; }
uint hoReorderShift() { return 0u; }
uint hoKeyBits() { return 8u; }
uint hoHintBits() { return 4u; }
uint hoShaderShift() { return 0u; }

// A hint in so many bits: the higher ones of those that count.
uint hoHint(const in uint hint, const in uint bits, const in uint room) {
    uint count = min(bits, 32u);
    uint value = count == 32u ? hint : hint & ((1u << count) - 1u);
    return count > room ? value >> (count - room) : value;
}

uint hoKeyOfHint(const in uint hint, const in uint bits) { return hoHint(hint, bits, hoKeyBits()); }

// The shader that would answer, from 1 on, then the hint. What is empty, or answered by nobody, comes first.
uint hoKeyOfObject(const in uint kind, const in uint record, const in uint flags, const in uint hint, const in uint bits) {
    uint shader = 0u;
    bool miss = kind == HO_MISS;
    if (kind != HO_EMPTY && record != HO_UNSET && (miss || (flags & RT_RAY_FLAG_SKIP_CLOSEST_HIT) == 0u)) {
        uint stride = miss ? rtLaunch.missStride : rtLaunch.hitStride, size = miss ? rtLaunch.missSize : rtLaunch.hitSize;
        uint high, offset;
        umulExtended(record, stride, high, offset);
        if (high == 0u && size >= RT_HANDLE_BYTES && offset <= size - RT_HANDLE_BYTES) { // execution will report what lies outside
            uvec4 words = RtHandle(rtOffset(miss ? rtLaunch.missBase : rtLaunch.hitBase, offset)).words;
            shader = words[RT_HANDLE_PIPELINE] == rtLaunch.pipelineTag ? max(words[RT_HANDLE_SHADER], 2u) - 2u : 0u;
        }
    }
    uint most = (1u << (hoKeyBits() - hoHintBits())) - 1u;
    return min(shader >> hoShaderShift(), most) << hoHintBits() | hoHint(hint, bits, hoHintBits());
}

// Leaves the shader's frame of `size` quads to go on with `resume` in another order.
uint hoReorder(const in bool fits, const in uint size, const in uint resume, const in uint key) {
    rtPush(size, resume, 0u);
    if (!fits) return RT_STATE_OVERFLOW;
    return hoReorders() ? hoReorderFirst() + ((key & ((1u << hoKeyBits()) - 1u)) << hoReorderShift()) : resume;
}

// The state that a lane goes on with.
uint hoResumed(const in uint state) { return state >= hoReorderFirst() ? rtReturnTo : state; }

// ---- recording ---------------------------------------------------------------------------------

HoObject hoNothing() {
    HoObject h;
    h.origin = vec3(0.0);
    h.tMin = 0.0;
    h.direction = vec3(0.0);
    h.t = 0.0;
    h.kind = HO_EMPTY;
    h.record = 0u;
    h.flags = 0u;
    h.mask = 0u;
    h.instance = uvec2(0u);
    h.leaf = 0u;
    h.primitive = 0u;
    h.geometry = 0u;
    h.hitKind = 0u;
    for (uint i = 0u; i < HO_ATTRIBUTE_WORDS; i++) h.attributes[i] = 0u;
    return h;
}

HoObject hoRay(const in uint flags, const in uint mask, const in vec3 origin, const in float tMin, const in vec3 direction,
               const in float t) {
    HoObject h = hoNothing();
    h.origin = origin;
    h.tMin = tMin;
    h.direction = direction;
    h.t = t;
    h.flags = flags & HO_FLAGS;
    h.mask = mask;
    return h;
}

HoObject hoRecordMiss(const in uint flags, const in uint index, const in vec3 origin, const in float tMin, const in vec3 direction,
                      const in float tMax) {
    HoObject h = hoRay(flags, 0xFFu, origin, tMin, direction, tMax);
    h.kind = HO_MISS;
    h.record = index & 0xFFFFu;
    return h;
}

// Address of the record of the instance with an index, zero if there is none. Records stand in the order of the tree's leaves.
uvec2 hoInstance(const in uvec2 tlas, const in uint index) {
    uvec4 top;
    if (!erBegin(tlas, top)) return uvec2(0u);
    uvec2 instances = erInstances(tlas);
    for (uint i = 0u; i < top.x; i++) {
        if (ErInstanceView(instances).instance[i].b.x == index) return erAddressBlocks(instances, i * (ER_INSTANCE_SIZE / 64u));
    }
    return uvec2(0u);
}

// Record of the bottom level of a triangle. What is not there is the first.
uint hoFindLeaf(const in uvec2 instance, const in uint primitive, const in uint geometry) {
    ErInstance i = ErInstanceView(instance).instance[0];
    bool boxes = (i.b.z & ER_INSTANCE_BOXES) != 0u;
    uint count = ErHeaderView(i.a.xy).activeRootHeightLeafBlock.x;
    for (uint leaf = 0u; leaf < count; leaf++) {
        uvec2 p = erPrimitive(i, leaf, boxes);
        if (p.x == primitive && p.y == geometry) return leaf;
    }
    return 0u;
}

// A hit that need not be there. The index of its record follows from the instance's offset as that of a traced hit. Without such an
// instance there is nothing to tell of a hit: the object is empty. The attributes are the caller's to add.
HoObject hoRecordHit(const in uvec2 tlas, const in uint instanceIndex, const in uint primitive, const in uint geometry,
                     const in uint hitKind, const in uint sbtOffset, const in uint sbtStride, const in vec3 origin,
                     const in float tMin, const in vec3 direction, const in float t) {
    uvec2 instance = hoInstance(tlas, instanceIndex);
    if (instance == uvec2(0u)) return hoNothing();
    HoObject h = hoRay(0u, 0xFFu, origin, tMin, direction, t);
    h.kind = HO_HIT;
    h.instance = instance;
    h.leaf = HO_NO_LEAF;
    h.primitive = primitive;
    h.geometry = geometry;
    h.hitKind = hitKind & 0xFFu;
    h.record = (ErInstanceView(instance).instance[0].a.w & 0xFFFFFFu) + geometry * (sbtStride & 0xFu) + (sbtOffset & 0xFu);
    return h;
}

HoObject hoRecordHitWithIndex(const in uvec2 tlas, const in uint instanceIndex, const in uint primitive, const in uint geometry,
                              const in uint hitKind, const in uint record, const in vec3 origin, const in float tMin,
                              const in vec3 direction, const in float t) {
    HoObject h = hoRecordHit(tlas, instanceIndex, primitive, geometry, hitKind, 0u, 0u, origin, tMin, direction, t);
    if (h.kind != HO_EMPTY) h.record = record;
    return h;
}

// The hit that a query has committed; without one the object is empty. Of a box the hit's kind is the caller's. So are the
// attributes, which the caller adds.
HoObject hoFromQuery(const in uint type, const in uvec2 tlas, const in uint flags, const in uint mask, const in vec3 origin,
                     const in float tMin, const in vec3 direction, const in float t, const in float v, const in float w,
                     const in uint instance, const in uint leaf, const in uint kind, const in uint record, const in uint boxKind) {
    if (type == RQ_HIT_NONE || instance == ER_NO_INSTANCE) return hoNothing();
    HoObject h = hoRay(flags, mask, origin, tMin, direction, t);
    uvec2 primitive = rqPrimitive(tlas, instance, leaf);
    h.kind = HO_HIT;
    h.instance = rqRecord(tlas, instance);
    h.leaf = leaf;
    h.primitive = primitive.x;
    h.geometry = primitive.y;
    h.hitKind = type == RQ_HIT_TRIANGLE ? kind : boxKind & 0xFFu;
    h.record = record;
    if (type == RQ_HIT_TRIANGLE) {
        h.attributes[0] = floatBitsToUint(v);
        h.attributes[1] = floatBitsToUint(w);
    }
    return h;
}

// An attribute word of an object that was recorded: the caller's, but of triangles that a query found.
uint hoAttribute(const in uint kind, const in bool triangle, const in uint own, const in uint given) {
    return kind == HO_EMPTY || triangle ? own : given;
}

// ---- asking ------------------------------------------------------------------------------------

uint hoInstanceId(const in uvec2 instance) { return instance == uvec2(0u) ? 0u : ErInstanceView(instance).instance[0].b.x; }
uint hoInstanceCustomIndex(const in uvec2 instance) {
    return instance == uvec2(0u) ? 0u : ErInstanceView(instance).instance[0].a.z & 0xFFFFFFu;
}
mat4x3 hoObjectToWorld(const in uvec2 instance) {
    return instance == uvec2(0u) ? mat4x3(1.0) : erObjectToWorld(instance);
}
mat4x3 hoWorldToObject(const in uvec2 instance) {
    return instance == uvec2(0u) ? mat4x3(1.0) : erWorldToObject(instance);
}
vec3 hoObjectRayOrigin(const in uvec2 instance, const in vec3 origin) {
    return instance == uvec2(0u) ? origin : erWorldToObject(instance) * vec4(origin, 1.0);
}
vec3 hoObjectRayDirection(const in uvec2 instance, const in vec3 direction) {
    return instance == uvec2(0u) ? direction : erWorldToObject(instance) * vec4(direction, 0.0);
}
uint hoRecordIndex(const in uint record) { return record == HO_UNSET ? 0u : record; }

// One vertex a column; zeros of what is no triangle.
mat3 hoVertices(const in uvec2 instance, const in uint leaf, const in uint primitive, const in uint geometry) {
    if (instance == uvec2(0u) || (ErInstanceView(instance).instance[0].b.z & ER_INSTANCE_BOXES) != 0u) return mat3(0.0);
    uint at = leaf == HO_NO_LEAF ? hoFindLeaf(instance, primitive, geometry) : leaf;
    return mat3(erVertex(instance, at, 0u), erVertex(instance, at, 1u), erVertex(instance, at, 2u));
}

// -1 is the word for a hit of no cluster, and for what is no hit.
int hoClusterId(const in uvec2 instance, const in uint leaf) {
#ifdef ER_CLUSTERS
    if (instance != uvec2(0u) && leaf != HO_NO_LEAF) return int(erClusterId(instance, leaf));
#endif
    return -1;
}

// Address of a record's data, zero if there is none.
uvec2 hoRecordData(const in uint kind, const in uint record) {
    if (kind == HO_EMPTY || record == HO_UNSET) return uvec2(0u);
    uvec2 address;
    if (kind == HO_MISS) {
        address = rtRecordAddress(rtLaunch.missBase, rtLaunch.missStride, rtLaunch.missSize, record);
    } else {
        address = rtRecordAddress(rtLaunch.hitBase, rtLaunch.hitStride, rtLaunch.hitSize, record);
    }
    return address == uvec2(0u) ? address : rtOffset(address, RT_HANDLE_BYTES);
}

// The index of a record as it is set: 28 bits in the table of hit groups, 16 in that of miss shaders, none of an empty object.
uint hoSetRecord(const in uint kind, const in uint record) {
    return kind == HO_HIT ? record & 0xFFFFFFFu : (kind == HO_MISS ? record & 0xFFFFu : 0u);
}

#endif
