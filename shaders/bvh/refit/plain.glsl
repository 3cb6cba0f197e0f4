// Triangle records of the commonest input. The including kernel defines LANES and EACH, and keepBox and keepTriangle for what
// is made.
#ifndef ER_BVH_REFIT_PLAIN_GLSL
#define ER_BVH_REFIT_PLAIN_GLSL
#extension GL_EXT_control_flow_attributes : require

// isPlain tells the commonest case.
bool isPlain(ErBuild b, ErTree t) {
    ErGeometry g = firstGeometry;
    bool transformed = (g.transform.x | g.transform.y) != 0u;
    return t.leafKind == ER_LEAF_TRIANGLES && b.geometryCount == 1u && erIsPlain(g) && !transformed && g.primitiveCount > 0u &&
        t.records > 0u;
}

// takePlain makes records from number base on, EACH of a lane, whose loads do not wait for each other.
Found takePlain(ErBuild b, ErTree t, uint base, uint lane) {
    ErGeometry g = firstGeometry;
    uvec2 from = erAddressBlocks(b.source, t.leafBlock);
    uvec4 before[EACH];
    uvec3 index[EACH];
    mat3 v[EACH];
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        before[k] = ErTriangleView(erOffset(from, min(base + k * LANES + lane, t.records - 1u), ER_TRIANGLE_SIZE)).triangle[0].c;
    }
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        ErUintView i = ErUintView(erOffset(g.indices, min(before[k].y, g.primitiveCount - 1u) * 3u, 4u));
        index[k] = uvec3(i.v[0], i.v[1], i.v[2]);
    }
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        v[k] = mat3(erFetchPlainVertex(g, index[k].x), erFetchPlainVertex(g, index[k].y), erFetchPlainVertex(g, index[k].z));
    }
    Found f = FOUND_NOTHING;
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        uint i = base + k * LANES + lane;
        if (i < t.records) {
            ErBounds box;
            ErCorners n = ErCorners(v[k][0], v[k][1], v[k][2], erGeometryWord(0u, g));
            uint state = settle(n) ? ER_ACTIVE : ER_INACTIVE;
            box = cornerBounds(n);
            keepTriangle(b, t, i, triangleRecord(n, before[k]));
            keepBox(b, i, box);
            find(f, state, box);
        }
    }
    return f;
}

#endif
