// The tree and the leaves of a cluster, made by one workgroup out of triangles in the tree's order, in shared memory. The shape of
// the tree follows from the number of triangles: see cluster_layout.glsl.
#ifndef ER_BVH_CLUSTER_TREE_GLSL
#define ER_BVH_CLUSTER_TREE_GLSL
#include "bvh/cluster/command.glsl"

layout(constant_id = 0) const uint MOST = 256u;  // triangles and vertices: 64, 128 or 256
layout(constant_id = 1) const uint LANES = 256u; // as many, or half as many: devices need take no more than 128
layout(local_size_x = 256, local_size_x_id = 1) in;

shared float corners[3u * MOST];  // of vertices
shared uint triangles[MOST];      // vertices, a byte each, and number in the input
shared float boxes[6u * MOST]; // of nodes, then of leaves: minimum, maximum

const uint LEAF_BOXES = MOST / ER_CLUSTER_FAST_LEAF; // of boxes, from here on; no more leaves than lanes

vec3 cornerOf(uint k) { return vec3(corners[3u * k], corners[3u * k + 1u], corners[3u * k + 2u]); }

// cutOff clears the low bits of the mantissa.
vec3 cutOff(vec3 v, uint bits) {
    uint mask = bits > 31u ? 0u : 0xffffffffu << bits;
    return uintBitsToFloat(floatBitsToUint(v) & mask);
}

// fetchCorners brings an operation's vertices to shared memory.
void fetchCorners(ErClusterCommand c, uvec2 at, uint stride, uint count, uint truncate) {
    ErGeometry g;
    g.vertices = at;
    g.stride = stride;
    g.firstVertex = 0u;
    g.format = c.format;
    for (uint k = gl_LocalInvocationIndex; k < count; k += LANES) {
        bool plain = (c.format & 15u) == ER_FORMAT_FLOAT32 && (c.format >> 4) > 2u;
        vec3 v = cutOff(plain ? erFetchPlainVertex(g, k) : erFetchVertex(g, k), truncate);
        corners[3u * k] = v.x;
        corners[3u * k + 1u] = v.y;
        corners[3u * k + 2u] = v.z;
    }
}

// triangleBox is the box of a triangle; false, if it cannot be hit.
bool triangleBox(uint word, uint vertices, out vec3 lo, out vec3 hi) {
    uvec3 at = uvec3(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u);
    lo = vec3(3.402823e38);
    hi = vec3(-3.402823e38);
    if (max(at.x, max(at.y, at.z)) >= vertices) {
        return false;
    }
    vec3 a = cornerOf(at.x), b = cornerOf(at.y), c = cornerOf(at.z);
    if (!erFinite(a) || !erFinite(b) || !erFinite(c)) {
        return false;
    }
    lo = min(a, min(b, c));
    hi = max(a, max(b, c));
    return true;
}

uint splitOf(uint first, uint end) { return first + (end - first + 1u) / 2u; }

void setBox(uint k, vec3 lo, vec3 hi) {
    for (uint axis = 0u; axis < 3u; axis++) {
        boxes[6u * k + axis] = lo[axis];
        boxes[6u * k + 3u + axis] = hi[axis];
    }
}
void getBox(uint k, out vec3 lo, out vec3 hi) {
    lo = vec3(boxes[6u * k], boxes[6u * k + 1u], boxes[6u * k + 2u]);
    hi = vec3(boxes[6u * k + 3u], boxes[6u * k + 4u], boxes[6u * k + 5u]);
}

// childBox is where the box of leaves [first, end) is.
uint childBox(uint first, uint end) { return end - first == 1u ? LEAF_BOXES + first : splitOf(first, end) - 1u; }

uint childRef(uint first, uint end, uint count, uint leaf) {
    uint from = leaf * first, to = min(leaf * end, count);
    return end - first == 1u ? ER_REF_LEAF | (to - from - 1u) << ER_REF_COUNT_SHIFT | from : splitOf(first, end) - 1u;
}

// writeCorners writes the vertices to the end of a cluster or template, and zeros behind them.
void writeCorners(uvec2 object, uint at, uint count, uint bytes) {
    uvec2 to = erAddress(object, at);
    uint words = (bytes - at) / 4u;
    for (uint k = gl_LocalInvocationIndex; k < words; k += LANES) {
        uint word = 0u;
        if (k < count) {
            word = floatBitsToUint(corners[k]);
        }
        ErWordsOut(to).v[k] = word;
    }
}

layout(buffer_reference, std430, buffer_reference_align = 64) writeonly buffer ErNodeOut { ErNode node[]; };

// writeCluster writes header, nodes, triangles and vertices. Triangles and corners are in shared memory, and barriers behind them.
// `cluster` has the header but for what follows from the tree. What cannot be hit gets corners that are one.
void writeCluster(uvec2 to, uint id, uint counts, uint flags, uint geometry, uint bytes) {
    uint lane = gl_LocalInvocationIndex;
    uint count = counts & 511u, vertices = (counts >> ER_CLUSTER_VERTEX_SHIFT) & 511u;
    bool words = (counts & ER_CLUSTER_HAS_WORDS) != 0u;
    uint leaf = erLeafSize(counts), leaves = erClusterLeaves(counts), nodes = erClusterNodes(counts);
    uint trianglesAt = ER_CLUSTER_HEADER_SIZE + nodes * ER_NODE_SIZE;
    uvec2 triangleAt = erAddress(to, trianglesAt);

    if (lane < leaves) {
        vec3 lo = vec3(3.402823e38), hi = vec3(-3.402823e38);
        for (uint k = lane * leaf; k < min((lane + 1u) * leaf, count); k++) {
            vec3 a, b;
            uint word = triangles[k];
            if (triangleBox(word, vertices, a, b)) {
                lo = min(lo, a);
                hi = max(hi, b);
            } else {
                word &= 0xff000000u;
            }
            ErWordsOut(triangleAt).v[k] = word;
        }
        setBox(LEAF_BOXES + lane, lo, hi);
    }
    writeCorners(to, trianglesAt + count * (words ? 8u : 4u), 3u * vertices, bytes);
    barrier();

    // Each lane has a node, and those of a level make their boxes at once.
    uint first = 0u, end = leaves, middle = splitOf(0u, leaves), level = 0u, height = 0u;
    for (uint size = leaves; size > 1u; size = (size + 1u) / 2u) {
        height++;
    }
    while (lane < nodes && middle - 1u != lane) {
        if (lane < middle - 1u) {
            end = middle;
        } else {
            first = middle;
        }
        middle = splitOf(first, end);
        level++;
    }
    vec3 lo0, hi0, lo1, hi1;
    for (uint h = height; h > 0u; h--) {
        if (lane < nodes && level == h - 1u) {
            getBox(childBox(first, middle), lo0, hi0);
            getBox(childBox(middle, end), lo1, hi1);
            setBox(lane, min(lo0, lo1), max(hi0, hi1));
        }
        barrier();
    }
    vec3 lo, hi;
    getBox(leaves > 0u ? childBox(0u, leaves) : LEAF_BOXES, lo, hi);
    bool any = count > 0u && lo.x <= hi.x;
    float padding = any ? erPadding(lo, hi) : 0.0;
    if (lane < nodes) {
        // What is empty stays so: its minimum is larger than any padding.
        ErNode n;
        n.xy0 = vec4(lo0.x - padding, hi0.x + padding, lo0.y - padding, hi0.y + padding);
        n.xy1 = vec4(lo1.x - padding, hi1.x + padding, lo1.y - padding, hi1.y + padding);
        n.z = vec4(lo0.z - padding, hi0.z + padding, lo1.z - padding, hi1.z + padding);
        n.children = uvec2(childRef(first, middle, count, leaf), childRef(middle, end, count, leaf));
        uint from = leaf * first, split = leaf * middle, to_ = min(leaf * end, count);
        n.leaves = uvec2(split - from, to_ - split);
        ErNodeOut(erAddress(to, ER_CLUSTER_HEADER_SIZE)).node[lane] = n;
    }
    if (lane == 0u) {
        ErClusterView h = ErClusterView(to);
        h.magic = ER_CLUSTER_MAGIC;
        h.id = id;
        h.counts = counts;
        h.flags = flags;
        h.boundsMin = any ? lo - padding : vec3(3.402823e38);
        h.geometry = geometry;
        h.boundsMax = any ? hi + padding : vec3(-3.402823e38);
        h.bytes = bytes;
        h.root = any ? childRef(0u, leaves, count, leaf) : ER_REF_NONE;
        uint flagBits = words ? ER_FORM_WORDS : (geometry >> 29) << ER_FORM_FLAGS_SHIFT;
        h.form = count << ER_FORM_TRIANGLES_SHIFT | flagBits | ER_FORM_CLUSTER |
                 (leaf == ER_CLUSTER_FAST_LEAF ? ER_FORM_FAST : 0u);
        h.pad0 = 0u;
        h.pad1 = 0u;
    }
}

#endif
