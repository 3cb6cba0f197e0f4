// Clusters in traversal, for pipelines and queries that ask for them (the variants with ER_CLUSTERS; the others have no code for
// them).
//
// A record of a bottom level over clusters is a cluster's root, and a ray that visits it is in the cluster, whose nodes are like
// all others: what changes is where they are, and the mode, which then holds the cluster's form. All lanes load nodes alike, for
// in most turns of the loop some lane enters. A ray is in a cluster while the stack is no lower than where it came in, so it
// leaves without an entry of the stack that would say so. A hit's leaf is the numbers of record and triangle together, so that
// hits need no more memory than others.
#ifndef ER_BVH_TRACE_CLUSTER_GLSL
#define ER_BVH_TRACE_CLUSTER_GLSL

// erInCluster is whether a mode is that of a cluster's inside.
bool erInCluster(uint mode) { return (mode & ER_FORM_CLUSTER) != 0u; }

// erAtClusters is whether leaves are those of a bottom level over clusters.
bool erAtClusters(uint mode) { return (mode & (ER_INSTANCE_CLUSTERS | ER_FORM_CLUSTER)) == ER_INSTANCE_CLUSTERS; }

uint erFormTriangles(uint form) { return (form >> ER_FORM_TRIANGLES_SHIFT) & ER_FORM_TRIANGLES_MASK; }

// erClusterTriangles is where a cluster's triangles are, behind its nodes.
uvec2 erClusterTriangles(uvec2 nodes, uint form) {
    uint shift = (form & ER_FORM_FAST) != 0u ? 1u : 2u; // of ER_CLUSTER_FAST_LEAF and ER_CLUSTER_LEAF
    return erAddress(nodes, (max((erFormTriangles(form) + (1u << shift) - 1u) >> shift, 1u) - 1u) * ER_NODE_SIZE);
}

// erClusterRecord is the record of a cluster among those of a bottom level.
uvec2 erClusterRecord(uvec2 records, uint number) { return erOffset(records, number, ER_RECORD_SIZE); }

// erRecordForm is the form that a record has in its first child's reference, erRecordRefs are the references without it.
uint erRecordForm(uvec2 refs) { return (refs.x >> (ER_RECORD_FORM_SHIFT - ER_FORM_TRIANGLES_SHIFT)) & ER_FORM_MASK; }
uvec2 erRecordRefs(uvec2 refs) {
    return uvec2(refs.x & ~(ER_FORM_MASK << (ER_RECORD_FORM_SHIFT - ER_FORM_TRIANGLES_SHIFT)), refs.y);
}

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErLeafWords { uvec4 v[]; };

// erLeafWords are the words of a leaf's triangles from one on, and maybe others behind. Leaves begin at multiples of their size.
uvec4 erLeafWords(uvec2 triangles, uint first) {
    uvec4 w = ErLeafWords(triangles).v[first / ER_CLUSTER_LEAF];
    w = (first & ER_CLUSTER_FAST_LEAF) != 0u ? w.zwzw : w;
    return (first & 1u) != 0u ? w.yzww : w; // of the rest of a leaf, see rqProceed
}

// erClusterCorners reads a triangle whose word is known.
ErCorners erClusterCorners(uvec2 triangles, uint number, uint word, uint form) {
    uint count = erFormTriangles(form);
    bool each = (form & ER_FORM_WORDS) != 0u;
    ErCoordinateView f = ErCoordinateView(erAddress(triangles, count * (each ? 8u : 4u)));
    uvec3 at = uvec3(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u) * 3u;
    ErCorners r;
    r.v0 = vec3(f.v[at.x], f.v[at.x + 1u], f.v[at.x + 2u]);
    r.v1 = vec3(f.v[at.y], f.v[at.y + 1u], f.v[at.y + 2u]);
    r.v2 = vec3(f.v[at.z], f.v[at.z + 1u], f.v[at.z + 2u]);
    r.flags = (form >> ER_FORM_FLAGS_SHIFT) << 29;
    if (each) {
        r.flags = ErWordView(triangles).v[count + number];
    }
    return r;
}

// What is known of a hit by its leaf.
struct ErClusterHit {
    uvec2 triangles;
    uint form, id, geometry;
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErClusterHeaderView {
    uint magic, id, counts, flags;
    uvec4 boundsGeometry;
};
ErClusterHit erClusterHit(ErInstance i, uint leaf) {
    ErNode record = erNodeAt(erAddressBlocks(i.a.xy, i.b.w), leaf >> ER_RECORD_SHIFT);
    ErClusterHeaderView h = ErClusterHeaderView(record.leaves);
    uint form = erRecordForm(record.children);
    return ErClusterHit(erClusterTriangles(erAddress(record.leaves, ER_CLUSTER_HEADER_SIZE), form), form, h.id, h.boundsGeometry.w);
}

// erClusterPrimitive returns primitive index and geometry word.
uvec2 erClusterPrimitive(ErInstance i, uint leaf) {
    ErClusterHit h = erClusterHit(i, leaf);
    ErWordView words = ErWordView(h.triangles);
    uint number = leaf & ((1u << ER_RECORD_SHIFT) - 1u);
    bool each = (h.form & ER_FORM_WORDS) != 0u;
    return uvec2(words.v[number] >> 24, each ? words.v[erFormTriangles(h.form) + number] : h.geometry);
}

// erRestOfClusters is what is left of a leaf of several clusters without the first.
uint erRestOfClusters(uint ref) {
    uint rest = ref + 1u - (1u << ER_REF_COUNT_SHIFT);
    bool one = (rest & (ER_REF_COUNT_MASK << ER_REF_COUNT_SHIFT)) == 0u;
    return one ? ER_REF_CLUSTER | (rest & ER_REF_INDEX_MASK) : rest;
}

bool erHasClusters(ErInstance i) { return (i.b.z & ER_INSTANCE_CLUSTERS) != 0u; }

// erClusterId is that of a hit, ER_NO_CLUSTER of what is no cluster's.
uint erClusterId(uvec2 instanceRecord, uint leaf) {
    ErInstance i = ErInstanceView(instanceRecord).instance[0];
    return erHasClusters(i) ? erClusterHit(i, leaf).id : ER_NO_CLUSTER;
}

ErCorners erHitCorners(ErInstance i, uint leaf) {
    if (erHasClusters(i)) {
        ErClusterHit h = erClusterHit(i, leaf);
        uint number = leaf & ((1u << ER_RECORD_SHIFT) - 1u);
        return erClusterCorners(h.triangles, number, ErWordView(h.triangles).v[number], h.form);
    }
    return erCorners(erAddressBlocks(i.a.xy, i.b.w), leaf, i.b.z);
}

#endif
