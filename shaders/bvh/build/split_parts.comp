#version 460
#extension GL_GOOGLE_include_directive : require
// Finds the parts of triangles that are split, and their boxes. See split.glsl. A lane does a reference that was added, and the
// triangle's own one if it is the first: it cuts from the whole triangle on, and goes on with the half that its part is in.
#include "bvh/build/split.glsl"
layout(local_size_x = ER_SPLIT_PARTS) in;

shared uint sharedAdded;

void writePart(ErBuild b, uint reference, ErPart p) {
    ErBoundsView box = ErBoundsView(erOffset(b.boxes, reference, 24u));
    for (uint c = 0u; c < 3u; c++) {
        box.v[c] = p.lo[c];
        box.v[3u + c] = p.hi[c];
    }
}

// cutEdge adds what of an edge is on either side of a plane. Boxes grow by the rounding of the point on it.
void cutEdge(vec3 a, vec3 c, uint axis, float at, float rounding, inout ErPart low, inout ErPart high) {
    if (a[axis] <= at) {
        low.lo = min(low.lo, a);
        low.hi = max(low.hi, a);
    }
    if (a[axis] >= at) {
        high.lo = min(high.lo, a);
        high.hi = max(high.hi, a);
    }
    if ((a[axis] < at && c[axis] > at) || (a[axis] > at && c[axis] < at)) {
        vec3 x = a + (c - a) * clamp((at - a[axis]) / (c[axis] - a[axis]), 0.0, 1.0);
        low.lo = min(low.lo, x - rounding);
        low.hi = max(low.hi, x + rounding);
        high.lo = min(high.lo, x - rounding);
        high.hi = max(high.hi, x + rounding);
    }
}

// cut is what of a triangle is in a part and on either side of a plane.
void cut(vec3 v0, vec3 v1, vec3 v2, ErPart p, ErPlane plane, float rounding, out ErPart low, out ErPart high) {
    low = ErPart(vec3(3.402823e38), vec3(-3.402823e38));
    high = low;
    cutEdge(v0, v1, plane.axis, plane.at, rounding, low, high);
    cutEdge(v1, v2, plane.axis, plane.at, rounding, low, high);
    cutEdge(v2, v0, plane.axis, plane.at, rounding, low, high);
    low.hi[plane.axis] = plane.at;
    high.lo[plane.axis] = plane.at;
    low = ErPart(max(low.lo, p.lo), min(low.hi, p.hi));
    high = ErPart(max(high.lo, p.lo), min(high.hi, p.hi));
}

bool isPart(ErPart p) { return all(lessThanEqual(p.lo, p.hi)); }

float longest(ErPart p) {
    vec3 size = p.hi - p.lo;
    return max(size.x, max(size.y, size.z));
}

// partOf finds part number `index` of a triangle that is split so often. Where nothing can be cut, the first one is all that
// there is; the others have no box then.
ErPart partOf(ErGrid grid, float rounding, vec3 v0, vec3 v1, vec3 v2, uint splits, uint index) {
    ErPart p = ErPart(min(v0, min(v1, v2)), max(v0, max(v1, v2)));
    while (splits > 0u) {
        ErPlane plane = erCoarsest(grid, p);
        if (plane.level == ER_NO_PLANE) {
            break;
        }
        ErPart low, high;
        cut(v0, v1, v2, p, plane, rounding, low, high);
        if (!isPart(low) || !isPart(high)) {
            break;
        }
        float a = longest(low), c = longest(high);
        uint lowSplits = min(uint(float(splits - 1u) * (a / (a + c)) + 0.5), splits - 1u);
        bool isHigh = index > lowSplits;
        index -= isHigh ? lowSplits + 1u : 0u;
        splits = isHigh ? splits - 1u - lowSplits : lowSplits;
        p = ErPart(isHigh ? high.lo : low.lo, isHigh ? high.hi : low.hi);
    }
    return index == 0u ? p : ErPart(vec3(3.402823e38), vec3(-3.402823e38)); // as bounds.comp marks what is inactive
}

// writeParts writes the box of an added reference, and tells whether it has one.
bool writeParts(ErBuild b, uint added) {
    uint primitive = ErUintView(erOwner(b, added)).v[0];
    uvec2 range = ErUvec2View(b.keysA).v[primitive];
    ErGeometry g = ErGeometryView(b.geometries).geometry[erGeometryOf(b, primitive, 0u, b.geometryCount - 1u)];
    vec3 v0, v1, v2;
    erFetchTriangle(g, primitive - g.firstPrimitive, v0, v1, v2);
    ErState state = ErStateView(b.state).state;
    ErGrid grid = erGrid(state);
    float rounding = 4.0 * erPadding(erBoundsMin(state), erBoundsMax(state));
    uint index = added - range.x + 1u;
    bool has;
    for (;;) { // one body for both: two might not round alike
        ErPart p = partOf(grid, rounding, v0, v1, v2, range.y, index);
        writePart(b, index == 0u ? primitive : b.inputs + added, p);
        has = index == 0u ? has : isPart(p);
        if (index != 1u) {
            return has;
        }
        index = 0u;
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
    uint splits = ErStateView(b.state).state.splits;
    if (!erIsSplit(b) || task.y * ER_SPLIT_PARTS >= splits) {
        return; // the same
    }
    if (lane == 0u) {
        sharedAdded = 0u;
    }
    barrier();
    uint added = task.y * ER_SPLIT_PARTS + lane;
    if (added < splits && writeParts(b, added)) {
        atomicAdd(sharedAdded, 1u);
    }
    barrier();
    if (lane == 0u && sharedAdded > 0u) {
        atomicAdd(ErStateView(b.state).state.activeCount, sharedAdded);
    }
}
