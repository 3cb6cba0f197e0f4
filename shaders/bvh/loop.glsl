// The traversal loop. See traverse.glsl.
#ifndef ER_BVH_LOOP_GLSL
#define ER_BVH_LOOP_GLSL

// References on the traversal stack that are no nodes: both read as leaves with
// an index beyond any structure.
const uint ER_REF_RESTORE = 0xfffffffeu; // back to the top level
const uint ER_REF_DONE = 0xffffffffu;    // ER_REF_NONE: nothing left

// What ray flags and instance flags come to for the triangles of an instance.
const uint ER_MODE_CULL_POSITIVE = 1u; // by the determinant's sign
const uint ER_MODE_CULL_NEGATIVE = 2u;
const uint ER_MODE_FLIP = 4u;          // a positive determinant is the back
const uint ER_MODE_OPAQUE = 8u;        // all triangles are opaque
const uint ER_MODE_NOT_OPAQUE = 16u;   // none is
const uint ER_MODE_CULL_OPAQUE = 32u;
const uint ER_MODE_CULL_NO_OPAQUE = 64u;

uint erTriangleMode(uint rayFlags, uint instanceFlags) {
    uint mode = 0u;
    bool flip = (instanceFlags & ER_INSTANCE_FLIP_FACING) != 0u;
    if ((instanceFlags & ER_INSTANCE_CULL_DISABLE) == 0u) {
        bool front = (rayFlags & ER_RAY_CULL_FRONT_FACING) != 0u;
        bool back = (rayFlags & ER_RAY_CULL_BACK_FACING) != 0u;
        mode |= (flip ? back : front) ? ER_MODE_CULL_POSITIVE : 0u;
        mode |= (flip ? front : back) ? ER_MODE_CULL_NEGATIVE : 0u;
    }
    mode |= flip ? ER_MODE_FLIP : 0u;
    // The ray's word counts before the instance's, that before the geometry's.
    if ((rayFlags & (ER_RAY_OPAQUE | ER_RAY_NO_OPAQUE)) != 0u) {
        mode |= (rayFlags & ER_RAY_OPAQUE) != 0u ? ER_MODE_OPAQUE : ER_MODE_NOT_OPAQUE;
    } else if ((instanceFlags & ER_INSTANCE_FORCE_OPAQUE) != 0u) {
        mode |= ER_MODE_OPAQUE;
    } else if ((instanceFlags & ER_INSTANCE_FORCE_NO_OPAQUE) != 0u) {
        mode |= ER_MODE_NOT_OPAQUE;
    }
    mode |= (rayFlags & ER_RAY_CULL_OPAQUE) != 0u ? ER_MODE_CULL_OPAQUE : 0u;
    mode |= (rayFlags & ER_RAY_CULL_NO_OPAQUE) != 0u ? ER_MODE_CULL_NO_OPAQUE : 0u;
    return mode;
}

// What the loop remembers of a hit: few registers, the rest is read at the end.
struct ErFound {
    float t;
    float v, w;        // weights of the second and third vertex
    uint instance;     // record of the top level, ER_NO_INSTANCE: none
    uint primitive;
    uint geometryKind; // geometry index | hit kind << 24
};

ErHit erResolve(uvec2 instances, ErFound f) {
    ErInstance i = ErInstanceView(instances).instance[f.instance];
    ErHit h;
    h.t = f.t;
    h.barycentrics = vec2(f.v, f.w);
    h.primitiveIndex = f.primitive;
    h.geometryIndex = f.geometryKind & ER_TRIANGLE_GEOMETRY_MASK;
    h.hitKind = f.geometryKind >> 24;
    h.instanceIndex = i.b.x;
    h.instanceCustomIndex = i.a.z & 0xffffffu;
    h.instanceRecordOffset = i.a.w & 0xffffffu;
    h.instanceRecord = erAddressBlocks(instances, f.instance * (ER_INSTANCE_SIZE / 64u));
    return h;
}

// erTraverse finds the closest hit of a ray, or any hit if the ray's flags say
// so. A null structure is a miss. Of a miss only hit.t (tMax) and
// hit.instanceIndex are set.
void erTraverse(uvec2 tlas, in ErRay ray, inout ErHit hit) {
    hit.t = ray.tMax;
    hit.instanceIndex = ER_NO_INSTANCE;
    if ((tlas.x | tlas.y) == 0u || (ray.flags & ER_RAY_SKIP_TRIANGLES) != 0u) {
        return;
    }
    ErHeaderView header = ErHeaderView(tlas);
    uvec4 start = header.selfMagicVersion;
    uvec4 top = header.activeRootHeightLeafBlock;
    if (start.z != ER_AS_MAGIC) {
        erTraversalFault(ER_FAULT_BAD_STRUCTURE, start.z);
        return;
    }
    if (top.z + 1u > uint(ER_STACK_ENTRIES)) {
        erTraversalFault(ER_FAULT_TRAVERSAL_STACK, top.z + 1u);
        return;
    }
    uvec2 instances = erAddressBlocks(tlas, top.w);
    uvec2 nodes = erAddress(tlas, ER_HEADER_SIZE);
    uvec2 triangles = uvec2(0u);
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
    found.primitive = 0u;
    found.geometryKind = 0u;

    uint stack[ER_STACK_ENTRIES];
    stack[0] = ER_REF_DONE;
    uint depth = 1u;
    uint ref = top.y;

    while (ref != ER_REF_DONE) {
        while ((ref & ER_REF_LEAF) == 0u) {
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
                ErTriangle tri = ErTriangleView(triangles).triangle[k];
                vec4 r = erIntersectTriangle(setup, origin, tri.a.xyz, vec3(tri.a.w, tri.b.xy), vec3(tri.b.zw, uintBitsToFloat(tri.c.x)));
                if (r.w == 0.0 || !(r.x > ray.tMin && r.x < found.t)) {
                    continue;
                }
                bool positive = r.w > 0.0;
                bool opaque = (mode & ER_MODE_OPAQUE) != 0u || ((mode & ER_MODE_NOT_OPAQUE) == 0u && (tri.c.z & ER_TRIANGLE_OPAQUE) != 0u);
                uint culled = (positive ? ER_MODE_CULL_POSITIVE : ER_MODE_CULL_NEGATIVE) | (opaque ? ER_MODE_CULL_OPAQUE : ER_MODE_CULL_NO_OPAQUE);
                if ((mode & culled) != 0u) {
                    continue;
                }
                bool front = positive != ((mode & ER_MODE_FLIP) != 0u);
                ErFound f;
                f.t = r.x;
                f.v = r.y;
                f.w = r.z;
                f.instance = instance;
                f.primitive = tri.c.y;
                f.geometryKind = (tri.c.z & ER_TRIANGLE_GEOMETRY_MASK) | (front ? ER_HIT_KIND_FRONT : ER_HIT_KIND_BACK) << 24;
                bool last_ = (ray.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u;
                if (!opaque) {
                    uint verdict = erCandidate(ray, erResolve(instances, f));
                    if (verdict == ER_CANDIDATE_IGNORE) {
                        continue;
                    }
                    last_ = last_ || verdict == ER_CANDIDATE_TERMINATE;
                }
                found = f;
                if (last_) {
                    ref = ER_REF_DONE;
                    break;
                }
            }
        } else {
            instance = ref & ER_REF_INDEX_MASK;
            ErInstance i = ErInstanceView(instances).instance[instance];
            bool alone = stack[depth - 1u] == ER_REF_DONE; // nothing to come back for
            uint needed = depth + i.b.z + 1u;
            if (((i.a.z >> 24) & ray.cullMask) == 0u || needed > uint(ER_STACK_ENTRIES)) {
                if (((i.a.z >> 24) & ray.cullMask) != 0u) {
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
            triangles = erAddressBlocks(i.a.xy, i.b.w);
            mode = erTriangleMode(ray.flags, i.a.w >> 24);
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
