// Ray against box and triangle, in the space of one structure.
//
// Triangles: Woop, Benthin and Wald 2013, "Watertight Ray/Triangle
// Intersection". In place of the paper's fallback to double precision, edge
// functions are differences of rounded products (never fused): rounding is
// monotonic, so a sign is never wrong, only zero too often, and the two
// triangles of an edge compute each other's negation. A zero is decided by the
// direction of the edge in the sheared plane (the top-left rule of
// rasterisation), which gives the edge to exactly one of its two triangles.
// Measured on the H200: products exact to 1.5 ulp (Kahan) take 8 registers more
// and 6% of the speed; rows of a matrix in place of permuted axes 8 and 5%.
#ifndef ER_BVH_INTERSECT_GLSL
#define ER_BVH_INTERSECT_GLSL

// What traversal needs of a ray besides origin and direction.
struct ErRaySetup {
    vec3 invDir;
    vec3 nearBias; // entry = fma(plane, invDir, -nearBias), rounded away from the box
    vec3 farBias;
    vec3 shear;    // Woop's Sx, Sy, Sz
    uint axes;     // kz, and bit 2 when kx and ky are swapped
};

// Direction components smaller than the largest by this factor are raised to
// it, so that slab distances stay finite. Boxes are padded by more (build).
const float ER_DIRECTION_EPSILON = 1.0 / 1099511627776.0; // 2^-40
// Relative error allowed to the slab distances, in ulp of the origin's term.
const float ER_SLAB_ERROR = 1.0 / 2097152.0; // 2^-21

float erMax3(float a, float b, float c) { return max(max(a, b), c); }
float erMin3(float a, float b, float c) { return min(min(a, b), c); }

vec3 erPermute(vec3 v, uint axes) {
    uint kz = axes & 3u;
    vec3 p = kz == 2u ? v.xyz : (kz == 0u ? v.yzx : v.zxy);
    return (axes & 4u) != 0u ? p.yxz : p;
}

ErRaySetup erSetupRay(vec3 origin, vec3 direction) {
    ErRaySetup s;
    vec3 size = abs(direction);
    uint kz = size.x >= size.y ? (size.x >= size.z ? 0u : 2u) : (size.y >= size.z ? 1u : 2u);
    float largest = size[kz];
    s.axes = kz | (direction[kz] < 0.0 ? 4u : 0u);
    precise vec3 d = erPermute(direction, s.axes);
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
    return s;
}

// erIntersectBox returns entry and exit of the ray; a hit when entry <= exit.
// x, y and z hold minimum and maximum.
vec2 erIntersectBox(ErRaySetup s, vec2 x, vec2 y, vec2 z, float tMin, float tMax) {
    x = s.invDir.x < 0.0 ? x.yx : x;
    y = s.invDir.y < 0.0 ? y.yx : y;
    z = s.invDir.z < 0.0 ? z.yx : z;
    float entry = erMax3(fma(x.x, s.invDir.x, -s.nearBias.x), fma(y.x, s.invDir.y, -s.nearBias.y), fma(z.x, s.invDir.z, -s.nearBias.z));
    float exit = erMin3(fma(x.y, s.invDir.x, -s.farBias.x), fma(y.y, s.invDir.y, -s.farBias.y), fma(z.y, s.invDir.z, -s.farBias.z));
    // Ize 2013: the exit grows by the rounding of the three operations.
    return vec2(max(entry, tMin), min(exit * 1.0000005, tMax));
}

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
    precise vec3 a = erPermute(v0 - origin, s.axes);
    precise vec3 b = erPermute(v1 - origin, s.axes);
    precise vec3 c = erPermute(v2 - origin, s.axes);
    precise float ax = a.x - s.shear.x * a.z;
    precise float ay = a.y - s.shear.y * a.z;
    precise float bx = b.x - s.shear.x * b.z;
    precise float by = b.y - s.shear.y * b.z;
    precise float cx = c.x - s.shear.x * c.z;
    precise float cy = c.y - s.shear.y * c.z;
    precise float u = erCross(cx, by, cy, bx);
    precise float v = erCross(ax, cy, ay, cx);
    precise float w = erCross(bx, ay, by, ax);

    bool negative = u < 0.0 || v < 0.0 || w < 0.0;
    bool positive = u > 0.0 || v > 0.0 || w > 0.0;
    if (negative == positive) { // both signs: outside; none: edge-on
        return vec4(0.0);
    }
    if (u == 0.0 || v == 0.0 || w == 0.0) {
        if ((u == 0.0 && !erOwnsEdge(bx, by, cx, cy, positive)) ||
            (v == 0.0 && !erOwnsEdge(cx, cy, ax, ay, positive)) ||
            (w == 0.0 && !erOwnsEdge(ax, ay, bx, by, positive))) {
            return vec4(0.0);
        }
    }
    precise float det = u + (v + w);
    precise float az = s.shear.z * a.z;
    precise float bz = s.shear.z * b.z;
    precise float cz = s.shear.z * c.z;
    precise float t = (u * az + v * bz) + w * cz;
    return vec4(t / det, v / det, w / det, det);
}

#endif
