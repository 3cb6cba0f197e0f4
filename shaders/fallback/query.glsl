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
    uint ref;        // where traversal goes on
    uint depth;      // entries of the stack
    uint instance;   // record of the instance that it is in, ER_NO_INSTANCE: top level
    uint leaf;       // records [leaf, end) of that instance come first
    uint end;
    uint kind;       // RQ_CANDIDATE_..., and RQ_CANDIDATE_OPAQUE
    uint hit;        // RQ_HIT_...
#ifdef ER_CLUSTERS
    uint cluster;    // number of the record of the cluster that it is in
    uint inside;     // entries of the stack when it came in; 0: it is in none
#endif
    ErFound candidate;
    ErFound committed; // its t is where the ray ends now
    uint stack[ER_STACK_ENTRIES];
};

// Values of OpRayQueryGetIntersectionTypeKHR.
const uint RQ_CANDIDATE_TRIANGLE = 0u;
const uint RQ_CANDIDATE_BOX = 1u;
const uint RQ_HIT_NONE = 0u;
const uint RQ_HIT_TRIANGLE = 1u;
const uint RQ_HIT_GENERATED = 2u;
// Beside RQ_CANDIDATE_BOX.
const uint RQ_CANDIDATE_OPAQUE = 2u;

// The space that traversal is in: the top level's, or an instance's.
struct RqSpace {
    uvec2 nodes;
    uvec2 leaves;
    uint mode;
    vec3 origin;
    ErRaySetup setup;
};

RqSpace rqWorldSpace(const in uvec2 tlas, const in ErRay ray) {
    RqSpace s;
    s.nodes = erAddress(tlas, ER_HEADER_SIZE);
    s.leaves = uvec2(0u);
    s.mode = 0u;
    s.origin = ray.origin;
    s.setup = erSetupRay(ray.origin, ray.direction);
    return s;
}

RqSpace rqObjectSpace(const in ErInstance i, const in ErRay ray) {
    RqSpace s;
    s.nodes = erAddress(i.a.xy, ER_HEADER_SIZE);
    s.leaves = erAddressBlocks(i.a.xy, i.b.w);
    s.mode = erInstanceMode(ray.flags, i.a.w >> 24, i.b.z);
    vec3 direction;
    erObjectRay(i, ray, s.origin, direction);
    s.setup = erSetupRay(s.origin, direction);
    return s;
}

#ifdef ER_CLUSTERS
// rqEnterCluster takes the space of a bottom level to that of one of its clusters, and returns the cluster's root.
ErNode rqEnterCluster(inout RqSpace s, const in uint number) {
    ErNode n = erNodeAt(s.leaves, number);
    uint form = erRecordForm(n.children);
    s.nodes = erAddress(n.leaves, ER_CLUSTER_HEADER_SIZE);
    s.leaves = erClusterTriangles(s.nodes, form);
    s.mode |= form;
    n.children = erRecordRefs(n.children);
    return n;
}

// rqLeaveCluster goes back.
void rqLeaveCluster(inout RqSpace s, const in ErInstance i) {
    s.nodes = erAddress(i.a.xy, ER_HEADER_SIZE);
    s.leaves = erAddressBlocks(i.a.xy, i.b.w);
    s.mode &= ~ER_FORM_MASK;
}
#endif

uvec2 rqInstances(const in uvec2 tlas) { return erInstances(tlas); }

#ifdef ER_CLUSTERS
bool rqTestTriangle(const in RqSpace s, const in uint leaf, const in ErRay ray, const in float tMax, inout ErFound f,
                    out bool opaque) {
    uint word = 0u;
    if (erInCluster(s.mode)) {
        word = ErWordView(s.leaves).v[leaf & ((1u << ER_RECORD_SHIFT) - 1u)];
    }
    return erTestTriangle(s.leaves, leaf, word, s.setup, s.origin, s.mode, ray.flags, ray.tMin, tMax, f, opaque);
}
#endif

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
    q.ref = any ? top.y : ER_REF_DONE;
    q.depth = 1u;
    q.stack[0] = ER_REF_DONE;
    q.instance = ER_NO_INSTANCE;
    q.leaf = 0u;
    q.end = 0u;
#ifdef ER_CLUSTERS
    q.cluster = 0u;
    q.inside = 0u;
#endif
    q.kind = RQ_CANDIDATE_TRIANGLE;
    q.hit = RQ_HIT_NONE;
    q.candidate = RQ_NOTHING;
    q.committed = RQ_NOTHING;
    q.committed.t = tMax;
}

// rqProceed goes on up to the next candidate for the shader, which is true, or to the end. Opaque triangles become the
// hit on the way.
bool rqProceed(inout RqQuery q) {
    uint ref = q.ref;
    uint leaf = q.leaf;
    uint end = q.end;
    q.candidate.instance = ER_NO_INSTANCE;
    if (ref == ER_REF_DONE && leaf >= end) {
        return false;
    }
    ErRay ray = ErRay(q.origin, q.tMin, q.direction, q.committed.t, q.flags, q.cullMask, 0u, 0u);
    uvec2 tlas = q.tlas;
    uvec2 instances = rqInstances(tlas);
    uint instance = q.instance;
    uint depth = q.depth;
    ErFound found = q.committed;
    bool paused = false;
    RqSpace space;
    if (instance == ER_NO_INSTANCE) {
        space = rqWorldSpace(tlas, ray);
    } else {
        space = rqObjectSpace(ErInstanceView(instances).instance[instance], ray);
    }
#ifdef ER_CLUSTERS
    uint cluster = q.cluster, inside = q.inside;
    if (inside != 0u) {
        rqEnterCluster(space, cluster);
    }
#endif
    while (true) {
        for (; leaf < end && !paused; leaf++) {
            ErFound f = found;
            f.instance = instance;
            bool opaque;
            if ((space.mode & ER_MODE_BOXES) != 0u) {
                if (erTestBox(space.leaves, leaf, space.setup, space.mode, ray.tMin, found.t, opaque)) {
                    f.leaf = leaf;
                    q.candidate = f;
                    q.kind = RQ_CANDIDATE_BOX | (opaque ? RQ_CANDIDATE_OPAQUE : 0u);
                    paused = true;
                }
#ifdef ER_CLUSTERS
            } else if (rqTestTriangle(space, leaf, ray, found.t, f, opaque)) {
#else
            } else if (erTestTriangle(space.leaves, leaf, space.setup, space.origin, space.mode, ray.flags, ray.tMin, found.t, f,
                opaque)) {
#endif
                if (!opaque) {
                    q.candidate = f;
                    q.kind = RQ_CANDIDATE_TRIANGLE;
                    paused = true;
                } else {
                    found = f;
                    q.hit = RQ_HIT_TRIANGLE;
                    if ((ray.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u) {
                        ref = ER_REF_DONE;
                        end = 0u;
                    }
                }
            }
        }
        if (paused || ref == ER_REF_DONE) {
            break;
        }
        ER_NODE_LOOP(ref) {
#ifdef ER_CLUSTERS
            if (depth < inside) {
                rqLeaveCluster(space, ErInstanceView(instances).instance[instance]);
                inside = 0u;
            }
            ErNode n;
            if ((ref & ER_REF_CLUSTER) != 0u) {
                cluster = ref & ER_REF_INDEX_MASK;
                inside = depth;
                n = rqEnterCluster(space, cluster);
            } else {
                n = erNodeAt(space.nodes, ref);
            }
#else
            ErNode n = erNodeAt(space.nodes, ref);
#endif
            ErInterval h0 = erIntersectBox(space.setup, n.xy0.xy, n.xy0.zw, n.z.xy, ray.tMin, found.t);
            ErInterval h1 = erIntersectBox(space.setup, n.xy1.xy, n.xy1.zw, n.z.zw, ray.tMin, found.t);
            bool hit0 = h0.x <= h0.y;
            bool hit1 = h1.x <= h1.y;
            bool second = hit1 && (!hit0 || erSecondFirst(h0, h1, ray.flags));
            ref = second ? n.children.y : n.children.x;
            if (hit0 && hit1) {
                q.stack[depth++] = second ? n.children.x : n.children.y;
            } else if (!hit0 && !hit1) {
                ref = q.stack[--depth];
            }
        }
        ER_UNLESS_INNER(ref)
        if (ref >= ER_REF_RESTORE) {
            if (ref == ER_REF_RESTORE) {
                instance = ER_NO_INSTANCE;
#ifdef ER_CLUSTERS
                inside = 0u;
#endif
                space = rqWorldSpace(tlas, ray);
                ref = q.stack[--depth];
            }
#ifdef ER_CLUSTERS
        } else if (instance != ER_NO_INSTANCE && (depth < inside || inside == 0u) && (space.mode & ER_INSTANCE_CLUSTERS) != 0u) {
            if (inside != 0u) {
                rqLeaveCluster(space, ErInstanceView(instances).instance[instance]);
                inside = 0u;
            }
            q.stack[depth++] = erRestOfClusters(ref);
            ref = ER_REF_CLUSTER | (ref & ER_REF_INDEX_MASK);
#endif
        } else if (instance != ER_NO_INSTANCE) {
            uint shift = erFormShift(space.mode);
            leaf = erRefFirst(ref, shift);
            end = leaf + erRefCount(ref, shift);
#ifdef ER_CLUSTERS
            uint record = inside != 0u ? cluster << ER_RECORD_SHIFT : 0u;
            leaf += record;
            end += record;
#endif
            ref = q.stack[--depth];
        } else {
            uint next = ref & ER_REF_INDEX_MASK;
            ErInstance i = ErInstanceView(instances).instance[next];
            bool alone = q.stack[depth - 1u] == ER_REF_DONE; // nothing to come back for
            uint needed = depth + (i.b.z & ER_INSTANCE_HEIGHT_MASK) + 1u;
            bool wanted = erWanted(i, ray.flags, ray.cullMask);
            if (!wanted || needed > uint(ER_STACK_ENTRIES)) {
                if (wanted) {
                    erTraversalFault(ER_FAULT_TRAVERSAL_STACK, needed);
                }
                ref = q.stack[--depth];
            } else {
                if (!alone) {
                    q.stack[depth++] = ER_REF_RESTORE;
                }
                ref = i.b.y;
                instance = next;
                space = rqObjectSpace(i, ray);
#ifdef ER_CLUSTERS
                ref = erAtClusters(space.mode) ? erClusterRef(ref) : ref;
#endif
            }
        }
    }
    q.ref = ref;
    q.depth = depth;
    q.instance = instance;
    q.leaf = leaf;
    q.end = end;
#ifdef ER_CLUSTERS
    q.cluster = cluster;
    q.inside = inside;
#endif
    q.committed = found;
    return paused;
}

void rqTerminate(inout RqQuery q) {
    q.ref = ER_REF_DONE;
    q.end = 0u;
}

// rqAbandon ends a query in a helper invocation, on drivers where those read no memory: what they would walk through is no
// tree. The linker calls it before rqProceed there.
void rqAbandon(inout RqQuery q, const in bool helper) {
    if (helper) {
        q.ref = ER_REF_DONE;
        q.end = 0u;
    }
}

// rqConfirmIntersection makes the candidate, a triangle, the hit.
void rqConfirmIntersection(inout RqQuery q) {
    if (q.candidate.instance == ER_NO_INSTANCE || q.kind != RQ_CANDIDATE_TRIANGLE) {
        return;
    }
    q.committed = q.candidate;
    q.hit = RQ_HIT_TRIANGLE;
    if ((q.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u) {
        q.ref = ER_REF_DONE;
        q.end = 0u;
    }
}

// rqGenerateIntersection makes a point in the candidate, a box, the hit. One outside of the ray is none.
void rqGenerateIntersection(inout RqQuery q, const in float t) {
    if (q.candidate.instance == ER_NO_INSTANCE || q.kind == RQ_CANDIDATE_TRIANGLE || !(t >= q.tMin && t <= q.committed.t)) {
        return;
    }
    q.committed = q.candidate;
    q.committed.t = t;
    q.hit = RQ_HIT_GENERATED;
    if ((q.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u) {
        q.ref = ER_REF_DONE;
        q.end = 0u;
    }
}

float rqGetRayTMin(inout RqQuery q) { return q.tMin; }
uint rqGetRayFlags(inout RqQuery q) { return q.flags; }
vec3 rqGetWorldRayOrigin(inout RqQuery q) { return q.origin; }
vec3 rqGetWorldRayDirection(inout RqQuery q) { return q.direction; }
bool rqGetIntersectionCandidateAABBOpaque(inout RqQuery q) { return (q.kind & RQ_CANDIDATE_OPAQUE) != 0u; }

// The getters below are told which intersection: 0 the candidate, 1 the hit. Without one they return zeros.

uint rqGetIntersectionType(inout RqQuery q, const in uint which) { return which != 0u ? q.hit : q.kind & RQ_CANDIDATE_BOX; }
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
