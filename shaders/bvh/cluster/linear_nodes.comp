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

// Every so many codes are in shared memory, so that searches wait for memory in their last steps only.
const uint SAMPLE_STEP = 32u;
shared uint samples[ER_LINEAR_MOST / SAMPLE_STEP];

void fetchSamples(Tree t) {
    for (uint k = gl_LocalInvocationIndex; k * SAMPLE_STEP < t.count; k += ER_LINEAR_PART) {
        samples[k] = t.codes.v[k * SAMPLE_STEP] >> t.shift;
    }
    barrier();
}

// isWithin is whether the sample has so much in common with a code, at a place.
bool isWithin(uint sample_, uint at, uint code, int least) {
    uint x = code ^ samples[sample_];
    return (x != 0u ? 31 - findMSB(x) : 63 - findMSB(at ^ sample_ * SAMPLE_STEP)) >= least;
}

// reach is the places on both sides of a place, all of which have at least so much in common with it: the first, and behind the
// last. least is what it has in common with the next.
uvec2 reach(Tree t, uint at, uint code, int least) {
    uint own = at / SAMPLE_STEP, samplesAll = (t.count + SAMPLE_STEP - 1u) / SAMPLE_STEP;
    uint down = 0u, up = 0u; // samples that are within
    for (uint step = ER_LINEAR_MOST / SAMPLE_STEP; step > 0u; step /= 2u) {
        uint low = down + step, high = up + step;
        down = low <= own + 1u && isWithin(own + 1u - low, at, code, least) ? low : down;
        up = own + high < samplesAll && isWithin(own + high, at, code, least) ? high : up;
    }
    uint first = down == 0u ? at : (own + 1u - down) * SAMPLE_STEP, last = up == 0u ? at : (own + up) * SAMPLE_STEP;
    for (uint step = SAMPLE_STEP / 2u; step > 0u; step /= 2u) {
        bool lower = alike(t, at, code, int(first) - int(step)) >= least;
        bool higher = alike(t, at, code, int(last + step)) >= least;
        first -= lower ? step : 0u;
        last += higher ? step : 0u;
    }
    return uvec2(first, last + 1u);
}

// Spans of 256 and more clusters, from the whole memory's: those of a level follow those of the level below.
const uint ABOVE = ER_LINEAR_MOST / ER_LINEAR_SPAN;
shared vec3 aboveLo[2u * ABOVE];
shared vec3 aboveHi[2u * ABOVE];

uint aboveFirst(uint level) { return 2u * ABOVE - (2u * ABOVE >> level); }

void fetchAbove(ErLinear l, uint count) {
    uint lane = gl_LocalInvocationIndex;
    for (uint k = lane; k < ABOVE; k += ER_LINEAR_PART) {
        ErLinearBox b = erNoLinearBox();
        if (k * ER_LINEAR_SPAN < count) {
            b = erLinearSpans(l, ER_LINEAR_SPAN_LEVEL).v[k];
        }
        aboveLo[k] = b.lo;
        aboveHi[k] = b.hi;
    }
    barrier();
    for (uint level = 1u; ABOVE >> level > 0u; level++) {
        uint from = aboveFirst(level - 1u), to = aboveFirst(level);
        for (uint k = lane; k < ABOVE >> level; k += ER_LINEAR_PART) {
            aboveLo[to + k] = min(aboveLo[from + 2u * k], aboveLo[from + 2u * k + 1u]);
            aboveHi[to + k] = max(aboveHi[from + 2u * k], aboveHi[from + 2u * k + 1u]);
        }
        barrier();
    }
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
    for (uint level = 0u; first < end; level++) {
        uint at = aboveFirst(level);
        if ((first & 1u) != 0u) {
            b.lo = min(b.lo, aboveLo[at + first]);
            b.hi = max(b.hi, aboveHi[at + first]);
            first++;
        }
        if ((end & 1u) != 0u && first < end) {
            end--;
            b.lo = min(b.lo, aboveLo[at + end]);
            b.hi = max(b.hi, aboveHi[at + end]);
        }
        first >>= 1;
        end >>= 1;
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
    uvec4 record = uvec4(ER_REF_NONE, 0u, 0u, 0u);
    if (n < active_) {
        uvec2 at = erLinearCluster(l, erLinearNumbers(l).v[n]);
        if (erIsCluster(at, ER_CLUSTER_MAGIC)) {
            record = erRecordOf(at);
        }
    }
    ErQuads(records).v[n] = record;
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
    fetchSamples(t);
    fetchAbove(l, l.count);
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
        uint ref = erClusterRef(c.reach, nodes, n, erLinearCluster(l, erLinearNumbers(l).v[n]));
        tell(t, nodes, erLinearSpans(l, 0u).v[n], ref, n, n + 1u);
    }
    if (n + 1u < t.count) {
        uint code = t.codes.v[n] >> t.shift;
        int least = alike(t, n, code, int(n) + 1);
        uvec2 below = reach(t, n, code, least);
        ErLinearBox b = boxOf(l, below.x, below.y);
        if (!tell(t, nodes, b, n, below.x, below.y)) {
            writeHeader(c, l, p, slots, t.count, n, b);
        }
    } else if (n < slots) { // blank
        NodesOut o = NodesOut(erOffset(nodes, n, ER_NODE_SIZE));
        vec4 none = vec4(3.402823e38, -3.402823e38, 3.402823e38, -3.402823e38);
        o.node[0] = ErNode(none, none, none, uvec2(ER_REF_NONE), uvec2(0u));
    }
}
