// The tree of a direct cluster, from the top down by the surface area heuristic: the best of all ways to divide a node's triangles
// along an axis, by their middles. A lane tries the three behind its own triangle. Two triangles are a leaf where a node would cost
// more. A path has ER_CLUSTER_DEPTH nodes at most: ways that leave too many triangles for those below are none.
#ifndef ER_BVH_CLUSTER_HEURISTIC_GLSL
#define ER_BVH_CLUSTER_HEURISTIC_GLSL
#include "bvh/cluster/tree.glsl"

const uint EACH = MOST / LANES; // triangles of a lane

shared uint state[2]; // the level in which a node was left to divide, and the number of the root

// A node's number until all are known is that of the leaf before which it divides, less one. Then the root is the first, and those
// before it follow.
uint numberOf(uint node, uint root) { return node == root ? 0u : (node < root ? node + 1u : node); }
uint childOf(uint child, uint root) { return (child & ER_SHAPE_LEAF) != 0u ? child : numberOf(child, root); }

// numberNodes makes the root the first node. Nodes without a use have no children.
void numberNodes(uint nodes, uint root) {
    uint s[EACH];
    for (uint e = 0u; e < EACH; e++) {
        s[e] = shape[e * LANES + gl_LocalInvocationIndex];
    }
    barrier();
    for (uint e = 0u; e < EACH; e++) {
        uint n = e * LANES + gl_LocalInvocationIndex;
        if (n < nodes) {
            shape[numberOf(n, root)] = s[e] == 0u ? 0u : childOf(s[e] & 0xffffu, root) | childOf(s[e] >> 16, root) << 16;
        }
    }
    barrier();
}

// halveSlots makes the shape of a tree by halves, for triangles in any order.
void halveSlots(uint slots) {
    uint root = splitOf(0u, slots) - 1u;
    for (uint n = gl_LocalInvocationIndex; n + 1u < slots; n += LANES) {
        uint first = 0u, end = slots, middle = splitOf(0u, slots);
        while (middle - 1u != n) {
            if (n < middle - 1u) {
                end = middle;
            } else {
                first = middle;
            }
            middle = splitOf(first, end);
        }
        uint a = middle - first == 1u ? ER_SHAPE_LEAF | first : numberOf(splitOf(first, middle) - 1u, root);
        uint b = end - middle == 1u ? ER_SHAPE_LEAF | middle : numberOf(splitOf(middle, end) - 1u, root);
        shape[numberOf(n, root)] = a | b << 16;
    }
    barrier();
}

const uint NO_WAY = 0xfffffffeu; // beyond the bits of any cost
const uint AT_ROOT = 0xffffffffu;

// While the tree is made, boxes are those of triangles, by their place; turns are the least costs of nodes, by the first place of
// each, and triangles the ways of these costs.
struct Part {
    uint place;       // of the triangle
    uint first, end;  // of the places of its node
    uint parent;      // number of the node above times 2, and 1 for its second child
    uint word;
    uint cost;
};

struct Sides {
    vec3 lo0, hi0, lo1, hi1;
    uint count; // of the first
};

void addTo(inout Sides s, bool first, vec3 lo, vec3 hi) {
    if (first) {
        s.lo0 = min(s.lo0, lo);
        s.hi0 = max(s.hi0, hi);
        s.count++;
    } else {
        s.lo1 = min(s.lo1, lo);
        s.hi1 = max(s.hi1, hi);
    }
}

float areaOf(vec3 lo, vec3 hi, float unit) {
    vec3 e = max(hi - lo, vec3(0.0)) * unit;
    return e.x * e.y + e.y * e.z + e.z * e.x;
}

// costOf is the bits of the cost of a way, which have the order of the numbers.
uint costOf(Sides s, uint count, uint most, float unit) {
    uint rest = count - s.count;
    if (rest == 0u || max(s.count, rest) > most) {
        return NO_WAY;
    }
    float cost = areaOf(s.lo0, s.hi0, unit) * float(s.count) + areaOf(s.lo1, s.hi1, unit) * float(rest);
    return floatBitsToUint(cost < 3e38 ? cost : 3e38);
}

bool isBefore(float a, uint i, float b, uint k) { return a < b || (a == b && i <= k); }

// bestWay returns the least cost behind a triangle, and the axis.
uint bestWay(Part p, uint most, inout float unit, out uint axis) {
    vec3 none = vec3(3.402823e38), lo, hi;
    Sides x = Sides(none, -none, none, -none, 0u), y = x, z = x;
    getBox(p.place, lo, hi);
    vec3 mine = 0.5 * lo + 0.5 * hi;
    for (uint k = p.first; k < p.end; k++) {
        getBox(k, lo, hi);
        vec3 m = 0.5 * lo + 0.5 * hi;
        addTo(x, isBefore(m.x, k, mine.x, p.place), lo, hi);
        addTo(y, isBefore(m.y, k, mine.y, p.place), lo, hi);
        addTo(z, isBefore(m.z, k, mine.z, p.place), lo, hi);
    }
    if (unit == 0.0) { // a power of two that makes areas neither large nor small
        vec3 e = max(max(x.hi0, x.hi1) - min(x.lo0, x.lo1), vec3(1e-36));
        unit = uintBitsToFloat(0x7f000000u - (floatBitsToUint(min(max(e.x, max(e.y, e.z)), 1e37)) & 0x7f800000u));
    }
    uint count = p.end - p.first;
    uint a = costOf(x, count, most, unit), b = costOf(y, count, most, unit), c = costOf(z, count, most, unit);
    axis = a <= b && a <= c ? 0u : (b <= c ? 1u : 2u);
    return min(a, min(b, c));
}

float middleOf(uint k, uint axis) { return 0.5 * boxes[6u * k + axis] + 0.5 * boxes[6u * k + 3u + axis]; }

// divide takes a triangle to the side of its node that the node's way says. The triangle whose way it is links the node.
void divide(inout Part p, uint level) {
    uint way = triangles[p.first], by = way >> 2, axis = way & 3u, firsts = 0u, before = 0u;
    float key = middleOf(by, axis);
    bool first = isBefore(middleOf(p.place, axis), p.place, key, by);
    for (uint k = p.first; k < p.end; k++) {
        bool there = isBefore(middleOf(k, axis), k, key, by);
        firsts += there ? 1u : 0u;
        before += there == first && k < p.place ? 1u : 0u;
    }
    uint gap = p.first + firsts - 1u;
    if (p.place == by) {
        if (p.parent == AT_ROOT) {
            state[1] = gap;
        } else {
            atomicOr(shape[p.parent >> 1], gap << (16u * (p.parent & 1u)));
        }
    }
    if (first) {
        p.end = gap + 1u;
    } else {
        p.first = gap + 1u;
    }
    p.place = p.first + before;
    p.parent = gap << 1 | (first ? 0u : 1u);
    if (p.end - p.first == 1u) {
        atomicOr(shape[gap], (ER_SHAPE_LEAF | p.place) << (first ? 0u : 16u));
    } else {
        state[0] = level + 1u;
    }
}

bool isOpen(Part p) { return p.end - p.first > 1u; }

// keepTwo makes a leaf of the two triangles of a node, if both boxes are not smaller than the one around them. A root is no leaf.
void keepTwo(inout Part p) {
    if (p.end - p.first != 2u || p.parent == AT_ROOT) {
        return;
    }
    vec3 lo0, hi0, lo1, hi1;
    getBox(p.first, lo0, hi0);
    getBox(p.first + 1u, lo1, hi1);
    vec3 lo = min(lo0, lo1), e = max(max(hi0, hi1) - lo, vec3(1e-36));
    float unit = 1.0 / max(e.x, max(e.y, e.z));
    if (areaOf(lo, max(hi0, hi1), unit) <= areaOf(lo0, hi0, unit) + areaOf(lo1, hi1, unit)) {
        if (p.place == p.first) {
            atomicOr(shape[p.parent >> 1], (ER_SHAPE_LEAF | ER_SHAPE_TWO | p.first) << (16u * (p.parent & 1u)));
        }
        p.first = p.place;
        p.end = p.place + 1u;
    }
}

// sortByHeuristic brings triangles into the tree's order, and makes its shape.
void sortByHeuristic(uint count, uint vertices) {
    uint lane = gl_LocalInvocationIndex;
    Part part[EACH];
    float unit[EACH];
    for (uint e = 0u; e < EACH; e++) {
        uint n = e * LANES + lane;
        part[e] = Part(n, 0u, n < count ? count : 0u, AT_ROOT, triangles[n], NO_WAY);
        unit[e] = 0.0;
        vec3 lo, hi;
        triangleBox(triangles[n], vertices, lo, hi);
        setBox(n, lo, hi);
        shape[n] = 0u;
    }
    for (uint level = 0u; level < ER_CLUSTER_DEPTH; level++) {
        for (uint e = 0u; e < EACH; e++) {
            triangles[e * LANES + lane] = ~0u;
            turns[e * LANES + lane] = ~0u;
        }
        barrier();
        uint axis[EACH];
        for (uint e = 0u; e < EACH; e++) {
            keepTwo(part[e]);
            if (isOpen(part[e])) {
                part[e].cost = bestWay(part[e], 1u << (ER_CLUSTER_DEPTH - 1u - level), unit[e], axis[e]);
                atomicMin(turns[part[e].first], part[e].cost);
            }
        }
        barrier();
        for (uint e = 0u; e < EACH; e++) {
            if (isOpen(part[e]) && turns[part[e].first] == part[e].cost) {
                atomicMin(triangles[part[e].first], part[e].place << 2 | axis[e]);
            }
        }
        barrier();
        vec3 lo[EACH], hi[EACH];
        for (uint e = 0u; e < EACH; e++) {
            getBox(part[e].place, lo[e], hi[e]);
            if (isOpen(part[e])) {
                divide(part[e], level);
            }
        }
        barrier();
        if (state[0] != level + 1u) {
            break;
        }
        for (uint e = 0u; e < EACH; e++) {
            setBox(part[e].place, lo[e], hi[e]);
        }
    }
    for (uint e = 0u; e < EACH; e++) {
        triangles[part[e].place] = part[e].word;
    }
    barrier();
    numberNodes(count - 1u, state[1]);
}

#endif
