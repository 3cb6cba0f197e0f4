#version 460
#extension GL_GOOGLE_include_directive : require
// Boxes of 1, 2, 4 ... 256 clusters that follow each other in order. See linear.glsl.
#include "bvh/cluster/linear.glsl"
layout(local_size_x = ER_LINEAR_PART) in;

shared ErLinearBox boxes[ER_LINEAR_PART];

ErLinearBox boxAt(ErLinear l, uint n) {
    ErLinearBox b = erNoLinearBox();
    if (n < l.count) {
        b = erLinearBoxes(l).v[erLinearNumbers(l).v[n]];
    }
    return b;
}

void main() {
    ErClusterCommand c = erCommand();
    ErLinear l = erLinear(c, ER_LINEAR_SPAN);
    uint lane = gl_LocalInvocationIndex, from = l.part * ER_LINEAR_SPAN;
    if (from >= l.count) {
        return; // the whole workgroup
    }
    ErLinearBox a = boxAt(l, from + 2u * lane), b = boxAt(l, from + 2u * lane + 1u), both = erUnion(a, b);
    erLinearSpans(l, 0u).v[from + 2u * lane] = a;
    erLinearSpans(l, 0u).v[from + 2u * lane + 1u] = b;
    erLinearSpans(l, 1u).v[from / 2u + lane] = both;
    boxes[lane] = both;
    barrier();
    for (uint level = 2u; level <= ER_LINEAR_SPAN_LEVEL; level++) {
        uint count = ER_LINEAR_SPAN >> level;
        if (lane < count) {
            both = erUnion(boxes[2u * lane], boxes[2u * lane + 1u]);
            erLinearSpans(l, level).v[(from >> level) + lane] = both;
        }
        barrier();
        if (lane < count) {
            boxes[lane] = both;
        }
        barrier();
    }
}
