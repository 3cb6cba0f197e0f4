// What the traversal loop (walk.glsl) is made of, and the traversal of a ray to its end. See traverse.glsl.
#ifndef ER_BVH_LOOP_GLSL
#define ER_BVH_LOOP_GLSL

// References on the traversal stack that are no nodes: both read as leaves with
// an index beyond any structure.
const uint ER_REF_RESTORE = 0xfffffffeu; // back to the top level
const uint ER_REF_DONE = 0xffffffffu;    // ER_REF_NONE: nothing left

// With ER_COUNT_STEPS an invocation counts what its rays do, for heat maps.
#ifdef ER_COUNT_STEPS
uint erNodeSteps = 0u;      // inner nodes of both levels visited, two boxes each, or up to four
uint erPrimitiveSteps = 0u; // triangles and boxes of bottom levels tested
uint erInstanceSteps = 0u;  // instances tested
#define ER_COUNT(steps) steps++
#else
#define ER_COUNT(steps)
#endif

// erInstances is where a top level's instances are. Traversal reads it again for each: registers are scarcer.
uvec2 erInstances(uvec2 tlas) { return erAddressBlocks(tlas, ErHeaderView(tlas).activeRootHeightLeafBlock.w); }

// Lanes go through few nodes before they turn to the leaves that others have found, which would wait for all of
// them. The H200's rays with 6 nodes, not as many as there are: primary +6 to +36%, diffuse +7 to +25%, instances +11 to +16%,
// random -4 to +6%, ambient occlusion -4 to +3%. With 3 they are up to 8% slower, with 5 within 2%, with 8 up to 4% slower,
// with 12 up to 9%; by a vote, as soon as a half or a quarter is left, 10 to 20%. CPUs, with few lanes and wide nodes, like
// 3: bunny's and sponza's primary and diffuse rays +14 to +19%, occlusion +3 and -7%; 2 and 4 are up to 4 and 14% slower, 6 is
// no use.
#ifdef ER_SIMD
const uint ER_NODE_STEPS = 3u;
#else
const uint ER_NODE_STEPS = 6u;
#endif

// erStay is how long a ray stays in a box that it meets, and how late it leaves: what the order of any hits goes by.
float erStay(vec2 interval) { return fma(interval.x, -0.25, interval.y); }

// Where there may be wide nodes: see wide.glsl. How the loop over a leaf's primitives goes on and ends, and keeps what is
// better: see simd.glsl.
#ifdef ER_SIMD
#define ER_NODE_LOOP(ref) for (uint steps = 0u; (ref & ER_REF_LEAF) == 0u && steps < ER_NODE_STEPS; steps++)
#define ER_UNLESS_INNER(ref) if ((ref & ER_REF_LEAF) == 0u) {} else
#define ER_CONTINUE_IF(condition)
#define ER_END_LOOP(k, last) k = last;
ErFound erBetter(bool better, ErFound f, ErFound found) {
    found.t = better ? f.t : found.t;
    found.v = better ? f.v : found.v;
    found.w = better ? f.w : found.w;
    found.instance = better ? f.instance : found.instance;
    found.leaf = better ? f.leaf : found.leaf;
    found.kind = better ? f.kind : found.kind;
    return found;
}
#include "bvh/trace/wide.glsl"
#else
#define ER_LOOP_ENTRIES ER_STACK_ENTRIES
#define ER_REF_SPECIAL ER_REF_RESTORE
#define ER_WIDE_STATE
#define ER_WIDE_TOP
#define ER_WIDE_BOTTOM(instance)
#define ER_WIDE_SIDES
#define ER_WIDE_EMPTY
#define ER_ALONE (ER_STACK[depth - 1u] == ER_REF_DONE)
#define ER_POP ref = ER_STACK[--depth];
#define ER_PUSH(entry) ER_STACK[depth++] = entry;
#define ER_NODE_LOOP(ref) [[dont_unroll]] for (uint steps = 0u; (ref & ER_REF_LEAF) == 0u && steps < ER_NODE_STEPS; steps++)
#define ER_UNLESS_INNER(ref) if ((ref & ER_REF_LEAF) == 0u) { continue; }
#define ER_CONTINUE_IF(condition) if (condition) { continue; }
#define ER_END_LOOP(k, last) break;
ErFound erBetter(bool better, ErFound f, ErFound found) { return f; }
#endif

// Clusters, where the variant knows them: see cluster.glsl.
#ifdef ER_CLUSTERS
#undef ER_REF_SPECIAL
#define ER_REF_SPECIAL ER_REF_HOME
#define ER_LEAF_SHIFT(mode) erLeafShift(mode)
#define ER_NODE(ref) erPlaceNode(nodes, ref); n.children += (ref & ER_REF_DIRECT) != 0u ? uvec2(ref) : uvec2(0u);
#define ER_ENTER_CLUSTER(record) \
    nodes = erAddress(record.zw, ER_CLUSTER_HEADER_SIZE); \
    mode |= record.y;
#else
#define ER_LEAF_SHIFT(mode) erFormShift(mode)
#define ER_NODE(ref) erNodeAt(nodes, ref);
#endif

// erSecondFirst chooses between two children that a ray meets: the nearer one, where the closest hit is looked for. A ray
// that any hit ends begins with the one that it leaves later, and rather with one that it stays in for long: it starts
// at a surface, whose boxes around it hold little that the ray can hit. Nodes of ambient occlusion: bunny -6%, dragon -12%,
// sponza -57%, a field of instances -7%. (Nah and Manocha 2014 go by the boxes' areas, "SATO", which saves less there. Rays
// from lamps to surfaces take up to 43% more, rays from surfaces to lamps 30% less, by a simulation.)
bool erSecondFirst(ErInterval h0, ErInterval h1, uint flags) {
#ifdef ER_SIMD
    vec2 a = intBitsToFloat(h0), b = intBitsToFloat(h1);
#else
    vec2 a = h0, b = h1;
#endif
    return (flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u ? erStay(b) > erStay(a) : h1.x < h0.x;
}

// erBegin checks the structure that a ray starts with. False: there is nothing to hit.
bool erBegin(uvec2 tlas, out uvec4 top) {
    top = uvec4(0u);
    if ((tlas.x | tlas.y) == 0u) {
        return false;
    }
    ErHeaderView header = ErHeaderView(tlas);
    uvec4 start = header.selfMagicVersion;
    top = header.activeRootHeightLeafBlock;
    if (start.z != ER_AS_MAGIC) {
        erTraversalFault(ER_FAULT_BAD_STRUCTURE, start.z);
        return false;
    }
    if (top.z + 1u > uint(ER_STACK_ENTRIES)) {
        erTraversalFault(ER_FAULT_TRAVERSAL_STACK, top.z + 1u);
        return false;
    }
    return true;
}

// ER_ENTER goes on in an instance's space.
#define ER_ENTER(i) \
    bottom = true; \
    nodes = erAddress(i.a.xy, ER_HEADER_SIZE); \
    leaves = erAddressBlocks(i.a.xy, i.b.w); \
    mode = erInstanceMode(ray.flags, i.a.w >> 24, i.b.z); \
    vec3 direction; \
    erObjectRay(i, ray, origin, direction); \
    setup = erSetupRay(origin, direction); \
    ER_WIDE_SIDES

// What walk.glsl is to do in erTraverse.
#define ER_STACK stack
#define ER_HAS_BOXES erUsesBoxes()
#define ER_VISIBLE(i) erVisible(i, ray.flags, ray.cullMask)
#define ER_DECIDE_BOX { \
    ErHit candidate = erResolve(erInstances(tlas), f); \
    verdict = erProcedural(ray, opaque, candidate); \
    f.t = candidate.t; \
    f.kind = candidate.hitKind; \
}
#define ER_DECIDE_TRIANGLE verdict = erCandidate(ray, erResolve(erInstances(tlas), f));
#define ER_ASK

// erTraverse finds the closest hit of a ray, or any hit if the ray's flags say
// so. A null structure is a miss. Of a miss only hit.t (tMax) and
// hit.instanceIndex are set.
void erTraverse(uvec2 tlas, in ErRay ray, inout ErHit hit) {
    hit.t = ray.tMax;
    hit.instanceIndex = ER_NO_INSTANCE;
    uvec4 top;
    if (!erBegin(tlas, top)) {
        return;
    }
    uvec2 nodes = erAddress(tlas, ER_HEADER_SIZE);
    uvec2 leaves = uvec2(0u);
    bool bottom = false;
    uint instance = 0u;
    uint mode = 0u;
    vec3 origin;
    ErRaySetup setup;
    ErFound found;
    found.t = ray.tMax;
    found.v = 0.0;
    found.w = 0.0;
    found.instance = ER_NO_INSTANCE;
    found.leaf = 0u;
    found.kind = 0u;

    uint stack[ER_LOOP_ENTRIES];
#ifdef ER_CLUSTERS
    uint cluster = 0u; // ER_HIT_BY_RECORD and the record of the cluster that the ray is in, times 256; 0: it is in none with one
#endif
    stack[0] = ER_REF_DONE;
    stack[1] = top.y;
    uint depth = 2u;
    uint ref = ER_REF_RESTORE; // to the top level from nowhere
    ER_WIDE_STATE

#include "bvh/trace/walk.glsl"
    if (found.instance != ER_NO_INSTANCE) {
        hit = erResolve(erInstances(tlas), found);
    }
}

#undef ER_STACK
#undef ER_HAS_BOXES
#undef ER_VISIBLE
#undef ER_DECIDE_BOX
#undef ER_DECIDE_TRIANGLE
#undef ER_ASK

#endif
