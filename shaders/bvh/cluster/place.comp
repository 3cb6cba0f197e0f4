#version 460
#extension GL_GOOGLE_include_directive : require
// Says where each operation's result goes, after sizes.comp, and tells the application sizes and addresses.
#include "bvh/cluster/command.glsl"
layout(local_size_x = ER_PLACE_BLOCK) in;

shared uint sums[ER_PLACE_BLOCK];

void main() {
    uint block = erGroup(), lane = gl_LocalInvocationIndex;
    ErClusterCommand c = erCommand();
    uint k = block * ER_PLACE_BLOCK + lane;
    if (block * ER_PLACE_BLOCK >= c.most) {
        return; // the whole workgroup
    }
    uint before = 0u;
    for (uint b = lane; b < block; b += ER_PLACE_BLOCK) {
        before += ErUintView(c.sums).v[b];
    }
    sums[lane] = before;
    barrier();
    for (uint half_ = ER_PLACE_BLOCK / 2u; half_ > 0u; half_ /= 2u) {
        if (lane < half_) {
            sums[lane] += sums[lane + half_];
        }
        barrier();
    }
    if (k >= erOperations(c)) {
        return;
    }
    ErPlace p = erPlaceOf(c, k);
    p.unit += sums[0];
    if (c.mode == ER_TO_IMPLICIT) {
        uint units = (p.bytes + ER_PLACE_UNIT - 1u) / ER_PLACE_UNIT;
        if (p.unit > c.room || units > c.room - p.unit) {
            p.bytes = 0u; // more than the host said of all together
        }
        p.address = p.bytes == 0u ? uvec2(0u) : erOffset(erResolved(c, c.implicits, ER_RESOLVE_IMPLICIT), p.unit, ER_PLACE_UNIT);
        uvec2 list = erResolved(c, c.addresses, ER_RESOLVE_ADDRESSES);
        if (list != uvec2(0u)) {
            ErUintView a = ErUintView(erOffset(list, k, c.addressStride));
            a.v[0] = p.address.x;
            a.v[1] = p.address.y;
        }
    }
    uvec2 sizes = erResolved(c, c.sizes, ER_RESOLVE_SIZES);
    if (sizes != uvec2(0u)) {
        ErUintView(erOffset(sizes, k, c.sizeStride)).v[0] = p.bytes;
    }
    ErPlaceView(c.places).place[k] = p;
}
