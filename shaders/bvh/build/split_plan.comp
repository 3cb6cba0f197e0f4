#version 460
#extension GL_GOOGLE_include_directive : require
// Sorts triangles into classes by how much splits would gain, and counts these. Who counts last chooses the classes that are
// split. See split.glsl.
#include "bvh/build/split.glsl"
#include "bvh/common/lanes.glsl"

shared uint counts[ER_SPLIT_CLASSES];
shared uint times[ER_SPLIT_CLASSES]; // erSplits by how far classes are apart
shared uint sharedOnce;
shared bool sharedLast;

// classOf is the class of an active triangle. Those of a size below the least stay whole.
uint classOf(ErGrid grid, ErGeometry g, uint primitive, ErPart p, uint least) {
    if ((g.flags & ER_GEOMETRY_NO_DUPLICATE) != 0u || erSize(p) < least) {
        return ER_SPLIT_NEVER;
    }
    ErPlane plane = erCoarsest(grid, p);
    vec3 v0, v1, v2;
    erFetchTriangle(g, primitive, v0, v1, v2);
    // In units of the scene, or squares may be no numbers.
    float unit = grid.cell * float(1u << ER_SPLIT_BITS);
    vec3 normal = abs(cross((v1 - v0) / unit, (v2 - v0) / unit));
    vec3 size = (p.hi - p.lo) / unit;
    float area = size.x * size.y + size.y * size.z + size.z * size.x;
    float excess = area - 0.5 * (normal.x + normal.y + normal.z);
    if (plane.level == ER_NO_PLANE || !(excess > area * 1e-3)) {
        return ER_SPLIT_NEVER;
    }
    float priority = log2(excess) / 3.0 - float(plane.level); // at most 0.53
    return uint(clamp((1.0 - priority) * float(ER_SPLIT_STEPS), 0.0, float(ER_SPLIT_NEVER - 1u)));
}

// fits tells whether there is room for all splits, if triangles of a class are split once.
bool fits(uint once, uint room) {
    uint n = 0u;
    for (uint k = 0u; k <= once && n <= room; k++) {
        n += counts[k] * times[once - k];
    }
    return n <= room;
}

// chooseOnce finds the lowest class that is split, plus one; none: 0.
void chooseOnce(ErBuild b) {
    uint lane = gl_LocalInvocationIndex;
    for (uint k = lane; k < ER_SPLIT_CLASSES; k += ER_LANES) {
        counts[k] = atomicOr(ErUintView(b.arrivals).v[k], 0u);
        times[k] = erSplits(0u, k);
    }
    if (lane == 0u) {
        sharedOnce = 0u;
    }
    barrier();
    for (uint k = lane; k < ER_SPLIT_NEVER; k += ER_LANES) {
        if (fits(k, b.primitiveCount - b.inputs)) {
            atomicMax(sharedOnce, k + 1u);
        }
    }
    barrier();
    if (lane == 0u) {
        ErUintView(b.arrivals).v[ER_SPLIT_ONCE] = sharedOnce;
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint group = erGroup();
    if (group >= push.taskCount) {
        return; // the whole workgroup
    }
    uvec2 task = ErUvec2View(push.tasks).v[group];
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint first = task.y * ER_BLOCK_SIZE;
    uint end = min(first + ER_BLOCK_SIZE, b.inputs);
    if (first >= end || !erIsSplit(b)) {
        return; // the same
    }
    for (uint k = lane; k < ER_SPLIT_CLASSES; k += ER_LANES) {
        counts[k] = 0u;
    }
    barrier();
    ErState state = ErStateView(b.state).state;
    ErGrid grid = erGrid(state);
    uint least = state.sizes / max(state.sized, 1u) + ER_SPLIT_LARGER;
    uint low = erGeometryOf(b, first, 0u, b.geometryCount - 1u);
    uint high = erGeometryOf(b, end - 1u, low, b.geometryCount - 1u);
    for (uint p = first + lane; p < end; p += ER_LANES) {
        ErBoundsView box = ErBoundsView(erOffset(b.boxes, p, 24u));
        ErPart part = ErPart(vec3(box.v[0], box.v[1], box.v[2]), vec3(box.v[3], box.v[4], box.v[5]));
        uint class_ = ER_SPLIT_NEVER;
        if (part.lo.x <= part.hi.x) {
            ErGeometry g = ErGeometryView(b.geometries).geometry[erGeometryOf(b, p, low, high)];
            class_ = classOf(grid, g, p - g.firstPrimitive, part, least);
        }
        ErUintView(b.valuesB).v[p] = class_;
        atomicAdd(counts[class_], 1u);
    }
    barrier();
    for (uint k = lane; k < ER_SPLIT_NEVER; k += ER_LANES) {
        if (counts[k] > 0u) {
            atomicAdd(ErUintView(b.arrivals).v[k], counts[k]);
        }
    }
    memoryBarrierBuffer();
    barrier();
    if (lane == 0u) {
        uint blocks = (b.inputs + ER_BLOCK_SIZE - 1u) / ER_BLOCK_SIZE;
        memoryBarrierBuffer();
        sharedLast = atomicAdd(ErUintView(b.arrivals).v[ER_SPLIT_COUNTED], 1u) == blocks - 1u;
        memoryBarrierBuffer();
    }
    barrier();
    if (sharedLast) {
        chooseOnce(b);
    }
}
