#version 460
#extension GL_GOOGLE_include_directive : require
// Writes the leaf records. With PLOC, subtrees are not contiguous in the sorted
// order: every leaf finds its place in the tree's own order by a walk to the
// root that adds up what lies to its left, and the first leaf of each record
// range writes the reference to it.
#include "bvh/fetch.glsl"
#include "bvh/link.glsl"
layout(local_size_x = 64) in;

const uint LANES = 64u;
const uint GROUPS = ER_BLOCK_SIZE / LANES;

shared uint sharedHeight;

layout(buffer_reference, std430, buffer_reference_align = 64) buffer ErNodeOut { ErNode node[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer ErTriangleOut { ErTriangle triangle[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer ErInstanceOut { ErInstance instance[]; };

uint place(ErBuild b, uint leaf, out uint depth) {
    ErUvec2View parents = ErUvec2View(b.parents);
    ErNodeOut nodes = ErNodeOut(erAddress(b.dst, ER_HEADER_SIZE));
    uint link = parents.v[leaf].y;
    uint at = 0u;       // leaves to the left in the subtree climbed so far
    uint top = link;    // link of the highest node that is a leaf of the final tree
    uint topAt = 0u;
    uint topCount = 1u;
    depth = 0u;
    while ((link & LINK_NODE) != LINK_ROOT) {
        uint node = link & LINK_NODE;
        uvec2 below = nodes.node[node].leaves;
        at += (link & LINK_SECOND) != 0u ? below.x : 0u;
        depth++;
        link = parents.v[node].x;
        if ((link & LINK_COLLAPSED) != 0u) {
            top = link;
            topAt = at;
            topCount = below.x + below.y;
            depth = 0u;
        }
    }
    if (topAt == 0u && (top & LINK_NODE) != LINK_ROOT) {
        uint ref = ER_REF_LEAF | ((topCount - 1u) << ER_REF_COUNT_SHIFT) | at;
        if ((top & LINK_SECOND) != 0u) {
            nodes.node[top & LINK_NODE].children.y = ref;
        } else {
            nodes.node[top & LINK_NODE].children.x = ref;
        }
    }
    return at;
}

// geometryOf finds the geometry of a primitive by bisection.
uint geometryOf(ErBuild b, uint primitive) {
    ErGeometryView g = ErGeometryView(b.geometries);
    uint low = 0u, high = b.geometryCount;
    while (high - low > 1u) {
        uint mid = (low + high) >> 1;
        if (g.geometry[mid].firstPrimitive <= primitive) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

void writeTriangle(ErBuild b, uint to, uint index, ErGeometry g, uint primitive) {
    vec3 v0, v1, v2;
    erFetchTriangle(g, primitive, v0, v1, v2);
    ErTriangle t;
    t.a = vec4(v0, v1.x);
    t.b = vec4(v1.yz, v2.xy);
    t.c = uvec4(floatBitsToUint(v2.z), primitive, index | ((g.flags & 1u) != 0u ? ER_TRIANGLE_OPAQUE : 0u), 0u);
    ErTriangleOut(erAddressBlocks(b.dst, b.leafBlock)).triangle[to] = t;
}

// inverse of an affine transform given as rows.
void invert(vec4 r[3], out vec4 o[3]) {
    precise vec3 c0 = cross(r[1].xyz, r[2].xyz);
    precise vec3 c1 = cross(r[2].xyz, r[0].xyz);
    precise vec3 c2 = cross(r[0].xyz, r[1].xyz);
    precise float det = dot(r[0].xyz, c0);
    precise float scale = 1.0 / det;
    vec3 t = vec3(r[0].w, r[1].w, r[2].w);
    for (uint k = 0u; k < 3u; k++) {
        precise vec3 row = vec3(c0[k], c1[k], c2[k]) * scale;
        precise float w = -dot(row, t);
        o[k] = vec4(row, w);
    }
}

void writeInstance(ErBuild b, uint to, ErGeometry g, uint primitive) {
    ErInputInstance in_ = erFetchInstance(g, primitive);
    ErHeaderView h = ErHeaderView(in_.blas);
    uvec4 root = h.activeRootHeightLeafBlock;
    ErInstance o;
    o.objectToWorld = in_.rows;
    invert(in_.rows, o.worldToObject);
    o.a = uvec4(in_.blas, in_.customIndexMask, in_.tableOffsetFlags);
    o.b = uvec4(g.firstPrimitive + primitive, root.y, root.z, root.w);
    ErInstanceOut(erAddressBlocks(b.dst, b.leafBlock)).instance[to] = o;
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane == 0u) {
        sharedHeight = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec2 task = valid ? ErUvec2View(push.tasks).v[group / GROUPS] : uvec2(0u);
    ErBuild b = ErBuildView(push.builds).build[task.x];
    ErStateView state = ErStateView(b.state);
    uint i = task.y * ER_BLOCK_SIZE + (group % GROUPS) * LANES + lane;
    bool ploc = b.mode == ER_MODE_PLOC && state.state.activeCount > 1u;
    if (valid && i < state.state.activeCount) {
        uint to = i;
        if (ploc) {
            uint depth;
            to = place(b, i, depth);
            atomicMax(sharedHeight, depth);
        }
        uint primitive = ErUintView(b.valuesA).v[i];
        uint index = geometryOf(b, primitive);
        ErGeometry g = ErGeometryView(b.geometries).geometry[index];
        if (b.type == ER_AS_TYPE_TOP) {
            writeInstance(b, to, g, primitive - g.firstPrimitive);
        } else {
            writeTriangle(b, to, index, g, primitive - g.firstPrimitive);
        }
    }
    barrier();
    if (lane == 0u && valid && ploc) {
        atomicMax(state.state.height, sharedHeight);
    }
}
