// Boxes of instances for refit_leaves.comp. The boxes below a bottom level's root that an instance's box is made from are the same
// for all its instances: a workgroup fetches them once for each of a few bottom levels.
#ifndef ER_BVH_REFIT_INSTANCES_GLSL
#define ER_BVH_REFIT_INSTANCES_GLSL

const uint CUT_BOXES = 1u << ER_BOX_LEVELS;
const uint CUTS = LANES / CUT_BOXES; // bottom levels
shared ErBounds sharedCutBoxes[CUTS * CUT_BOXES];
shared uint sharedCut[CUTS]; // who claimed it
shared uvec2 sharedCutOf[CUTS];

// cutOf is where the boxes of a bottom level may be.
uint cutOf(uvec2 blas) {
    uint h = (blas.x ^ blas.y) * 0x9e3779b1u;
    return (h ^ (h >> 16)) % CUTS;
}

// cutBox is box number k of a bottom level's tree, so many levels below its root, or of a leaf above: or no box.
ErBounds cutBox(uvec2 blas, uint levels, uint k) {
    ErHeaderView h = ErHeaderView(blas);
    uint ref = h.activeRootHeightLeafBlock.y;
    if (h.selfMagicVersion.z != ER_AS_MAGIC || (ref & ER_REF_LEAF) != 0u) {
        return ER_NO_BOUNDS;
    }
    ErNodeView nodes = ErNodeView(erAddress(blas, ER_HEADER_SIZE));
    for (;;) {
        levels--;
        ErNode n = nodes.node[ref];
        bool second = ((k >> levels) & 1u) != 0u;
        ref = second ? n.children.y : n.children.x;
        bool leaf = (ref & ER_REF_LEAF) != 0u;
        if (leaf || levels == 0u) {
            vec4 xy = second ? n.xy1 : n.xy0;
            vec2 z = second ? n.z.zw : n.z.xy;
            bool whose = (k & ((1u << levels) - 1u)) == 0u;
            return whose ? ErBounds(vec3(xy.xz, z.x), vec3(xy.yw, z.y)) : ER_NO_BOUNDS;
        }
    }
}

// fetchCuts fetches the boxes of bottom levels that were claimed.
void fetchCuts(uint lane) {
    uint cut = lane / CUT_BOXES, levels = firstGeometry.boxLevels;
    if (cut < CUTS && sharedCut[cut] != ER_REF_NONE && levels > 0u && lane % CUT_BOXES < 1u << levels) {
        sharedCutBoxes[lane] = cutBox(sharedCutOf[cut], levels, lane % CUT_BOXES);
    }
}

// instanceBox is erInputInstanceBox.
uint instanceBox(ErInputInstance in_, out ErBounds box) {
    uint levels = firstGeometry.boxLevels, cut = cutOf(in_.blas);
    if (levels == 0u || sharedCutOf[cut] != in_.blas) {
        return erInputInstanceBox(firstGeometry, in_, box.lo, box.hi);
    }
    if (!erInstanceActive(in_)) {
        return ER_INACTIVE;
    }
    ErHeaderView h = ErHeaderView(in_.blas);
    erTransformBox(in_.rows, h.boundsMinNodes.xyz, h.boundsMax.xyz, box.lo, box.hi);
    if ((h.activeRootHeightLeafBlock.y & ER_REF_LEAF) == 0u) {
        ErBounds sum = ER_NO_BOUNDS;
        for (uint k = 0u; k < 1u << levels; k++) {
            ErBounds r = sharedCutBoxes[cut * CUT_BOXES + k];
            if (r.lo.x <= r.hi.x) {
                ErBounds turned;
                erTransformBox(in_.rows, r.lo, r.hi, turned.lo, turned.hi);
                sum = erJoin(sum, turned);
            }
        }
        box = ErBounds(max(box.lo, sum.lo), min(box.hi, sum.hi));
    }
    if (!all(lessThanEqual(box.lo, box.hi))) { // a transform that is not a number
        return ER_INACTIVE;
    }
    box = ErBounds(clamp(box.lo, vec3(-ER_HUGE), vec3(ER_HUGE)), clamp(box.hi, vec3(-ER_HUGE), vec3(ER_HUGE)));
    return erFinite(box.lo) && erFinite(box.hi) ? ER_ACTIVE : ER_ACTIVE_HUGE;
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
