// The way down to a leaf through wide nodes, a part of walk.glsl: see wide.glsl.
ER_NODE_LOOP(ref) {
    ER_COUNT(erNodeSteps);
    bool anyHit = (ray.flags & ER_RAY_TERMINATE_ON_FIRST_HIT) != 0u;
    ErVisits v = erVisits(wideNodes + uint64_t(ref) * ER_WIDE_SIZE, side, setup, ray.tMin, found.t, anyHit);
    bool none = v.keys.x == ER_MISSED;
    bool one = v.keys.y != ER_MISSED, two = v.keys.z != ER_MISSED, three = v.keys.w != ER_MISSED; // entries to push, at least
    uint pushed = three ? 3u : (two ? 2u : (one ? 1u : 0u));
    uint below = 0u;
    if ((one || none) && depth + pushed > ER_TOP) { // memory takes part
        if (none) {
            below = ER_STACK[depth - 1u - ER_TOP];
        } else {
            if (three && depth >= ER_TOP - 2u) {
                ER_STACK[depth + 2u - ER_TOP] = entries.d;
            }
            if (two && depth >= ER_TOP - 1u) {
                ER_STACK[depth + 1u - ER_TOP] = entries.e;
            }
            if (depth >= ER_TOP) {
                ER_STACK[depth - ER_TOP] = entries.f;
            }
        }
    }
    ref = none ? entries.a : v.refs.x;
    erDown(entries, none);
    entries.f = none ? below : entries.f;
    erUp2(entries, two);
    erUp(entries, one && (!two || three));
    entries.a = one ? v.refs.y : entries.a;
    entries.b = two ? v.refs.z : entries.b;
    entries.c = three ? v.refs.w : entries.c;
    depth += none ? ~0u : pushed;
}
