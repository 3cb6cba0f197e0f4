#version 460
#extension GL_GOOGLE_include_directive : require
// Boxes of all primitives, in input order, and their union. A task is
// (build, geometry, first primitive of the geometry, count).
#include "bvh/fetch.glsl"
layout(local_size_x = 256) in;

shared uint sharedMin[3];
shared uint sharedMax[3];
shared uint sharedActive;

// A box that no primitive has marks an inactive one.
const float INACTIVE = 3.402823e38;

bool primitiveBox(ErBuild b, ErGeometry g, uint primitive, out vec3 lo, out vec3 hi) {
    if (b.type == ER_AS_TYPE_TOP) {
        ErInputInstance i = erFetchInstance(g, primitive);
        if (!erInstanceActive(i)) {
            return false;
        }
        erInstanceBox(i, lo, hi);
    } else {
        vec3 v0, v1, v2;
        erFetchTriangle(g, primitive, v0, v1, v2);
        // Non-finite vertices cannot be hit; min and max may drop a NaN.
        if (!erFinite(v0) || !erFinite(v1) || !erFinite(v2)) {
            return false;
        }
        lo = min(v0, min(v1, v2));
        hi = max(v0, max(v1, v2));
    }
    return erFinite(lo) && erFinite(hi);
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 3u) {
        sharedMin[lane] = 0xffffffffu;
        sharedMax[lane] = 0u;
    }
    if (lane == 3u) {
        sharedActive = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec4 task = valid ? ErUvec4View(push.tasks).v[group] : uvec4(0u);
    ErBuild b = ErBuildView(push.builds).build[task.x];
    if (valid) {
        ErGeometry g = ErGeometryView(b.geometries).geometry[task.y];
        vec3 allMin = vec3(INACTIVE), allMax = vec3(-INACTIVE);
        uint activeHere = 0u;
        for (uint k = lane; k < task.w; k += gl_WorkGroupSize.x) {
            vec3 lo, hi;
            bool ok = primitiveBox(b, g, task.z + k, lo, hi);
            if (!ok) {
                lo = vec3(INACTIVE);
                hi = vec3(-INACTIVE);
            }
            ErBoxView box = ErBoxView(erOffset(b.boxes, g.firstPrimitive + task.z + k, 24u));
            for (uint c = 0u; c < 3u; c++) {
                box.v[c] = lo[c];
                box.v[3u + c] = hi[c];
            }
            allMin = min(allMin, lo);
            allMax = max(allMax, hi);
            activeHere += ok ? 1u : 0u;
        }
        if (activeHere > 0u) {
            for (uint c = 0u; c < 3u; c++) {
                atomicMin(sharedMin[c], erOrdered(allMin[c]));
                atomicMax(sharedMax[c], erOrdered(allMax[c]));
            }
            atomicAdd(sharedActive, activeHere);
        }
    }
    barrier();
    if (valid && sharedActive > 0u) {
        ErStateView s = ErStateView(b.state);
        if (lane < 3u) {
            atomicMin(s.state.boundsMin[lane], sharedMin[lane]);
            atomicMax(s.state.boundsMax[lane], sharedMax[lane]);
        }
        if (lane == 3u) {
            atomicAdd(s.state.activeCount, sharedActive);
        }
    }
}
