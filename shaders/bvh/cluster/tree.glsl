// The tree and the leaves of a cluster, made by one workgroup out of triangles in the tree's order, in shared memory. The shape of
// the tree follows from the number of triangles: see cluster_layout.glsl.
#ifndef ER_BVH_CLUSTER_TREE_GLSL
#define ER_BVH_CLUSTER_TREE_GLSL
#include "bvh/cluster/command.glsl"

layout(constant_id = 0) const uint MOST = 256u;  // triangles and vertices: 64, 128 or 256
layout(constant_id = 1) const uint LANES = 256u; // as many, or half as many: devices need take no more than 128
layout(constant_id = 2) const uint KINDS = 3u;   // 1: clusters whose triangles are words, 2: direct ones, 3: both
layout(local_size_x = 256, local_size_x_id = 1) in;

shared float corners[3u * MOST];  // of vertices
shared uint triangles[MOST];      // vertices, a byte each, and number in the input
shared float boxes[KINDS == 1u ? 3u * MOST : 6u * MOST]; // of nodes, then of leaves, if triangles are words: minimum, maximum
shared uint shape[KINDS == 1u ? 1u : MOST];              // of direct clusters' nodes: their children, as in templates
shared uint turns[KINDS == 1u ? 1u : MOST];              // in which a node got its box

const uint FIRST_LEAF_BOX = MOST / ER_CLUSTER_LEAF; // of boxes, from here on; no more leaves than lanes

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
uint childBox(uint first, uint end) { return end - first == 1u ? FIRST_LEAF_BOX + first : splitOf(first, end) - 1u; }

uint childRef(uint first, uint end, uint count) {
    uint from = ER_CLUSTER_LEAF * first, to = min(ER_CLUSTER_LEAF * end, count);
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

// writeHeader writes a cluster's header. Boxes are those of the tree, without padding.
void writeHeader(uvec2 to, uint id, uint counts, uint flags, uint geometry, uint bytes, uint root, vec3 lo, vec3 hi,
                 float padding) {
    if (gl_LocalInvocationIndex != 0u) {
        return;
    }
    bool any = root != ER_REF_NONE, words = (counts & ER_CLUSTER_HAS_WORDS) != 0u;
    ErClusterView h = ErClusterView(to);
    h.magic = ER_CLUSTER_MAGIC;
    h.id = id;
    h.counts = counts;
    h.flags = flags;
    h.boundsMin = any ? lo - padding : vec3(3.402823e38);
    h.geometry = geometry;
    h.boundsMax = any ? hi + padding : vec3(-3.402823e38);
    h.bytes = bytes;
    h.root = root;
    uint flagBits = words ? ER_FORM_WORDS : (geometry >> 29) << ER_FORM_FLAGS_SHIFT;
    h.form = (counts & 511u) << ER_FORM_TRIANGLES_SHIFT | flagBits | ER_FORM_CLUSTER | (erIsDirect(counts) ? ER_FORM_FAST : 0u);
    h.pad0 = 0u;
    h.pad1 = 0u;
}

// writeByWords writes a cluster whose triangles are words: header, nodes, triangles and vertices. Triangles and corners are in
// shared memory, and barriers behind them. What cannot be hit gets corners that are one.
void writeByWords(uvec2 to, uint id, uint counts, uint flags, uint geometry, uint bytes) {
    uint lane = gl_LocalInvocationIndex;
    uint count = counts & 511u, vertices = (counts >> ER_CLUSTER_VERTEX_SHIFT) & 511u;
    bool words = (counts & ER_CLUSTER_HAS_WORDS) != 0u;
    const uint leaf = ER_CLUSTER_LEAF;
    uint leaves = erClusterLeaves(counts), nodes = erClusterNodes(counts), trianglesAt = erTrianglesAt(counts);
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
        setBox(FIRST_LEAF_BOX + lane, lo, hi);
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
    getBox(leaves > 0u ? childBox(0u, leaves) : FIRST_LEAF_BOX, lo, hi);
    bool any = count > 0u && lo.x <= hi.x;
    float padding = any ? erPadding(lo, hi) : 0.0;
    if (lane < nodes) {
        // What is empty stays so: its minimum is larger than any padding.
        ErNode n;
        n.xy0 = vec4(lo0.x - padding, hi0.x + padding, lo0.y - padding, hi0.y + padding);
        n.xy1 = vec4(lo1.x - padding, hi1.x + padding, lo1.y - padding, hi1.y + padding);
        n.z = vec4(lo0.z - padding, hi0.z + padding, lo1.z - padding, hi1.z + padding);
        n.children = uvec2(childRef(first, middle, count), childRef(middle, end, count));
        uint from = leaf * first, split = leaf * middle, to_ = min(leaf * end, count);
        n.leaves = uvec2(split - from, to_ - split);
        ErNodeOut(erAddress(to, ER_CLUSTER_HEADER_SIZE)).node[lane] = n;
    }
    writeHeader(to, id, counts, flags, geometry, bytes, any ? childRef(0u, leaves, count) : ER_REF_NONE, lo, hi, padding);
}

// What follows is for direct clusters, whose shape is in shared memory.

const uint NOT_DONE = 0u;

// shapeBox is the box of what a node's child holds; of nothing that can be hit the minimum is beyond the maximum.
void shapeBox(uint child, uint count, uint vertices, out vec3 lo, out vec3 hi) {
    if ((child & ER_SHAPE_LEAF) == 0u) {
        getBox(child, lo, hi);
        return;
    }
    lo = vec3(3.402823e38);
    hi = vec3(-3.402823e38);
    uint first = child & 511u, last = first + ((child & ER_SHAPE_TWO) != 0u ? 1u : 0u);
    for (uint k = first; k <= last && k < count; k++) {
        vec3 a, b;
        if (triangleBox(triangles[k], vertices, a, b)) {
            lo = min(lo, a);
            hi = max(hi, b);
        }
    }
}

// fillBoxes makes the boxes of nodes from the leaves up: in each turn those whose children have some.
void fillBoxes(uint nodes, uint count, uint vertices) {
    for (uint n = gl_LocalInvocationIndex; n < nodes; n += LANES) {
        turns[n] = NOT_DONE;
    }
    barrier();
    for (uint turn = 1u; turn <= ER_CLUSTER_DEPTH && turns[0] == NOT_DONE; turn++) {
        barrier(); // all have seen that the root is not done
        for (uint n = gl_LocalInvocationIndex; n < nodes; n += LANES) {
            uint a = shape[n] & 0xffffu, b = shape[n] >> 16;
            bool first = (a & ER_SHAPE_LEAF) != 0u || (turns[a] != NOT_DONE && turns[a] < turn);
            bool second = (b & ER_SHAPE_LEAF) != 0u || (turns[b] != NOT_DONE && turns[b] < turn);
            if (turns[n] == NOT_DONE && first && second) {
                vec3 lo0, hi0, lo1, hi1;
                shapeBox(a, count, vertices, lo0, hi0);
                shapeBox(b, count, vertices, lo1, hi1);
                setBox(n, min(lo0, lo1), max(hi0, hi1));
                turns[n] = turn;
            }
        }
        barrier();
    }
}

// directRef is a node's reference to a child: what is to be added to the one to the node.
uint directRef(uint node, uint child, uint nodes) {
    if ((child & ER_SHAPE_LEAF) == 0u) {
        return child - node;
    }
    uint two = (child & ER_SHAPE_TWO) != 0u ? 1u << ER_REF_DIRECT_SHIFT : 0u;
    return ER_REF_LEAF + two + nodes + (child & 511u) - (ER_REF_DIRECT + node);
}

void writeDirectNodes(uvec2 to, uint nodes, uint count, uint vertices, float padding) {
    for (uint k = gl_LocalInvocationIndex; k < nodes; k += LANES) {
        vec3 lo0 = vec3(3.402823e38), hi0 = -lo0, lo1 = lo0, hi1 = hi0;
        uint a = shape[k] & 0xffffu, b = shape[k] >> 16;
        if (shape[k] != 0u) { // two triangles in a leaf leave a node without a use
            shapeBox(a, count, vertices, lo0, hi0);
            shapeBox(b, count, vertices, lo1, hi1);
        }
        ErNode n;
        n.xy0 = vec4(lo0.x - padding, hi0.x + padding, lo0.y - padding, hi0.y + padding);
        n.xy1 = vec4(lo1.x - padding, hi1.x + padding, lo1.y - padding, hi1.y + padding);
        n.z = vec4(lo0.z - padding, hi0.z + padding, lo1.z - padding, hi1.z + padding);
        n.children = uvec2(directRef(k, a, nodes), directRef(k, b, nodes));
        n.leaves = uvec2(0u);
        ErNodeOut(erAddress(to, ER_CLUSTER_HEADER_SIZE)).node[k] = n;
    }
}

// writeDirectTriangles writes all with one geometry word. A lane has those that are LANES apart.
void writeDirectTriangles(uvec2 to, uint slots, uint count, uint vertices, uint geometry, uint id) {
    for (uint k = gl_LocalInvocationIndex; k < slots; k += LANES) {
        vec3 v0 = vec3(0.0), v1 = v0, v2 = v0, lo, hi;
        uint word = k < count ? triangles[k] : 0u;
        if (k < count && triangleBox(word, vertices, lo, hi)) {
            v0 = cornerOf(word & 255u);
            v1 = cornerOf((word >> 8) & 255u);
            v2 = cornerOf((word >> 16) & 255u);
        }
        ErQuads o = ErQuads(erOffset(to, k, ER_DIRECT_SIZE));
        o.v[0] = floatBitsToUint(vec4(v0, v1.x));
        o.v[1] = floatBitsToUint(vec4(v1.yz, v2.xy));
        o.v[2] = uvec4(floatBitsToUint(v2.z), word >> 24, geometry, id);
        o.v[3] = uvec4(0u);
    }
}

// writeDirect writes a direct cluster. Shape, triangles and corners are in shared memory, and barriers behind them.
void writeDirect(uvec2 to, uint id, uint counts, uint flags, uint geometry, uint bytes) {
    uint count = counts & 511u, vertices = (counts >> ER_CLUSTER_VERTEX_SHIFT) & 511u, nodes = erClusterNodes(counts);
    fillBoxes(nodes, count, vertices);
    vec3 lo, hi;
    getBox(0u, lo, hi);
    bool any = lo.x <= hi.x;
    float padding = any ? erPadding(lo, hi) : 0.0;
    writeDirectNodes(to, nodes, count, vertices, padding);
    uint end = erTrianglesAt(counts);
    writeDirectTriangles(erAddress(to, end), erClusterSlots(counts), count, vertices, geometry, id);
    end += erClusterSlots(counts) * ER_DIRECT_SIZE;
    for (uint k = gl_LocalInvocationIndex; end + 4u * k < bytes; k += LANES) {
        ErWordsOut(erAddress(to, end)).v[k] = 0u;
    }
    writeHeader(to, id, counts, flags, geometry, bytes, any ? ER_REF_DIRECT : ER_REF_NONE, lo, hi, padding);
}

#endif
