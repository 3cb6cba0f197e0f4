// Ray queries: a traversal that stops at every candidate that the shader has to decide on. fallback/link makes
// RqQuery of OpTypeRayQueryKHR, and calls of the functions below of the instructions OpRayQuery...; it knows both by name.
//
// The query is passed as a pointer, and everything else by value (`const in`). No function passes a query on to another:
// the compiler would copy it. The stack is the only part with a dynamic index, so that a driver can keep the rest in
// registers. What is cheap to read again is not kept: a candidate or hit is the numbers of two records, and object space
// is found anew when traversal goes on.
#ifndef EVERRAY_FALLBACK_QUERY_GLSL
#define EVERRAY_FALLBACK_QUERY_GLSL

#include "bvh/trace/traverse.glsl"

struct RqQuery {
    uvec2 tlas;
    vec3 origin;
    float tMin;
    vec3 direction;
    uint flags;
    uint cullMask;
    uint ref;      // where traversal goes on; ER_REF_DONE: it is at its end
    uint depth;    // entries of the stack
    uint hit;      // RQ_HIT_..., which the linker knows by name: of a query that has not begun it is RQ_HIT_NONE
    uint instance; // record of the instance that it is in, ER_NO_INSTANCE: none yet
#ifdef ER_CLUSTERS
    uint cluster;  // ER_HIT_BY_RECORD and the record of the cluster that it is in, times 256; 0: it is in none with one
#endif
#ifdef ER_SIMD
    uint wide;     // 1: it goes by the instance's wide nodes
#endif
    ErFound candidate;
    ErFound committed; // its t is where the ray ends now
    uint stack[ER_LOOP_ENTRIES];
};

// Values of OpRayQueryGetIntersectionTypeKHR.
const uint RQ_CANDIDATE_TRIANGLE = 0u;
const uint RQ_CANDIDATE_BOX = 1u;
const uint RQ_HIT_NONE = 0u;
const uint RQ_HIT_TRIANGLE = 1u;
const uint RQ_HIT_GENERATED = 2u;

// Kinds of boxes, and of what a shader found in them; those of triangles are ER_HIT_KIND_*.
const uint RQ_KIND_BOX = 1u;
const uint RQ_KIND_OPAQUE_BOX = 2u;

bool rqIsBox(const in ErFound f) { return f.kind == RQ_KIND_BOX || f.kind == RQ_KIND_OPAQUE_BOX; }

uint rqHitType(const in ErFound f) {
    return f.instance == ER_NO_INSTANCE ? RQ_HIT_NONE : (rqIsBox(f) ? RQ_HIT_GENERATED : RQ_HIT_TRIANGLE);
}

uvec2 rqInstances(const in uvec2 tlas) { return erInstances(tlas); }

const ErFound RQ_NOTHING = ErFound(0.0, 0.0, 0.0, ER_NO_INSTANCE, 0u, 0u);

void rqInitialize(inout RqQuery q, const in uvec2 tlas, const in uint flags, const in uint cullMask, const in vec3 origin,
                  const in float tMin, const in vec3 direction, const in float tMax) {
    uvec4 top;
    bool any = erBegin(tlas, top);
    q.tlas = tlas;
    q.origin = origin;
    q.tMin = tMin;
    q.direction = direction;
    q.flags = flags;
    q.cullMask = cullMask & 0xFFu;
    q.ref = any ? ER_REF_RESTORE : ER_REF_DONE; // to the top level from nowhere
    q.depth = 2u;
    q.stack[0] = ER_REF_DONE;
    q.stack[1] = top.y;
    q.instance = ER_NO_INSTANCE;
    q.hit = RQ_HIT_NONE;
    q.candidate = RQ_NOTHING;
    q.committed = RQ_NOTHING;
    q.committed.t = tMax;
}

// What walk.glsl is to do in rqProceed. Behind a candidate it goes on with what is left of the leaf, as a leaf of its own.
#define ER_STACK q.stack
#define ER_HAS_BOXES true
#define ER_VISIBLE(i) erWanted(i, ray.flags, ray.cullMask)
#define ER_DECIDE_BOX { \
    f.kind = opaque ? RQ_KIND_OPAQUE_BOX : RQ_KIND_BOX; \
    verdict = RQ_CANDIDATE_ASK; \
}
#define ER_DECIDE_TRIANGLE verdict = RQ_CANDIDATE_ASK;
#define RQ_KEEP q.candidate = f;
#define RQ_WIDE q.wide
#define ER_ASK if (verdict == RQ_CANDIDATE_ASK) { \
    RQ_KEEP \
    next = ref; \
    if (k < last) { \
        ER_PUSH(ref) \
        next = erRefOf(RQ_IN_LEAF(k) + 1u, last - k, shift); \
    } \
    paused = true; \
    ref = ER_REF_DONE; \
    verdict = ER_CANDIDATE_IGNORE; \
    ER_END_LOOP(k, last) \
}
const uint RQ_CANDIDATE_ASK = 3u; // beside ER_CANDIDATE_*
#ifdef ER_CLUSTERS
#define RQ_IN_LEAF(k) (k - more)
#else
#define RQ_IN_LEAF(k) k
#endif
#ifdef ER_SIMD
#define RQ_WIDE_AGAIN(instance) if (RQ_WIDE != 0u) { \
    wide = true; \
    wideNodes = erWideNodes(instance.a.xy, 0u, 0u); /* there was room when it came in */ \
    ER_READ_ENTRIES \
}
#define RQ_WIDE_PAUSE \
    RQ_WIDE = wide ? 1u : 0u; \
    if (wide && paused) { ER_WRITE_ENTRIES }
#else
#define RQ_WIDE_AGAIN(instance)
#define RQ_WIDE_PAUSE
#endif
#ifdef ER_CLUSTERS
#define RQ_CLUSTER_AGAIN if (cluster != 0u) { \
    uvec4 record = erClusterRecord(leaves, (cluster & ~ER_HIT_BY_RECORD) >> ER_RECORD_SHIFT); \
    ER_ENTER_CLUSTER(record) \
}
#else
#define RQ_CLUSTER_AGAIN
#endif
// Back to where the last candidate was, in this instance.
#define RQ_AGAIN(number) { \
    ErInstance i = ErInstanceView(erInstances(tlas)).instance[number]; \
    ER_ENTER(i) \
    RQ_WIDE_AGAIN(i) \
    RQ_CLUSTER_AGAIN \
}

// rqProceed goes on up to the next candidate for the shader, which is true, or to the end. Opaque triangles become the
// hit on the way.
bool rqProceed(inout RqQuery q) {
    q.candidate.instance = ER_NO_INSTANCE;
    if (q.ref == ER_REF_DONE) {
        return false;
    }
    ErRay ray = ErRay(q.origin, q.tMin, q.direction, q.committed.t, q.flags, q.cullMask, 0u, 0u);
    uvec2 tlas = q.tlas;
    uvec4 top = ErHeaderView(tlas).activeRootHeightLeafBlock; // what wide nodes ask for
    uvec2 nodes, leaves = uvec2(0u);
    bool bottom = false, paused = false;
    uint instance = q.instance;
    uint mode = 0u;
    vec3 origin;
    ErRaySetup setup;
    ErFound found = q.committed;
    uint depth = q.depth;
    uint ref = q.ref, next = ER_REF_DONE;
#ifdef ER_CLUSTERS
    uint cluster = q.cluster;
#endif
    ER_WIDE_STATE
    if (instance != ER_NO_INSTANCE) RQ_AGAIN(instance)
#include "bvh/trace/walk.glsl"
    q.ref = next;
    q.depth = depth;
    q.instance = instance;
#ifdef ER_CLUSTERS
    q.cluster = cluster;
#endif
    RQ_WIDE_PAUSE
    q.committed = found;
    q.hit = rqHitType(found);
    return paused;
}

void rqTerminate(inout RqQuery q) {
    q.ref = ER_REF_DONE;
}

// rqAbandon ends a query in a helper invocation, on drivers where those read no memory: what they would walk through is no
// tree. The linker calls it before rqProceed there.
void rqAbandon(inout RqQuery q, const in bool helper) {
    if (helper) {
        q.ref = ER_REF_DONE;
    }
}

// rqConfirmIntersection makes the candidate, a triangle, the hit.
void rqConfirmIntersection(inout RqQuery q) {
    if (q.candidate.instance == ER_NO_INSTANCE || rqIsBox(q.candidate)) {
        return;
    }
    q.committed = q.candidate;
    q.hit = RQ_HIT_TRIANGLE;
    if ((q.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u) {
        q.ref = ER_REF_DONE;
    }
}

// rqGenerateIntersection makes a point in the candidate, a box, the hit. One outside of the ray is none.
void rqGenerateIntersection(inout RqQuery q, const in float t) {
    if (q.candidate.instance == ER_NO_INSTANCE || !rqIsBox(q.candidate) || !(t >= q.tMin && t <= q.committed.t)) {
        return;
    }
    q.committed = q.candidate;
    q.committed.t = t;
    q.hit = RQ_HIT_GENERATED;
    if ((q.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u) {
        q.ref = ER_REF_DONE;
    }
}

float rqGetRayTMin(inout RqQuery q) { return q.tMin; }
uint rqGetRayFlags(inout RqQuery q) { return q.flags; }
vec3 rqGetWorldRayOrigin(inout RqQuery q) { return q.origin; }
vec3 rqGetWorldRayDirection(inout RqQuery q) { return q.direction; }
bool rqGetIntersectionCandidateAABBOpaque(inout RqQuery q) { return q.candidate.kind == RQ_KIND_OPAQUE_BOX; }

// The getters below are told which intersection: 0 the candidate, 1 the hit. Without one they return zeros.

uint rqGetIntersectionType(inout RqQuery q, const in uint which) {
    return which != 0u ? q.hit : (rqIsBox(q.candidate) ? RQ_CANDIDATE_BOX : RQ_CANDIDATE_TRIANGLE);
}
float rqGetIntersectionT(inout RqQuery q, const in uint which) { return which != 0u ? q.committed.t : q.candidate.t; }
vec2 rqGetIntersectionBarycentrics(inout RqQuery q, const in uint which) {
    return which != 0u ? vec2(q.committed.v, q.committed.w) : vec2(q.candidate.v, q.candidate.w);
}
bool rqGetIntersectionFrontFace(inout RqQuery q, const in uint which) {
    return (which != 0u ? q.committed.kind : q.candidate.kind) == ER_HIT_KIND_FRONT;
}

uvec4 rqInstanceWords(const in uvec2 tlas, const in uint instance) {
    if (instance == ER_NO_INSTANCE) return uvec4(0u);
    ErInstance i = ErInstanceView(rqInstances(tlas)).instance[instance];
    return uvec4(i.a.z & 0xffffffu, i.a.w & 0xffffffu, i.b.x, 0u);
}
uint rqGetIntersectionInstanceCustomIndex(inout RqQuery q, const in uint which) {
    return rqInstanceWords(q.tlas, which != 0u ? q.committed.instance : q.candidate.instance).x;
}
uint rqGetIntersectionInstanceShaderBindingTableRecordOffset(inout RqQuery q, const in uint which) {
    return rqInstanceWords(q.tlas, which != 0u ? q.committed.instance : q.candidate.instance).y;
}
uint rqGetIntersectionInstanceId(inout RqQuery q, const in uint which) {
    return rqInstanceWords(q.tlas, which != 0u ? q.committed.instance : q.candidate.instance).z;
}

uvec2 rqPrimitive(const in uvec2 tlas, const in uint instance, const in uint leaf) {
    if (instance == ER_NO_INSTANCE) return uvec2(0u);
    ErInstance i = ErInstanceView(rqInstances(tlas)).instance[instance];
    return erPrimitive(i, leaf, (i.b.z & ER_INSTANCE_BOXES) != 0u);
}
uint rqGetIntersectionPrimitiveIndex(inout RqQuery q, const in uint which) {
    return which != 0u ? rqPrimitive(q.tlas, q.committed.instance, q.committed.leaf).x
                       : rqPrimitive(q.tlas, q.candidate.instance, q.candidate.leaf).x;
}
uint rqGetIntersectionGeometryIndex(inout RqQuery q, const in uint which) {
    return which != 0u ? rqPrimitive(q.tlas, q.committed.instance, q.committed.leaf).y
                       : rqPrimitive(q.tlas, q.candidate.instance, q.candidate.leaf).y;
}

uint rqClusterId(const in uvec2 tlas, const in uint instance, const in uint leaf) {
#ifdef ER_CLUSTERS
    if (instance != ER_NO_INSTANCE) {
        return erClusterId(erAddressBlocks(rqInstances(tlas), instance * (ER_INSTANCE_SIZE / 64u)), leaf);
    }
#endif
    return ~0u;
}
// Of what is no cluster's, of no hit, and where the shader did not say that there are clusters: all ones.
uint rqGetIntersectionClusterId(inout RqQuery q, const in uint which) {
    return which != 0u ? rqClusterId(q.tlas, q.committed.instance, q.committed.leaf)
                       : rqClusterId(q.tlas, q.candidate.instance, q.candidate.leaf);
}

// Address of an instance's record, zero if there is none.
uvec2 rqRecord(const in uvec2 tlas, const in uint instance) {
    if (instance == ER_NO_INSTANCE) return uvec2(0u);
    return erAddressBlocks(rqInstances(tlas), instance * (ER_INSTANCE_SIZE / 64u));
}
mat4x3 rqObjectToWorld(const in uvec2 record) { return record == uvec2(0u) ? mat4x3(0.0) : erObjectToWorld(record); }
mat4x3 rqWorldToObject(const in uvec2 record) { return record == uvec2(0u) ? mat4x3(0.0) : erWorldToObject(record); }

mat4x3 rqGetIntersectionObjectToWorld(inout RqQuery q, const in uint which) {
    return rqObjectToWorld(rqRecord(q.tlas, which != 0u ? q.committed.instance : q.candidate.instance));
}
mat4x3 rqGetIntersectionWorldToObject(inout RqQuery q, const in uint which) {
    return rqWorldToObject(rqRecord(q.tlas, which != 0u ? q.committed.instance : q.candidate.instance));
}
vec3 rqGetIntersectionObjectRayOrigin(inout RqQuery q, const in uint which) {
    return rqWorldToObject(rqRecord(q.tlas, which != 0u ? q.committed.instance : q.candidate.instance)) * vec4(q.origin, 1.0);
}
vec3 rqGetIntersectionObjectRayDirection(inout RqQuery q, const in uint which) {
    return rqWorldToObject(rqRecord(q.tlas, which != 0u ? q.committed.instance : q.candidate.instance)) * vec4(q.direction, 0.0);
}

mat3 rqVertices(const in uvec2 record, const in uint leaf) {
    if (record == uvec2(0u)) return mat3(0.0);
    return mat3(erVertex(record, leaf, 0u), erVertex(record, leaf, 1u), erVertex(record, leaf, 2u));
}
// One vertex a column.
mat3 rqGetIntersectionTriangleVertexPositions(inout RqQuery q, const in uint which) {
    return which != 0u ? rqVertices(rqRecord(q.tlas, q.committed.instance), q.committed.leaf)
                       : rqVertices(rqRecord(q.tlas, q.candidate.instance), q.candidate.leaf);
}

#endif
