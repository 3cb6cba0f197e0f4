// Clusters in traversal, for pipelines and queries that ask for them (the variants with ER_CLUSTERS; the others have no code for
// them).
//
// Direct clusters (cluster_layout.glsl) are walked through like all else: a reference says where from the bottom level's nodes a
// node or a triangle is, so that nothing is to be done where a ray goes into a cluster or leaves it, which in most turns of the
// loop some lane does. All lanes load nodes and triangles alike. What is added is the node's own place to its children's.
//
// Other clusters have records, which a ray enters by as it does instances: their nodes are what it goes by then, the mode holds
// their form, and an entry of the stack leads back. A hit's leaf is the numbers of record and triangle together, so that hits need
// no more memory than others.
#ifndef ER_BVH_TRACE_CLUSTER_GLSL
#define ER_BVH_TRACE_CLUSTER_GLSL

const uint ER_REF_HOME = 0xfffffffcu; // back from a cluster that has a record, beside ER_REF_RESTORE

// erOverClusters is whether a mode is that of a bottom level over clusters, or of a cluster.
bool erOverClusters(uint mode) { return (mode & ER_INSTANCE_CLUSTERS) != 0u; }

// erByWords is whether a mode is that of a cluster whose triangles are words.
bool erByWords(uint mode) { return (mode & (ER_FORM_CLUSTER | ER_FORM_FAST)) == ER_FORM_CLUSTER; }

// erAtRecords is whether a reference that is no inner node's is one to records.
bool erAtRecords(uint mode, uint ref) {
    return (mode & (ER_INSTANCE_CLUSTERS | ER_FORM_CLUSTER)) == ER_INSTANCE_CLUSTERS &&
           (ref & ER_REF_RECORDS_MASK) == ER_REF_RECORDS_OF;
}

// erLeafShift is where the number of triangles begins in references to leaves.
uint erLeafShift(uint mode) {
    return erOverClusters(mode) && !erByWords(mode) ? ER_REF_DIRECT_SHIFT : erFormShift(mode);
}

uint erFormTriangles(uint form) { return (form >> ER_FORM_TRIANGLES_SHIFT) & ER_FORM_TRIANGLES_MASK; }

// erDirectNodes is how many nodes are before a direct cluster's triangles.
uint erDirectNodes(uint form) { return max(erFormTriangles(form), 2u) - 1u; }

// erPlace is the address of a place from a bottom level's nodes on, which is signed; of a reference's.
#ifdef ER_LONG
uvec2 erPlace(uvec2 nodes, uint ref) { return unpackUint2x32(packUint2x32(nodes) + int64_t(int(ref << 2)) * 16l); }
#else
uvec2 erPlace(uvec2 nodes, uint ref) {
    uint carry;
    uint low = uaddCarry(nodes.x, ref << 6, carry);
    return uvec2(low, nodes.y + uint(int(ref << 2) >> 28) + carry);
}
#endif

// erPlaceNode is the node that a reference of any kind refers to.
ErNode erPlaceNode(uvec2 nodes, uint ref) { return erNodeAt(erPlace(nodes, ref), 0u); }

// erClusterTriangles is where a cluster's triangles are, behind its nodes.
uvec2 erClusterTriangles(uvec2 nodes, uint form) {
    uint leaves = (erFormTriangles(form) + ER_CLUSTER_LEAF - 1u) / ER_CLUSTER_LEAF;
    return erAddress(nodes, ((form & ER_FORM_FAST) != 0u ? erDirectNodes(form) : max(leaves, 1u) - 1u) * ER_NODE_SIZE);
}

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErLeafWords { uvec4 v[]; };

// erClusterRecord is a record of a bottom level: root, form and address.
uvec4 erClusterRecord(uvec2 records, uint number) { return ErLeafWords(erOffset(records, number, ER_RECORD_SIZE)).v[0]; }

// erLeafWords are the words of a leaf's triangles from one on, and maybe others behind. Leaves begin at multiples of their size.
uvec4 erLeafWords(uvec2 triangles, uint first) {
    uvec4 w = ErLeafWords(triangles).v[first / ER_CLUSTER_LEAF];
    w = (first & 2u) != 0u ? w.zwzw : w;
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
    uvec2 triangles; // of a direct cluster the triangle itself
    uint form, id, geometry, number;
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ErClusterHeaderView {
    uint magic, id, counts, flags;
    uvec4 boundsGeometry;
};
ErClusterHit erClusterHit(ErInstance i, uint leaf) {
    ErClusterHit h;
    h.form = ER_FORM_FAST;
    h.number = leaf & ((1u << ER_RECORD_SHIFT) - 1u);
    h.geometry = 0u;
    if ((leaf & ER_HIT_BY_RECORD) == 0u) {
        h.triangles = erPlace(erAddress(i.a.xy, ER_HEADER_SIZE), leaf);
        h.id = ErTriangleView(h.triangles).triangle[0].c.w;
        return h;
    }
    uvec4 record = erClusterRecord(erAddressBlocks(i.a.xy, i.b.w), (leaf & ~ER_HIT_BY_RECORD) >> ER_RECORD_SHIFT);
    ErClusterHeaderView header = ErClusterHeaderView(record.zw);
    h.form = record.y;
    h.id = header.id;
    h.geometry = header.boundsGeometry.w;
    h.triangles = erClusterTriangles(erAddress(record.zw, ER_CLUSTER_HEADER_SIZE), h.form);
    if ((h.form & ER_FORM_FAST) != 0u) {
        h.triangles = erAddress(h.triangles, h.number * ER_DIRECT_SIZE);
    }
    return h;
}

// erClusterPrimitive returns primitive index and geometry word.
uvec2 erClusterPrimitive(ErInstance i, uint leaf) {
    ErClusterHit h = erClusterHit(i, leaf);
    if ((h.form & ER_FORM_FAST) != 0u) {
        return ErTriangleView(h.triangles).triangle[0].c.yz;
    }
    ErWordView words = ErWordView(h.triangles);
    bool each = (h.form & ER_FORM_WORDS) != 0u;
    return uvec2(words.v[h.number] >> 24, each ? words.v[erFormTriangles(h.form) + h.number] : h.geometry);
}

// erRestOfRecords is what is left of references to several records without the first.
uint erRestOfRecords(uint ref) { return ref + 1u - (1u << ER_REF_RECORDS_SHIFT); }

bool erHasClusters(ErInstance i) { return (i.b.z & ER_INSTANCE_CLUSTERS) != 0u; }

// erClusterId is that of a hit, ER_NO_CLUSTER of what is no cluster's.
uint erClusterId(uvec2 instanceRecord, uint leaf) {
    ErInstance i = ErInstanceView(instanceRecord).instance[0];
    return erHasClusters(i) ? erClusterHit(i, leaf).id : ER_NO_CLUSTER;
}

ErCorners erHitCorners(ErInstance i, uint leaf) {
    if (erHasClusters(i)) {
        ErClusterHit h = erClusterHit(i, leaf);
        if ((h.form & ER_FORM_FAST) != 0u) {
            return erCorners(h.triangles, 0u, 0u);
        }
        return erClusterCorners(h.triangles, h.number, ErWordView(h.triangles).v[h.number], h.form);
    }
    return erCorners(erAddressBlocks(i.a.xy, i.b.w), leaf, i.b.z);
}

#endif
