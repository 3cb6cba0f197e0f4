// Boxes in the shared memory of a workgroup of an update. The including kernel defines ER_BOXES, their number.
#ifndef ER_BVH_REFIT_BOXES_GLSL
#define ER_BVH_REFIT_BOXES_GLSL
#include "bvh/refit/refit.glsl"
#extension GL_KHR_memory_scope_semantics : require

shared vec2 sharedX[ER_BOXES];
shared vec2 sharedY[ER_BOXES];
shared vec2 sharedZ[ER_BOXES];

void keepNear(uint at, ErBounds r) {
    sharedX[at] = vec2(r.lo.x, r.hi.x);
    sharedY[at] = vec2(r.lo.y, r.hi.y);
    sharedZ[at] = vec2(r.lo.z, r.hi.z);
}

ErBounds near(uint at) {
    return ErBounds(vec3(sharedX[at].x, sharedY[at].x, sharedZ[at].x), vec3(sharedX[at].y, sharedY[at].y, sharedZ[at].y));
}

// The scope of memoryBarrierShared would be the device.
void fenceNear() { memoryBarrier(gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease); }

bool isLeaf(uint ref) { return (ref & ER_REF_LEAF) != 0u; }

// padded is the box of a leaf.
ErBounds padded(ErBounds r, float padding) {
    if (r.lo.x <= r.hi.x) {
        r.lo -= padding;
        r.hi += padding;
    }
    return r;
}

#endif
