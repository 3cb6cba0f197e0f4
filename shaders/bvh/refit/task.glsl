// What a workgroup of an update finds out first: its update, and where in it.
#ifndef ER_BVH_REFIT_TASK_GLSL
#define ER_BVH_REFIT_TASK_GLSL
#include "bvh/refit/refit.glsl"

// The first geometry; most builds have no other.
ErGeometry firstGeometry;

// erUpdate is the update of a workgroup, of which a block of ER_BLOCK_SIZE has so many, and its number among those of the
// update. It sets firstGeometry.
ErBuild erUpdate(uint group, uint perBlock, out uint number) {
    if (erIsAlone()) {
        number = group;
        firstGeometry = erPushGeometry();
        return erPushBuild();
    }
    uvec2 task = ErUvec2View(push.tasks).v[group / perBlock];
    number = task.y * perBlock + group % perBlock;
    ErBuild b = ErBuildView(push.builds).build[task.x];
    if (b.geometryCount > 0u) {
        firstGeometry = ErGeometryView(b.geometries).geometry[0];
    }
    return b;
}

uint erUpdateKind(ErBuild b) {
    return b.type == ER_AS_TYPE_TOP ? ER_LEAF_INSTANCES : (b.geometryCount > 0u ? firstGeometry.kind : ER_LEAF_TRIANGLES);
}

#endif
