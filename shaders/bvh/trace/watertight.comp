#version 460
// Variant: simd
#extension GL_GOOGLE_include_directive : require
// Shoots rays at the edges and vertices of closed meshes and counts what they
// cross, for tests: rays are made here from their number, so any number of them
// costs no memory.
//
// A ray that begins inside leaves the mesh once more often than it enters it;
// one that begins outside, as often. Where edges belong to exactly one of their
// triangles this holds exactly, whatever the mesh's shape and wherever rays
// graze it.
#include "bvh/trace/traverse.glsl"
layout(local_size_x = 64) in;

layout(push_constant, std430) uniform Push {
    uvec2 cases;
    uvec2 counts;
    uint count;   // rays of this dispatch
    uint perCase; // rays of one case
    uint seed;
} push;

const uint CASE_CONVEX = 1u; // Case.flags

// One mesh under one transform.
struct Case {
    uvec2 tlas;
    uvec2 positions;  // 3 floats each, in object space
    uvec2 indices;
    uvec2 inside;     // 3 floats each: points inside of the mesh
    vec4 transform[3]; // object to world
    uint triangles;
    uint insides;
    uint flags;
    float radius;     // of a sphere about the origin that holds the mesh
};

// A ray that went wrong.
struct Report {
    vec4 origin;
    vec4 direction;
    uint index;
    uint kind;
    uint front;
    uint back;
};
const uint REPORTS = 16u;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Cases { Case c[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Floats { float v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Counts {
    uint leaks;    // rays that had to hit something and did not
    uint unpaired; // rays that did not leave as often as they should
    uint extra;    // rays that crossed a convex mesh too often
    uint closest;  // rays whose search for the closest hit missed, where candidates were seen
    uint faults;
    uint crossings;
    uint reports;
    uint pad;
    Report report[REPORTS];
};

uint front, back;

uint erCandidate(in ErRay ray, in ErHit candidate) {
    front += candidate.hitKind == ER_HIT_KIND_FRONT ? 1u : 0u;
    back += candidate.hitKind == ER_HIT_KIND_FRONT ? 0u : 1u;
    return ER_CANDIDATE_IGNORE;
}
bool erUsesTriangles() { return true; }
bool erUsesBoxes() { return false; }
uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate) { return ER_CANDIDATE_IGNORE; }
void erTraversalFault(uint kind, uint value) { atomicAdd(Counts(push.counts).faults, 1u); }

// pcg is O'Neill's generator, as a hash (Jarzynski and Olano 2020).
uint pcg(uint v) {
    uint s = v * 747796405u + 2891336453u;
    uint w = ((s >> ((s >> 28) + 4u)) ^ s) * 277803737u;
    return (w >> 22) ^ w;
}
uint randomState;
uint randomBits() {
    randomState = pcg(randomState);
    return randomState;
}
float random01() { return float(randomBits() >> 8) * (1.0 / 16777216.0); }

vec3 point(uvec2 positions, uint i) {
    Floats f = Floats(positions);
    return vec3(f.v[3u * i], f.v[3u * i + 1u], f.v[3u * i + 2u]);
}

// target is a vertex of one of some neighbouring triangles, or a point of an
// edge: the middle, any, or very near to its end.
vec3 target(Case c, uint first) {
    uint t = 3u * ((first + (randomBits() & 15u)) % c.triangles);
    uint e = randomBits() % 3u;
    vec3 a = point(c.positions, Words(c.indices).v[t + e]);
    vec3 b = point(c.positions, Words(c.indices).v[t + (e + 1u) % 3u]);
    switch (randomBits() & 7u) {
    case 0u:
    case 1u:
    case 2u: return a;
    case 3u: return (a + b) * 0.5;
    case 4u: return mix(a, b, random01() * 1e-6);
    }
    return mix(a, b, random01());
}

vec3 toWorld(Case c, vec3 p) {
    return vec3(dot(c.transform[0].xyz, p) + c.transform[0].w, dot(c.transform[1].xyz, p) + c.transform[1].w,
        dot(c.transform[2].xyz, p) + c.transform[2].w);
}

const uint FROM_INSIDE = 0u; // at the target
const uint THROUGH = 1u;     // from outside, by the target through a point inside
const uint FROM_OUTSIDE = 2u; // at the target

void makeRay(Case c, uint kind, uint first, vec3 inside, out vec3 origin, out vec3 direction) {
    vec3 at = target(c, first);
    vec3 from = inside;
    vec3 to = at;
    if (kind == THROUGH) {
        vec3 d = at - inside;
        float size = max(max(abs(d.x), abs(d.y)), abs(d.z)); // squares may be no numbers
        d /= size > 0.0 ? size : 1.0;
        from = inside + d * (4.0 * c.radius / max(length(d), 1e-3));
        to = inside;
    } else if (kind == FROM_OUTSIDE) {
        vec3 d = vec3(random01(), random01(), random01()) * 2.0 - 1.0;
        from = d * (4.0 * c.radius / max(max(abs(d.x), abs(d.y)), max(abs(d.z), 1e-3)));
    }
    origin = toWorld(c, from);
    direction = toWorld(c, to) - origin;
}

void report(uint index, uint kind, ErRay ray) {
    uint k = atomicAdd(Counts(push.counts).reports, 1u);
    if (k < REPORTS) {
        Counts(push.counts).report[k] = Report(vec4(ray.origin, 0.0), vec4(ray.direction, 0.0), index, kind, front, back);
    }
}

void main() {
    uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (i >= push.count) {
        return;
    }
    Case c = Cases(push.cases).c[i / push.perCase];
    // Rays that run together go the same way, which is faster.
    randomState = pcg(i / 64u ^ pcg(push.seed));
    uint kind = randomBits() % 3u;
    uint first = randomBits();
    vec3 inside = point(c.inside, randomBits() % c.insides);
    randomState = pcg(randomState ^ i);
    ErRay ray;
    makeRay(c, kind, first, inside, ray.origin, ray.direction);
    ray.tMin = 0.0;
    ray.tMax = 1e30;
    ray.flags = ER_RAY_NO_OPAQUE;
    ray.cullMask = 1u;
    ray.sbtOffset = 0u;
    ray.sbtStride = 0u;
    front = 0u;
    back = 0u;
    ErHit h;
    erTraverse(c.tlas, ray, h);
    uint all = front + back;
    uint outs = kind == FROM_INSIDE ? 1u : 0u;
    bool leak = kind != FROM_OUTSIDE && all == 0u;
    bool unpaired = back != front + outs;
    bool extra = (c.flags & CASE_CONVEX) != 0u && all > 2u - outs;
    bool missed = false;
    if ((i & 7u) == 0u) {
        ray.flags = ER_RAY_OPAQUE;
        erTraverse(c.tlas, ray, h);
        missed = (h.instanceIndex == ER_NO_INSTANCE) != (all == 0u);
    }
    atomicAdd(Counts(push.counts).crossings, all);
    if (leak || unpaired || extra || missed) {
        atomicAdd(Counts(push.counts).leaks, leak ? 1u : 0u);
        atomicAdd(Counts(push.counts).unpaired, unpaired ? 1u : 0u);
        atomicAdd(Counts(push.counts).extra, extra ? 1u : 0u);
        atomicAdd(Counts(push.counts).closest, missed ? 1u : 0u);
        report(i, kind, ray);
    }
}
