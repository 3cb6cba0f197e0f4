// Ray against box and triangle, in the space of one structure.
//
// Triangles: Woop, Benthin and Wald 2013, "Watertight Ray/Triangle
// Intersection". In place of the paper's fallback to double precision, edge
// functions are differences of rounded products (never fused): rounding is
// monotonic, so a sign is never wrong, only zero too often, and the two
// triangles of an edge compute each other's negation. A zero is decided by the
// direction of the edge in the sheared plane (the top-left rule of
// rasterisation), which gives the edge to exactly one of its two triangles. The
// shear may be fused: all that counts is that a vertex comes out the same for
// every triangle that has it. Axes are rotated, never swapped, so that a ray down
// its longest axis sees the plane mirrored: that turns the determinant's sign.
// Measured on the H200: products exact to 1.5 ulp (Kahan) take 8 registers more
// and 6% of the speed; rows of a matrix in place of rotated axes, and distances
// by a difference and a product, which need no slack, are no faster either.
//
// Range: coordinates of rays and structures may be anything up to ER_HUGE, and down to where 2^-24 of them is still a normal
// number. Products of two sheared coordinates leave what floats hold long before that, at 2^64 and 2^-50: then, and for zeros,
// erDecideEdges does the edge functions again, in units of the triangle. Distances along an axis that leave it make the axis
// take no part (erDropAxes), which lets a ray see more boxes than it meets, never fewer.
#ifndef ER_BVH_INTERSECT_GLSL
#define ER_BVH_INTERSECT_GLSL

// What traversal needs of a ray besides origin and direction.
struct ErRaySetup {
    vec3 invDir;
    vec3 nearBias; // entry = fma(plane, invDir, -nearBias), rounded away from the box
    vec3 farBias;
    vec3 shear;    // Woop's Sx, Sy, Sz
    uint axes;     // kz, and bit 2 when the ray runs down it
#ifdef ER_SIMD
    vec3 exitDir;  // invDir and farBias with the growth of the exit
    vec3 exitBias;
#endif
};

// Entry and exit of a box, and how functions end early: see simd.glsl.
#ifdef ER_SIMD
#define ErInterval ivec2
#define ER_RETURN_IF(condition, result)
void erPrepareSlabs(inout ErRaySetup s);
ErInterval erIntersectBox(ErRaySetup s, vec2 x, vec2 y, vec2 z, float tMin, float tMax);
#else
#define ErInterval vec2
#define ER_RETURN_IF(condition, result) if (condition) { return result; }
void erPrepareSlabs(inout ErRaySetup s) {}
#endif

// Direction components smaller than the largest by this factor are raised to
// it, so that slab distances stay finite. Boxes are padded by more (build).
const float ER_DIRECTION_EPSILON = 1.0 / 1099511627776.0; // 2^-40
// Relative error allowed to the slab distances, in ulp of the origin's term, and what is lost where that is no normal number.
const float ER_SLAB_ERROR = 1.0 / 2097152.0; // 2^-21
const float ER_SLAB_LEAST = 1e-37;
// Distances of slabs from the origin's term are at most this: the difference to a plane's is a number or infinite then.
const float ER_SLAB_LIMIT = 1e37;

// Edge functions within these are right in their sign, and not zero: what products below 2^-126 lose is less than what their
// rounding does.
const float ER_EDGE_LEAST = 1.0 / 1267650600228229401496703205376.0; // 2^-100
const float ER_EDGE_MOST = 42535295865117307932921825928971026432.0; // 2^125

float erMax3(float a, float b, float c) { return max(max(a, b), c); }
float erMin3(float a, float b, float c) { return min(min(a, b), c); }

// erRotate turns the axis kz into z.
vec3 erRotate(vec3 v, uint kz) { return kz == 2u ? v : (kz == 0u ? v.yzx : v.zxy); }

// erUnit is the power of two that makes a size 1 or more and less than 2; that of 0 is the largest.
float erUnit(float size) { return uintBitsToFloat(0x7f000000u - (floatBitsToUint(size) & 0x7f800000u)); }

// erDropAxis takes out an axis whose distances are beyond the limit: it is crossed far away, or never.
void erDropAxis(inout float inv, inout float near, inout float far, float reach) {
    bool keep = abs(near) <= ER_SLAB_LIMIT && abs(inv) <= ER_SLAB_LIMIT;
    inv = keep ? inv : 1.0 / ER_SLAB_LIMIT;
    near = keep ? near : reach;
    far = keep ? far : -reach;
}

// erDropAxes does so with all. A ray that goes nowhere, whose longest part has no inverse, meets nothing.
void erDropAxes(inout ErRaySetup s) {
    float reach = abs(s.shear.z) < 3.4e38 ? 2.0 * ER_SLAB_LIMIT : -2.0 * ER_SLAB_LIMIT;
    erDropAxis(s.invDir.x, s.nearBias.x, s.farBias.x, reach);
    erDropAxis(s.invDir.y, s.nearBias.y, s.farBias.y, reach);
    erDropAxis(s.invDir.z, s.nearBias.z, s.farBias.z, reach);
}

ErRaySetup erSetupRay(vec3 origin, vec3 direction) {
    ErRaySetup s;
    vec3 size = abs(direction);
    uint kz = size.x >= size.y ? (size.x >= size.z ? 0u : 2u) : (size.y >= size.z ? 1u : 2u);
    precise vec3 d = erRotate(direction, kz);
    float largest = abs(d.z); // direction[kz], but drivers keep vectors that are indexed in memory
    s.axes = kz | (d.z < 0.0 ? 4u : 0u);
    precise float sz = 1.0 / d.z;
    precise vec3 shear = vec3(d.x * sz, d.y * sz, sz);
    s.shear = shear;

    float least = largest * ER_DIRECTION_EPSILON;
    vec3 raised = max(size, vec3(least));
    vec3 inv = 1.0 / raised;
    s.invDir = mix(inv, -inv, lessThan(direction, vec3(0.0)));
    vec3 bias = origin * s.invDir;
    vec3 slack = abs(bias) * ER_SLAB_ERROR + ER_SLAB_LEAST;
    s.nearBias = bias + slack;
    s.farBias = bias - slack;
    // A sum, which what is no number does not leave, as it may a maximum.
    float all = abs(s.nearBias.x) + abs(s.nearBias.y) + abs(s.nearBias.z) + abs(s.invDir.x) + abs(s.invDir.y) + abs(s.invDir.z);
    if (!(all <= ER_SLAB_LIMIT)) {
        erDropAxes(s);
    }
    erPrepareSlabs(s);
    return s;
}

#ifndef ER_SIMD
// erIntersectBox returns entry and exit of the ray; a hit when entry <= exit.
// x, y and z hold minimum and maximum. Of numbers that are not negative the
// integers of their bits have the same order, and GPUs find the largest of three
// at once; of negative ones the order is reversed, which can only make the
// interval longer, and tMin is not negative.
vec2 erIntersectBox(ErRaySetup s, vec2 x, vec2 y, vec2 z, float tMin, float tMax) {
    x = s.invDir.x < 0.0 ? x.yx : x;
    y = s.invDir.y < 0.0 ? y.yx : y;
    z = s.invDir.z < 0.0 ? z.yx : z;
    ivec3 near = floatBitsToInt(vec3(fma(x.x, s.invDir.x, -s.nearBias.x), fma(y.x, s.invDir.y, -s.nearBias.y),
        fma(z.x, s.invDir.z, -s.nearBias.z)));
    ivec3 far = floatBitsToInt(vec3(fma(x.y, s.invDir.x, -s.farBias.x), fma(y.y, s.invDir.y, -s.farBias.y),
        fma(z.y, s.invDir.z, -s.farBias.z)));
    int entry = max(max(max(near.x, near.y), near.z), floatBitsToInt(tMin));
    float exit = intBitsToFloat(min(min(far.x, far.y), far.z));
    // Ize 2013: the exit grows by the rounding of the three operations.
    return vec2(intBitsToFloat(entry), min(exit * 1.0000005, tMax));
}
#endif

// erObjectRay is the ray in an instance's space, without a change of t.
void erObjectRay(ErInstance i, ErRay ray, out vec3 origin, out vec3 direction) {
    vec3 x = vec3(i.worldToObject[0].x, i.worldToObject[1].x, i.worldToObject[2].x);
    vec3 y = vec3(i.worldToObject[0].y, i.worldToObject[1].y, i.worldToObject[2].y);
    vec3 z = vec3(i.worldToObject[0].z, i.worldToObject[1].z, i.worldToObject[2].z);
    vec3 w = vec3(i.worldToObject[0].w, i.worldToObject[1].w, i.worldToObject[2].w);
    precise vec3 o = ((x * ray.origin.x + y * ray.origin.y) + z * ray.origin.z) + w;
    precise vec3 d = (x * ray.direction.x + y * ray.direction.y) + z * ray.direction.z;
    origin = o;
    direction = d;
}

// erOwnsEdge decides for an edge function of zero, from the edge's direction
// with the triangle seen counter-clockwise.
bool erOwnsEdge(float fromX, float fromY, float toX, float toY, bool positive) {
    bool up = toY > fromY || (toY == fromY && toX < fromX);
    bool down = toY < fromY || (toY == fromY && toX > fromX);
    return positive ? up : down;
}

// erCross is a*b - c*d, of two rounded products.
float erCross(float a, float b, float c, float d) {
    precise float ab = a * b;
    precise float cd = c * d;
    precise float difference = ab - cd;
    return difference;
}

// erDecideEdges is whether the origin of the sheared plane is in a triangle, where edge functions are zero or not in range: in
// units of the triangle they are. It takes few registers: what lanes need here at most, all of them have to have.
bool erDecideEdges(vec2 a, vec2 b, vec2 c, inout float u, inout float v, inout float w) {
    float unit = erUnit(max(erMax3(abs(a.x), abs(a.y), abs(b.x)), erMax3(abs(b.y), abs(c.x), abs(c.y))));
    a *= unit;
    b *= unit;
    c *= unit;
    u = erCross(c.x, b.y, c.y, b.x);
    v = erCross(a.x, c.y, a.y, c.x);
    w = erCross(b.x, a.y, b.y, a.x);
    bool positive = erMax3(u, v, w) > 0.0;
    return !((erMin3(u, v, w) < 0.0 && positive) ||
             (u == 0.0 && !erOwnsEdge(b.x, b.y, c.x, c.y, positive)) ||
             (v == 0.0 && !erOwnsEdge(c.x, c.y, a.x, a.y, positive)) ||
             (w == 0.0 && !erOwnsEdge(a.x, a.y, b.x, b.y, positive)));
}

// erIntersectTriangle returns t, the weights of v1 and v2, and the determinant;
// a determinant of zero means no hit. t is not compared with any interval.
vec4 erIntersectTriangle(ErRaySetup s, vec3 origin, vec3 v0, vec3 v1, vec3 v2) {
    uint kz = s.axes & 3u;
    precise vec3 a = erRotate(v0 - origin, kz);
    precise vec3 b = erRotate(v1 - origin, kz);
    precise vec3 c = erRotate(v2 - origin, kz);
    precise vec2 pa = fma(-s.shear.xy, a.zz, a.xy);
    precise vec2 pb = fma(-s.shear.xy, b.zz, b.xy);
    precise vec2 pc = fma(-s.shear.xy, c.zz, c.xy);
    float u = erCross(pc.x, pb.y, pc.y, pb.x);
    float v = erCross(pa.x, pc.y, pa.y, pc.x);
    float w = erCross(pb.x, pa.y, pb.y, pa.x);

    float least = erMin3(u, v, w), most = erMax3(u, v, w);
    bool hit = !(least < 0.0 && most > 0.0); // both signs: outside
    ER_RETURN_IF(!hit, vec4(0.0))
    precise float det = u + (v + w);
    if (hit && !(max(least, -most) > ER_EDGE_LEAST && abs(det) < ER_EDGE_MOST)) {
        hit = erDecideEdges(pa, pb, pc, u, v, w);
        precise float again = u + (v + w); // zero if all are: edge-on
        det = again;
    }
    ER_RETURN_IF(!hit, vec4(0.0))
    precise vec3 weights = vec3(u, v, w) / det;
    precise float t = fma(weights.x, a.z, fma(weights.y, b.z, weights.z * c.z)) * s.shear.z;
    return vec4(t, weights.yz, !hit ? 0.0 : ((s.axes & 4u) != 0u ? -det : det));
}

#endif
