// The bounds of all, of an update.
#ifndef ER_BVH_REFIT_BOUNDS_GLSL
#define ER_BVH_REFIT_BOUNDS_GLSL
#include "bvh/refit/task.glsl"

shared uint sharedMin[3];
shared uint sharedMax[3];
shared uint sharedActive;
shared uint sharedHuge;

// What a lane found of the bounds, as ErState has them.
struct Found {
    uvec3 lo, hi;
    uint live, huge;
};
const Found FOUND_NOTHING = Found(uvec3(0xffffffffu), uvec3(0u), 0u, 0u);

uvec3 ordered(vec3 v) { return uvec3(erOrdered(v.x), erOrdered(v.y), erOrdered(v.z)); }

void find(inout Found f, uint state, ErBounds box) {
    f.live += state != ER_INACTIVE ? 1u : 0u;
    f.huge += state == ER_ACTIVE_HUGE ? 1u : 0u;
    if (state == ER_ACTIVE) {
        f.lo = min(f.lo, ordered(box.lo));
        f.hi = max(f.hi, ordered(box.hi));
    }
}

void share(Found f) {
    for (uint c = 0u; c < 3u; c++) {
        if (f.lo[c] < sharedMin[c]) {
            atomicMin(sharedMin[c], f.lo[c]);
        }
        if (f.hi[c] > sharedMax[c]) {
            atomicMax(sharedMax[c], f.hi[c]);
        }
    }
    if (f.live > 0u && sharedActive == 0u) {
        sharedActive = 1u;
    }
    if (f.huge > 0u) {
        sharedHuge = 1u;
    }
}

// beginBounds comes before a barrier, reduceBounds after it.
void beginBounds(uint lane) {
    if (lane < 3u) {
        sharedMin[lane] = 0xffffffffu;
        sharedMax[lane] = 0u;
    }
    if (lane == 3u) {
        sharedActive = 0u;
        sharedHuge = 0u;
    }
}

// reduceBounds shares what all lanes found. A few begin, as all others then have little to add: lanes that write to
// one word wait for each other. Of the numbers an update wants to know whether they are zero. Between the two steps there
// is a barrier, and another one behind.
const uint BOUNDS_FEW = 16u;

void beginReduce(uint lane, Found f) {
    if (lane % BOUNDS_FEW == 0u) {
        share(f);
    }
}

void endReduce(uint lane, Found f) {
    if (lane % BOUNDS_FEW != 0u) {
        share(f);
    }
}

void reduceBounds(uint lane, Found f) {
    beginReduce(lane, f);
    barrier();
    endReduce(lane, f);
    barrier();
}

// stateOf is what was found of all.
ErState stateOf() {
    ErState s;
    for (uint c = 0u; c < 3u; c++) {
        s.boundsMin[c] = sharedMin[c];
        s.boundsMax[c] = sharedMax[c];
    }
    s.activeCount = sharedActive;
    s.huge = sharedHuge;
    return s;
}

// keepBounds keeps those of a part, if the update is alone.
void keepBounds(ErBuild b, uint part, uint lane) {
    if (lane < 8u) {
        uint word = lane < 3u ? sharedMin[lane] : (lane < 6u ? sharedMax[lane - 3u] : (lane == 6u ? sharedActive : sharedHuge));
        ErUintView(erPartBounds(b)).v[8u * part + lane] = word;
    }
    if (lane == 8u) {
        ErState s = stateOf();
        vec3 reach = max(abs(erBoundsMin(s)), abs(erBoundsMax(s)));
        ErUintView(erPartReach(b)).v[part] = floatBitsToUint(max(reach.x, max(reach.y, reach.z)));
    }
}

// joinBounds is what was found of all parts. All lanes have to come here.
ErState joinBounds(ErBuild b, uint lane) {
    beginBounds(lane);
    barrier();
    Found f = FOUND_NOTHING;
    for (uint k = lane; k < erParts(b.primitiveCount); k += gl_WorkGroupSize.x) {
        for (uint c = 0u; c < 3u; c++) {
            f.lo[c] = min(f.lo[c], ErUintView(erPartBounds(b)).v[8u * k + c]);
            f.hi[c] = max(f.hi[c], ErUintView(erPartBounds(b)).v[8u * k + 3u + c]);
        }
        f.live |= ErUintView(erPartBounds(b)).v[8u * k + 6u];
        f.huge |= ErUintView(erPartBounds(b)).v[8u * k + 7u];
    }
    reduceBounds(lane, f);
    return stateOf();
}

// shareBounds joins those of an update that is not alone. Only what changes anything: many workgroups would wait for one word.
void shareBounds(ErBuild b, uint lane) {
    ErStateView s = ErStateView(b.state);
    if (lane < 3u && sharedMin[lane] < s.state.boundsMin[lane]) {
        atomicMin(s.state.boundsMin[lane], sharedMin[lane]);
    }
    if (lane < 3u && sharedMax[lane] > s.state.boundsMax[lane]) {
        atomicMax(s.state.boundsMax[lane], sharedMax[lane]);
    }
    if (lane == 3u && sharedActive > 0u && s.state.activeCount == 0u) {
        atomicAdd(s.state.activeCount, 1u);
    }
    if (lane == 3u && sharedHuge > 0u && s.state.huge == 0u) {
        atomicAdd(s.state.huge, 1u);
    }
}

#endif
