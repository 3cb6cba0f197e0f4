#version 460
#extension GL_GOOGLE_include_directive : require
// The nodes of a linear tree, its records and its header. See linear.glsl. Node number n divides the order behind its n-th cluster.
// Below it are those around that have more of their codes in common with the n-th than that one has with the next. Its parent is
// the node at the end of its clusters that divides what has more in common. It and each cluster write themselves into their parent.
#include "bvh/cluster/linear.glsl"
layout(constant_id = 0) const uint COMPAT0 = 0u;
layout(constant_id = 1) const uint COMPAT1 = 0u;
layout(constant_id = 2) const uint COMPAT2 = 0u;
layout(constant_id = 3) const uint COMPAT3 = 0u;
layout(local_size_x = ER_LINEAR_PART) in;

struct Tree {
    ErUintView codes;
    uint count; // of clusters that are in it
    uint shift; // of what is left out of codes, so that no path has more than ER_CLUSTERS_HEIGHT nodes
};

// alike is how many leading bits of codes, then of places, two have in common. Nothing is in common with what is not there.
int alike(Tree t, uint a, uint codeA, int b) {
    if (b < 0 || uint(b) >= t.count) {
        return -1;
    }
    uint x = codeA ^ (t.codes.v[b] >> t.shift);
    return x != 0u ? 31 - findMSB(x) : 63 - findMSB(a ^ uint(b));
}

// reach is how far from a place in a direction all have at least so much in common with it.
uint reach(Tree t, uint at, uint code, int direction, int least) {
    uint step = 1u;
    while (alike(t, at, code, int(at) + direction * int(step)) >= least) {
        step *= 2u;
    }
    uint far = step / 2u; // known to be within
    for (step /= 4u; step > 0u; step /= 2u) {
        if (alike(t, at, code, int(at) + direction * int(far + step)) >= least) {
            far += step;
        }
    }
    return far;
}

// boxOf is the box of the clusters in places [first, end).
ErLinearBox boxOf(ErLinear l, uint first, uint end) {
    ErLinearBox b = erNoLinearBox();
    for (uint level = 0u; level < ER_LINEAR_SPAN_LEVEL && first < end; level++) {
        if ((first & 1u) != 0u) {
            b = erUnion(b, erLinearSpans(l, level).v[first++]);
        }
        if ((end & 1u) != 0u && first < end) {
            b = erUnion(b, erLinearSpans(l, level).v[--end]);
        }
        first >>= 1;
        end >>= 1;
    }
    for (; first < end; first++) {
        b = erUnion(b, erLinearSpans(l, ER_LINEAR_SPAN_LEVEL).v[first]);
    }
    return b;
}

layout(buffer_reference, std430, buffer_reference_align = 64) writeonly buffer NodesOut { ErNode node[]; };

// tell writes what is in places [first, end) into its parent, and returns false at the root.
bool tell(Tree t, uvec2 nodes, ErLinearBox b, uint ref, uint first, uint end) {
    if (end - first == t.count) {
        return false;
    }
    int before = first == 0u ? -1 : alike(t, first, t.codes.v[first] >> t.shift, int(first) - 1);
    int behind = end == t.count ? -1 : alike(t, end, t.codes.v[end] >> t.shift, int(end) - 1);
    bool second = before > behind;
    NodesOut n = NodesOut(erOffset(nodes, second ? first - 1u : end - 1u, ER_NODE_SIZE));
    vec4 xy = vec4(b.lo.x, b.hi.x, b.lo.y, b.hi.y);
    if (second) {
        n.node[0].xy1 = xy;
        n.node[0].z.zw = vec2(b.lo.z, b.hi.z);
        n.node[0].children.y = ref;
        n.node[0].leaves.y = end - first;
    } else {
        n.node[0].xy0 = xy;
        n.node[0].z.xy = vec2(b.lo.z, b.hi.z);
        n.node[0].children.x = ref;
        n.node[0].leaves.x = end - first;
    }
    return true;
}

// writeHeader writes a quarter of the header's words for each lane.
void writeHeader(ErClusterCommand c, ErLinear l, ErPlace p, uint nodes, uint active_, uint root, ErLinearBox b) {
    uint height = (active_ > 0u ? ER_CLUSTERS_HEIGHT + ER_CLUSTER_HEIGHT : ER_CLUSTER_HEIGHT) | ER_INSTANCE_CLUSTERS;
    b.lo = active_ > 0u ? b.lo : vec3(0.0);
    b.hi = active_ > 0u ? b.hi : vec3(0.0);
    ErQuads q = ErQuads(p.address);
    q.v[ER_HEADER_SELF / 16u] = uvec4(p.address, ER_AS_MAGIC, ER_AS_VERSION);
    q.v[ER_HEADER_COMPAT / 16u] = uvec4(COMPAT0, COMPAT1, COMPAT2, COMPAT3);
    q.v[ER_HEADER_TYPE / 16u] = uvec4(ER_AS_TYPE_BOTTOM, c.flags, 1u, l.count);
    q.v[ER_HEADER_ACTIVE_COUNT / 16u] = uvec4(active_, root, height, 4u + nodes);
    q.v[ER_HEADER_BOUNDS_MIN / 16u] = uvec4(floatBitsToUint(b.lo), nodes);
    q.v[ER_HEADER_BOUNDS_MAX / 16u] = uvec4(floatBitsToUint(b.hi), ER_LEAF_CLUSTERS);
    q.v[ER_HEADER_TOTAL_SIZE / 16u] = uvec4(p.bytes, 0u, 0u, 0u);
    for (uint k = ER_HEADER_TOTAL_SIZE / 16u + 1u; k < ER_HEADER_SIZE / 16u; k++) {
        q.v[k] = uvec4(0u);
    }
}

void writeRecord(ErLinear l, uvec2 records, uint n, uint active_) {
    uvec4 record[ER_RECORD_SIZE / 16u] = uvec4[](uvec4(0u), uvec4(0u), uvec4(0u), uvec4(0u));
    if (n < active_) {
        uvec2 at = erLinearCluster(l, erLinearNumbers(l).v[n]);
        if (erIsCluster(at, ER_CLUSTER_MAGIC)) {
            record = erRecordOf(at);
        }
    }
    for (uint q = 0u; q < ER_RECORD_SIZE / 16u; q++) {
        ErQuads(erOffset(records, n, ER_RECORD_SIZE)).v[q] = record[q];
    }
}

shared uint counts[ER_LINEAR_PART];

// activeOf adds up how many clusters are in the tree.
uint activeOf(ErLinear l) {
    uint lane = gl_LocalInvocationIndex, sum = 0u;
    for (uint k = lane; k * ER_LINEAR_PART < l.count; k += ER_LINEAR_PART) {
        sum += erLinearPartBoxes(l).v[k].count;
    }
    counts[lane] = sum;
    barrier();
    for (uint half_ = ER_LINEAR_PART / 2u; half_ > 0u; half_ /= 2u) {
        if (lane < half_) {
            counts[lane] += counts[lane + half_];
        }
        barrier();
    }
    return counts[0];
}

void main() {
    ErClusterCommand c = erCommand();
    ErLinear l = erLinear(c, ER_LINEAR_PART);
    if (l.number >= erOperations(c)) {
        return; // the whole workgroup, here and below
    }
    ErPlace p = erPlaceOf(c, l.number);
    if (p.bytes == 0u || (l.part * ER_LINEAR_PART >= l.count && l.part > 0u)) {
        return;
    }
    Tree t;
    t.codes = erLinearCodes(l);
    t.count = activeOf(l);
    uint bits = uint(findMSB(max(t.count, 2u) - 1u)) + 1u; // of places
    t.shift = 21u - min(ER_CLUSTERS_HEIGHT - bits, 21u);
    uint n = l.part * ER_LINEAR_PART + gl_LocalInvocationIndex, slots = max(l.count, 1u) - 1u;
    uvec2 nodes = erAddress(p.address, ER_HEADER_SIZE), records = erOffset(nodes, slots, ER_NODE_SIZE);
    if (n == 0u && t.count < 2u) {
        ErLinearBox b = erNoLinearBox();
        if (t.count > 0u) {
            b = erLinearSpans(l, 0u).v[0];
        }
        writeHeader(c, l, p, slots, t.count, t.count == 0u ? ER_REF_NONE : ER_REF_LEAF, b);
    }
    uint end = ER_HEADER_SIZE + slots * ER_NODE_SIZE + l.count * ER_RECORD_SIZE;
    if (end + 16u * n < p.bytes) {
        ErQuads(erAddress(p.address, end)).v[n] = uvec4(0u);
    }
    if (n >= l.count) {
        return;
    }
    writeRecord(l, records, n, t.count);
    if (n < t.count && t.count > 1u) {
        tell(t, nodes, erLinearSpans(l, 0u).v[n], ER_REF_CLUSTER | n, n, n + 1u);
    }
    if (n + 1u < t.count) {
        uint code = t.codes.v[n] >> t.shift;
        int least = alike(t, n, code, int(n) + 1);
        uint first = n - reach(t, n, code, -1, least), behind = n + 1u + reach(t, n, code, 1, least);
        ErLinearBox b = boxOf(l, first, behind);
        if (!tell(t, nodes, b, n, first, behind)) {
            writeHeader(c, l, p, slots, t.count, n, b);
        }
    } else if (n < slots) { // blank
        NodesOut o = NodesOut(erOffset(nodes, n, ER_NODE_SIZE));
        vec4 none = vec4(3.402823e38, -3.402823e38, 3.402823e38, -3.402823e38);
        o.node[0] = ErNode(none, none, none, uvec2(ER_REF_NONE), uvec2(0u));
    }
}
