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
        ErNode n = ER_NODE(ref)
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
        else if (ref == ER_REF_HOME) {
            nodes = erAddress(ErInstanceView(erInstances(tlas)).instance[instance].a.xy, ER_HEADER_SIZE);
            mode &= ~ER_FORM_MASK;
            cluster = 0u;
            ER_POP
        }
#endif
#ifdef ER_CLUSTERS
    } else if (bottom && erAtRecords(mode, ref)) {
        ER_COUNT(erInstanceSteps);
        if ((ref & ~ER_REF_RECORDS_MASK) >= 1u << ER_REF_RECORDS_SHIFT) {
            ER_PUSH(erRestOfRecords(ref))
        }
        ER_PUSH(ER_REF_HOME)
        cluster = ER_HIT_BY_RECORD | ref << ER_RECORD_SHIFT;
        uvec4 record = erClusterRecord(leaves, ref & (ER_CLUSTERS_MOST - 1u));
        ER_ENTER_CLUSTER(record)
        ref = record.x;
#endif
    } else if (bottom) {
        uint shift = ER_LEAF_SHIFT(mode);
        uint k = erRefFirst(ref, shift);
        uint last = k + erRefCount(ref, shift) - 1u;
        ER_POP
#ifdef ER_CLUSTERS
        uvec2 triangles = erOverClusters(mode) ? nodes : leaves;
        uvec4 words = uvec4(0u);
        uint more = 0u; // what the leaf of a hit has more than the number in the reference
        if (cluster != 0u) {
            more = cluster - ((mode & ER_FORM_FAST) != 0u ? erDirectNodes(mode) : 0u);
            if (erByWords(mode)) {
                triangles = erClusterTriangles(nodes, mode);
                words = erLeafWords(triangles, k);
            }
            k += more;
            last += more;
        }
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
                bool met = erTestTriangle(triangles, k, k - more, words.x, setup, origin, mode, ray.flags, ray.tMin, found.t, f,
                                          opaque);
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
        ref |= erOverClusters(mode) && (ref & ER_REF_LEAF) != 0u ? ER_REF_RECORDS_OF : 0u; // a bottom level of one
#endif
    }
}
