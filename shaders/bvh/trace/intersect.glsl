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
// Relative error allowed to the slab distances, in ulp of the origin's term.
const float ER_SLAB_ERROR = 1.0 / 2097152.0; // 2^-21

float erMax3(float a, float b, float c) { return max(max(a, b), c); }
float erMin3(float a, float b, float c) { return min(min(a, b), c); }

// erRotate turns the axis kz into z.
vec3 erRotate(vec3 v, uint kz) { return kz == 2u ? v : (kz == 0u ? v.yzx : v.zxy); }

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
    vec3 slack = abs(bias) * ER_SLAB_ERROR;
    s.nearBias = bias + slack;
    s.farBias = bias - slack;
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
    ivec3 near = floatBitsToInt(vec3(fma(x.x, s.invDir.x, -s.nearBias.x), fma(y.x, s.invDir.y, -s.nearBias.y), fma(z.x, s.invDir.z, -s.nearBias.z)));
    ivec3 far = floatBitsToInt(vec3(fma(x.y, s.invDir.x, -s.farBias.x), fma(y.y, s.invDir.y, -s.farBias.y), fma(z.y, s.invDir.z, -s.farBias.z)));
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
    precise float u = erCross(pc.x, pb.y, pc.y, pb.x);
    precise float v = erCross(pa.x, pc.y, pa.y, pc.x);
    precise float w = erCross(pb.x, pa.y, pb.y, pa.x);

    float most = erMax3(u, v, w);
    bool hit = !(erMin3(u, v, w) < 0.0 && most > 0.0); // both signs: outside
    ER_RETURN_IF(!hit, vec4(0.0))
    if (hit && u * v * w == 0.0) { // a factor is zero, or all are small
        bool positive = most > 0.0;
        hit = !((u == 0.0 && !erOwnsEdge(pb.x, pb.y, pc.x, pc.y, positive)) ||
                (v == 0.0 && !erOwnsEdge(pc.x, pc.y, pa.x, pa.y, positive)) ||
                (w == 0.0 && !erOwnsEdge(pa.x, pa.y, pb.x, pb.y, positive)));
    }
    ER_RETURN_IF(!hit, vec4(0.0))
    precise float det = u + (v + w); // zero if all are: edge-on
    precise float t = fma(u, a.z, fma(v, b.z, w * c.z)) * s.shear.z;
    return vec4(t / det, v / det, w / det, !hit ? 0.0 : ((s.axes & 4u) != 0u ? -det : det));
}

#endif
