#version 460
#extension GL_GOOGLE_include_directive : require
// Every leaf record of an update from the new input, and the bounds of all. What cannot be hit any more keeps its place in the tree.
#include "bvh/refit.glsl"
layout(local_size_x = 64) in;

shared uint sharedMin[3];
shared uint sharedMax[3];
shared uint sharedActive;
shared uint sharedHuge;
shared uint sharedVertices[3u * ER_CHUNK_VERTICES]; // bits

// known tells whether a record's primitive is in the input. Of a source that
// was built from the same counts all are.
bool known(ErBuild b, uint geometry, uint primitive) {
    return geometry < b.geometryCount && primitive < ErGeometryView(b.geometries).geometry[geometry].primitiveCount;
}

// copySources copies the corners' source indices to another structure.
void copySources(ErBuild b, ErTree t, uint k) {
    if (erInPlace(b) || t.sourced == 0u) {
        return;
    }
    ErUintView from = ErUintView(erOffset(erOffset(erAddressBlocks(b.source, t.leafBlock), t.sourced, ER_TRIANGLE_SIZE), k, ER_SOURCE_SIZE));
    ErUintView to = ErUintView(erOffset(erOffset(erAddressBlocks(b.dst, t.leafBlock), t.sourced, ER_TRIANGLE_SIZE), k, ER_SOURCE_SIZE));
    for (uint i = 0u; i < 3u; i++) {
        to.v[i] = from.v[i];
    }
}

// newTriangle is a triangle from the input, or as it was, and whether anything can hit it.
bool newTriangle(ErBuild b, uvec2 leaves, uint form, uint k, out ErCorners r) {
    uvec2 primitive = erPrimitiveWords(leaves, k, form);
    uint index = primitive.y & ER_TRIANGLE_GEOMETRY_MASK;
    if (known(b, index, primitive.x)) {
        ErGeometry g = ErGeometryView(b.geometries).geometry[index];
        erFetchTriangle(g, primitive.x, r.v0, r.v1, r.v2);
        r.flags = erGeometryWord(index, g);
    } else {
        r = erCorners(leaves, k, form);
        r.flags = primitive.y;
    }
    // As erPrimitiveBox has it.
    if (!erFinite(r.v0) || !erFinite(r.v1) || !erFinite(r.v2)) {
        r.flags |= ER_TRIANGLE_INACTIVE;
    }
    return (r.flags & ER_TRIANGLE_INACTIVE) == 0u;
}

// Each of the three writes a record and returns its box and one of ER_ACTIVE,
// ER_ACTIVE_HUGE and ER_INACTIVE.
uint refitTriangle(ErBuild b, ErTree t, uint k, out ErBounds box) {
    uvec2 leaves = erAddressBlocks(b.source, t.leafBlock);
    ErCorners n;
    bool hittable = newTriangle(b, leaves, 0u, k, n);
    box = erCornerBounds(n);
    ErTriangle r;
    r.a = hittable ? vec4(n.v0, n.v1.x) : vec4(0.0);
    r.b = hittable ? vec4(n.v1.yz, n.v2.xy) : vec4(0.0);
    r.c = uvec4(hittable ? floatBitsToUint(n.v2.z) : 0u, erPrimitiveWords(leaves, k, 0u).x, n.flags, 0u);
    copySources(b, t, k);
    ErTriangleOut(erAddressBlocks(b.dst, t.leafBlock)).triangle[k] = r;
    return hittable ? ER_ACTIVE : ER_INACTIVE;
}

// refitChunk is for indexed triangles, a workgroup to a chunk. Corners that share a vertex have the same one in the input;
// one that only inactive triangles use is zero.
uint refitChunk(ErBuild b, ErTree t, uint k, out ErBounds box) {
    uint lane = gl_LocalInvocationIndex;
    uint form = erLeafForm(t.leafKind);
    uvec2 from = erAddressBlocks(b.source, t.leafBlock);
    uvec2 to = erAddressBlocks(b.dst, t.leafBlock);
    uint head = erChunkWord(form, k / ER_CHUNK_RECORDS);
    uint base = ErWordView(from).v[head];
    uint count = min(ErWordView(from).v[head + 1u], ER_CHUNK_VERTICES);
    for (uint j = lane; j < 3u * ER_CHUNK_VERTICES; j += ER_CHUNK_RECORDS) {
        sharedVertices[j] = 0u;
    }
    barrier();
    bool live = k < t.records;
    bool hittable = false;
    uint at = erRecordWord(form, k);
    uvec3 words = uvec3(0u);
    if (live) {
        ErCorners n;
        hittable = newTriangle(b, from, form, k, n);
        box = erCornerBounds(n);
        uint first = ErWordView(from).v[at];
        words = uvec3((first & ~(ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE)) | (n.flags & (ER_TRIANGLE_OPAQUE | ER_TRIANGLE_INACTIVE)),
            ErWordView(from).v[at + 1u], n.flags);
        mat3 v = mat3(n.v0, n.v1, n.v2);
        for (uint j = 0u; j < 9u && hittable; j++) {
            sharedVertices[3u * min((first >> (j / 3u * 8u)) & 255u, ER_CHUNK_VERTICES - 1u) + j % 3u] = floatBitsToUint(v[j / 3u][j % 3u]);
        }
    }
    barrier();
    if (live) {
        for (uint j = 0u; j < erRecordWords(form); j++) {
            ErUintView(to).v[at + j] = words[j];
        }
    }
    uvec2 vertices = erAddressWords(to, base);
    for (uint j = lane; j < 3u * count; j += ER_CHUNK_RECORDS) {
        ErUintView(vertices).v[j] = sharedVertices[j];
    }
    if (lane == 0u) {
        ErUintView(to).v[head] = base;
        ErUintView(to).v[head + 1u] = count;
    }
    uint end = base + 3u * count;
    if (k - lane + ER_CHUNK_RECORDS >= t.records && lane < (4u - end % 4u) % 4u) {
        ErUintView(vertices).v[3u * count + lane] = 0u; // to the end of the last unit
    }
    return hittable ? ER_ACTIVE : ER_INACTIVE;
}

uint refitBox(ErBuild b, ErTree t, uint k, out ErBounds box) {
    ErBox r = ErBoxView(erAddressBlocks(b.source, t.leafBlock)).box[k];
    uint primitive = floatBitsToUint(r.a.w);
    uint index = floatBitsToUint(r.b.w) & ER_TRIANGLE_GEOMETRY_MASK;
    box = ErBounds(r.a.xyz, r.b.xyz);
    uint state = all(lessThanEqual(box.lo, box.hi)) ? ER_ACTIVE : ER_INACTIVE;
    if (known(b, index, primitive)) {
        state = erPrimitiveBox(ErGeometryView(b.geometries).geometry[index], primitive, box.lo, box.hi);
    }
    if (state == ER_INACTIVE) {
        box = ER_NO_BOUNDS; // inverted: no ray meets it
    }
    r.a.xyz = box.lo;
    r.b.xyz = box.hi;
    ErBoxOut(erAddressBlocks(b.dst, t.leafBlock)).box[k] = r;
    return state;
}

uint refitInstance(ErBuild b, ErTree t, uint k, out ErBounds box) {
    ErInstance r = ErInstanceView(erAddressBlocks(b.source, t.leafBlock)).instance[k];
    ErGeometry g = ErGeometryView(b.geometries).geometry[0];
    uint state = ER_INACTIVE;
    if (r.b.x < g.primitiveCount) {
        state = erPrimitiveBox(g, r.b.x, box.lo, box.hi);
    }
    if (state != ER_INACTIVE) {
        r = erInstanceRecord(g, r.b.x);
    } else { // no bottom level, and a mask that nothing matches
        r.a = uvec4(0u, 0u, r.a.z & 0xffffffu, r.a.w);
    }
    ErInstanceOut(erAddressBlocks(b.dst, t.leafBlock)).instance[k] = r;
    return state;
}

uint refit(ErBuild b, ErTree t, uint k, out ErBounds box) {
    switch (t.leafKind) {
    case ER_LEAF_TRIANGLES: return refitTriangle(b, t, k, box);
    case ER_LEAF_INDEXED:
    case ER_LEAF_INDEXED_WIDE: return refitChunk(b, t, k, box);
    case ER_LEAF_BOXES: return refitBox(b, t, k, box);
    }
    return refitInstance(b, t, k, box);
}

void reduce(uint state, ErBounds box) {
    if (state == ER_INACTIVE) {
        return;
    }
    atomicAdd(sharedActive, 1u);
    if (state == ER_ACTIVE_HUGE) {
        atomicAdd(sharedHuge, 1u);
        return;
    }
    for (uint c = 0u; c < 3u; c++) {
        atomicMin(sharedMin[c], erOrdered(box.lo[c]));
        atomicMax(sharedMax[c], erOrdered(box.hi[c]));
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 3u) {
        sharedMin[lane] = 0xffffffffu;
        sharedMax[lane] = 0u;
    }
    if (lane == 3u) {
        sharedActive = 0u;
        sharedHuge = 0u;
    }
    barrier();
    uint group = erGroup();
    bool valid = group < push.taskCount;
    uvec2 task = valid ? ErUvec2View(push.tasks).v[group / (ER_BLOCK_SIZE / 64u)] : uvec2(0u);
    ErBuild b = ErBuildView(push.builds).build[task.x];
    uint i = erRefitIndex(task.y, group);
    ErTree t;
    valid = valid && erTree(b, t);
    bool indexed = valid && (t.leafKind == ER_LEAF_INDEXED || t.leafKind == ER_LEAF_INDEXED_WIDE);
    if (valid && (indexed ? i - lane : i) < t.records) { // whole workgroups to chunks
        ErBounds box;
        uint state = refit(b, t, i, box);
        reduce(state, box);
    }
    barrier();
    if (valid && sharedActive > 0u) {
        // Only what changes anything: many workgroups would wait for one word. Of
        // the numbers an update wants to know whether they are zero.
        ErStateView s = ErStateView(b.state);
        if (lane < 3u && sharedMin[lane] < s.state.boundsMin[lane]) {
            atomicMin(s.state.boundsMin[lane], sharedMin[lane]);
        }
        if (lane < 3u && sharedMax[lane] > s.state.boundsMax[lane]) {
            atomicMax(s.state.boundsMax[lane], sharedMax[lane]);
        }
        if (lane == 3u && s.state.activeCount == 0u) {
            atomicAdd(s.state.activeCount, sharedActive);
        }
        if (lane == 3u && sharedHuge > 0u && s.state.huge == 0u) {
            atomicAdd(s.state.huge, sharedHuge);
        }
    }
}
