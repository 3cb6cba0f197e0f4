#version 460
#extension GL_GOOGLE_include_directive : require
// Makes bottom levels over clusters of the trees over their boxes: 64 nodes and records for each workgroup.
//   push.taskCount  workgroups for each bottom level
#include "bvh/cluster/command.glsl"
layout(local_size_x = 64) in;

// clusterOf is the cluster of a record.
uvec2 clusterOf(uvec2 leaves, uint record, ErUintView v, uint count) {
    uint number = floatBitsToUint(ErBoxView(leaves).box[record].a.w);
    ErUintView list = ErUintView(erOffset(uvec2(v.v[2], v.v[3]), min(number, count - 1u), v.v[1] == 0u ? 8u : v.v[1]));
    return uvec2(list.v[0], list.v[1]);
}

// refOf is a reference of the tree, in the bottom level at an address.
uint refOf(uint reach, uint ref, uvec2 leaves, ErUintView v, uint count, uvec2 address) {
    if ((ref & ER_REF_LEAF) == 0u || ref == ER_REF_NONE) {
        return ref;
    }
    uint first = erRefFirst(ref, ER_REF_COUNT_SHIFT), records = erRefCount(ref, ER_REF_COUNT_SHIFT);
    if (records > 1u) {
        return erRecordsRef(first, records);
    }
    uvec2 at = clusterOf(leaves, first, v, count);
    return erIsCluster(at, ER_CLUSTER_MAGIC) ? erClusterRef(reach, erAddress(address, ER_HEADER_SIZE), first, at) : ER_REF_NONE;
}

void main() {
    ErClusterCommand c = erCommand();
    uint k = erGroup() / push.taskCount, part = erGroup() % push.taskCount;
    if (k >= erOperations(c)) {
        return;
    }
    ErPlace p = erPlaceOf(c, k);
    if (p.bytes == 0u) {
        return;
    }
    ErUintView v = erInfo(c, k);
    uint count = v.v[0], nodes = max(count, 1u) - 1u;
    uvec2 tree = erOffset(c.trees, k * c.treeBlocks, 256u);
    uvec2 leaves = erAddressBlocks(tree, ErHeaderView(tree).activeRootHeightLeafBlock.w);
    uint active_ = ErHeaderView(tree).activeRootHeightLeafBlock.x;
    uint n = part * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (n < nodes) {
        uvec2 to = erOffset(p.address, 4u + n, ER_NODE_SIZE);
        for (uint q = 0u; q < ER_NODE_SIZE / 16u; q++) {
            uvec4 v4 = ErQuads(erOffset(tree, 4u + n, ER_NODE_SIZE)).v[q];
            if (q == ER_NODE_CHILD0 / 16u) {
                v4.x = refOf(c.reach, v4.x, leaves, v, count, p.address);
                v4.y = refOf(c.reach, v4.y, leaves, v, count, p.address);
            }
            ErQuads(to).v[q] = v4;
        }
    }
    if (n < count) {
        uvec4 record = uvec4(ER_REF_NONE, 0u, 0u, 0u);
        if (n < active_) {
            uvec2 at = clusterOf(leaves, n, v, count);
            if (erIsCluster(at, ER_CLUSTER_MAGIC)) {
                record = erRecordOf(at);
            }
        }
        ErQuads(erOffset(p.address, 4u + nodes, ER_NODE_SIZE)).v[n] = record;
    }
    uint end = ER_HEADER_SIZE + nodes * ER_NODE_SIZE + count * ER_RECORD_SIZE;
    if (end + 16u * n < p.bytes) {
        ErQuads(erAddress(p.address, end)).v[n] = uvec4(0u);
    }
    if (n < ER_HEADER_SIZE / 16u) { // word by word: nobody else changes them
        uvec4 q = ErQuads(tree).v[n];
        if (n == 0u) {
            q.xy = p.address;
        } else if (n == ER_HEADER_FLAGS / 16u) {
            q = uvec4(ER_AS_TYPE_BOTTOM, c.flags, 1u, count);
        } else if (n == ER_HEADER_HEIGHT / 16u) {
            q.z = (q.z + ER_CLUSTER_HEIGHT) | ER_INSTANCE_CLUSTERS;
            q.w = 4u + nodes;
        } else if (n == ER_HEADER_NODE_COUNT / 16u) {
            q.w = nodes;
        } else if (n == ER_HEADER_LEAF_KIND / 16u) {
            q.w = ER_LEAF_CLUSTERS;
        } else if (n == ER_HEADER_TOTAL_SIZE / 16u) {
            q = uvec4(p.bytes, 0u, 0u, 0u);
        }
        ErQuads(p.address).v[n] = q;
    }
}
