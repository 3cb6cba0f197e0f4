// Boxes of instances for refit/leaves.comp. The boxes below a bottom level's root that an instance's box is made from are the same
// for all its instances: a workgroup fetches them once for each of a few bottom levels.
#ifndef ER_BVH_REFIT_INSTANCES_GLSL
#define ER_BVH_REFIT_INSTANCES_GLSL

const uint CUT_BOXES = 1u << ER_BOX_LEVELS;
const uint CUTS = LANES / CUT_BOXES; // bottom levels
const uint CUT_STEP = 8u;            // boxes that are turned at once, and the fewest of a bottom level that is looked into
shared vec4 sharedCentre[CUTS * CUT_BOXES]; // of boxes: ErMiddle
shared vec4 sharedSize[CUTS * CUT_BOXES];
shared uint sharedCut[CUTS]; // who claimed it
shared uvec2 sharedCutOf[CUTS];

// cutOf is where the boxes of a bottom level may be.
uint cutOf(uvec2 blas) {
    uint h = (blas.x ^ blas.y) * 0x9e3779b1u;
    return (h ^ (h >> 16)) % CUTS;
}

// cutBox is box number k of a bottom level's tree, so many levels below its root, or that of the leaf above. Where there is
// none it is inverted. What is found on the way down is kept in variables that the loop begins with: SwiftShader gives lanes that
// leave a loop early what others compute in it later, of values that are no variables.
ErBounds cutBox(uvec2 blas, uint levels, uint k) {
    ErHeaderView h = ErHeaderView(blas);
    uint ref = h.activeRootHeightLeafBlock.y;
    if (h.selfMagicVersion.z != ER_AS_MAGIC || (ref & ER_REF_LEAF) != 0u) {
        return ER_NO_BOUNDS;
    }
    uvec2 nodes = erAddress(blas, ER_HEADER_SIZE);
    vec4 xy = vec4(0.0);
    vec2 z = vec2(0.0);
    bool leaf = false;
    for (uint below = levels; below > 0u && !leaf; below--) {
        ErNode n = ErNodeView(erOffset(nodes, ref, ER_NODE_SIZE)).node[0];
        bool second = ((k >> (below - 1u)) & 1u) != 0u;
        ref = second ? n.children.y : n.children.x;
        xy = second ? n.xy1 : n.xy0;
        z = second ? n.z.zw : n.z.xy;
        leaf = !erIsInner(ref);
    }
    return ErBounds(vec3(xy.xz, z.x), vec3(xy.yw, z.y));
}

// fetchCuts fetches the boxes of bottom levels that were claimed. Those with a box of nothing among them are given up.
void fetchCuts(uint lane) {
    uint cut = lane / CUT_BOXES, count = 1u << firstGeometry.boxLevels;
    if (cut < CUTS && sharedCut[cut] != ER_REF_NONE && lane % CUT_BOXES < count) {
        ErBounds r = count >= CUT_STEP ? cutBox(sharedCutOf[cut], firstGeometry.boxLevels, lane % CUT_BOXES) : ER_NO_BOUNDS;
        ErMiddle m = erMiddle(r.lo, r.hi);
        sharedCentre[lane] = vec4(m.centre, 0.0);
        sharedSize[lane] = vec4(m.size, 0.0);
        if (!(r.lo.x <= r.hi.x)) {
            sharedCut[cut] = ER_REF_NONE;
        }
    }
}

// isCut tells whether the boxes of an instance's bottom level are here.
bool isCut(uvec2 blas) {
    uint cut = cutOf(blas);
    return sharedCut[cut] != ER_REF_NONE && sharedCutOf[cut] == blas;
}

// turnCut is around the boxes of an instance's bottom level, as erCutBox, for an instance that does not reach where floats end.
ErBounds turnCut(ErInputInstance in_) {
    uint first = cutOf(in_.blas) * CUT_BOXES, count = 1u << firstGeometry.boxLevels;
    ErBounds sum = ER_NO_BOUNDS;
    for (uint k = first; k < first + count; k += CUT_STEP) {
        [[unroll]] for (uint j = 0u; j < CUT_STEP; j++) { // without branches between them
            ErMiddle m = ErMiddle(sharedCentre[k + j].xyz, sharedSize[k + j].xyz);
            vec2 x = erTurn(in_.rows[0], m), y = erTurn(in_.rows[1], m), z = erTurn(in_.rows[2], m);
            vec3 centre = vec3(x.x, y.x, z.x), size = vec3(x.y, y.y, z.y);
            sum = ErBounds(min(sum.lo, centre - size), max(sum.hi, centre + size));
        }
    }
    return sum;
}

// isNear tells whether nothing on the way to a transformed box is beyond where coordinates end.
bool isNear(vec4 rows[3], vec3 lo, vec3 hi) {
    vec3 reach = max(abs(lo), abs(hi));
    vec4 most = max(max(abs(rows[0]), abs(rows[1])), abs(rows[2]));
    return dot(most.xyz, reach) + most.w < ER_HUGE;
}

// instanceBox is erInputInstanceBox.
uint instanceBox(ErInputInstance in_, out ErBounds box) {
    if (!erInstanceActive(in_)) {
        return ER_INACTIVE;
    }
    ErHeaderView h = ErHeaderView(in_.blas);
    vec3 lo = h.boundsMinNodes.xyz, hi = h.boundsMax.xyz;
    if (!isCut(in_.blas) || !isNear(in_.rows, lo, hi)) {
        return erInputInstanceBox(firstGeometry, in_, box.lo, box.hi);
    }
    erTransformBox(in_.rows, lo, hi, box.lo, box.hi);
    ErBounds r = turnCut(in_);
    box = ErBounds(max(box.lo, r.lo), min(box.hi, r.hi));
    return erCutInstanceBox(box.lo, box.hi);
}

// claimCut lets a workgroup fetch what its instances' boxes are made from.
void claimCut(bool here, uvec2 blas, uint lane) {
    if (lane < CUTS) {
        sharedCut[lane] = ER_REF_NONE;
        sharedCutOf[lane] = uvec2(0u);
    }
    barrier();
    if (here && (blas.x | blas.y) != 0u && atomicCompSwap(sharedCut[cutOf(blas)], ER_REF_NONE, lane) == ER_REF_NONE) {
        sharedCutOf[cutOf(blas)] = blas;
    }
    barrier();
    fetchCuts(lane);
    barrier();
}

#endif
