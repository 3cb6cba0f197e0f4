// The walk through a structure from where a ray is, a part of erTraverse (loop.glsl), which goes to the end, and of rqProceed
// (fallback/query.glsl), which stops at every candidate that a shader has to decide on. Macros of theirs say what differs:
//   ER_STACK                            the array of the traversal stack
//   ER_HAS_BOXES                        whether there may be procedural geometry
//   ER_VISIBLE(instance)                whether an instance takes part
//   ER_DECIDE_BOX, ER_DECIDE_TRIANGLE   give the verdict on a candidate f
//   ER_ASK                              stops at a candidate, if that is the verdict
// Where a ray is, is in their variables: ref is what it visits next, depth the entries of the stack below that, instance and
// bottom the level, with its nodes, leaves, mode, origin and setup; found is the hit so far. Clusters and wide nodes have more.
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
            ER_ENTER_CLUSTER(n)
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
        uint back = ER_STACK[depth - 1u];
        ER_STACK[depth] = second ? n.children.x : n.children.y; // within the stack: an inner node lies below
        depth += hit0 && hit1 ? 1u : (hit0 || hit1 ? 0u : ~0u);
        ref = hit0 || hit1 ? ref : back;
#else
        if (hit0 && hit1) {
            ER_STACK[depth++] = second ? n.children.x : n.children.y;
        } else if (!hit0 && !hit1) {
            ref = ER_STACK[--depth];
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
            if (ER_HAS_BOXES && (mode & ER_MODE_BOXES) != 0u) {
                if (!erTestBox(leaves, k, setup, mode, ray.tMin, found.t, opaque)) {
                    continue;
                }
                f.leaf = k;
                ER_DECIDE_BOX
            } else {
#ifdef ER_CLUSTERS
                bool met = erTestTriangle(triangles, k, words.x, setup, origin, mode, ray.flags, ray.tMin, found.t, f, opaque);
                words = words.yzww;
#else
                bool met = erTestTriangle(leaves, k, setup, origin, mode, ray.flags, ray.tMin, found.t, f, opaque);
#endif
                ER_CONTINUE_IF(!met)
                if (met && !opaque) {
                    ER_DECIDE_TRIANGLE
                }
                verdict = met ? verdict : ER_CANDIDATE_IGNORE;
            }
            ER_ASK
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
        bool visible = ER_VISIBLE(i);
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
        ER_ENTER(i)
#ifdef ER_CLUSTERS
        cluster = 0u;
        inside = 0u;
        ref = erAtClusters(mode) ? erClusterRef(ref) : ref;
#endif
    }
}
