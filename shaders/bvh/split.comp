#version 460
#extension GL_GOOGLE_include_directive : require
// Splits triangles. See split.glsl.
//   push.pass 0: every block counts its splits
//   push.pass 1: they are done
#include "bvh/split.glsl"
layout(local_size_x = 256) in;

const uint LANES = 256u;
const uint ITEMS = ER_BLOCK_SIZE / LANES;

const uint WAITING = 6u; // one more than log2 of ER_SPLIT_MOST, rounded up

shared uint counts[ER_SPLIT_CLASSES];
shared uint sharedOnce;
shared uint sums[LANES];
shared uint sharedAdded;

// sumLanes is the exclusive sum over all lanes.
uint sumLanes(uint x, out uint total) {
    uint lane = gl_LocalInvocationIndex;
    barrier();
    sums[lane] = x;
    barrier();
    for (uint step = 1u; step < LANES; step <<= 1) {
        uint y = lane >= step ? sums[lane - step] : 0u;
        barrier();
        sums[lane] += y;
        barrier();
    }
    total = sums[LANES - 1u];
    return sums[lane] - x;
}

// fits tells whether there is room for all splits, if triangles of a class are split once.
bool fits(uint once, uint room) {
    for (uint k = 0u; k <= once && k < ER_SPLIT_NEVER; k++) {
        uint each = erSplits(k, once);
        if (counts[k] > room / each) {
            return false;
        }
        room -= counts[k] * each;
    }
    return true;
}

// chooseOnce finds the lowest class that is split; none: ER_SPLIT_NEVER, as classes are less.
uint chooseOnce(ErBuild b) {
    uint lane = gl_LocalInvocationIndex;
    counts[lane] = erClassCount(b, lane);
    if (lane == 0u) {
        sharedOnce = 0u; // plus one
    }
    barrier();
    if (lane < ER_SPLIT_NEVER && fits(lane, b.primitiveCount - b.inputs)) {
        atomicMax(sharedOnce, lane + 1u);
    }
    barrier();
    return sharedOnce;
}

uint splitsOf(ErBuild b, uint once, uint primitive) {
    return once == 0u ? 0u : erSplits(ErUintView(b.valuesB).v[primitive], once - 1u);
}

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

// writeReference writes the next part of a triangle: the first one in the triangle's own place.
void writeReference(ErBuild b, uint primitive, uint at, uint done, ErPart p) {
    uint reference = primitive;
    if (done > 0u) {
        reference = b.inputs + at + done - 1u;
        ErUintView(erOwner(b, at + done - 1u)).v[0] = primitive;
    }
    writePart(b, reference, p);
}

// split makes parts of a triangle and returns how many references it added, the first one at `at`. Of two parts the
// one with fewer splits left goes on, so that few wait.
uint split(ErBuild b, ErGrid grid, float rounding, uint primitive, uint splits, uint at) {
    ErGeometry g = ErGeometryView(b.geometries).geometry[erGeometryOf(b, primitive, 0u, b.geometryCount - 1u)];
    vec3 v0, v1, v2;
    erFetchTriangle(g, primitive - g.firstPrimitive, v0, v1, v2);
    ErBoundsView box = ErBoundsView(erOffset(b.boxes, primitive, 24u));
    ErPart p = ErPart(vec3(box.v[0], box.v[1], box.v[2]), vec3(box.v[3], box.v[4], box.v[5]));
    vec3 waitingLo[WAITING], waitingHi[WAITING];
    uint waitingSplits[WAITING];
    uint depth = 0u, done = 0u;
    bool more = true;
    while (more) {
        ErPlane plane = erCoarsest(grid, p);
        ErPart low, high;
        bool divide = splits > 0u && plane.level != ER_NO_PLANE;
        if (divide) {
            cut(v0, v1, v2, p, plane, rounding, low, high);
            divide = isPart(low) && isPart(high);
        }
        if (divide) {
            float a = longest(low), c = longest(high);
            uint lowSplits = min(uint(float(splits - 1u) * (a / (a + c)) + 0.5), splits - 1u);
            uint highSplits = splits - 1u - lowSplits;
            bool first = lowSplits <= highSplits;
            waitingLo[depth] = first ? high.lo : low.lo;
            waitingHi[depth] = first ? high.hi : low.hi;
            waitingSplits[depth] = first ? highSplits : lowSplits;
            depth++;
            p = ErPart(first ? low.lo : high.lo, first ? low.hi : high.hi);
            splits = first ? lowSplits : highSplits;
        } else {
            writeReference(b, primitive, at, done, p);
            done++;
            more = depth > 0u;
            if (more) {
                depth--;
                p = ErPart(waitingLo[depth], waitingHi[depth]);
                splits = waitingSplits[depth];
            }
        }
    }
    return done - 1u;
}

// splitBlock does the splits of a block. Room that a triangle does not use is noted as that of no primitive.
void splitBlock(ErBuild b, uint block, uint first, uint end, uint once) {
    uint lane = gl_LocalInvocationIndex;
    uint part = 0u;
    for (uint k = lane; k < block; k += LANES) {
        part += ErUintView(b.arrivals).v[ER_SPLIT_CLASSES + k];
    }
    uint before, total, mine = 0u;
    sumLanes(part, before);
    for (uint k = 0u; k < ITEMS; k++) {
        uint p = first + lane * ITEMS + k;
        mine += p < end ? splitsOf(b, once, p) : 0u;
    }
    uint at = before + sumLanes(mine, total);
    if (lane == 0u) {
        sharedAdded = 0u;
        if (end == b.inputs) {
            ErStateView(b.state).state.splits = before + total;
        }
    }
    barrier();
    ErState state = ErStateView(b.state).state;
    ErGrid grid = erGrid(state);
    float rounding = 4.0 * erPadding(erBoundsMin(state), erBoundsMax(state));
    uint added = 0u;
    for (uint k = 0u; k < ITEMS; k++) {
        uint p = first + lane * ITEMS + k;
        uint splits = p < end ? splitsOf(b, once, p) : 0u;
        if (splits == 0u) {
            continue;
        }
        uint here = split(b, grid, rounding, p, splits, at);
        for (uint i = here; i < splits; i++) {
            writePart(b, b.inputs + at + i, ErPart(vec3(3.402823e38), vec3(-3.402823e38))); // as bounds.comp marks what is inactive
        }
        at += splits;
        added += here;
    }
    if (added > 0u) {
        atomicAdd(sharedAdded, added);
    }
    barrier();
    if (lane == 0u && sharedAdded > 0u) {
        atomicAdd(ErStateView(b.state).state.activeCount, sharedAdded);
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
    uint once = chooseOnce(b);
    if (push.pass == 1u) {
        splitBlock(b, task.y, first, end, once);
        return;
    }
    uint mine = 0u, total;
    for (uint p = first + lane; p < end; p += LANES) {
        mine += splitsOf(b, once, p);
    }
    sumLanes(mine, total);
    if (lane == 0u) {
        ErUintView(b.arrivals).v[ER_SPLIT_CLASSES + task.y] = total;
    }
}
