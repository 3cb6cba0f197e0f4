// The traversal loop. See traverse.glsl.
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
#define ER_ALONE (stack[depth - 1u] == ER_REF_DONE)
#define ER_POP ref = stack[--depth];
#define ER_PUSH(entry) stack[depth++] = entry;
#define ER_NODE_LOOP(ref) [[dont_unroll]] for (uint steps = 0u; (ref & ER_REF_LEAF) == 0u && steps < ER_NODE_STEPS; steps++)
#define ER_UNLESS_INNER(ref) if ((ref & ER_REF_LEAF) == 0u) { continue; }
#define ER_CONTINUE_IF(condition) if (condition) { continue; }
#define ER_END_LOOP(k, last) break;
ErFound erBetter(bool better, ErFound f, ErFound found) { return f; }
#endif

// Clusters, where the variant knows them: see cluster.glsl.
#ifdef ER_CLUSTERS
#define ER_LEAVE_CLUSTER if (depth < inside) { \
    nodes = home; \
    mode &= ~ER_FORM_MASK; \
    inside = 0u; \
}
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
    uint cluster = 0u; // the record of the cluster that the ray is in, times 256
    uint inside = 0u;  // entries of the stack when it came in; 0: it is in none
    uvec2 home = nodes; // the bottom level's, to come back to
#endif
    stack[0] = ER_REF_DONE;
    stack[1] = top.y;
    uint depth = 2u;
    uint ref = ER_REF_RESTORE; // to the top level from nowhere
    ER_WIDE_STATE

    while (ref != ER_REF_DONE) {
#ifdef ER_SIMD
        if (wide) {
#include "bvh/trace/wide_loop.glsl"
        } else
#endif
        ER_NODE_LOOP(ref) {
#ifdef ER_CLUSTERS
            ER_LEAVE_CLUSTER
            bool enter = (ref & ER_REF_CLUSTER) != 0u;
            ErNode n = erNodeAt(enter ? leaves : nodes, ref & ~ER_REF_CLUSTER);
            if (enter) {
                ER_COUNT(erInstanceSteps);
                cluster = ref << ER_RECORD_SHIFT;
                nodes = erAddress(n.leaves, ER_CLUSTER_HEADER_SIZE);
                mode |= erRecordForm(n.children);
                inside = depth;
                n.children = erRecordRefs(n.children);
            }
#else
            ErNode n = erNodeAt(nodes, ref);
#endif
            ER_COUNT(erNodeSteps);
            ErInterval h0 = erIntersectBox(setup, n.xy0.xy, n.xy0.zw, n.z.xy, ray.tMin, found.t);
            ErInterval h1 = erIntersectBox(setup, n.xy1.xy, n.xy1.zw, n.z.zw, ray.tMin, found.t);
            bool hit0 = h0.x <= h0.y;
            bool hit1 = h1.x <= h1.y;
            bool second = hit1 && (!hit0 || erSecondFirst(h0, h1, ray.flags));
            ref = second ? n.children.y : n.children.x;
#ifdef ER_SIMD
            uint back = stack[depth - 1u];
            stack[depth] = second ? n.children.x : n.children.y; // within the stack: an inner node lies below
            depth += hit0 && hit1 ? 1u : (hit0 || hit1 ? 0u : ~0u);
            ref = hit0 || hit1 ? ref : back;
#else
            if (hit0 && hit1) {
                stack[depth++] = second ? n.children.x : n.children.y;
            } else if (!hit0 && !hit1) {
                ref = stack[--depth];
            }
#endif
        }
        ER_UNLESS_INNER(ref)
        if (ref >= ER_REF_SPECIAL) {
            if (ref == ER_REF_RESTORE) {
                bottom = false;
#ifdef ER_CLUSTERS
                inside = 0u;
#endif
                nodes = erAddress(tlas, ER_HEADER_SIZE);
                ER_WIDE_TOP
                ER_POP
                if ((ref & ER_REF_LEAF) == 0u) { // an instance makes its own
                    setup = erSetupRay(ray.origin, ray.direction);
                    ER_WIDE_SIDES
                }
            }
            ER_WIDE_EMPTY
#ifdef ER_CLUSTERS
        } else if (bottom && (depth < inside || inside == 0u) && (mode & ER_INSTANCE_CLUSTERS) != 0u) {
            ER_LEAVE_CLUSTER
            ER_PUSH(erRestOfClusters(ref))
            ref = ER_REF_CLUSTER | (ref & ER_REF_INDEX_MASK);
#endif
        } else if (bottom) {
            uint shift = erFormShift(mode);
            uint k = erRefFirst(ref, shift);
            uint last = k + erRefCount(ref, shift) - 1u;
            ER_POP
#ifdef ER_CLUSTERS
            uvec2 triangles = leaves;
            uvec4 words = uvec4(0u);
            if (erInCluster(mode)) {
                triangles = erClusterTriangles(nodes, mode);
                words = erLeafWords(triangles, k);
            }
            k |= cluster;
            last |= cluster;
#endif
            for (; k <= last; k++) {
                ER_COUNT(erPrimitiveSteps);
                ErFound f = found;
                f.instance = instance;
                bool opaque;
                uint verdict = ER_CANDIDATE_ACCEPT;
                if (erUsesBoxes() && (mode & ER_MODE_BOXES) != 0u) {
                    if (!erTestBox(leaves, k, setup, mode, ray.tMin, found.t, opaque)) {
                        continue;
                    }
                    f.leaf = k;
                    ErHit candidate = erResolve(erInstances(tlas), f);
                    verdict = erProcedural(ray, opaque, candidate);
                    f.t = candidate.t;
                    f.kind = candidate.hitKind;
                } else {
#ifdef ER_CLUSTERS
                    bool met = erTestTriangle(triangles, k, words.x, setup, origin, mode, ray.flags, ray.tMin, found.t, f, opaque);
                    words = words.yzww;
#else
                    bool met = erTestTriangle(leaves, k, setup, origin, mode, ray.flags, ray.tMin, found.t, f, opaque);
#endif
                    ER_CONTINUE_IF(!met)
                    if (met && !opaque) {
                        verdict = erCandidate(ray, erResolve(erInstances(tlas), f));
                    }
                    verdict = met ? verdict : ER_CANDIDATE_IGNORE;
                }
                bool better = verdict != ER_CANDIDATE_IGNORE;
                ER_CONTINUE_IF(!better)
                found = erBetter(better, f, found);
                if (better && (verdict == ER_CANDIDATE_TERMINATE || (ray.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u)) {
                    ref = ER_REF_DONE;
                    ER_END_LOOP(k, last)
                }
            }
        } else {
            ER_COUNT(erInstanceSteps);
            instance = ref & ER_REF_INDEX_MASK;
            ErInstance i = ErInstanceView(erInstances(tlas)).instance[instance];
            bool alone = ER_ALONE; // nothing to come back for
            uint needed = depth + (i.b.z & ER_INSTANCE_HEIGHT_MASK) + 1u;
            bool visible = erVisible(i, ray.flags, ray.cullMask);
            if (!visible || needed > uint(ER_LOOP_ENTRIES)) {
                if (visible) {
                    erTraversalFault(ER_FAULT_TRAVERSAL_STACK, needed);
                }
                ref = ER_REF_RESTORE; // the setup may be that of the instance before
                continue;
            }
            ER_WIDE_BOTTOM(i)
            if (!alone) {
                ER_PUSH(ER_REF_RESTORE)
            }
            ref = i.b.y;
            bottom = true;
            nodes = erAddress(i.a.xy, ER_HEADER_SIZE);
#ifdef ER_CLUSTERS
            home = nodes;
            cluster = 0u;
            inside = 0u;
#endif
            leaves = erAddressBlocks(i.a.xy, i.b.w);
            mode = erInstanceMode(ray.flags, i.a.w >> 24, i.b.z);
#ifdef ER_CLUSTERS
            ref = erAtClusters(mode) ? erClusterRef(ref) : ref;
#endif
            vec3 direction;
            erObjectRay(i, ray, origin, direction);
            setup = erSetupRay(origin, direction);
            ER_WIDE_SIDES
        }
    }
    if (found.instance != ER_NO_INSTANCE) {
        hit = erResolve(erInstances(tlas), found);
    }
}

#endif
