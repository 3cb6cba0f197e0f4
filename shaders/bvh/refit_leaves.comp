#version 460
#extension GL_GOOGLE_include_directive : require
// Second step of an update: every leaf record from the new input, and the
// bounds of all. What cannot be hit any more keeps its place in the tree.
#include "bvh/refit.glsl"
layout(local_size_x = 64) in;

shared uint sharedMin[3];
shared uint sharedMax[3];
shared uint sharedActive;
shared uint sharedHuge;

// known tells whether a record's primitive is in the input. Of a source that
// was built from the same counts all are.
bool known(ErBuild b, uint geometry, uint primitive) {
    return geometry < b.geometryCount && primitive < ErGeometryView(b.geometries).geometry[geometry].primitiveCount;
}

// Each of the three writes a record and returns its box and one of ER_ACTIVE,
// ER_ACTIVE_HUGE and ER_INACTIVE.
uint refitTriangle(ErBuild b, ErTree t, uint k, out ErBounds box) {
    ErTriangle r = ErTriangleView(erAddressBlocks(b.source, t.leafBlock)).triangle[k];
    uint index = r.c.z & ER_TRIANGLE_GEOMETRY_MASK;
    if (known(b, index, r.c.y)) {
        r = erTriangleRecord(index, ErGeometryView(b.geometries).geometry[index], r.c.y);
    }
    box = erTriangleBounds(r);
    // As erPrimitiveBox has it.
    bool finite = erFinite(r.a.xyz) && erFinite(vec3(r.a.w, r.b.xy)) && erFinite(vec3(r.b.zw, uintBitsToFloat(r.c.x)));
    if (!finite) {
        r.a = vec4(0.0);
        r.b = vec4(0.0);
        r.c.x = 0u;
        r.c.z |= ER_TRIANGLE_INACTIVE;
    }
    ErTriangleOut(erAddressBlocks(b.dst, t.leafBlock)).triangle[k] = r;
    return (r.c.z & ER_TRIANGLE_INACTIVE) == 0u ? ER_ACTIVE : ER_INACTIVE;
}

uint refitBox(ErBuild b, ErTree t, uint k, out ErBounds box) {
    ErBox r = ErBoxView(erAddressBlocks(b.source, t.leafBlock)).box[k];
    uint primitive = floatBitsToUint(r.a.w);
    uint index = floatBitsToUint(r.b.w) & ER_TRIANGLE_GEOMETRY_MASK;
    box = ErBounds(r.a.xyz, r.b.xyz);
    uint state = all(lessThanEqual(box.lo, box.hi)) ? ER_ACTIVE : ER_INACTIVE;
    if (known(b, index, primitive)) {
        state = erPrimitiveBox(ErGeometryView(b.geometries).geometry[index], primitive, box.lo, box.hi);
    }
    if (state == ER_INACTIVE) {
        box = ER_NO_BOUNDS; // inverted: no ray meets it
    }
    r.a.xyz = box.lo;
    r.b.xyz = box.hi;
    ErBoxOut(erAddressBlocks(b.dst, t.leafBlock)).box[k] = r;
    return state;
}

uint refitInstance(ErBuild b, ErTree t, uint k, out ErBounds box) {
    ErInstance r = ErInstanceView(erAddressBlocks(b.source, t.leafBlock)).instance[k];
    ErGeometry g = ErGeometryView(b.geometries).geometry[0];
    uint state = ER_INACTIVE;
    if (r.b.x < g.primitiveCount) {
        state = erPrimitiveBox(g, r.b.x, box.lo, box.hi);
    }
    if (state != ER_INACTIVE) {
        r = erInstanceRecord(g, r.b.x);
    } else { // no bottom level, and a mask that nothing matches
        r.a = uvec4(0u, 0u, r.a.z & 0xffffffu, r.a.w);
    }
    ErInstanceOut(erAddressBlocks(b.dst, t.leafBlock)).instance[k] = r;
    return state;
}

uint refit(ErBuild b, ErTree t, uint k, out ErBounds box) {
    switch (t.leafKind) {
    case ER_LEAF_TRIANGLES: return refitTriangle(b, t, k, box);
    case ER_LEAF_BOXES: return refitBox(b, t, k, box);
    }
    return refitInstance(b, t, k, box);
}

void reduce(uint state, ErBounds box) {
    if (state == ER_INACTIVE) {
        return;
    }
    atomicAdd(sharedActive, 1u);
    if (state == ER_ACTIVE_HUGE) {
        atomicAdd(sharedHuge, 1u);
        return;
    }
    for (uint c = 0u; c < 3u; c++) {
        atomicMin(sharedMin[c], erOrdered(box.lo[c]));
        atomicMax(sharedMax[c], erOrdered(box.hi[c]));
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 3u) {
        sharedMin[lane] = 0xffffffffu;
        sharedMax[lane] = 0u;
    }
    if (lane == 3u) {
        sharedActive = 0u;
        sharedHuge = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec2 task = valid ? ErUvec2View(push.tasks).v[group / (ER_BLOCK_SIZE / 64u)] : uvec2(0u);
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint i = erRefitIndex(task.y, group);
    ErTree t;
    valid = valid && erTree(b, t);
    if (valid && i < t.records) {
        ErBounds box;
        uint state = refit(b, t, i, box);
        reduce(state, box);
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
            atomicAdd(s.state.huge, sharedHuge);
        }
    }
}
