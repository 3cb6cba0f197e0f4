// Wide nodes in the variants of traversal for CPUs: see wide_layout.glsl for what they are, simd.glsl for what such devices are
// like. Rays hit the same as by the other nodes, bit for bit.
//
// In a structure with wide nodes the top ER_TOP entries of the stack are in registers, and those below in memory, each where it
// would be without registers. A step pushes up to three, and nobody predicts how many: by branches alone
// that costs more than all the moves. Where a structure has no wide nodes the whole stack is in memory, as moves cost more than
// one entry to push does. Whoever comes from one sort to the other reads the registers from memory or writes them there.
//
// Measured on lavapipe 25.0.7 against the other nodes, CPU time of bare kernels, primary, diffuse and occlusion rays: bunny +14,
// +30, +32%, sponza +15, +28, +33%; 2,500 instances, primary and random rays, +21, +27% (+4, +5% if the top level has none).
// Structures without wide nodes lose up to 3% by the code beside theirs. Slower (bunny, primary and diffuse rays):
// all of the stack in memory (-12, -15%); boxes in bytes (-21, -24%) or eight children (-32, -32%), which cost more to
// unpack and to sort than they save; popping by branches (-4, -6%); one loop behind the other with no branch around them
// (-14, -11%); ErSides and the nodes' address found anew for every way down (-3, -4%).
#ifndef ER_BVH_WIDE_GLSL
#define ER_BVH_WIDE_GLSL
#include "bvh/common/wide_layout.glsl"

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer ErPairs { uint64_t p[]; };

// A step pushes ER_WIDE_PUSHED entries at most, and goes down a level of the tree at least: a structure takes so many entries for
// each unit of its height. ER_LOOP_ENTRIES is what the highest that are built come to, with the end mark and ER_REF_RESTORE.
const uint ER_WIDE_PUSHED = ER_WIDE_CHILDREN - 1u;

// erWideNodes is where a structure's wide nodes are; 0: it has none, or they could take more of the stack than there is behind
// so many entries.
uint64_t erWideNodes(uvec2 structure, uint depth, uint height) {
    uint at = ErWordView(erAddress(structure, ER_HEADER_WIDE)).v[0];
    bool fits = depth + 1u + ER_WIDE_PUSHED * height <= uint(ER_LOOP_ENTRIES);
    return at != 0u && fits ? packUint2x32(erAddressBlocks(structure, at)) : 0ul;
}

// ErSides are the bytes to the planes of an axis that a ray comes to first; to the others it is ER_SIDE less those.
struct ErSides { uint64_t x, y, z; };
const uint64_t ER_SIDE = 16ul;

ErSides erSidesOf(ErRaySetup s) {
    return ErSides(s.invDir.x < 0.0 ? ER_SIDE : 0ul, s.invDir.y < 0.0 ? ER_SIDE : 0ul, s.invDir.z < 0.0 ? ER_SIDE : 0ul);
}

// ErVisits are the children of a wide node, those to visit first in front. What a ray does not meet has the key ER_MISSED.
struct ErVisits {
    ivec4 keys;
    uvec4 refs;
};
const int ER_MISSED = 0x7fffffff;

// erWideKey puts children in the order of erSecondFirst.
int erWideKey(vec3 near, vec3 far, ErRaySetup s, float tMin, float tMax, bool anyHit) {
    const int MOST = 0x7f7fffff;
    ivec2 h = erInterval(s, near, far, tMin, tMax);
    int key = anyHit ? MOST - floatBitsToInt(erStay(intBitsToFloat(h))) : h.x;
    return h.x <= h.y ? key : ER_MISSED;
}

#define ER_SORT(i, j) { \
    bool swap = v.keys[j] < v.keys[i]; \
    int low = min(v.keys[i], v.keys[j]); \
    v.keys[j] = max(v.keys[i], v.keys[j]); \
    v.keys[i] = low; \
    uint ref = v.refs[i]; \
    v.refs[i] = swap ? v.refs[j] : ref; \
    v.refs[j] = swap ? ref : v.refs[j]; \
}

ErVisits erVisits(uint64_t node, ErSides side, ErRaySetup s, float tMin, float tMax, bool anyHit) {
    const uint AXIS = ER_WIDE_AXIS / 8u, REFS = ER_WIDE_REFS / 8u;
    ErPairs nearX = ErPairs(node + side.x), farX = ErPairs(node - side.x + ER_SIDE);
    ErPairs nearY = ErPairs(node + side.y), farY = ErPairs(node - side.y + ER_SIDE);
    ErPairs nearZ = ErPairs(node + side.z), farZ = ErPairs(node - side.z + ER_SIDE);
    ErPairs refs = ErPairs(node);
    ErVisits v;
    v.refs = uvec4(unpackUint2x32(refs.p[REFS]), unpackUint2x32(refs.p[REFS + 1u]));
    for (uint k = 0u; k < 2u; k++) {
        vec2 nx = erFloats(nearX.p[k]), ny = erFloats(nearY.p[AXIS + k]), nz = erFloats(nearZ.p[2u * AXIS + k]);
        vec2 fx = erFloats(farX.p[k]), fy = erFloats(farY.p[AXIS + k]), fz = erFloats(farZ.p[2u * AXIS + k]);
        v.keys[2u * k] = erWideKey(vec3(nx.x, ny.x, nz.x), vec3(fx.x, fy.x, fz.x), s, tMin, tMax, anyHit);
        v.keys[2u * k + 1u] = erWideKey(vec3(nx.y, ny.y, nz.y), vec3(fx.y, fy.y, fz.y), s, tMin, tMax, anyHit);
    }
    ER_SORT(0, 1)
    ER_SORT(2, 3)
    ER_SORT(0, 2)
    ER_SORT(1, 3)
    ER_SORT(1, 2)
    return v;
}

// ErTop is the top of the stack, a first.
struct ErTop { uint a, b, c, d, e, f; };
const uint ER_TOP = 6u;

// erDown takes the first entry away, if told so. What becomes the last is to be read from memory.
void erDown(inout ErTop t, bool when) {
    t.a = when ? t.b : t.a;
    t.b = when ? t.c : t.b;
    t.c = when ? t.d : t.c;
    t.d = when ? t.e : t.d;
    t.e = when ? t.f : t.e;
}

// erUp makes room for an entry, if told so, and erUp2 for two. What was last has to be in memory.
void erUp(inout ErTop t, bool when) {
    t.f = when ? t.e : t.f;
    t.e = when ? t.d : t.e;
    t.d = when ? t.c : t.d;
    t.c = when ? t.b : t.c;
    t.b = when ? t.a : t.b;
}
void erUp2(inout ErTop t, bool when) {
    t.f = when ? t.d : t.f;
    t.e = when ? t.c : t.e;
    t.d = when ? t.b : t.d;
    t.c = when ? t.a : t.c;
}

// What follows is for walk.glsl and those that include it, and knows their variables.

#define ER_WIDE_STATE \
    ErTop entries = ErTop(0u, 0u, 0u, 0u, 0u, 0u); \
    ErSides side; \
    bool wide = false; \
    uint64_t wideTop = erWideNodes(tlas, 0u, top.z), wideNodes = 0ul;

// ER_ENTRY is an entry in memory, counted from the top.
#define ER_ENTRY(k) ER_STACK[max(depth, k + 1u) - 1u - k]
#define ER_READ_ENTRIES entries = ErTop(ER_ENTRY(0u), ER_ENTRY(1u), ER_ENTRY(2u), ER_ENTRY(3u), ER_ENTRY(4u), ER_ENTRY(5u));
#define ER_WRITE_ENTRY(k, entry) if (depth > k) { ER_ENTRY(k) = entry; }
#define ER_WRITE_ENTRIES \
    ER_WRITE_ENTRY(0u, entries.a) ER_WRITE_ENTRY(1u, entries.b) ER_WRITE_ENTRY(2u, entries.c) \
    ER_WRITE_ENTRY(3u, entries.d) ER_WRITE_ENTRY(4u, entries.e) ER_WRITE_ENTRY(5u, entries.f)

// ER_WIDE_TOP and ER_WIDE_BOTTOM are for a ray that comes to the top level, or to an instance's bottom level.
#define ER_WIDE_TOP \
    if (wideTop != 0ul && !wide) { ER_READ_ENTRIES } \
    wide = wideTop != 0ul; \
    wideNodes = wideTop;
#define ER_WIDE_BOTTOM(instance) \
    wideNodes = erWideNodes(instance.a.xy, depth, instance.b.z & ER_INSTANCE_HEIGHT_MASK); \
    if (wide && wideNodes == 0ul) { ER_WRITE_ENTRIES } else if (!wide && wideNodes != 0ul) { ER_READ_ENTRIES } \
    wide = wideNodes != 0ul;
#define ER_WIDE_SIDES side = erSidesOf(setup);

// ER_WIDE_EMPTY goes on from a child that is none: rays that are no numbers come there.
#define ER_WIDE_EMPTY else if (ref == ER_REF_EMPTY) { ref = ER_REF_RESTORE; if (bottom) { ER_POP } }
#define ER_REF_SPECIAL ER_REF_EMPTY

#define ER_ALONE (depth == 1u)
#define ER_POP { \
    depth--; \
    uint below = ER_STACK[wide ? max(depth, ER_TOP) - ER_TOP : depth]; \
    ref = wide ? entries.a : below; \
    erDown(entries, wide); \
    entries.f = wide ? below : entries.f; \
}
#define ER_PUSH(entry) { \
    if (!wide) { \
        ER_STACK[depth] = entry; \
    } else if (depth >= ER_TOP) { \
        ER_STACK[depth - ER_TOP] = entries.f; \
    } \
    erUp(entries, true); \
    entries.a = entry; \
    depth++; \
}

#endif
