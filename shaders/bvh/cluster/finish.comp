#version 460
#extension GL_GOOGLE_include_directive : require
// Makes bottom levels over clusters of the trees over their boxes: 64 nodes and records for each workgroup.
//   push.taskCount  workgroups for each bottom level
#include "bvh/cluster/command.glsl"
layout(local_size_x = 64) in;

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
        for (uint q = 0u; q < ER_NODE_SIZE / 16u; q++) {
            uvec4 v = ErQuads(erOffset(tree, 4u + n, ER_NODE_SIZE)).v[q];
            v.xy = q == ER_NODE_CHILD0 / 16u ? uvec2(erClusterRef(v.x), erClusterRef(v.y)) : v.xy;
            ErQuads(erOffset(p.address, 4u + n, ER_NODE_SIZE)).v[q] = v;
        }
    }
    if (n < count) {
        uvec4 record[ER_RECORD_SIZE / 16u] = uvec4[](uvec4(0u), uvec4(0u), uvec4(0u), uvec4(0u));
        if (n < active_) {
            uint number = floatBitsToUint(ErBoxView(leaves).box[n].a.w);
            ErUintView list = ErUintView(erOffset(uvec2(v.v[2], v.v[3]), min(number, count - 1u), v.v[1] == 0u ? 8u : v.v[1]));
            uvec2 at = uvec2(list.v[0], list.v[1]);
            if (erIsCluster(at, ER_CLUSTER_MAGIC)) {
                record = erRecordOf(at);
            }
        }
        uvec2 to = erOffset(erOffset(p.address, 4u + nodes, ER_NODE_SIZE), n, ER_RECORD_SIZE);
        for (uint q = 0u; q < ER_RECORD_SIZE / 16u; q++) {
            ErQuads(to).v[q] = record[q];
        }
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
