// The traversal loop. See traverse.glsl.
#ifndef ER_BVH_LOOP_GLSL
#define ER_BVH_LOOP_GLSL

// References on the traversal stack that are no nodes: both read as leaves with
// an index beyond any structure.
const uint ER_REF_RESTORE = 0xfffffffeu; // back to the top level
const uint ER_REF_DONE = 0xffffffffu;    // ER_REF_NONE: nothing left

// With ER_COUNT_STEPS an invocation counts what its rays do, for heat maps.
#ifdef ER_COUNT_STEPS
uint erNodeSteps = 0u;      // inner nodes of both levels visited, two boxes each
uint erPrimitiveSteps = 0u; // triangles and boxes of bottom levels tested
uint erInstanceSteps = 0u;  // instances tested
#define ER_COUNT(steps) steps++
#else
#define ER_COUNT(steps)
#endif

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
    uvec2 instances = erAddressBlocks(tlas, top.w);
    uvec2 nodes = erAddress(tlas, ER_HEADER_SIZE);
    uvec2 leaves = uvec2(0u);
    bool bottom = false;
    uint instance = 0u;
    uint mode = 0u;
    vec3 origin = ray.origin;
    ErRaySetup setup = erSetupRay(ray.origin, ray.direction);
    ErFound found;
    found.t = ray.tMax;
    found.v = 0.0;
    found.w = 0.0;
    found.instance = ER_NO_INSTANCE;
    found.leaf = 0u;
    found.kind = 0u;

    uint stack[ER_STACK_ENTRIES];
    stack[0] = ER_REF_DONE;
    uint depth = 1u;
    uint ref = top.y;

    while (ref != ER_REF_DONE) {
        while ((ref & ER_REF_LEAF) == 0u) {
            ER_COUNT(erNodeSteps);
            ErNode n = ErNodeView(nodes).node[ref];
            vec2 h0 = erIntersectBox(setup, n.xy0.xy, n.xy0.zw, n.z.xy, ray.tMin, found.t);
            vec2 h1 = erIntersectBox(setup, n.xy1.xy, n.xy1.zw, n.z.zw, ray.tMin, found.t);
            bool hit0 = h0.x <= h0.y;
            bool hit1 = h1.x <= h1.y;
            bool second = hit1 && (!hit0 || h1.x < h0.x);
            ref = second ? n.children.y : n.children.x;
            if (hit0 && hit1) {
                stack[depth++] = second ? n.children.x : n.children.y;
            } else if (!hit0 && !hit1) {
                ref = stack[--depth];
            }
        }
        if (ref >= ER_REF_RESTORE) {
            if (ref == ER_REF_RESTORE) {
                bottom = false;
                nodes = erAddress(tlas, ER_HEADER_SIZE);
                origin = ray.origin;
                setup = erSetupRay(ray.origin, ray.direction);
                ref = stack[--depth];
            }
        } else if (bottom) {
            uint k = ref & ER_REF_INDEX_MASK;
            uint last = k + ((ref >> ER_REF_COUNT_SHIFT) & ER_REF_COUNT_MASK);
            ref = stack[--depth];
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
                    ErHit candidate = erResolve(instances, f);
                    verdict = erProcedural(ray, opaque, candidate);
                    f.t = candidate.t;
                    f.kind = candidate.hitKind;
                } else {
                    if (!erTestTriangle(leaves, k, setup, origin, mode, ray.tMin, found.t, f, opaque)) {
                        continue;
                    }
                    if (!opaque) {
                        verdict = erCandidate(ray, erResolve(instances, f));
                    }
                }
                if (verdict == ER_CANDIDATE_IGNORE) {
                    continue;
                }
                found = f;
                if (verdict == ER_CANDIDATE_TERMINATE || (ray.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u) {
                    ref = ER_REF_DONE;
                    break;
                }
            }
        } else {
            ER_COUNT(erInstanceSteps);
            instance = ref & ER_REF_INDEX_MASK;
            ErInstance i = ErInstanceView(instances).instance[instance];
            bool alone = stack[depth - 1u] == ER_REF_DONE; // nothing to come back for
            uint needed = depth + (i.b.z & ER_INSTANCE_HEIGHT_MASK) + 1u;
            bool visible = erVisible(i, ray.flags, ray.cullMask);
            if (!visible || needed > uint(ER_STACK_ENTRIES)) {
                if (visible) {
                    erTraversalFault(ER_FAULT_TRAVERSAL_STACK, needed);
                }
                ref = stack[--depth];
                continue;
            }
            if (!alone) {
                stack[depth++] = ER_REF_RESTORE;
            }
            ref = i.b.y;
            bottom = true;
            nodes = erAddress(i.a.xy, ER_HEADER_SIZE);
            leaves = erAddressBlocks(i.a.xy, i.b.w);
            mode = erInstanceMode(ray.flags, i.a.w >> 24, i.b.z);
            vec3 direction;
            erObjectRay(i, ray, origin, direction);
            setup = erSetupRay(origin, direction);
        }
    }
    if (found.instance != ER_NO_INSTANCE) {
        hit = erResolve(instances, found);
    }
}

#endif
